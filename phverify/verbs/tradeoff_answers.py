"""What the searches of a tradeoff answer, and for which other numbers their releases
may be taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from phverify.budget import Deadline, Tell
from phverify.errors import BudgetExceeded, Defect, InputError, Problems
from phverify.generalization.offered import INTERRUPTED
from phverify.generalization.result import SearchResult
from phverify.microdata.hierarchy import Hierarchies
from phverify.microdata.quotient import quotient
from phverify.microdata.table import CodedTable
from phverify.policy.bind import bind, hierarchies
from phverify.policy.model import Policy
from phverify.recoding.result import RecodingResult
from phverify.spec.released import by_number
from phverify.verbs.tradeoff_result import PointAnswer, PointVerdict, TradeoffPoint
from phverify.verbs.verify import verify
from phverify.verification.run import decided

OPEN = ("proved", "undecided")
"""Verdicts of points of which more could be known."""
LATER = 10.0
"""Seconds for an answer that is looked at when all points are there, at least."""
Answer = SearchResult | RecodingResult


@dataclass(frozen=True)
class AnswersBeside:
    """The nearest answers to a less strict and to a stricter number; None without."""

    laxer: Answer | None
    stricter: Answer | None
    first: Answer | None = None
    """An answer whose release is known to satisfy the policy: it is looked at first."""


Search = Callable[[Policy, float | None, Tell, AnswersBeside], Answer]
"""A search for a policy, in so many seconds, which starts with what others know."""
AtOnce = Callable[[Deadline, Tell], tuple[dict[int, TradeoffPoint], str]]
"""Points that are decided together, by their places; and why that stopped, "" where
others may be searched.
"""


def nothing_at_once(
    deadline: Deadline, tell: Tell
) -> tuple[dict[int, TradeoffPoint], str]:
    """No point is decided together with others."""
    return {}, ""


def untold(step: str) -> None:
    """What is made when it is looked at has nobody who is told its steps."""


def satisfies(answer: Answer, policy: Policy, deadline: Deadline) -> bool:
    """Whether every rule of another number's policy is proved of a release."""
    if answer.suppressed and by_number(policy):
        # Among the released records individuals have other numbers.
        return False
    # What is grouped in other ways is not along the hierarchies.
    others = {}
    for name, source in policy.hierarchies.items():
        if name not in policy.quasi:
            others[name] = source
    with _read_once(answer) as (release, known):
        verdict = _verdict(release, policy, known, deadline)
        if not verdict:
            own = replace(policy, hierarchies=others)
            verdict = _verdict(release, own, known, deadline)
    return verdict == "proved"


def smallest_class(answer: Answer | None) -> int | None:
    """The records of the smallest released class; None where rows are not here."""
    if not isinstance(answer, SearchResult):
        return None
    judged = answer.judged
    if judged is None or judged.elsewhere is not None or not judged.rows:
        return None
    quasi = tuple(answer.mapping)
    counted = quotient(judged.columns, quasi, (), judged.rows)
    smallest = counted.sizes.min()
    return int(smallest)


def _verdict(
    release: Any, policy: Policy, known: Hierarchies, deadline: Deadline
) -> str:
    """What is known of all rules of a release; "" where it cannot be judged."""
    try:
        if isinstance(release, CodedTable):
            return _decided(release, policy, known, deadline)
        return verify(release, policy, budget=deadline).verdict
    except (InputError, BudgetExceeded):
        return ""


def _decided(
    release: CodedTable, policy: Policy, known: Hierarchies, deadline: Deadline
) -> str:
    """What ``verify`` says of a release that is here: files of hierarchies that are
    known are not read again.  Raises InputError and BudgetExceeded.
    """
    paths, others = {}, {}
    for name, source in policy.hierarchies.items():
        if name in known and known[name].source == str(source):
            paths[name] = known[name]
        else:
            others[name] = source
    problems: Problems = []
    own = replace(policy, hierarchies=others)
    paths |= hierarchies(own, release, None, problems)
    bound = bind(policy, release, None, known=problems, paths=paths)
    return decided(bound, policy.source, release.source, deadline).verdict


@contextmanager
def _read_once(answer: Answer) -> Iterator[tuple[Any, Hierarchies]]:
    """A release as ``verify`` reads it, and the hierarchies of its search: where its
    rows are here, as it was judged.
    """
    if isinstance(answer, SearchResult) and answer.explored is not None:
        judged = answer.judged
        if judged is not None and judged.elsewhere is None:
            yield judged, answer.explored.judge.paths
            return
    with answer.kept() as release:
        yield release, {}


# What an answer makes of a point


def point_of(value: Fraction, answer: Answer, seconds: float) -> TradeoffPoint:
    """What a search says of its number."""
    searched = TradeoffPoint(
        value,
        "infeasible",
        searched=True,
        seconds=seconds,
        reason=answer.reason,
        found=PointAnswer.of(answer),
    )
    if answer.verdict == "infeasible":
        return searched
    # By tuples the bound is verified at the end of each search.
    confirmed = isinstance(answer, RecodingResult) or answer.verdict == "optimal"
    checks = answer.checks if answer.cost is not None else None
    return weighed(
        searched,
        cost=answer.cost,
        bound=answer.bound,
        confirmed=confirmed,
        classes=0 if checks is None else checks.classes,
        suppressed=answer.suppressed,
    )


@dataclass(frozen=True, eq=False)
class OwnSearch:
    """The search for the number of a ``point`` that has the release of another one, the
    ``donor``: made when the answer is looked at, whose certificate is about the policy
    with this number, where the search ends with this release.
    """

    point: TradeoffPoint
    donor: TradeoffPoint
    policy: Policy
    search: Search
    beside: AnswersBeside
    time_left: Callable[[], Deadline]

    def answer(self) -> Answer:
        """What the search says; what that of the donor says where it finds less, or
        another release that costs as much.

        Raises Defect where the two contradict each other.
        """
        limit = self.time_left().at_least(LATER)
        found = self.search(self.policy, limit.left(), untold, self.beside)
        least, few = self.point.cost, self.point.suppressed
        if found.cost is None or least is None:
            if found.verdict == "infeasible":
                raise Defect("a release satisfies a policy that nothing satisfies")
            return self._donors()
        if self.point.bound is not None and found.cost < self.point.bound:
            raise Defect("a release costs less than what nothing is below")
        if (found.cost, found.suppressed) > (least, few):
            return self._donors()
        # What is said of the point is about the release that it has.
        if PointAnswer.of(found).utility != self.donor.utility:
            return self._donors()
        return found

    def _donors(self) -> Answer:
        answer: Answer = self.donor.answer
        return answer

    def found(self) -> PointAnswer:
        """The answer, made when it is looked at; the release is known before."""
        released = self.donor.found
        assert released is not None
        return replace(released, make=self.answer, released=released)


def interrupted(answer: Answer) -> bool:
    """Whether Ctrl-C ended a search, or what came after it."""
    if answer.reason.startswith(INTERRUPTED):
        return True
    if not isinstance(answer, SearchResult) or answer.explored is None:
        return False
    # A release that loses nothing is the least, however its search ended.
    return answer.explored.search.stopped == INTERRUPTED


def improvable(point: TradeoffPoint) -> bool:
    """Whether a longer search could better a point."""
    if point.verdict not in OPEN:
        return False
    answer = point.answer
    if isinstance(answer, RecodingResult) and answer.wanted is not None:
        return not answer.reached
    return point.verdict in OPEN


def better(first: TradeoffPoint, again: TradeoffPoint) -> TradeoffPoint:
    """The better of two searches of one number: its release, and the higher bound."""
    if again.verdict not in OPEN:
        return again
    best = first
    if again.cost is not None and (first.cost is None or again.cost <= first.cost):
        best = again
    bounds = [one.bound for one in (first, again) if one.confirmed]
    highest = max((one for one in bounds if one is not None), default=None)
    if highest is None or (best.bound is not None and best.bound >= highest):
        return best
    return weighed(best, bound=highest, confirmed=True)


def weighed(point: TradeoffPoint, **changes: Any) -> TradeoffPoint:
    """A point with something changed, and the verdict that cost and bound make.

    Raises Defect for a bound above a cost.
    """
    point = replace(point, **changes)
    cost, bound = point.cost, point.bound
    verdict: PointVerdict = "proved"
    if cost is None:
        verdict = "undecided"
    elif bound is not None and bound > cost:
        raise Defect("a release costs less than what nothing is below")
    elif bound == cost and point.confirmed:
        verdict = "optimal"
    reason = "" if verdict == "optimal" else point.reason
    return replace(point, verdict=verdict, reason=reason)
