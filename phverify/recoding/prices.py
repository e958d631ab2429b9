"""Lower bounds on the cost of every recoding by tuples: better and better prices.

Column generation: the covering relaxation over the classes that are known proposes
prices; a walk over all boxes lowers them until no box breaks its price, so that every
round proves a bound, and finds the classes that are missing in the relaxation.  When
they are nearly the best, cuts are added to the relaxation, which proves more.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from phverify.budget import Deadline
from phverify.exact import Floats, Ints
from phverify.recoding.certificate import Bound
from phverify.recoding.counting import NO_CUTS, counted, proven
from phverify.recoding.cut_rounds import CutRounds
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
COARSE, FINE = 1e-3, 1e-6
"""Tolerances of the relaxation's solver, at first and at the end."""
CHEAPEST = 2
"""Classes that are left for each tuple when cuts are added: fewer take less time."""
SETTLED = 0.25
"""Cuts are added when less than this share is left of what the last ones promise."""
WORK = 1_000_000
"""Steps that verifying cuts may take, for each second of the search."""


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
    cuts: CutRounds = field(init=False)
    begun: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.columns = RestrictedColumns(self.grid, np.zeros(0, np.int64), self.budget)
        self.cuts = CutRounds(self.columns)

    def run(self, diverse: bool) -> Iterator[Bound]:
        """Bounds, each better than the one before."""
        self.met_boxes = diverse
        first = counted(self.walker, self.patience)
        if first is None:
            note = "there was no time to look at all boxes once"
            # Nothing was held against the boxes: only prices of nothing are certain.
            yield proven(self.grid, np.zeros_like(self.grid.counts), 0, note)
            return
        # A tuple whose records may stay as they are for nothing need not be covered.
        rows = np.flatnonzero(first)
        if len(rows) > LARGEST:
            self.note = (
                f"{len(rows):,} tuples are too many for the covering relaxation"
                f" ({LARGEST:,}): prices are only raised and lowered"
            )
        # These need no walk to be lowered: no box breaks them as they are.
        yield from self.better(first)
        if not len(rows):
            return
        self.columns = RestrictedColumns(self.grid, rows, self.budget)
        self.cuts = CutRounds(self.columns)
        for step in STEPS:
            level = self.grid.counts * int(step * self.grid.unit * self.grid.most)
            raised = self.grid.unchanged + level
            yield from self.lowered(np.where(first > 0, raised, 0))
        # Quick gains before the relaxation, which takes long.
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

    def better(self, prices: Ints, cuts: Ints = NO_CUTS) -> Iterator[Bound]:
        """The bound that prices prove, if it is the best so far."""
        bound = proven(self.grid, prices, self.budget, self.note, cuts=cuts)
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

    def lowered_with_cuts(self, prices: Floats, multipliers: Ints) -> Iterator[Bound]:
        """The same where classes pay for cuts."""
        cuts = self.cuts.penalties(multipliers)
        whole = np.maximum(prices, 0).astype(np.int64)
        feasible, found = self.walker.lowered(whole, self.patience, self.sets, cuts)
        self.columns.add(found.sets, found.costs if self.met_boxes else None)
        if feasible is None or self.best is None:
            return
        best = self.best
        said = self.cuts.said(multipliers)
        value = proven(self.grid, feasible, self.budget, cuts=said).value
        # Once more as the checker does it, which has only so much time.
        work = int((time.monotonic() - self.begun) * WORK)
        if value > best.value and self.walker.feasible(feasible, cuts, work):
            yield from self.better(feasible, said)
            self.cuts.multipliers = multipliers

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
        tolerance = COARSE
        # What was proven when cuts were added last.
        before = np.inf
        while not self.deadline.over:
            # Classes of releases are good columns: the upper side found them cheap.
            self.columns.add(self.met())
            known = len(self.columns.sets)
            left = self.deadline.left()
            solved = self.columns.solve(tolerance, 1e6 if left is None else left)
            if solved is None or self.best is None or self.deadline.over:
                return
            yield from self.between(solved)
            gap = solved.value - float(self.best.value)
            stalled = len(self.columns.sets) == known
            # No class breaks the prices any more: the relaxation is solved, as exactly
            # as it will be.
            near = gap <= NEAR * solved.value or (stalled and tolerance < FINE)
            if near or gap <= SETTLED * (solved.value - before):
                if self.cuts.add(solved):
                    before = float(self.best.value)
                    tolerance, self.share = COARSE, HALF
                    most = max(SETS, CHEAPEST * len(self.columns.rows))
                    self.columns.keep_best(solved.reduced, most)
                    continue
                if near:
                    return
                before = np.inf
            if stalled:
                tolerance /= 100
            # Finer than what is still to be gained, and no finer than that: solving
            # takes time.
            tolerance = min(tolerance, gap / solved.value / 10)
            self.forget(solved)

    def forget(self, solved: Solved) -> None:
        """Of very many classes, keep those that nearly break their prices."""
        classes = len(self.columns.sets)
        most = max(MOST, 4 * self.grid.tuples)
        if classes > most or self.columns.members > MOST_MEMBERS:
            kept = int(KEPT * classes)
            self.columns.keep_best(solved.reduced, kept)

    def between(self, solved: Solved) -> Iterator[Bound]:
        """Prices between the best and those of the relaxation."""
        assert self.best is not None
        base, multipliers = self.best, self.cuts.multipliers
        # Prices of the relaxation jump about; those near the best so far break fewer
        # boxes.
        for share in (self.share, 1.0):
            between = base.prices + share * (solved.prices - base.prices)
            if self.cuts.count:
                step = share * (solved.multipliers - multipliers)
                paid = (multipliers + step).astype(np.int64)
                yield from self.lowered_with_cuts(between, paid)
            else:
                yield from self.lowered(between)
        gained = self.best is not base
        # Shorter steps where nothing is gained, longer ones where something is.
        self.share = min(HALF, self.share * 2) if gained else self.share / 2
