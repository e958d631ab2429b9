"""Lower bounds on the cost of every recoding by tuples: better and better prices.

Column generation: the covering relaxation over the classes that are known proposes
prices; a walk over all boxes lowers them until no box breaks its price, so that every
round proves a bound, and finds the classes that are missing in the relaxation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from phverify.budget import Deadline
from phverify.exact import Floats, Ints
from phverify.recoding.certificate import Bound
from phverify.recoding.counting import counted, proven
from phverify.recoding.grid import TupleGrid
from phverify.recoding.nearest import neighbour_prices
from phverify.recoding.restricted import RestrictedColumns, Solved
from phverify.recoding.walker import NO_END, Distinct, Walker, walker
from phverify.spec.recoded import NEIGHBOURS

Met = Callable[[], Iterable[Ints]]
"""Classes that somebody else has met since it was asked last."""
PACE = 20_000_000
"""Tuples that a walk touches in a second, or more."""
SETS = 5_000
"""Classes that a walk brings, at most; half as many as tuples, where these are more."""
MOST = 60_000
MOST_MEMBERS = 4_000_000
"""Classes in the relaxation, and all their tuples, at most; four for each tuple, where
these are more."""
KEPT = 0.6
"""So many classes are left where there were more."""
LARGEST = 150_000
"""Tuples that a relaxation covers, at most."""
STEPS = (0.02, 0.04, 0.08, 0.15, 0.3, 0.6)
"""Prices per record, from which the first prices are lowered."""
RAISES = ((0.1, 0.0), (0.0, 0.03), (0.03, 0.0))
"""Prices are raised by so much of the mean, and of themselves, and lowered again."""
WORTHWHILE = Fraction(3, 1000)
"""Raising them goes on while all ways together gain as much."""
LAST_GAIN = Fraction(1, 10_000)
"""The same, where nothing else follows."""
HALF = 0.5
"""How far prices go from the best so far to those of the relaxation, at most; less
where nothing is gained by it."""
NEAR = 1e-4
"""The relaxation and the bound are one, when they differ by no more of it."""


def bounds(
    grid: TupleGrid,
    least: int,
    deadline: Deadline,
    distinct: Sequence[Distinct] = (),
    budget: int = 0,
    met: Met = tuple,
    pairs: bool = True,
) -> Iterator[Bound]:
    """Bounds on the cost of recodings with classes of ``least`` records or more, of
    which ``budget`` records may be withheld.

    First, where ``pairs`` have a distance, that by neighbours, then better and better
    ones by boxes.  Ends when the prices are the best there are, or the time is over.
    """
    near = None
    if pairs:
        near = neighbour_prices(grid, least, distinct, deadline)
    if near is not None:
        yield proven(grid, near, budget, by=NEIGHBOURS)
    search = PriceSearch(grid, walker(grid, least, distinct), deadline, budget, met)
    yield from search.run(bool(distinct))


@dataclass(eq=False)
class PriceSearch:
    """Prices on their way; ``best`` are lowered such that no box breaks its price."""

    grid: TupleGrid
    walker: Walker
    deadline: Deadline
    budget: int
    met: Met
    best: Bound | None = None
    met_boxes: bool = False
    share: float = HALF
    note: str = ""
    columns: RestrictedColumns = field(init=False)

    def run(self, diverse: bool) -> Iterator[Bound]:
        """Bounds, each better than the one before."""
        self.met_boxes = diverse
        first = counted(self.walker, self.patience)
        if first is None:
            note = "there was no time to look at all boxes once"
            yield proven(self.grid, np.zeros_like(self.grid.counts), 0, note)
            return
        rows = np.flatnonzero(first)
        if len(rows) > LARGEST:
            self.note = (
                f"{len(rows):,} tuples are too many for the covering relaxation"
                f" ({LARGEST:,}): prices are only raised and lowered"
            )
        yield from self.better(first)
        if not len(rows):
            return
        self.columns = RestrictedColumns(self.grid, rows, self.budget)
        for step in STEPS:
            level = self.grid.counts * int(step * self.grid.unit * self.grid.most)
            raised = self.grid.unchanged + level
            yield from self.lowered(np.where(first > 0, raised, 0))
        yield from self.climb(first > 0, WORTHWHILE)
        if len(rows) <= LARGEST:
            yield from self.generate()
        else:
            yield from self.climb(first > 0, LAST_GAIN)

    @property
    def sets(self) -> int:
        """How many classes a walk brings."""
        return max(SETS, self.grid.tuples // 2)

    @property
    def patience(self) -> int:
        """How many tuples a walk may touch."""
        left = self.deadline.left()
        return NO_END if left is None else int(max(left, 0) * PACE)

    def better(self, prices: Ints) -> Iterator[Bound]:
        """The bound that prices prove, if it is the best so far."""
        bound = proven(self.grid, prices, self.budget, self.note)
        if self.best is None or bound.value > self.best.value:
            self.best = bound
            yield bound

    def lowered(self, prices: Ints | Floats) -> Iterator[Bound]:
        """The bound by any prices, lowered; classes that broke them are taken in."""
        whole = np.maximum(prices, 0).astype(np.int64)
        feasible, found = self.walker.lowered(whole, self.patience, self.sets)
        if not self.note:
            self.columns.add(found.sets, found.costs if self.met_boxes else None)
        if feasible is not None:
            yield from self.better(feasible)

    def climb(self, priced: Ints, worthwhile: Fraction) -> Iterator[Bound]:
        """Raise the best prices a little, and lower them again where boxes break."""
        assert self.best is not None
        start = Fraction(0)
        while self.best.value > start * (1 + worthwhile) and not self.deadline.over:
            start = self.best.value
            for evenly, by_itself in RAISES:
                prices = self.best.prices
                extra = prices - self.grid.unchanged
                mean = extra.sum() / self.grid.rows
                level = self.grid.counts * priced * mean
                yield from self.lowered(prices + extra * by_itself + level * evenly)

    def generate(self) -> Iterator[Bound]:
        """Solve the relaxation, and hold its prices against the boxes, by turns."""
        tolerance = 1e-3
        while not self.deadline.over:
            self.columns.add(self.met())
            known = len(self.columns.sets)
            left = self.deadline.left()
            solved = self.columns.solve(tolerance, 1e6 if left is None else left)
            if solved is None or self.best is None or self.deadline.over:
                return
            yield from self.between(solved)
            gap = solved.value - float(self.best.value)
            if gap <= NEAR * solved.value:
                return
            if len(self.columns.sets) == known:
                if tolerance < 1e-6:
                    return
                tolerance /= 100
            tolerance = min(tolerance, gap / solved.value / 10)
            classes = len(self.columns.sets)
            if (
                classes > max(MOST, 4 * self.grid.tuples)
                or self.columns.members > MOST_MEMBERS
            ):
                self.columns.keep_best(solved.reduced, int(KEPT * classes))

    def between(self, solved: Solved) -> Iterator[Bound]:
        """Prices between the best and those of the relaxation."""
        assert self.best is not None
        base = self.best
        for share in (self.share, 1.0):
            between = base.prices + share * (solved.prices - base.prices)
            yield from self.lowered(between)
        gained = self.best is not base
        self.share = min(HALF, self.share * 2) if gained else self.share / 2
