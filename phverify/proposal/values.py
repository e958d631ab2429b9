"""What the cells of a column look like: how many differ, and what kind they are of."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from phverify.microdata.grouped_digits import grouped_hint
from phverify.microdata.table import CodedColumn
from phverify.spec.source import rational
from phverify.words import plural

NUMBERS = ("integer", "decimal")
"""The kinds that have an order and distances."""
COMMA_DECIMAL = "decimal with a comma"
"""The kind of numbers that are text until their commas are points."""
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

    ``kind`` is integer, decimal, date, decimal with a comma, code (letters and
    digits, all equally long) or text; ``personal`` says what every value is, where it
    stands for one person.
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
        elif self.kind == COMMA_DECIMAL:
            told = (
                f"{count}, decimals with a comma (text; with a point they have ranges)"
            )
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
    # Before decimals: every integer is one, too.
    for kind, fits in KINDS.items():
        if all(fits(value) for value in values):
            return kind
    if _are_decimals(values):
        return "decimal"
    if _have_decimal_commas(values):
        return COMMA_DECIMAL
    if _are_codes(values):
        return "code"
    return "text"


def _is_integer(value: str) -> bool:
    """Whether this is how an integer is written; ``007`` is a code."""
    return re.fullmatch(r"0|-?[1-9]\d*", value, re.ASCII) is not None


def _are_decimals(values: Sequence[str]) -> bool:
    """Whether these are decimals, each number in one way: ``17.0``, and no ``17``."""
    if not all(_is_decimal(value) for value in values):
        return False
    # ``1.50`` and ``1.5`` are two texts and one number: such a column stays text.
    return len(set(map(rational, values))) == len(values)


def _have_decimal_commas(values: Sequence[str]) -> bool:
    """Whether these are decimals but for their commas, which separate no thousands."""
    if any("." in value for value in values):
        return False
    if all(grouped_hint(value) for value in values if "," in value):
        return False
    return _are_decimals([value.replace(",", ".") for value in values])


def _is_decimal(value: str) -> bool:
    """Whether this is how a decimal is written; ``007.5`` and ``-0`` are codes."""
    if re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?", value, re.ASCII) is None:
        return False
    return not value.startswith("-") or rational(value) != 0


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
    # Words of one length are no codes: most values have a digit.
    return 2 * with_digit > len(values)


def personal(values: Sequence[str]) -> str:
    """What each of the values is, where it stands for one person; else ""."""
    if not values:
        return ""
    for what, pattern in PATTERNS.items():
        # A single one may be chance in free text.
        if all(re.fullmatch(pattern, value, re.ASCII) for value in values):
            return what
    return ""
