"""The bound by neighbours, found at once: distances of all pairs of few tuples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from phverify.budget import Deadline
from phverify.exact import Floats, Ints
from phverify.recoding.grid import TupleGrid
from phverify.recoding.walker import Distinct

PAIRS = 300_000_000
"""So many distances in one attribute are added up, at most: seconds."""
NODES = 2_000_000
"""So many nodes are priced, at most: a checker does so in fractions."""
NEAREST = 64
"""So many neighbours of a tuple are looked at; the last is near enough for a bound."""


def neighbour_prices(
    grid: TupleGrid, least: int, distinct: Sequence[Distinct], deadline: Deadline
) -> Ints | None:
    """What records pay by the distance to the neighbours that a class needs.

    None where there are too many tuples.
    """
    tuples, attributes = grid.codes.shape
    nodes = sum(prices.size for prices in grid.prices)
    if tuples * tuples * attributes > PAIRS or nodes > NODES:
        return None
    looked_at = min(tuples, max(NEAREST, least))
    rates: Ints = np.zeros(tuples, dtype=np.int64)
    # Rounded down in each attribute, and nearer by what floats may be wrong.
    slack = attributes + 2
    for number in range(tuples):
        if deadline.over:
            break  # The others pay nothing, which is always right.
        distances = _distances(grid, number)
        # Only the nearest are sorted: all of them for each tuple would take longest.
        near = np.argpartition(distances, looked_at - 1)[:looked_at]
        near = near[np.argsort(distances[near], kind="stable")]
        # Nearer tuples are not enough for a class: its box reaches at least so far.
        place = _enough(grid, near, least, distinct)
        rates[number] = int(distances[near[place]] * grid.unit) - slack
    # Each record of the tuple loses at least the distance of the farthest one that it
    # needs.
    return np.maximum(rates, 0) * grid.counts


def _distances(grid: TupleGrid, number: int) -> Floats:
    """What a record loses in the least box of a tuple and each other one."""
    total: Floats = np.zeros(grid.tuples)
    for attribute, prices in enumerate(grid.prices):
        codes = grid.codes[:, attribute]
        total += prices[codes[number]][codes]
    return total


def _enough(
    grid: TupleGrid, near: Ints, least: int, distinct: Sequence[Distinct]
) -> int:
    """The place of the neighbour with which there are enough records and values."""
    records = np.cumsum(grid.counts[near])
    place = int(np.searchsorted(records, least))
    for one in distinct:
        met = np.cumsum(one.histogram[near], axis=0) > 0
        place = max(place, int(np.searchsorted(met.sum(axis=1), one.least)))
    return min(place, len(near) - 1)
