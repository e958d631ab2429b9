"""Numbers that an answer does not say exactly: rounded ones, and those with noise of a
known bound.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from phverify.disclosure.log.bags import Row, named

LONGEST = 40
"""Numbers of more characters are not shown whole,"""
HEAD = 20
"""but so many of them."""


@dataclass(frozen=True)
class NumberRange:
    """The true number is one of ``low..high``, both included.

    ``published`` is what was said.
    """

    low: Fraction
    high: Fraction
    published: str = ""

    def has(self, value: Any) -> bool:
        """Whether a number is one of them.

        A double stands for numbers up to its last bit: which of them is for the
        constraints to say.
        """
        if value is None or isinstance(value, bool):
            return False
        if not isinstance(value, (int, float, Decimal, Fraction)):
            return False
        if isinstance(value, float) and not math.isfinite(value):
            return False
        slack = Fraction(0)
        if isinstance(value, float):
            slack = Fraction(math.ulp(value))
        return self.low - slack <= Fraction(value) <= self.high + slack

    def __str__(self) -> str:
        """As it was published, and what that stands for."""
        low = _short(self.low)
        high = _short(self.high)
        return f"{brief(self.published)} ({low} to {high})"


def brief(number: Any) -> str:
    """A number, without the most of its digits where it has very many."""
    text = str(number)
    if len(text) <= LONGEST:
        return text
    return f"{text[:HEAD]}.. ({len(text)} characters)"


def _short(number: Fraction) -> str:
    """A number as it is written: with a point where that is exact."""
    if number.denominator == 1:
        return brief(number.numerator)
    try:
        shown = f"{float(number):.15g}"
    except OverflowError:
        return brief(number)
    return shown if Fraction(shown) == number else brief(number)


def ranged(rows: Sequence[Row]) -> bool:
    """Whether some number of an answer is a range."""
    return any(isinstance(cell, NumberRange) for row in rows for cell in row)


def fits(rows: Sequence[Row], published: Sequence[Row]) -> bool:
    """Whether rows are those of a published answer, as bags, its ranges apart.

    Rows are known by the columns without ranges, as those of GROUP BY are shown; where
    two have the same cells there, they are said to differ.
    """
    places = range_places(published)
    by_known = {_known(row, places): row for row in map(named, published)}
    found = {_known(row, places): row for row in map(named, rows)}
    if not len(rows) == len(published) == len(by_known) == len(found):
        return False
    for known, row in found.items():
        said = by_known.get(known)
        if said is None or not _inside(row, said, places):
            return False
    return True


def range_places(published: Sequence[Row]) -> frozenset[int]:
    """The columns of an answer that have ranges."""
    places = set()
    for row in published:
        for place, cell in enumerate(row):
            if isinstance(cell, NumberRange):
                places.add(place)
    return frozenset(places)


def _known(row: Row, places: frozenset[int]) -> Row:
    """The cells of a row in the columns without ranges."""
    known = []
    for place, cell in enumerate(row):
        if place not in places:
            known.append(cell)
    return tuple(known)


def _inside(row: Row, published: Row, places: frozenset[int]) -> bool:
    """Whether the numbers of a row are in the ranges; what is missing is in both."""
    if len(row) != len(published):
        return False
    for place in places:
        cell, said = row[place], published[place]
        if isinstance(said, NumberRange):
            if not said.has(cell):
                return False
        elif cell != said:
            return False
    return True
