"""Which hierarchy fits the values of a column: ranges of numbers, beginnings of codes,
parts of dates, or a file that is there already.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from phverify.errors import InputError
from phverify.microdata.hierarchy import absent, read_hierarchy
from phverify.proposal.clues import is_code
from phverify.proposal.values import NUMBERS, ColumnValues
from phverify.spec.decimals import decimal

GROUPS = 20
"""Into about so many ranges the first step brings numbers."""
DOUBLINGS = (1, 2, 4, 8)
TIDY = (1, 2, 5)
UNITS = ("month", "quarter", "year", "decade")
SHORTEST = 3
"""Codes below this length have no beginnings worth naming."""


def builder_of(values: ColumnValues) -> dict[str, Any] | None:
    """The builder that fits, as a policy writes it; None where a file is needed."""
    if len(values.values) <= 2:
        return None
    if values.kind == "date":
        return {"dates": [*UNITS]}
    if _has_beginnings(values):
        longest = max(map(len, values.values))
        return {"prefixes": [*range(longest - 1, 0, -1)]}
    if values.kind in NUMBERS:
        return {"intervals": _widths(values)}
    return None


def _has_beginnings(values: ColumnValues) -> bool:
    """Whether the first characters of a value say something coarser."""
    shortest = min(map(len, values.values))
    longest = max(map(len, values.values))
    if not is_code(values.name):
        return values.kind == "code"
    # a longer code would lose its end at a level where a shorter one is still whole
    return SHORTEST <= shortest == longest and values.kind in ("code", "integer")


def _widths(values: ColumnValues) -> list[Any]:
    """The widths of ranges, each twice the one before; at least one."""
    numbers = values.numbers
    span = numbers[-1] - numbers[0]
    groups = min(GROUPS, max(2, len(numbers) // 2))
    width = _tidy(span / groups)
    if values.kind == "integer":
        width = max(width, Fraction(2))
    widths = [width * factor for factor in DOUBLINGS if width * factor < span]
    return [_written(one) for one in widths or [width]]


def _tidy(least: Fraction) -> Fraction:
    """The least of 1, 2, 5, 10, 20, .. (or 1/2, 1/5, ..) that is not below this."""
    power = Fraction(1)
    while power * TIDY[0] > least:
        power /= 10
    while power * TIDY[-1] < least:
        power *= 10
    return next(power * digit for digit in TIDY if power * digit >= least)


def _written(width: Fraction) -> Any:
    """A width as a policy has it: an integer, or the text of a decimal."""
    if width.denominator == 1:
        return int(width)
    return decimal(width)


def file_beside(table: Path, values: ColumnValues) -> Path | None:
    """A hierarchy of the column in the table's folder, if one covers all its values.

    It is called as the column is, or its name ends so and has ``hierarchy`` in it.
    """
    for path in _candidates(table, values.name):
        try:
            hierarchy = read_hierarchy(path)
        except InputError:
            continue
        if hierarchy.levels and not absent(hierarchy, values.values):
            return path
    return None


def _candidates(table: Path, name: str) -> Iterator[Path]:
    """Files that may be the hierarchy of a column, the likeliest first."""
    exact = f"{name}.csv"
    for path in sorted(table.parent.glob("*.csv")):
        if path == table:
            continue
        ends = path.name.endswith((f"_{exact}", f"-{exact}"))
        if path.name == exact or (ends and "hierarchy" in path.name):
            yield path
