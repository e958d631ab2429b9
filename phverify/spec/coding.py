"""Top and bottom coding: what is less than one bound is one value, and so is what is at
least another one.

Between the bounds values stay as they are, then go on along the levels of a builder.
Values may be coded already: ``90+`` lies where all from 90 on do.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from phverify.spec.builders import BOUNDS, MADE, Builder, Labels, builder, in_order
from phverify.spec.decimals import decimal, fraction
from phverify.spec.notation import Interval, interval
from phverify.spec.ranges import Ends, maker, readable
from phverify.spec.source import Plain, shortened

CODING = "coding"
"""What a builder of bounds alone is called."""
CUT_OFF = ("intervals", "ranges", "round")
"""Builders of ranges, which end where a bound is."""
BOUNDED = (*CUT_OFF, "dates")
"""Builders that may have bounds."""
BELOW, BETWEEN, BEYOND = -1, 0, 1
"""Where a value is."""


@dataclass(frozen=True)
class CodingBounds:
    """What is less than ``low`` is one value, and what is at least ``high``; None is no
    bound.  Dates are numbers of days.
    """

    low: Fraction | None
    high: Fraction | None
    dates: bool

    @property
    def ends(self) -> Ends:
        """The numbers that stay what they are."""
        return self.low, self.high

    def place(self, text: str) -> tuple[int, Fraction]:
        """Where a value is, and the number that orders it among others there.

        Raises ValueError for what denotes no number, or a range over a bound.
        """
        try:
            number = self._read(text)
        except ValueError:
            written = interval(text)
            if written is None or written.dates != self.dates:
                raise
            return self._coded(text, written)
        if self.low is not None and number < self.low:
            return BELOW, number
        if self.high is not None and number >= self.high:
            return BEYOND, number
        return BETWEEN, number

    def _read(self, text: str) -> Fraction:
        if self.dates:
            return _day(text)
        return readable(text)

    def _coded(self, text: str, coded: Interval) -> tuple[int, Fraction]:
        """Where a value is that is a range already."""
        if self.high is not None and coded.low is not None and coded.low >= self.high:
            return BEYOND, coded.low
        if self.low is not None and coded.high is not None:
            # An open end may be the bound itself.
            at_bound = coded.high == self.low and not coded.high_closed
            if coded.high < self.low or at_bound:
                return BELOW, coded.high
        bounds = " or ".join(self._said())
        raise ValueError(f"{shortened(text)!r} is a range, and not all beyond {bounds}")

    def _said(self) -> Iterator[str]:
        """The bounds as a policy has them."""
        if self.low is not None:
            low = self._written(self.low)
            yield f"at_least = {low}"
        if self.high is not None:
            high = self._written(self.high)
            yield f"at_most = {high}"

    def label(self, place: int) -> str:
        """What values are called that are not between the bounds."""
        bound, sign = (self.low, "<") if place == BELOW else (self.high, ">=")
        assert bound is not None  # nothing lies beyond what is no bound
        return f"{sign}{self._written(bound)}"

    def _written(self, bound: Fraction) -> str:
        if self.dates:
            return datetime.date.fromordinal(int(bound)).isoformat()
        return decimal(bound)


def coded(values: Sequence[str], bounds: CodingBounds, builder: Builder) -> Labels:
    """The labels of values: one for all levels of what is not between the bounds; of
    what is, the value itself, then the labels of a builder that has them.
    """
    places = in_order(values, bounds.place)
    between = [text for text, (place, _) in places.items() if place == BETWEEN]
    inner = _between(between, bounds, builder)
    labels = {}
    for text, (place, _) in places.items():
        if place == BETWEEN:
            labels[text] = (text, *inner[text])
        else:
            labels[text] = (bounds.label(place),) * (1 + len(builder.levels))
    return labels


def _between(values: Sequence[str], bounds: CodingBounds, builder: Builder) -> Labels:
    """The labels of what is between the bounds, above the first level."""
    if builder.kind == CODING:
        return dict.fromkeys(values, ())
    if builder.kind in CUT_OFF:
        make = maker(builder.kind)
        return make(values, builder.levels, *builder.start, within=bounds.ends)
    return MADE[builder.kind](values, builder.levels)


def bounded(spec: Plain) -> Builder:
    """The builder that a policy describes with bounds.  Raises ValueError when it
    describes none.
    """
    bounds = coding_bounds(spec)
    beside = {key: said for key, said in spec.items() if key not in BOUNDS}
    if not beside:
        return Builder(CODING, (), (), bounds)
    found = builder(beside)
    if found.kind not in BOUNDED or bounds.dates != (found.kind == "dates"):
        raise ValueError(f"its bounds are none of what {found.kind} takes")
    return replace(found, bounds=bounds)


def coding_bounds(spec: Plain) -> CodingBounds:
    """The bounds that a policy names, one at least.  Raises ValueError when they are
    none.
    """
    low = high = None
    kinds = set()
    if "at_least" in spec:
        low, dates = coding_bound(spec["at_least"])
        kinds.add(dates)
    if "at_most" in spec:
        high, dates = coding_bound(spec["at_most"])
        kinds.add(dates)
    if len(kinds) > 1:
        raise ValueError("one bound is a date, and the other a number")
    if low is not None and high is not None and low >= high:
        raise ValueError("at_least is not below at_most")
    return CodingBounds(low, high, kinds.pop())


def coding_bound(said: Any) -> tuple[Fraction, bool]:
    """A bound, and whether it is a date: as TOML has dates, or as a text.

    Raises ValueError for what is neither a number nor a date.
    """
    # A time of day is a date to Python.
    if isinstance(said, datetime.date) and not isinstance(said, datetime.datetime):
        return Fraction(said.toordinal()), True
    number = fraction(said)
    if number is not None:
        return number, False
    if not isinstance(said, str):
        raise ValueError("a bound is a number, or a date")
    return _day(said), True


def _day(text: str) -> Fraction:
    """The number of a day.  Raises ValueError."""
    try:
        day = datetime.date.fromisoformat(text.strip())
    except ValueError:
        raise ValueError(f"{shortened(text)!r} is no date") from None
    return Fraction(day.toordinal())
