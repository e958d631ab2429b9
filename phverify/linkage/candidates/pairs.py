"""Two tables and a policy become a linkage: which released value can come from which,
and who comes from whom.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from phverify.errors import InputError, Problem, Problems
from phverify.linkage.candidates.inferred import inferred
from phverify.linkage.candidates.masking import Relation, relation
from phverify.linkage.candidates.sets import Linkage
from phverify.linkage.candidates.truth import Truth, true_records
from phverify.microdata.hierarchy import Hierarchy
from phverify.microdata.table import Column, Table, merge_labels
from phverify.policy.bind import hierarchies
from phverify.policy.masking import PLAIN
from phverify.policy.model import Policy
from phverify.spec.types import TEXT
from phverify.words import are_missing


def linkage_of(
    original: Table, release: Table, policy: Policy, attributes: Iterable[str] = ()
) -> Linkage:
    """Link a release with its original over the quasi-identifiers, the attributes
    named, and what both tables have.

    Raises InputError for columns that are missing, released cells that say nothing, and
    records that cannot come from the original that they come from: then the release is
    no masking of it.
    """
    wanted = {*policy.quasi, *attributes}
    _present((original, release), [name for name in policy.columns if name in wanted])
    both = set(original.columns) & set(release.columns)
    names = [name for name in policy.columns if name in wanted | both]
    relations, paths = _relations(original, release, policy, names)
    truth = true_records(original, release, policy, relations, paths)
    return Linkage(
        relations, original.rows, release.rows, truth, (original.source, release.source)
    )


def population_of(
    population: Table, release: Table, policy: Policy, attributes: Sequence[str]
) -> Linkage:
    """A release with a population that it is a sample of: candidates there, no true
    records.

    Raises InputError as ``linkage_of`` does, but for the true records.
    """
    names = [name for name in policy.columns if name in attributes]
    _present((population, release), names)
    relations, _ = _relations(population, release, policy, names, "population")
    unknown = Truth(np.full(release.rows, -1), "order")
    return Linkage(
        relations,
        population.rows,
        release.rows,
        unknown,
        (population.source, release.source),
    )


def _present(tables: Sequence[Table], names: Sequence[str]) -> None:
    problems = [problem for table in tables for problem in table.require(names)]
    if problems:
        raise InputError(problems)


def _relations(
    original: Table,
    release: Table,
    policy: Policy,
    names: Sequence[str],
    origin: str = "original",
) -> tuple[dict[str, Relation], dict[str, Hierarchy]]:
    """What each released value of each column can come from, and the hierarchies that
    say so.

    Columns of which nothing is declared are read by the mappings that explain the
    release.  Raises InputError.
    """
    problems: Problems = []
    paths = hierarchies(policy, release, original, problems)
    original, release = _emptied(original), _emptied(release)
    found: dict[str, Relation] = {}
    unread: dict[str, tuple[Problem, ...]] = {}
    for name in names:
        before, after = original.columns[name], release.columns[name]
        masking, kind = policy.masking.get(name, PLAIN), policy.types.get(name, TEXT)
        missing = (
            after.missing()
            if policy.missing == "error" and "" not in masking.suppressed
            else 0
        )
        if missing:
            what = (
                f'{are_missing(missing, name)}, and the policy says missing = "error"'
            )
            hint = (
                f"where they are suppressed, write [masking] {name} = {{suppressed ="
                ' ["*", ""]}'
            )
            problems.append(Problem(release.source, what, hint))
        try:
            found[name] = relation(
                name,
                before,
                after,
                masking,
                kind,
                paths.get(name),
                release.source,
                origin,
            )
        except InputError as error:
            unread[name] = error.problems
    told = [problem for some in unread.values() for problem in some]
    if problems or any(
        name in policy.masking or origin != "original" for name in unread
    ):
        raise InputError([*problems, *told])
    if unread:
        try:
            found |= inferred(original, release, policy, tuple(unread), found, paths)
        except InputError:
            what = "no one mapping of the original values explains the release, either"
            hint = (
                "give the columns [hierarchies], or say under [masking] what was done"
            )
            raise InputError([*told, Problem(release.source, what, hint)]) from None
    return found, paths


def _emptied(table: Table) -> Table:
    """The table with empty texts as missing cells."""
    columns = {
        name: Column(
            *merge_labels(column.codes, [label or None for label in column.labels])
        )
        for name, column in table.columns.items()
    }
    return Table(table.source, columns, table.rows)
