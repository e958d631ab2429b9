"""``search``: read, count once, search, and hand over the release with its
certificate.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from phverify.budget import Deadline, Tell, deadline_of
from phverify.errors import refusal
from phverify.generalization.answer import answered
from phverify.generalization.loop import LeastSearch
from phverify.generalization.neighbours import SearchesBeside
from phverify.generalization.options import (
    USUAL,
    Number,
    Options,
    options,
    record_sample,
    wrong_question,
)
from phverify.generalization.parts import pseudonyms
from phverify.generalization.result import SearchResult
from phverify.given import (
    refuse,
    wrong_mapping,
    wrong_progress,
    wrong_switches,
    wrong_word,
)
from phverify.microdata.hierarchy import GivenHierarchies
from phverify.policy.cautions import missing_quasi, mistakable
from phverify.policy.model import Policy, PolicySource
from phverify.spec.spaces import by_default
from phverify.verbs.counted_input import search_engine
from phverify.verbs.files import naming_inputs
from phverify.verbs.poorer_spaces import SearchesBefore
from phverify.verbs.prepared_search import prepared
from phverify.verbs.reasons import with_reasons
from phverify.verbs.search_input import (
    SearchInput,
    input_of,
    telling_left_out,
    typed_first,
)

if TYPE_CHECKING:
    from phverify.microdata.read import TableSource


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
    posing = partial(
        options,
        space=space,
        objective=objective,
        suppress=suppress,
        weights=weights,
        all_minimal=all_minimal,
        shuffle=shuffle,
        charge=charge_withheld,
    )
    weighed = bool(weights)
    wrong = wrong_question(
        space, objective, suppress, weighed, all_minimal, charge_withheld
    )
    typed_first(wrong, policy, posing)
    used = search_engine(engine)
    time_left = deadline_of(USUAL if budget is None else budget)
    drawn = record_sample(sample, seed)
    asked = input_of(table, policy, used, progress, drawn)
    chosen = posing(asked.policy)
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

    # Before anything is found: who interrupts it loses nothing.
    notes = *asked.coded.notes, *defaults(loop)
    cautioned = tuple(cautions(loop, chosen.redact))
    helped = neighbours is None
    before = SearchesBefore(asked.coded, given, progress, helped)
    others = before.stricter(rules, chosen)
    others.reserve(loop)
    before.begin(loop, rules, chosen)
    if neighbours is not None:
        neighbours.begin(loop)
    answer = answered(loop, chosen, asked.source, began, others)
    answer = with_reasons(answer, loop, chosen, searching)
    return replace(
        answer,
        given=asked.given,
        sample=asked.coded.sample,
        columns_wanted=rules.named,
        notes=notes,
        warnings=(*cautioned, *answer.warnings),
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
