"""``tradeoff``: what each number of a rule costs, from a search for each."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from phverify.budget import Deadline, Tell, deadline_of
from phverify.errors import Problem, Problems, refusal
from phverify.exact import Bools
from phverify.generalization.counted_before import ROOM, CountedBefore
from phverify.generalization.loop import LeastSearch
from phverify.generalization.neighbours import SearchesBeside
from phverify.generalization.options import (
    USUAL,
    Number,
    Options,
    number,
    options,
    record_sample,
    share,
    wrong_question,
)
from phverify.generalization.result import SearchResult
from phverify.given import (
    entries,
    listed,
    refuse,
    wrong_mapping,
    wrong_progress,
    wrong_switches,
    wrong_word,
)
from phverify.microdata.files import piped
from phverify.microdata.hierarchy import GivenHierarchies
from phverify.policy.model import (
    Policy,
    PolicySource,
    beside,
    examine,
    without_problems,
)
from phverify.recoding.options import DEFAULTS, TupleSettings, time_limit
from phverify.recoding.result import RecodingResult
from phverify.verbs.counted_input import search_engine, started
from phverify.verbs.files import naming_inputs
from phverify.verbs.search import least_release
from phverify.verbs.search_input import input_of
from phverify.verbs.tradeoff_answers import Answer, AnswersBeside
from phverify.verbs.tradeoff_at_once import PointsAtOnce
from phverify.verbs.tradeoff_points import TradeoffSearch
from phverify.verbs.tradeoff_result import Tradeoff, TradeoffPoint
from phverify.verbs.varied import VariedRule, varied

if TYPE_CHECKING:
    from phverify.generalization.rows_later import RowsLater
    from phverify.microdata.read import TableSource

OF_TUPLES = ("cells", "disjoint", "gap", "ranges", "blind", "publish")
"""What only releases by tuples have."""


def tradeoff(
    table: TableSource,
    policy: PolicySource,
    hierarchies: GivenHierarchies | None = None,
    *,
    k: str | Sequence[int] | None = None,
    l: str | Sequence[Number] | None = None,  # noqa: E741
    t: str | Sequence[Number] | None = None,
    space: str = "levels",
    objective: str = "loss",
    suppress: Number = 0,
    weights: Mapping[str, Number] | None = None,
    charge_withheld: bool = False,
    cells: Number = 1,
    disjoint: bool = False,
    gap: Number | None = None,
    ranges: Sequence[str] = (),
    blind: int = 0,
    publish: str = "range",
    engine: str = "auto",
    sample: Number | None = None,
    seed: int | None = None,
    budget: float | None = None,
    redact: bool = False,
    progress: Tell = lambda step: None,
) -> Tradeoff:
    """What privacy costs: the best release for each number of one rule.

    One of ``k``, ``l`` and ``t`` says the numbers: ``"2..100"``, ``"2,5,10"``, or a
    list.  The policy has one rule with such a number; all else stays.  ``space`` is
    that of ``search``, or tuples; all else is as there, and as for ``anonymize``.  The
    ``budget`` is in seconds, for all points together (for tuples 60 where neither it
    nor a ``gap`` is given); a point that is not reached says so.  ``engine`` is that of
    ``search``: rows are counted, or read, once for all points, and so is a ``sample``
    drawn, which all points are about.

    Raises InputError, and Defect when phverify contradicts itself.
    """
    refuse(
        wrong_mapping("hierarchies", hierarchies, '{"zip": "zip.csv"}'),
        wrong_word("space", space, "levels"),
        wrong_word("objective", objective, "loss"),
        wrong_mapping("weights", weights, '{"zip": 2}'),
        wrong_switches(
            disjoint=disjoint, redact=redact, charge_withheld=charge_withheld
        ),
        wrong_progress(progress),
    )
    settings = TupleSettings(
        objective=objective,
        suppress=suppress,
        weights=weights,
        cells=cells,
        disjoint=disjoint,
        gap=gap,
        ranges=ranges,
        blind=blind,
        publish=publish,
        redact=redact,
    )
    # What would have no effect is refused, not passed over.
    if space != "tuples":
        refuse(_of_tuples(settings))
    elif charge_withheld:
        what = "is for the space levels: by tuples withheld records cost nothing"
        raise refusal("charge-withheld", what, "leave it out, or search levels")
    refuse(iter(_wrong(settings, space, charge_withheld)))
    began = time.monotonic()
    used = search_engine(engine)
    rules, problems = examine(policy)
    progress("reading")
    drawn = record_sample(sample, seed)
    coded, later = started(piped(table), rules, used, drawn)
    # Once for all points: their policies differ in one number.
    without_problems(rules, beside(policy, problems, coded.columns))
    rule = varied(rules, {"k": k, "l": l, "t": t})

    limit = budget
    if space == "tuples":
        _prepare(progress)
        limit = time_limit(budget, gap)
    one = _PointSearch(later, hierarchies, settings, space, charge_withheld)
    points = TradeoffSearch(rule, one.best, deadline_of(limit), progress)
    points.fewest = space != "tuples"
    if space == "levels":
        points.at_once = partial(one.at_once, rule)
    points.run()
    # Answers keep their searches: what these had in common is not needed any more.
    one.counted.clear()
    wanted = None if gap is None else number("gap", gap, [])
    found = points.result(space, objective, coded.rows, wanted, began)
    withheld = share("suppress", suppress, "records", [])
    # Where nothing may be withheld nothing is charged, as a search says, too.
    charged = charge_withheld and withheld > 0
    return replace(found, sample=coded.sample, charged=charged)


def _wrong(settings: TupleSettings, space: str, charge: bool) -> Problems:
    """What is wrong with what was typed, whatever the policy is."""
    if space == "tuples":
        return settings.wrong()
    weighed = bool(settings.weights)
    objective, suppress = settings.objective, settings.suppress
    return wrong_question(space, objective, suppress, weighed, False, charge)


def _prepare(progress: Tell) -> None:
    """Compile what a search by tuples runs, before any clock."""
    from phverify.recoding.warm import preparing, warm_up

    progress(preparing())
    warm_up()


@dataclass(frozen=True, eq=False)
class _PointSearch:
    """What the searches for all points have in common."""

    table: RowsLater
    """Read, or counted, once."""
    hierarchies: GivenHierarchies | None
    settings: TupleSettings
    space: str
    charge: bool = False
    """Whether a withheld record loses 1 in every column."""
    counted: CountedBefore = field(default_factory=lambda: CountedBefore(ROOM))
    prepared: list[LeastSearch] = field(default_factory=list)
    """A search that has not begun, once there is one."""

    def best(
        self, policy: Policy, seconds: float | None, tell: Tell, beside: AnswersBeside
    ) -> Answer:
        """The best release for the policy of one point."""
        settings = self.settings
        if self.space == "tuples":
            # It needs a compiler, which the other spaces do not wait for.
            from phverify.verbs.tuples import recode

            return recode(
                self.table,
                policy,
                self.hierarchies,
                settings,
                budget=seconds,
                progress=tell,
                known=_recoded(beside.first or beside.stricter),
            )
        asked = input_of(self.table, policy, "auto", tell)
        chosen = self._options(policy)
        limit = deadline_of(USUAL if seconds is None else seconds)
        laxer, stricter = _search_of(beside.laxer), _search_of(beside.stricter)
        if laxer is None and self.prepared:
            # It has ruled nothing out, and has read what all need.
            [laxer] = self.prepared
        first = _best_of(beside.first)
        known = SearchesBeside(laxer, stricter, self.counted, first)
        given = self.hierarchies or {}
        found = least_release(asked, chosen, given, limit, tell, known)
        return naming_inputs(found, asked.given, policy)

    def at_once(
        self, rule: VariedRule, deadline: Deadline, tell: Tell
    ) -> tuple[dict[int, TradeoffPoint], str]:
        """The points that are decided together."""
        policy = rule.policy_at(rule.values[0])
        asked = input_of(self.table, policy, "auto", tell)
        chosen = self._options(policy)
        given = self.hierarchies or {}
        together = PointsAtOnce(rule, asked, chosen, given, self.counted, self.prepared)
        return together.decided(deadline, tell)

    def _options(self, policy: Policy) -> Options:
        """What each search in a space of columns is asked for."""
        settings = self.settings
        chosen = options(
            policy,
            self.space,
            settings.objective,
            settings.suppress,
            settings.weights,
            all_minimal=False,
            shuffle=None,
            charge=self.charge,
        )
        return replace(chosen, redact=settings.redact)


def _recoded(answer: Answer | None) -> RecodingResult | None:
    return answer if isinstance(answer, RecodingResult) else None


def _search_of(answer: Answer | None) -> LeastSearch | None:
    """The search behind an answer."""
    if isinstance(answer, SearchResult) and answer.explored is not None:
        return answer.explored.search
    return None


def _best_of(answer: Answer | None) -> list[Bools]:
    """The candidate that an answer found, to be looked at first."""
    if not isinstance(answer, SearchResult) or answer.explored is None:
        return []
    best = answer.explored.best
    return [] if best is None else [best.candidate]


def _of_tuples(settings: TupleSettings) -> Iterator[Problem]:
    """What is given that only releases by tuples have."""
    for name in OF_TUPLES:
        value = getattr(settings, name)
        unsaid = getattr(DEFAULTS, name)
        empty = listed(value) and not list(entries(value))
        if not empty and (type(value) is not type(unsaid) or value != unsaid):
            what = "is about releases by tuples"
            yield Problem(name, what, 'space="tuples"')
