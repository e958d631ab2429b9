"""What is asked of a release by tuples: the grid, the demands and the budgets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from phverify.exact import Floats, Ints
from phverify.recoding.boxes import BoxTable, box_table, with_star_price
from phverify.recoding.demands import ClassDemands
from phverify.recoding.grid import TupleGrid
from phverify.recoding.near import nearest
from phverify.recoding.partition import classes_of
from phverify.recoding.tuple_bits import TupleBits, tuple_bits

NEAR = 30
NEAR_STAR = 0.2
"""How much farther a cell of the whole domain makes two tuples where few may be."""


@dataclass(frozen=True, eq=False)
class ReleaseTask:
    """Find a cheap partition of the tuples into classes that satisfy the demands.

    ``withheld`` records may be left out at most.  At most ``stars`` cells may be the
    whole domain, as many as there are where it is None.  ``disjoint``: no class's box
    holds a tuple of another class; it may hold withheld ones.
    """

    grid: TupleGrid
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
        """Near tuples of each tuple, without whole cells where those are few."""
        others = len(self.grid.counts) - 1
        wanted = min(NEAR, max(others, 1))
        # Where cells of ``*`` are few, tuples that need one together are not near.
        table = self.table if self.stars is None else self.starred(NEAR_STAR)
        return nearest(table, wanted)

    @cached_property
    def bits(self) -> TupleBits:
        """The tuples as bits, for the closures of classes; none where not needed."""
        tuples = len(self.grid.counts)
        return tuple_bits(self.table, tuples if self.disjoint else 0)

    @property
    def most_stars(self) -> int:
        """Cells that may be the whole domain."""
        if self.stars is not None:
            return self.stars
        attributes = int(self.grid.codes.shape[1])
        return self.grid.rows * attributes

    def starred(self, price: float) -> BoxTable:
        """The table in which a cell of the whole domain costs more."""
        return with_star_price(self.table, price)

    def boxes(self, classes: list[Ints]) -> tuple[Ints, Ints, Ints]:
        """Lowest and highest ranks of classes, and their records."""
        table = self.table
        if not classes:
            return table.codes[:0], table.codes[:0], table.counts[:0]
        members = np.concatenate(classes)
        starts = _starts(classes)
        codes = table.codes[members]
        low = np.minimum.reduceat(codes, starts)
        high = np.maximum.reduceat(codes, starts)
        records = np.add.reduceat(table.counts[members], starts)
        return low, high, records

    def values(self, classes: list[Ints]) -> Ints:
        """How often each confidential value occurs in each class."""
        counted = self.demands.counted
        width = counted.shape[1]
        if not classes or not width:
            return np.zeros((len(classes), width), dtype=np.int64)
        members = np.concatenate(classes)
        return np.add.reduceat(counted[members], _starts(classes))

    def costs(self, classes: list[Ints]) -> Floats:
        """What each class loses, as a share of all records."""
        places, records = self._places(classes)
        lost: Floats = records * self.table.prices[places].sum(axis=1)
        return lost / self.grid.rows

    def lost(self, assignment: Ints) -> float:
        """What a release loses and records cost as they are, as a share of all records.

        ``assignment`` is the class of each tuple, below 0 where it is withheld.
        """
        classes = classes_of(assignment)
        costs = self.costs(classes)
        withheld = self.table.own[assignment < 0]
        lost = costs.sum() + withheld.sum() / self.grid.rows
        return float(lost)

    def star_cells(self, classes: list[Ints]) -> Ints:
        """How many cells of each class are the whole domain."""
        places, records = self._places(classes)
        whole = self.table.stars[places]
        cells: Ints = records * whole.sum(axis=1)
        return cells

    def _places(self, classes: list[Ints]) -> tuple[Ints, Ints]:
        """Where the prices of each class's nodes are; its records."""
        table = self.table
        low, high, records = self.boxes(classes)
        places = table.starts + low * table.widths + high
        return places, records


def _starts(classes: list[Ints]) -> Ints:
    """Where each class starts when they stand one after the other."""
    sizes = [len(members) for members in classes]
    ends = np.cumsum(sizes)
    return ends - sizes
