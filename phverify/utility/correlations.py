"""Correlations of ordered columns before and after.

Floats: no verdict rests on them, and they are rounded to ``DIGITS`` digits.  A released
cell counts as the mean of the numbers it stands for, the middle of a range whose values
are evenly spread.  Records in which one of the two is missing are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from phverify.exact import Bools, Floats, Ints
from phverify.utility.cells import SpreadColumn
from phverify.utility.result import Correlations

DIGITS = 6


@dataclass(frozen=True, eq=False)
class NumberColumn:
    """The numbers of a column's cells, NaN where there is none.

    ``scaled`` has the least number at 0 and the largest at 1, which no correlation
    notices, and ``places`` has the place of each among the distinct ones.
    """

    scaled: Floats
    places: Floats

    def taken(self, rows: Bools) -> NumberColumn:
        """These rows alone."""
        return NumberColumn(self.scaled[rows], self.places[rows])


Sides = tuple[NumberColumn, NumberColumn]
"""A column before and after."""


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


def _looked_up(figures: Sequence[Fraction | None], codes: Ints) -> NumberColumn:
    scaled: list[float] = []
    places: list[float] = []
    known = sorted({figure for figure in figures if figure is not None})
    place = {figure: number for number, figure in enumerate(known)}
    for figure in figures:
        # Exactly, before it is a float: large numbers would be one, or none at all.
        scaled.append(np.nan if figure is None else float(between(figure, known)))
        places.append(np.nan if figure is None else float(place[figure]))
    return NumberColumn(np.array(scaled)[codes], np.array(places)[codes])


def between(figure: Fraction, known: Sequence[Fraction]) -> Fraction:
    """Where a number is between the least (0) and the largest (1) of those known, which
    come in their order.
    """
    low, high = known[0], known[-1]
    width = high - low
    return (figure - low) / (width or 1)


def both(x: NumberColumn, y: NumberColumn) -> tuple[float | None, float | None]:
    """Pearson's and Spearman's correlation; None where one of the two is constant."""
    present = ~np.isnan(x.scaled) & ~np.isnan(y.scaled)
    x = x.taken(present)
    y = y.taken(present)
    by_rank = pearson(ranks(x.places), ranks(y.places))
    return pearson(x.scaled, y.scaled), by_rank


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
