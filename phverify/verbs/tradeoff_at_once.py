"""Points of a tradeoff that are decided together: all numbers of a rule are searched at
once, and a search of each by itself is made when its answer is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial

from phverify.budget import Deadline, Tell
from phverify.errors import BudgetExceeded, Defect
from phverify.generalization.at_once import AtOnce, at_once
from phverify.generalization.counted_before import CountedBefore
from phverify.generalization.counted_candidate import CountedCandidate
from phverify.generalization.explored import Explored
from phverify.generalization.fitting import Fitting
from phverify.generalization.loop import LeastSearch
from phverify.generalization.neighbours import SearchesBeside
from phverify.generalization.offered import INTERRUPTED
from phverify.generalization.options import Options
from phverify.generalization.released import RecodedGroups, RecodedRows, decided_anew
from phverify.generalization.result import SearchResult
from phverify.microdata.hierarchy import GivenHierarchies
from phverify.verbs.files import naming_inputs
from phverify.verbs.prepared_search import prepared
from phverify.verbs.search import cautions, defaults, least_release
from phverify.verbs.search_input import SearchInput, telling_left_out
from phverify.verbs.tradeoff_answers import LATER, untold
from phverify.verbs.tradeoff_result import PointAnswer, TradeoffPoint
from phverify.verbs.varied import VariedRule
from phverify.verification.result import Report
from phverify.verification.run import shown_as

PARTS = 2
"""One of so many parts of the time is for all points together: what is left open is
searched point by point.
"""


@dataclass(frozen=True, eq=False)
class PointsAtOnce:
    """The points that are decided together.

    ``asked`` is the table with the policy that has the least strict number.
    """

    rule: VariedRule
    asked: SearchInput
    chosen: Options
    given: GivenHierarchies
    counted: CountedBefore
    prepared: list[LeastSearch]
    """The search for the least strict number, up to its first candidate, once it is
    there.
    """

    def decided(
        self, deadline: Deadline, tell: Tell
    ) -> tuple[dict[int, TradeoffPoint], str]:
        """As many points as there is time for, by their places, and whether that was
        interrupted.
        """
        points: dict[int, TradeoffPoint] = {}
        try:
            found = self._searched(deadline, tell)
            if found is None:
                return {}, ""
            for place, point in _Decided(self, found, deadline).points():
                points[place] = point
            # Answers that are made later count again what they need.
            found.forget()
        except BudgetExceeded:
            return points, ""
        except KeyboardInterrupt:
            return points, INTERRUPTED
        return points, found.stopped if found.stopped == INTERRUPTED else ""

    def _searched(self, deadline: Deadline, tell: Tell) -> AtOnce | None:
        """The search for all numbers, its bounds proved again; None where there is
        none.  Raises BudgetExceeded.
        """
        deadline.check()
        left = deadline.left()
        searching = deadline if left is None else deadline.within(left / PARTS)
        found = at_once(
            self._prepared(searching, tell),
            self.rule.name,
            self.rule.parameter,
            self.rule.values,
        )
        if found is not None:
            found.run()
            tell("proving the lower bounds")
            found.confirm()
        return found

    def _prepared(self, deadline: Deadline, tell: Tell) -> LeastSearch:
        """The search for the least strict number, up to its first candidate."""
        asked = self.asked
        with telling_left_out(asked):
            search = prepared(
                asked.policy, asked.coded, self.given, self.chosen, deadline, tell
            )
        judge = search.refuter.judge
        schemes = search.space.schemes
        if self.counted.serves(judge.finest, schemes, judge.paths):
            search.refuter.judge = replace(judge, counted=self.counted)
        self.prepared.append(search)
        return search


@dataclass(frozen=True, eq=False)
class _Decided:
    """The points of numbers that were searched at once."""

    asked: PointsAtOnce
    found: AtOnce
    deadline: Deadline

    def points(self) -> Iterator[tuple[int, TradeoffPoint]]:
        """Each decided point with its place, the strictest first."""
        least = self.found.least
        if self.found.ended:
            yield from self._infeasible(len(least))
        own = len(least)
        recoded = None
        for place in reversed(range(len(least))):
            if own == len(least) or not _same(least[own], least[place]):
                own = place
                view = least[place].finding.view
                assert view is not None
                # Numbers that are next to each other often have one candidate.
                if recoded is None or recoded.view is not view:
                    recoded = self._recoded(view)
                # What a stricter number releases satisfies each less strict one.
                checks = self._checked(place, recoded)
            yield place, self._optimal(place, own, checks)

    def _recoded(self, view: CountedCandidate) -> RecodedRows | RecodedGroups:
        """What a candidate makes of all rows, of which equal ones stand once."""
        judge = self.found.varying.judge
        if judge.table.elsewhere is None:
            return RecodedGroups(judge, view)
        return RecodedRows(judge, view)

    def _infeasible(self, first: int) -> Iterator[tuple[int, TradeoffPoint]]:
        values = self.asked.rule.values
        for place in range(first, len(values)):
            if place == first:
                found = self._answer(place, (), None)
                point = TradeoffPoint(
                    values[place], "infeasible", searched=True, found=found
                )
            else:
                reason = (
                    f"there is none for {self.asked.rule.parameter} ="
                    f" {values[first]}, which is less strict"
                )
                point = TradeoffPoint(values[place], "infeasible", reason=reason)
            yield place, point

    def _checked(self, place: int, recoded: RecodedRows | RecodedGroups) -> Report:
        """Every rule decided anew for the release of a number, as ``verify`` does it.

        Raises BudgetExceeded.
        """
        best = self.found.least[place]
        judge = self.found.varying.judge
        rule = self.asked.rule
        own = replace(judge, policy=rule.policy_at(rule.values[place]))
        self.found.search.progress("checking the released tables")
        _, _, checks = decided_anew(
            own,
            recoded,
            best.finding.withheld,
            self.deadline.at_least(LATER),
            shown_as(judge.policy, self.asked.chosen.redact),
        )
        if checks.rows + best.withheld_rows != judge.table.rows:
            raise Defect("the released table has not the records that were counted")
        return checks

    def _optimal(self, place: int, own: int, checks: Report) -> TradeoffPoint:
        values = self.asked.rule.values
        best = self.found.least[place]
        cost = self.found.search.fraction(best.total)
        return TradeoffPoint(
            values[place],
            "optimal",
            cost=cost,
            bound=cost,
            classes=checks.classes,
            suppressed=best.withheld_rows,
            taken=None if own == place else values[own],
            searched=own == place,
            confirmed=True,
            found=self._answer(place, checks.warnings, best),
        )

    # The search of one number by itself

    def _answer(
        self, place: int, warnings: tuple[str, ...], best: Fitting | None
    ) -> PointAnswer:
        """The answer of a number, made when it is looked at."""
        chosen, search = self.asked.chosen, self.found.search
        explored = Explored(search, chosen.weights, chosen.redact, True, best)
        notes, cautioned = self.said
        make = partial(self._alone, place, self.deadline.paused())
        return PointAnswer(make, explored, notes, (*cautioned, *warnings))

    @cached_property
    def said(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The notes and warnings of all numbers."""
        search = self.found.search
        notes = *self.asked.asked.coded.notes, *defaults(search)
        return notes, tuple(cautions(search, self.asked.chosen.redact))

    def _alone(self, place: int, time_left: Callable[[], Deadline]) -> SearchResult:
        """A search for one number, which looks at its best candidate and at what was
        ruled out first: all that it says it has found out itself.

        Raises Defect where it says something else.
        """
        asked, found = self.asked, self.found
        policy = asked.rule.policy_at(asked.rule.values[place])
        best = found.least[place] if place < len(found.least) else None
        first = [] if best is None else [best.candidate]
        first += found.ruled_out(place)
        answer = least_release(
            replace(asked.asked, policy=policy),
            asked.chosen,
            asked.given,
            time_left().at_least(LATER),
            untold,
            SearchesBeside(found.search, None, asked.counted, first),
        )
        if answer.verdict != "undecided":
            cost = None if best is None else found.search.fraction(best.total)
            rows = 0 if best is None else best.withheld_rows
            if (answer.cost, answer.suppressed) != (cost, rows):
                raise Defect("a search for one number says something else than for all")
        return naming_inputs(answer, asked.asked.given, policy)


def _same(one: Fitting, other: Fitting) -> bool:
    """Whether two candidates release the same: of one candidate, for a stricter number
    as many records are withheld only where they are the same ones.
    """
    if one is other:
        return True
    if one.withheld_rows != other.withheld_rows:
        return False
    alike = one.candidate == other.candidate
    return bool(alike.all())
