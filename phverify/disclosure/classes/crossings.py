"""Worlds where many walks leave the large sums as they are only together.

Most sums are of few rows: those by a column with many values.  This column is the
*place*; the columns that are read together with it fall into *parts* that no selection
reads together there.  In one place a class is a cell, with a value in each part.  One
more of a cell needs for each part one less of a cell with the same value there, and
these leave values for further cells with one more: a *crossing*, of which all sums that
read the place are as before.

Sums that do not read it are few, and over many classes.  What is left of them after
many crossings is brought back to 0 by more crossings that make it less, or as much.
The world is looked at as a whole before anybody sees it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np

from phverify.disclosure.classes.cells import CellNumbers, Group, place_and_parts
from phverify.disclosure.classes.rotations import (
    CHECKED,
    LITTLE,
    Attributes,
    Walk,
    WalkState,
)
from phverify.disclosure.classes.selected import Ints
from phverify.disclosure.classes.system import ClassSystem

TRIES, DRAWN = 20, 40_000
"""So many crossings are drawn for a class at least, and for all together."""
ROUNDS, REPAIRS = 40, 50_000
"""So many rounds at most bring the large sums back to 0, each of so many crossings that
are drawn.
"""
UNDONE = 5
"""So many crossings are taken back after a round in vain."""
LIMITS = (100, 20)
"""What the squares of the large sums may come to in between, one after the other where
they could not be brought back.
"""
One = TypeVar("One")


class LeftOver:
    """What many crossings together leave of each sum; ``squares`` is the sum of its
    squares, 0 in a world.
    """

    def __init__(self, system: ClassSystem) -> None:
        entries = system.entries
        order = np.argsort(entries.columns, kind="stable")
        each = np.arange(system.width + 1)
        starts = np.searchsorted(entries.columns[order], each)
        self.starts = starts.tolist()
        self.rows = entries.rows[order].tolist()
        self.factors = entries.factors[order].tolist()
        by_row = np.argsort(entries.rows, kind="stable")
        each = np.arange(entries.height + 1)
        self.row_starts = np.searchsorted(entries.rows[by_row], each).tolist()
        self.members = entries.columns[by_row].tolist()
        self.row_factors = entries.factors[by_row].tolist()
        self.sums: dict[int, int] = {}
        self.squares = 0

    def of(self, walk: Walk) -> dict[int, int]:
        """What a crossing adds to the sums, where it adds something."""
        found: dict[int, int] = {}
        for place, step in walk:
            for entry in range(self.starts[place], self.starts[place + 1]):
                row = self.rows[entry]
                found[row] = found.get(row, 0) + self.factors[entry] * step
        return {row: more for row, more in found.items() if more}

    def change(self, added: Mapping[int, int]) -> int:
        """By how much the squares become more."""
        sums = self.sums
        return sum(more * (2 * sums.get(row, 0) + more) for row, more in added.items())

    def add(self, added: Mapping[int, int]) -> None:
        """After one more crossing."""
        self.squares += self.change(added)
        for row, more in added.items():
            left = self.sums.pop(row, 0) + more
            if left:
                self.sums[row] = left

    def against(self, pick: random.Random) -> tuple[int, int]:
        """A class in a sum that is not 0, and the step that makes it less."""
        rows = list(self.sums)
        row = rows[int(pick.random() * len(rows))]
        first, end = self.row_starts[row], self.row_starts[row + 1]
        entry = first + int(pick.random() * (end - first))
        above = (self.sums[row] > 0) == (self.row_factors[entry] > 0)
        return self.members[entry], -1 if above else 1


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
        self.check = check
        self.pick = random.Random(system.width)
        values = {name: len(np.unique(codes)) for name, codes in attributes.items()}
        found = place_and_parts(read, values)
        self.cells: CellNumbers | None = None
        if found is None:
            return
        self.cells = CellNumbers(*found, attributes)
        self.base = self.cells.base.tolist()
        shares = self.cells.shares.items()
        self.shares = {group: share.tolist() for group, share in shares}
        self.able: dict[int, dict[Group, dict[int, list[int]]]] = {}
        ends = {1: system.high > 0, -1: system.low < 0}
        for step, able in ends.items():
            members = open_[able[open_]]
            self.able[step] = {
                group: self.cells.index(members, group) for group in self.shares
            }

    def worlds(self, wanted: Ints) -> Iterator[Ints]:
        """Worlds, each as the moves of all classes; together they move as many of
        ``wanted`` as were found.
        """
        limits = list(LIMITS)
        while self.cells and limits and len(wanted):
            world = self._world(wanted, limits[0])
            if world is None:
                del limits[0]
                continue
            left = wanted[world[wanted] == 0]
            served = len(wanted) - len(left)
            if served:
                yield world
            if served * LITTLE <= len(wanted):
                return
            wanted = left

    def _world(self, wanted: Ints, limit: int) -> Ints | None:
        """One world; None where the large sums could not be brought back."""
        nothing = np.zeros(self.system.width, dtype=np.int64)
        state = WalkState(self.system, wanted, nothing)
        left_over = LeftOver(self.system)
        factors = np.abs(self.system.entries.factors)
        unit = int(factors.max(initial=1)) ** 2
        packed = self._pack(state, left_over, limit * unit)
        # From here on also those may come back to where they were.
        state.left = set()
        if not self._repaired(state, left_over, packed):
            return None
        found = np.array(state.moves, dtype=np.int64)
        # A wrong world is none: the sums are looked at as a whole.
        assert not self.system.entries.times(found).any()
        return found

    def _pack(self, state: WalkState, left_over: LeftOver, limit: int) -> list[Walk]:
        """Crossings of as many classes that are left as possible."""
        packed: list[Walk] = []
        order = sorted(state.left)
        tries = max(TRIES, DRAWN // len(order))
        self.pick.shuffle(order)
        for count, place in enumerate(order):
            if count % CHECKED == 0:
                self.check()
            # An earlier crossing may have come here.
            if state.moves[place]:
                continue
            step = state.step(place, self.pick)
            for _ in range(tries):
                walk = self.crossing(place, step, state)
                if not walk:
                    continue
                added = left_over.of(walk)
                more = left_over.change(added)
                if more <= 0 or left_over.squares + more <= limit:
                    state.go(walk)
                    left_over.add(added)
                    packed.append(walk)
                    break
        return packed

    def _repaired(
        self, state: WalkState, left_over: LeftOver, packed: list[Walk]
    ) -> bool:
        """Whether all sums were brought back to 0."""
        for count in range(ROUNDS):
            before = left_over.squares
            for _ in range(REPAIRS):
                if not left_over.squares:
                    return True
                self._repair(state, left_over)
            self.check()
            if not count and 10 * left_over.squares > 9 * before:
                return False
            if 4 * left_over.squares > 3 * before:
                self._undo(state, left_over, packed)
        return False

    def _repair(self, state: WalkState, left_over: LeftOver) -> None:
        """A crossing after which the sums are not farther from 0, if one is drawn."""
        place, step = left_over.against(self.pick)
        if not state.may(place, step):
            return
        walk = self.crossing(place, step, state)
        if not walk:
            return
        added = left_over.of(walk)
        if left_over.change(added) <= 0:
            state.go(walk)
            left_over.add(added)

    def _undo(self, state: WalkState, left_over: LeftOver, packed: list[Walk]) -> None:
        """Takes back the crossings that leave the least then."""
        packed.sort(key=lambda walk: left_over.change(left_over.of(_back(walk))))
        for walk in packed[:UNDONE]:
            back = _back(walk)
            if all(state.may(place, step) for place, step in back):
                state.go(back)
                left_over.add(left_over.of(back))
        del packed[:UNDONE]

    def crossing(self, place: int, step: int, state: WalkState) -> Walk:
        """A crossing with so much more of a class; nothing where what was drawn is
        none.
        """
        assert self.cells is not None
        groups = self._one(self.cells.ways)
        less: list[int] = []
        for group in groups:
            number = self.base[place] + self.shares[group][place]
            able = self.able[-step][group].get(number)
            if not able:
                return []
            other = self._one(able)
            if other == place or other in less or not state.may(other, -step):
                return []
            less.append(other)
        walk = [(place, step), *[(other, -step) for other in less]]
        return self._closed(walk, groups, less, state)

    def _one(self, several: Sequence[One]) -> One:
        """One of several by chance."""
        return several[int(self.pick.random() * len(several))]

    def _closed(
        self, walk: Walk, groups: Sequence[Group], less: Sequence[int], state: WalkState
    ) -> Walk:
        """A walk with the cells that take what the classes with less have left."""
        assert self.cells is not None
        place, step = walk[0]
        columns = []
        for number, group in enumerate(groups):
            others = [*less[:number], *less[number + 1 :]]
            self.pick.shuffle(others)
            columns.append([self.shares[group][other] for other in others])
        used = {place, *less}
        cells = self.able[step][self.cells.whole]
        for values in zip(*columns, strict=True):
            able = cells.get(self.base[place] + sum(values), ())
            free = [one for one in able if one not in used and state.may(one, step)]
            if not free:
                return []
            chosen = self._one(free)
            used.add(chosen)
            walk.append((chosen, step))
        return walk


def _back(walk: Walk) -> Walk:
    """The crossing that takes another one back."""
    return [(place, -step) for place, step in walk]
