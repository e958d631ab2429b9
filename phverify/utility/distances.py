"""How far the tables of values before and after are apart: total variation, exact.

Of one column, or of two together, it is half the sum over all values of |share of the
original's records - share of the released ones|: the largest difference that the
probability of any event can have.  A released cell is spread evenly over the values
that it stands for; one that stands for none is a value that the original does not have.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np

from phverify.exact import Ints, ints
from phverify.utility.cells import SpreadColumn
from phverify.utility.result import PairDistance, ValueShare

CELLS = 1_000_000
"""The values of two columns together at most; larger tables are left out."""
LISTED = 10
"""Values of a column that are listed with their shares."""


def shares(column: SpreadColumn) -> tuple[list[int], list[int], int]:
    """By value how often it occurs before and after, counted in parts of one number.

    The last entry of what is after stands for cells that are no value; each list adds
    up to the number.
    """
    unit = _unit(column)
    spread = _spread_one(column, unit)
    before = np.bincount(column.before, minlength=len(column.values)).tolist()
    rows, released = column.rows, column.released
    scaled = [count * released * unit for count in before]
    after = [count * rows for count in spread.tolist()]
    whole = rows * released * unit
    after.append(whole - sum(after))
    return [*scaled, 0], after, whole


def distance(column: SpreadColumn) -> Fraction:
    """The total variation distance of a column's values: 0 alike, 1 nothing in
    common.
    """
    before, after, whole = shares(column)
    gaps = (abs(one - other) for one, other in zip(before, after, strict=True))
    return Fraction(sum(gaps), 2 * whole)


def listed_shares(column: SpreadColumn) -> tuple[ValueShare, ...]:
    """The values whose shares differ most; those alike by their order."""
    before, after, whole = shares(column)
    gaps = [abs(one - other) for one, other in zip(before, after, strict=True)]
    # The last entry is no value.
    numbers = range(len(column.values))
    places = sorted(numbers, key=lambda place: -gaps[place])
    listed = []
    for place in places[:LISTED]:
        had = Fraction(before[place], whole)
        has = Fraction(after[place], whole)
        listed.append(ValueShare(column.values[place], had, has))
    return tuple(listed)


def pair_distances(
    columns: Sequence[SpreadColumn],
) -> tuple[list[PairDistance], list[tuple[str, str]]]:
    """The distance of each two columns together, the largest first; and the pairs that
    have too many values.
    """
    found, left_out = [], []
    for first, second in combinations(columns, 2):
        names = first.name, second.name
        if _cells(first, second) > CELLS:
            left_out.append(names)
            continue
        apart = pair_distance(first, second)
        found.append(PairDistance(*names, apart))
    # Sorting is stable: of those alike the order of the columns stays.
    found.sort(key=lambda pair: -pair.distance)
    return found, left_out


def _cells(first: SpreadColumn, second: SpreadColumn) -> int:
    """The cells of the larger table of two columns: before, or as released."""
    before = len(first.values) * len(second.values)
    after = len(first.labels) * len(second.labels)
    return max(before, after)


def pair_distance(first: SpreadColumn, second: SpreadColumn) -> Fraction:
    """The total variation distance of the values of two columns together."""
    rows, released = first.rows, first.released
    height, width = len(first.values), len(second.values)
    unit = _unit(first) * _unit(second)
    # Every number below is at most this one, twice where two are added up.
    bound = 2 * rows * released * unit
    keys = first.before * width + second.before
    before = np.bincount(keys, minlength=height * width).reshape(height, width)
    after = _spread_two(first, second, bound)
    known = int(after.sum())
    apart = np.abs(ints(before, bound) * (released * unit) - after * rows)
    outside = released * unit - known
    return Fraction(int(apart.sum()) + outside * rows, 2 * rows * released * unit)


def _unit(column: SpreadColumn) -> int:
    """A number that all sizes of sets divide."""
    sizes = set(map(len, column.sets))
    # Nobody shares in what stands for no value.
    sizes.discard(0)
    return math.lcm(*sizes)


def _weights(column: SpreadColumn) -> list[int]:
    """By label how many units each value gets that it stands for."""
    unit = _unit(column)
    weights = []
    for places in column.sets:
        size = max(len(places), 1)
        weights.append(unit // size)
    return weights


def _spread_one(column: SpreadColumn, unit: int) -> Ints:
    """By value the units that it gets from all released cells."""
    bound = column.released * unit
    spread = ints(np.zeros(len(column.values), dtype=np.int64), bound)
    weighed = zip(column.sets, column.occurrences, _weights(column), strict=True)
    for places, count, weight in weighed:
        spread[places] += count * weight
    return spread


def _spread_two(first: SpreadColumn, second: SpreadColumn, bound: int) -> Ints:
    """The units of each two values together: one column is spread after the other."""
    width = len(second.labels)
    keys = first.after * width + second.after
    height = len(first.labels)
    counts = np.bincount(keys, minlength=height * width).reshape(height, width)
    half = ints(np.zeros((len(first.values), width), dtype=np.int64), bound)
    for label, places, weight in _labelled(first):
        half[places] += ints(counts[label], bound) * weight
    whole = ints(np.zeros((len(second.values), len(first.values)), np.int64), bound)
    for label, places, weight in _labelled(second):
        whole[places] += half[:, label] * weight
    return whole.T


def _labelled(column: SpreadColumn) -> Iterator[tuple[int, Ints, int]]:
    """Each label's number, the values that it stands for, and the weight of each."""
    weighed = zip(column.sets, _weights(column), strict=True)
    for label, (places, weight) in enumerate(weighed):
        yield label, places, weight
