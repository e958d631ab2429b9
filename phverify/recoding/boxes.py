"""Boxes of classes and what they cost, for compiled functions.

The box of a class runs, in each attribute, from the lowest to the highest rank of its
tuples; joining two classes is the lesser and the greater of their ends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from phverify.exact import Bools, Floats, Ints
from phverify.machine.machine_code import compiled, inlined
from phverify.recoding.grid import TupleGrid

SLACK = 1e-12


class BoxTable(NamedTuple):
    """The tuples and prices of a grid as arrays side by side.

    ``prices[starts[a] + low * widths[a] + high]`` is what a record loses in attribute
    ``a``; the attributes that cost most between random tuples come first.  Where a run
    has ``stars`` there it is released as the whole domain, which costs ``whole[a]``.
    The released box runs from ``reach_low`` to ``reach_high``, at the place of the
    price: the widest run at the same price.  These are empty where nobody asks for
    them.  ``own`` is what the records of each tuple cost as they are: a withheld tuple
    costs that much, since what is lost is counted from there.
    """

    codes: Ints
    counts: Ints
    prices: Floats
    starts: Ints
    widths: Ints
    stars: Bools
    whole: Floats
    order: Ints
    reach_low: Ints
    reach_high: Ints
    own: Floats


def box_table(grid: TupleGrid, reaches: bool = False) -> BoxTable:
    """The grid for compiled functions."""
    order = _dearest_first(grid)
    matrices = [np.asarray(grid.prices[a], dtype=np.float64) for a in order]
    sizes = np.array([matrix.size for matrix in matrices], dtype=np.int64)
    return BoxTable(
        # Row by row, as the inner loops go through them.
        codes=np.ascontiguousarray(grid.codes[:, order], dtype=np.int32),
        counts=np.ascontiguousarray(grid.counts, dtype=np.int64),
        prices=np.concatenate([np.zeros(0), *[m.ravel() for m in matrices]]),
        starts=np.cumsum(sizes) - sizes,
        widths=np.array([len(matrix) for matrix in matrices], dtype=np.int64),
        stars=np.concatenate([_stars(grid, a).ravel() for a in order]),
        whole=np.array([_whole_price(matrix) for matrix in matrices]),
        order=order,
        reach_low=_joined([_reach_low(m) for m in matrices if reaches]),
        reach_high=_joined([_reach_high(m) for m in matrices if reaches]),
        own=_own(grid),
    )


def _own(grid: TupleGrid) -> Floats:
    own = np.zeros(grid.tuples)
    for a, matrix in enumerate(grid.prices):
        ranks = grid.codes[:, a]
        # A run of one rank is the value as it is.
        alone = np.asarray(matrix, dtype=np.float64)
        own += grid.counts * alone[ranks, ranks]
    return own


def with_star_price(table: BoxTable, price: float) -> BoxTable:
    """The table in which a cell of the whole domain costs so much more."""
    prices = table.prices + price * table.stars
    return table._replace(prices=prices, whole=table.whole + price)


def _joined(matrices: list[Ints]) -> Ints:
    nothing = np.zeros(0, dtype=np.int32)
    flat = [matrix.ravel() for matrix in matrices]
    # With nothing asked the array is empty, and still one of integers.
    joined = np.concatenate([nothing, *flat])
    return joined.astype(np.int32)


def _reach_low(matrix: Floats) -> Ints:
    # the first rank from which on a run to the same end is no dearer
    reach = np.zeros(matrix.shape, dtype=np.int32)
    for low in range(len(matrix)):
        reach[low] = np.argmax(matrix <= matrix[low] + SLACK, axis=0)
    return reach


def _reach_high(matrix: Floats) -> Ints:
    reach = np.zeros(matrix.shape, dtype=np.int32)
    for high in range(len(matrix)):
        same = matrix <= matrix[:, high : high + 1] + SLACK
        # The last rank up to which a run from the same start is no dearer.
        last = np.argmax(same[:, ::-1], axis=1)
        reach[:, high] = len(matrix) - 1 - last
    return reach


def _stars(grid: TupleGrid, attribute: int) -> Bools:
    """Where a cell is released as the whole domain."""
    if grid.stars:
        return grid.stars[attribute]
    matrix = np.asarray(grid.prices[attribute])
    whole: Bools = matrix >= _whole_price(matrix)
    return whole


def _whole_price(matrix: Floats) -> float:
    # a domain of one value has nothing to hide: its leaf is not counted as the whole
    if len(matrix) < 2:
        return float("inf")
    return float(matrix[0, -1])


def _dearest_first(grid: TupleGrid) -> Ints:
    # sums over attributes are cut short early when the dear ones come first
    generator = np.random.default_rng(0)
    pairs = generator.integers(0, len(grid.codes), size=(2, 1000))
    one, other = grid.codes[pairs]
    low = np.minimum(one, other)
    high = np.maximum(one, other)
    means = []
    for a, matrix in enumerate(grid.prices):
        paid = matrix[low[:, a], high[:, a]]
        means.append(-paid.mean())
    order = np.argsort(means, kind="stable")
    return order.astype(np.int64)


@inlined
def joint_price(
    table: BoxTable, low: Ints, high: Ints, i: int, j: int, limit: float
) -> float:
    """What a record loses in the joint box of rows i and j; cut short above limit."""
    total = 0.0
    for a in range(table.widths.size):
        lowest = min(low[i, a], low[j, a])
        highest = max(high[i, a], high[j, a])
        total += table.prices[table.starts[a] + lowest * table.widths[a] + highest]
        # Prices are at least 0: a sum that is above stays above.
        if total > limit:
            break
    return total


@inlined
def box_price(table: BoxTable, low: Ints, high: Ints, i: int) -> float:
    """What a record loses in the box of row i."""
    return joint_price(table, low, high, i, i, np.inf)


@inlined
def widen(low: Ints, high: Ints, i: int, j: int) -> None:
    """The box of row i becomes the joint box of rows i and j."""
    for a in range(low.shape[1]):
        low[i, a] = min(low[i, a], low[j, a])
        high[i, a] = max(high[i, a], high[j, a])


@inlined
def whole_attributes(table: BoxTable, low: Ints, high: Ints, i: int) -> int:
    """In how many attributes the box of row i is the whole domain."""
    whole = 0
    for a in range(table.widths.size):
        place = table.starts[a] + low[i, a] * table.widths[a] + high[i, a]
        if table.stars[place]:
            whole += 1
    return whole


@compiled
def box_holds(table: BoxTable, low: Ints, high: Ints, i: int, member: int) -> bool:
    """Is the tuple in the box that is released for row i?"""
    for a in range(table.widths.size):
        place = table.starts[a] + low[i, a] * table.widths[a] + high[i, a]
        code = table.codes[member, a]
        if code < table.reach_low[place] or code > table.reach_high[place]:
            return False
    return True
