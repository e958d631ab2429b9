"""Numbers from TOML and from Python, and as decimals."""

from __future__ import annotations

from fractions import Fraction
from math import gcd
from typing import Any

from phverify.spec.source import rational, writable


def decimal(value: Fraction) -> str:
    """``1.5`` for 3/2; a fraction where the decimal expansion has no end."""
    digits = 0
    below = value.denominator
    while below > 1 and gcd(below, 10) > 1:
        digits += 1
        below //= gcd(below, 10)
    # A factor other than 2 and 5 below the line gives an expansion without end.
    if below > 1 or digits == 0:
        return str(value)
    scale = 10**digits
    scaled = abs(value.numerator) * scale // value.denominator
    whole, rest = divmod(scaled, scale)
    sign = "-" if value < 0 else ""
    return f"{sign}{whole}.{rest:0{digits}d}"


def fraction(value: Any) -> Fraction | None:
    """A number from TOML or Python, read from its text; None for anything else.

    A number that is too long to be written is none.
    """
    # A bool is an int to Python.
    if isinstance(value, bool):
        return None
    if not isinstance(value, (int, float, Fraction, str)):
        return None
    try:
        # From the text: 0.1 is one tenth, not the binary fraction next to it.
        number = value if isinstance(value, Fraction) else rational(str(value))
    except ValueError:
        return None
    if writable(number):
        return number
    return None
