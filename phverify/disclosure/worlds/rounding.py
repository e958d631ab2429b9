"""Which sums and counts does a published mean stand for?

``AVG`` of integers is a double: the quotient of sum and count, rounded to nearest, ties
to even.  For each count the sums that round to it are an interval of integers, empty
for most counts: the statement is exact, and its numbers stay as small as the sums are.
"""

from __future__ import annotations

import math
from fractions import Fraction

DOUBLE_ROUNDING = 1024
"""Up to this count a quotient that is first rounded to 64 bits, as some engines do,
cannot end elsewhere: it is at least 1/(2 count) of a unit away from every midpoint, or
on it.
"""
LARGEST_SUM = 2**53


def sums(mean: float, count: int | Fraction) -> range:
    """The integers s whose quotient s / count rounds to ``mean``.

    Where s counts units, ``count`` is a fraction: the number of values by the unit.
    Raises ArithmeticError where rounding is unclear.
    """
    rounded = _between(mean, count, Fraction(0))

    # An engine that rounds twice may end at the neighbour: then nothing is said.
    if count.numerator > DOUBLE_ROUNDING:
        unit = Fraction(math.ulp(mean)) / 1024
        wider = _between(mean, count, unit)
        if len(wider) == 1:
            # However it was rounded, no other sum has this mean.
            return wider
        narrower = _between(mean, count, -unit)
        if wider != rounded or narrower != rounded:
            raise ArithmeticError(
                f"the mean {mean} of {count} values is too near to a midpoint of"
                " doubles"
            )
    return rounded


def single(mean: float, total: int, count: int) -> bool:
    """Whether it is seen at once that a sum has this mean, and no other; the sum is
    smaller than ``LARGEST_SUM``.
    """
    # A step of a double is a power of two, and this product exact: sums that could have
    # the mean, however it is rounded, lie within half of it and a little.
    narrow = count * math.ulp(mean) <= 0.5
    return narrow and total / count == mean


def sum_of_decimals(mean: float, count: int, places: int) -> int:
    """The one integer s, in units of the last of so many places, that AVG can be of.

    DuckDB rounds once or twice, as it likes; whatever else has this mean is farther
    away.  Raises ArithmeticError where two sums are that near.
    """
    shown = Fraction(mean)
    scale = 10**places
    exact: Fraction = shown * count * scale
    # Two roundings move a number by less than a part in 2^51 of itself.
    far = abs(exact) / 2**51
    first = math.ceil(exact - far)
    last = math.floor(exact + far)
    if first != last:
        raise ArithmeticError(f"several sums of {count} decimals have the mean {mean}")
    return first


def _between(mean: float, count: int | Fraction, margin: Fraction) -> range:
    """The sums between the midpoints to the next doubles, moved by a margin."""
    here = Fraction(mean)
    below = Fraction(math.nextafter(mean, -math.inf))
    above = Fraction(math.nextafter(mean, math.inf))
    low = ((below + here) / 2 - margin) * count
    high = ((above + here) / 2 + margin) * count
    first = math.ceil(low)
    last = math.floor(high)
    # Only where the last bit is 0 a tie is rounded to such a double.
    if here / Fraction(math.ulp(mean)) % 2:
        first += first == low
        last -= last == high
    return range(first, last + 1)
