"""What a cell may be, as a policy declares it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from phverify.disclosure import grids
from phverify.spec.decimals import decimal

Literal = int | str | bool
"""A value as a policy writes it.  A missing cell is ``None`` wherever cells are
meant.
"""
KINDS = {int: "integer", str: "text", bool: "boolean"}
LARGEST = 2**52
"""The largest magnitude of a declared integer: up to here a double holds each one, so
that MEDIAN is exact.
"""


def kind_of(value: object) -> str:
    """What a value is: integer, text or boolean; nothing where it is none of these."""
    # By type: True is an integer to isinstance.
    return KINDS.get(type(value), "")


@dataclass(frozen=True)
class Domain:
    """What a cell may be: the integers ``low..high``, or one of ``values``; ``null``
    says that it may be missing.

    Other numbers, dates and timestamps are so many times ``unit``: these integers are
    their codes.  ``sort`` is number, date or timestamp, whatever ``unit`` is.
    """

    low: int = 0
    high: int = -1
    values: tuple[Literal, ...] = ()
    null: bool = False
    unit: Fraction = Fraction(1)
    sort: str = grids.NUMBER

    @property
    def integral(self) -> bool:
        """Whether the values are integers."""
        return self.kind == "integer"

    @cached_property
    def kind(self) -> str:
        """integer, text or boolean."""
        if not self.values:
            return "integer"
        return kind_of(self.values[0])

    @property
    def scaled(self) -> bool:
        """Whether values are told from their codes."""
        return self.unit != 1 or self.sort != grids.NUMBER

    @property
    def ends(self) -> tuple[int, int]:
        """The least and the greatest integer."""
        if not self.values:
            return self.low, self.high
        first = int(self.values[0])
        last = int(self.values[-1])
        return first, last

    def code(self, given: grids.Given) -> Fraction:
        """How many units a number or a point in time is; no integer between two."""
        return grids.amount(given) / self.unit

    def units_in(self, far: int | Fraction) -> int:
        """How many whole units a distance is: numbers, days or seconds."""
        counted = grids.COUNTED[self.sort]
        exact = far * counted / self.unit
        return math.floor(exact)

    def shown(self, value: Literal) -> str:
        """A value, or its code, as it is written."""
        if not self.integral:
            return str(value)
        return grids.shown(self.sort, int(value) * self.unit)

    def text(self) -> str:
        """The domain as messages and reports write it."""
        if self.values:
            listed = ", ".join(map(self.shown, self.values))
        else:
            listed = f"{self.shown(self.low)}..{self.shown(self.high)}"
            step = self.unit / grids.COUNTED[self.sort]
            usual = step == 1 or self.high == self.low
            listed += "" if usual else f" by {decimal(step)}"
        if self.null:
            return f"{listed} or missing"
        return listed


def unsummed(domain: Domain) -> str:
    """What a column would need for sums over a person's cells; "" where it has it."""
    if not domain.integral or domain.sort != grids.NUMBER:
        return "a column of numbers"
    if domain.null:
        return "a column where no cell may be missing"
    return ""
