"""From above: all tuples are split at ranks as long as both halves satisfy the demands.

This is Mondrian on ranks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from phverify.exact import Floats, Ints
from phverify.machine.machine_code import compiled, entry_point
from phverify.recoding.boxes import BoxTable
from phverify.recoding.demands import CompiledTests, satisfied
from phverify.recoding.partition import classes_of, numbered
from phverify.recoding.task import ReleaseTask

NO_CUT = -1


class SplitRoom(NamedTuple):
    """``order`` is cut into segments; ``stack`` has those that are still to be cut."""

    order: Ints
    stack: Ints
    low: Ints
    high: Ints
    prices: Floats
    at_rank: Ints
    values: Ints
    labels: Ints
    swap: Ints


def split_release(task: ReleaseTask) -> Ints | None:
    """The class of each tuple; None where all tuples together are not allowed."""
    table = task.table
    tuples, attributes = table.codes.shape
    room = SplitRoom(
        order=np.arange(tuples, dtype=np.int64),
        stack=np.zeros((tuples + 1, 2), dtype=np.int64),
        low=np.zeros(attributes, dtype=np.int64),
        high=np.zeros(attributes, dtype=np.int64),
        prices=np.zeros(attributes),
        at_rank=np.zeros(int(table.widths.max()), dtype=np.int64),
        values=np.zeros((2, task.demands.counted.shape[1]), dtype=np.int64),
        labels=np.zeros(tuples, dtype=np.int64),
        swap=np.zeros(tuples, dtype=np.int64),
    )
    demands = task.demands
    if not _split_all(table, demands.tests, demands.counted, room):
        return None
    if not all(demands.allow(classes_of(room.labels))):
        return None
    return numbered(room.labels)


@entry_point
def _split_all(
    table: BoxTable,
    tests: CompiledTests,
    histograms: Ints,
    room: SplitRoom,
) -> bool:
    room.stack[0, 1] = room.order.size
    # Where all tuples together are no class, halves of them may be; those are not
    # looked for.
    if not _may_stand(table, tests, histograms, room, 0, 0, room.order.size):
        return False
    waiting = 1
    while waiting > 0:
        waiting -= 1
        start = room.stack[waiting, 0]
        stop = room.stack[waiting, 1]
        middle = _split(table, tests, histograms, room, start, stop)
        if middle == NO_CUT:
            for place in range(start, stop):
                room.labels[room.order[place]] = start
            continue
        # The first half takes the segment's place on the stack, the second comes above
        # it.
        room.stack[waiting, 1] = middle
        room.stack[waiting + 1, 0] = middle
        room.stack[waiting + 1, 1] = stop
        waiting += 2
    return True


@compiled
def _split(
    table: BoxTable,
    tests: CompiledTests,
    histograms: Ints,
    room: SplitRoom,
    start: int,
    stop: int,
) -> int:
    """Where the second half starts; the dearest attribute that can be cut is cut."""
    _measure(table, room, start, stop)
    for _ in range(table.widths.size):
        a = 0
        for other in range(1, table.widths.size):
            if room.prices[other] > room.prices[a]:
                a = other
        if room.prices[a] < 0.0:
            break
        # Tried once: if no cut is allowed in it, the next dearest is cut.
        room.prices[a] = -1.0
        rank = _cut(table, tests, room, start, stop, a)
        if rank == NO_CUT:
            continue
        middle = _divide(table, room, start, stop, a, rank)
        if not _may_stand(table, tests, histograms, room, 0, start, middle):
            continue
        if _may_stand(table, tests, histograms, room, 1, middle, stop):
            return middle
    return NO_CUT


@compiled
def _measure(table: BoxTable, room: SplitRoom, start: int, stop: int) -> None:
    for a in range(table.widths.size):
        lowest = table.codes[room.order[start], a]
        highest = lowest
        for place in range(start, stop):
            lowest = min(lowest, table.codes[room.order[place], a])
            highest = max(highest, table.codes[room.order[place], a])
        room.low[a] = lowest
        room.high[a] = highest
        place = table.starts[a] + lowest * table.widths[a] + highest
        room.prices[a] = table.prices[place] if lowest < highest else -1.0


@compiled
def _cut(
    table: BoxTable,
    tests: CompiledTests,
    room: SplitRoom,
    start: int,
    stop: int,
    a: int,
) -> int:
    """The last rank of the first half, such that the halves are most alike in size."""
    for rank in range(room.low[a], room.high[a] + 1):
        room.at_rank[rank] = 0
    records = 0
    for place in range(start, stop):
        member = room.order[place]
        room.at_rank[table.codes[member, a]] += table.counts[member]
        records += table.counts[member]
    best = NO_CUT
    least = records
    before = 0
    for rank in range(room.low[a], room.high[a]):
        before += room.at_rank[rank]
        # A rank without tuples makes the same halves as the one before it.
        if min(before, records - before) < tests.least or room.at_rank[rank] == 0:
            continue
        uneven = abs(records - 2 * before)
        if uneven < least:
            least = uneven
            best = rank
    return best


@compiled
def _divide(
    table: BoxTable, room: SplitRoom, start: int, stop: int, a: int, rank: int
) -> int:
    middle = start
    behind = 0
    for place in range(start, stop):
        member = room.order[place]
        if table.codes[member, a] <= rank:
            room.order[middle] = member
            middle += 1
        else:
            room.swap[behind] = member
            behind += 1
    for place in range(behind):
        room.order[middle + place] = room.swap[place]
    return middle


@compiled
def _may_stand(
    table: BoxTable,
    tests: CompiledTests,
    histograms: Ints,
    room: SplitRoom,
    row: int,
    start: int,
    stop: int,
) -> bool:
    records = 0
    for value in range(room.values.shape[1]):
        room.values[row, value] = 0
    for place in range(start, stop):
        member = room.order[place]
        records += table.counts[member]
        for value in range(room.values.shape[1]):
            room.values[row, value] += histograms[member, value]
    return satisfied(tests, records, room.values[row])
