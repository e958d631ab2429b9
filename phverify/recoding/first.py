"""The first release of a search: the cheapest of several constructions."""

from __future__ import annotations

import numpy as np

from phverify.exact import Ints
from phverify.recoding.closing import closed_release
from phverify.recoding.cutting import cut_release
from phverify.recoding.merging import merged_release
from phverify.recoding.partition import WITHHELD, classes_of
from phverify.recoding.splitting import split_release
from phverify.recoding.task import ReleaseTask

TRIED = 200_000
"""So many tuples times attributes are tried for each box, where boxes are cut."""
HALVINGS = 8
LITTLE = 1e-15
"""A price that is rounded: of what is released as it is."""


def first_release(task: ReleaseTask) -> Ints | None:
    """The class of each tuple, the cheapest of several constructions.

    None where none of them satisfies the demands, not even with all tuples in one
    class.  Where each has too many cells of the whole domain, the one with fewest.
    """
    if task.disjoint:
        releases = _disjoint_releases(task)
    else:
        releases = [split_release(task), merged_release(task)]
    complete = [release for release in releases if release is not None]
    if not complete:
        return None
    # Constructions release every tuple; the budget is spent on what loses most.
    cheaper = [withhold_dearest(task, release) for release in complete]
    costs = [_cost(task, release) for release in cheaper]
    return cheaper[costs.index(min(costs))]


def _cost(task: ReleaseTask, release: Ints) -> tuple[int, float]:
    """How many cells too many are the whole domain; then what the release loses."""
    classes = classes_of(release)
    stars = int(task.star_cells(classes).sum())
    # Too many cells outweigh any loss: such a release cannot be handed over.
    return max(stars - task.most_stars, 0), task.lost(release)


def _disjoint_releases(task: ReleaseTask) -> list[Ints | None]:
    tried = max(1, TRIED // len(task.table.counts))
    releases = [_judged(task, cut_release(task, tried))]
    if task.withheld:
        releases.append(_judged(task, _cut_and_withheld(task)))
    return releases


def _cut_and_withheld(task: ReleaseTask) -> Ints | None:
    """Cuts that may leave small children out, at the price that keeps the budget."""
    table = task.table
    low, high = 0.0, float(table.whole[np.isfinite(table.whole)].sum())
    best = None
    for _ in range(HALVINGS):
        # The higher the price of a withheld record, the fewer are withheld.
        relief = (low + high) / 2
        release = cut_release(task, 1, relief)
        records = np.inf
        if release is not None:
            records = table.counts[release == WITHHELD].sum()
        if records <= task.withheld:
            best = release
            high = relief
        else:
            low = relief
    return best


def _judged(task: ReleaseTask, release: Ints | None) -> Ints | None:
    """The release, with classes joined that an exact judge does not allow."""
    if release is None or all(task.demands.allow(classes_of(release))):
        return release
    return closed_release(task, release)


def withhold_dearest(task: ReleaseTask, assignment: Ints) -> Ints:
    """Leave out the classes that lose most per record, within the budget."""
    spare = task.withheld - int(task.table.counts[assignment < 0].sum())
    classes = classes_of(assignment)
    _, _, records = task.boxes(classes)
    own = np.array([task.table.own[one].sum() for one in classes])
    prices = (task.costs(classes) - own / task.grid.rows) / np.maximum(records, 1)
    release = assignment.copy()
    for place in np.argsort(-prices, kind="stable"):
        # A class that loses nothing is not worth a record of the budget.
        if prices[place] > LITTLE and records[place] <= spare:
            release[classes[place]] = WITHHELD
            spare -= int(records[place])
    return release
