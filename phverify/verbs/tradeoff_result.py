"""What privacy costs: for each number of a rule the best release, and its bound."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

from phverify.generalization.standing import relative_gap
from phverify.result import Result
from phverify.spec.sampling import RecordSample
from phverify.words import plural

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
class TradeoffPoint:
    """The best release for one number.

    ``verdict``: optimal (a release keeps every rule, and none costs less), proved (a
    release keeps every rule; none costs less than ``bound``), infeasible (none keeps
    every rule), undecided (``reason`` says why).  ``taken``: the release is that of
    this other number, proved again by the rules.  ``searched``: the number had a
    search of its own.  ``confirmed``: the bound was verified apart from the search that
    found it.  ``answer`` is what the search said that found the release.
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
    answer: Any = field(default=None, repr=False)

    @property
    def gap(self) -> Fraction | None:
        """(cost - bound) / cost, where both are known."""
        if self.cost is None or self.bound is None:
            return None
        return relative_gap(self.cost, self.bound)

    @cached_property
    def utility(self) -> PointUtility | None:
        """The figures of the release; None where there is none."""
        if self.cost is None or self.answer is None:
            return None
        measures = getattr(self.answer, "measures", None)
        if measures is not None:
            # by tuples
            return PointUtility(
                measures.loss,
                measures.precision,
                measures.discernibility,
                measures.average_class,
            )
        costs = self.answer.explored.costs()
        sizes = self.answer.explored.sizes()
        return PointUtility(
            costs.get("loss"),
            costs.get("precision"),
            int(costs["discernibility"]),
            Fraction(sum(sizes), max(len(sizes), 1)),
        )


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
    decimal = f"{float(value):.12g}"
    if "e" not in decimal and Fraction(decimal) == value:
        return decimal
    return str(value)
