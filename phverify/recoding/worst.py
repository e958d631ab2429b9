"""The set of a box that breaks its price the most: a covering knapsack, compiled.

Every tuple of the box may be in the set, which has at least so many records.  A tuple
adds what its price is above that of its records in the box.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from phverify.exact import Ints
from phverify.machine.machine_code import counted as compiled


class Boxes(NamedTuple):
    """All boxes, and what a class needs at least.

    Layers of all attributes stand one below the other: ``first[a]`` is attribute a's
    first.  ``codes[a]`` are the tuples' ranks.  Of confidential column q, tuple t has
    the values ``held[spans[q, t]:spans[q, t + 1]]``, and a class ``wanted[q]`` or more.
    """

    codes: Ints
    counts: Ints
    first: Ints
    group: Ints
    price: Ints
    least: int
    wanted: Ints
    spans: Ints
    held: Ints


class Room(NamedTuple):
    """Where a split and a knapsack are worked out."""

    slot: Ints
    sizes: Ints
    records: Ints
    lowest: Ints
    highest: Ints
    to: Ints
    seen: Ints
    found: Ints
    used: Ints
    item: Ints
    loss: Ints
    table: Ints


@compiled
def _candidates(
    boxes: Boxes,
    room: Room,
    prices: Ints,
    members: Ints,
    cost: int,
    gain: int,
    missing: int,
) -> None:
    """Tuples that may fill up a set: for each number of records those that lose least.

    More of a kind than fill the set alone are never needed.
    """
    for kind in range(missing + 1):
        room.used[kind] = 0
    for one in members:
        lost = boxes.counts[one] * cost - prices[one]
        # Those below 0 are in the set already; those that lose more than all gain never
        # pay.
        if lost < 0 or lost >= gain:
            continue
        kind = min(boxes.counts[one], missing)
        # So many of this kind fill the set alone.
        limit = (missing + kind - 1) // kind
        place = room.used[kind]
        if place == limit:
            place -= 1
            if room.loss[kind, place] <= lost:
                continue
        else:
            room.used[kind] += 1
        while place > 0 and room.loss[kind, place - 1] > lost:
            room.loss[kind, place] = room.loss[kind, place - 1]
            room.item[kind, place] = room.item[kind, place - 1]
            place -= 1
        room.loss[kind, place] = lost
        room.item[kind, place] = one


@compiled
def _fill(room: Room, gain: int, missing: int, size: int) -> tuple[int, int]:
    """Fill up a set of ``size`` members at least loss: its new size, and the loss.

    ``table[i, n]`` is the least loss of n records or more from the first i candidates,
    and ``gain`` where there is none below.
    """
    table = room.table
    table[0, 0] = 0
    for count in range(1, missing + 1):
        table[0, count] = gain
    row = 0
    for kind in range(1, missing + 1):
        for place in range(room.used[kind]):
            lost = room.loss[kind, place]
            table[row + 1, 0] = 0
            for count in range(1, missing + 1):
                taken = table[row, max(0, count - kind)] + lost
                table[row + 1, count] = min(table[row, count], taken)
            row += 1
    loss = table[row, missing]
    if loss >= gain:
        return size, gain
    count = missing
    for kind in range(missing, 0, -1):
        for place in range(room.used[kind] - 1, -1, -1):
            row -= 1
            if table[row + 1, count] < table[row, count]:
                room.found[size] = room.item[kind, place]
                size += 1
                # Backwards through the table: which candidates the least loss took.
                count = max(0, count - kind)
    return size, loss


@compiled
def worst(
    boxes: Boxes, room: Room, prices: Ints, members: Ints, cost: int
) -> tuple[int, int, int]:
    """The set of a box that breaks its price the most, in ``room.found``.

    All tuples that are dearer than the price; if they have too few records, filled up
    by the others at least loss.  Returns the excess, the size of the set, and how many
    of its first members are dearer.
    """
    gain = 0
    records = 0
    size = 0
    for one in members:
        term = prices[one] - boxes.counts[one] * cost
        if term > 0:
            gain += term
            records += boxes.counts[one]
            room.found[size] = one
            size += 1
    if gain == 0 or records >= boxes.least:
        return gain, size, size
    missing = boxes.least - records
    _candidates(boxes, room, prices, members, cost, gain, missing)
    filled, loss = _fill(room, gain, missing, size)
    return gain - loss, filled, size


@compiled
def lower(
    boxes: Boxes, room: Room, prices: Ints, cost: int, dearer: int, excess: int
) -> None:
    """Take the excess from the tuples that are dearer, from each by its share."""
    gain = 0
    for at in range(dearer):
        one = room.found[at]
        gain += prices[one] - boxes.counts[one] * cost
    # A float is enough: whatever is taken, the next look holds it against the box
    # again.
    share = excess / gain
    for at in range(dearer):
        one = room.found[at]
        term = prices[one] - boxes.counts[one] * cost
        # Rounded up, so that one more look finds nothing, or less than before.
        prices[one] -= min(term, int(term * share) + 1)


def room(tuples: int, widest: int, least: int, kinds: int) -> Room:
    """Room for lists of so many tuples, layers of so many groups, so many values."""
    candidates = sum(-(-least // kind) for kind in range(1, least + 1))
    places = np.zeros((5, widest), np.int64)
    return Room(
        slot=np.full(widest, -1, np.int64),
        sizes=places[0],
        records=places[1],
        lowest=places[2],
        highest=places[3],
        to=places[4],
        seen=np.zeros(kinds + 1, np.int64),
        found=np.empty(tuples, np.int32),
        used=np.zeros(least + 1, np.int64),
        item=np.empty((least + 1, least + 1), np.int32),
        loss=np.empty((least + 1, least + 1), np.int64),
        table=np.empty((candidates + 1, least + 1), np.int64),
    )
