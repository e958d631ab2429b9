"""``search --space tuples``: the best release by tuples, with a certified gap."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from phverify.budget import Deadline, Tell, deadline_of
from phverify.generalization.options import Number, record_sample
from phverify.generalization.parts import pseudonyms
from phverify.given import refuse, wrong_mapping, wrong_progress, wrong_watch
from phverify.microdata.hierarchy import GivenHierarchies, Hierarchy
from phverify.microdata.table import CodedTable
from phverify.policy.cautions import missing_quasi, mistakable
from phverify.policy.model import Policy, PolicySource
from phverify.recoding.answer import recoded
from phverify.recoding.counted_space import countable
from phverify.recoding.options import (
    DEFAULTS,
    TuplesAsked,
    TupleSettings,
    time_limit,
)
from phverify.recoding.posed import PosedRecoding, pose
from phverify.recoding.result import RecodingResult, Standing
from phverify.recoding.warm import preparing, warm_up
from phverify.spec.recoding import TupleRecoding
from phverify.verbs.by_levels import released_by_levels
from phverify.verbs.counted_input import in_order, search_engine
from phverify.verbs.files import naming_inputs
from phverify.verbs.search_input import (
    hierarchies_for,
    input_of,
    readable,
    telling_left_out,
    typed_first,
)

if TYPE_CHECKING:
    from phverify.microdata.read import TableSource


def recode(
    table: TableSource,
    policy: PolicySource,
    hierarchies: GivenHierarchies | None = None,
    settings: TupleSettings = DEFAULTS,
    *,
    engine: str = "auto",
    sample: Number | None = None,
    seed: int | None = None,
    budget: float | None = None,
    progress: Tell = lambda step: None,
    watch: Callable[[Standing], None] = lambda standing: None,
    known: RecodingResult | None = None,
) -> RecodingResult:
    """The best release by tuples that is found in time, and a bound on all others.

    One function maps quasi-identifier tuples to boxes that hold them: nodes of the
    ``hierarchies``, else ranges of ordered types, else the value or ``*``.  The search
    ends at the gap of the ``settings``, (cost - bound) / cost, or after ``budget``
    seconds (60 where neither is given), or on Ctrl-C, with the best release so far.
    ``engine``, ``sample`` and ``seed`` are those of ``search``.  ``watch`` is told each
    better release and bound.  ``known`` is the answer for a stricter policy, from whose
    release the search may start.

    Raises InputError with all problems of the input, and Defect when phverify
    contradicts itself.
    """
    refuse(
        wrong_mapping("hierarchies", hierarchies, '{"zip": "zip.csv"}'),
        settings.wrong_kinds(),
        wrong_progress(progress),
        wrong_watch(watch),
    )
    typed_first(settings.wrong(), policy, settings.asked)
    used = search_engine(engine)
    started = time.monotonic()
    time_left = deadline_of(time_limit(budget, settings.gap))
    drawn = record_sample(sample, seed)
    read = input_of(table, policy, used, progress, drawn)
    rules = read.policy
    # In the order of the rows: the same table gives the same release, however it was
    # read.
    read = replace(read, coded=in_order(read.coded))
    asked = settings.asked(rules)
    readable(rules, read.coded)
    paths = hierarchies_for(rules, read.coded, hierarchies or {})
    posing = partial(_posed, rules, paths, asked, settings, time_left)

    progress("counting tuples")
    with telling_left_out(read):
        posed = posing(read.coded)
    if read.counted and _needs_rows(posed):
        read = read.by_rows()
        posed = posing(read.coded)

    # Input that is wrong is told before functions are compiled.
    started, time_left = _once_compiled(started, time_left, progress)
    start = _start(known, settings)
    poorer = partial(
        released_by_levels, posed, settings, hierarchies or {}, time_left, progress
    )
    asking = (time_left, started, progress, watch)
    answer = recoded(posed, read.source, *asking, start, poorer)
    result = replace(
        answer,
        given=read.given,
        sample=read.coded.sample,
        columns_wanted=rules.named,
        notes=(*read.coded.notes, *answer.notes),
        warnings=(*_cautions(posed, settings.redact), *answer.warnings),
    )
    return naming_inputs(result, read.given, policy)


def _start(
    known: RecodingResult | None, settings: TupleSettings
) -> TupleRecoding | None:
    """The release of another answer that a search may start from."""
    # Of blind classes nothing is chosen by what their values say.
    if known is None or known.shown is None or settings.blind:
        return None
    return known.shown.recoding


def _posed(
    policy: Policy,
    paths: Mapping[str, Hierarchy],
    asked: TuplesAsked,
    settings: TupleSettings,
    time_left: Deadline,
    table: CodedTable,
) -> PosedRecoding:
    """The question about a table, whose rows are here or counted elsewhere."""
    shuffle, redact = settings.shuffle, settings.redact
    return pose(policy, table, paths, asked, shuffle, redact, time_left)


def _once_compiled(
    started: float, time_left: Deadline, progress: Tell
) -> tuple[float, Deadline]:
    """The start and the time left, as if nothing had to be compiled.

    That happens once, and the clock stands still meanwhile.
    """
    stopped, rest = time.monotonic(), time_left.paused()
    progress(preparing())
    warm_up()
    return started + time.monotonic() - stopped, rest()


def _needs_rows(posed: PosedRecoding) -> bool:
    """Whether the policy is about single rows, which a count does not know."""
    bound = posed.posed.bound
    # Who is on which row is asked of rows that are here.
    if posed.posed.parts.people or pseudonyms(bound):
        return True
    return not (countable(posed.rules) and countable(posed.steering))


def _cautions(posed: PosedRecoding, redact: bool) -> tuple[str, ...]:
    """What to know of the cells of the table before sanitization."""
    release = posed.posed
    columns = release.bound.release.columns
    kinds = {side.name: type(side).__name__ for side in posed.space.sides}
    missing = missing_quasi(release.policy, columns, partial(_missing, kinds))
    return (*missing, *mistakable(release.policy, columns, redact))


def _missing(kinds: Mapping[str, str], name: str) -> str:
    """What a missing cell of a column may become."""
    if kinds[name] == "RangeSide":
        return "a missing cell is a value of its own, which joins others only as *"
    return (
        "a missing cell is a value of its own, which joins others only where all values"
        " of the column are made one; a line of the hierarchy for an empty value"
        " changes that"
    )
