"""Minimal unique combinations: the smallest attribute subsets that single somebody out,
and whom.

A record is unique on attributes when fewer than ``below`` records (2: nobody else)
agree with it there; the subset is minimal for the record when it is unique on none of
the subset's own subsets.  Found level by level, as Apriori and SUDA (Elliot, Manning
and Ford, 2002) do: a subset is looked at for the records that are unique on none of its
subsets with one attribute less, and not at all where there are none.  Records for which
the last attribute changes nothing are left out, too: whatever is added later, it could
be done without.  All records that agree with one that is looked at are looked at
themselves, so that counting among them is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import combinations

import numpy as np

from phverify.exact import Ints
from phverify.linkage.candidates.records import Records
from phverify.linkage.candidates.sets import Candidates, Linkage
from phverify.microdata.keys import packed, ranked
from phverify.microdata.table import CodedTable

LOOKED_AT = 100_000
"""Attribute subsets at most; beyond them the answer says up to which size it is
complete.
"""

KEPT = 2**27
"""Counts of records that are kept of a level at most."""

Subset = tuple[int, ...]
Alive = tuple[Ints, Ints]
"""Records, rising, and how many each could be taken for."""
Counter = Callable[[Subset, Ints], Ints]
"""For a subset of the attributes (by their places) and some records: how many records
each could be taken for.
"""

Candidate = tuple[Subset, Ints, Ints]
"""A subset, the records for which it may be minimal, and the least of their counts
before.
"""


@dataclass(frozen=True, eq=False)
class Exposure:
    """An attribute subset with the places of the records for which it is minimal,
    rising.
    """

    attributes: tuple[str, ...]
    places: Ints
    among: Records

    @property
    def records(self) -> int:
        """For how many records it is minimal."""
        return self.among.how_many(self.places)

    @cached_property
    def rows(self) -> Ints:
        """The records for which it is minimal, rising."""
        return self.among.rows(self.places)

    def first(self, most: int) -> list[int]:
        """The first of these records, at most so many."""
        return self.among.first(self.places, most)

    def exposes(self, row: int) -> bool:
        """Whether it is minimal for a record."""
        place = self.among.place(row)
        return bool(np.isin(place, self.places))


@dataclass(frozen=True, eq=False)
class Uniques:
    """All minimal unique combinations of up to ``searched`` attributes, by size, then
    in the order of the attributes.

    ``complete`` says that there are no larger ones.
    """

    found: tuple[Exposure, ...]
    among: Records
    below: int
    searched: int
    complete: bool

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.among.total

    @property
    def by_size(self) -> tuple[tuple[int, int, int], ...]:
        """For each number of attributes: how many subsets are minimal for somebody, and
        for how many records.
        """
        sizes = sorted({len(exposure.attributes) for exposure in self.found})
        figures: list[tuple[int, int, int]] = []
        for size in sizes:
            exposures = self.of_size(size)
            records = self.among.how_many(_union(exposures))
            figures.append((size, len(exposures), records))

        return tuple(figures)

    @property
    def exposed(self) -> Ints:
        """All records that some subset singles out, rising."""
        return self.among.rows(_union(self.found))

    @property
    def exposed_records(self) -> int:
        """How many records some subset singles out."""
        return self.among.how_many(_union(self.found))

    def of_size(self, size: int) -> tuple[Exposure, ...]:
        """The minimal subsets of so many attributes."""
        exposures: list[Exposure] = []
        for exposure in self.found:
            if len(exposure.attributes) == size:
                exposures.append(exposure)
        return tuple(exposures)

    def of_record(self, row: int) -> tuple[tuple[str, ...], ...]:
        """The minimal subsets for one record."""
        subsets: list[tuple[str, ...]] = []
        for exposure in self.found:
            if exposure.exposes(row):
                subsets.append(exposure.attributes)
        return tuple(subsets)

    def worst(self, most: int) -> tuple[Exposure, ...]:
        """The smallest subsets, among equals those that expose most records, at most so
        many.
        """

        def order(exposure: Exposure) -> tuple[int, int]:
            return len(exposure.attributes), -exposure.records

        return tuple(sorted(self.found, key=order)[:most])


def _union(exposures: Sequence[Exposure]) -> Ints:
    """The places of all of them, rising."""
    none = np.empty(0, dtype=np.int64)
    places = [exposure.places for exposure in exposures]
    return np.unique(np.concatenate([none, *places]))


def uniques(table: CodedTable, attributes: Sequence[str], below: int = 2) -> Uniques:
    """The minimal unique combinations of one table, an original or a release."""
    columns = [table.columns[name] for name in attributes]

    def alike(subset: Subset, rows: Ints) -> Ints:
        # whoever agrees with one of these rows is among them
        codes = [columns[k].codes[rows] for k in subset]
        widths = [len(columns[k].labels) for k in subset]
        _, keys, space = packed(codes, widths, len(rows))
        # Rows with one key agree in all attributes of the subset.
        numbers = ranked(keys, space)[1]
        counts: Ints = np.bincount(numbers)[numbers]
        return counts

    return search(attributes, Records(table.rows), alike, below)


def linked(linkage: Linkage, attributes: Sequence[str], below: int = 2) -> Uniques:
    """The smallest subsets that leave a released record fewer than ``below`` candidates
    among the originals.
    """

    def candidates(subset: Subset, rows: Ints) -> Ints:
        names = tuple(attributes[k] for k in subset)
        return Candidates(linkage, names).sizes[rows]

    return search(attributes, linkage.after, candidates, below)


def search(
    attributes: Sequence[str], records: Records, count: Counter, below: int
) -> Uniques:
    """The minimal subsets on which ``count``, which more attributes never raise, is
    less than ``below``.
    """
    exposures: list[Exposure] = []
    inspected = size = 0
    # above any count: candidates may outnumber the records
    no_count_yet = np.full(records.size, np.iinfo(np.int64).max)
    everybody = np.arange(records.size)
    start: Candidate = ((), everybody, no_count_yet)
    level = iter([start])
    while size <= len(attributes):
        alive: dict[Subset, Alive] = {}
        retained = 0
        for subset, rows, before in level:
            inspected += 1
            retained += len(rows)
            if inspected > LOOKED_AT or retained > KEPT:
                return Uniques(tuple(exposures), records, below, size - 1, False)
            now = count(subset, rows)
            unique = now < below
            if unique.any():
                names = tuple(attributes[k] for k in subset)
                exposure = Exposure(names, rows[unique], records)
                exposures.append(exposure)
            # who is unique is done; an attribute that changes nothing is never needed
            go_on = ~unique & (now < before)
            if go_on.any():
                alive[subset] = rows[go_on], now[go_on]
        size += 1
        level = _next(alive, size, len(attributes))

    return Uniques(tuple(exposures), records, below, len(attributes), True)


def _next(
    alive: Mapping[Subset, Alive], size: int, count: int
) -> Iterator[tuple[Subset, Ints, Ints]]:
    """The subsets of a size with the records that are in all of their subsets with one
    attribute less.

    And for each record the least count on those subsets.
    """
    for prefix in alive:
        # Rising places: each subset is made once, from its prefix.
        first = prefix[-1] + 1 if prefix else 0
        for k in range(first, count):
            subset = (*prefix, k)
            smaller = combinations(subset, size - 1)
            below = [alive[less] for less in smaller if less in alive]
            # nobody is alive on one that is missing
            if len(below) < size:
                continue
            rows, least = reduce(_both, below)
            if len(rows):
                yield subset, rows, least


def _both(one: Alive, other: Alive) -> Alive:
    """The records of both, and the lesser of their counts."""
    rows, counts = one
    other_rows, other_counts = other
    place = np.searchsorted(other_rows, rows)
    place = np.minimum(place, len(other_rows) - 1)
    same = other_rows[place] == rows
    # An attribute is needed where it lowers the count of every smaller subset.
    least = np.minimum(counts[same], other_counts[place[same]])
    return rows[same], least
