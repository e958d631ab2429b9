"""Logarithms and powers of 2 by enclosures that close in, and the fraction that a table
can reach below a threshold.

No verdict passes through a float.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache

Pair = tuple[Fraction, Fraction]
Ratio = tuple[int, int]

Logs = tuple[Pair, ...]
"""Pairs (b, r): the sum of all b ln r."""
ZERO = Fraction(0)


def compare_power2(value: Fraction, exponent: Fraction) -> int:
    """Sign of ``value - 2**exponent``, for value > 0, by integers, or by enclosures of
    logarithms.
    """
    bits = value.numerator.bit_length() - value.denominator.bit_length()
    if (
        exponent > bits + 1 or exponent < bits - 1
    ):  # 2^(bits - 1) < value < 2^(bits + 1)
        return -1 if exponent > bits else 1
    if exponent.denominator > 1:
        return log_sign([(Fraction(1), value), (-exponent, Fraction(2))])
    a = exponent.numerator
    left = value.numerator << max(-a, 0)
    right = value.denominator << max(a, 0)
    return (left > right) - (left < right)


def compare_minus_log(value: Fraction, p: Fraction) -> int:
    """Sign of ``value - (-ln p)``, for 0 < p <= 1."""
    return log_sign([(Fraction(1), p)], value)


@lru_cache(maxsize=4096)
def log_enclosure(a: int, b: int, digits: int) -> Pair:
    """Bounds on ln(a / b): ``Decimal.ln`` is correctly rounded, so one unit in the last
    place encloses it.
    """
    context = Context(prec=digits)
    parts = [_enclose(context, n) for n in (a, b)]
    return parts[0][0] - parts[1][1], parts[0][1] - parts[1][0]


def _enclose(context: Context, n: int) -> Pair:
    if n == 1:
        return ZERO, ZERO
    down, up = context.copy(), context.copy()
    down.rounding, up.rounding = ROUND_FLOOR, ROUND_CEILING
    low = down.next_minus(down.ln(down.create_decimal(Decimal(n))))
    high = up.next_plus(up.ln(up.create_decimal(Decimal(n))))
    return Fraction(low), Fraction(high)


@lru_cache(maxsize=65536)
def scaled_log(n: int) -> Ratio:
    """Integers that enclose ln(n) * 10^36, for n >= 1."""
    low, high = log_enclosure(n, 1, 45)
    return math.floor(low * 10**36), math.ceil(high * 10**36)


def largest_at_most(
    below: Callable[[Fraction], bool], denominator: int, top: int
) -> Fraction:
    """The largest fraction x in [0, top] with denominator at most ``denominator`` and
    ``below(x)``.

    ``below`` must hold at 0 and be downward closed.  Walks the Stern-Brocot tree with
    doubling steps, so that an irrational threshold becomes the last rational that a
    table can reach.
    """
    if below(Fraction(top)):
        return Fraction(top)

    def moved(start: Ratio, other: Ratio, wanted: bool) -> Ratio:
        """``start`` towards ``other``, by as many mediants as keep ``below`` equal to
        ``wanted``.
        """

        def good(k: int) -> bool:
            p, q = start[0] + k * other[0], start[1] + k * other[1]
            return q <= denominator and below(Fraction(p, q)) == wanted

        high = 1
        while good(high):
            high *= 2
        low = high // 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if good(middle) else (low, middle)
        return start[0] + low * other[0], start[1] + low * other[1]

    low, high = (0, 1), (1, 0)
    while low[1] + high[1] <= denominator:
        low = moved(low, high, True)
        high = moved(high, low, False)
    return Fraction(*low)


def is_power(value: Fraction, logs: Logs) -> bool:
    """Whether ``value`` is exactly the product of all r^b, for value > 0."""
    numbers = [value, *(r for _, r in logs)]
    base = coprime_base(
        part for number in numbers for part in (number.numerator, number.denominator)
    )
    weights = [Fraction(1), *(-b for b, _ in logs)]
    return all(
        sum(
            (
                w * valuation(number, p)
                for w, number in zip(weights, numbers, strict=True)
            ),
            ZERO,
        )
        == 0
        for p in base
    )


def coprime_base(numbers: Iterable[int]) -> list[int]:
    """Pairwise coprime integers above 1 such that each of the positive ``numbers`` is a
    product of their powers.
    """
    base: list[int] = []
    todo = list(numbers)
    while todo:
        n = todo.pop()
        other = next((b for b in base if math.gcd(n, b) > 1), None)
        if other is not None:
            shared = math.gcd(n, other)
            base.remove(other)
            todo += [
                shared,
                other // shared,
                n // shared,
            ]  # the product of all falls by shared: this ends
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


def merged(pairs: Iterable[Pair]) -> dict[Fraction, Fraction]:
    """The sum of the coefficients of each term, from pairs (coefficient, term)."""
    found: dict[Fraction, Fraction] = {}
    for coefficient, term in pairs:
        found[term] = found.get(term, ZERO) + coefficient
    return found


def log_sign(logs: Iterable[Pair], plain: Fraction = ZERO) -> int:
    """The sign of ``plain`` + the sum of all b ln r with positive rationals r, exactly.

    With ``plain`` != 0 it is 0 only where nothing is left of the logarithms: e^plain is
    transcendental (Lindemann), and no product of rational powers.  Without, 0 is a
    question about such products.
    """
    kept = tuple((b, r) for r, b in merged(logs).items() if b and r != 1)
    positive = {(b > 0) == (r > 1) for b, r in kept} | ({plain > 0} if plain else set())
    if len(positive) < 2:  # nothing is left, or nothing can cancel
        return 0 if not positive else 1 if positive.pop() else -1
    if not plain and is_power(Fraction(1), kept):
        return 0
    digits = 30
    while True:  # the sum is not 0: growing precision parts it from 0
        low, high = logs_enclosure(kept, digits)
        if plain + low > 0 or plain + high < 0:
            return 1 if plain + low > 0 else -1
        digits *= 2


def logs_enclosure(logs: Logs, digits: int) -> Pair:
    """Bounds on the sum of all b ln r, with about ``digits`` digits of each
    logarithm.
    """
    low = high = ZERO
    for b, r in logs:
        one, two = (
            b * end for end in log_enclosure(r.numerator, r.denominator, digits)
        )
        low, high = low + min(one, two), high + max(one, two)
    return low, high
