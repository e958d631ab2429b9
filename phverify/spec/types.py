"""How the text of a cell is read: text, integer, decimal, date, or an ordered list of
values.

Everything is text unless the policy says otherwise.  A typed confidential or neutral
column is brought to one canonical text per value (``007`` and ``7`` are one integer),
because two spellings of one value must not count as two values.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import Any

from phverify.spec.source import rational

NAMES = ("text", "integer", "decimal", "date")


@dataclass(frozen=True, slots=True)
class ValueType:
    """A type by name; ``order`` lists the values of an ordered type, lowest first."""

    name: str = "text"
    order: tuple[str, ...] = ()

    @property
    def ordered(self) -> bool:
        """Whether values are less or more than one another."""
        return self.name != "text"

    def canonical(self, text: str) -> str:
        """The one text that stands for this value.  Raises ValueError when it is not of
        the type.
        """
        if self.name == "integer":
            return str(_integer(text))
        if self.name == "decimal":
            return decimal(rational(text))
        if self.name == "date":
            return datetime.date.fromisoformat(text.strip()).isoformat()
        if self.name == "ordered" and text not in self.order:
            raise ValueError(f"{text!r} is not one of {', '.join(self.order)}")
        return text

    def key(self, text: str) -> Any:
        """What values of the type are compared by; ``text`` must be canonical."""
        if self.name == "integer":
            return int(text)
        if self.name == "decimal":
            return rational(text)
        if self.name == "ordered":
            return self.order.index(text)
        return text  # ISO dates sort as text


TEXT = ValueType()


def _integer(text: str) -> int:
    if not re.fullmatch(r"\s*[+-]?\d+\s*", text, re.ASCII):
        raise ValueError(f"{text!r} is no integer")
    return int(text)


def decimal(value: Fraction) -> str:
    """``1.5`` for 3/2; a fraction where the decimal expansion has no end."""
    digits = 0
    below = value.denominator
    while below > 1 and gcd(below, 10) > 1:
        digits += 1
        below //= gcd(below, 10)
    # A factor other than 2 and 5 below the line gives an expansion without end.
    if below > 1 or digits == 0:
        return str(value)
    scale = 10**digits
    scaled = abs(value.numerator) * scale // value.denominator
    whole, rest = divmod(scaled, scale)
    sign = "-" if value < 0 else ""
    return f"{sign}{whole}.{rest:0{digits}d}"
