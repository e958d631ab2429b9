"""What a search is given: the table with its policy, roles and hierarchies."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phverify.budget import Tell
from phverify.errors import InputError, Problem, Problems, nearest, refusal
from phverify.generalization.rows_later import RowsLater, SampledRows
from phverify.microdata.files import piped
from phverify.microdata.hierarchy import (
    GivenHierarchies,
    Hierarchy,
    read_hierarchy,
    validated,
)
from phverify.microdata.read import read
from phverify.microdata.table import CodedTable
from phverify.policy.bind import hierarchies as hierarchies_of
from phverify.policy.model import Policy, PolicySource, beside, examine
from phverify.policy.typed_columns import present, typed
from phverify.spec.sampling import RecordSample
from phverify.verbs.counted_input import started
from phverify.words import plural, toml_string

if TYPE_CHECKING:
    from phverify.microdata.read import TableSource


@dataclass(frozen=True, eq=False)
class SearchInput:
    """The table of a search, as it was ``given`` and ``coded``, with its policy."""

    given: Any
    policy: Policy
    later: RowsLater
    coded: CodedTable

    @property
    def counted(self) -> bool:
        """Whether the rows stay where they are."""
        return self.coded.elsewhere is not None

    @property
    def source(self) -> Any:
        """What a release is made from: the rows, or what reads them later."""
        # A Parquet file becomes the DataFrame whose types the release keeps.
        return self.later if self.counted else self.later.source

    def by_rows(self) -> SearchInput:
        """The same with all rows in memory.  Raises InputError."""
        return replace(self, coded=self.later.table)


def input_of(
    table: TableSource,
    policy: PolicySource,
    engine: str,
    progress: Tell,
    sample: RecordSample | None = None,
) -> SearchInput:
    """Read a table and its policy; rows stay where they are if ``engine`` counts them
    and no ``sample`` of them is drawn.

    Raises InputError with what is wrong with either, columns without a role among it.
    """
    rules, problems = examine(policy)
    progress("reading")
    given = piped(table)  # a pipe is read once, for its cells and for its SHA-256
    coded, later = started(given, rules, engine, sample)
    there(rules, coded, beside(policy, problems, coded.columns))
    without_role(rules, coded)
    return SearchInput(given, rules, later, coded)


def typed_first(
    wrong: Problems, policy: PolicySource, posing: Callable[[Policy], object]
) -> None:
    """Raises InputError for what is ``wrong`` with what was typed, before anything is
    said of a policy.

    Where the policy is right, ``posing`` the question says all that is wrong with it.
    """
    if not wrong:
        return
    rules, problems = examine(policy)
    if not problems:
        posing(rules)
    raise InputError(wrong)


@contextmanager
def telling_left_out(asked: SearchInput) -> Iterator[None]:
    """Say of individuals whom a sample left out that it did: the table knows them."""
    try:
        yield
    except InputError as error:
        name = asked.policy.identifier
        if not isinstance(asked.later, SampledRows) or name is None:
            raise
        whole = read(asked.later.whole, asked.policy.named, "table").column(name)
        unknown = {f"unknown individual {label!r}" for label in whole.labels}
        problems = []
        for problem in error.problems:
            # Of a formula its place comes first, and its text in the lines below.
            first, _, _ = problem.what.partition("\n")
            _, _, said = first.rpartition(": ")
            if said in unknown:
                hint = "the sample left them out: draw another one, or all records"
                problem = replace(problem, hint=hint)
            problems.append(problem)
        raise InputError(problems) from None


def readable(policy: Policy, table: CodedTable) -> None:
    """Raises InputError for columns that are not there, and cells that do not fit their
    types.
    """
    there(policy, table)
    problems: Problems = []
    typed(policy, table, policy.missing, problems)
    if problems:
        raise InputError(problems)


def there(policy: Policy, table: CodedTable, known: Iterable[Problem] = ()) -> None:
    """Raises InputError for columns that are not there.

    An identifier that is misspelt would be published.  What is ``known`` to be wrong
    with the policy is said with them.
    """
    problems = [*known]
    if policy.identifier is not None and policy.identifier not in table.columns:
        what = f"the identifier {policy.identifier!r} is no column of {table.source}"
        hint = nearest(policy.identifier, table.columns, "its columns")
        problems.append(Problem(f"{policy.source}, columns.identifier", what, hint))
    present(policy, table, problems)


def without_role(policy: Policy, table: CodedTable) -> None:
    """Raises InputError for columns without a role, a number of rows for example.

    They would be published unchanged, and nothing that is proved would be about them.
    """
    loose = [name for name in table.columns if name not in policy.named]
    if not loose:
        return
    listed = ", ".join(map(repr, loose))
    verb = "has" if len(loose) == 1 else "have"
    what = (
        f"{plural(len(loose), 'column')} of {table.source} {verb} no role: {listed}"
        " would be published unchanged, outside every rule"
    )
    neutral = ", ".join(map(toml_string, (*policy.neutral, *loose)))
    hint = (
        "leave what is not to be published out of the table; for the rest, say under"
        f" [columns]: neutral = [{neutral}]"
    )
    if "" in loose:
        hint += (
            "\nthe column '' has no name: it may be an index (pandas leaves it out with"
            " to_csv(.., index=False))"
        )
    # Of a first look, which has no file, the roles are options.
    if policy.source == Policy.source:
        columns = shlex.quote(",".join(loose))
        hint += f"\nor with options: --neutral {columns}, --identifier for who it is"
    raise refusal(f"{policy.source}, [columns]", what, hint)


def hierarchies_for(
    policy: Policy, table: CodedTable, given: GivenHierarchies
) -> dict[str, Hierarchy]:
    """The hierarchies of a search: those given, and those of the policy.

    Raises InputError.
    """
    problems: Problems = []
    for name in given:
        if name not in policy.quasi:
            hint = nearest(name, policy.quasi, "quasi-identifiers")
            what = f"{name!r} is no quasi-identifier"
            problems.append(Problem("hierarchies", what, hint))
    others = {n: said for n, said in policy.hierarchies.items() if n not in given}
    own = replace(policy, hierarchies=others)
    # The table is not yet sanitized: builders must fit its values.
    loaded = hierarchies_of(own, table, table, problems)
    for name, source in given.items():
        try:
            loaded[name] = _hierarchy(name, source)
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return loaded


def _hierarchy(name: str, source: object) -> Hierarchy:
    """A hierarchy given by the caller: an object, validated like a file, or its path.

    Raises InputError.
    """
    if isinstance(source, Hierarchy):
        # An object may have been made by hand, and is held to what a file is.
        again = validated(source.source, [*source.paths.values()])
        if list(again.paths) != list(source.paths):
            what = "a path starts with another value than its own"
            raise refusal(source.source, what)
        return source
    if not isinstance(source, str | PathLike):
        what = f"is a path or a Hierarchy, not {type(source).__name__}"
        raise refusal(f"hierarchies, {name}", what)
    return read_hierarchy(Path(source))
