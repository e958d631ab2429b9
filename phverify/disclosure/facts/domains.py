"""What a cell may be, as a policy declares it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

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
    """

    low: int = 0
    high: int = -1
    values: tuple[Literal, ...] = ()
    null: bool = False

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

    def text(self) -> str:
        """The domain as messages and reports write it."""
        listed = f"{self.low}..{self.high}"
        if self.values:
            listed = ", ".join(map(str, self.values))
        if self.null:
            return f"{listed} or missing"
        return listed
