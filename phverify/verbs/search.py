"""``search``: read, count once, search, and hand over the release with its
certificate.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phverify.budget import Deadline, Tell, deadline_of
from phverify.errors import InputError, Problem, Problems, nearest, refusal
from phverify.generalization.answer import answered
from phverify.generalization.judge import CandidateJudge
from phverify.generalization.loop import LeastSearch
from phverify.generalization.master import master
from phverify.generalization.options import (
    Number,
    Options,
    nameable,
    options,
    unordered,
)
from phverify.generalization.parts import parts, pseudonyms
from phverify.generalization.priced import PricedSearch
from phverify.generalization.pricing import Pricing
from phverify.generalization.refute import Refuter
from phverify.generalization.released import aligned
from phverify.generalization.result import SearchResult
from phverify.generalization.rows_later import RowsLater
from phverify.generalization.space import cost
from phverify.generalization.space import space as search_space
from phverify.given import (
    refuse,
    wrong_mapping,
    wrong_progress,
    wrong_switches,
    wrong_word,
)
from phverify.microdata.files import piped
from phverify.microdata.hierarchy import (
    GivenHierarchies,
    Hierarchy,
    read_hierarchy,
    validated,
)
from phverify.microdata.table import CodedTable
from phverify.policy.bind import bind
from phverify.policy.bind import hierarchies as hierarchies_of
from phverify.policy.cautions import missing_quasi, mistakable
from phverify.policy.model import Policy, PolicySource, beside, examine
from phverify.policy.origins import present, typed
from phverify.spec.spaces import WHOLE, by_default
from phverify.verbs.counted_input import search_engine, started
from phverify.verbs.files import naming_inputs
from phverify.verbs.reasons import with_reasons
from phverify.words import plural, toml_string

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
    engine: str = "auto",
    redact: bool = False,
    explain: bool = False,
    charge_withheld: bool = False,
    progress: Tell = lambda step: None,
) -> SearchResult:
    """The least generalization of a table that satisfies a policy, proved to be it.

    ``hierarchies`` (by column: a file, or a Hierarchy) stand beside those of the
    policy; a text column without one is kept or suppressed.  ``space`` is levels,
    subtrees, intervals or partitions; ``objective`` height, precision, loss, entropy,
    discernibility, class-size or ambiguity; ``suppress`` the largest share of records
    that may be withheld; ``weights`` count some columns more than others (default 1).
    ``all_minimal`` lists every minimal level vector.  ``budget`` is in seconds; when it
    runs out, or on Ctrl-C, the best candidate so far is returned, not proved to be the
    least.
    ``shuffle`` is the seed of a new order of the released rows; without one they keep
    theirs.  ``engine`` is pandas (all rows in memory), duckdb (rows are counted where
    they are: files of CSV, Parquet, Arrow, SQLite and DuckDB, which may be larger than
    memory, and frames of Arrow) or auto, by the size of the table; rows are read all
    the same where the policy names individuals or records.  ``redact`` leaves
    confidential values out of what is said.  ``explain`` says for each column which
    class breaks a rule when it is one step finer, and where nothing fits how far each
    rule has to give way.  ``charge_withheld``: by loss and precision each withheld
    record loses 1 in every column; else it costs what it would released.

    Raises InputError with all problems of the input, columns without a role among them,
    and Defect when phverify contradicts itself.
    """
    refuse(
        wrong_mapping("hierarchies", hierarchies, '{"zip": "zip.csv"}'),
        wrong_word("space", space, "levels"),
        wrong_word("objective", objective, "loss"),
        wrong_mapping("weights", weights, '{"zip": 2}'),
        wrong_switches(
            all_minimal=all_minimal,
            redact=redact,
            explain=explain,
            charge_withheld=charge_withheld,
        ),
        wrong_progress(progress),
    )
    if space == "tuples":
        hint = "ph.anonymize(table, policy=.., budget=60)"
        raise refusal("space", "releases by tuples are found by anonymize", hint)
    used = search_engine(engine)
    time_left = deadline_of(budget)
    asked = input_of(table, policy, used, progress)
    rules = asked.policy
    chosen = options(
        rules,
        space,
        objective,
        suppress,
        weights,
        all_minimal,
        shuffle,
        charge_withheld,
    )
    chosen = replace(chosen, redact=redact, explain=explain)
    given = hierarchies or {}

    progress("counting classes")
    began = time.perf_counter()
    loop = prepared(rules, asked.coded, given, chosen, time_left, progress)
    if asked.counted and names_anybody(loop):
        # Who is on which row is asked of rows that are here.
        asked = asked.by_rows()
        loop = prepared(rules, asked.coded, given, chosen, time_left, progress)

    def searching(other: Policy, limit: Deadline) -> LeastSearch:
        return prepared(other, asked.coded, given, chosen, limit, progress)

    answer = answered(loop, chosen, asked.source, began)
    answer = with_reasons(answer, loop, chosen, searching)
    result = replace(
        answer,
        given=asked.given,
        columns_wanted=rules.named,
        notes=(*asked.coded.notes, *_defaults(loop)),
        warnings=(*_cautions(loop, redact), *answer.warnings),
    )
    return naming_inputs(result, asked.given, policy)


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
    table: TableSource, policy: PolicySource, engine: str, progress: Tell
) -> SearchInput:
    """Read a table and its policy; rows stay where they are if ``engine`` counts them.

    Raises InputError with what is wrong with either, columns without a role among it.
    """
    rules, problems = examine(policy)
    progress("reading")
    given = piped(table)  # a pipe is read once, for its cells and for its SHA-256
    coded, later = started(given, rules, engine)
    there(rules, coded, beside(policy, problems, coded.columns))
    without_role(rules, coded)
    return SearchInput(given, rules, later, coded)


def names_anybody(loop: LeastSearch) -> bool:
    """Whether the policy names individuals, or records by their numbers."""
    judge = loop.refuter.judge
    return bool(judge.parts.people or pseudonyms(judge.bound))


def _defaults(loop: LeastSearch) -> Iterator[str]:
    """What was chosen for columns of which the policy says too little."""
    for name in by_default(loop.space, loop.refuter.judge.paths):
        yield (
            f"no hierarchy for {name!r}: its values are kept, or become * (name one"
            " under [hierarchies] for steps between)"
        )


def _cautions(loop: LeastSearch, redact: bool) -> Iterator[str]:
    """What to know of the cells of the table before sanitization."""
    judge = loop.refuter.judge
    columns = judge.bound.release.columns
    yield from missing_quasi(judge.policy, columns, partial(_missing, loop))
    yield from mistakable(judge.policy, columns, redact)


def _missing(loop: LeastSearch, name: str) -> str:
    """What a missing cell of a column may become."""
    kinds = {scheme.name: scheme.kind for scheme in loop.space.schemes}
    hierarchies = loop.refuter.judge.paths
    if kinds[name] == "partitions":
        return "a missing cell is a value of its own, grouped like any other"
    along = kinds[name] in ("levels", "subtrees") and name in hierarchies
    if along and "" in hierarchies[name].paths:
        return "the line of the hierarchy whose value is empty says what it becomes"
    said = (
        "a missing cell is a value of its own, which joins others only where all values"
        " of the column are made one"
    )
    return f"{said}; a line of the hierarchy for an empty value changes that"


def prepared(
    policy: Policy,
    table: CodedTable,
    given: GivenHierarchies,
    options: Options,
    deadline: Deadline,
    progress: Tell,
) -> LeastSearch:
    """Everything up to the first candidate.

    Hierarchies, the space, counts, the parts of the policy, costs.  Raises InputError.
    """
    readable(policy, table)
    paths = hierarchies_for(policy, table, given)
    columns = {name: table.column(name) for name in policy.quasi}
    space = search_space(options.space, policy, columns, paths)
    # codes in the order of the schemes: a candidate is then one look-up
    table = aligned(table, space)
    bound = bind(policy, table, None, paths=paths, unsanitized=True)
    # rounded down: never more than the share
    records = int(options.share * table.rows)
    # Before any search: these questions have no answer.
    nameable(policy, table, bound, records, options.shuffle)
    unordered(bound, policy)
    cut = parts(bound, records, paths, deadline)
    judge = CandidateJudge(policy, table, bound, space, cut, paths)
    # What is no sum over cells is looked for among all candidates, by their height.
    objective = "height" if options.objective in WHOLE else options.objective
    quotient = bound.release.quotient
    occurrences = {name: quotient.occurrences(name) for name in policy.quasi}
    prices = cost(space, objective, occurrences, options.weights, table.rows)
    refuter = Refuter(judge, records, LEARNED[options.space], deadline, prices.weights)
    proposer = master(space, prices, records > 0)
    kind = PricedSearch if options.priced else LeastSearch
    pricing = None
    if options.priced or options.objective in WHOLE:
        pricing = Pricing(judge, options.objective, options.weights)
    return kind(space, prices, proposer, refuter, deadline, progress, pricing=pricing)


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
