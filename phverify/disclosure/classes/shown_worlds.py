"""Second worlds of one column as they are shown: what differs from the data.

A world that was found leaves one row of a class otherwise.  Each other row of the class
has a world, too, where both have exchanged their cells; exchanges in several classes go
together, so that few worlds serve all rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from phverify.disclosure.classes.history import ClassWorld, Codes, ColumnHistory
from phverify.disclosure.classes.selected import Flags, Ints
from phverify.disclosure.classes.system import ColumnClasses
from phverify.disclosure.result import Change, SecondWorld
from phverify.disclosure.worlds.unknowns import AuditFrame


@dataclass(frozen=True, eq=False)
class ShownWorlds:
    """The worlds that tell of each open row that its cell may be otherwise."""

    column: str
    frame: AuditFrame
    classes: ColumnClasses
    history: ColumnHistory
    _told: dict[tuple[int, int], SecondWorld] = field(default_factory=dict)

    def of(self, row: int) -> SecondWorld:
        """A world where the cell of a row is otherwise."""
        values = self.classes.values
        place = int(self._places[row])
        if self._world(place).codes[row] != values[row]:
            return self._made(place, -1)
        rank = int(self._ranks[row])
        if rank >= 0:
            return self._made(place, rank)
        # Two rows of one class with other values exchange them.
        other = int(self._others[row])
        return (
            self._change(row, int(values[other])),
            self._change(other, int(values[row])),
        )

    def _world(self, place: int) -> ClassWorld:
        return self.history.worlds[place]

    @cached_property
    def _places(self) -> Ints:
        """The world of each row, by its class; -1 for a class that has none."""
        of_row = self.classes.finest.of_row
        return self.history.world[of_row]

    @cached_property
    def _rows_of_place(self) -> dict[int, Ints]:
        """The rows of each world, ascending."""
        order = np.argsort(self._places, kind="stable")
        each = np.arange(len(self.history.worlds) + 1)
        starts = np.searchsorted(self._places[order], each).tolist()
        rows: dict[int, Ints] = {}
        for place in range(len(self.history.worlds)):
            first, after = starts[place : place + 2]
            rows[place] = order[first:after]
        return rows

    @cached_property
    def _others(self) -> Ints:
        """For each row the one of its class that is otherwise in its world."""
        others = np.full(len(self._places), -1, dtype=np.int64)
        of_row = self.classes.finest.of_row
        for place, rows in self._rows_of_place.items():
            changed = self._world(place).changed
            others[rows] = changed[of_row[rows]]
        return others

    @cached_property
    def _ranks(self) -> Ints:
        """Numbers from 0 for the rows that are as they truly are in their world, and
        have the value of the one that is otherwise; -1 for all other rows.
        """
        ranks = np.full(len(self._places), -1, dtype=np.int64)
        for place, rows in self._rows_of_place.items():
            alike = rows[self._alike(place, rows)]
            others = self._others[alike]
            order = np.argsort(others, kind="stable")
            rising = others[order]
            # The place of each row among those that exchange with the same one.
            firsts = np.searchsorted(rising, rising)
            ranks[alike[order]] = np.arange(len(order)) - firsts
        return ranks

    def _alike(self, place: int, rows: Ints) -> Flags:
        """Which rows may take what another one has in the world."""
        values = self.classes.values
        others = self._others[rows]
        same = values[rows] == values[others]
        as_it_is = self._world(place).codes[rows] == values[rows]
        return np.asarray(same & as_it_is & (others >= 0))

    def _made(self, place: int, rank: int) -> SecondWorld:
        """What differs in a world where the rows of a rank have exchanged their cells;
        -1: in the world itself.  Made once.
        """
        name = place, rank
        if name not in self._told:
            codes = self._codes(place, rank)
            rows = np.flatnonzero(codes != self.classes.values)
            pairs = zip(rows.tolist(), codes[rows].tolist(), strict=True)
            changes = [self._change(row, code) for row, code in pairs]
            self._told[name] = tuple(changes)
        return self._told[name]

    def _codes(self, place: int, rank: int) -> Codes:
        """The codes of the column in such a world."""
        found = self._world(place).codes
        if rank < 0:
            return found
        every = self._rows_of_place[place]
        rows = every[self._ranks[every] == rank]
        others = self._others[rows]
        codes = found.copy()
        codes[rows] = found[others]
        codes[others] = self.classes.values[others]
        return codes

    def _change(self, row: int, code: int) -> Change:
        """A cell that is otherwise."""
        frame = self.frame
        key = str(frame.keys[row])
        true = frame.truth[self.column][row]
        other = frame.codings[self.column].value(code)
        return Change(key, self.column, true, other)
