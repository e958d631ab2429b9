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
    """A sum of ``coefficient * e^exponent``: pairs (exponent, coefficient), exponents
    rising, no zero coefficient.
    """

    terms: tuple[tuple[Fraction, Fraction], ...]

    @staticmethod
    def of(pairs: Iterable[tuple[Fraction, Fraction]]) -> ExpSum:
        """The normal form of a sum of pairs (exponent, coefficient)."""
        found = merged((coefficient, exponent) for exponent, coefficient in pairs)
        return ExpSum(tuple((q, c) for q, c in sorted(found.items()) if c))

    def __add__(self, other: ExpSum) -> ExpSum:
        return ExpSum.of((*self.terms, *other.terms))

    def __mul__(self, other: ExpSum) -> ExpSum:
        return ExpSum.of((p + q, c * d) for p, c in self.terms for q, d in other.terms)

    def shifted(self, exponent: Fraction) -> ExpSum:
        """The sum times e^exponent."""
        return ExpSum(tuple((q + exponent, c) for q, c in self.terms))

    def __str__(self) -> str:
        return (
            " + ".join(_shown(q, c) for q, c in self.terms).replace("+ -", "- ") or "0"
        )


def _shown(exponent: Fraction, coefficient: Fraction) -> str:
    if exponent == 0:
        return str(coefficient)
    power = f"e^({exponent})"
    return {Fraction(1): power, Fraction(-1): f"-{power}"}.get(
        coefficient, f"{coefficient} {power}"
    )


def constant(value: Fraction | int) -> ExpSum:
    """A rational number as a sum."""
    return ExpSum.of([(ZERO, Fraction(value))])


def exponential(exponent: Fraction | int) -> ExpSum:
    """The number e^exponent."""
    return ExpSum(((Fraction(exponent), Fraction(1)),))


ONE = constant(1)
NOTHING = Epsilon()


def sign(value: ExpSum) -> int:
    """-1, 0 or 1.  Raises BudgetExceeded when ``LIMIT`` digits do not tell a sum from 0
    that is not 0.
    """
    return compare(value, ExpSum(()), NOTHING)


def compare(left: ExpSum, right: ExpSum, level: Epsilon = NOTHING) -> int:
    """The sign of ``left - e^level * right``, exactly.

    Raises BudgetExceeded when ``LIMIT`` digits do not separate two numbers that are
    different.
    """
    terms = _kept(left, right.shifted(level.plain), level.logs)
    signs = {coefficient > 0 for _, coefficient, _ in terms}
    if len(signs) < 2:  # nothing is left, or nothing can cancel
        return 0 if not signs else 1 if signs.pop() else -1
    unsettled = "do not separate the two sides, which are different numbers"
    return settled(lambda: _sum(terms, level.logs), enclosure.sign, LIMIT, unsettled)


_Term = tuple[
    Fraction, Fraction, bool
]  # exponent, coefficient, whether the factor R stands there too


def _kept(left: ExpSum, right: ExpSum, logs: Logs) -> list[_Term]:
    """The terms of ``left - R right`` without those that cancel exactly: all zero iff
    nothing is kept.
    """
    mine, theirs = dict(left.terms), dict(right.terms)
    kept: list[_Term] = []
    for q in sorted(mine.keys() | theirs.keys()):
        c, d = mine.get(q, ZERO), theirs.get(q, ZERO)
        if not logs:
            kept += [(q, c - d, False)] if c != d else []
        elif not (c * d > 0 and is_power(c / d, logs)):
            kept += [(q, c, False)] * bool(c) + [(q, -d, True)] * bool(d)
    return kept


def _sum(terms: list[_Term], logs: Logs) -> Ball:
    """The sum as a ball of the working precision."""
    more = logarithms(logs)
    return sum(
        (
            ball(c) * (ball(q) + more if with_r else ball(q)).exp()
            for q, c, with_r in terms
        ),
        ball(0),
    )


def logarithms(logs: Logs) -> Ball:
    """The sum of all b ln r as a ball of the working precision."""
    return sum((ball(b) * ball(r).log() for b, r in logs), ball(0))


def plain(value: ExpSum) -> Ball:
    """A sum as a ball of the working precision."""
    return _sum([(q, c, False) for q, c in value.terms], ())


@lru_cache(maxsize=65536)
def log_sum(value: ExpSum, digits: int) -> tuple[Fraction, Fraction]:
    """Bounds on the logarithm of a positive sum, less than 10^-digits apart.

    Raises BudgetExceeded when ``LIMIT`` digits do not suffice.
    """

    def narrow(found: Ball, work: int) -> tuple[Fraction, Fraction] | None:
        if not found.is_finite():  # the logarithm of a ball that holds 0
            return None
        low, high = enclosure.bounds(found, work)
        return (low, high) if (high - low) * 10**digits < 1 else None

    unsettled = f"do not give {digits} digits of the logarithm"
    return settled(lambda: plain(value).log(), narrow, LIMIT, unsettled, digits + 10)


def power_form(left: ExpSum, right: ExpSum) -> Epsilon | None:
    """ln(left / right) exactly where the ratio of two positive sums is r e^q with
    rationals r and q, else None.
    """
    (p, c), (q, d) = left.terms[-1], right.terms[-1]
    if c / d <= 0 or left != ExpSum(
        tuple((e + p - q, x * c / d) for e, x in right.terms)
    ):
        return None
    return Epsilon(p - q) + ln(c / d)
