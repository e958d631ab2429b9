"""Some classes taken apart and put together again, in a small room of their own.

The room holds the tuples of the neighbourhood and *groups* of them.  First every tuple
is a group; groups that are not allowed are joined with the partner of least extra cost;
then single tuples move and change places while that saves something.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from phverify.exact import Floats, Ints
from phverify.machine.draws import draw, draw_below
from phverify.machine.machine_code import compiled, entry_point, inlined
from phverify.recoding.boxes import BoxTable, box_price, joint_price, widen
from phverify.recoding.demands import CompiledTests, satisfied, shortfall

TINY = 1e-12
APART = -1
SURPRISING = 0.3
"""How often not the smallest group is joined first."""


class MergeRoom(NamedTuple):
    """Tuples by place: ``members[i]`` is in group ``group[i]``, -1 when withheld.

    Rows of the other arrays are groups.  Row ``members.size + i`` has the box of tuple
    i's group without that tuple; one more row of ``values`` is for trying things out.
    """

    members: Ints
    records_of: Ints
    group: Ints
    low: Ints
    high: Ints
    records: Ints
    cost: Floats
    allowed: Ints
    values: Ints
    state: Ints


def new_room(places: int, attributes: int, values: int, seed: int) -> MergeRoom:
    """A room for so many tuples."""
    rows = 2 * places + 1
    return MergeRoom(
        members=np.zeros(places, dtype=np.int64),
        records_of=np.zeros(places, dtype=np.int64),
        group=np.zeros(places, dtype=np.int64),
        low=np.zeros((rows, attributes), dtype=np.int32),
        high=np.zeros((rows, attributes), dtype=np.int32),
        records=np.zeros(rows, dtype=np.int64),
        cost=np.zeros(rows),
        allowed=np.zeros(rows, dtype=np.int64),
        values=np.zeros((rows, values), dtype=np.int64),
        state=np.array([seed], dtype=np.uint64),
    )


@inlined
def enter(
    table: BoxTable, tests: CompiledTests, histograms: Ints, room: MergeRoom, place: int
) -> None:
    """The tuple at a place becomes a group of its own."""
    member = room.members[place]
    room.group[place] = place
    room.records_of[place] = table.counts[member]
    for a in range(table.widths.size):
        room.low[place, a] = table.codes[member, a]
        room.high[place, a] = table.codes[member, a]
    room.records[place] = table.counts[member]
    for value in range(room.values.shape[1]):
        room.values[place, value] = histograms[member, value]
    room.cost[place] = room.records[place] * box_price(
        table, room.low, room.high, place
    )
    room.allowed[place] = satisfied(tests, room.records[place], room.values[place])


@inlined
def join_groups(
    table: BoxTable, tests: CompiledTests, room: MergeRoom, i: int, j: int, count: int
) -> None:
    """Group j becomes part of group i."""
    widen(room.low, room.high, i, j)
    room.records[i] += room.records[j]
    room.records[j] = 0
    for value in range(room.values.shape[1]):
        room.values[i, value] += room.values[j, value]
    room.cost[i] = room.records[i] * box_price(table, room.low, room.high, i)
    room.cost[j] = 0.0
    room.allowed[i] = satisfied(tests, room.records[i], room.values[i])
    for place in range(count):
        if room.group[place] == j:
            room.group[place] = i


@entry_point
def merge(
    table: BoxTable,
    tests: CompiledTests,
    room: MergeRoom,
    count: int,
    noise: float,
    relief: float,
    spare: int,
) -> bool:
    """Join groups until all are allowed; False where the last one is not."""
    while True:
        smallest = next_failing(room, count, noise > 0.0)
        if smallest < 0:
            return True
        partner, extra = _partner(table, tests, room, smallest, count, noise)
        records = room.records[smallest]
        # Withholding competes with joining: the cheaper one is done.
        if records <= spare and records * relief < extra:
            withhold_group(room, smallest, count)
            spare -= records
        elif partner < 0:
            return False
        else:
            join_groups(table, tests, room, smallest, partner, count)


@compiled
def withhold_group(room: MergeRoom, group: int, count: int) -> None:
    """The group's tuples are in none."""
    room.records[group] = 0
    room.cost[group] = 0.0
    for place in range(count):
        if room.group[place] == group:
            room.group[place] = APART


@inlined
def next_failing(room: MergeRoom, count: int, mixed: bool) -> int:
    """The smallest group that is not allowed; now and then any of them."""
    smallest = -1
    # Another start each time: of equally small groups not always the first is joined.
    start = draw_below(room.state, count)
    surprising = mixed and draw(room.state) < SURPRISING
    for step in range(count):
        row = (start + step) % count
        if room.records[row] == 0 or room.allowed[row]:
            continue
        if smallest < 0 or room.records[row] < room.records[smallest]:
            smallest = row
        if surprising:
            break
    return smallest


@inlined
def _partner(
    table: BoxTable,
    tests: CompiledTests,
    room: MergeRoom,
    i: int,
    count: int,
    noise: float,
) -> tuple[int, float]:
    best = np.inf
    partner = -1
    for j in range(count):
        if j == i or room.records[j] == 0:
            continue
        records = room.records[i] + room.records[j]
        own = room.cost[i] + room.cost[j]
        # Above this price per record the pair is no better than the best so far.
        limit = (best + own) / records
        price = joint_price(table, room.low, room.high, i, j, limit)
        extra = records * price - own
        if extra >= best:
            continue
        if room.values.shape[1]:
            extra = _guided(tests, room, i, j, extra)
        # A greedy choice made a little wrong: repeated, it comes to other releases.
        extra *= 1.0 + noise * draw(room.state)
        if extra < best:
            best = extra
            partner = j
    return partner, best


@compiled
def _guided(
    tests: CompiledTests, room: MergeRoom, i: int, j: int, extra: float
) -> float:
    # what brings the class nearer to what is asked is worth more
    row = room.records.size - 1
    for value in range(room.values.shape[1]):
        room.values[row, value] = room.values[i, value] + room.values[j, value]
    records = room.records[i] + room.records[j]
    missing = shortfall(tests, records, room.values[row])
    penalty = 1.0 + 4.0 * missing
    return (extra + TINY) * penalty
