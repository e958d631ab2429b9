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
from functools import reduce
from itertools import combinations

import numpy as np

from phverify.exact import Ints
from phverify.linkage.candidates.sets import Candidates, Linkage
from phverify.microdata.quotient import packed, ranked
from phverify.microdata.table import Table

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


@dataclass(frozen=True, eq=False)
class Exposure:
    """An attribute subset with the records for which it is minimal, rising."""

    attributes: tuple[str, ...]
    rows: Ints


@dataclass(frozen=True, eq=False)
class Uniques:
    """All minimal unique combinations of up to ``searched`` attributes, by size, then
    in the order of the attributes.

    ``complete`` says that there are no larger ones.
    """

    found: tuple[Exposure, ...]
    records: int
    below: int
    searched: int
    complete: bool

    @property
    def by_size(self) -> tuple[tuple[int, int, int], ...]:
        """For each number of attributes: how many subsets are minimal for somebody, and
        for how many records.
        """
        sizes = sorted({len(exposure.attributes) for exposure in self.found})
        return tuple(
            (size, len(some), len(_union(some)))
            for size in sizes
            for some in [self.of_size(size)]
        )

    @property
    def exposed(self) -> Ints:
        """All records that some subset singles out, rising."""
        return _union(self.found)

    def of_size(self, size: int) -> tuple[Exposure, ...]:
        return tuple(
            exposure for exposure in self.found if len(exposure.attributes) == size
        )

    def of_record(self, row: int) -> tuple[tuple[str, ...], ...]:
        """The minimal subsets for one record."""
        held = (
            e
            for e in self.found
            if (k := int(np.searchsorted(e.rows, row))) < len(e.rows)
            and e.rows[k] == row
        )
        return tuple(exposure.attributes for exposure in held)

    def worst(self, most: int) -> tuple[Exposure, ...]:
        """The smallest subsets, among equals those that expose most records, at most so
        many.
        """
        return tuple(
            sorted(self.found, key=lambda e: (len(e.attributes), -len(e.rows)))[:most]
        )


def _union(some: Sequence[Exposure]) -> Ints:
    return np.unique(
        np.concatenate(
            [np.empty(0, dtype=np.int64), *(exposure.rows for exposure in some)]
        )
    )


def uniques(table: Table, attributes: Sequence[str], below: int = 2) -> Uniques:
    """The minimal unique combinations of one table, an original or a release."""
    columns = [table.columns[name] for name in attributes]

    def alike(subset: Subset, rows: Ints) -> Ints:
        codes = [columns[k].codes[rows] for k in subset]
        _, keys, space = packed(
            codes, [len(columns[k].labels) for k in subset], len(rows)
        )
        numbers = ranked(keys, space)[1]
        found: Ints = np.bincount(numbers)[numbers]
        return found

    return search(attributes, table.rows, alike, below)


def linked(linkage: Linkage, attributes: Sequence[str], below: int = 2) -> Uniques:
    """The smallest subsets that leave a released record fewer than ``below`` candidates
    among the originals.
    """

    def candidates(subset: Subset, rows: Ints) -> Ints:
        return Candidates(linkage, tuple(attributes[k] for k in subset)).sizes[rows]

    return search(attributes, linkage.released, candidates, below)


def search(
    attributes: Sequence[str], records: int, count: Counter, below: int
) -> Uniques:
    """The minimal subsets on which ``count``, which more attributes never raise, is
    less than ``below``.
    """
    found: list[Exposure] = []
    looked, size = 0, 0
    no_count_yet = np.full(
        records, np.iinfo(np.int64).max
    )  # above any: candidates may outnumber the records
    level: Iterator[tuple[Subset, Ints, Ints]] = iter(
        [((), np.arange(records), no_count_yet)]
    )
    while size <= len(attributes):
        alive: dict[Subset, Alive] = {}
        kept = 0
        for subset, rows, before in level:
            looked, kept = looked + 1, kept + len(rows)
            if looked > LOOKED_AT or kept > KEPT:
                return Uniques(tuple(found), records, below, size - 1, False)
            now = count(subset, rows)
            if (now < below).any():
                found.append(
                    Exposure(tuple(attributes[k] for k in subset), rows[now < below])
                )
            go_on = (now >= below) & (now < before)
            if go_on.any():
                alive[subset] = rows[go_on], now[go_on]
        size += 1
        level = _next(alive, size, len(attributes))
    return Uniques(tuple(found), records, below, len(attributes), True)


def _next(
    alive: Mapping[Subset, Alive], size: int, count: int
) -> Iterator[tuple[Subset, Ints, Ints]]:
    """The subsets of a size with the records that are in all of their subsets with one
    attribute less.

    And for each record the least count on those subsets.
    """
    for prefix in alive:
        for k in range(prefix[-1] + 1 if prefix else 0, count):
            subset = (*prefix, k)
            below = [
                alive[less] for less in combinations(subset, size - 1) if less in alive
            ]
            if len(below) == size:
                rows, least = reduce(_both, below)
                if len(rows):
                    yield subset, rows, least


def _both(one: Alive, two: Alive) -> Alive:
    """The records of both, and the lesser of their counts."""
    place = np.minimum(np.searchsorted(two[0], one[0]), len(two[0]) - 1)
    same = two[0][place] == one[0]
    return one[0][same], np.minimum(one[1][same], two[1][place[same]])
