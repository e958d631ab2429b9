"""Shares of values in a class and in the table."""

from __future__ import annotations

from fractions import Fraction

from phverify.spec.criterion.base import Counts, total
from phverify.spec.source import Label


def reciprocal(value: Fraction) -> tuple[Fraction, ...]:
    """One over a number between 0 and 1, without its sign; nothing for others."""
    # Thresholds near 0 need many values, those of 1 or more none.
    size = abs(value)
    if 0 < size < 1:
        return (1 / size,)
    return ()


def shares(inside: Counts, whole: Counts, value: Label) -> tuple[Fraction, Fraction]:
    """(p, q): the share of a value in the table and in the class."""
    p = Fraction(whole[value], total(whole))
    q = Fraction(inside.get(value, 0), total(inside))
    return p, q
