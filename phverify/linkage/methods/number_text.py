"""Exact numbers as short texts, whatever their size."""

from __future__ import annotations

from decimal import Context
from fractions import Fraction

SHORT = 10**6
"""Fractions of smaller numbers are written as they are."""
CLOSE = Fraction(1, 10**4)
"""A sum nearer to 1 is told by how much it differs from 1."""


def sum_text(total: Fraction) -> str:
    """A sum as a fraction, or as a decimal number where that is long.

    What is not 1 is not shown as 1.
    """
    longest = max(total.numerator, total.denominator)
    if longest < SHORT:
        return str(total)
    difference = abs(total - 1)
    if difference < CLOSE:
        shown = decimal_text(difference, 2)
        direction = "more" if total > 1 else "less"
        return f"about {shown} {direction} than 1"

    return f"about {decimal_text(total, 6)}"


def decimal_text(value: Fraction, digits: int) -> str:
    """A number rounded to so many digits that count, whatever its size."""
    context = Context(prec=digits)
    rounded = context.divide(value.numerator, value.denominator)
    return str(rounded)
