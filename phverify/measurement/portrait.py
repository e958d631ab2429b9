"""The classes of a release as a reader wants to see them: how large they are, and the
worst of them beside the whole table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from phverify.measurement.result import (
    ClassView,
    ColumnCounts,
    MeasuredCriterion,
    Portrait,
    SizeBin,
    ValueCount,
)
from phverify.measurement.run import class_seen
from phverify.microdata.quotient import Quotient
from phverify.spec.source import Names
from phverify.symbolic.release import SymbolicRelease

EDGES = (1, 2, 3, 4, 5, 10, 20, 50, 100, 200, 500)
"""Where bins of class sizes begin; beyond, they grow tenfold."""
MOST_CLASSES = 5
MOST_VALUES = 12
SMALLEST = "the smallest class"


def portrait(
    release: SymbolicRelease,
    measured: tuple[MeasuredCriterion, ...],
    confidential: Names,
    broken: Mapping[int, str],
) -> Portrait:
    """The classes of a release; ``confidential`` columns are shown value by value.

    ``broken`` are classes that are looked at first, with the reason.
    """
    chosen = {**broken}
    for number, why in _worst(release, measured).items():
        before = chosen.get(number)
        chosen[number] = f"{before}, {why}" if before else why
    views = []
    for number, why in list(chosen.items())[:MOST_CLASSES]:
        columns = [_counts(release, number, name) for name in confidential]
        views.append(ClassView(class_seen(release, number), why, tuple(columns)))
    return Portrait(sizes(release.quotient), tuple(views), measured)


def sizes(quotient: Quotient) -> tuple[SizeBin, ...]:
    """How many classes there are of each size, in bins; the last has the largest."""
    largest = int(quotient.sizes.max(initial=0))
    edges = [*EDGES]
    while edges[-1] <= largest:
        # The last bin has to hold the largest class.
        edges.append(edges[-1] * 10)
    bins = []
    for least, following in pairwise(edges):
        inside = (quotient.sizes >= least) & (quotient.sizes < following)
        classes = int(inside.sum())
        rows = int(quotient.sizes[inside].sum())
        bins.append(SizeBin(least, following - 1, classes, rows))
        if following > largest:
            break
    return tuple(bins)


def _worst(
    release: SymbolicRelease, measured: Sequence[MeasuredCriterion]
) -> dict[int, str]:
    """The classes that force what rules ask, broken rules first; then the smallest."""
    reasons: dict[int, list[str]] = {}
    # False comes first: rules that are broken.
    by_need = sorted(measured, key=lambda one: all(asked.kept for asked in one.asked))
    for one in by_need:
        if one.asked and one.threshold is not None:
            reasons.setdefault(one.threshold.cls, []).append(one.criterion)
    chosen = {}
    for number, criteria in reasons.items():
        listed = ", ".join(criteria)
        chosen[number] = f"the worst class for {listed}"
    # Where it is the worst for a rule already, that says more.
    chosen.setdefault(int(np.argmin(release.quotient.sizes)), SMALLEST)
    return chosen


def _counts(release: SymbolicRelease, number: int, column: str) -> ColumnCounts:
    """A column in a class beside the table: its most frequent values there first."""
    histogram = release.ground.histogram(column)
    inside, whole = histogram.inside(number), histogram.outside()
    order = sorted(whole, key=lambda value: (-inside.get(value, 0), -whole[value]))
    shown = []
    for value in order[:MOST_VALUES]:
        shown.append(ValueCount(value, inside.get(value, 0), whole[value]))
    others = max(len(order) - MOST_VALUES, 0)
    return ColumnCounts(column, tuple(shown), others, release.quotient.rows)
