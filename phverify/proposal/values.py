"""What the cells of a column look like: how many differ, and what kind they are of."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from phverify.microdata.table import CodedColumn
from phverify.spec.decimals import decimal
from phverify.spec.source import rational
from phverify.words import plural

NUMBERS = ("integer", "decimal")
"""The kinds that have an order and distances."""
SHORTEST_CODE = 3
PATTERNS = {
    "an e-mail address": r"[^@\s]+@[^@\s]+\.[^@\s]+",
    "a web address": r"https?://\S+",
    "an address of a computer": r"\d{1,3}(\.\d{1,3}){3}",
    "a telephone number": r"(\+|00)[\d ()/-]{7,}",
    "a social security number": r"\d{3}-\d{2}-\d{4}",
    "a bank account": r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}",
    "a key of a database": r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
}
"""Texts that stand for one person by themselves, whatever the column is called."""


@dataclass(frozen=True)
class ColumnValues:
    """The different values of a column of ``rows`` cells, ``missing`` cells left out.

    ``kind`` is integer, decimal, date, code (letters and digits, all equally long) or
    text; ``personal`` says what every value is, where it stands for one person.
    """

    name: str
    rows: int
    missing: int
    values: tuple[str, ...]
    kind: str
    personal: str = ""

    @property
    def all_different(self) -> bool:
        """Whether no two of the cells that are there have one value."""
        return len(self.values) == self.rows - self.missing

    @property
    def numbers(self) -> list[Fraction]:
        """The values of a column of numbers, ascending."""
        return sorted(rational(value) for value in self.values)

    def described(self) -> str:
        """How many values there are and of which kind, in a few words."""
        count = plural(len(self.values), "value")
        if self.kind == "text" or len(self.values) == 0:
            told = count
        else:
            told = f"{count}, {self.kind}s"
        if self.missing:
            cells = plural(self.missing, "cell")
            told += f", {cells} missing"
        return told


def values_of(name: str, column: CodedColumn, rows: int) -> ColumnValues:
    """The values of a column, and what kind they are of."""
    values = tuple(label for label in column.labels if label)
    empty = sum(
        count
        for label, count in zip(column.labels, column.occurrences(), strict=True)
        if not label
    )
    return ColumnValues(name, rows, empty, values, kind_of(values), personal(values))


def kind_of(values: Sequence[str]) -> str:
    """The one kind that all values are of; text where there is none."""
    if not values:
        return "text"
    for kind, fits in KINDS.items():
        if all(fits(value) for value in values):
            return kind
    if _are_codes(values):
        return "code"
    return "text"


def _is_integer(value: str) -> bool:
    """Whether this is how an integer is written; ``007`` is a code."""
    return re.fullmatch(r"0|-?[1-9]\d*", value, re.ASCII) is not None


def _is_decimal(value: str) -> bool:
    """Whether this is how a decimal is written; the text must not change by it."""
    if re.fullmatch(r"-?\d+(\.\d+)?", value, re.ASCII) is None:
        return False
    return decimal(rational(value)) == value


def _is_date(value: str) -> bool:
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", value, re.ASCII) is None:
        return False
    try:
        datetime.date.fromisoformat(value)
    except ValueError:
        return False
    return True


KINDS: dict[str, Callable[[str], bool]] = {
    "integer": _is_integer,
    "decimal": _is_decimal,
    "date": _is_date,
}


def _are_codes(values: Sequence[str]) -> bool:
    """Whether all are equally long, of letters and digits, and some have a digit."""
    lengths = {len(value) for value in values}
    if len(lengths) > 1 or min(lengths) < SHORTEST_CODE:
        return False
    with_digit = 0
    for value in values:
        if re.fullmatch(r"[A-Za-z0-9]+", value, re.ASCII) is None:
            return False
        with_digit += any(character.isdigit() for character in value)
    return 2 * with_digit > len(values)


def personal(values: Sequence[str]) -> str:
    """What each of the values is, where it stands for one person; else ""."""
    if not values:
        return ""
    for what, pattern in PATTERNS.items():
        if all(re.fullmatch(pattern, value, re.ASCII) for value in values):
            return what
    return ""
