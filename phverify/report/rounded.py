"""Numbers in sentences: exact while they can be read, else rounded and marked with ~.

JSON keeps what is rounded here as it is.
"""

from __future__ import annotations

import re
from fractions import Fraction

SHORT = 3
"""Digits of a denominator up to which a fraction needs no decimal beside it."""
LONG = 12
"""Characters from which on a fraction is left out: nobody reads it."""
SIGNIFICANT = 4
_FRACTIONS = re.compile(
    r"('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")|(?<![\w/.])\d+/\d+\b"
)
"""What is quoted is a value of the data, whatever it looks like."""


def rounded(text: str) -> str:
    """The sentence with its long fractions as decimals: ``~0.1234``, and those of some
    length with one beside them: ``137/1250 (~0.1096)``.
    """
    return _FRACTIONS.sub(_one, text)


def _one(match: re.Match[str]) -> str:
    fraction = match[0]
    # what is quoted is data, and stays as it is
    if match[1]:
        return fraction
    numerator, _, denominator = fraction.partition("/")
    # the texts of others may divide by 0
    if len(denominator) < SHORT or not int(denominator):
        return fraction
    decimal = f"~{significant(Fraction(int(numerator), int(denominator)))}"
    if len(fraction) > LONG:
        return decimal
    return f"{fraction} ({decimal})"


def significant(value: Fraction, digits: int = SIGNIFICANT) -> str:
    """A number above 0 with so many significant digits, rounded in exact arithmetic."""
    if value == 0:
        return "0"
    least = 10 ** (digits - 1)
    places = 0
    # zeros before the first digit are not counted
    while value * 10**places < least:
        places += 1
    scaled = round(value * 10**places)
    if not places:
        return str(scaled)
    whole, part = divmod(scaled, 10**places)
    return f"{whole}.{part:0{places}}".rstrip("0").rstrip(".")
