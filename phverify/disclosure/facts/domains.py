"""What a cell may be, as a policy declares it."""

from __future__ import annotations

from dataclasses import dataclass

Literal = int | str | bool
"""A value as a policy writes it.  A missing cell is ``None`` wherever cells are meant."""
LARGEST = 2**52
"""The largest magnitude of a declared integer: up to here a double holds each one, so that MEDIAN is exact."""


@dataclass(frozen=True)
class Domain:
    """What a cell may be: the integers ``low..high``, or one of ``values``; ``null`` says that it may be missing."""

    low: int = 0
    high: int = -1
    values: tuple[Literal, ...] = ()
    null: bool = False

    @property
    def integral(self) -> bool:
        """Whether the values are integers."""
        return not self.values or (isinstance(self.values[0], int) and not isinstance(self.values[0], bool))

    def text(self) -> str:
        listed = ", ".join(map(str, self.values)) if self.values else f"{self.low}..{self.high}"
        return listed + (" or missing" if self.null else "")
