"""How many records of classes must be withheld, in a candidate and everything finer.

The same as ``phverify.spec.criterion.limits``, for all classes at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import lcm

import numpy as np

from phverify.exact import Bools, Ints, ints
from phverify.microdata.histogram import ClassHistogram
from phverify.spec.criterion.limits import Limits
from phverify.spec.source import Values

CHUNK = 1_000_000
"""So many counts are looked at together."""


def left(histogram: ClassHistogram, limits: Limits, classes: Ints) -> Ints:
    """For each of these classes the largest number of its records that may be left."""
    values = len(histogram.labels)
    step = max(1, CHUNK // values)
    parts: list[Ints] = [np.zeros(0, dtype=np.int64)]
    for first in range(0, len(classes), step):
        counts = histogram.table(classes[first : first + step])
        parts.append(_left(counts, _whole(histogram.labels, limits)))
    return np.concatenate(parts)


def exceeding(histogram: ClassHistogram, limits: Limits, classes: Ints) -> Bools:
    """For each of these classes whether it is beyond the limits as it is."""
    values = len(histogram.labels)
    step = max(1, CHUNK // values)
    whole = _whole(histogram.labels, limits)
    parts: list[Bools] = [np.zeros(0, dtype=bool)]
    for first in range(0, len(classes), step):
        some = classes[first : first + step]
        counts = histogram.table(some)
        parts.append(~_allowed(counts, histogram.sizes[some], whole))
    return np.concatenate(parts)


@dataclass(frozen=True, eq=False)
class _Whole:
    """Limits times ``unit``, which makes them whole, in the order of the values."""

    unit: int
    most: list[int]
    least: list[int]
    room: int


@lru_cache(maxsize=16)
def _whole(labels: Values, limits: Limits) -> _Whole:
    """The limits of some values: the same for all candidates of a search."""
    most = [limits.most.get(label, Fraction(1)) for label in labels]
    least = [limits.least.get(label, Fraction(0)) for label in labels]
    room = 1 - limits.slack
    denominators = [share.denominator for share in (*most, *least, room)]
    unit = lcm(*denominators)
    return _Whole(
        unit,
        [int(share * unit) for share in most],
        [int(share * unit) for share in least],
        int(room * unit),
    )


def _left(counts: Ints, limits: _Whole) -> Ints:
    """From above: what is too many gives way to what its own bound allows.

    Of each value no more are left than there are, and no more than its share.  What of
    the two is less at some number of records bounds each smaller number, too: in all,
    no number between the next one and this one is allowed.
    """
    own, most, least = _in_units(counts, limits)
    found: Ints = counts.sum(axis=1).astype(own.dtype)
    for k in np.flatnonzero(least):
        found = np.minimum(found, own[:, k] // least[k])
    waiting = np.arange(len(counts))
    while len(waiting):
        some = own[waiting]
        rows = found[waiting]
        share = rows[:, None] * most
        few = some < share
        there = np.where(few, some, 0).sum(axis=1)
        slope = np.where(few, 0, most).sum(axis=1)
        many = there + slope * rows < limits.room * rows
        waiting = waiting[many]
        # With too many records the slope is below the room: nothing is divided by 0.
        found[waiting] = there[many] // (limits.room - slope[many])
    # Whatever they were computed in: counts are small.
    whole: Ints = found.astype(np.int64)
    return whole


def _in_units(counts: Ints, limits: _Whole) -> tuple[Ints, Ints, Ints]:
    """Counts times ``unit``, and the limits, in integers that hold their sums."""
    largest = max(limits.unit, abs(limits.room), *limits.most, *limits.least)
    # No sum over the values of a class passes this.
    size = int(counts.sum(axis=1).max(initial=0)) + 1
    bound = (largest + 1) * size * counts.shape[1]
    own = ints(counts, bound) * limits.unit
    most: Ints = np.array(limits.most, dtype=own.dtype)
    least: Ints = np.array(limits.least, dtype=own.dtype)
    return own, most, least


def _allowed(counts: Ints, rows: Ints, limits: _Whole) -> Bools:
    """For each class whether so many of its records may be left."""
    own, most, least = _in_units(counts, limits)
    wanted = rows.astype(own.dtype)
    by_class = wanted[:, None]
    room = np.minimum(own, by_class * most).sum(axis=1)
    enough = room >= wanted * limits.room
    scarce = (by_class * least > own).any(axis=1)
    allowed: Bools = np.asarray(enough & ~scarce, dtype=bool)
    return allowed
