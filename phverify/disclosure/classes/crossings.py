"""Worlds where many walks leave the large sums as they are only together.

Most sums are of few rows: those by a column with many values.  This column is the
*place*; the columns that are read together with it fall into *parts* that no selection
reads together there.  In one place a class is a cell, with a value in each part.  Some
cells of a place with one less, and as many with one more that have the values of the
first in another order, part by part, are a *crossing*: all sums that read the place are
as before.

Sums that do not read it are few, and over many classes.  Crossings are drawn by chance,
at first almost whatever they add to these sums, then less and less of it, until all of
them are 0 again (``cooling``).  The world is looked at as a whole before anybody sees
it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from phverify.disclosure.classes.cells import CellNumbers, place_and_parts
from phverify.disclosure.classes.rotations import Attributes
from phverify.disclosure.classes.selected import Ints
from phverify.disclosure.classes.system import ClassSystem

if TYPE_CHECKING:
    from phverify.disclosure.classes.cooling import Aim, CellTable, CooledWorld

FROM = 300
"""Fewer classes are not worth the time in which the search becomes machine code."""
HEATS = (20.0, 7.0, 2.4, 0.9, 0.3)
"""The heat while as many classes as possible are moved, and what each counts."""
PULL = 8.0
LAST_HEAT, LAST_PULL = 0.3, 2.0
"""Heat and pull until all sums are 0."""
LEAST, FIRST, MOST = 15, 20, 400
"""So many crossings are drawn at one heat for each class that could have one less: the
least, at first and the most.
"""
ROUNDS = 20
"""So many times as many are drawn at the last heat, before a world is given up."""
LITTLE, VAIN = 100, 8
"""So many worlds in a row that serve less than this part of what is left, or were given
up, are the last ones.
"""
NEAR = 3
"""By so much a class may move at most where two rows can exchange their cells."""
LARGE = 2**20
"""Factors of the large sums are smaller: squares of these have 62 bits."""


class Crossings:
    """The search for worlds of many crossings in one system."""

    def __init__(
        self,
        system: ClassSystem,
        open_: Ints,
        attributes: Attributes,
        read: Sequence[frozenset[str]],
        check: Callable[[], None],
    ) -> None:
        self.system = system
        self.open_ = open_
        self.check = check
        self.cells: CellNumbers | None = None
        values = {name: len(np.unique(codes)) for name, codes in attributes.items()}
        found = place_and_parts(read, values)
        if found is None:
            return
        name, parts = found
        large = np.array([name not in names for names in read])
        self.large = LargeSums(system, large[system.origins])
        cells = CellNumbers(name, parts, attributes)
        if cells.fit and self.large.small:
            self.cells = cells

    def worlds(self, wanted: Ints) -> Iterator[Ints]:
        """Worlds, each as the moves of all classes; together they move as many of
        ``wanted`` as were found.
        """
        if self.cells is None or len(wanted) < FROM:
            return
        search = Cooling(self.system, self.open_, self.cells, self.large)
        draws = FIRST
        vain = 0
        while len(wanted) and vain < VAIN:
            found = search.world(wanted, draws, self.check)
            served = np.zeros(0, dtype=np.int64)
            if found is None:
                draws = min(MOST, draws * 3 // 2)
            else:
                # A wrong world is none: the sums are looked at as a whole.
                assert not self.system.entries.times(found).any()
                draws = max(LEAST, draws * 4 // 5)
                served = wanted[found[wanted] != 0]
            vain = vain + 1 if len(served) * LITTLE <= len(wanted) else 0
            if found is not None and len(served):
                yield found
                wanted = np.setdiff1d(wanted, served)


class LargeSums:
    """The sums that do not read the place, class by class: their rows, numbered anew,
    and their factors, with none in common.  ``starts`` is where each class begins.
    """

    def __init__(self, system: ClassSystem, large: Ints) -> None:
        entries = system.entries
        inside = np.flatnonzero(large[entries.rows])
        columns = entries.columns[inside]
        order = np.argsort(columns, kind="stable")
        kept, rows = np.unique(entries.rows[inside[order]], return_inverse=True)
        factors = entries.factors[inside[order]]
        common = np.zeros(len(kept), dtype=np.int64)
        self.rows: Ints = rows.reshape(-1).astype(np.int64)
        np.gcd.at(common, self.rows, factors)
        self.factors: Ints = factors // common[self.rows]
        self.starts = np.searchsorted(columns[order], np.arange(system.width + 1))
        self.count = len(kept)
        most = int(np.abs(self.factors).max(initial=1))
        self.small = most * NEAR * system.width < LARGE * LARGE // most


class Cooling:
    """Crossings by machine code: the classes that are not fixed, by their cells."""

    def __init__(
        self, system: ClassSystem, open_: Ints, cells: CellNumbers, large: LargeSums
    ) -> None:
        self.width = system.width
        order = open_[np.argsort(cells.numbers[open_], kind="stable")]
        self.order = order
        self.large = large
        near = np.where(system.tight[order], 1, NEAR)
        self.low = np.maximum(system.low[order], -near)
        self.high = np.minimum(system.high[order], near)
        # The fewer can have one less: these are drawn, the others only met.
        self.step = 1 if (self.low < 0).sum() <= (self.high > 0).sum() else -1
        self.cells = cells
        self.state = np.array([system.width], dtype=np.uint64)
        self.table = self._table()

    def _table(self) -> CellTable:
        """What stays the same from world to world."""
        from phverify.disclosure.classes.cooling import CellTable

        order, cells, large = self.order, self.cells, self.large
        # The numbers of the cells ascend, so the places do.
        _, places = np.unique(cells.places[order], return_inverse=True)
        places = places.reshape(-1)
        count = int(places.max(initial=-1)) + 1
        first = np.searchsorted(places, np.arange(count + 1))
        sizes = large.starts[order + 1] - large.starts[order]
        starts = np.zeros(len(order) + 1, dtype=np.int64)
        starts[1:] = np.cumsum(sizes)
        # Entry by entry, where it stood before.
        ahead = np.repeat(large.starts[order] - starts[:-1], sizes)
        entries = ahead + np.arange(len(ahead))
        return CellTable(
            self.low,
            self.high,
            cells.numbers[order],
            np.ascontiguousarray(cells.shares[:, order]),
            places,
            cells.base[order[first[:-1]]],
            first,
            starts,
            large.rows[entries],
            large.factors[entries],
        )

    def world(self, wanted: Ints, draws: int, check: Callable[[], None]) -> Ints | None:
        """One world, as the moves of all classes; None where the large sums were not
        brought back to 0.
        """
        from phverify.disclosure.classes.cooling import cool

        aim = self._aim(wanted)
        if len(aim.givers) < 2:
            return None
        world = self._nothing_moved(aim.givers)
        several = draws * len(aim.givers)
        for heat in HEATS:
            check()
            cool(self.table, world, aim, heat, PULL, several, False)
        for _ in range(ROUNDS):
            check()
            cool(self.table, world, aim, LAST_HEAT, LAST_PULL, several, True)
            if not world.distance[0]:
                found = np.zeros(self.width, dtype=np.int64)
                found[self.order] = world.moves
                return found
        return None

    def _aim(self, wanted: Ints) -> Aim:
        """What is wanted of a world."""
        from phverify.disclosure.classes.cooling import Aim

        of_all = np.zeros(self.width, dtype=bool)
        of_all[wanted] = True
        flags = of_all[self.order]
        able = self.low < 0 if self.step == 1 else self.high > 0
        return Aim(flags, np.flatnonzero(flags), np.flatnonzero(able))

    def _nothing_moved(self, givers: Ints) -> CooledWorld:
        """The world as it is."""
        from phverify.disclosure.classes.cooling import CooledWorld

        table = self.table
        places = table.places[givers]
        count = np.bincount(places, minlength=len(table.base))
        # Place by place, as they stand.
        before = np.cumsum(count) - count
        rank = np.arange(len(givers)) - before[places]
        able = np.zeros(len(self.order), dtype=np.int64)
        able[table.first[places] + rank] = givers
        position = np.full(len(self.order), -1, dtype=np.int64)
        position[givers] = rank
        return CooledWorld(
            np.zeros(len(self.order), dtype=np.int64),
            np.zeros(self.large.count, dtype=np.int64),
            np.zeros(1, dtype=np.int64),
            able,
            position,
            count.astype(np.int64),
            self.step,
            np.zeros(6, dtype=np.int64),
            np.zeros(len(table.shares), dtype=np.int64),
            self.state,
        )
