"""Logarithms and powers of 2 by enclosures that close in, and the fraction that a table can reach below a threshold.

No verdict passes through a float.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache


def compare_power2(value: Fraction, exponent: Fraction) -> int:
    """Sign of ``value - 2**exponent``, for value > 0, by integers, or by enclosures of logarithms."""
    bits = value.numerator.bit_length() - value.denominator.bit_length()
    if exponent > bits + 1 or exponent < bits - 1:  # 2^(bits - 1) < value < 2^(bits + 1)
        return -1 if exponent > bits else 1
    if exponent.denominator > 1:
        return _compare_root2(value, exponent)
    a = exponent.numerator
    left = value.numerator << max(-a, 0)
    right = value.denominator << max(a, 0)
    return (left > right) - (left < right)


def _compare_root2(value: Fraction, exponent: Fraction) -> int:
    """The same for a power of 2 that is irrational: enclosures of ln value and exponent * ln 2 must part."""
    digits = 30
    while True:
        low, high = log_enclosure(value.numerator, value.denominator, digits)
        two_low, two_high = (abs(exponent) * bound for bound in log_enclosure(2, 1, digits))
        two_low, two_high = (two_low, two_high) if exponent > 0 else (-two_high, -two_low)
        if low > two_high or high < two_low:
            return 1 if low > two_high else -1
        digits *= 2


def compare_minus_log(value: Fraction, p: Fraction) -> int:
    """Sign of ``value - (-ln p)``, for 0 < p <= 1.

    ``-ln p`` is transcendental unless p = 1 (Lindemann-Weierstrass), so that enclosures that
    shrink separate the two; they are equal only for p = 1 and value = 0.
    """
    if p == 1:
        return (value > 0) - (value < 0)
    digits = 30
    while True:
        low, high = log_enclosure(p.denominator, p.numerator, digits)
        if value > high:
            return 1
        if value < low:
            return -1
        digits *= 2


@lru_cache(maxsize=4096)
def log_enclosure(a: int, b: int, digits: int) -> tuple[Fraction, Fraction]:
    """Bounds on ln(a / b): ``Decimal.ln`` is correctly rounded, so one unit in the last place encloses it."""
    context = Context(prec=digits)
    parts = [_enclose(context, n) for n in (a, b)]
    return parts[0][0] - parts[1][1], parts[0][1] - parts[1][0]


def _enclose(context: Context, n: int) -> tuple[Fraction, Fraction]:
    if n == 1:
        return Fraction(0), Fraction(0)
    down, up = context.copy(), context.copy()
    down.rounding, up.rounding = ROUND_FLOOR, ROUND_CEILING
    low = down.next_minus(down.ln(down.create_decimal(Decimal(n))))
    high = up.next_plus(up.ln(up.create_decimal(Decimal(n))))
    return Fraction(low), Fraction(high)


@lru_cache(maxsize=65536)
def scaled_log(n: int) -> tuple[int, int]:
    """Integers that enclose ln(n) * 10^36, for n >= 1."""
    low, high = log_enclosure(n, 1, 45)
    return math.floor(low * 10**36), math.ceil(high * 10**36)


def largest_at_most(below: Callable[[Fraction], bool], denominator: int, top: int) -> Fraction:
    """The largest fraction x in [0, top] with denominator at most ``denominator`` and ``below(x)``.

    ``below`` must hold at 0 and be downward closed.  Walks the Stern-Brocot tree with doubling
    steps, so that an irrational threshold becomes the last rational that a table can reach.
    """
    if below(Fraction(top)):
        return Fraction(top)
    low, high = (0, 1), (1, 0)
    while low[1] + high[1] <= denominator:
        low = _climb(low, high, below, denominator, True)
        if low[1] + high[1] > denominator:
            break
        high = _climb(high, low, below, denominator, False)
    return Fraction(*low)


def _climb(
    start: tuple[int, int],
    other: tuple[int, int],
    below: Callable[[Fraction], bool],
    denominator: int,
    wanted: bool,
) -> tuple[int, int]:
    """Move ``start`` towards ``other`` by as many mediants as keep ``below`` equal to ``wanted``."""

    def point(k: int) -> tuple[int, int]:
        return start[0] + k * other[0], start[1] + k * other[1]

    def good(k: int) -> bool:
        p, q = point(k)
        return q <= denominator and below(Fraction(p, q)) == wanted

    step = 1
    while good(step):
        step *= 2
    low, high = step // 2, step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if good(middle) else (low, middle)
    return point(low)
