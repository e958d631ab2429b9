"""Disjoint boxes: no class's box holds a tuple that is not of the class.

A tuple that lies in a foreign box goes there, if its own class does without it, as it
does where it was withheld; else the two classes are joined.
"""

from __future__ import annotations

import numpy as np

from phverify.exact import Ints
from phverify.recoding.boxes import BoxTable, box_holds
from phverify.recoding.demands import satisfied
from phverify.recoding.machine_code import compiled
from phverify.recoding.merging import repaired
from phverify.recoding.partition import classes_of, numbered
from phverify.recoding.task import ReleaseTask

MOST_PAIRS = 100_000
MOVING_ROUNDS = 3


def set_apart(task: ReleaseTask, assignment: Ints) -> Ints | None:
    """The release with disjoint boxes; None where joining ends with a class that fails.

    Costly where boxes overlap much: then almost everything is joined.
    """
    current = numbered(assignment)
    rounds = 0
    while True:
        strangers = strange_pairs(task, current)
        if not len(strangers):
            return current
        withheld = bool((current[strangers[:, 1]] < 0).any())
        if rounds < MOVING_ROUNDS or withheld:
            current = _moved(task, current, strangers)
            strangers = strange_pairs(task, current)
        joined = repaired(task, _joined(current, strangers))
        if joined is None:
            return None
        current = joined
        rounds += 1


def strange_pairs(task: ReleaseTask, assignment: Ints) -> Ints:
    """Pairs of a class and a foreign tuple in its box, up to a number."""
    classes = classes_of(assignment)
    low, high, _ = task.boxes(classes)
    pairs = np.zeros((MOST_PAIRS, 2), dtype=np.int64)
    count = _find(task.table, low, high, numbered(assignment), pairs)
    return pairs[:count]


@compiled
def _find(table: BoxTable, low: Ints, high: Ints, owner: Ints, pairs: Ints) -> int:
    count = 0
    for row in range(low.shape[0]):
        for member in range(owner.size):
            foreign = owner[member] != row
            if foreign and box_holds(table, low, high, row, member):
                if count == pairs.shape[0]:
                    return count
                pairs[count, 0] = row
                pairs[count, 1] = member
                count += 1
    return count


def _moved(task: ReleaseTask, assignment: Ints, strangers: Ints) -> Ints:
    demands = task.demands
    current = assignment.copy()
    for row, member in strangers:
        if current[member] < 0:
            current[member] = row
            continue
        own = np.flatnonzero(current == current[member])
        without = own[own != member]
        entered = np.append(np.flatnonzero(current == row), member)
        if not len(without) or current[member] == row:
            continue
        changed = [without.astype(np.int32), np.sort(entered).astype(np.int32)]
        counts = [task.table.counts[members].sum() for members in changed]
        values = [demands.counted[members].sum(axis=0) for members in changed]
        passing = [
            satisfied(demands.tests, records, histogram)
            for records, histogram in zip(counts, values, strict=True)
        ]
        if all(passing) and all(demands.allow(changed)):
            current[member] = row
    return current


def _joined(assignment: Ints, strangers: Ints) -> Ints:
    parent = np.arange(int(assignment.max()) + 1)
    for row, member in strangers:
        if assignment[member] < 0:
            continue
        one = _root(parent, int(row))
        other = _root(parent, int(assignment[member]))
        parent[max(one, other)] = min(one, other)
    roots = np.array([_root(parent, row) for row in range(len(parent))])
    return np.where(assignment >= 0, roots[assignment], -1)


def _root(parent: Ints, row: int) -> int:
    while parent[row] != row:
        row = int(parent[row])
    return row
