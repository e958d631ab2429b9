"""Classes met by the search, kept for the integer program: of bounded number."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from phverify.exact import Ints
from phverify.machine.machine_code import compiled

SLOTS = 2**17
WIDEST = 256
CELLS = 2**23
"""Tuples that a pool has room for, all classes together."""


class ClassPool(NamedTuple):
    """Sets of tuples by the hash of their keys: of two with one slot the newer is kept.

    ``keys`` has a random number for each tuple; ``members`` [slots, places] its tuples,
    ``sizes`` how many they are.
    """

    keys: Ints
    hashes: Ints
    sizes: Ints
    members: Ints


def new_pool(tuples: int, places: int, seed: int) -> ClassPool:
    """An empty pool for classes of up to so many tuples."""
    generator = np.random.default_rng(seed)
    places = min(places, WIDEST)
    slots = min(SLOTS, 256 * tuples, CELLS // places)
    return ClassPool(
        keys=generator.integers(1, 2**63, size=tuples, dtype=np.uint64),
        hashes=np.zeros(slots, dtype=np.uint64),
        sizes=np.zeros(slots, dtype=np.int64),
        members=np.full((slots, places), -1, dtype=np.int32),
    )


@compiled
def remember(pool: ClassPool, members: Ints, size: int) -> None:
    """Put the first ``size`` of these tuples into the pool as one class."""
    if size > pool.members.shape[1]:
        return
    key = np.uint64(0)
    for place in range(size):
        # Exclusive or: the order of the tuples makes no difference.
        key ^= pool.keys[members[place]]
    slot = np.int64(key % np.uint64(pool.hashes.size))
    # The same set, but for one chance in 2^64, and a pool that misses one is no error.
    if pool.hashes[slot] == key:
        return
    pool.hashes[slot] = key
    pool.sizes[slot] = size
    for place in range(size):
        pool.members[slot, place] = members[place]


def met(pool: ClassPool) -> list[Ints]:
    """The classes of the pool as sorted arrays of tuples."""
    filled = np.flatnonzero(pool.sizes)
    sizes = pool.sizes[filled]
    classes = []
    for slot, size in zip(filled, sizes, strict=True):
        classes.append(np.sort(pool.members[slot, :size]))
    return classes
