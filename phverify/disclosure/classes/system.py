"""Classes of rows and the answers over them: integers z that say by how much a class is
otherwise than in the data, within bounds, such that all sums are 0.

Answers say of a column that ``sum of factor * z = 0`` for each group of a selection,
for the data itself has these answers.  A class is *tight* where all its rows have one
value and none of them can have another unless z is not 0; in any other class two rows
can exchange their cells, or one can have as much more as another has less.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from phverify.disclosure.classes.fragment import TWO
from phverify.disclosure.classes.selected import (
    Flags,
    Ints,
    SelectedRows,
    added,
    first_of,
    refined,
)


@dataclass(frozen=True, eq=False)
class Entries:
    """A sparse matrix: entry by entry its row, its column and the factor there."""

    rows: Ints
    columns: Ints
    factors: Ints
    height: int

    def times(self, vector: Ints) -> Ints:
        """The matrix times a vector of integers, exactly."""
        products = self.factors * vector[self.columns]
        return added(self.rows, products, self.height)

    def transposed(self, vector: Ints, width: int) -> Ints:
        """The vector times the matrix, exactly."""
        products = self.factors * vector[self.rows]
        return added(self.columns, products, width)

    def part(self, members: Ints, width: int) -> Entries:
        """The matrix of some columns, in their order, with the rows they are in."""
        places = np.full(width, -1, dtype=np.int64)
        places[members] = np.arange(len(members))
        here = places[self.columns]
        inside = np.flatnonzero(here >= 0)
        met = self.rows[inside]
        kept, rows = np.unique(met, return_inverse=True)
        numbers = rows.astype(np.int64)
        return Entries(
            numbers.reshape(-1),
            here[inside],
            self.factors[inside],
            len(kept),
        )


@dataclass(frozen=True, eq=False)
class ClassSystem:
    """The classes of a column after some selections.

    ``label`` says in which of them each of the finest classes is; ``origins`` are the
    selections that the rows of the matrix are of, by their place.  ``lowest`` and
    ``highest`` are rows of the table with the least and the greatest value of a class.
    """

    entries: Entries
    origins: Ints
    label: Ints
    low: Ints
    high: Ints
    tight: Flags
    lowest: Ints
    highest: Ints

    @property
    def width(self) -> int:
        """How many classes there are."""
        return len(self.low)


@dataclass(frozen=True, eq=False)
class FinestClasses:
    """The classes that all selections of a column leave, and what is in them.

    ``of_row`` is the class of each row of the table.
    """

    of_row: NDArray[np.int32]
    sizes: Ints
    sums: Ints
    lowest: Ints
    highest: Ints


class ColumnClasses:
    """One sensitive column: its selections in the order of the log, and its classes.

    ``values`` are the codes of the data, ``ends`` the least and the greatest code.
    """

    def __init__(self, kind: str, values: Ints, ends: tuple[int, int]) -> None:
        self.kind = kind
        self.values = values
        self.ends = ends
        self.learned: list[SelectedRows] = []
        self.numbers: list[int] = []
        self._labels: list[Ints] = []

    def learn(self, rows: SelectedRows, number: int) -> None:
        """One more selection, of the query of this number."""
        self.learned.append(rows)
        self.numbers.append(number)

    def knows(self, rows: SelectedRows) -> bool:
        """Whether an earlier selection has the same sums, up to one factor."""
        if not rows.uniform:
            return False
        for earlier in self.learned:
            same = earlier.groups is rows.groups
            if same and earlier.uniform:
                return True
        return False

    @cached_property
    def finest(self) -> FinestClasses:
        """The classes after all selections."""
        numbers = np.zeros(len(self.values), dtype=np.int64)
        seen: dict[int, NDArray[np.int32]] = {}
        for rows in self.learned:
            # Selections of the same groups tell the same rows apart.
            if id(rows.groups) not in seen:
                numbers = refined(numbers, rows.groups.astype(np.int64))
            seen[id(rows.groups)] = rows.groups
            if len(rows.factors) and rows.factors.min() < rows.factors.max():
                numbers = refined(numbers, rows.factors)
        count = int(numbers.max()) + 1 if len(numbers) else 0
        ones = np.ones(len(numbers), dtype=np.int64)
        sums = added(numbers, self.units(self.values), count)
        order = np.lexsort((self.values, numbers))
        starts = first_of(numbers[order])
        ends = np.append(starts[1:], len(order)) - 1
        return FinestClasses(
            numbers.astype(np.int32),
            added(numbers, ones, count),
            sums,
            order[starts],
            order[ends] if count else starts,
        )

    def units(self, values: Ints) -> Ints:
        """What rows add to the integer of their class."""
        if self.kind == TWO:
            second: Ints = np.where(values == self.ends[1], 1, 0)
            return second
        return values

    @cached_property
    def selections(self) -> list[tuple[Ints, Ints]]:
        """Group and factor of each of the finest classes, by selection."""
        of_row = self.finest.of_row.astype(np.int64)
        firsts = first_of(of_row)
        found = []
        for rows in self.learned:
            groups = rows.groups[firsts]
            factors = rows.factors[firsts]
            found.append((groups.astype(np.int64), factors))
        return found

    def label(self, level: int) -> Ints:
        """The class of each of the finest classes after so many selections."""
        if not self._labels:
            self._labels.append(np.zeros(len(self.finest.sizes), dtype=np.int64))
        while len(self._labels) <= level:
            groups, factors = self.selections[len(self._labels) - 1]
            finer = refined(refined(self._labels[-1], groups), factors)
            self._labels.append(finer)
        return self._labels[level]

    def system(self, level: int) -> ClassSystem:
        """The classes and sums after so many selections."""
        return self.of_label(self.label(level), level)

    def of_finest(self) -> ClassSystem:
        """The finest classes with all sums."""
        sizes = self.finest.sizes
        count = len(sizes)
        each = np.arange(count)
        every = len(self.learned)
        return self.of_label(each, every)

    def of_label(self, label: Ints, level: int) -> ClassSystem:
        """The classes that a label makes of the finest, with the first sums."""
        finest = self.finest
        firsts = first_of(label)
        width = len(firsts)
        sizes = added(label, finest.sizes, width)
        sums = added(label, finest.sums, width)
        lowest = self._extreme(label, finest.lowest, 1)
        highest = self._extreme(label, finest.highest, -1)
        first, last = (0, 1) if self.kind == TWO else self.ends
        low, high = sizes * first - sums, sizes * last - sums
        same = self.values[lowest] == self.values[highest]
        at_end = (low == 0) | (high == 0)
        tight = same & ((sizes == 1) | at_end)
        entries, origins = self._entries(firsts, level)
        return ClassSystem(entries, origins, label, low, high, tight, lowest, highest)

    def _extreme(self, label: Ints, rows: Ints, sign: int) -> Ints:
        """A row of the least (1) or greatest (-1) value of each class."""
        values = sign * self.values[rows]
        keys = values, label
        order = np.lexsort(keys)
        ordered = label[order]
        firsts = first_of(ordered)
        chosen: Ints = rows[order[firsts]]
        return chosen

    def _entries(self, firsts: Ints, level: int) -> tuple[Entries, Ints]:
        """The sums of the first selections, over the classes of these."""
        parts: list[Sequence[Ints]] = []
        origins = [np.zeros(0, dtype=np.int64)]
        height = 0
        for place, (groups, factors) in enumerate(self.selections[:level]):
            group, factor = groups[firsts], factors[firsts]
            there = np.flatnonzero((group >= 0) & (factor != 0))
            parts.append((height + group[there], there, factor[there]))
            count = len(self.learned[place].names)
            origins.append(np.full(count, place, dtype=np.int64))
            height += count
        columns = []
        for place in range(3):
            of_parts = [part[place] for part in parts]
            empty = np.zeros(0, dtype=np.int64)
            columns.append(np.concatenate([empty, *of_parts]))
        entries = Entries(columns[0], columns[1], columns[2], height)
        return entries, np.concatenate(origins)

    def spread(self, codes: Ints, of_row: Ints, moves: Ints) -> Ints:
        """Let the rows of each class together have so much more, the first ones as far
        as they can; by class a row that is otherwise then, -1 where there is none.

        ``of_row`` is the class of each row, ``moves`` are those of the classes.
        """
        rows = np.flatnonzero(moves[of_row])
        rows = rows[np.argsort(of_row[rows], kind="stable")]
        names = of_row[rows]
        ahead = moves[names] > 0
        first, last = self.ends
        room = np.where(ahead, last - codes[rows], codes[rows] - first)
        # What one more in a class is to a code: all, of two values.
        unit = last - first if self.kind == TWO else 1
        room = room // unit
        together = np.cumsum(room)
        starts = np.searchsorted(names, names)
        # What the rows of a class before each one have room for.
        before = together - room - (together[starts] - room[starts])
        steps = np.clip(np.abs(moves[names]) - before, 0, room)
        codes[rows] += np.where(ahead, steps, -steps) * unit
        changed = np.full(len(moves), -1, dtype=np.int64)
        touched = steps > 0
        changed[names[touched]] = rows[touched]
        return changed
