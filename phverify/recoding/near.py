"""Tuples near one another, without looking at all pairs.

The tuples are split again and again at the median rank of an attribute until the parts
are small; within a part all pairs are compared.  Several such trees, each with its own
random preferences among the attributes, make up for what one of them tears apart.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from phverify.exact import Floats, Ints
from phverify.machine.machine_code import compiled, entry_point
from phverify.recoding.boxes import BoxTable, joint_price

LEAF = 600
TREES = 3
TINY = 1e-12


def parts(
    table: BoxTable, size: int, seed: int = 0, whole: Ints | None = None
) -> Iterator[Ints]:
    """The tuples in parts of at most ``size``, each narrow in the dear attributes.

    With a seed other than 0 the attributes are preferred at random.  Where only some
    tuples are meant, these are the ``whole``.
    """
    generator = np.random.default_rng(seed)
    waiting = [np.arange(len(table.counts)) if whole is None else whole]
    while waiting:
        members = waiting.pop()
        if len(members) <= size:
            yield members
            continue
        prices = _spread(table, members)
        if seed:
            # Trees that cut elsewhere find the neighbours that one tree has parted.
            prices *= generator.random(len(prices))
        ranks = table.codes[members, int(np.argmax(prices))]
        ascending = np.argsort(ranks, kind="stable")
        middle = len(members) // 2
        waiting.append(members[ascending[:middle]])
        waiting.append(members[ascending[middle:]])


def _spread(table: BoxTable, members: Ints) -> Floats:
    # what the part's middle half costs: one far tuple does not decide
    ranks = np.sort(table.codes[members], axis=0)
    quarter = len(members) // 4
    low = ranks[quarter]
    high = ranks[-quarter - 1]
    middle = table.starts + low * table.widths + high
    whole = table.starts + ranks[0] * table.widths + ranks[-1]
    prices: Floats = table.prices[middle]
    tie_break: Floats = table.prices[whole] / 1000
    return np.asarray(prices + tie_break + TINY)


def nearest(table: BoxTable, count: int) -> Ints:
    """For each tuple up to ``count`` near ones, the nearest first; -1 where none is."""
    tuples = len(table.counts)
    near = np.full((tuples, count), -1, dtype=np.int32)
    far = np.full((tuples, count), np.inf)
    for tree in range(TREES):
        for members in parts(table, LEAF, tree):
            _compare(table, members, near, far)
    return near


@entry_point
def _compare(table: BoxTable, members: Ints, near: Ints, far: Floats) -> None:
    codes = table.codes
    last = near.shape[1] - 1
    for i in range(members.size):
        one = members[i]
        for j in range(i):
            other = members[j]
            # A pair that is farther than the farthest kept of both is of no use.
            limit = max(far[one, last], far[other, last])
            price = joint_price(table, codes, codes, one, other, limit)
            if price < far[one, last]:
                _insert(near[one], far[one], other, price)
            if price < far[other, last]:
                _insert(near[other], far[other], one, price)


@compiled
def _insert(near: Ints, far: Floats, other: int, price: float) -> None:
    # a tuple met in an earlier tree is there already
    for place in range(near.size):
        if near[place] == other:
            return
    place = near.size - 1
    while place > 0 and far[place - 1] > price:
        near[place] = near[place - 1]
        far[place] = far[place - 1]
        place -= 1
    near[place] = other
    far[place] = price
