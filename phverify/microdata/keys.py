"""Rows as integer keys: some columns of codes as one number a row, and numbers as their
ranks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from phverify.exact import LIMIT, Ints, IntsPair


@dataclass(frozen=True, eq=False)
class Packing:
    """Columns of codes as one integer key per row, and back.

    Mixed radix; when the key space would pass 62 bits, the keys so far are replaced by
    their ranks (``ranks[k]``, taken before column k), so that no key ever overflows.
    """

    sizes: tuple[int, ...]
    ranks: Mapping[int, Ints]

    def pack(self, columns: Sequence[Ints]) -> Ints:
        """The keys of rows that are all known to the packing."""
        key = np.zeros(len(columns[0]) if columns else 0, dtype=np.int64)
        for k, codes in enumerate(columns):
            if k in self.ranks:
                # The ranks are sorted: the place of a key is its rank.
                key = np.searchsorted(self.ranks[k], key)
            key = key * self.sizes[k] + codes
        return key

    def unpack(self, keys: Ints) -> list[Ints]:
        """The codes behind the keys, column by column."""
        columns: list[Ints] = []
        # The last column stands in the lowest digits.
        for k in reversed(range(len(self.sizes))):
            keys, codes = divided(keys, self.sizes[k])
            columns.append(codes)
            keys = self.ranks[k][keys] if k in self.ranks else keys
        return columns[::-1]


def divided(keys: Ints, size: int) -> IntsPair:
    """Quotients and remainders of keys: quicker than numpy's way to both at once."""
    whole = keys // size
    return whole, keys - whole * size


def packed(
    columns: Sequence[Ints], sizes: Sequence[int], rows: int
) -> tuple[Packing, Ints, int]:
    """A packing for these columns, their keys, and how many keys there could be."""
    key = np.zeros(rows, dtype=np.int64)
    space = 1
    ranks: dict[int, Ints] = {}
    for k, (codes, size) in enumerate(zip(columns, sizes, strict=True)):
        # Before the multiplication: a key that overflowed would be another row's.
        if space * size >= LIMIT:
            ranks[k], key = np.unique(key, return_inverse=True)
            space = len(ranks[k])
        # In place: each array less is one walk through memory less.
        key *= size
        key += codes
        space *= size
    return Packing(tuple(sizes), ranks), key, space


def ranked(keys: Ints, space: int) -> IntsPair:
    """Sorted distinct keys (from 0 to below ``space``) and the rank of each key; a
    small space needs no sorting.
    """
    if not small(space, keys):
        distinct, ranks = np.unique(keys, return_inverse=True)
        return distinct, ranks
    distinct = _marked(keys, space)
    # Only the places of keys are written, and only these are read.
    rank = np.empty(space, dtype=np.int64)
    rank[distinct] = np.arange(len(distinct))
    return distinct, rank.take(keys)


def small(space: int, keys: Ints) -> bool:
    """Whether there are so few possible keys that each may have its place."""
    return space <= 8 * len(keys)


def summed(keys: Ints, counts: Ints, space: int, most: int) -> IntsPair:
    """Sorted distinct keys (from 0 to below ``space``), and for each the sum of its
    counts, none of which is above ``most``.
    """
    if small(space, keys):
        distinct = _marked(keys, space)
        # Only the places of keys are written, and only these are read.
        totals = np.empty(space, dtype=np.int64)
        totals[distinct] = 0
        np.add.at(totals, keys, counts)
        return distinct, totals.take(distinct)
    digits = most.bit_length()
    if space << digits < LIMIT:
        # A key with its count in its lowest digits: no order is carried along.
        both = (keys << digits) + counts
        both.sort()
        ordered = both >> digits
        lowest = (1 << digits) - 1
        counts = both & lowest
    else:
        order = np.argsort(keys, kind="stable")
        ordered = keys.take(order)
        counts = counts.take(order)
    starts = starts_of(ordered)[:-1]
    distinct = ordered.take(starts)
    return distinct, np.add.reduceat(counts, starts)


def _marked(keys: Ints, space: int) -> Ints:
    """Sorted distinct keys: counting marks takes one walk, where sorting takes
    several.
    """
    present = np.zeros(space, dtype=bool)
    present[keys] = True
    return np.flatnonzero(present)


def starts_of(ordered: Ints) -> Ints:
    """Where each run of equal numbers (from 0) starts, and the end."""
    steps = np.ones(len(ordered) + 1, dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=steps[1:-1])
    return np.flatnonzero(steps)
