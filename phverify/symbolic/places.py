"""The rows of a release that stay in an engine, as far as somebody asks about them.

The worlds of such a release are its rows in the order of the quotient: cell by cell,
and within a cell as in the table.  So what is true at each world follows from the
quotient alone, and the engine is asked only which row of the table a world is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from phverify.exact import Bools, Ints
from phverify.microdata.keys import packed, ranked
from phverify.microdata.quotient import Quotient
from phverify.microdata.table import Coded, RowsElsewhere
from phverify.spec import syntax as s
from phverify.spec.signature import Signature

if TYPE_CHECKING:
    from phverify.microdata.pair_counts import PeopleElsewhere


@dataclass(frozen=True, eq=False)
class SignatureElsewhere(Signature):
    """A language whose individuals have their names in an engine."""

    elsewhere: RowsElsewhere | None = None

    @cached_property
    def index(self) -> Mapping[str, int]:
        """The number of each individual that has a name of its own, from 0."""
        assert self.elsewhere is not None
        return self.elsewhere.numbers(self.names)


def named_elsewhere(language: Signature, rows: RowsElsewhere) -> SignatureElsewhere:
    """The same language; who has a name is looked up where the rows are."""
    parts = {part.name: getattr(language, part.name) for part in fields(Signature)}
    return SignatureElsewhere(**parts, elsewhere=rows)


@dataclass(frozen=True, eq=False)
class Places:
    """Worlds, and the rows of the table that they are, numbered from 0.

    ``columns`` are coded as in the quotient, one code for each group of equal rows.
    """

    quotient: Quotient
    columns: Coded
    elsewhere: RowsElsewhere
    people: PeopleElsewhere | None = None
    """Whose rows are whose; None where individual i is behind row i."""
    _rows: dict[int, Ints] = field(default_factory=dict)

    @cached_property
    def cell_of_group(self) -> Ints:
        """For each group of equal rows the cell of the quotient that it lies in."""
        quotient = self.quotient
        names = (*quotient.quasi, *quotient.others)
        sizes = [len(quotient.labels[name]) for name in names]
        groups = len(self.elsewhere.counts)
        codes = [self.columns[name].codes for name in names]
        _, keys, space = packed(codes, sizes, groups)
        # Cells are in the order of their keys.
        _, cells = ranked(keys, space)
        return cells

    @cached_property
    def first_world(self) -> Ints:
        """The first world of each cell, and their number."""
        ends = np.cumsum(self.quotient.counts)
        return np.concatenate([[0], ends])

    @cached_property
    def first_row(self) -> Ints:
        """The first row of each cell, which is its first world."""
        firsts = self.elsewhere.firsts
        # Each cell has a group: none keeps this number.
        rows = np.full(self.quotient.cells, firsts.max())
        np.minimum.at(rows, self.cell_of_group, firsts)
        return rows

    def counted(self, worlds: Bools) -> Ints:
        """How many of some worlds lie in each cell."""
        totals = np.zeros(self.quotient.cells, dtype=np.int64)
        cells = self._cells_around(self.cells_of_worlds(_ends(worlds)))
        start, end = self.first_world[[cells.start, cells.stop]].tolist()
        # Each cell has a world.
        starts = self.first_world[cells] - start
        totals[cells] = np.add.reduceat(worlds[start:end], starts, dtype=np.int64)
        return totals

    def in_cells(self, true: Bools) -> Bools:
        """The worlds of the cells for which something is true."""
        worlds = np.zeros(self.quotient.rows, dtype=bool)
        cells = self._cells_around(_ends(true))
        start, end = self.first_world[[cells.start, cells.stop]].tolist()
        worlds[start:end] = np.repeat(true[cells], self.quotient.counts[cells])
        return worlds

    @staticmethod
    def _cells_around(ends: Ints) -> slice:
        """From the first to the last of some cells: those of a class are few."""
        first, last = ends.tolist()
        return slice(first, last + 1)

    def cell_of_world(self, world: int) -> int:
        """The cell of the quotient that a world lies in."""
        return int(self.cells_of_worlds(world))

    def cells_of_worlds(self, worlds: Ints | int) -> Ints:
        """The cells of the quotient that some worlds lie in."""
        after: Ints = np.searchsorted(self.first_world, worlds, side="right")
        return after - 1

    def class_of_cell(self, cell: int) -> int:
        """The class of a cell."""
        after = np.searchsorted(self.quotient.starts, cell, side="right")
        return int(after) - 1

    def worlds_of_class(self, index: int) -> range:
        """The worlds of a class."""
        cells = self.quotient.starts[index : index + 2]
        start, end = self.first_world[cells].tolist()
        return range(start, end)

    def rows_of_class(self, index: int) -> Ints:
        """The rows of a class, in the order of its worlds."""
        if index not in self._rows:
            start, end = self.quotient.starts[index : index + 2].tolist()
            inside = (self.cell_of_group >= start) & (self.cell_of_group < end)
            rows, groups = self.elsewhere.rows_of(np.flatnonzero(inside))
            # The rows are ascending, and stay so within each cell.
            order = np.argsort(self.cell_of_group[groups], kind="stable")
            self._rows[index] = rows[order]
        return self._rows[index]

    def row(self, world: int) -> int:
        """The row of the table that a world is."""
        cell = self.cell_of_world(world)
        if world == self.first_world[cell]:
            # It came with the count: the rows of its class are not asked for.
            return int(self.first_row[cell])
        index = self.class_of_cell(cell)
        rows = self.rows_of_class(index)
        place = world - self.worlds_of_class(index).start
        return int(rows[place])

    def world(self, row: int) -> int:
        """The world that a row of the table is."""
        # Whoever is shown is of a class whose rows were asked for already.
        for index, rows in self._rows.items():
            if row in rows:
                return self._world_in(index, row)
        first_in = np.flatnonzero(self.first_row == row)
        if len(first_in):
            return int(self.first_world[first_in[0]])
        (group,) = self.elsewhere.groups_of([row])
        cell = int(self.cell_of_group[group])
        index = self.class_of_cell(cell)
        return self._world_in(index, row)

    def _world_in(self, index: int, row: int) -> int:
        """The world that a row of a class is."""
        (place,) = np.flatnonzero(self.rows_of_class(index) == row).tolist()
        start: int = self.worlds_of_class(index).start
        return start + int(place)

    def row_of(self, individual: int) -> int:
        """The row of an individual."""
        return individual if self.people is None else self.people.row(individual)

    def people_of(self, rows: Ints) -> Ints:
        """The individuals behind some rows, rising."""
        rising = np.sort(rows)
        if self.people is None:
            return rising
        return np.sort(self.people.people(rising))

    def at_worlds(self, formula: s.Formula) -> s.Formula:
        """A formula with the world of each row that it names."""
        changed = s.rebuild(formula, self.at_worlds)
        if isinstance(changed, s.At | s.Nominal) and isinstance(changed.name, s.Row):
            return replace(changed, name=s.Row(self.world(changed.name.index)))
        return changed

    def worlds_of_people(self) -> Ints:
        """The world of each individual: all rows are asked for."""
        worlds = self.worlds()
        if self.people is None:
            return worlds
        every_row = np.arange(len(worlds))
        homes = np.empty_like(worlds)
        homes[self.people.people(every_row)] = worlds
        return homes

    def worlds(self) -> Ints:
        """The world of each row of the table: all rows are asked for."""
        groups = np.arange(len(self.elsewhere.counts))
        rows, of_groups = self.elsewhere.rows_of(groups)
        order = np.argsort(self.cell_of_group[of_groups], kind="stable")
        worlds = np.empty(len(rows), dtype=np.int64)
        worlds[rows[order]] = np.arange(len(rows))
        return worlds


def _ends(true: Bools) -> Ints:
    """The first and the last place where something is true; the first where nowhere."""
    places = np.flatnonzero(true)
    return places[[0, -1]] if places.size else np.zeros(2, dtype=np.int64)
