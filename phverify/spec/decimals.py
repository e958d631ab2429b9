"""Numbers as decimals."""

from __future__ import annotations

from fractions import Fraction
from math import gcd


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
