"""Closed classes: all tuples in the box of such a class are its own.

Boxes are disjoint when every class is closed.  Joining two closed classes takes in all
classes that have a tuple in the joint box, and those that have one in the box that
grows from that, until nothing strange is left: the *closure* of the two.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from phverify.exact import Bools, Floats, Ints
from phverify.machine.draws import draw
from phverify.machine.machine_code import compiled, entry_point, inlined
from phverify.recoding.boxes import BoxTable, box_price, joint_price, widen
from phverify.recoding.demands import CompiledTests, satisfied
from phverify.recoding.partition import classes_of, numbered
from phverify.recoding.task import ReleaseTask
from phverify.recoding.tuple_bits import (
    WORD,
    TupleBits,
    inside_word,
    lowest_place,
)

NOBODY = -1
TINY = 1e-12


class ClosureRoom(NamedTuple):
    """Rows are classes, the last row is the box that grows.

    ``owner`` is the class of each tuple, -1 where it is withheld.  ``seen[c]`` is the
    number of the last closure that met class c, ``number`` that of this closure.
    ``totals`` has the records of the closure, ``lost`` what its classes cost apart.
    """

    owner: Ints
    low: Ints
    high: Ints
    records: Ints
    cost: Floats
    allowed: Ints
    values: Ints
    seen: Ints
    number: Ints
    state: Ints


def closed_release(
    task: ReleaseTask, assignment: Ints, noise: float = 0.0, seed: int = 0
) -> Ints | None:
    """The classes of an assignment closed, and joined until all satisfy the demands.

    The smallest class that fails is joined with the class of cheapest closure.  None
    where all tuples together are not allowed.
    """
    bits = task.bits
    current = numbered(assignment)
    # What the exact judge refused, though the tests of compiled code accept it.
    refused: set[bytes] = set()
    while True:
        classes = classes_of(current)
        refusals = [one.tobytes() in refused for one in classes]
        room = _closure_room(task, current, classes, np.array(refusals, dtype=bool))
        room.state[0] = seed
        done = _close_all(
            task.table, task.demands.tests, bits, room, len(classes), noise
        )
        current = numbered(room.owner)
        if not done:
            return None
        classes = classes_of(current)
        allowed = task.demands.allow(classes)
        if all(allowed):
            return current
        if len(classes) == 1:
            return None
        judged = zip(classes, allowed, strict=True)
        # Refused classes count as failing: the next round joins them to others.
        refused = {members.tobytes() for members, right in judged if not right}


def _closure_room(
    task: ReleaseTask, assignment: Ints, classes: list[Ints], refused: Bools
) -> ClosureRoom:
    count = len(classes)
    values = task.values(classes)
    low, high, records = task.boxes(classes)
    last = np.zeros((1, low.shape[1]), dtype=low.dtype)
    room = ClosureRoom(
        owner=assignment.astype(np.int64),
        low=np.concatenate([low, last]),
        high=np.concatenate([high, last]),
        records=np.append(records, 0),
        cost=np.zeros(count + 1),
        allowed=np.zeros(count + 1, dtype=np.int64),
        values=np.concatenate([values, np.zeros((1, values.shape[1]), np.int64)]),
        seen=np.zeros(count + 1, dtype=np.int64),
        number=np.zeros(1, dtype=np.int64),
        state=np.zeros(1, dtype=np.uint64),
    )
    _judge_rows(task.table, task.demands.tests, room, count)
    room.allowed[:count][refused] = 0
    return room


@entry_point
def _judge_rows(
    table: BoxTable, tests: CompiledTests, room: ClosureRoom, count: int
) -> None:
    for row in range(count):
        price = box_price(table, room.low, room.high, row)
        room.cost[row] = room.records[row] * price
        room.allowed[row] = satisfied(tests, room.records[row], room.values[row])


@entry_point
def _close_all(
    table: BoxTable,
    tests: CompiledTests,
    bits: TupleBits,
    room: ClosureRoom,
    count: int,
    noise: float,
) -> bool:
    for row in range(count):
        if room.records[row] > 0:
            # A single class has a closure, too: its box may hold tuples of others.
            _closure(table, bits, room, row, row, np.inf)
            _become_one(table, tests, bits, room, row, count)
    while True:
        smallest = NOBODY
        for row in range(count):
            if room.records[row] == 0 or room.allowed[row]:
                continue
            if smallest < 0 or room.records[row] < room.records[smallest]:
                smallest = row
        if smallest < 0:
            return True
        partner = _cheapest_partner(table, tests, bits, room, smallest, count, noise)
        if partner < 0:
            return False
        _closure(table, bits, room, smallest, partner, np.inf)
        _become_one(table, tests, bits, room, smallest, count)


@compiled
def _cheapest_partner(
    table: BoxTable,
    tests: CompiledTests,
    bits: TupleBits,
    room: ClosureRoom,
    i: int,
    count: int,
    noise: float,
) -> int:
    best = np.inf
    partner = NOBODY
    for j in range(count):
        if j == i or room.records[j] == 0:
            continue
        records = room.records[i] + room.records[j]
        own = room.cost[i] + room.cost[j]
        limit = (best + own) / records
        price = joint_price(table, room.low, room.high, i, j, limit)
        # The closure costs at least what the box of the two does.
        if records * price - own >= best:
            continue
        extra = _closure(table, bits, room, i, j, best)
        if extra >= best:
            continue
        extra = (extra + TINY) * (1.0 + noise * draw(room.state))
        if extra < best:
            best = extra
            partner = j
    return partner


@compiled
def _closure(
    table: BoxTable, bits: TupleBits, room: ClosureRoom, i: int, j: int, most: float
) -> float:
    """What the closure of two rows costs more than its classes apart.

    Infinite, and left unfinished, where that is ``most`` or more.
    """
    last = room.records.size - 1
    room.number[0] += 1
    number = room.number[0]
    for a in range(table.widths.size):
        room.low[last, a] = min(room.low[i, a], room.low[j, a])
        room.high[last, a] = max(room.high[i, a], room.high[j, a])
    room.seen[i] = number
    room.seen[j] = number
    records = room.records[i]
    own = room.cost[i]
    if j != i:
        records += room.records[j]
        own += room.cost[j]
    grown = True
    # A box that grew may hold more tuples, until nothing new sticks out.
    while grown:
        grown = False
        price = box_price(table, room.low, room.high, last)
        for word in range(bits.below.shape[1]):
            inside = inside_word(table, bits, room.low, room.high, last, word)
            while inside != np.uint64(0):
                row = room.owner[WORD * word + lowest_place(bits, inside)]
                inside &= inside - np.uint64(1)
                # Withheld tuples may lie in any box.
                if row < 0 or room.seen[row] == number:
                    continue
                room.seen[row] = number
                records += room.records[row]
                own += room.cost[row]
                if records * price - own >= most:
                    return np.inf
                if _sticks_out(room, row, last):
                    widen(room.low, room.high, last, row)
                    grown = True
    room.records[last] = records
    return float(records * price - own)


@inlined
def _sticks_out(room: ClosureRoom, row: int, last: int) -> bool:
    for a in range(room.low.shape[1]):
        if room.low[row, a] < room.low[last, a]:
            return True
        if room.high[row, a] > room.high[last, a]:
            return True
    return False


@compiled
def _become_one(
    table: BoxTable,
    tests: CompiledTests,
    bits: TupleBits,
    room: ClosureRoom,
    i: int,
    count: int,
) -> None:
    """The classes of the last closure become row i."""
    number = room.number[0]
    joined = 0
    for member in range(room.owner.size):
        row = room.owner[member]
        if row >= 0 and room.seen[row] == number:
            room.owner[member] = i
    for row in range(count):
        if row == i or room.seen[row] != number or room.records[row] == 0:
            continue
        joined += 1
        widen(room.low, room.high, i, row)
        for value in range(room.values.shape[1]):
            room.values[i, value] += room.values[row, value]
        room.records[i] += room.records[row]
        # A row without records is no class any more.
        room.records[row] = 0
        room.cost[row] = 0.0
    if joined == 0:
        return
    price = box_price(table, room.low, room.high, i)
    room.cost[i] = room.records[i] * price
    room.allowed[i] = satisfied(tests, room.records[i], room.values[i])
