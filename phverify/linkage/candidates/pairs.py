"""Two tables and a policy become a linkage: which released value can come from which, and who comes from whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from phverify.errors import InputError, Problem, nearest
from phverify.linkage.candidates.inferred import inferred
from phverify.linkage.candidates.masking import Relation, relation
from phverify.linkage.candidates.sets import Linkage
from phverify.linkage.candidates.truth import Truth, true_records
from phverify.microdata.hierarchy import Hierarchy
from phverify.microdata.table import Column, Table, merge_labels
from phverify.policy.bind import hierarchies
from phverify.policy.masking import PLAIN, Masking
from phverify.policy.model import Policy
from phverify.spec.types import TEXT


def linkage_of(original: Table, release: Table, policy: Policy, attributes: Iterable[str] = ()) -> Linkage:
    """Link a release with its original over the quasi-identifiers, the attributes named, and what both tables have.

    Raises InputError for columns that are missing, released cells that say nothing, and records that cannot come
    from the original that they come from: then the release is no masking of it.
    """
    names = _names(original, release, policy, attributes)
    paths, problems = _hierarchies(policy, original, release)
    relations = _relations(original, release, policy, names, paths, problems)
    truth = true_records(original, release, policy, relations, paths)
    return Linkage(relations, original.rows, release.rows, truth, (original.source, release.source))


def population_of(population: Table, release: Table, policy: Policy, attributes: Sequence[str]) -> Linkage:
    """A release with a population that it is a sample of: candidates there, no true records.

    Raises InputError as ``linkage_of`` does, but for the true records.
    """
    names = tuple(name for name in policy.columns if name in attributes)
    _present((population, release), names)
    paths, problems = _hierarchies(policy, population, release)
    relations = _relations(population, release, policy, names, paths, problems, "population")
    unknown = Truth(np.full(release.rows, -1), "order")
    return Linkage(relations, population.rows, release.rows, unknown, (population.source, release.source))


def _names(original: Table, release: Table, policy: Policy, attributes: Iterable[str]) -> tuple[str, ...]:
    """Quasi-identifiers and attributes named must be in both tables; other columns are compared where they are."""
    wanted = {*policy.quasi, *attributes}
    needed = tuple(name for name in policy.columns if name in wanted)
    _present((original, release), needed)
    both = set(original.columns) & set(release.columns)
    return tuple(name for name in policy.columns if name in wanted or name in both)


def _present(tables: Sequence[Table], names: Sequence[str]) -> None:
    problems = [
        Problem(table.source, f"there is no column {name!r}", nearest(name, table.columns, "its columns"))
        for table in tables
        for name in names
        if name not in table.columns
    ]
    if problems:
        raise InputError(problems)


def _hierarchies(policy: Policy, original: Table, release: Table) -> tuple[dict[str, Hierarchy], list[Problem]]:
    problems: list[Problem] = []
    return hierarchies(policy, release, original, problems), problems


def _relations(
    original: Table,
    release: Table,
    policy: Policy,
    names: Sequence[str],
    paths: dict[str, Hierarchy],
    problems: list[Problem],
    origin: str = "original",
) -> dict[str, Relation]:
    found: dict[str, Relation] = {}
    unread: dict[str, tuple[Problem, ...]] = {}
    for name in names:
        before, after = _emptied(original.columns[name]), _emptied(release.columns[name])
        masking, kind = policy.masking.get(name, PLAIN), policy.types.get(name, TEXT)
        problems += _missing(policy, name, masking, after, release.source)
        try:
            found[name] = relation(name, before, after, masking, kind, paths.get(name), release.source, origin)
        except InputError as error:
            unread[name] = error.problems
    declared = [name for name in unread if name in policy.masking or origin != "original"]
    if problems or declared:
        raise InputError([*problems, *(problem for name in unread for problem in unread[name])])
    return {**found, **_inferred(original, release, policy, unread, found, paths)}


def _inferred(
    original: Table,
    release: Table,
    policy: Policy,
    unread: Mapping[str, Sequence[Problem]],
    found: Mapping[str, Relation],
    paths: Mapping[str, Hierarchy],
) -> Mapping[str, Relation]:
    """Columns of which nothing is declared, by the mappings that explain the release.  Raises InputError."""
    if not unread:
        return {}
    name = policy.identifier
    shared = () if name is None or name not in original.columns or name not in release.columns else (name,)
    both = (*unread, *found, *shared)
    try:
        return inferred(_cells(original, both), _cells(release, both), tuple(unread), found, paths, name, policy.rows)
    except InputError:
        what = "no one mapping of the original values explains the release, either"
        said = Problem(release.source, what, "give the columns [hierarchies], or say under [masking] what was done")
        raise InputError([*(problem for problems in unread.values() for problem in problems), said]) from None


def _cells(table: Table, names: Sequence[str]) -> Table:
    return Table(table.source, {name: _emptied(table.columns[name]) for name in names}, table.rows)


def _missing(policy: Policy, name: str, masking: Masking, after: Column, where: str) -> list[Problem]:
    if policy.missing != "error" or not after.missing() or "" in masking.suppressed:
        return []
    what = f'{after.missing()} cells of {name!r} are missing, and the policy says missing = "error"'
    hint = f'where they are suppressed, write [masking] {name} = {{suppressed = ["*", ""]}}'
    return [Problem(where, what, hint)]


def _emptied(column: Column) -> Column:
    """The column with empty texts as missing cells."""
    if "" not in column.labels:
        return column
    return Column(*merge_labels(column.codes, [label or None for label in column.labels]))
