"""The text of a cell, whatever library holds it: one value has one text."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

from phverify.spec.source import Label

SECOND = 10**9
"""A second in nanoseconds."""
DAY = 86_400 * SECOND


def decimal_text(cell: Decimal) -> str:
    """A decimal number without zeros at its end: 2.50 and 2.5 are one number."""
    text = f"{cell:f}" if cell.is_finite() else str(cell)
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    if text == "-0":
        return "0"
    return text


def float_text(cell: Any) -> str:
    """A float by its value: 2.0 and 2 are one number.

    A number of numpy keeps the digits of its precision.
    """
    value = float(cell)
    if value.is_integer():
        return str(int(value))
    # A float32 writes itself with the digits that it has, not with those of its float.
    if isinstance(cell, float):
        return repr(value)
    return str(cell)


def clock_text(nanoseconds: int) -> str:
    """A time of day, as ISO writes it: nanoseconds since midnight, below a day."""
    seconds, fraction = divmod(nanoseconds, SECOND)
    hours, rest = divmod(seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    text = f"{hours:02}:{minutes:02}:{seconds:02}"
    if fraction % 1000:
        return f"{text}.{fraction:09}"
    if fraction:
        return f"{text}.{fraction // 1000:06}"
    return text


def duration_text(nanoseconds: int) -> str:
    """A duration as pandas writes it: 1 days 02:03:04."""
    days, rest = divmod(nanoseconds, DAY)
    sign = "+" if days < 0 else ""
    return f"{days} days {sign}{clock_text(rest)}"


def timedelta_text(cell: datetime.timedelta) -> str:
    """A duration of Python, or one of pandas, which may have nanoseconds."""
    microseconds = cell // datetime.timedelta(microseconds=1)
    finer = getattr(cell, "nanoseconds", 0)
    return duration_text(1000 * microseconds + finer)


def day_text(days: int) -> str:
    """A date by its number of days since 1970.

    Raises OverflowError outside of the years 1 to 9999.
    """
    start = datetime.date(1970, 1, 1)
    return (start + datetime.timedelta(days)).isoformat()


def moment_text(nanoseconds: int, offset: int | None = None) -> str:
    """A date and a time of day, in ISO form: local nanoseconds since 1970.

    ``offset`` is that of the time zone, None without one.  Raises OverflowError outside
    of the years 1 to 9999.
    """
    days, rest = divmod(nanoseconds, DAY)
    text = f"{day_text(days)}T{clock_text(rest)}"
    if offset is None:
        return text
    sign = "-" if offset < 0 else "+"
    away = clock_text(abs(offset))
    # Seconds are written where the offset has some.
    return text + sign + away.removesuffix(":00")


def without_empty(labels: list[Label]) -> list[Label]:
    """Labels of a column; an empty text is a missing cell, as in a CSV.

    Beside missing cells it is another value: whoever has the table tells them apart.
    """
    if None in labels:
        return labels
    return [label or None for label in labels]
