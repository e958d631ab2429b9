"""Is the release a sanitization of the original, and which record is whose?

Marginals and losses are those of the two tables, whoever is who; what is learned is
not.  A reader must know, too, whether the release is what the
policy's hierarchies make of the original, or something else: noise, swapped cells,
synthetic records.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

import numpy as np

from phverify.errors import InputError, Problems
from phverify.exact import Ints
from phverify.microdata.explained import Known, Sanitization
from phverify.microdata.hierarchy import Hierarchies, Hierarchy
from phverify.microdata.pairing import by_identifier
from phverify.microdata.table import CodedColumn, CodedTable, Label, merge_labels
from phverify.policy.bind import hierarchies, told_with
from phverify.policy.model import Policy
from phverify.policy.origins import origin_of
from phverify.policy.typed_columns import present, typed
from phverify.spec.source import Mappings


@dataclass(frozen=True, eq=False)
class DataPair:
    """A release and its original with the policy that says what their columns are.

    All cells are in the canonical texts of their types, and an empty text is a missing
    cell.
    """

    policy: Policy
    original: CodedTable
    release: CodedTable
    hierarchies: dict[str, Hierarchy]


@dataclass(frozen=True, eq=False)
class Explained:
    """How the release comes from the original: ``by`` says how it is known which
    records belong together, and is None where it is no sanitization that is understood.

    ``departures`` say why.  Record ``people[i]`` of the original is ``shown[i]`` in the
    release; both are None where nothing says so.
    """

    by: Known | None
    departures: Problems
    people: Ints | None
    shown: Ints | None
    mappings: Mappings = field(default_factory=dict)
    """By column what each value became, where one function explains the column."""


def changed_columns(original: CodedTable, release: CodedTable) -> list[str]:
    """The columns in which some cell occurs more often in the release."""
    changed = []
    for name, before in original.columns.items():
        if name not in release.columns:
            continue
        after = release.columns[name]
        had = _counted(before)
        for label, count in _counted(after).items():
            if count > had.get(label, 0):
                changed.append(name)
                break
    return changed


def _counted(column: CodedColumn) -> dict[Label, int]:
    """How often each cell occurs."""
    counts = column.occurrences()
    return dict(zip(column.labels, counts, strict=True))


def two_tables(
    policy: Policy, original: CodedTable, release: CodedTable, problems: Problems
) -> DataPair:
    """The tables as the policy reads them.  Raises InputError with all problems."""
    with told_with(problems):
        present(policy, release)
        present(policy, original)
    paths = hierarchies(policy, release, original, problems)
    if problems:
        raise InputError(dict.fromkeys(problems))
    read = []
    for table in (original, release):
        columns = {**table.columns, **typed(policy, table, "value", problems)}
        emptied = {name: _emptied(column) for name, column in columns.items()}
        read.append(replace(table, columns=emptied))
    if problems:
        raise InputError(problems)
    return DataPair(policy, read[0], read[1], paths)


def _emptied(column: CodedColumn) -> CodedColumn:
    """A column whose empty texts are missing cells."""
    texts = [label or None for label in column.labels]
    return CodedColumn(*merge_labels(column.codes, texts))


def explained(tables: DataPair, recoded: Collection[str]) -> Explained:
    """How the release comes from the original, as ``verify --original`` says it.

    Columns that are ``recoded`` without their hierarchy are read without it.
    """
    policy = tables.policy
    paths: Hierarchies = {
        name: one for name, one in tables.hierarchies.items() if name not in recoded
    }
    problems: Problems = []
    columns = {name: tables.release.columns[name] for name in policy.columns}
    try:
        origin = origin_of(
            policy, tables.release, columns, tables.original, dict(paths), problems
        )
    except InputError as error:
        return _unexplained(tables, list(error.problems))
    if problems or origin.sanitized is None:
        return _unexplained(tables, problems)
    found = origin.sanitized
    people, shown = _records(found)
    mappings = found.mappings
    # Where tuples are explained, or records withheld, no column is asked for by itself.
    if not mappings and found.by != "matching":
        mappings = _by_column(tables, people, shown)
    return Explained(found.by, [], people, shown, mappings)


def _by_column(tables: DataPair, people: Ints, shown: Ints) -> Mappings:
    """For each quasi-identifier what the values of these records became, where that is
    one value each.
    """
    found = {}
    for name in tables.policy.quasi:
        before, after = tables.original.columns[name], tables.release.columns[name]
        pairs = np.stack([before.codes[people], after.codes[shown]], axis=1)
        became = np.unique(pairs, axis=0).tolist()
        mapping = {before.labels[value]: after.labels[image] for value, image in became}
        if len(mapping) == len(became):
            found[name] = mapping
    return found


def _records(sanitized: Sanitization) -> tuple[Ints, Ints]:
    """The original's records that are released, and the released record of each."""
    if sanitized.kept is not None:
        return np.array(sanitized.kept.rows, dtype=np.int64), sanitized.home
    return np.arange(len(sanitized.home)), sanitized.home


def _unexplained(tables: DataPair, departures: Problems) -> Explained:
    """A release that is no sanitization: the identifier may still pair its records, or
    the order that the policy tells of.
    """
    original, release, policy = tables.original, tables.release, tables.policy
    try:
        sources = by_identifier(original, release, policy.identifier)
    except InputError as error:
        # The same may have been found before.
        said = dict.fromkeys((*departures, *error.problems))
        return Explained(None, [*said], None, None)
    if sources is not None:
        return Explained(None, departures, sources, np.arange(release.rows))
    if policy.rows == "same order" and original.rows == release.rows:
        rows = np.arange(original.rows)
        return Explained(None, departures, rows, rows)
    return Explained(None, departures, None, None)
