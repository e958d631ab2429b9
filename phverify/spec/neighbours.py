"""A bound by neighbours: what the nearest records that a class needs cost at least.

The box of a class holds each pair of its tuples, so it costs no less than the least box
of any two of them: their distance.  So a class with tuple t costs at least the distance
within which t has as many records, and different values, as a class needs.  This asks
for pairs of tuples alone, where there are too many boxes to look at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import floor

from phverify.spec.bitset import below, members
from phverify.spec.class_rules import ClassRules
from phverify.spec.data import Refused
from phverify.spec.memory import remembered
from phverify.spec.recoding import Class


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Distances of tuples in parts of ``unit``, rounded down for each attribute."""

    rules: ClassRules
    unit: int

    def require(self, prices: Sequence[int]) -> None:
        """Raises Refused unless every class with a tuple costs its price, at least."""
        if self.rules.space.priced == "entropy":
            raise Refused("entropy has no bound by neighbours")
        counts = self.rules.space.counts
        if len(prices) != len(counts):
            raise Refused(f"{len(prices)} prices are not one for each of {len(counts)}")
        for number, price in enumerate(prices):
            if price < 0:
                raise Refused("a price is below 0")
            # Per record, rounded up: who is nearer than that is counted.
            rate = -(-price // counts[number])
            if rate and self._may_be_class(self.nearer(number, rate)):
                raise Refused(
                    f"tuple {number} has neighbours enough for a class that costs less"
                    " than its price"
                )

    def nearer(self, number: int, rate: int) -> Class:
        """The tuples whose distance to one, itself among them, is below ``rate``."""
        space = self.rules.space
        own = space.codes[number]
        inside = below(len(space.tuples))
        for k, rank in enumerate(own):
            first, last = self._run(k, rank, rate)
            lower = space.tuples_below[k]
            inside &= lower[last + 1] & ~lower[first]
        near = dict.fromkeys(members(inside), 0)
        for k, rank in enumerate(own):
            table = self._from(k, rank)
            ranks = self._columns[k]
            # Most are too far after a few attributes.
            added = [
                (other, so_far + table[ranks[other]]) for other, so_far in near.items()
            ]
            near = {other: distance for other, distance in added if distance < rate}
        return tuple(near)

    def _may_be_class(self, numbers: Class) -> bool:
        needed = self.rules.necessary
        if self.rules.space.records(numbers) < needed.records:
            return False
        for column, least in needed.distinct.items():
            if len(self.rules.counts(column, numbers)) < least:
                return False
        return True

    def _run(self, k: int, rank: int, rate: int) -> tuple[int, int]:
        """The ranks around one whose distance in an attribute is below ``rate``.

        It grows to both sides, since a node of more values costs no less.
        """
        table = self._from(k, rank)
        first, last = rank, rank
        while first > 0 and table[first - 1] < rate:
            first -= 1
        while last + 1 < len(table) and table[last + 1] < rate:
            last += 1
        return first, last

    @remembered
    def _from(self, k: int, rank: int) -> list[int]:
        """The distance of a rank to each in an attribute."""
        space = self.rules.space
        side = space.sides[k]
        distances = []
        for other in range(len(side.values)):
            node = side.node(min(rank, other), max(rank, other))
            distances.append(floor(space.node_price(k, node) * self.unit))
        return distances

    @cached_property
    def _columns(self) -> list[tuple[int, ...]]:
        """The ranks of all tuples, attribute by attribute."""
        return list(zip(*self.rules.space.codes, strict=True))
