"""What privacy costs: for each number of a rule the best release, and its bound."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from phverify.generalization.standing import relative_gap
from phverify.result import Result
from phverify.spec.decimals import decimal
from phverify.spec.sampling import RecordSample
from phverify.words import plural

if TYPE_CHECKING:
    from phverify.generalization.explored import Explored

LONGEST = 14
"""A number of more characters is no decimal that is easily read."""
PointVerdict = Literal["optimal", "proved", "infeasible", "undecided"]


@dataclass(frozen=True)
class PointUtility:
    """What the release of a point is still good for: 0 loss and precision is the table
    unchanged, 1 all suppressed.

    ``precision`` is None where a column has no levels.  ``discernibility`` adds up the
    squares of class sizes, a withheld record counting as the whole table;
    ``average_class`` are the released records of a class.
    """

    loss: Fraction | None
    precision: Fraction | None
    discernibility: int
    average_class: Fraction


@dataclass(frozen=True, eq=False)
class PointAnswer:
    """The answer of the search that found a release.

    ``make`` has it, or makes it when it is looked at; ``explored`` and what is to be
    said of it are known before.
    """

    make: Callable[[], Any]
    explored: Explored | None
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    released: PointAnswer | None = None
    """The answer whose release it is, where that is another number's."""

    @classmethod
    def of(cls, answer: Any) -> PointAnswer:
        """Of an answer that is there."""
        explored = getattr(answer, "explored", None)
        return cls(lambda: answer, explored, answer.notes, answer.warnings)

    @cached_property
    def answer(self) -> Any:
        """The answer, made once."""
        return self.make()

    @cached_property
    def utility(self) -> PointUtility:
        """The figures of the release."""
        if self.released is not None:
            return self.released.utility
        if self.explored is None:
            # by tuples
            measures = self.answer.measures
            return PointUtility(
                measures.loss,
                measures.precision,
                measures.discernibility,
                measures.average_class,
            )
        costs = self.explored.costs()
        sizes = self.explored.sizes()
        return PointUtility(
            costs.get("loss"),
            costs.get("precision"),
            int(costs["discernibility"]),
            Fraction(sum(sizes), max(len(sizes), 1)),
        )


@dataclass(frozen=True, eq=False)
class TradeoffPoint:
    """The best release for one number.

    ``verdict``: optimal (a release keeps every rule, and none costs less), proved (a
    release keeps every rule; none costs less than ``bound``), infeasible (none keeps
    every rule), undecided (``reason`` says why).  ``taken``: the release is that of
    this other number, and keeps the rules of this one.  ``searched``: the number was
    searched.  ``confirmed``: the bound was verified apart from the search that found
    it.  ``answer`` is what a search says that finds the release.
    """

    value: Fraction
    verdict: PointVerdict
    cost: Fraction | None = None
    bound: Fraction | None = None
    classes: int = 0
    suppressed: int = 0
    taken: Fraction | None = None
    searched: bool = False
    confirmed: bool = False
    seconds: float = 0.0
    reason: str = ""
    found: PointAnswer | None = field(default=None, repr=False)

    @property
    def gap(self) -> Fraction | None:
        """(cost - bound) / cost, where both are known."""
        if self.cost is None or self.bound is None:
            return None
        return relative_gap(self.cost, self.bound)

    @property
    def answer(self) -> Any:
        """What a search says that finds the release; None without one."""
        return None if self.found is None else self.found.answer

    @property
    def utility(self) -> PointUtility | None:
        """The figures of the release; None where there is none."""
        if self.cost is None or self.found is None:
            return None
        return self.found.utility


@dataclass(frozen=True, eq=False)
class Tradeoff(Result):
    """Points from the least strict number to the strictest.

    ``wanted`` is the gap that ends a search by tuples.
    """

    verb = "tradeoff"
    drawn = True

    parameter: str
    rule: str
    space: str
    objective: str
    rows: int
    points: tuple[TradeoffPoint, ...]
    wanted: Fraction | None = None
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    sample: RecordSample | None = None
    charged: bool = False
    """Whether each withheld record loses 1 in every column."""

    @property
    def verdict(self) -> Literal["decided", "infeasible", "undecided"]:
        """Undecided where a point is; infeasible where all are."""
        if any(self.open(point) for point in self.points):
            return "undecided"
        if all(point.verdict == "infeasible" for point in self.points):
            return "infeasible"
        return "decided"

    def open(self, point: TradeoffPoint) -> bool:
        """Whether a point is not what was asked for: the best, or within the gap."""
        if point.verdict != "proved":
            return point.verdict == "undecided"
        if self.space != "tuples":
            return True
        if self.wanted is None:
            return False
        return point.gap is None or point.gap > self.wanted

    @property
    def numbers(self) -> tuple[str, ...]:
        """The number of each point as it is written."""
        return tuple(written(point.value) for point in self.points)

    def counted(self) -> str:
        """How many points there are."""
        return f"{plural(len(self.points), 'point')} of {self.parameter}"


def written(value: Fraction) -> str:
    """A number as a decimal where it is one of a few digits."""
    text = decimal(value)
    return text if len(text) <= LONGEST else str(value)
