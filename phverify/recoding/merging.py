"""First releases: small classes merged from below, or all tuples split from above."""

from __future__ import annotations

import numpy as np

from phverify.exact import Bools, Ints
from phverify.machine.machine_code import entry_point
from phverify.recoding.boxes import BoxTable, box_price
from phverify.recoding.demands import CompiledTests, satisfied
from phverify.recoding.near import parts
from phverify.recoding.partition import classes_of, numbered
from phverify.recoding.rebuild import MergeRoom, merge, new_room
from phverify.recoding.task import ReleaseTask

PART = 5_000
PAIRS = 10**8
"""So many pairs of tuples are compared at most; with more tuples parts are smaller."""
SMALLEST_PART = 500
STAR_PRICES = (0.0, 0.03, 0.1, 0.3, 1.0, 10.0)


def merged_release(task: ReleaseTask) -> Ints | None:
    """The class that fails and is smallest is merged with its cheapest partner.

    That happens within parts of the table first, so that the time grows with the
    number of tuples, then among all classes that are left.  Where more cells are the
    whole domain than may be at any price, the release is that of the highest price.
    """
    everything = np.arange(len(task.table.counts), dtype=np.int64)
    for star_price in STAR_PRICES:
        table = task.starred(star_price)
        assignment = everything.copy()
        merge_within(task, table, assignment, everything)
        release = repaired(task, assignment, table)
        if release is None:
            return None
        # The cheapest price that keeps few enough distorts the loss least.
        if task.star_cells(classes_of(release)).sum() <= task.most_stars:
            break
    return release


def merge_within(
    task: ReleaseTask, table: BoxTable, assignment: Ints, members: Ints
) -> None:
    """Merge some tuples, each a class of its own so far, with one another alone.

    What is left of a part may still fail.
    """
    tuples = len(table.counts)
    # Merging compares all pairs of a part.
    size = max(SMALLEST_PART, min(PART, PAIRS // tuples))
    for part in parts(table, size, whole=members):
        _merge_part(task, table, assignment, part)


def repaired(
    task: ReleaseTask, assignment: Ints, table: BoxTable | None = None
) -> Ints | None:
    """A given assignment, its classes joined until all satisfy the demands."""
    table = task.table if table is None else table
    refused: set[bytes] = set()
    while True:
        classes = classes_of(assignment)
        # Compiled tests let them pass, and the exact judge did not: they count as
        # failing.
        refusals = np.array([one.tobytes() in refused for one in classes], dtype=bool)
        labels = _joined_classes(task, table, classes, refusals)
        if labels is None:
            return None
        joined = assignment.copy()
        for label, members in zip(labels, classes, strict=True):
            joined[members] = label
        classes = classes_of(joined)
        allowed = task.demands.allow(classes)
        if all(allowed):
            return numbered(joined)
        bad = [one for one, right in zip(classes, allowed, strict=True) if not right]
        if len(classes) == 1:
            return None
        refused = {members.tobytes() for members in bad}
        assignment = joined


def _merge_part(
    task: ReleaseTask, table: BoxTable, assignment: Ints, members: Ints
) -> None:
    count = len(members)
    alone = [members[place : place + 1] for place in range(count)]
    refused = np.zeros(count, dtype=bool)
    room = _room_of(task, table, alone, refused)
    merge(table, task.demands.tests, room, count, 0.0, 0.0, 0)
    groups = room.group[:count]
    assignment[members] = members[groups]


def _joined_classes(
    task: ReleaseTask, table: BoxTable, classes: list[Ints], refused: Bools
) -> Ints | None:
    room = _room_of(task, table, classes, refused)
    count = len(classes)
    if not merge(table, task.demands.tests, room, count, 0.0, 0.0, 0):
        return None
    return room.group[:count]


def _room_of(
    task: ReleaseTask, table: BoxTable, classes: list[Ints], refused: Bools
) -> MergeRoom:
    """A room whose groups are the classes."""
    count = len(classes)
    values = task.values(classes)
    room = new_room(count, table.codes.shape[1], values.shape[1], task.seed)
    low, high, records = task.boxes(classes)
    room.low[:count] = low
    room.high[:count] = high
    room.records[:count] = records
    room.values[:count] = values
    # Here a place of the room is a class, not a tuple.
    room.group[:] = np.arange(count)
    _judge(table, task.demands.tests, room, count)
    room.allowed[:count][refused] = 0
    return room


@entry_point
def _judge(table: BoxTable, tests: CompiledTests, room: MergeRoom, count: int) -> None:
    for row in range(count):
        price = box_price(table, room.low, room.high, row)
        room.cost[row] = room.records[row] * price
        room.allowed[row] = satisfied(tests, room.records[row], room.values[row])
