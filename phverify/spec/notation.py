"""What a released cell says about the original value when it is written as a set or an
interval.

Intervals: ``20-29``, ``20 to 29``, ``20..29``, ``20~29``, ``20=>29`` (both ends belong
to it; the arrow may be longer),
``[20, 30)`` or, as ARX writes it, ``[20, 30[`` (a bracket that faces the number
includes it), ``>=65``, ``>65``, ``65+``, ``<18``, ``<=17``.  Ends are plain numbers, or
ISO dates; or values of an order that is given.  Sets: ``{a, b}``; a member with a comma
stands in double quotes.
"""

from __future__ import annotations

import csv
import datetime
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from phverify.spec.source import DIGITS

_NUMBER = r"[+-]?\d+(?:\.\d+)?"
_DATE = r"\d{4}-\d\d-\d\d"
_RANGE = re.compile(
    rf"({_DATE}|{_NUMBER})\s*(?:-|–|\.\.|~|to|=+>)\s*({_DATE}|{_NUMBER})"
)
_BRACKETS = re.compile(
    rf"([\[\](])\s*({_DATE}|{_NUMBER})\s*(?:[,;:]|-|–|\.\.|~)\s*({_DATE}|{_NUMBER})\s*([\[\])])"
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

    def holds(self, value: Fraction) -> bool:
        """Whether a number lies in the interval."""
        if value == self.low and not self.low_closed:
            return False
        if value == self.high and not self.high_closed:
            return False
        above = self.low is None or value >= self.low
        below = self.high is None or value <= self.high
        return above and below


def number(text: str) -> Fraction | None:
    """A plain number, or an ISO date as the number of its day; None for anything
    else.
    """
    text = text.strip()
    if re.fullmatch(_NUMBER, text, re.ASCII):
        # Longer ones would not be read at all.
        return Fraction(text) if len(text) <= DIGITS else None
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
    # No text matches two of these: signs stand before, after, around or between.
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
    # Turned round it would hold something: what was meant is not guessed.
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
    try:
        rows = csv.reader([braces[1]], skipinitialspace=True)
        row = next(rows, [])
    except csv.Error:
        return None
    stripped = [member.strip() for member in row]
    # ``{a, }`` has one member: an empty cell is written otherwise.
    return list(filter(None, stripped))


# Ranges of an order that is given

BETWEEN = ("-", "–", "..", "~", " to ")
"""What stands between the ends of a range."""
_INSIDE = (*BETWEEN, ",", ";")


def runs(text: str, order: Sequence[str]) -> Iterator[range]:
    """The places in an order that a cell denotes, in every way that it can be read.

    Values may hold the sign that stands between two ends: whoever must be sure asks
    all readings.
    """
    text = text.strip()
    yield from _runs_between(text, order, BETWEEN, (True, True))
    if len(text) > 2 and text[0] in "[(]" and text[-1] in "])[":
        closed = text[0] == "[", text[-1] == "]"
        yield from _runs_between(text[1:-1], order, _INSIDE, closed)
    bound = re.match(r">=|<=|>|<|≥|≤", text)
    end = text[bound.end() :].strip() if bound else ""
    if bound and end in order:
        sign = _SIGNS.get(bound[0], bound[0])
        place = order.index(end)
        closed_end = sign.endswith("=")
        if sign[0] == ">":
            # A truth value counts as 0 or 1: an open end is one place further in.
            yield range(place + (not closed_end), len(order))
        else:
            yield range(place + closed_end)


def _runs_between(
    text: str, order: Sequence[str], signs: Sequence[str], closed: tuple[bool, bool]
) -> Iterator[range]:
    """The places between two ends, wherever the text may be cut into these."""
    low_closed, high_closed = closed
    for low, high in cuts(text, signs):
        if low not in order or high not in order:
            continue
        first, last = order.index(low), order.index(high)
        if first <= last:
            yield range(first + (not low_closed), last + high_closed)


def cuts(text: str, signs: Sequence[str] = BETWEEN) -> Iterator[tuple[str, str]]:
    """What stands before and after a sign, wherever one stands."""
    # An arrow is as long as it must be not to be found in an end: ``a==>b``.
    longest = max(map(len, re.findall("=+", text)), default=0)
    arrows = ["=" * length + ">" for length in range(1, longest + 1)]
    for sign in (*signs, *arrows):
        for cut in re.finditer(re.escape(sign), text):
            yield text[: cut.start()].strip(), text[cut.end() :].strip()
