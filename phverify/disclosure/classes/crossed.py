"""A world on its way through others by crossings, and what machine code needs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from phverify.disclosure.classes.cells import CellNumbers
from phverify.disclosure.classes.opposites import (
    MOST,
    CellTable,
    CrossedWorld,
    KeptCrossings,
    WantedClasses,
    cross,
)
from phverify.disclosure.classes.selected import Flags, Ints
from phverify.disclosure.classes.system import ClassSystem, Entries

NEAR = 3
"""By so much a class may move at most where two rows can exchange their cells."""
KEPT = 2**16
"""So many crossings are kept, a power of 2."""
DRAWS, MOST_DRAWS = 20, 1_000_000
"""So many are drawn for each class that could have one less, or is wanted, if those are
fewer, between two looks at what they served; and so many at most.
"""
LITTLE = 20
"""Draws that serve less than this part of what a world serves are its last ones."""


class CrossedSystem:
    """The classes that are not fixed, in the order of their cells; ``large`` are flags
    of the sums that do not read the place.
    """

    def __init__(
        self, system: ClassSystem, open_: Ints, cells: CellNumbers, large: Flags
    ) -> None:
        self.width = system.width
        numbers = cells.numbers[open_]
        self.order = open_[np.argsort(numbers, kind="stable")]
        near = np.where(system.tight[self.order], 1, NEAR)
        low = np.maximum(system.low[self.order], -near)
        high = np.minimum(system.high[self.order], near)
        # The fewer can have one less: these are drawn, the others only met.
        self.step = 1 if (low < 0).sum() <= (high > 0).sum() else -1
        self.givers = np.flatnonzero(low < 0 if self.step == 1 else high > 0)
        self.table = self._table(cells, low, high, traces(system, large))
        self.world = self._nothing_moved()
        self.kept = KeptCrossings(
            np.zeros(KEPT, dtype=np.int64),
            np.zeros(KEPT, dtype=np.int64),
            np.zeros((KEPT, 2 * MOST), dtype=np.int64),
        )

    def _table(
        self, cells: CellNumbers, low: Ints, high: Ints, of_class: Ints
    ) -> CellTable:
        """What stays the same from world to world."""
        order = self.order
        # The numbers of the cells ascend, so the places do.
        _, places = np.unique(cells.places[order], return_inverse=True)
        places = places.reshape(-1).astype(np.int64)
        last = int(places.max(initial=-1))
        each = np.arange(last + 2)
        first = np.searchsorted(places, each)
        some = order[first[:-1]]
        return CellTable(
            low.astype(np.int8),
            high.astype(np.int8),
            cells.numbers[order],
            np.ascontiguousarray(cells.shares[:, order]),
            places,
            cells.base[some],
            first,
            of_class[order],
        )

    def _nothing_moved(self) -> CrossedWorld:
        """The world as it is."""
        table, givers = self.table, self.givers
        width = len(self.order)
        places = table.places[givers]
        count = np.bincount(places, minlength=len(table.base)).astype(np.int64)
        # Place by place, as they stand.
        before = np.cumsum(count) - count
        rank = np.arange(len(givers)) - before[places]
        able = np.zeros(width, dtype=np.int64)
        able[table.first[places] + rank] = givers
        position = np.full(width, -1, dtype=np.int64)
        position[givers] = rank
        return CrossedWorld(
            np.zeros(width, dtype=np.int8),
            able,
            position,
            count,
            self.step,
            np.zeros(2 * MOST, dtype=np.int64),
            np.zeros(len(table.shares), dtype=np.int64),
            np.array([self.width], dtype=np.uint64),
        )

    def further(self, wanted: Ints, least: int, check: Callable[[], None]) -> Ints:
        """The world that is reached next, as the moves of all classes: as many of
        ``wanted`` are moved as were found by ``least`` draws or more.
        """
        of_all = np.zeros(self.width, dtype=bool)
        of_all[wanted] = True
        flags = of_all[self.order]
        aim = WantedClasses(flags, np.flatnonzero(flags), self.givers)
        each = DRAWS * min(len(wanted), len(self.givers))
        draws = max(least, min(each, MOST_DRAWS))
        served, more = 0, 1
        while more * LITTLE > served:
            check()
            more = cross(self.table, self.world, self.kept, aim, draws)
            served += more
        found = np.zeros(self.width, dtype=np.int64)
        found[self.order] = self.world.moves
        return found


def traces(system: ClassSystem, large: Flags) -> Ints:
    """What one more in each class adds to the large sums, as one number of 64 bits: sum
    by sum with a weight by chance.
    """
    entries = system.entries
    inside = np.flatnonzero(large[entries.rows])
    pick = np.random.default_rng(system.width)
    weights = pick.integers(-(2**63), 2**63 - 1, entries.height)
    found = np.zeros(system.width, dtype=np.int64)
    # Of what has more bits the same are lost everywhere.
    products = weights[entries.rows[inside]] * entries.factors[inside]
    np.add.at(found, entries.columns[inside], products)
    return found


def warm_up() -> None:
    """A search for nothing: what it needs is compiled, or read from the disk."""
    columns = np.indices((2, 2, 2)).reshape(3, -1)
    cells = CellNumbers("p", [["a"], ["b"]], dict(zip("pab", columns, strict=True)))
    every = np.arange(len(columns[0]))
    odd = columns.sum(axis=0)
    signs = (-1) ** odd
    nothing = np.zeros(0, dtype=np.int64)
    system = ClassSystem(
        Entries(nothing, nothing, nothing, 0),
        nothing,
        every,
        np.minimum(signs, 0),
        np.maximum(signs, 0),
        np.ones(len(every), dtype=bool),
        every,
        every,
    )
    search = CrossedSystem(system, every, cells, np.zeros(0, dtype=bool))
    search.further(every, 1, lambda: None)
