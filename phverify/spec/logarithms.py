"""Logarithms and powers of 2 by enclosures that close in.

And the fraction that a table can reach below a threshold.  No verdict passes through a
float.
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
    """Sign of ``value - 2**exponent``, for value > 0.

    By integers, or by enclosures of logarithms.
    """
    # 2^(bits - 1) < value < 2^(bits + 1): far exponents need no powers.
    bits = value.numerator.bit_length() - value.denominator.bit_length()
    if exponent > bits + 1:
        return -1
    if exponent < bits - 1:
        return 1
    if exponent.denominator > 1:
        return log_sign([(Fraction(1), value), (-exponent, Fraction(2))])
    power = exponent.numerator
    left = value.numerator << max(-power, 0)
    right = value.denominator << max(power, 0)
    return (left > right) - (left < right)


def compare_minus_log(value: Fraction, p: Fraction) -> int:
    """Sign of ``value - (-ln p)``, for 0 < p <= 1."""
    log_p = (Fraction(1), p)
    return log_sign([log_p], value)


@lru_cache(maxsize=4096)
def log_enclosure(a: int, b: int, digits: int) -> Pair:
    """Bounds on ln(a / b), with so many digits of each logarithm."""
    low, high = _ln_enclosure(a, digits)
    low_divisor, high_divisor = _ln_enclosure(b, digits)
    return low - high_divisor, high - low_divisor


def _ln_enclosure(n: int, digits: int) -> Pair:
    """Bounds on ln(n): ``Decimal.ln`` is correctly rounded.

    One unit in the last place encloses it, after rounding n to the same side.
    """
    if n == 1:
        return ZERO, ZERO
    down = Context(prec=digits, rounding=ROUND_FLOOR)
    low = down.ln(down.create_decimal(Decimal(n)))
    up = Context(prec=digits, rounding=ROUND_CEILING)
    high = up.ln(up.create_decimal(Decimal(n)))
    return Fraction(down.next_minus(low)), Fraction(up.next_plus(high))


@lru_cache(maxsize=65536)
def scaled_log(n: int) -> Ratio:
    """Integers that enclose ln(n) * 10^36, for n >= 1."""
    # With more digits than the scale, so that the ends lie close.
    low, high = log_enclosure(n, 1, 45)
    scale = 10**36
    return math.floor(low * scale), math.ceil(high * scale)


def largest_at_most(
    below: Callable[[Fraction], bool], denominator: int, top: int
) -> Fraction:
    """The largest fraction x in [0, top] with ``below(x)``.

    Its denominator is at most ``denominator``.  ``below`` must hold at 0 and be
    downward closed.  Walks the Stern-Brocot tree with doubling steps, so that an
    irrational threshold becomes the last rational that a table can reach.
    """
    if below(Fraction(top)):
        return Fraction(top)

    def moved(start: Ratio, other: Ratio, wanted: bool) -> Ratio:
        """``start`` towards ``other``, as far as ``below`` is ``wanted``."""

        def still(steps: int) -> bool:
            numerator, divisor = _mediant(start, other, steps)
            if divisor > denominator:
                return False
            mediant = Fraction(numerator, divisor)
            return below(mediant) == wanted

        # Doubling, then bisection: a threshold may lie many mediants away.
        beyond = 1
        while still(beyond):
            beyond *= 2
        steps = beyond // 2
        while beyond - steps > 1:
            middle = (steps + beyond) // 2
            if still(middle):
                steps = middle
            else:
                beyond = middle
        return _mediant(start, other, steps)

    low, high = (0, 1), (1, 0)
    while low[1] + high[1] <= denominator:
        low = moved(low, high, True)
        high = moved(high, low, False)
    return Fraction(*low)


def _mediant(start: Ratio, other: Ratio, steps: int) -> Ratio:
    """So many mediants from one fraction towards another."""
    numerator = start[0] + steps * other[0]
    denominator = start[1] + steps * other[1]
    return numerator, denominator


def is_power(value: Fraction, logs: Logs) -> bool:
    """Whether ``value`` is exactly the product of all r^b, for value > 0."""
    # value / (the product of all r^b) is 1 iff every base occurs 0 times in it.
    factors = [(Fraction(1), value)] + [(-b, r) for b, r in logs]
    integers = []
    for _, number in factors:
        integers.append(number.numerator)
        integers.append(number.denominator)
    return all(_exponent(factors, base) == 0 for base in coprime_base(integers))


def _exponent(factors: Iterable[Pair], base: int) -> Fraction:
    """How often a base occurs in the product of all r^b, given as pairs (b, r)."""
    exponent = ZERO
    for weight, number in factors:
        exponent += weight * valuation(number, base)
    return exponent


def coprime_base(numbers: Iterable[int]) -> list[int]:
    """Pairwise coprime integers above 1 of whose powers all numbers are products.

    The ``numbers`` are positive.
    """
    base: list[int] = []
    todo = list(numbers)
    while todo:
        number = todo.pop()
        sharing = (b for b in base if math.gcd(number, b) > 1)
        other = next(sharing, None)
        if other is not None:
            # The product of all falls by what is shared: this ends.
            shared = math.gcd(number, other)
            base.remove(other)
            todo += [shared, other // shared, number // shared]
        elif number > 1:
            base.append(number)
    return base


def valuation(number: Fraction, p: int) -> int:
    """How often p divides the number; negative when it divides the denominator."""
    above = _times(number.numerator, p)
    below = _times(number.denominator, p)
    return above - below


def _times(n: int, p: int) -> int:
    count = 0
    while n % p == 0:
        n //= p
        count += 1
    return count


def merged(pairs: Iterable[Pair]) -> dict[Fraction, Fraction]:
    """The sum of the coefficients of each term, from pairs (coefficient, term)."""
    sums: dict[Fraction, Fraction] = {}
    for coefficient, term in pairs:
        sums[term] = sums.get(term, ZERO) + coefficient
    return sums


def log_sign(logs: Iterable[Pair], plain: Fraction = ZERO) -> int:
    """The sign of ``plain`` + the sum of all b ln r with positive rationals r, exactly.

    With ``plain`` != 0 it is 0 only where nothing is left of the logarithms: e^plain is
    transcendental (Lindemann), and no product of rational powers.  Without, 0 is a
    question about such products.
    """
    sums = merged(logs)
    nonzero = tuple((b, r) for r, b in sums.items() if b and r != 1)
    positive = {(b > 0) == (r > 1) for b, r in nonzero}
    if plain:
        positive.add(plain > 0)
    if not positive:
        return 0
    if len(positive) == 1:
        # Nothing can cancel.
        if positive.pop():
            return 1
        return -1
    # Enclosures would close in on 0 for ever.
    if not plain and is_power(Fraction(1), nonzero):
        return 0
    return _sign_of_nonzero(nonzero, plain)


def _sign_of_nonzero(logs: Logs, plain: Fraction) -> int:
    """The sign of a sum that is not 0: growing precision parts it from 0."""
    digits = 30
    while True:
        low, high = logs_enclosure(logs, digits)
        if plain + low > 0:
            return 1
        if plain + high < 0:
            return -1
        digits *= 2


def logs_enclosure(logs: Logs, digits: int) -> Pair:
    """Bounds on the sum of all b ln r, with so many digits of each logarithm."""
    low = high = ZERO
    for b, r in logs:
        least, most = log_enclosure(r.numerator, r.denominator, digits)
        # A negative factor turns them around.
        ends = b * least, b * most
        low += min(ends)
        high += max(ends)
    return low, high
