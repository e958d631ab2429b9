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

from phverify.spec.criterion.base import Counts, total
from phverify.spec.source import Label


@dataclass(frozen=True)
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
        if any(share * rows > inside.get(v, 0) for v, share in self.least.items()):
            return False
        # Of each value no more than there are, and no more than its share.
        room = Fraction(0)
        for value, count in inside.items():
            share = self.most.get(value, Fraction(1))
            room += min(Fraction(count), share * rows)
        return room >= (1 - self.slack) * rows

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
