"""Two tables and a policy become a linkage: which released value can come from which,
and who comes from whom.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain

import numpy as np

from phverify.errors import InputError, Problem, Problems
from phverify.linkage.candidates.inferred import inferred
from phverify.linkage.candidates.kept_values import (
    with_kept_values,
    with_kept_where_possible,
    with_possibly_kept_values,
)
from phverify.linkage.candidates.masking import MaskingRelation, relation
from phverify.linkage.candidates.records import records_of
from phverify.linkage.candidates.sets import Linkage
from phverify.linkage.candidates.truth import TrueRecords, true_records
from phverify.microdata.hierarchy import Hierarchies, Hierarchy
from phverify.microdata.table import CodedColumn, CodedTable, merge_labels
from phverify.policy.bind import hierarchies
from phverify.policy.masking import PLAIN, Masking
from phverify.policy.model import Policy
from phverify.policy.typed_columns import both_kinds
from phverify.spec.types import TEXT
from phverify.words import are_missing, toml_key

Known = Mapping[str, MaskingRelation]
Infer = Callable[
    [CodedTable, CodedTable, Policy, Sequence[str], Known, Hierarchies], Known
]
"""Reads columns of which nothing is declared, beside those that are read."""


def linkage_of(
    original: CodedTable,
    release: CodedTable,
    policy: Policy,
    attributes: Iterable[str] = (),
    *,
    certain: bool = False,
) -> Linkage:
    """Link a release with its original over the quasi-identifiers, the attributes
    named, and what both tables have.

    Where it is open which records belong together, a value that may have been kept is
    taken for itself, as the riskier reading; with ``certain`` only one that was.
    Raises InputError for columns that are missing, released cells that say nothing, and
    records that cannot come from the original that they come from: then the release is
    no masking of it.
    """
    wanted = {*policy.quasi, *attributes}
    names = related(original, release, policy, wanted)
    relations, paths = relations_between(original, release, policy, names)
    truth = true_records(original, release, policy, relations, paths)
    sources = (original.source, release.source)
    records = records_of(original), records_of(release)
    if truth.by == "open":
        linkage = Linkage(relations, *records, truth, sources)
        known = [name for name in names if name in wanted]
        return with_possibly_kept_values(linkage, known, certain)
    found: dict[str, MaskingRelation] = {}
    for name, read in relations.items():
        values = read.before.codes[truth.rows]
        found[name] = with_kept_values(read, (values, read.after.codes))
    return Linkage(found, *records, truth, sources)


def related(
    original: CodedTable, release: CodedTable, policy: Policy, wanted: Iterable[str]
) -> list[str]:
    """The columns that are ``wanted``, and those that both tables have.

    Raises InputError for columns that are missing, have two kinds of empty cells, or
    whose released cells differ and are one value.
    """
    asked = set(wanted)
    tables = original, release
    _require(tables, policy, [name for name in policy.columns if name in asked])
    release.require_told_apart(name for name in policy.columns if name in asked)
    # Columns that nobody asks for are read, too: they may show that a record cannot
    # come from its original.
    both = set(original.columns) & set(release.columns)
    return [name for name in policy.columns if name in asked | both]


def population_of(
    population: CodedTable,
    release: CodedTable,
    policy: Policy,
    attributes: Sequence[str],
    linkage: Linkage,
) -> Linkage:
    """A release with a population that it is a sample of: candidates there, no true
    records.

    What ``linkage`` says was kept in the release is itself in the population, too.
    Raises InputError as ``linkage_of`` does, but for the true records.
    """
    names = [name for name in policy.columns if name in attributes]
    _require((population, release), policy, names)
    relations, _ = relations_between(population, release, policy, names, "population")
    records = records_of(population), records_of(release)
    # A sample's records come from somebody there, and nothing says from whom.
    unknown = TrueRecords(np.full(records[1].size, -1), "order")
    sources = (population.source, release.source)
    wider = Linkage(relations, *records, unknown, sources)
    for name, read in relations.items():
        kept = linkage.relations[name].kept & read.own.keys()
        wider = with_kept_where_possible(wider, name, kept, names)
    return wider


def _require(
    tables: Sequence[CodedTable], policy: Policy, names: Sequence[str]
) -> None:
    """Raises InputError for columns that a table lacks, and for those that have empty
    texts beside missing cells.

    Whoever has the tables tells these apart, and as one value they would make
    candidates of records that are none.
    """
    problems: Problems = []
    for table in tables:
        problems += table.require(names)
    if problems:
        raise InputError(problems)

    for table in tables:
        problems += both_kinds(policy, table, names)
    if problems:
        raise InputError(problems)


def relations_between(
    original: CodedTable,
    release: CodedTable,
    policy: Policy,
    names: Sequence[str],
    origin: str = "original",
    infer: Infer = inferred,
) -> tuple[dict[str, MaskingRelation], dict[str, Hierarchy]]:
    """What each released value of each column can come from, and the hierarchies that
    say so.

    Columns of which nothing is declared are read by the mappings that explain the
    release.  Raises InputError.
    """
    problems: Problems = []
    paths = hierarchies(policy, release, original, problems)
    original, release = _emptied(original), _emptied(release)
    relations: dict[str, MaskingRelation] = {}
    unread: dict[str, tuple[Problem, ...]] = {}
    for name in names:
        masking = policy.masking.get(name, PLAIN)
        problems += _missing(release, name, policy, masking)
        try:
            relations[name] = relation(
                name,
                original.columns[name],
                release.columns[name],
                masking,
                policy.types.get(name, TEXT),
                paths.get(name),
                release.source,
                origin,
            )
        except InputError as error:
            # Not reported yet: a mapping that nobody declared may explain the column.
            unread[name] = error.problems

    reported = list(chain.from_iterable(unread.values()))
    # what is declared must be true; a population has no order of rows to infer from
    declared = any(name in policy.masking for name in unread)
    if problems or declared or (unread and origin != "original"):
        raise InputError([*problems, *reported])
    if unread:
        columns = tuple(unread)
        try:
            relations |= infer(original, release, policy, columns, relations, paths)
        except InputError:
            what = "no one mapping of the original values explains the release, either"
            hint = (
                "give the columns [hierarchies], or say under [masking] what was done"
            )
            last = Problem(release.source, what, hint)
            raise InputError([*reported, last]) from None

    return relations, paths


def _missing(
    release: CodedTable, name: str, policy: Policy, masking: Masking
) -> list[Problem]:
    """What is said of missing cells where the policy takes them for errors."""
    allowed = policy.missing != "error" or "" in masking.suppressed
    missing = 0 if allowed else release.columns[name].missing()
    if not missing:
        return []
    what = f'{are_missing(missing, name)}, and the policy says missing = "error"'
    hint = (
        f"where they are suppressed, write [masking] {toml_key(name)} = {{suppressed ="
        ' ["*", ""]}'
    )
    return [Problem(release.source, what, hint)]


def _emptied(table: CodedTable) -> CodedTable:
    """The table with empty texts as missing cells."""
    columns: dict[str, CodedColumn] = {}
    for name, column in table.columns.items():
        # With the empty text, "missing" may be there twice: both become one code.
        labels = [label or None for label in column.labels]
        merged = merge_labels(column.codes, labels)
        columns[name] = CodedColumn(*merged, column.counts)
    return CodedTable(table.source, columns, table.rows)
