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
from typing import Any

from phverify.spec.source import measured, rational

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
            from phverify.spec.decimals import decimal

            return decimal(measured(text))
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
