"""Disjoint boxes from above: a node is cut into its children, again and again.

Cutting the box of a class at the children of one of its nodes (or a range at a rank)
leaves boxes that have nothing in common.  Every tuple of a child must find a class
there, so one rare value forbids a cut: where it is made matters, and when.  What is
best for a box is the same however the box came about, so it is found once: with as many
attributes tried as there are, the release is the best of all that cuts can reach.
"""

from __future__ import annotations

import numpy as np

from phverify.exact import Ints
from phverify.machine.machine_code import compiled, entry_point, inlined
from phverify.recoding.boxes import SLACK, BoxTable
from phverify.recoding.demands import CompiledTests
from phverify.recoding.one_cut import (
    DEEPEST,
    NO_CUT,
    CutRoom,
    allowed,
    bounding_box,
    divide,
    rank_cuts,
)
from phverify.recoding.partition import WITHHELD, numbered
from phverify.recoding.task import ReleaseTask

MEMORY = 2**22
"""So many boxes are remembered at most."""
FULL = 0.7
"""The share of the memory that is used; then only the best cut is tried."""
FULLEST = 0.9


def cut_release(
    task: ReleaseTask, tried: int, relief: float = np.inf, table: BoxTable | None = None
) -> Ints | None:
    """The class of each tuple; None where all tuples together are not allowed.

    ``tried`` attributes are tried for each box.  A withheld record costs ``relief``.
    """
    table = task.table if table is None else table
    room = _cut_room(task, table)
    tests, counted = task.demands.tests, task.demands.counted
    tuples = len(table.counts)
    cost = _cheapest(table, tests, counted, room, relief, tried, 0, tuples, 0)
    if not np.isfinite(cost):
        return None
    # The second walk begins with an empty stack of borders.
    room.totals[1] = 0
    _write_down(table, tests, counted, room, relief, 0, tuples, 0)
    return numbered(room.labels)


def _cut_room(task: ReleaseTask, table: BoxTable) -> CutRoom:
    tuples, attributes = table.codes.shape
    # Places for many more boxes than there are tuples.
    memory = min(MEMORY, 2 ** int(np.ceil(np.log2(64 * tuples + 64))))
    return CutRoom(
        order=np.arange(tuples, dtype=np.int64),
        swap=np.zeros(tuples, dtype=np.int64),
        nested=np.array([_is_nested(table, a) for a in range(attributes)]),
        low=np.zeros((DEEPEST + 1, attributes), dtype=np.int64),
        high=np.zeros((DEEPEST + 1, attributes), dtype=np.int64),
        at_rank=np.zeros(int(table.widths.max()) + 1, dtype=np.int64),
        gains=np.zeros((DEEPEST + 1, attributes)),
        borders=np.zeros(2 * tuples + 2 * DEEPEST + 2, dtype=np.int64),
        values=np.zeros(task.demands.counted.shape[1], dtype=np.int64),
        keys=np.zeros(memory, dtype=np.uint64),
        costs=np.zeros(memory),
        cuts=np.zeros(memory, dtype=np.int32),
        labels=np.full(tuples, WITHHELD, dtype=np.int64),
        totals=np.zeros(2, dtype=np.int64),
    )


def _is_nested(table: BoxTable, a: int) -> bool:
    # in a hierarchy a run costs what its dearest pair of neighbours does
    width = int(table.widths[a])
    start = int(table.starts[a])
    prices = table.prices[start : start + width * width].reshape(width, width)
    for low in range(width - 1):
        steps = np.diagonal(prices, 1)[low:]
        dearest = np.maximum.accumulate(steps)
        if not np.allclose(prices[low, low + 1 :], dearest, rtol=0, atol=SLACK):
            return False
    return True


@entry_point
def _cheapest(
    table: BoxTable,
    tests: CompiledTests,
    histograms: Ints,
    room: CutRoom,
    relief: float,
    tried: int,
    start: int,
    stop: int,
    depth: int,
) -> float:
    """The least cost of the tuples of a segment that lies in a box of its own."""
    records, price = bounding_box(table, room, start, stop, depth)
    cost: float = relief * records
    if allowed(tests, histograms, room, start, stop, records):
        cost = min(cost, records * price)
    # Two children would need twice the least records, unless one may be withheld.
    small = records < 2 * tests.least and relief == np.inf
    if small or cost == 0.0 or depth == DEEPEST:
        return cost
    slot = _slot(room, depth)
    # However the box came about, what is best for it is known.
    if room.keys[slot] != np.uint64(0):
        return float(room.costs[slot])
    best = NO_CUT
    rank_cuts(table, tests, room, relief, start, stop, depth)
    for _ in range(_tries(room, tried)):
        a = int(np.argmax(room.gains[depth]))
        if room.gains[depth, a] < 0.0:
            break
        room.gains[depth, a] = -1.0
        base = room.totals[1]
        children = divide(table, tests, room, relief, start, stop, a, depth)
        total = 0.0
        first = start
        for child in range(children):
            behind = room.borders[base + child]
            total += _cheapest(
                table,
                tests,
                histograms,
                room,
                relief,
                tried,
                first,
                behind,
                depth + 1,
            )
            first = behind
            # The other children cost at least 0: this cut is not the best.
            if total >= cost:
                break
        room.totals[1] = base
        if total < cost:
            cost = total
            best = a
    _remember(room, depth, cost, best)
    return cost


@inlined
def _tries(room: CutRoom, tried: int) -> int:
    return tried if room.totals[0] < FULL * room.keys.size else 1


@compiled
def _remember(room: CutRoom, depth: int, cost: float, best: int) -> None:
    # A fuller table takes many steps to find a free place.
    if room.totals[0] > FULLEST * room.keys.size:
        return
    slot = _slot(room, depth)
    room.keys[slot] = _key(room, depth)
    room.costs[slot] = cost
    room.cuts[slot] = best
    room.totals[0] += 1


@entry_point
def _write_down(
    table: BoxTable,
    tests: CompiledTests,
    histograms: Ints,
    room: CutRoom,
    relief: float,
    start: int,
    stop: int,
    depth: int,
) -> None:
    """The classes of the cuts that were found best."""
    records, price = bounding_box(table, room, start, stop, depth)
    slot = _slot(room, depth)
    if depth < DEEPEST and room.keys[slot] != np.uint64(0):
        a = room.cuts[slot]
        if a != NO_CUT:
            base = room.totals[1]
            children = divide(table, tests, room, relief, start, stop, a, depth)
            first = start
            for child in range(children):
                behind = room.borders[base + child]
                _write_down(
                    table, tests, histograms, room, relief, first, behind, depth + 1
                )
                first = behind
            room.totals[1] = base
            return
    if not allowed(tests, histograms, room, start, stop, records):
        return
    # To withhold them is cheaper: they keep the label of withheld tuples.
    if records * price > relief * records:
        return
    for place in range(start, stop):
        room.labels[room.order[place]] = start


@compiled
def _key(room: CutRoom, depth: int) -> np.uint64:
    key = np.uint64(0)
    for a in range(room.low.shape[1]):
        for end in (room.low[depth, a], room.high[depth, a]):
            key = (key + np.uint64(end) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
            key ^= key >> np.uint64(29)
    return key | np.uint64(1)


@compiled
def _slot(room: CutRoom, depth: int) -> int:
    """Where the box is remembered, or may be."""
    key = _key(room, depth)
    slot = int(key >> np.uint64(20)) % room.keys.size
    while room.keys[slot] != np.uint64(0) and room.keys[slot] != key:
        slot = (slot + 1) % room.keys.size
    return slot
