"""How far a search is: its best release so far, and what nothing is below."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Standing:
    """How far a search is: the cost of the best release so far, and the bound.

    ``cost`` is None before there is a release.  Costs are exact, ``seconds`` from the
    start.
    """

    seconds: float
    cost: Fraction | None
    bound: Fraction

    @property
    def gap(self) -> Fraction | None:
        """How far the cost may be above the least, as a share of the cost."""
        if self.cost is None:
            return None
        return relative_gap(self.cost, self.bound)


def relative_gap(cost: Fraction, bound: Fraction) -> Fraction:
    """(cost - bound) / cost; 0 where nothing is lost."""
    if not cost:
        return Fraction(0)
    return (cost - bound) / cost
