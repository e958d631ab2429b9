"""Numbers in every position to one another, as far as a criterion can tell that compares differences with bounds.

Let the bounds be multiples of their greatest common divisor g.  Numbers x_1 < .. < x_k are x_i = a_i g + r_i with whole
a_i and 0 <= r_i < g; whether x_i - x_j is at most c g depends on a_i - a_j and on the order of r_i and r_j alone.  So
the r_i can be the first k multiples of g/k, in their order.  A gap between neighbours above the largest bound E can
then be E + g/k: all differences across it stay above E.  So every set of numbers is like one whose gaps are among the
multiples of g/k up to E + g/k; a set of whole numbers is like one with gaps among 1 .. floor(E) + 1.
"""

from __future__ import annotations

import datetime
import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from phverify.spec.types import ValueType

START = datetime.date(2000, 1, 1).toordinal()


def spread(kind: ValueType, bounds: Sequence[Fraction], most: int) -> Iterator[tuple[str, ...]]:
    """Sets of at most ``most`` values of a type that stand for all."""
    step, gaps = Fraction(1), math.floor(max(bounds)) + 1
    positive = [bound for bound in bounds if bound]
    if kind.name == "decimal" and positive:
        step = _divisor(positive) / most
        gaps = int(max(positive) / step) + 1
    yield ()
    for many in range(most):
        for chosen in itertools.product(range(1, gaps + 1), repeat=many):
            places = itertools.accumulate((0, *chosen))
            yield tuple(_text(kind, place * step) for place in places)


def _divisor(numbers: Sequence[Fraction]) -> Fraction:
    """The largest number of which all are multiples."""
    clear = math.lcm(*(number.denominator for number in numbers))
    return Fraction(math.gcd(*(int(number * clear) for number in numbers)), clear)


def _text(kind: ValueType, number: Fraction) -> str:
    if kind.name == "date":
        return datetime.date.fromordinal(START + int(number)).isoformat()
    return kind.canonical(str(number))
