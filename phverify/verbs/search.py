"""``search``: read, count once, hunt, and hand over the release with its
certificate.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from phverify.budget import Deadline, Tell, deadline_of
from phverify.errors import InputError, Problem, Problems, nearest, refusal
from phverify.generalization.answer import answered
from phverify.generalization.hunt import Hunt
from phverify.generalization.judge import Judge
from phverify.generalization.master import master
from phverify.generalization.options import (
    Number,
    Options,
    nameable,
    options,
    unordered,
)
from phverify.generalization.parts import parts
from phverify.generalization.refute import Critic
from phverify.generalization.released import aligned
from phverify.generalization.result import SearchResult
from phverify.generalization.space import cost
from phverify.generalization.space import space as search_space
from phverify.microdata.hierarchy import (
    GivenHierarchies,
    Hierarchy,
    read_hierarchy,
    sound,
)
from phverify.microdata.read import opened, read
from phverify.microdata.table import Table
from phverify.policy.bind import bind, present, typed
from phverify.policy.bind import hierarchies as hierarchies_of
from phverify.policy.model import Policy, PolicySource, beside, examine
from phverify.verbs.files import naming

if TYPE_CHECKING:
    from phverify.microdata.read import TableSource

LEARNED = {"levels": 3, "subtrees": 24, "intervals": 24, "partitions": 24}
"""Clauses learned from one candidate at most."""


def search(
    table: TableSource,
    policy: PolicySource,
    hierarchies: GivenHierarchies | None = None,
    space: str = "levels",
    objective: str = "loss",
    suppress: Number = 0,
    weights: Mapping[str, Number] | None = None,
    *,
    all_minimal: bool = False,
    budget: float | None = None,
    shuffle: int | None = None,
    redact: bool = False,
    progress: Tell = lambda step: None,
) -> SearchResult:
    """The least generalization of a table that satisfies a policy, proved to be the
    least.

    ``hierarchies`` (by column: a file, or a Hierarchy) stand beside those of the
    policy.  ``space`` is levels, subtrees, intervals or partitions; ``objective``
    height, precision, loss or discernibility; ``suppress`` the largest share of records
    that may be withheld; ``weights`` count some columns more than others (default 1).
    ``all_minimal`` lists every minimal level vector.  ``budget`` is in seconds; when it
    runs out, or on Ctrl-C, the best candidate so far is returned, not proved to be the
    least.  ``shuffle`` is the seed of a new order of the released rows; without one
    they keep theirs.  ``redact`` leaves confidential values out of what is said.

    Raises InputError with all problems of the input, and Defect when phverify
    contradicts itself.
    """
    time_left = deadline_of(budget)
    rules, problems = examine(policy)
    progress("reading")
    source = opened(
        table, "table"
    )  # a Parquet file as its DataFrame, whose types the release keeps
    read_table = read(source, rules.named, "table" if source is table else str(table))
    there(rules, read_table, beside(policy, problems, read_table.columns))
    chosen = options(rules, space, objective, suppress, weights, all_minimal, shuffle)
    chosen = replace(chosen, redact=redact)
    progress("counting classes")
    started = time.perf_counter()
    hunt = prepared(rules, read_table, hierarchies or {}, chosen, time_left, progress)
    result = answered(hunt, chosen, source, started)
    make = result.make_certificate
    return (
        result
        if make is None
        else replace(
            result, make_certificate=lambda: naming(make(), table=table, policy=policy)
        )
    )


def prepared(
    policy: Policy,
    table: Table,
    given: GivenHierarchies,
    options: Options,
    deadline: Deadline,
    progress: Tell,
) -> Hunt:
    """Everything up to the first candidate: hierarchies, space, counts, the parts of
    the policy, costs.
    """
    readable(policy, table)
    paths = hierarchies_for(policy, table, given)
    columns = {name: table.column(name) for name in policy.quasi}
    found = search_space(options.space, policy, columns, paths)
    table = aligned(table, found)
    bound = bind(policy, table, None, paths=paths)
    records = int(options.share * table.rows)
    nameable(policy, table, bound, records, options.shuffle)
    unordered(bound, policy)
    judge = Judge(
        policy, table, bound, found, parts(bound, records, paths, deadline), paths
    )
    objective = "height" if options.objective == "discernibility" else options.objective
    occurrences = {
        name: bound.release.quotient.occurrences(name) for name in policy.quasi
    }
    prices = cost(found, objective, occurrences, options.weights, table.rows)
    critic = Critic(judge, records, LEARNED[options.space], deadline, prices.weights)
    return Hunt(
        found, prices, master(found, prices, records > 0), critic, deadline, progress
    )


def readable(policy: Policy, table: Table) -> None:
    """Columns that are not there, cells that do not fit their types or their column.
    Raises InputError.
    """
    there(policy, table)
    problems: Problems = []
    typed(policy, table, policy.missing, problems)
    if problems:
        raise InputError(problems)


def there(policy: Policy, table: Table, known: Iterable[Problem] = ()) -> None:
    """Raises InputError for columns that are not there; an identifier that is misspelt
    would be published.

    What is ``known`` to be wrong with the policy is told with them.
    """
    problems = [*known]
    if policy.identifier is not None and policy.identifier not in table.columns:
        what = f"the identifier {policy.identifier!r} is no column of {table.source}"
        hint = nearest(policy.identifier, table.columns, "its columns")
        problems.append(Problem(f"{policy.source}, columns.identifier", what, hint))
    present(policy, table, problems)


def hierarchies_for(
    policy: Policy, table: Table, given: GivenHierarchies
) -> dict[str, Hierarchy]:
    """The hierarchies of a search: those given, those of the policy.  Raises
    InputError.
    """
    problems: Problems = []
    for name in given:
        if name not in policy.quasi:
            hint = nearest(name, policy.quasi, "quasi-identifiers")
            problems.append(
                Problem("hierarchies", f"{name!r} is no quasi-identifier", hint)
            )
    own = replace(
        policy,
        hierarchies={n: h for n, h in policy.hierarchies.items() if n not in given},
    )
    found = hierarchies_of(own, table, table, problems)
    for name, source in given.items():
        try:
            found[name] = _hierarchy(name, source)
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return found


def _hierarchy(name: str, source: object) -> Hierarchy:
    """A hierarchy given by the caller: an object, examined like a file, or the path of
    a file.
    """
    if isinstance(source, Hierarchy):
        found = sound(source.source, [*source.paths.values()])
        if list(found.paths) != list(source.paths):
            raise refusal(
                source.source, "a path starts with another value than its own"
            )
        return source
    if not isinstance(source, str | PathLike):
        raise refusal(
            f"hierarchies, {name}",
            f"is a path or a Hierarchy, not {type(source).__name__}",
        )
    return read_hierarchy(Path(source))
