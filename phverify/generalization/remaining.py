"""How many records of classes must be withheld, in a candidate and everything finer.

The same as ``phverify.spec.criterion.limits``, for all classes at once.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import numpy as np

from phverify.exact import Bools, Ints, ints
from phverify.microdata.histogram import ClassHistogram
from phverify.spec.criterion.limits import Limits

CHUNK = 1_000_000
"""So many counts are looked at together."""


def left(histogram: ClassHistogram, limits: Limits, classes: Ints) -> Ints:
    """For each of these classes the largest number of its records that may be left."""
    values = len(histogram.labels)
    step = max(1, CHUNK // values)
    parts: list[Ints] = [np.zeros(0, dtype=np.int64)]
    for first in range(0, len(classes), step):
        counts = histogram.table(classes[first : first + step])
        parts.append(_left(counts, _Whole.of(histogram, limits)))
    return np.concatenate(parts)


def exceeding(histogram: ClassHistogram, limits: Limits, classes: Ints) -> Bools:
    """For each of these classes whether it is beyond the limits as it is."""
    values = len(histogram.labels)
    step = max(1, CHUNK // values)
    whole = _Whole.of(histogram, limits)
    parts: list[Bools] = [np.zeros(0, dtype=bool)]
    for first in range(0, len(classes), step):
        some = classes[first : first + step]
        counts = histogram.table(some)
        parts.append(~_allowed(counts, histogram.sizes[some], whole))
    return np.concatenate(parts)


class _Whole:
    """Limits times ``unit``, which makes them whole, in the order of the values."""

    def __init__(self, unit: int, most: list[int], least: list[int], room: int) -> None:
        self.unit = unit
        self.most = most
        self.least = least
        self.room = room

    @classmethod
    def of(cls, histogram: ClassHistogram, limits: Limits) -> _Whole:
        """The limits of the values of a histogram."""
        labels = histogram.labels
        most = [limits.most.get(label, Fraction(1)) for label in labels]
        least = [limits.least.get(label, Fraction(0)) for label in labels]
        room = 1 - limits.slack
        denominators = [share.denominator for share in (*most, *least, room)]
        unit = lcm(*denominators)
        return cls(
            unit,
            [int(share * unit) for share in most],
            [int(share * unit) for share in least],
            int(room * unit),
        )


def _left(counts: Ints, limits: _Whole) -> Ints:
    """By halving: what allows some number of records allows each smaller one."""
    low: Ints = np.zeros(len(counts), dtype=np.int64)
    high: Ints = counts.sum(axis=1)
    while (low < high).any():
        middle = (low + high + 1) // 2
        allowed = _allowed(counts, middle, limits)
        low = np.where(allowed, middle, low)
        high = np.where(allowed, high, middle - 1)
    return low


def _allowed(counts: Ints, rows: Ints, limits: _Whole) -> Bools:
    """For each class whether so many of its records may be left."""
    largest = max(limits.unit, abs(limits.room), *limits.most, *limits.least)
    # No sum over the values of a class passes this.
    size = int(counts.sum(axis=1).max()) + 1
    bound = (largest + 1) * size * counts.shape[1]
    own = ints(counts, bound) * limits.unit
    wanted = ints(rows, bound)
    by_class = wanted[:, None]
    most = by_class * np.array(limits.most, dtype=own.dtype)
    least = by_class * np.array(limits.least, dtype=own.dtype)
    room = np.minimum(own, most).sum(axis=1)
    enough = room >= wanted * limits.room
    scarce = (least > own).any(axis=1)
    allowed: Bools = np.asarray(enough & ~scarce, dtype=bool)
    return allowed
