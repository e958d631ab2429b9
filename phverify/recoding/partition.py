"""A partition of the tuples into classes, which compiled functions change."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from phverify.exact import Floats, Ints
from phverify.machine.machine_code import compiled, entry_point
from phverify.recoding.boxes import BoxTable

WITHHELD = -1


class ClassPartition(NamedTuple):
    """Classes as chains of tuples: ``head[c]`` is the first, ``follower[t]`` the next.

    ``owner[t]`` is the tuple's class, -1 where it is withheld.  ``cost[c]`` is what the
    class loses with all its records.  Numbers of classes that are free are on a stack:
    ``free[:totals[0]]``.  ``totals[1]`` counts withheld records, ``totals[2]`` cells
    that are the whole domain.
    """

    owner: Ints
    head: Ints
    follower: Ints
    size: Ints
    cost: Floats
    stars: Ints
    free: Ints
    totals: Ints


def empty_partition(tuples: int) -> ClassPartition:
    """No tuple is in a class yet."""
    return ClassPartition(
        owner=np.full(tuples, WITHHELD, dtype=np.int32),
        head=np.full(tuples, -1, dtype=np.int32),
        follower=np.full(tuples, -1, dtype=np.int32),
        size=np.zeros(tuples, dtype=np.int32),
        cost=np.zeros(tuples),
        stars=np.zeros(tuples, dtype=np.int64),
        free=np.arange(tuples, dtype=np.int32)[::-1].copy(),
        totals=np.array([tuples, 0, 0], dtype=np.int64),
    )


def partition_of(table: BoxTable, assignment: Ints) -> ClassPartition:
    """The partition in which tuples of one number are one class."""
    partition = empty_partition(len(assignment))
    totals = partition.totals
    outside = assignment < 0
    totals[1] = table.counts[outside].sum()
    order = np.argsort(assignment, kind="stable").astype(np.int64)
    # Withheld tuples have the lowest numbers: they come first, and are left out.
    order = order[int(outside.sum()) :]
    _fill(table, partition, order, assignment.astype(np.int64))
    return partition


@entry_point
def _fill(
    table: BoxTable, partition: ClassPartition, order: Ints, assignment: Ints
) -> None:
    start = 0
    while start < order.size:
        stop = start + 1
        while stop < order.size and (
            assignment[order[stop]] == assignment[order[start]]
        ):
            stop += 1
        add_class(table, partition, order[start:stop])
        start = stop


@compiled
def add_class(table: BoxTable, partition: ClassPartition, members: Ints) -> None:
    """A new class of these tuples, which are in none."""
    # The number on top of the stack is taken.
    partition.totals[0] -= 1
    number = partition.free[partition.totals[0]]
    records = 0
    for place in range(members.size):
        member = members[place]
        partition.owner[member] = number
        following = members[place + 1] if place + 1 < members.size else -1
        partition.follower[member] = following
        records += table.counts[member]
    partition.head[number] = members[0]
    partition.size[number] = members.size
    price, whole = _box_of(table, members)
    partition.cost[number] = records * price
    partition.stars[number] = records * whole
    partition.totals[2] += records * whole


@compiled
def _box_of(table: BoxTable, members: Ints) -> tuple[float, int]:
    price = 0.0
    whole = 0
    for a in range(table.widths.size):
        lowest = table.codes[members[0], a]
        highest = lowest
        for member in members:
            lowest = min(lowest, table.codes[member, a])
            highest = max(highest, table.codes[member, a])
        place = table.starts[a] + lowest * table.widths[a] + highest
        price += table.prices[place]
        if table.stars[place]:
            whole += 1
    return price, whole


@compiled
def drop_class(partition: ClassPartition, number: int) -> None:
    """The class is no more; its tuples are in none."""
    member = partition.head[number]
    while member >= 0:
        partition.owner[member] = WITHHELD
        member = partition.follower[member]
    partition.head[number] = -1
    partition.totals[2] -= partition.stars[number]
    partition.cost[number] = 0.0
    partition.stars[number] = 0
    partition.size[number] = 0
    partition.free[partition.totals[0]] = number
    partition.totals[0] += 1


def numbered(assignment: Ints) -> Ints:
    """Classes numbered in the order of their first tuples; -1 for withheld ones."""
    renamed = np.full(len(assignment), WITHHELD, dtype=np.int32)
    kept = assignment >= 0
    _, first, inverse = np.unique(
        assignment[kept], return_index=True, return_inverse=True
    )
    number = np.empty(len(first), dtype=np.int32)
    number[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    renamed[kept] = number[inverse]
    return renamed


def classes_of(assignment: Ints) -> list[Ints]:
    """The classes as sorted arrays of tuples."""
    order = np.argsort(assignment, kind="stable")
    numbers = assignment[order]
    order = order[numbers >= 0]
    numbers = numbers[numbers >= 0]
    if not len(order):
        return []
    borders = np.flatnonzero(np.diff(numbers)) + 1
    return np.split(order.astype(np.int32), borders)
