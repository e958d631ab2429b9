"""Single tuples move to other groups and change places while that saves something."""

from __future__ import annotations

from phverify.exact import Ints
from phverify.machine.machine_code import compiled, inlined
from phverify.recoding.boxes import BoxTable, box_price
from phverify.recoding.demands import CompiledTests, satisfied
from phverify.recoding.rebuild import APART, TINY, MergeRoom

PASSES = 4
FAR = 2**30


@compiled
def polish(
    table: BoxTable,
    tests: CompiledTests,
    histograms: Ints,
    room: MergeRoom,
    count: int,
    relief: float,
    spare: int,
) -> None:
    """Move single tuples; where none moves for the better, let pairs change places."""
    for _ in range(PASSES):
        moved = False
        for i in range(count):
            # What a tuple's own group saves without it is compared with what another
            # one pays.
            saved = _move(table, tests, histograms, room, i, count, relief, spare)
            if saved >= 0:
                spare = saved
                moved = True
        if not moved and not _swaps(table, tests, histograms, room, count):
            return


@inlined
def with_tuple(
    table: BoxTable, room: MergeRoom, row: int, member: int, limit: float
) -> float:
    """What a record loses in the box of a row widened to hold a tuple."""
    total = 0.0
    for a in range(table.widths.size):
        code = table.codes[member, a]
        lowest = min(room.low[row, a], code)
        highest = max(room.high[row, a], code)
        total += table.prices[table.starts[a] + lowest * table.widths[a] + highest]
        if total > limit:
            break
    return total


@inlined
def _leave(table: BoxTable, room: MergeRoom, i: int, count: int) -> None:
    """The box of tuple i's group without it."""
    row = room.members.size + i
    group = room.group[i]
    # An empty box, which any tuple widens to itself.
    room.low[row] = FAR
    room.high[row] = -1
    for j in range(count):
        if room.group[j] == group and j != i:
            member = room.members[j]
            for a in range(table.widths.size):
                room.low[row, a] = min(room.low[row, a], table.codes[member, a])
                room.high[row, a] = max(room.high[row, a], table.codes[member, a])


@inlined
def _may_leave(tests: CompiledTests, histograms: Ints, room: MergeRoom, i: int) -> bool:
    group = room.group[i]
    member = room.members[i]
    row = room.values.shape[0] - 1
    records = room.records[group] - room.records_of[i]
    if records < tests.least:
        return False
    for value in range(room.values.shape[1]):
        room.values[row, value] = room.values[group, value] - histograms[member, value]
    return satisfied(tests, records, room.values[row])


@inlined
def _may_enter(
    tests: CompiledTests, histograms: Ints, room: MergeRoom, i: int, group: int
) -> bool:
    if room.values.shape[1] == 0:
        return True
    row = room.values.shape[0] - 1
    member = room.members[i]
    for value in range(room.values.shape[1]):
        room.values[row, value] = room.values[group, value] + histograms[member, value]
    records = room.records[group] + room.records_of[i]
    return satisfied(tests, records, room.values[row])


@inlined
def _move(
    table: BoxTable,
    tests: CompiledTests,
    histograms: Ints,
    room: MergeRoom,
    i: int,
    count: int,
    relief: float,
    spare: int,
) -> int:
    """Move a tuple for the better: what may still be withheld then, -1 if it stays."""
    group = room.group[i]
    records = room.records_of[i]
    withheld = records * relief + table.own[room.members[i]]
    gain = withheld
    rest = 0.0
    if group != APART:
        # what costs something has more than one tuple
        if room.cost[group] <= 0.0 or not _may_leave(tests, histograms, room, i):
            return -1
        _leave(table, room, i, count)
        row = room.members.size + i
        price = box_price(table, room.low, room.high, row)
        rest = (room.records[group] - records) * price
        gain = room.cost[group] - rest
    target, extra = _target(table, tests, histograms, room, i, count, gain - TINY)
    # No other group is as cheap as withholding it.
    if group != APART and records <= spare and withheld < extra:
        _put(table, histograms, room, i, APART, rest, 0.0)
        return int(spare - records)
    if target < 0:
        return -1
    _put(table, histograms, room, i, target, rest, extra)
    return int(spare if group != APART else spare + records)


@inlined
def _target(
    table: BoxTable,
    tests: CompiledTests,
    histograms: Ints,
    room: MergeRoom,
    i: int,
    count: int,
    most: float,
) -> tuple[int, float]:
    """The group that the tuple enters at the least extra cost below ``most``."""
    best = most
    target = -1
    member = room.members[i]
    for j in range(count):
        if room.records[j] == 0 or j == room.group[i]:
            continue
        records = room.records[j] + room.records_of[i]
        # Above this price per record the group is no better than the best so far.
        limit = (best + room.cost[j]) / records
        price = with_tuple(table, room, j, member, limit)
        extra = records * price - room.cost[j]
        if extra < best and _may_enter(tests, histograms, room, i, j):
            best = extra
            target = j
    return target, best


@compiled
def _put(
    table: BoxTable,
    histograms: Ints,
    room: MergeRoom,
    i: int,
    target: int,
    rest: float,
    extra: float,
) -> None:
    """The tuple goes to another group (APART: is withheld); boxes and costs follow."""
    group = room.group[i]
    member = room.members[i]
    if group != APART:
        row = room.members.size + i
        for a in range(table.widths.size):
            room.low[group, a] = room.low[row, a]
            room.high[group, a] = room.high[row, a]
        room.records[group] -= room.records_of[i]
        for value in range(room.values.shape[1]):
            room.values[group, value] -= histograms[member, value]
        room.cost[group] = rest
    room.group[i] = target
    if target != APART:
        for a in range(table.widths.size):
            code = table.codes[member, a]
            room.low[target, a] = min(room.low[target, a], code)
            room.high[target, a] = max(room.high[target, a], code)
        room.records[target] += room.records_of[i]
        for value in range(room.values.shape[1]):
            room.values[target, value] += histograms[member, value]
        room.cost[target] += extra


@compiled
def _swaps(
    table: BoxTable, tests: CompiledTests, histograms: Ints, room: MergeRoom, count: int
) -> bool:
    for i in range(count):
        if room.group[i] != APART:
            _leave(table, room, i, count)
    swapped = False
    for i in range(count):
        for j in range(i):
            if _swap(table, tests, histograms, room, i, j):
                swapped = True
                for other in range(count):
                    # The boxes of these groups are others now, and so are those without
                    # one tuple.
                    changed = room.group[other] in (room.group[i], room.group[j])
                    if changed:
                        _leave(table, room, other, count)
    return swapped


@inlined
def _swap(
    table: BoxTable,
    tests: CompiledTests,
    histograms: Ints,
    room: MergeRoom,
    i: int,
    j: int,
) -> bool:
    """Let two tuples of different groups change places if that saves something."""
    one = room.group[i]
    other = room.group[j]
    if one in (other, APART) or other == APART:
        return False
    now = room.cost[one] + room.cost[other] - TINY
    difference = room.records_of[j] - room.records_of[i]
    one_records = room.records[one] + difference
    if min(one_records, room.records[other] - difference) < tests.least:
        return False
    row = room.members.size
    # One side alone may not cost more than both do now.
    limit = now / one_records
    one_cost = one_records * with_tuple(table, room, row + i, room.members[j], limit)
    if one_cost >= now:
        return False
    records = room.records[other] - difference
    limit = (now - one_cost) / records
    price = with_tuple(table, room, row + j, room.members[i], limit)
    if one_cost + records * price >= now:
        return False
    if not _may_swap(tests, histograms, room, i, j):
        return False
    _exchange(table, histograms, room, i, j)
    room.cost[one] = one_cost
    room.cost[other] = records * price
    return True


@inlined
def _may_swap(
    tests: CompiledTests, histograms: Ints, room: MergeRoom, i: int, j: int
) -> bool:
    if room.values.shape[1] == 0:
        return True
    both = _swapped(tests, histograms, room, i, j)
    return both and _swapped(tests, histograms, room, j, i)


@compiled
def _swapped(
    tests: CompiledTests, histograms: Ints, room: MergeRoom, leaving: int, coming: int
) -> bool:
    row = room.values.shape[0] - 1
    group = room.group[leaving]
    gone = room.members[leaving]
    come = room.members[coming]
    for value in range(room.values.shape[1]):
        difference = histograms[come, value] - histograms[gone, value]
        room.values[row, value] = room.values[group, value] + difference
    records = room.records_of[coming] - room.records_of[leaving]
    return satisfied(tests, room.records[group] + records, room.values[row])


@compiled
def _exchange(
    table: BoxTable, histograms: Ints, room: MergeRoom, i: int, j: int
) -> None:
    _enter_rest(table, histograms, room, i, j, room.group[i])
    _enter_rest(table, histograms, room, j, i, room.group[j])
    group = room.group[i]
    room.group[i] = room.group[j]
    room.group[j] = group


@compiled
def _enter_rest(
    table: BoxTable,
    histograms: Ints,
    room: MergeRoom,
    leaving: int,
    coming: int,
    group: int,
) -> None:
    rest = room.members.size + leaving
    member = room.members[coming]
    for a in range(table.widths.size):
        code = table.codes[member, a]
        room.low[group, a] = min(room.low[rest, a], code)
        room.high[group, a] = max(room.high[rest, a], code)
    room.records[group] += room.records_of[coming] - room.records_of[leaving]
    gone = room.members[leaving]
    for value in range(room.values.shape[1]):
        room.values[group, value] += histograms[member, value] - histograms[gone, value]
