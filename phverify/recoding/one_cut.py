"""One cut of a box: what it saves, and its children."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from phverify.exact import Bools, Floats, Ints
from phverify.machine.machine_code import compiled, inlined
from phverify.recoding.boxes import SLACK, BoxTable
from phverify.recoding.demands import CompiledTests, satisfied

NO_CUT = -1
"""In place of an attribute: the box stays as it is."""
DEEPEST = 400
"""So often a box is cut at most: the places for each depth are made beforehand."""


class CutRoom(NamedTuple):
    """``order`` has the tuples of the present box side by side.

    ``keys``, ``costs`` and ``cuts`` are what is known of boxes, by the hash of the box.
    ``nested[a]``: the runs of attribute a are nodes of a hierarchy.  ``borders`` is a
    stack of places where children end; ``gains`` has a line for each depth.
    ``totals`` are the boxes known, and the height of the stack.
    """

    order: Ints
    swap: Ints
    nested: Bools
    low: Ints
    high: Ints
    at_rank: Ints
    gains: Floats
    borders: Ints
    values: Ints
    keys: Ints
    costs: Floats
    cuts: Ints
    labels: Ints
    totals: Ints


@compiled
def bounding_box(
    table: BoxTable, room: CutRoom, start: int, stop: int, depth: int
) -> tuple[int, float]:
    """Records and price of the least box of a segment, whose ends are noted."""
    records = 0
    for a in range(table.widths.size):
        room.low[depth, a] = table.codes[room.order[start], a]
        room.high[depth, a] = room.low[depth, a]
    for place in range(start, stop):
        member = room.order[place]
        records += table.counts[member]
        for a in range(table.widths.size):
            code = table.codes[member, a]
            room.low[depth, a] = min(room.low[depth, a], code)
            room.high[depth, a] = max(room.high[depth, a], code)
    price = 0.0
    for a in range(table.widths.size):
        price += run_price(table, a, room.low[depth, a], room.high[depth, a])
    return records, price


@inlined
def run_price(table: BoxTable, a: int, low: int, high: int) -> float:
    """What a record loses in attribute a where it becomes this run."""
    first = table.starts[a]
    width = table.widths[a]
    return float(table.prices[first + low * width + high])


@compiled
def allowed(
    tests: CompiledTests,
    histograms: Ints,
    room: CutRoom,
    start: int,
    stop: int,
    records: int,
) -> bool:
    """Whether the tuples of a segment may be one class."""
    if records < tests.least:
        return False
    for value in range(room.values.size):
        room.values[value] = 0
        for place in range(start, stop):
            room.values[value] += histograms[room.order[place], value]
    return satisfied(tests, records, room.values)


@compiled
def rank_cuts(
    table: BoxTable,
    tests: CompiledTests,
    room: CutRoom,
    relief: float,
    start: int,
    stop: int,
    depth: int,
) -> None:
    """What a cut in each attribute saves there at once; -1 where none is allowed."""
    for a in range(table.widths.size):
        room.gains[depth, a] = -1.0
        low, high = room.low[depth, a], room.high[depth, a]
        if run_price(table, a, low, high) > 0.0:
            _count_ranks(table, room, start, stop, a, low, high)
            room.gains[depth, a] = _cut(table, tests, room, relief, a, low, high)


@compiled
def _count_ranks(
    table: BoxTable, room: CutRoom, start: int, stop: int, a: int, low: int, high: int
) -> None:
    for rank in range(low, high + 1):
        room.at_rank[rank] = 0
    for place in range(start, stop):
        member = room.order[place]
        room.at_rank[table.codes[member, a]] += table.counts[member]


@compiled
def _cut(
    table: BoxTable,
    tests: CompiledTests,
    room: CutRoom,
    relief: float,
    a: int,
    low: int,
    high: int,
) -> float:
    """What the cut saves in its attribute; ``at_rank`` becomes the child of each rank.

    -1 where a child is too small, or children have values in common.
    """
    if room.nested[a]:
        return _cut_node(table, tests, room, relief, a, low, high)
    return _cut_range(table, tests, room, relief, a, low, high)


@compiled
def _cut_node(
    table: BoxTable,
    tests: CompiledTests,
    room: CutRoom,
    relief: float,
    a: int,
    low: int,
    high: int,
) -> float:
    price = run_price(table, a, low, high)
    gain = 0.0
    child = 0
    first = low
    while first <= high:
        # the next child: from a rank that occurs to the last one at a lower price
        behind = first
        records = 0
        last = first
        while behind <= high and (run_price(table, a, first, behind) < price - SLACK):
            if room.at_rank[behind] > 0:
                last = behind
            records += room.at_rank[behind]
            room.at_rank[behind] = child
            behind += 1
        # A child that occurs must be a class, or hold some; without withholding it is
        # too small.
        if 0 < records < tests.least and relief == np.inf:
            return -1.0
        if records > 0:
            gain += records * (price - run_price(table, a, first, last))
            child += 1
        # A single value costs as much as the node: there is nothing to cut at.
        if behind == first:
            return -1.0
        first = behind
    return gain


@compiled
def _cut_range(
    table: BoxTable,
    tests: CompiledTests,
    room: CutRoom,
    relief: float,
    a: int,
    low: int,
    high: int,
) -> float:
    """The cut between two ranks that saves most."""
    records = 0
    for rank in range(low, high + 1):
        records += room.at_rank[rank]
    price = run_price(table, a, low, high)
    best = -1.0
    cut = NO_CUT
    before = 0
    for rank in range(low, high):
        if room.at_rank[rank] == 0:
            continue
        before += room.at_rank[rank]
        if min(before, records - before) < tests.least and relief == np.inf:
            continue
        upper = rank + 1
        while room.at_rank[upper] == 0:
            upper += 1
        one = table.starts[a] + low * table.widths[a] + rank
        other = table.starts[a] + upper * table.widths[a] + high
        # Released boxes are widened as far as it costs nothing: two of them may still
        # meet.
        if table.reach_high[one] >= table.reach_low[other]:
            continue
        cost = before * table.prices[one] + (records - before) * table.prices[other]
        gain = records * price - cost
        if gain > best:
            best = gain
            cut = rank
    for rank in range(low, high + 1):
        # From here on: the child of each rank.
        room.at_rank[rank] = 1 if rank > cut else 0
    return best


@compiled
def divide(
    table: BoxTable,
    tests: CompiledTests,
    room: CutRoom,
    relief: float,
    start: int,
    stop: int,
    a: int,
    depth: int,
) -> int:
    """Sort a segment by the children of a cut, whose ends are put on the stack."""
    low, high = room.low[depth, a], room.high[depth, a]
    _count_ranks(table, room, start, stop, a, low, high)
    _cut(table, tests, room, relief, a, low, high)
    base = room.totals[1]
    children = room.at_rank[high] + 1
    for child in range(children):
        room.borders[base + child] = 0
    for place in range(start, stop):
        room.swap[place] = room.order[place]
        child = room.at_rank[table.codes[room.order[place], a]]
        room.borders[base + child] += 1
    behind = start
    for child in range(children):
        size = room.borders[base + child]
        room.borders[base + child] = behind
        behind += size
    for place in range(start, stop):
        child = room.at_rank[table.codes[room.swap[place], a]]
        # A counting sort: each border moves from the start of its child to its end.
        room.order[room.borders[base + child]] = room.swap[place]
        room.borders[base + child] += 1
    room.totals[1] = base + children
    return int(children)
