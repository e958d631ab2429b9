"""The walk over all boxes, which holds the prices of a lower bound against them.

A box is one group of one layer for each attribute; it is cheap to walk over all of
them because most are passed by: the list of a box's tuples stays in the order of their
prices per record, and where the dearest ``least`` records of a list do not lose more
than the box costs so far, nothing inside can.

Compiled by numba.  The plain twin, which a checker runs, is ``phverify.spec.prices``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from phverify.exact import Ints
from phverify.machine.machine_code import counted as compiled
from phverify.machine.machine_code import counted_entry_point
from phverify.recoding.penalties import BranchRoom, Cuts, penalized
from phverify.recoding.worst import Boxes, Room, lower, worst
from phverify.spec.cuts import MOST_NODES

CHECK, REPAIR, COUNT = range(3)
"""What a walk does at a box that breaks its price: it ends; the prices are lowered;
every tuple of the box is lowered to what it costs there alone."""


class BoxParts(NamedTuple):
    """The parts of a list by the groups of a layer, attribute by attribute.

    Line 0 has all tuples, line a + 1 the parts of one of line a, by attribute a's
    groups.  Part p of line a is ``members[a, starts[a, p]:ends[a, p]]``, and a record
    costs ``costs[a, p]`` by the groups so far.
    """

    members: Ints
    starts: Ints
    ends: Ints
    costs: Ints


class BrokenBoxes(NamedTuple):
    """Sets of tuples that break a price, one after the other; ``length[0]`` are there.

    ``ends`` are the places in ``members`` where they end, ``costs`` what their boxes
    cost a record.
    """

    members: Ints
    ends: Ints
    costs: Ints
    length: Ints


@compiled
def _part(parts: BoxParts, depth: int, place: int) -> Ints:
    """The tuples of a part."""
    own: Ints = parts.members[depth]
    part: Ints = own[parts.starts[depth, place] : parts.ends[depth, place]]
    return part


@compiled
def _dominated(boxes: Boxes, room: Room, depth: int, layer: int, part: int) -> bool:
    """Whether another layer has a group that holds the part and costs less.

    Groups are runs of ranks, so one that holds the ends of a part holds all of it.
    """
    low = room.lowest[part]
    high = room.highest[part]
    own = boxes.price[layer, boxes.group[layer, low]]
    for other in range(boxes.first[depth], boxes.first[depth + 1]):
        number = boxes.group[other, low]
        if other == layer or number != boxes.group[other, high]:
            continue
        rival = boxes.price[other, number]
        if rival < own or (rival == own and other < layer):
            return True
    return False


@compiled
def _various(boxes: Boxes, room: Room, members: Ints) -> bool:
    """Whether a list has as many different values as a class needs."""
    for column in range(boxes.wanted.size):
        missing = boxes.wanted[column]
        room.seen[0] += 1
        for one in members:
            if missing <= 0:
                break
            for place in range(boxes.spans[column, one], boxes.spans[column, one + 1]):
                value = boxes.held[place] + 1
                if room.seen[value] != room.seen[0]:
                    room.seen[value] = room.seen[0]
                    missing -= 1
        if missing > 0:
            return False
    return True


@compiled
def _may_break(
    boxes: Boxes, rates: Ints, prices: Ints, members: Ints, cost: int
) -> bool:
    """Whether a set of a list may break the price ``cost``.

    No: if nothing is dearer than the price, or the dearest records are not on average.
    ``rates`` are prices per record when the walk began, by which the list is sorted;
    they may have been lowered since.
    """
    dear = False
    for one in members:
        if rates[one] <= cost:
            break
        if prices[one] > boxes.counts[one] * cost:
            dear = True
            break
    if not dear:
        return False
    missing = boxes.least
    worth = 0
    for one in members:
        taken = min(missing, boxes.counts[one])
        worth += taken * rates[one]
        missing -= taken
        if missing == 0:
            break
    return worth > boxes.least * cost


@compiled
def _measure(boxes: Boxes, room: Room, depth: int, layer: int, members: Ints) -> int:
    """Size, records, lowest and highest rank of each part; how many parts there are.

    ``slot`` holds the number of each group's part.
    """
    count = 0
    for one in members:
        code = boxes.codes[depth, one]
        part = room.slot[boxes.group[layer, code]]
        if part < 0:
            part = count
            count += 1
            room.slot[boxes.group[layer, code]] = part
            room.sizes[part] = 0
            room.records[part] = 0
            room.lowest[part] = code
            room.highest[part] = code
        room.sizes[part] += 1
        room.records[part] += boxes.counts[one]
        room.lowest[part] = min(room.lowest[part], code)
        room.highest[part] = max(room.highest[part], code)
    return count


@compiled
def _deal(
    boxes: Boxes,
    room: Room,
    depth: int,
    layer: int,
    members: Ints,
    target: Ints,
    count: int,
) -> None:
    """Deal the tuples to their parts, in their order; ``to`` is where each part ends.

    BoxParts that need no look get none, and end below 0.
    """
    filled = 0
    for part in range(count):
        few = room.records[part] < boxes.least
        if few or _dominated(boxes, room, depth, layer, part):
            room.to[part] = -1
        else:
            room.to[part] = filled
            filled += room.sizes[part]
    for one in members:
        part = room.slot[boxes.group[layer, boxes.codes[depth, one]]]
        place = room.to[part]
        if place >= 0:
            target[place] = one
            room.to[part] += 1


@compiled
def _split(
    boxes: Boxes,
    room: Room,
    rates: Ints,
    prices: Ints,
    parts: BoxParts,
    depth: int,
    layer: int,
    place: int,
) -> int:
    """Split a part by the groups of a layer.

    Returns how many parts there are that may break their price.
    """
    members = _part(parts, depth, place)
    base = parts.costs[depth, place]
    count = _measure(boxes, room, depth, layer, members)
    target = parts.members[depth + 1]
    _deal(boxes, room, depth, layer, members, target, count)
    live = 0
    for part in range(count):
        number = boxes.group[layer, room.lowest[part]]
        room.slot[number] = -1
        end = room.to[part]
        if end < 0:
            continue
        start = end - room.sizes[part]
        own = target[start:end]
        cost = base + boxes.price[layer, number]
        if _may_break(boxes, rates, prices, own, cost) and _various(boxes, room, own):
            parts.starts[depth + 1, live] = start
            parts.ends[depth + 1, live] = end
            parts.costs[depth + 1, live] = cost
            live += 1
    return live


@compiled
def _record(violations: BrokenBoxes, room: Room, size: int, cost: int) -> None:
    """Keep the set that was found, where there is room."""
    count = violations.length[0]
    filled = violations.ends[count - 1] if count else 0
    if count == violations.ends.size or filled + size > violations.members.size:
        return
    for place in range(size):
        violations.members[filled + place] = room.found[place]
    violations.ends[count] = filled + size
    violations.costs[count] = cost
    violations.length[0] = count + 1


@compiled
def _visit(
    boxes: Boxes,
    room: Room,
    cuts: Cuts,
    held: BranchRoom,
    prices: Ints,
    mode: int,
    violations: BrokenBoxes,
    parts: BoxParts,
    place: int,
) -> None:
    """Hold the prices against one box."""
    last = parts.members.shape[0] - 1
    # Prices change while they are lowered, and must be easy to verify at the end.
    limit = MOST_NODES if mode == CHECK else MOST_NODES // 10
    members = _part(parts, last, place)
    cost = parts.costs[last, place]
    if mode == COUNT:
        for one in members:
            prices[one] = min(prices[one], boxes.counts[one] * cost)
        return
    while True:
        excess, size, dearer = worst(boxes, room, prices, members, cost)
        if excess == 0:
            return
        if cuts.multipliers.size:
            own = penalized(boxes, room, cuts, held, prices, members, cost, limit)
            if own[0] == 0:
                return
            # A box that is too hard is lowered as if no cut were paid.
            if own[0] > 0:
                excess, size, dearer = own
        _record(violations, room, size, cost)
        if mode == CHECK:
            return
        lower(boxes, room, prices, cost, dearer, excess)


@counted_entry_point
def walk(
    boxes: Boxes,
    room: Room,
    cuts: Cuts,
    held: BranchRoom,
    parts: BoxParts,
    rates: Ints,
    prices: Ints,
    mode: int,
    patience: int,
    violations: BrokenBoxes,
) -> bool:
    """Walk over all boxes whose tuples may break a price.

    ``parts`` begin with one list, all tuples by falling ``rates``.  Returns whether the
    walk came to its end before it had touched more than ``patience`` tuples.
    """
    attributes = boxes.codes.shape[0]
    layer = boxes.first[:-1] - 1
    next_part = np.zeros(attributes + 1, np.int64)
    live = np.zeros(attributes + 1, np.int64)
    live[0] = 1
    # The attributes before ``depth`` have their groups; of the parts at ``depth`` the
    # one before ``next_part`` is being looked at.
    depth = 0
    while depth >= 0 and patience >= 0:
        if mode == CHECK and violations.length[0]:
            return True
        place = next_part[depth] - 1
        if place >= 0 and depth < attributes:
            layer[depth] += 1
            if layer[depth] < boxes.first[depth + 1]:
                patience -= parts.ends[depth, place] - parts.starts[depth, place]
                live[depth + 1] = _split(
                    boxes, room, rates, prices, parts, depth, layer[depth], place
                )
                next_part[depth + 1] = 0
                depth += 1
                continue
            layer[depth] = boxes.first[depth] - 1
        if place + 1 == live[depth]:
            depth -= 1
            continue
        next_part[depth] = place + 2
        if depth == attributes:
            patience -= parts.ends[depth, place + 1] - parts.starts[depth, place + 1]
            _visit(boxes, room, cuts, held, prices, mode, violations, parts, place + 1)
    return patience >= 0
