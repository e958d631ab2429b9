"""Exact arithmetic: rationals from text, integer arrays that cannot overflow, and logarithms by enclosure.

No verdict passes through a float.  ``numpy`` integers are used only where a bound computed
with Python integers shows that they cannot overflow; otherwise the array holds Python integers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from phverify.spec.logarithms import log_enclosure

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
