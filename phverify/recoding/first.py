"""The first release of a search: the cheapest of several constructions."""

from __future__ import annotations

import numpy as np

from phverify.exact import Ints
from phverify.recoding.apart import set_apart
from phverify.recoding.merging import merged_release
from phverify.recoding.partition import WITHHELD, classes_of
from phverify.recoding.splitting import split_release
from phverify.recoding.task import ReleaseTask

FEW = 20_000
"""Up to so many tuples merged classes are set apart: that looks at all of them."""


def first_release(task: ReleaseTask) -> Ints | None:
    """The class of each tuple, the cheapest of several constructions.

    None where none of them satisfies the demands, not even with all tuples in one
    class.
    """
    releases = [split_release(task)]
    merged = merged_release(task)
    if task.disjoint and merged is not None:
        merged = set_apart(task, merged) if len(merged) <= FEW else None
    releases.append(merged)
    complete = [release for release in releases if release is not None]
    if not complete:
        return None
    cheaper = [withhold_dearest(task, release) for release in complete]
    costs = [task.costs(classes_of(release)).sum() for release in cheaper]
    return cheaper[int(np.argmin(costs))]


def withhold_dearest(task: ReleaseTask, assignment: Ints) -> Ints:
    """Leave out the classes that lose most per record, within the budget."""
    spare = task.withheld - int(task.table.counts[assignment < 0].sum())
    classes = classes_of(assignment)
    _, _, records = task.boxes(classes)
    prices = task.costs(classes) / np.maximum(records, 1)
    release = assignment.copy()
    for place in np.argsort(-prices, kind="stable"):
        if prices[place] > 0 and records[place] <= spare:
            release[classes[place]] = WITHHELD
            spare -= int(records[place])
    return release
