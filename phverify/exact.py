"""Exact arithmetic: rationals from text, integer arrays that cannot overflow, and logarithms by enclosure.

No verdict passes through a float.  ``numpy`` integers are used only where a bound computed
with Python integers shows that they cannot overflow; otherwise the array holds Python integers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[Any]
"""Integers: ``int64`` when a bound allows it, otherwise Python integers (``object``)."""
Bools = npt.NDArray[np.bool_]

Logs = tuple[tuple[Fraction, Fraction], ...]
"""Pairs (b, r): the sum of all b ln r."""

LIMIT = 2**62
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?(/\d+)?%?")


def rational(text: str) -> Fraction:
    """The rational number that a text denotes: ``0.1`` is 1/10, ``2/3``, ``1e-3``, ``5%``.

    Raises ValueError when the text is no such number.
    """
    text = text.strip()
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"{text!r} is no number")
    scale = Fraction(1, 100) if text.endswith("%") else Fraction(1)
    head, _, below = text.rstrip("%").partition("/")
    if below and int(below) == 0:
        raise ValueError(f"{text!r} divides by zero")
    return scale * Fraction(head) / (int(below) if below else 1)


def show(value: Fraction) -> str:
    """A rational as ``2/3`` or ``2``."""
    return str(value)


def ints(array: Ints, bound: int) -> Ints:
    """The array in a type that holds every integer up to ``bound`` in absolute value."""
    return array.astype(np.int64) if bound < LIMIT else array.astype(object)


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


def common_denominator(numbers: list[Fraction]) -> int:
    """The least positive integer that clears all denominators."""
    return math.lcm(1, *(number.denominator for number in numbers))


def is_power(value: Fraction, logs: Logs) -> bool:
    """Whether ``value`` is exactly the product of all r^b, for value > 0."""
    numbers = [value, *(r for _, r in logs)]
    base = coprime_base(part for number in numbers for part in (number.numerator, number.denominator))
    weights = [Fraction(1), *(-b for b, _ in logs)]
    return all(
        sum((w * valuation(number, p) for w, number in zip(weights, numbers, strict=True)), Fraction(0)) == 0
        for p in base
    )


def coprime_base(numbers: Iterable[int]) -> list[int]:
    """Pairwise coprime integers above 1 such that each of the positive ``numbers`` is a product of their powers."""
    base: list[int] = []
    todo = list(numbers)
    while todo:
        n = todo.pop()
        other = next((b for b in base if math.gcd(n, b) > 1), None)
        if other is not None:
            shared = math.gcd(n, other)
            base.remove(other)
            todo += [shared, other // shared, n // shared]  # the product of all falls by shared: this ends
        elif n > 1:
            base.append(n)
    return base


def valuation(number: Fraction, p: int) -> int:
    """How often p divides the number; negative when it divides the denominator."""
    return _times(number.numerator, p) - _times(number.denominator, p)


def _times(n: int, p: int) -> int:
    count = 0
    while n % p == 0:
        n, count = n // p, count + 1
    return count


def log_sign(logs: Iterable[tuple[Fraction, Fraction]]) -> int:
    """The sign of the sum of all b ln r with positive rationals r: 0 is decided exactly, the rest by enclosures."""
    merged: dict[Fraction, Fraction] = {}
    for b, r in logs:
        merged[r] = merged.get(r, Fraction(0)) + b
    kept = tuple((b, r) for r, b in merged.items() if b and r != 1)
    if len({(b > 0) == (r > 1) for b, r in kept}) < 2:  # nothing is left, or nothing can cancel
        return 0 if not kept else 1 if (kept[0][0] > 0) == (kept[0][1] > 1) else -1
    if is_power(Fraction(1), kept):
        return 0
    digits = 30
    while True:  # the sum is not 0: growing precision parts it from 0
        low, high = logs_enclosure(kept, digits)
        if low > 0 or high < 0:
            return 1 if low > 0 else -1
        digits *= 2


def logs_enclosure(logs: Logs, digits: int) -> tuple[Fraction, Fraction]:
    """Bounds on the sum of all b ln r, with about ``digits`` digits of each logarithm."""
    low = high = Fraction(0)
    for b, r in logs:
        one, two = (b * end for end in log_enclosure(r.numerator, r.denominator, digits))
        low, high = low + min(one, two), high + max(one, two)
    return low, high
