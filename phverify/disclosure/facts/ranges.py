"""Declared domains of numbers with decimals, dates and timestamps."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from phverify.disclosure.facts.domains import LARGEST, Domain
from phverify.disclosure.grids import (
    COUNTED,
    DATE,
    NUMBER,
    SECOND,
    TIMESTAMP,
    amount,
    shown,
    sort_of,
    unit_of,
)

LISTED = 10_000
"""So many values a range has at most where it does not begin at a multiple of its
step.
"""
STEPS = {DATE: Fraction(1), TIMESTAMP: Fraction(SECOND)}
"""The step of a range that says none: a day, a second."""


class NoDomain(ValueError):
    """What is no domain, and how it is written."""

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(what)
        self.hint = hint


def listed(values: Sequence[Any], null: bool) -> Domain:
    """The domain of a list of numbers, of dates or of timestamps.  Raises NoDomain."""
    sort = _one_sort(values)
    different = set(map(amount, values))
    amounts = sorted(different)
    return _of_amounts(sort, amounts, null)


def ranged(low: Any, high: Any, step: Any, null: bool) -> Domain:
    """The domain from one end to the other, ``step`` apart; None is the usual step.

    Raises NoDomain.
    """
    sort = _one_sort((low, high))
    first, last = amount(low), amount(high)
    width = _step(sort, step)
    if first > last:
        raise NoDomain(f"no {sort} is from {low} to {high}")
    beyond = (last - first) % width
    if beyond:
        start = shown(sort, first)
        end = shown(sort, last)
        reached = shown(sort, last - beyond)
        what = f"the steps from {start} do not end at {end}"
        raise NoDomain(what, f"the last one below it is {reached}")
    if first % width == 0:
        ends = _codes((first, last), width)
        return Domain(ends[0], ends[1], (), null, width, sort)
    # Multiples of a smaller unit, with gaps between them: each is listed.
    count = (last - first) / width + 1
    if count > LISTED:
        raise NoDomain(
            f"has {count} values, none of them a multiple of the step",
            f"begin at a multiple of the step; otherwise up to {LISTED:,} are audited",
        )
    several = [first + place * width for place in range(int(count))]
    return _of_amounts(sort, several, null)


def _one_sort(values: Sequence[Any]) -> str:
    """What all of some values are.  Raises NoDomain where that differs."""
    sorts = set(map(sort_of, values))
    if len(sorts) != 1 or "" in sorts:
        said = ", ".join(map(str, values))
        raise NoDomain(
            f"{said} are no numbers, and no dates or timestamps of one kind",
            "for example from = 0.00, to = 99.99, step = 0.01, or from = 2020-01-01,"
            " to = 2020-12-31 (without quotes, without a time zone)",
        )
    return sorts.pop()


def _step(sort: str, step: Any) -> Fraction:
    """The step of a range.  Raises NoDomain."""
    if step is None:
        if sort in STEPS:
            return STEPS[sort]
        raise NoDomain("a range of decimals needs a step", "for example step = 0.01")
    if sort_of(step) != NUMBER or step <= 0:
        raise NoDomain(f"step is a number above 0, not {step!r}")
    width = amount(step) * COUNTED[sort]
    if sort != NUMBER and width.denominator != 1:
        raise NoDomain("the step of dates is in whole days, of timestamps in seconds")
    return width


def _of_amounts(sort: str, amounts: Sequence[Fraction], null: bool) -> Domain:
    """The domain of some amounts, in their order."""
    unit = unit_of(amounts)
    return Domain(0, -1, _codes(amounts, unit), null, unit, sort)


def _codes(amounts: Sequence[Fraction], unit: Fraction) -> tuple[int, ...]:
    """The amounts as multiples of a unit.  Raises NoDomain for too large ones."""
    codes = tuple([int(one / unit) for one in amounts])
    largest = max(map(abs, codes))
    if largest > LARGEST:
        raise NoDomain(
            "its values are more than 2^52 times their common unit"
            f" {unit.numerator}/{unit.denominator}",
            "declare fewer decimals",
        )
    return codes
