"""The records of a table as a linkage has them: each in a place of its own, or equal
ones in one place where the rows stay in an engine.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from phverify.exact import Ints
from phverify.microdata.table import CodedTable, RowsElsewhere


@dataclass(frozen=True, eq=False)
class Records:
    """So many records, each in its own place of the columns."""

    size: int
    """How many places the columns have."""

    @property
    def total(self) -> int:
        """How many records there are."""
        return self.size

    @property
    def each(self) -> Ints:
        """How many records are in each place."""
        return np.ones(self.size, dtype=np.int64)

    def how_many(self, places: Ints) -> int:
        """How many records are in some places."""
        return len(places)

    def tally(self, keys: Ints, space: int) -> Ints:
        """How many records have each key below ``space``; each place has one."""
        counts: Ints = np.bincount(keys, minlength=space)
        return counts

    def distinct(self, keys: Ints) -> tuple[Ints, Ints]:
        """The keys that occur, rising, and how many records have each."""
        occurring, counts = np.unique(keys, return_counts=True)
        return occurring, counts

    def occurrences(self, keys: Ints, asked: Ints, space: int) -> Ints:
        """How many records have each key that is asked for, all below ``space``."""
        # a table of all keys where they are few, else a search among those that occur
        if space <= 8 * len(keys):
            counts = self.tally(keys, space)
            occurrences: Ints = counts[asked]
            return occurrences
        distinct, counts = self.distinct(keys)
        last = len(distinct) - 1
        place = np.searchsorted(distinct, asked)
        place = np.minimum(place, last)
        occurs = distinct[place] == asked
        return np.where(occurs, counts[place], 0)

    def part(self, places: Ints) -> Records:
        """The records of some places alone, to be counted."""
        return Records(len(places))

    def rows(self, places: Ints) -> Ints:
        """The records in some places, rising."""
        return np.sort(places)

    def first(self, places: Ints, most: int) -> list[int]:
        """The first records in some places, at most so many, rising."""
        rows: list[int] = np.sort(places)[:most].tolist()
        return rows

    def by_row(self, values: Ints) -> Ints:
        """What is said of each place, for each record."""
        return values

    def place(self, row: int) -> int:
        """Where a record is."""
        return row


@dataclass(frozen=True, eq=False)
class CountedRecords(Records):
    """Records of which ``counts`` says how many each place stands for."""

    counts: Ints

    @cached_property
    def total(self) -> int:
        """How many records there are."""
        return int(self.counts.sum())

    @property
    def each(self) -> Ints:
        """How many records are in each place."""
        return self.counts

    def how_many(self, places: Ints) -> int:
        """How many records are in some places."""
        return int(self.counts[places].sum())

    def tally(self, keys: Ints, space: int) -> Ints:
        """How many records have each key below ``space``; each place has one."""
        counts = np.zeros(space, dtype=np.int64)
        # weights of bincount would pass through floats
        np.add.at(counts, keys, self.counts)
        return counts

    def distinct(self, keys: Ints) -> tuple[Ints, Ints]:
        """The keys that occur, rising, and how many records have each."""
        occurring, numbers = np.unique(keys, return_inverse=True)
        return occurring, self.tally(numbers, len(occurring))

    def part(self, places: Ints) -> Records:
        """The records of some places alone, to be counted."""
        return CountedRecords(len(places), self.counts[places])


@dataclass(frozen=True, eq=False)
class RecordsElsewhere(CountedRecords):
    """Records whose rows an engine has; ``firsts`` is the first row of each place.

    Single rows are asked for where somebody is to be named.
    """

    elsewhere: RowsElsewhere
    firsts: Ints

    def rows(self, places: Ints) -> Ints:
        """The records in some places, rising."""
        rows, _ = self.elsewhere.rows_of(places)
        return rows

    def first(self, places: Ints, most: int) -> list[int]:
        """The first records in some places, at most so many, rising."""
        # whoever is among the first k is in one of the k places that begin first
        order = np.argsort(self.firsts[places])
        few = places[order[:most]]
        rows: list[int] = self.rows(few)[:most].tolist()
        return rows

    def by_row(self, values: Ints) -> Ints:
        """What is said of each place, for each record: all rows are asked for."""
        every = np.arange(self.size)
        rows, places = self.elsewhere.rows_of(every)
        said = np.empty(self.total, dtype=values.dtype)
        said[rows] = values[places]
        return said

    def place(self, row: int) -> int:
        """Where a record is."""
        (place,) = self.elsewhere.groups_of([row])
        return place


def records_of(table: CodedTable) -> Records:
    """The records of a table, as they stand in its columns."""
    rows = table.elsewhere
    if rows is None:
        return Records(table.rows)
    return RecordsElsewhere(len(rows.counts), rows.counts, rows, rows.firsts)
