"""What the tests of mechanisms expsum have in common."""

from __future__ import annotations

import decimal
from fractions import Fraction

import pytest
from hypothesis import strategies as st

from phverify.mechanisms.epsilon import Epsilon
from phverify.mechanisms.expsum import ExpSum

pytest.importorskip("flint")


F = Fraction


CONTEXT = decimal.Context(prec=120)


DIGITS_APART = decimal.Decimal(10) ** -90


tiny = st.fractions(-3, 3, max_denominator=4)


positive = st.fractions(F(1, 6), 6, max_denominator=6)


levels = st.builds(
    Epsilon, tiny, st.lists(st.tuples(tiny, positive), max_size=2).map(tuple)
)


def number(value: Fraction) -> decimal.Decimal:
    return CONTEXT.divide(
        decimal.Decimal(value.numerator), decimal.Decimal(value.denominator)
    )


def approximate(value: ExpSum) -> decimal.Decimal:
    """The sum to about 110 digits, by other means than enclosures."""
    total = decimal.Decimal(0)
    for q, c in value.terms:
        total = CONTEXT.add(total, CONTEXT.multiply(number(c), CONTEXT.exp(number(q))))
    return total


def power(level: Epsilon) -> decimal.Decimal:
    total = number(level.plain)
    for b, r in level.logs:
        total = CONTEXT.add(total, CONTEXT.multiply(number(b), CONTEXT.ln(number(r))))
    return CONTEXT.exp(total)


def judged(difference: decimal.Decimal) -> int:
    """The sign; differences below 10^-90 can only be ties at the sizes that are drawn
    here.
    """
    return 0 if abs(difference) < DIGITS_APART else 1 if difference > 0 else -1
