"""What a released cell says about the original value when it is written as a set or an
interval.

Intervals: ``20-29``, ``20 to 29``, ``20..29`` (both ends belong to it), ``[20, 30)``
or, as ARX writes it, ``[20, 30[`` (a bracket that faces the number includes it),
``>=65``, ``>65``, ``65+``, ``<18``, ``<=17``.  Ends are plain numbers, or ISO dates.
Sets: ``{a, b}``; a member with a comma stands in double quotes.
"""

from __future__ import annotations

import csv
import datetime
import re
from dataclasses import dataclass
from fractions import Fraction

from phverify.policy.masking import Masking

_NUMBER = r"[+-]?\d+(?:\.\d+)?"
_DATE = r"\d{4}-\d\d-\d\d"
_RANGE = re.compile(rf"({_DATE}|{_NUMBER})\s*(?:-|–|\.\.|to)\s*({_DATE}|{_NUMBER})")
_BRACKETS = re.compile(
    rf"([\[\](])\s*({_DATE}|{_NUMBER})\s*(?:[,;:]|-|–|\.\.)\s*({_DATE}|{_NUMBER})\s*([\[\])])"
)
_BOUND = re.compile(rf"(>=|<=|>|<|≥|≤)\s*({_DATE}|{_NUMBER})")
_PLUS = re.compile(rf"({_NUMBER})\s*\+")
_SET = re.compile(r"\{(.*)\}", re.DOTALL)
_SIGNS = {"≥": ">=", "≤": "<="}


@dataclass(frozen=True)
class Interval:
    """The numbers between two ends; ``None`` is no end, and an end belongs to the
    interval where it is ``closed``.

    ``dates`` says that these are numbers of days: ``>=1990`` says nothing of a date.
    """

    low: Fraction | None
    high: Fraction | None
    low_closed: bool = True
    high_closed: bool = True
    dates: bool = False


def number(text: str) -> Fraction | None:
    """A plain number, or an ISO date as the number of its day; None for anything
    else.
    """
    text = text.strip()
    if re.fullmatch(_NUMBER, text, re.ASCII):
        return Fraction(text)
    if re.fullmatch(_DATE, text, re.ASCII):
        try:
            return Fraction(datetime.date.fromisoformat(text).toordinal())
        except ValueError:
            return None

    return None


def is_date(text: str) -> bool:
    """Whether a text is written as an ISO date."""
    text = text.strip()
    written = re.fullmatch(_DATE, text, re.ASCII)
    return written is not None


def interval(text: str) -> Interval | None:
    """The interval that a cell denotes; None where it denotes none, or where its low
    end lies above its high end.
    """
    text = text.strip()
    if bound := _BOUND.fullmatch(text):
        sign, end = bound.groups()
        return _bounded(_SIGNS.get(sign, sign), end)
    if plus := _PLUS.fullmatch(text):
        return _bounded(">=", plus[1])
    if brackets := _BRACKETS.fullmatch(text):
        left, low, high, right = brackets.groups()
        return _ends(low, high, left == "[", right == "]")
    if range_ := _RANGE.fullmatch(text):
        low, high = range_.groups()
        return _ends(low, high, True, True)

    return None


def _bounded(sign: str, text: str) -> Interval | None:
    """What lies on one side of a written number."""
    end = number(text)
    if end is None:
        return None
    closed = sign.endswith("=")
    dates = is_date(text)
    if sign[0] == ">":
        return Interval(end, None, low_closed=closed, dates=dates)

    return Interval(None, end, high_closed=closed, dates=dates)


def _ends(low: str, high: str, low_closed: bool, high_closed: bool) -> Interval | None:
    """The interval between two written ends; None where they make none."""
    lowest = number(low)
    highest = number(high)
    if lowest is None or highest is None or lowest > highest:
        return None
    # a date and a number have nothing between them
    dates = is_date(low)
    if dates != is_date(high):
        return None

    return Interval(lowest, highest, low_closed, high_closed, dates)


def members(text: str) -> list[str] | None:
    """The members of a set in braces; None where a cell is no set."""
    braces = _SET.fullmatch(text.strip())
    if not braces:
        return None
    # members in double quotes may hold commas
    written = braces[1]
    rows = csv.reader([written], skipinitialspace=True)
    row = next(rows, [])
    stripped = [member.strip() for member in row]
    return list(filter(None, stripped))


def rounded(text: str, masking: Masking) -> Interval | None:
    """The numbers that are rounded to this cell; None where it is no multiple of the
    step.
    """
    value = number(text)
    step = masking.rounding
    if value is None or step is None or value % step:
        return None
    dates = is_date(text)
    if masking.direction == "down":
        above = value + step
        return Interval(value, above, high_closed=False, dates=dates)
    if masking.direction == "up":
        below = value - step
        return Interval(below, value, low_closed=False, dates=dates)

    # halves may have been rounded either way: both ends belong to it
    half = step / 2
    below = value - half
    above = value + half
    return Interval(below, above, dates=dates)
