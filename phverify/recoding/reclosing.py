"""Some classes taken apart and put together again such that boxes stay disjoint.

Groups of the room are joined with all that lies in the joint box.  What would take in a
tuple that is not in the room is not done.
"""

from __future__ import annotations

import numpy as np

from phverify.exact import Ints
from phverify.machine.draws import draw
from phverify.machine.machine_code import compiled
from phverify.recoding.boxes import BoxTable, box_holds, box_price, joint_price
from phverify.recoding.demands import CompiledTests
from phverify.recoding.rebuild import (
    APART,
    TINY,
    MergeRoom,
    join_groups,
    next_failing,
    withhold_group,
)
from phverify.recoding.tuple_bits import WORD, TupleBits, inside_word, lowest_place


@compiled
def merge_closed(
    table: BoxTable,
    tests: CompiledTests,
    bits: TupleBits,
    taken: Ints,
    owner: Ints,
    room: MergeRoom,
    count: int,
    noise: float,
    relief: float,
    spare: int,
) -> bool:
    """Join groups until all are allowed; False where the last one is not."""
    for place in range(count):
        if room.records[place] == 0:
            continue
        if _closing(table, bits, taken, owner, room, place, place, count, np.inf) > 0:
            # The closure holds a tuple from outside the neighbourhood: it cannot be
            # judged here.
            if np.isinf(room.cost[room.records.size - 1]):
                return False
            _absorb(table, tests, room, place, count)
    while True:
        failing = next_failing(room, count, noise > 0.0)
        if failing < 0:
            return True
        partner, extra = _closed_partner(
            table, bits, taken, owner, room, failing, count, noise
        )
        records = room.records[failing]
        if records <= spare and records * relief < extra:
            withhold_group(room, failing, count)
            spare -= records
        elif partner < 0:
            return False
        else:
            _closing(table, bits, taken, owner, room, failing, partner, count, np.inf)
            _absorb(table, tests, room, failing, count)


@compiled
def _closed_partner(
    table: BoxTable,
    bits: TupleBits,
    taken: Ints,
    owner: Ints,
    room: MergeRoom,
    i: int,
    count: int,
    noise: float,
) -> tuple[int, float]:
    last = room.records.size - 1
    best = np.inf
    partner = -1
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
        _closing(table, bits, taken, owner, room, i, j, count, best)
        extra = (room.cost[last] + TINY) * (1.0 + noise * draw(room.state))
        if extra < best:
            best = extra
            partner = j
    return partner, best


@compiled
def _closing(
    table: BoxTable,
    bits: TupleBits,
    taken: Ints,
    owner: Ints,
    room: MergeRoom,
    i: int,
    j: int,
    count: int,
    most: float,
) -> int:
    """How many groups the closure of two groups takes in besides them.

    They are marked in ``allowed`` of the rows behind.  The cost of the last row is what
    is lost more; infinite where that is ``most`` or more, or something outside the room
    lies in the box.
    """
    last = room.records.size - 1
    records, own = _both(room, i, j, count)
    entered = 0
    room.cost[last] = np.inf
    price = box_price(table, room.low, room.high, last)
    place = 0
    quiet = 0
    # around and around, until no tuple was taken in for a whole turn
    while quiet < count:
        group = room.group[place]
        if (
            group != APART
            and room.allowed[count + group] == 0
            and box_holds(table, room.low, room.high, last, room.members[place])
        ):
            room.allowed[count + group] = 1
            records += room.records[group]
            own += room.cost[group]
            for a in range(table.widths.size):
                room.low[last, a] = min(room.low[last, a], room.low[group, a])
                room.high[last, a] = max(room.high[last, a], room.high[group, a])
            price = box_price(table, room.low, room.high, last)
            if records * price - own >= most:
                return entered
            entered += 1
            quiet = 0
        quiet += 1
        place = place + 1 if place + 1 < count else 0
    if records * price - own < most and not _reaches_out(
        table, bits, taken, owner, room
    ):
        room.cost[last] = records * price - own
    elif i == j:
        return entered + 1
    return entered


@compiled
def _both(room: MergeRoom, i: int, j: int, count: int) -> tuple[int, float]:
    """Two groups begin a closure; their records, and what they cost apart."""
    last = room.records.size - 1
    for group in range(count):
        room.allowed[count + group] = 0
    room.allowed[count + i] = 1
    room.allowed[count + j] = 1
    for a in range(room.low.shape[1]):
        room.low[last, a] = min(room.low[i, a], room.low[j, a])
        room.high[last, a] = max(room.high[i, a], room.high[j, a])
    records = room.records[i]
    own = room.cost[i]
    if j != i:
        records += room.records[j]
        own += room.cost[j]
    return int(records), float(own)


@compiled
def _reaches_out(
    table: BoxTable, bits: TupleBits, taken: Ints, owner: Ints, room: MergeRoom
) -> bool:
    """Does the box of the last row hold a released tuple that is not in the room?"""
    last = room.records.size - 1
    for word in range(taken.size):
        inside = inside_word(table, bits, room.low, room.high, last, word)
        # Tuples of the room may be taken in; others belong to classes that stay.
        inside &= ~taken[word]
        while inside != np.uint64(0):
            if owner[WORD * word + lowest_place(bits, inside)] >= 0:
                return True
            inside &= inside - np.uint64(1)
    return False


@compiled
def _absorb(
    table: BoxTable, tests: CompiledTests, room: MergeRoom, i: int, count: int
) -> None:
    """The groups of the last closure become group i."""
    for group in range(count):
        if group != i and room.allowed[count + group] == 1 and room.records[group] > 0:
            join_groups(table, tests, room, i, group, count)


@compiled
def take_out(taken: Ints, members: Ints, count: int, entering: bool) -> None:
    """Note that the tuples are in the room, or that they are not."""
    for place in range(count):
        word = members[place] // WORD
        bit = np.uint64(1) << np.uint64(members[place] % WORD)
        if entering:
            taken[word] |= bit
        else:
            taken[word] &= ~bit
