"""Sums ``c1 e^q1 + c2 e^q2 + ..`` with rational c and q: normal form, and signs decided exactly.

Lindemann-Weierstrass: for distinct algebraic exponents the numbers e^q are linearly independent over the algebraic
numbers.  Hence a sum with merged exponents is zero iff all its coefficients are.  ``compare`` asks for the sign of
``left - e^eps right`` with eps = a + sum b ln r: its coefficients are c - R d, where R, the product of all r^b, is
algebraic, and c = R d is decided exactly (``epsilon.is_power``).  What is left is not zero, so that enclosures with
growing precision part from zero: ``decimal`` rounds exp and ln correctly, one unit further out on each side encloses.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache

from phverify.audit.epsilon import Epsilon, Logs, is_power
from phverify.errors import BudgetExceeded
from phverify.exact import log_enclosure

LIMIT = 20_000
"""Digits after which ``compare`` gives up: two numbers that agree so far are different, but nobody will wait."""


@dataclass(frozen=True)
class ExpSum:
    """A sum of ``coefficient * e^exponent``: pairs (exponent, coefficient), exponents rising, no zero coefficient."""

    terms: tuple[tuple[Fraction, Fraction], ...]

    @staticmethod
    def of(pairs: Iterable[tuple[Fraction, Fraction]]) -> ExpSum:
        """The normal form of a sum of pairs (exponent, coefficient)."""
        merged: dict[Fraction, Fraction] = {}
        for exponent, coefficient in pairs:
            merged[exponent] = merged.get(exponent, Fraction(0)) + coefficient
        return ExpSum(tuple((q, c) for q, c in sorted(merged.items()) if c))

    def __add__(self, other: ExpSum) -> ExpSum:
        return ExpSum.of((*self.terms, *other.terms))

    def __mul__(self, other: ExpSum) -> ExpSum:
        return ExpSum.of((p + q, c * d) for p, c in self.terms for q, d in other.terms)

    def shifted(self, exponent: Fraction) -> ExpSum:
        """The sum times e^exponent."""
        return ExpSum(tuple((q + exponent, c) for q, c in self.terms))

    def rational(self) -> Fraction | None:
        """The value where it is rational (exactly where no exponent but 0 is left), else None."""
        if not self.terms:
            return Fraction(0)
        return self.terms[0][1] if len(self.terms) == 1 and self.terms[0][0] == 0 else None

    def __str__(self) -> str:
        return " + ".join(_shown(q, c) for q, c in self.terms).replace("+ -", "- ") or "0"


def _shown(exponent: Fraction, coefficient: Fraction) -> str:
    if exponent == 0:
        return str(coefficient)
    power = f"e^({exponent})"
    return {Fraction(1): power, Fraction(-1): f"-{power}"}.get(coefficient, f"{coefficient} {power}")


def constant(value: Fraction | int) -> ExpSum:
    """A rational number as a sum."""
    return ExpSum.of([(Fraction(0), Fraction(value))])


def exponential(exponent: Fraction | int) -> ExpSum:
    """The number e^exponent."""
    return ExpSum(((Fraction(exponent), Fraction(1)),))


ONE = constant(1)
NOTHING = Epsilon(Fraction(0))


def sign(value: ExpSum) -> int:
    """-1, 0 or 1.  Raises BudgetExceeded when ``LIMIT`` digits do not tell a sum from 0 that is not 0."""
    return compare(value, ExpSum(()), NOTHING)


def compare(left: ExpSum, right: ExpSum, level: Epsilon = NOTHING) -> int:
    """The sign of ``left - e^level * right``, exactly.

    Raises BudgetExceeded when ``LIMIT`` digits do not separate two numbers that are different.
    """
    terms = _kept(left, right.shifted(level.plain), level.logs)
    signs = {coefficient > 0 for _, coefficient, _ in terms}
    if len(signs) < 2:  # nothing is left, or nothing can cancel
        return 0 if not signs else 1 if signs.pop() else -1
    digits = 30
    while digits <= LIMIT:
        low, high = _sum(terms, level.logs, digits)
        if low > 0 or high < 0:
            return 1 if low > 0 else -1
        digits *= 2
    raise BudgetExceeded(f"{LIMIT} digits do not separate the two sides, which are different numbers")


_Term = tuple[Fraction, Fraction, bool]  # exponent, coefficient, whether the factor R stands there too


def _kept(left: ExpSum, right: ExpSum, logs: Logs) -> list[_Term]:
    """The terms of ``left - R right`` without those that cancel exactly: all zero iff nothing is kept."""
    mine, theirs = dict(left.terms), dict(right.terms)
    kept: list[_Term] = []
    for q in sorted(mine.keys() | theirs.keys()):
        c, d = mine.get(q, Fraction(0)), theirs.get(q, Fraction(0))
        if not logs:
            kept += [(q, c - d, False)] if c != d else []
        elif not (c * d > 0 and is_power(c / d, logs)):
            kept += [(q, c, False)] * bool(c) + [(q, -d, True)] * bool(d)
    return kept


def _sum(terms: list[_Term], logs: Logs, digits: int) -> tuple[Fraction, Fraction]:
    """Bounds on the sum, divided by the largest power in it (which leaves its sign alone)."""
    more = logs_enclosure(logs, digits)
    spans = [(q + more[0], q + more[1]) if with_r else (q, q) for q, _, with_r in terms]
    top = max(high for _, high in spans)
    low = high = Fraction(0)
    for (_, c, _), (a, b) in zip(terms, spans, strict=True):
        below, above = exp_enclosure(a - top, digits)[0], exp_enclosure(b - top, digits)[1]
        low, high = low + c * (below if c > 0 else above), high + c * (above if c > 0 else below)
    return low, high


def logs_enclosure(logs: Logs, digits: int) -> tuple[Fraction, Fraction]:
    """Bounds on the sum of all b ln r, with about ``digits`` digits of each logarithm."""
    low = high = Fraction(0)
    for b, r in logs:
        one, two = (b * end for end in log_enclosure(r.numerator, r.denominator, digits))
        low, high = low + min(one, two), high + max(one, two)
    return low, high


@lru_cache(maxsize=65536)
def exp_enclosure(exponent: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Bounds on e^exponent, for exponent <= 0, about 10^-digits apart."""
    if exponent == 0:
        return Fraction(1), Fraction(1)
    unit = Fraction(1, 10**digits)
    if exponent < -3 * digits:  # e^-3 < 1/10
        return Fraction(0), unit
    down = Context(prec=digits + 10, rounding=ROUND_FLOOR, Emin=MIN_EMIN, Emax=MAX_EMAX)
    up = Context(prec=digits + 10, rounding=ROUND_CEILING, Emin=MIN_EMIN, Emax=MAX_EMAX)
    low = down.next_minus(down.exp(down.divide(Decimal(exponent.numerator), Decimal(exponent.denominator))))
    high = up.next_plus(up.exp(up.divide(Decimal(exponent.numerator), Decimal(exponent.denominator))))
    scale = 10**digits
    return unit * math.floor(Fraction(low) * scale), unit * math.ceil(Fraction(high) * scale)


def enclose(value: ExpSum, digits: int) -> tuple[Fraction, Fraction]:
    """Bounds on the sum, with about ``digits`` digits of its largest term."""
    if not value.terms:
        return Fraction(0), Fraction(0)
    top = value.terms[-1][0]
    low, high = _sum([(q, c, False) for q, c in value.terms], (), digits)
    below, above = exp_enclosure(-abs(top), digits + math.ceil(abs(top)))
    if top > 0:
        below, above = 1 / above, 1 / below
    return low * (below if low > 0 else above), high * (above if high > 0 else below)


@lru_cache(maxsize=65536)
def log_sum(value: ExpSum, digits: int) -> tuple[Fraction, Fraction]:
    """Bounds on the logarithm of a positive sum, less than 10^-digits apart.

    Raises BudgetExceeded when ``LIMIT`` digits do not suffice.
    """
    work = digits + 10
    while work <= LIMIT:
        bounds = _log(value, work)
        if bounds is not None and (bounds[1] - bounds[0]) * 10**digits < 1:
            return bounds
        work *= 2
    raise BudgetExceeded(f"{LIMIT} digits do not give {digits} digits of the logarithm")


def _log(value: ExpSum, digits: int) -> tuple[Fraction, Fraction] | None:
    """Bounds on the logarithm of a positive sum; None where the digits do not tell it from 0."""
    top = value.terms[-1][0]
    low, high = _sum([(q, c, False) for q, c in value.terms], (), digits)
    if low <= 0:
        return None
    below, above = (log_enclosure(end.numerator, end.denominator, digits) for end in (low, high))
    return top + below[0], top + above[1]


def power_form(left: ExpSum, right: ExpSum) -> Epsilon | None:
    """ln(left / right) exactly where the ratio of two positive sums is r e^q with rationals r and q, else None."""
    (p, c), (q, d) = left.terms[-1], right.terms[-1]
    if c / d <= 0 or left != ExpSum(tuple((e + p - q, x * c / d) for e, x in right.terms)):
        return None
    return Epsilon(p - q, ((Fraction(1), c / d),) if c != d else ())
