"""Answers as bags of rows, where what is no number is one value.

0 / 0 is no number (NaN) to DuckDB, and no such double equals another one: wherever
cells of answers are compared, it is compared here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any

Row = tuple[Any, ...]


class NoNumber(Enum):
    """What stands for every NaN; no text is equal to it."""

    NAN = "nan"

    def __str__(self) -> str:
        return self.value


def named(row: Row) -> Row:
    """A row with one value for what is no number."""
    return tuple([NoNumber.NAN if cell != cell else cell for cell in row])


def bag(rows: Iterable[Row]) -> Counter[Row]:
    """How often each row comes."""
    return Counter(map(named, rows))


def same_bag(one: Sequence[Row], other: Sequence[Row]) -> bool:
    """Whether two answers have the same rows, each as often, in any order."""
    # Nearly all answers are numbers, and are compared at once.
    if Counter(one) == Counter(other):
        return True
    no_numbers = any(cell != cell for row in other for cell in row)
    return no_numbers and bag(one) == bag(other)


def same_cell(one: Any, other: Any) -> bool:
    """Whether two cells are one value: NULL is NULL, and NaN is NaN."""
    if one is None or other is None:
        return one is other
    if one != one or other != other:
        return bool(one != one and other != other)
    return bool(one == other)
