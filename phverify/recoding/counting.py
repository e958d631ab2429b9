"""What prices of tuples prove, and the first such prices: by counting alone."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from phverify.exact import Ints
from phverify.recoding.certificate import Bound
from phverify.recoding.grid import TupleGrid
from phverify.recoding.walker import Walker
from phverify.spec.recoded import BOXES

NO_CUTS: Ints = np.zeros((0, 4), dtype=np.int64)


def proven(
    grid: TupleGrid,
    prices: Ints,
    budget: int,
    note: str = "",
    by: str = BOXES,
    cuts: Ints = NO_CUTS,
) -> Bound:
    """What prices that nothing breaks prove, where ``budget`` records may be withheld.

    A withheld record is paid by the relief, above what it costs as it is: prices above
    that are lowered to it, and the relief is taken off once for each record of the
    budget.  It is best where the records that are lowered are as many as the budget.
    The multipliers of ``cuts`` are taken off.
    """
    relief = _relief(grid, prices, budget)
    # Whatever set of the budget's size is withheld, the rest pays at least what is
    # left.
    paid = np.minimum(prices, grid.unchanged + relief * grid.counts)
    # A cut holds for every release (at most one class has two of three tuples): its
    # multiplier is paid at most once.
    units = int(paid.sum()) - relief * budget - int(cuts[:, 3].sum())
    if units < 0:
        # Costs are never below 0: prices of nothing prove that much.
        paid, relief, units, cuts = np.zeros_like(prices), 0, 0, NO_CUTS
    value = Fraction(units, grid.unit * grid.rows)
    return Bound(paid, relief, grid.unit, value, note, by, cuts)


def _relief(grid: TupleGrid, prices: Ints, budget: int) -> int:
    """The relief by which most is proven: the rate at which the budget is reached."""
    # Rounded up: no tuple pays more than its rate for a record.
    above = np.maximum(prices - grid.unchanged, 0)
    rates = -(-above // grid.counts)
    falling = np.argsort(-rates, kind="stable")
    records = np.cumsum(grid.counts[falling])
    place = int(np.searchsorted(records, budget, side="right"))
    return int(rates[falling[place]]) if place < len(falling) else 0


def counted(walker: Walker, patience: int) -> Ints | None:
    """Each tuple pays what its records lose in the cheapest box that is large enough.

    No box breaks these prices: no tuple of it pays more than its records there.  None
    if it had taken longer than ``patience`` tuples.
    """
    return walker.alone(patience)
