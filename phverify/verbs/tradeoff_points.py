"""The points of a tradeoff on their way: each by its own search, or by what others say.

A release for a stricter number satisfies the policy for each less strict one, which
``verify`` is asked again; a bound for a number holds for each stricter one, whose
releases are among its own.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

from phverify.budget import Deadline, Tell
from phverify.errors import Defect
from phverify.generalization.offered import INTERRUPTED
from phverify.verbs.tradeoff_answers import (
    OPEN,
    AnswersBeside,
    AtOnce,
    OwnSearch,
    Search,
    better,
    improvable,
    interrupted,
    nothing_at_once,
    point_of,
    satisfies,
    smallest_class,
    weighed,
)
from phverify.verbs.tradeoff_result import (
    Tradeoff,
    TradeoffPoint,
)
from phverify.verbs.varied import VariedRule, in_turn

LEAST = 0.05
"""Seconds that a search has at least."""
LONGER = 1.5
"""A search is tried again in so many times the seconds that it had."""
AFTER = 10.0
"""Seconds for deciding that a release of another number may be taken, at least."""


@dataclass(eq=False)
class TradeoffSearch:
    """The points on their way.

    What a search says of a number holds of stricter ones: whatever satisfies these, the
    withheld records among it, satisfies each less strict one and costs the same there.
    """

    rule: VariedRule
    search: Search
    deadline: Deadline
    progress: Tell
    at_once: AtOnce = nothing_at_once
    """Decides points together, as many as it can."""
    fewest: bool = False
    """Whether searches find the fewest records withheld of all releases that cost as
    little.
    """
    points: dict[int, TradeoffPoint] = field(default_factory=dict)
    proved: dict[tuple[int, int], bool] = field(default_factory=dict)
    """Whether the release of one point satisfies the policy of another."""
    smallest: dict[int, int | None] = field(default_factory=dict)
    """The records of the smallest class of a release, by point."""
    stopped: str = ""

    @property
    def values(self) -> tuple[Fraction, ...]:
        """From the least strict to the strictest."""
        return self.rule.values

    def run(self) -> None:
        """Search point after point, ends first; what follows from others is not
        searched.
        """
        try:
            self.points, self.stopped = self.at_once(self.deadline, self.progress)
            if len(self.points) == len(self.values):
                # Each is what it is by itself: none has anything for another one.
                return
            for place in in_turn(len(self.values)):
                if self.stopped:
                    break
                if place in self.points:
                    continue
                # A check by verify takes less time than a search.
                point = self._following(place)
                if point is None:
                    point = self._searched(place)
                if point is not None:
                    self.points[place] = point
            self._search_again()
            self._share_bounds()
            self._share_releases()
        except KeyboardInterrupt:
            self.stopped = INTERRUPTED
            # Releases are checked by verify, which may be what takes so long.
            self._share_bounds()

    def _search_again(self) -> None:
        """Search open points for longer, where others have left their time to them."""
        waiting = [place for place, point in self.points.items() if improvable(point)]
        while waiting and not self.stopped:
            left = self.deadline.left()
            point = self.points[waiting[0]]
            # In a little more time the same would be found.
            if left is None or left / len(waiting) < LONGER * point.seconds:
                return
            again = self._searched(waiting[0], len(waiting))
            if again is not None:
                self.points[waiting[0]] = better(point, again)
            waiting.pop(0)

    # A single point

    def _searched(self, place: int, waiting: int = 0) -> TradeoffPoint | None:
        """A point by its own search; None where there is no time.

        So many points are ``waiting``, this one among them; 0: all without a search.
        """
        left = self.deadline.left()
        waiting = waiting or len(self.values) - len(self.points)
        # What one search does not use is shared by those after it.
        seconds = None if left is None else left / waiting
        if seconds is not None and seconds < LEAST:
            self.stopped = f"the budget of {self.deadline.seconds:g} s ran out"
            return None
        value = self.values[place]
        step = f"{self.rule.parameter} = {value} ({waiting} to go)"
        started = time.monotonic()
        answer = self.search(
            self.rule.policy_at(value),
            seconds,
            lambda said: self.progress(f"{step}: {said}"),
            self._beside(place),
        )
        if interrupted(answer):
            self.stopped = INTERRUPTED
        return point_of(value, answer, time.monotonic() - started)

    def _beside(self, place: int) -> AnswersBeside:
        """The answers of searches for the nearest numbers on both sides."""
        laxer = stricter = None
        for other, point in sorted(self.points.items()):
            own = point.searched and point.taken is None
            if own and other < place:
                laxer = point.answer
            if own and other > place and stricter is None and point.cost is not None:
                stricter = point.answer
        return AnswersBeside(laxer, stricter)

    def _following(self, place: int) -> TradeoffPoint | None:
        """A point that others decide: infeasible, or with the cost of its bound."""
        value = self.values[place]
        # Whatever satisfies a stricter number satisfies each less strict one.
        for laxer in self._laxer(place):
            if laxer.verdict == "infeasible":
                reason = (
                    f"there is none for {self.rule.parameter} = {laxer.value}, which is"
                    " less strict"
                )
                return TradeoffPoint(value, "infeasible", reason=reason)
        bound = self._bound(place)
        for donor in self._donors(place):
            cost = self.points[donor].cost
            # Nothing is below the bound of a less strict number: this release is a
            # least one.
            least = bound is not None and cost == bound and self._few(donor, place)
            if least and self._satisfies(donor, place):
                point = TradeoffPoint(value, "undecided", confirmed=True, bound=bound)
                return self._taken(point, donor, place)
        return None

    def _few(self, donor: int, place: int) -> bool:
        """Whether no search would find a release for the same cost that withholds
        fewer records.
        """
        if not self.fewest:
            return True
        point = self.points[donor]
        known = [0]
        for laxer in self._laxer(place):
            # For a stricter number at least as many are withheld.
            if laxer.verdict == "optimal" and laxer.cost == point.cost:
                known.append(laxer.suppressed)
        return point.suppressed <= max(known)

    def _laxer(self, place: int) -> Iterator[TradeoffPoint]:
        for other in sorted(self.points):
            if other < place:
                yield self.points[other]

    def _bound(self, place: int) -> Fraction | None:
        """The best bound of less strict numbers."""
        laxer = [point for point in self._laxer(place) if point.confirmed]
        bounds = [point.bound for point in laxer]
        return max((one for one in bounds if one is not None), default=None)

    def _donors(self, place: int) -> list[int]:
        """The points with a release of their own that could be this one's, the cheapest
        first: all stricter ones, and the nearest less strict one, whose classes may be
        larger than they have to be.
        """
        own = [
            other
            for other, point in self.points.items()
            if point.cost is not None and point.taken is None and other != place
        ]
        laxer = max((other for other in own if other < place), default=place)
        priced = []
        for other in own:
            point = self.points[other]
            if other >= laxer and point.cost is not None:
                priced.append((point.cost, point.suppressed, other))
        return [other for _, _, other in sorted(priced)]

    def _satisfies(self, donor: int, place: int) -> bool:
        """Whether the release of a point satisfies the policy of another one."""
        # Verdicts are kept: the same pair is asked about again when points are
        # exchanged.
        if (donor, place) not in self.proved:
            point, value = self.points[donor], self.values[place]
            if self._too_small(donor, value):
                self.proved[donor, place] = False
                return False
            step = f"{self.rule.parameter} = {value}: checking a release of another"
            self.progress(step)
            policy = self.rule.policy_at(value)
            limit = self.deadline.at_least(AFTER)
            proved = satisfies(point.answer, policy, limit)
            self.proved[donor, place] = proved
        return self.proved[donor, place]

    def _too_small(self, donor: int, value: Fraction) -> bool:
        """Whether a release has a class of fewer than k records: each rule with a k
        asks for so many, and ``verify`` need not be asked.
        """
        if self.rule.parameter != "k":
            return False
        if donor not in self.smallest:
            answer = self.points[donor].answer
            self.smallest[donor] = smallest_class(answer)
        records = self.smallest[donor]
        return records is not None and records < value

    def _taken(self, point: TradeoffPoint, donor: int, place: int) -> TradeoffPoint:
        """A point with the release of another one."""
        other = self.points[donor]
        taken = weighed(
            point,
            cost=other.cost,
            classes=other.classes,
            suppressed=other.suppressed,
            taken=other.value,
        )
        own = OwnSearch(
            taken,
            other,
            self.rule.policy_at(point.value),
            self.search,
            replace(self._beside(place), first=other.answer),
            self.deadline.paused(),
        )
        return replace(taken, found=own.found())

    # All points

    def _share_bounds(self) -> None:
        """Give bounds to stricter points.

        Raises Defect where two points contradict each other.
        """
        for place in range(len(self.values)):
            self._bounded(place)

    def _share_releases(self) -> None:
        """Give releases to less strict points.

        Raises Defect where two points contradict each other.
        """
        for place in reversed(range(len(self.values))):
            self._improved(place)

    def _bounded(self, place: int) -> None:
        """A point with the best bound, and one for each that was not reached."""
        if place not in self.points:
            self.points[place] = self._missed(place)
        point = self.points[place]
        laxer = list(self._laxer(place))
        if any(one.verdict == "infeasible" for one in laxer):
            if point.cost is not None:
                # A proof and a release cannot both be right: neither is told.
                raise Defect("a release satisfies what nothing less strict does")
            self.points[place] = replace(point, verdict="infeasible", bound=None)
            return
        bound = self._bound(place)
        if point.verdict == "infeasible" or bound is None:
            return
        if point.bound is None or bound >= point.bound:
            self.points[place] = weighed(point, bound=bound, confirmed=True)

    def _improved(self, place: int) -> None:
        """A point with the cheapest release that satisfies its policy."""
        point = self.points[place]
        for donor in self._donors(place):
            other = self.points[donor]
            assert other.cost is not None
            # Donors come by their cost: no other one is better.
            if point.cost is not None:
                own = point.cost, point.suppressed
                if (other.cost, other.suppressed) >= own:
                    return
            if donor < place and point.verdict not in OPEN:
                # It cannot be: who is less strict and cheaper breaks the rule.
                continue
            if not self._satisfies(donor, place):
                continue
            # A proved least cost and a cheaper release contradict each other.
            cheaper = point.cost is None or other.cost < point.cost
            if cheaper and point.verdict in ("optimal", "infeasible"):
                raise Defect("a stricter release costs less than the least")
            self.points[place] = self._taken(point, donor, place)
            return

    def _missed(self, place: int) -> TradeoffPoint:
        """A point that was not reached."""
        reason = f"not searched: {self.stopped}"
        return TradeoffPoint(self.values[place], "undecided", reason=reason)

    def result(
        self,
        space: str,
        objective: str,
        rows: int,
        wanted: Fraction | None,
        started: float,
    ) -> Tradeoff:
        """All points; those that were not reached say so."""
        points = []
        for place in range(len(self.values)):
            points.append(self.points.get(place, self._missed(place)))
        notes: dict[str, None] = {}
        warnings: dict[str, None] = {}
        for point in points:
            if point.found is not None:
                notes.update(dict.fromkeys(point.found.notes))
                warnings.update(dict.fromkeys(point.found.warnings))
        return Tradeoff(
            parameter=self.rule.parameter,
            rule=self.rule.name,
            space=space,
            objective=objective,
            rows=rows,
            points=tuple(points),
            wanted=wanted,
            seconds=time.monotonic() - started,
            notes=tuple(notes),
            warnings=tuple(warnings),
        )
