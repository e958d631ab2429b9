"""``search``: read, count once, search, and hand over the release with its
certificate.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from phverify.budget import Deadline, Tell, deadline_of
from phverify.errors import InputError, refusal
from phverify.generalization.answer import answered
from phverify.generalization.budgeted import budgeted
from phverify.generalization.compared import ComparedCriteria
from phverify.generalization.embedded import embedded
from phverify.generalization.judge import CandidateJudge
from phverify.generalization.loop import LeastSearch
from phverify.generalization.master import master
from phverify.generalization.neighbours import SearchesBeside
from phverify.generalization.offered import StricterSearches
from phverify.generalization.options import (
    USUAL,
    Number,
    Options,
    nameable,
    options,
    record_sample,
    unordered,
)
from phverify.generalization.parts import parts, pseudonyms
from phverify.generalization.priced import PricedSearch
from phverify.generalization.pricing import Pricing
from phverify.generalization.refute import Refuter
from phverify.generalization.released import aligned
from phverify.generalization.result import SearchResult
from phverify.generalization.shortest import shortest
from phverify.generalization.space import cost
from phverify.generalization.space import space as search_space
from phverify.given import (
    refuse,
    wrong_mapping,
    wrong_progress,
    wrong_switches,
    wrong_word,
)
from phverify.microdata.hierarchy import GivenHierarchies, Hierarchies, Hierarchy
from phverify.microdata.table import CodedTable
from phverify.policy.bind import bind
from phverify.policy.cautions import missing_quasi, mistakable
from phverify.policy.model import Policy, PolicySource
from phverify.spec.spaces import WHOLE, Cost, by_default, keep_or_suppress
from phverify.verbs.counted_input import search_engine
from phverify.verbs.files import naming_inputs
from phverify.verbs.reasons import with_reasons
from phverify.verbs.search_input import (
    SearchInput,
    hierarchies_for,
    input_of,
    readable,
    telling_left_out,
)
from phverify.verbs.stricter import stricter_searches

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
    sample: Number | None = None,
    seed: int | None = None,
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
    ``all_minimal`` lists every minimal level vector.  ``budget`` is in seconds, 600
    where none is given; when it runs out, or on Ctrl-C, the best candidate so far is
    returned, not proved to be the least.  ``shuffle`` is the seed of a new order of the
    released rows; without one they keep theirs.  ``engine`` is pandas (all rows in
    memory), duckdb (rows are counted where they are: files of CSV, Parquet, Arrow,
    SQLite and DuckDB, which may be larger than memory, and frames of Arrow) or auto, by
    the size of the table; rows are read all the same where the policy names individuals
    or records.  ``sample`` is a share of the records that a ``seed`` draws (one is
    chosen where none is given): all else is about them alone, their number rounded
    down.  ``redact`` leaves confidential values out of what is said.  ``explain`` says
    for each column which class breaks a rule when it is one step finer, and where
    nothing fits how far each rule has to give way.  ``charge_withheld``: by loss and
    precision each withheld record loses 1 in every column; else it costs what it would
    released.

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
    time_left = deadline_of(USUAL if budget is None else budget)
    drawn = record_sample(sample, seed)
    asked = input_of(table, policy, used, progress, drawn)
    chosen = options(
        asked.policy,
        space,
        objective,
        suppress,
        weights,
        all_minimal,
        shuffle,
        charge_withheld,
    )
    chosen = replace(chosen, redact=redact, explain=explain)
    result = least_release(asked, chosen, hierarchies or {}, time_left, progress)
    return naming_inputs(result, asked.given, policy)


def least_release(
    asked: SearchInput,
    chosen: Options,
    given: GivenHierarchies,
    time_left: Deadline,
    progress: Tell,
    neighbours: SearchesBeside | None = None,
) -> SearchResult:
    """The least release, once the question is checked.

    ``neighbours`` are searches for other numbers of a rule; without them stricter
    numbers are searched where this one stays open.  Raises InputError and Defect.
    """
    rules = asked.policy
    progress("counting classes")
    began = time.perf_counter()
    known = None if neighbours is None else neighbours.of_table(asked.coded)
    with telling_left_out(asked):
        loop = prepared(rules, asked.coded, given, chosen, time_left, progress, known)
    if asked.counted and names_anybody(loop):
        # Who is on which row is asked of rows that are here.
        asked = asked.by_rows()
        loop = prepared(rules, asked.coded, given, chosen, time_left, progress)

    def searching(other: Policy, limit: Deadline) -> LeastSearch:
        return prepared(other, asked.coded, given, chosen, limit, progress)

    def told_of_stricter(step: str) -> None:
        progress(f"a stricter policy, whose release would do: {step}")

    def stricter(other: Policy, share: Fraction, limit: Deadline) -> LeastSearch:
        told = told_of_stricter
        fewer = replace(chosen, share=share)
        loop = prepared(other, asked.coded, given, fewer, limit, told)
        start_from_levels(loop, other, asked.coded, given, fewer, limit, told)
        return loop

    others = stricter_searches(rules, chosen.share, asked.coded.rows, stricter)
    if neighbours is not None:
        others = StricterSearches(())
    others.reserve(loop)
    start_from_levels(loop, rules, asked.coded, given, chosen, time_left, progress)
    if neighbours is not None:
        neighbours.begin(loop)
    answer = answered(loop, chosen, asked.source, began, others)
    answer = with_reasons(answer, loop, chosen, searching)
    return replace(
        answer,
        given=asked.given,
        sample=asked.coded.sample,
        columns_wanted=rules.named,
        notes=(*asked.coded.notes, *defaults(loop)),
        warnings=(*cautions(loop, chosen.redact), *answer.warnings),
    )


def names_anybody(loop: LeastSearch) -> bool:
    """Whether the policy names individuals, or records by their numbers."""
    judge = loop.refuter.judge
    return bool(judge.parts.people or pseudonyms(judge.bound))


def defaults(loop: LeastSearch) -> Iterator[str]:
    """What was chosen for columns of which the policy says too little."""
    for name in by_default(loop.space, loop.refuter.judge.paths):
        yield (
            f"no hierarchy for {name!r}: its values are kept, or become * (name one"
            " under [hierarchies] for steps between)"
        )


def cautions(loop: LeastSearch, redact: bool) -> Iterator[str]:
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
    known: LeastSearch | None = None,
) -> LeastSearch:
    """Everything up to the first candidate.

    Hierarchies, the space, counts, the parts of the policy, costs.  ``known`` is a
    search of the same table that differs in one number of a rule.  Raises InputError.
    """
    paths: Hierarchies
    if known is None:
        readable(policy, table)
        paths = hierarchies_for(policy, table, given)
        columns = {name: table.column(name) for name in policy.quasi}
        space = search_space(options.space, policy, columns, paths)
        # codes in the order of the schemes: a candidate is then one look-up
        table = aligned(table, space)
    else:
        before = known.refuter.judge
        paths, space, table = before.paths, before.space, before.table
    bound = bind(policy, table, None, paths=paths, unsanitized=True)
    # rounded down: never more than the share
    records = int(options.share * table.rows)
    # Before any search: these questions have no answer.
    nameable(policy, table, bound, records, options.shuffle)
    unordered(bound, policy)
    cut = parts(bound, records, paths, deadline)
    compared = ComparedCriteria.of(bound, paths, cut, records)
    judge = CandidateJudge(policy, table, bound, space, cut, paths, compared)
    prices = _prices(judge, options) if known is None else known.cost
    refuter = Refuter(judge, records, LEARNED[options.space], deadline, prices.weights)
    proposer = shortest(space, prices, cut, records)
    if proposer is not None:
        refuter.unwidened = proposer.by_intervals
    chosen = proposer or budgeted(space, prices, refuter) or master(space, prices)
    kind = PricedSearch if options.priced else LeastSearch
    pricing = None
    if options.priced or options.objective in WHOLE:
        pricing = Pricing(judge, options.objective, options.weights)
    return kind(space, prices, chosen, refuter, deadline, progress, pricing=pricing)


def _prices(judge: CandidateJudge, options: Options) -> Cost:
    """What decisions cost.  Raises InputError."""
    # What is no sum over cells is looked for among all candidates, by their height.
    objective = "height" if options.objective in WHOLE else options.objective
    occurrences, rows = judge.finest.occurrences, judge.table.rows
    return cost(judge.space, objective, occurrences, options.weights, rows)


def start_from_levels(
    loop: LeastSearch,
    policy: Policy,
    table: CodedTable,
    given: GivenHierarchies,
    options: Options,
    deadline: Deadline,
    progress: Tell,
) -> None:
    """Let a search in a richer space begin with the best release by levels: it ends
    with none that is worse.
    """
    if options.space == "levels":
        return
    poorer = by_levels(policy, table, given, options, deadline, progress)
    if poorer is None:
        return
    best = poorer.least()
    candidate = None
    if best is not None:
        candidate = embedded(poorer.space, best.candidate, loop.space)
    loop.begin(candidate, poorer.stopped)


def by_levels(
    policy: Policy,
    table: CodedTable,
    given: GivenHierarchies,
    options: Options,
    deadline: Deadline,
    progress: Tell,
) -> LeastSearch | None:
    """The search by levels for what is asked in a richer space; None where levels need
    what that does without.
    """
    everywhere = dict(given)
    for name in policy.quasi:
        # Without a hierarchy a value is kept, or becomes * as in the richer space.
        if name not in given and name not in policy.hierarchies:
            lines = keep_or_suppress(table.column(name).labels)
            everywhere[name] = Hierarchy(f"the column {name!r}", lines)
    chosen = replace(options, space="levels")
    try:
        return prepared(policy, table, everywhere, chosen, deadline, progress)
    except InputError:
        return None
