"""What is asked of a release by tuples: the grid, the demands and the budgets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from phverify.exact import Floats, Ints
from phverify.recoding.boxes import BoxTable, box_table, with_star_price
from phverify.recoding.demands import ClassDemands
from phverify.recoding.grid import Grid
from phverify.recoding.near import nearest

NEAR = 30


@dataclass(frozen=True, eq=False)
class ReleaseTask:
    """Find a cheap partition of the tuples into classes that satisfy the demands.

    ``withheld`` records may be left out at most.  At most ``stars`` cells may be the
    whole domain, as many as there are where it is None.  ``disjoint``: no class's box
    holds a tuple of another class; tuples that are withheld may lie in boxes.
    """

    grid: Grid
    demands: ClassDemands
    withheld: int = 0
    stars: int | None = None
    disjoint: bool = False
    seed: int = 0

    @cached_property
    def table(self) -> BoxTable:
        """The grid for compiled functions."""
        return box_table(self.grid, self.disjoint)

    @cached_property
    def near(self) -> Ints:
        """Near tuples of each tuple."""
        return nearest(self.table, min(NEAR, max(len(self.grid.counts) - 1, 1)))

    @property
    def most_stars(self) -> int:
        """Cells that may be the whole domain."""
        cells = self.grid.rows * self.grid.codes.shape[1]
        return cells if self.stars is None else self.stars

    def starred(self, price: float) -> BoxTable:
        """The table in which a cell of the whole domain costs more."""
        return with_star_price(self.table, price)

    def boxes(self, classes: list[Ints]) -> tuple[Ints, Ints, Ints]:
        """Lowest and highest ranks of classes, and their records."""
        if not classes:
            empty = np.zeros((0, self.table.codes.shape[1]), dtype=np.int32)
            return empty, empty, np.zeros(0, dtype=np.int64)
        members = np.concatenate(classes)
        sizes = np.array([len(one) for one in classes])
        starts = np.cumsum(sizes) - sizes
        low = np.minimum.reduceat(self.table.codes[members], starts)
        high = np.maximum.reduceat(self.table.codes[members], starts)
        return low, high, np.add.reduceat(self.table.counts[members], starts)

    def values(self, classes: list[Ints]) -> Ints:
        """How often each confidential value occurs in each class."""
        counted = self.demands.counted
        if not classes or not counted.shape[1]:
            return np.zeros((len(classes), counted.shape[1]), dtype=np.int64)
        sizes = np.array([len(one) for one in classes])
        starts = np.cumsum(sizes) - sizes
        return np.add.reduceat(counted[np.concatenate(classes)], starts)

    def costs(self, classes: list[Ints]) -> Floats:
        """What each class loses, as a share of all records."""
        low, high, records = self.boxes(classes)
        prices = self.table.prices[self.table.starts + low * self.table.widths + high]
        return records * prices.sum(axis=1) / self.grid.rows

    def star_cells(self, classes: list[Ints]) -> Ints:
        """How many cells of each class are the whole domain."""
        low, high, records = self.boxes(classes)
        prices = self.table.prices[self.table.starts + low * self.table.widths + high]
        return records * (prices >= self.table.whole).sum(axis=1)
