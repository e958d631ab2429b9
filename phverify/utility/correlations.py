"""Correlations of ordered columns before and after.

Floats: no verdict rests on them, and they are rounded to ``DIGITS`` digits.  A released
cell counts as the mean of the numbers it stands for, the middle of a range whose values
are evenly spread.  Records in which one of the two is missing are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np

from phverify.exact import Floats, Ints
from phverify.utility.cells import SpreadColumn
from phverify.utility.result import Correlations

DIGITS = 6
Sides = tuple[Floats, Floats]
"""The numbers of a column before and after; NaN where there is none."""


def correlations(
    columns: Sequence[SpreadColumn], untyped: bool
) -> tuple[Correlations, ...]:
    """Pearson's and Spearman's correlation of each two ordered columns."""
    ordered: dict[str, Sides] = {}
    for column in columns:
        sides = numbers(column, untyped)
        if sides is not None:
            ordered[column.name] = sides
    found = []
    for first, second in combinations(ordered, 2):
        (x, released_x), (y, released_y) = ordered[first], ordered[second]
        pearson_before, spearman_before = both(x, y)
        pearson_after, spearman_after = both(released_x, released_y)
        found.append(
            Correlations(
                first,
                second,
                pearson_before,
                pearson_after,
                spearman_before,
                spearman_after,
            )
        )
    return tuple(found)


def numbers(column: SpreadColumn, untyped: bool) -> Sides | None:
    """The numbers of a column's cells before and after; None where it has no order."""
    figures = column.figures(untyped)
    shown = column.shown_figures(untyped)
    if figures is None or shown is None:
        return None
    before = _looked_up(figures, column.before)
    after = _looked_up(shown, column.after)
    return before, after


def _looked_up(figures: Sequence[Fraction | None], codes: Ints) -> Floats:
    plain = [np.nan if figure is None else float(figure) for figure in figures]
    found: Floats = np.array(plain, dtype=float)[codes]
    return found


def both(x: Floats, y: Floats) -> tuple[float | None, float | None]:
    """Pearson's and Spearman's correlation; None where one of the two is constant."""
    lacking = np.isnan(x) | np.isnan(y)
    x = x[~lacking]
    y = y[~lacking]
    by_rank = pearson(ranks(x), ranks(y))
    return pearson(x, y), by_rank


def pearson(x: Floats, y: Floats) -> float | None:
    """Covariance over the product of the standard deviations, rounded."""
    if not len(x):
        return None
    # Scaled first: squares of large numbers would lose the small ones.
    width = float(np.ptp(x))
    height = float(np.ptp(y))
    if not width or not height:
        return None
    x = (x - x.mean()) / width
    y = (y - y.mean()) / height
    deviations = np.sqrt(x @ x) * np.sqrt(y @ y)
    found = float(x @ y / deviations)
    # Minus nothing is nothing.
    return round(found, DIGITS) + 0.0


def ranks(x: Floats) -> Floats:
    """The place of each number in their order; those alike have the mean of theirs."""
    _, place, counts = np.unique(x, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    others = counts - 1
    middle: Floats = last - others / 2
    return middle[place]
