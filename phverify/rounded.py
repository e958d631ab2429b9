"""Numbers for readers: exact while they can be read, else as decimals that say so.

One rule for all answers: a fraction of up to ``LONG`` characters is shown, a longer one
is a decimal marked with ``~``.  No decimal is on the other side of another number of
its sentence than what it stands for, and none is 0 or 1 where that is not.  JSON keeps
what is rounded here as it is.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable
from fractions import Fraction

SHORT = 3
"""Digits of a denominator up to which a fraction needs no decimal beside it."""
LONG = 12
"""Characters from which on a fraction is left out: nobody reads it."""
SIGNIFICANT = 4
PLACES = 6
_NUMBERS = re.compile(
    r"('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
    r"|(?<![\w/.])(-?(?:\d+/\d+|\d+\.\d+|\d+))\b"
)
"""What is quoted is a value of the data, whatever it looks like; a minus belongs to the
number behind it where nothing stands before.
"""
ENDS = (Fraction(0), Fraction(1))
"""What is rounded to these is told to be impossible, or certain."""
Rounding = Callable[[Fraction], int]
"""``round``, or ``math.floor`` and ``math.ceil`` for what is to stay a bound."""


# Sentences


def rounded(text: str) -> str:
    """The sentence with its long fractions as decimals: ``~0.1234``, and those of some
    length with one beside them: ``137/1250 (~0.1096)``.
    """
    values = set()
    for match in _NUMBERS.finditer(text):
        value = _value(match[2])
        if value is not None:
            values.add(value)
    digits = _telling(values)

    def one(match: re.Match[str]) -> str:
        # What is quoted is data, and stays as it is.
        number = match[2]
        value = _value(number)
        if value is None or not _is_long(number):
            return match[0]
        decimal = significant(value, digits)
        if len(number) > LONG:
            return f"~{decimal}"
        return f"{number} (~{decimal})"

    return _NUMBERS.sub(one, text)


def _value(number: str | None) -> Fraction | None:
    """What a number of a sentence is; None for what is none."""
    if number is None:
        return None
    try:
        return Fraction(number)
    except ZeroDivisionError:
        # The texts of others may divide by 0.
        return None


def _is_long(number: str) -> bool:
    """Whether a number is a fraction that asks for a decimal."""
    _, slash, denominator = number.partition("/")
    if not slash:
        return False
    digits = len(denominator)
    return digits >= SHORT or len(number) > LONG


def _telling(values: Iterable[Fraction]) -> int:
    """So many digits that rounded numbers stand as their values do: none is shown equal
    to another one, or beyond it.
    """
    ordered = sorted({*values, *ENDS})
    for digits in itertools.count(SIGNIFICANT):
        shown = [_shown(value, digits) for value in ordered]
        # As many as there are, and in the same order.
        if shown == sorted(set(shown)):
            return digits
    raise AssertionError


def _shown(value: Fraction, digits: int) -> Fraction:
    """What a reader takes a number for."""
    if _is_long(str(value)):
        return Fraction(significant(value, digits))
    return value


# Figures


def figure(value: Fraction, decimal: str) -> str:
    """A number as this decimal, and exactly where that is short: ``0.6429 (exactly
    9/14)``; else marked as rounded: ``~0.6429``.
    """
    exact = str(value)
    if value.denominator == 1:
        return exact
    if len(exact) <= LONG:
        return f"{decimal} (exactly {exact})"
    return decimal if Fraction(decimal) == value else f"~{decimal}"


def significant(
    value: Fraction, digits: int = SIGNIFICANT, to: Rounding = round
) -> str:
    """A number with so many significant digits, rounded in exact arithmetic."""
    if value == 0:
        return "0"
    least = 10 ** (digits - 1)
    places = 0
    # Zeros before the first digit are not counted.
    while abs(value) * 10**places < least:
        places += 1
    scaled = to(value * 10**places)
    if not places:
        return str(scaled)
    return _pointed(scaled, places).rstrip("0").rstrip(".")


def in_places(value: Fraction, least: int = PLACES, to: Rounding = round) -> str:
    """A number with so many digits after the point, or as many as it takes where these
    would make it a whole number that it is not.
    """
    for places in itertools.count(least):
        scaled = to(value * 10**places)
        if scaled % 10**places or value.denominator == 1:
            return _pointed(scaled, places)
    raise AssertionError


def _pointed(scaled: int, places: int) -> str:
    """An integer with so many of its digits behind a point."""
    unit = 10**places
    whole, part = divmod(abs(scaled), unit)
    sign = ""
    if scaled < 0:
        sign = "-"
    return f"{sign}{whole}.{part:0{places}}"


def below(bound: Fraction) -> str:
    """A lower bound to six digits, rounded down: what is shown is one, too."""
    return in_places(bound, to=math.floor)
