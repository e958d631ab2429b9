"""Schemes without a hierarchy: cut points of an ordered attribute, and arbitrary partitions (Definition 6)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import ClassVar

import numpy as np

from phverify.exact import Bools, Ints
from phverify.generalization.spaces.scheme import Clause, Measure, NoLevels, Scheme, joined
from phverify.microdata.table import Label

LARGEST = 8
"""Values of an attribute whose partitions are all tried."""


def pair_costs(counts: Ints) -> dict[tuple[int, int], Fraction]:
    """What it costs to make two values one: (leaves - 1) / (domain - 1) of a block is a sum over its pairs."""
    m = len(counts)
    return {(v, w): Fraction(int(counts[v] + counts[w]), m - 1) for v, w in combinations(range(m), 2)}


@dataclass(frozen=True, eq=False)
class Intervals(Scheme):
    """Runs of consecutive values; ``values`` are in order, lowest first, a missing cell last.

    Unknown j says that values j and j + 1 share a block.  A missing cell joins only when everything is one block.
    Block (a, b), numbered ``a * m + b``, is values a to b.
    """

    kind: ClassVar[str] = "intervals"

    @property
    def m(self) -> int:
        return len(self.values)

    @property
    def decisions(self) -> int:
        return self.m - 1

    @cached_property
    def _pairs(self) -> dict[tuple[int, int], int]:
        """The unknown that says that two values share a block."""
        near = {(j, j + 1): j for j in range(self.m - 1)}
        far = [(v, w) for w in range(self.m) for v in range(w - 1) if w < self.m - 1 or None not in self.values]
        return near | {pair: self.m - 1 + k for k, pair in enumerate(far)}

    @property
    def size(self) -> int:
        return len(self._pairs)

    def extended(self, truth: Bools) -> Bools:
        block = self.blocks(truth)
        found = np.zeros(self.size, dtype=bool)
        for (v, w), k in self._pairs.items():
            found[k] = block[v] == block[w]
        return found

    @property
    def _lonely(self) -> bool:
        """Whether the last value is the missing one, beside others."""
        return None in self.values and self.m > 1

    def constraints(self) -> list[Clause]:
        return [*self._together(), *self._missing()]

    def _together(self) -> Iterator[Clause]:
        for (v, w), k in self._pairs.items():
            if w > v + 1:
                shorter, last = self._pairs[v, w - 1], self._pairs[w - 1, w]
                yield -(shorter + 1), -(last + 1), k + 1
                yield -(k + 1), shorter + 1
                yield -(k + 1), last + 1

    def _missing(self) -> Iterator[Clause]:
        if self._lonely:
            yield from ((-(self.m - 1), j + 1) for j in range(self.m - 2))

    def blocks(self, truth: Bools) -> Ints:
        first = np.concatenate([[True], ~truth])
        start = np.flatnonzero(first)
        end = np.append(start[1:], self.m) - 1
        number = np.cumsum(first) - 1
        result: Ints = (start * self.m + end)[number]
        return result

    def _ends(self, block: int) -> tuple[int, int]:
        return divmod(block, self.m)

    def label(self, block: int) -> Label:
        a, b = self._ends(block)
        if a == b:
            return self.values[a]
        return "*" if (a, b) == (0, self.m - 1) else f"{self.values[a]}..{self.values[b]}"

    def members(self, block: int) -> tuple[int, ...]:
        a, b = self._ends(block)
        return tuple(range(a, b + 1))

    def valid(self, block: int) -> bool:
        a, b = self._ends(block)
        return 0 <= a <= b < self.m and not (self._lonely and b == self.m - 1 and 0 < a < b)

    def wider(self, block: int, truth: Bools) -> tuple[int, ...]:
        a, b = self._ends(block)
        last = self.m - 1
        if self._lonely and (a == last or (a, b) == (0, last - 1)):
            return (last,)  # everything: block (0, last)
        number = self.blocks(truth)
        left = [(self._ends(int(number[a - 1]))[0], b)] if a else []
        right = [(a, self._ends(int(number[b + 1]))[1])] if b < last - self._lonely else []
        return tuple(x * self.m + y for x, y in (*left, *right))

    def cut(self, block: int) -> Clause:
        a, b = self._ends(block)
        return (*((a,) if a else ()), *((b + 1,) if b < self.m - 1 else ()))

    def avoided(self, block: int) -> Clause:
        a, b = self._ends(block)
        return (*self.cut(block), *(-(j + 1) for j in range(a, b)))

    def raised(self, truth: Bools, unknown: int) -> Bools:
        if self._lonely and unknown == self.m - 2:
            return self.top()
        result: Bools = truth | (np.arange(self.decisions) == unknown)
        return result

    def beyond(self, truth: Bools) -> list[int]:
        return [int(j) for j in np.flatnonzero(~truth)]

    def costs(self, measure: Measure, counts: Ints) -> list[Fraction]:
        if measure:
            raise NoLevels(self.name)
        found = [Fraction(0)] * self.size
        for (v, w), cost in pair_costs(counts).items():
            found[self._pairs.get((v, w), self.m - 2)] += cost  # a missing cell shares a block iff all values do
        return found


@dataclass(frozen=True, eq=False)
class Partitions(Scheme):
    """Any partition of the values.  Unknown (v, w) says that two values share a block; blocks are bit sets."""

    kind: ClassVar[str] = "partitions"

    @cached_property
    def _pairs(self) -> dict[tuple[int, int], int]:
        return {pair: k for k, pair in enumerate(combinations(range(len(self.values)), 2))}

    @property
    def decisions(self) -> int:
        return len(self._pairs)

    def _unknown(self, v: int, w: int) -> int:
        return self._pairs[min(v, w), max(v, w)]

    def constraints(self) -> list[Clause]:
        found: list[Clause] = []
        for u, v, w in combinations(range(len(self.values)), 3):
            a, b, c = self._unknown(u, v) + 1, self._unknown(v, w) + 1, self._unknown(u, w) + 1
            found += [(-a, -b, c), (-a, b, -c), (a, -b, -c)]
        return found

    def blocks(self, truth: Bools) -> Ints:
        m = len(self.values)
        masks = [1 << v for v in range(m)]
        for (v, w), k in self._pairs.items():
            if truth[k]:
                masks[v] |= 1 << w
                masks[w] |= 1 << v
        return np.array(masks, dtype=np.int64)

    def label(self, block: int) -> Label:
        members = self.members(block)
        if len(members) == 1:
            return self.values[members[0]]
        return "*" if len(members) == len(self.values) else joined([self.values[v] for v in members])

    def members(self, block: int) -> tuple[int, ...]:
        return tuple(v for v in range(len(self.values)) if block >> v & 1)

    def _others(self, block: int) -> list[int]:
        return [v for v in range(len(self.values)) if not block >> v & 1]

    def valid(self, block: int) -> bool:
        return 0 < block < 1 << len(self.values)

    def wider(self, block: int, truth: Bools) -> tuple[int, ...]:
        masks = self.blocks(truth)
        return tuple(sorted({block | int(masks[v]) for v in self._others(block)}))

    def cut(self, block: int) -> Clause:
        return tuple(sorted(self._unknown(v, w) + 1 for v in self.members(block) for w in self._others(block)))

    def avoided(self, block: int) -> Clause:
        inside = combinations(self.members(block), 2)
        return (*self.cut(block), *(-(self._unknown(v, w) + 1) for v, w in inside))

    def raised(self, truth: Bools, unknown: int) -> Bools:
        pair = next(pair for pair, k in self._pairs.items() if k == unknown)
        masks = self.blocks(truth)
        both = int(masks[pair[0]] | masks[pair[1]])
        inside = {self._unknown(v, w) for v, w in combinations(self.members(both), 2)}
        return truth | np.isin(np.arange(self.decisions), list(inside))

    def beyond(self, truth: Bools) -> list[int]:
        return [int(k) for k in np.flatnonzero(~truth)]

    def costs(self, measure: Measure, counts: Ints) -> list[Fraction]:
        if measure:
            raise NoLevels(self.name)
        costs = pair_costs(counts)
        return [costs[pair] for pair in self._pairs]
