"""How many records of a class can be left when it is cut into classes that satisfy a
criterion, and the rest is withheld.

Limits on shares add up: what holds of each class holds of all of them together.  So
however a class is cut, the released part of it is within the limits, and so many
records at least are withheld in everything finer (``encodings/merge-closure.md``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

from phverify.spec.criterion.base import Counts, total
from phverify.spec.source import Label

ShareRange = tuple[Fraction, Fraction]
"""The least and the largest share that a value can have."""


def share_ranges(whole: Counts, withheld: int) -> dict[Label, ShareRange]:
    """Between which shares each value is once at most so many records are withheld.

    ``whole`` are the counts before that.
    """
    rows = total(whole)
    left = rows - withheld
    if left <= 0:
        return dict.fromkeys(whole, (Fraction(0), Fraction(1)))
    ranges = {}
    for value, count in whole.items():
        # Least where all that is withheld has the value, largest where nothing has.
        fewest = max(count - withheld, 0)
        most = min(count, left)
        low = Fraction(fewest, left)
        high = Fraction(most, left)
        ranges[value] = low, high
    return ranges


@dataclass(frozen=True, eq=False)
class Limits:
    """What shares values have in each class that satisfies a criterion.

    What exceeds ``most`` is at most ``slack`` in all, and no value has less than its
    ``least`` share.  Values that are not named may have any share.
    """

    most: Mapping[Label, Fraction]
    slack: Fraction
    least: Mapping[Label, Fraction]

    # For counts n_v of n rows: the sum over v of max(0, n_v - most_v n) is at most
    # slack n, and n_v >= least_v n.  A maximum of sums is at most the sum of maxima.

    def allows(self, inside: Counts, rows: int) -> bool:
        """Whether so many records of a class may be left, as far as this tells.

        If it allows some number, then each smaller one.
        """
        unit = self.unit
        for value, share in self._least:
            if share * rows > inside.get(value, 0) * unit:
                return False
        # Of each value no more than there are, and no more than its share.
        room = 0
        for value, count in inside.items():
            share = self._most.get(value, unit)
            room += min(count * unit, share * rows)
        return room >= self._room * rows

    @cached_property
    def unit(self) -> int:
        """A number that makes all shares whole."""
        shares = [self.slack]
        shares += self.most.values()
        shares += self.least.values()
        return lcm(*(share.denominator for share in shares))

    @cached_property
    def _most(self) -> dict[Label, int]:
        most = {}
        for value, share in self.most.items():
            most[value] = int(share * self.unit)
        return most

    @cached_property
    def _least(self) -> list[tuple[Label, int]]:
        least = []
        for value, share in self.least.items():
            units = int(share * self.unit)
            least.append((value, units))
        return least

    @cached_property
    def _room(self) -> int:
        room = 1 - self.slack
        return int(room * self.unit)

    def left(self, inside: Counts) -> int:
        """The largest number of records of a class that may be left."""
        low, high = 0, total(inside)
        while low < high:
            middle = (low + high + 1) // 2
            if self.allows(inside, middle):
                low = middle
            else:
                high = middle - 1
        return low
