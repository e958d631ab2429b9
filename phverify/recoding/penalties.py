"""The worst set of a box where cuts take something off, by branch and bound; compiled.

A cut is three tuples, of which at most one class has two or more.  A set that has two
of them pays its multiplier, once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from phverify.exact import Ints
from phverify.machine.machine_code import counted as compiled
from phverify.recoding.worst import Boxes, Room
from phverify.spec.cuts import MOST_ITEMS

IMPOSSIBLE = -(2**62)
"""What no set with too few records is worth: below all that prices add up to."""
UNTRIED, TAKEN, LEFT = range(3)
"""What was tried with an item."""


class Cuts(NamedTuple):
    """The multipliers of cuts, in units.

    Tuple t is in the cuts ``of[starts[t]:starts[t + 1]]``.
    """

    multipliers: Ints
    starts: Ints
    of: Ints


class BranchRoom(NamedTuple):
    """Where branches are worked out.

    ``inside`` has how many tuples of each cut are taken.  Line i of ``most`` has for
    each number of missing records what items from i on add at most, cuts not paid.
    ``chosen`` says of each item whether the best set has it.  ``work[0]`` counts steps.
    """

    inside: Ints
    most: Ints
    items: Ints
    gains: Ints
    value: Ints
    missing: Ints
    tried: Ints
    chosen: Ints
    work: Ints


def cuts_of(triples: Ints, multipliers: Ints, tuples: int) -> Cuts:
    """Cuts, with those that each tuple is in."""
    members = triples.ravel()
    sizes = np.bincount(members, minlength=tuples)
    starts = np.zeros(tuples + 1, np.int64)
    starts[1:] = np.cumsum(sizes)
    of = np.argsort(members, kind="stable") // 3
    return Cuts(multipliers.astype(np.int64), starts, of)


def no_cuts() -> Cuts:
    """No cuts, where nobody asks for a tuple's."""
    nothing = np.zeros(0, np.int64)
    return Cuts(nothing, nothing, nothing)


def branch_room(cuts: Cuts | None, least: int) -> BranchRoom:
    """Room for the branches of one box at a time; none is needed without cuts."""
    items = 0
    count = 0
    if cuts is not None:
        items = MOST_ITEMS
        count = len(cuts.multipliers)
    inside = np.zeros(count, np.int64)
    most = np.zeros((items + 1, least + 1), np.int64)
    lines = np.zeros((6, items + 1), np.int64)
    work = np.zeros(1, np.int64)
    return BranchRoom(
        inside, most, lines[0], lines[1], lines[2], lines[3], lines[4], lines[5], work
    )


@compiled
def _items(
    boxes: Boxes, room: Room, held: BranchRoom, prices: Ints, members: Ints, cost: int
) -> int:
    """The tuples that a set above 0 may have: how many, or -1 for too many.

    Those that add, and others that may fill it up: with one of them, and the rest
    filled up at least loss, it must still be above 0.  ``room`` is left by ``worst``.
    """
    gain = 0
    records = 0
    for one in members:
        term = prices[one] - boxes.counts[one] * cost
        if term > 0:
            gain += term
            records += boxes.counts[one]
    missing = boxes.least - records
    row = 0
    for kind in range(1, missing + 1):
        row += room.used[kind]
    count = 0
    for one in members:
        term = prices[one] - boxes.counts[one] * cost
        if term <= 0:
            rest = missing - boxes.counts[one]
            loss = room.table[row, rest] if rest > 0 else 0
            # Even with all that adds, and filled up as cheaply as can be, it is not
            # above 0.
            if gain + term - loss <= 0:
                continue
        if count == MOST_ITEMS:
            return -1
        held.items[count] = one
        held.gains[count] = term
        count += 1
    return count


@compiled
def _count_cuts(cuts: Cuts, held: BranchRoom, one: int, change: int) -> None:
    """Change how many tuples of each cut of a tuple there are."""
    first = cuts.starts[one]
    end = cuts.starts[one + 1]
    for at in range(first, end):
        cut = cuts.of[at]
        held.inside[cut] += change


@compiled
def _shares(cuts: Cuts, held: BranchRoom, one: int) -> bool:
    """Whether a tuple and another item are in a cut that is paid for."""
    for at in range(cuts.starts[one], cuts.starts[one + 1]):
        cut = cuts.of[at]
        if held.inside[cut] > 1 and cuts.multipliers[cut] > 0:
            return True
    return False


@compiled
def _copy(source: Ints, target: Ints, place: int, count: int) -> None:
    # An assignment of slices compares their sizes: two seconds more to compile.
    for offset in range(count):
        target[place + offset] = source[offset]


@compiled
def _tied_first(cuts: Cuts, held: BranchRoom, count: int) -> int:
    """Put items that share a cut with another first: how many these are."""
    for place in range(count):
        _count_cuts(cuts, held, held.items[place], 1)
    tied = 0
    free = 0
    for place in range(count):
        one = held.items[place]
        if _shares(cuts, held, one):
            held.value[tied] = one
            held.missing[tied] = held.gains[place]
            tied += 1
        else:
            held.tried[free] = one
            held.chosen[free] = held.gains[place]
            free += 1
    for place in range(count):
        _count_cuts(cuts, held, held.items[place], -1)
    _copy(held.value, held.items, 0, tied)
    _copy(held.missing, held.gains, 0, tied)
    _copy(held.tried, held.items, tied, free)
    _copy(held.chosen, held.gains, tied, free)
    return tied


@compiled
def _most(boxes: Boxes, held: BranchRoom, count: int) -> None:
    """What items from each one on add at most, for each number of missing records."""
    end = held.most[count]
    end[:] = IMPOSSIBLE
    end[0] = 0
    # From the last item on: what later items add does not depend on earlier ones.
    for place in range(count - 1, -1, -1):
        one = held.items[place]
        records = boxes.counts[one]
        gain = held.gains[place]
        after = held.most[place + 1]
        own = held.most[place]
        for missing in range(boxes.least + 1):
            left = max(0, missing - records)
            taken = gain + after[left]
            own[missing] = max(after[missing], taken)


@compiled
def _take(boxes: Boxes, cuts: Cuts, held: BranchRoom, place: int) -> None:
    """Take an item: what the next one begins with."""
    one = held.items[place]
    after = place + 1
    value = held.value[place] + held.gains[place]
    for at in range(cuts.starts[one], cuts.starts[one + 1]):
        cut = cuts.of[at]
        # A set pays for a cut once, when it has the second of its three tuples.
        if held.inside[cut] == 1:
            value -= cuts.multipliers[cut]
        held.inside[cut] += 1
    held.value[after] = value
    left = held.missing[place] - boxes.counts[one]
    held.missing[after] = max(0, left)


@compiled
def _branch(
    boxes: Boxes, cuts: Cuts, held: BranchRoom, tied: int, limit: int
) -> tuple[int, int]:
    """The most that a set adds above 0, and how many nodes it took.

    ``chosen`` says of each of the ``tied`` first items whether the best set has it, and
    ``chosen[tied]`` how many records are missing then.
    """
    best = 0
    nodes = 0
    place = 0
    held.value[0] = 0
    held.missing[0] = boxes.least
    held.tried[0] = UNTRIED
    while place >= 0:
        if held.tried[place] == LEFT:
            place -= 1
            continue
        if held.tried[place] == TAKEN:
            _count_cuts(cuts, held, held.items[place], -1)
            held.tried[place] = LEFT
            held.value[place + 1] = held.value[place]
            held.missing[place + 1] = held.missing[place]
        else:
            nodes += 1
            # Cuts that are paid later only take away: this is a bound of all below.
            highest = held.value[place] + held.most[place, held.missing[place]]
            if highest <= best or nodes > limit:
                place -= 1
                continue
            # Items without a shared cut are independent of the branch: the table
            # settles them.
            if place == tied:
                best = highest
                _copy(held.tried, held.chosen, 0, tied)
                held.chosen[tied] = held.missing[tied]
                place -= 1
                continue
            held.tried[place] = TAKEN
            _take(boxes, cuts, held, place)
        place += 1
        held.tried[place] = UNTRIED
    return best, nodes


@compiled
def _found(
    boxes: Boxes, room: Room, held: BranchRoom, tied: int, count: int
) -> tuple[int, int]:
    """The best set in ``room.found``, what adds first: its size, how many add."""
    missing = held.chosen[tied]
    for place in range(tied, count):
        left = max(0, missing - boxes.counts[held.items[place]])
        taken = held.gains[place] + held.most[place + 1, left]
        held.chosen[place] = LEFT
        if taken > held.most[place + 1, missing]:
            held.chosen[place] = TAKEN
            missing = left
    size = 0
    for place in range(count):
        if held.chosen[place] == TAKEN and held.gains[place] > 0:
            room.found[size] = held.items[place]
            size += 1
    dearer = size
    for place in range(count):
        if held.chosen[place] == TAKEN and held.gains[place] <= 0:
            room.found[size] = held.items[place]
            size += 1
    return size, dearer


@compiled
def penalized(
    boxes: Boxes,
    room: Room,
    cuts: Cuts,
    held: BranchRoom,
    prices: Ints,
    members: Ints,
    cost: int,
    limit: int,
) -> tuple[int, int, int]:
    """As ``worst``, which came before, with cuts paid.

    The excess is -1 where it is not known after ``limit`` nodes, or too many items.
    """
    count = _items(boxes, room, held, prices, members, cost)
    if count < 0:
        return -1, 0, 0
    tied = _tied_first(cuts, held, count)
    _most(boxes, held, count)
    best, nodes = _branch(boxes, cuts, held, tied, limit)
    held.work[0] += count * boxes.least + nodes
    # Not known is never taken for 0: the box is then lowered as if no cut were paid.
    if nodes > limit:
        return -1, 0, 0
    if best == 0:
        return 0, 0, 0
    size, dearer = _found(boxes, room, held, tied, count)
    return best, size, dearer
