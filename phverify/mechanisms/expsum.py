"""Sums ``c1 e^q1 + c2 e^q2 + ..`` with rational c and q: normal form, and signs decided
exactly.

Lindemann-Weierstrass: for distinct algebraic exponents the numbers e^q are linearly
independent over the algebraic numbers.  Hence a sum with merged exponents is zero iff
all its coefficients are.  ``compare`` asks for the sign of ``left - e^eps right`` with
eps = a + sum b ln r: its coefficients are c - R d, where R, the product of all r^b, is
algebraic, and c = R d is decided exactly (``exact.is_power``).  What is left is not
zero, so that balls of growing precision (``enclosure``) part from zero.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from phverify.exact import ZERO, Logs, ln
from phverify.mechanisms import enclosure
from phverify.mechanisms.enclosure import Ball, ball, settled
from phverify.mechanisms.epsilon import Epsilon
from phverify.spec.logarithms import is_power, merged

LIMIT = 20_000
"""Digits after which ``compare`` gives up: two numbers that agree so far are different,
but nobody will wait.
"""


@dataclass(frozen=True)
class ExpSum:
    """A sum of ``coefficient * e^exponent``.

    The terms are pairs (exponent, coefficient): exponents rising, no zero coefficient.
    """

    terms: tuple[tuple[Fraction, Fraction], ...]

    @staticmethod
    def of(pairs: Iterable[tuple[Fraction, Fraction]]) -> ExpSum:
        """The normal form of a sum of pairs (exponent, coefficient)."""
        swapped = ((coefficient, exponent) for exponent, coefficient in pairs)
        coefficients = merged(swapped)
        exponents = sorted(coefficients)
        terms = ((exponent, coefficients[exponent]) for exponent in exponents)
        return ExpSum(tuple(term for term in terms if term[1]))

    def __add__(self, other: ExpSum) -> ExpSum:
        return ExpSum.of([*self.terms, *other.terms])

    def __mul__(self, other: ExpSum) -> ExpSum:
        products = []
        for p, c in self.terms:
            products += [(p + q, c * d) for q, d in other.terms]
        return ExpSum.of(products)

    def shifted(self, exponent: Fraction) -> ExpSum:
        """The sum times e^exponent."""
        moved = [(q + exponent, c) for q, c in self.terms]
        return ExpSum(tuple(moved))

    def __str__(self) -> str:
        if not self.terms:
            return "0"
        terms = (_written(q, c) for q, c in self.terms)
        written = " + ".join(terms)
        return written.replace("+ -", "- ")


def _written(exponent: Fraction, coefficient: Fraction) -> str:
    """One term as text."""
    if exponent == 0:
        return str(coefficient)
    power = f"e^({exponent})"
    if coefficient == 1:
        return power
    if coefficient == -1:
        return f"-{power}"
    return f"{coefficient} {power}"


def constant(value: Fraction | int) -> ExpSum:
    """A rational number as a sum."""
    term = ZERO, Fraction(value)
    return ExpSum.of([term])


def exponential(exponent: Fraction | int) -> ExpSum:
    """The number e^exponent."""
    term = Fraction(exponent), Fraction(1)
    return ExpSum((term,))


ONE = constant(1)
NOTHING = Epsilon()


def sign(value: ExpSum) -> int:
    """-1, 0 or 1.

    Raises BudgetExceeded when ``LIMIT`` digits do not tell a sum from 0 that is not 0.
    """
    zero = ExpSum(())
    return compare(value, zero, NOTHING)


def compare(left: ExpSum, right: ExpSum, level: Epsilon = NOTHING) -> int:
    """The sign of ``left - e^level * right``, exactly.

    Raises BudgetExceeded when ``LIMIT`` digits do not separate two numbers that are
    different.
    """
    scaled = right.shifted(level.plain)
    terms = _remaining(left, scaled, level.logs)
    if not terms:
        return 0
    # Every term has the sign of its coefficient: where they agree, nothing can cancel.
    if all(term.coefficient > 0 for term in terms):
        return 1
    if all(term.coefficient < 0 for term in terms):
        return -1

    def difference() -> Ball:
        return _sum(terms, level.logs)

    unsettled = "do not separate the two sides, which are different numbers"
    return settled(difference, enclosure.sign, LIMIT, unsettled)


class _Term(NamedTuple):
    """``coefficient * e^exponent``, times the algebraic factor R where ``with_r``."""

    exponent: Fraction
    coefficient: Fraction
    with_r: bool


def _remaining(left: ExpSum, right: ExpSum, logs: Logs) -> list[_Term]:
    """The terms of ``left - R right`` without those that cancel exactly.

    By Lindemann-Weierstrass the difference is zero iff nothing remains.
    """
    mine = dict(left.terms)
    theirs = dict(right.terms)
    remaining: list[_Term] = []
    for exponent in sorted(mine.keys() | theirs.keys()):
        c = mine.get(exponent, ZERO)
        d = theirs.get(exponent, ZERO)
        if not logs:
            # R is 1: the two coefficients make one.
            if c != d:
                remaining.append(_Term(exponent, c - d, False))
            continue
        # c and R d cancel where R = c / d; R is positive
        if c * d > 0 and is_power(c / d, logs):
            continue
        if c:
            remaining.append(_Term(exponent, c, False))
        if d:
            remaining.append(_Term(exponent, -d, True))
    return remaining


def _sum(terms: list[_Term], logs: Logs) -> Ball:
    """The sum as a ball of the working precision."""
    ln_r = logarithms(logs)
    total = ball(0)
    for term in terms:
        exponent = ball(term.exponent)
        if term.with_r:
            exponent += ln_r
        total += ball(term.coefficient) * exponent.exp()
    return total


def logarithms(logs: Logs) -> Ball:
    """The sum of all b ln r as a ball of the working precision."""
    total = ball(0)
    for b, r in logs:
        total += ball(b) * ball(r).log()
    return total


def plain(value: ExpSum) -> Ball:
    """A sum as a ball of the working precision."""
    terms = [_Term(q, c, False) for q, c in value.terms]
    return _sum(terms, ())


@lru_cache(maxsize=65536)
def log_sum(value: ExpSum, digits: int) -> tuple[Fraction, Fraction]:
    """Bounds on the logarithm of a positive sum, less than 10^-digits apart.

    Raises BudgetExceeded when ``LIMIT`` digits do not suffice.
    """

    def narrow(logarithm: Ball, work: int) -> tuple[Fraction, Fraction] | None:
        # The logarithm of a ball that holds 0 has no bounds.
        if not logarithm.is_finite():
            return None
        low, high = enclosure.bounds(logarithm, work)
        if (high - low) * 10**digits < 1:
            return (low, high)
        return None

    unsettled = f"do not give {digits} digits of the logarithm"
    return settled(lambda: plain(value).log(), narrow, LIMIT, unsettled, digits + 10)


def power_form(left: ExpSum, right: ExpSum) -> Epsilon | None:
    """ln(left / right) where that ratio is r e^q with rationals r and q, else None.

    Both sums are positive.
    """
    last_exponent, last = left.terms[-1]
    exponent, coefficient = right.terms[-1]
    factor = last / coefficient
    shift = last_exponent - exponent
    # Normal forms are unique, so the ratio is r e^q only if every term says so.
    multiple = [(q + shift, c * factor) for q, c in right.terms]
    if factor <= 0 or left.terms != tuple(multiple):
        return None
    return Epsilon(shift) + ln(factor)
