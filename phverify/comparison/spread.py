"""Values of ordered types as numbers: some between others, and some in every position
to one another.

As far as a criterion can tell that compares differences with bounds: let the bounds be
multiples of their greatest common divisor g.  Numbers x_1 < .. < x_k are x_i = a_i g +
r_i with whole a_i and 0 <= r_i < g; whether x_i - x_j is at most c g depends on a_i -
a_j and on the order of r_i and r_j alone.  So the r_i can be the first k multiples of
g/k, in their order.  A gap between neighbours above the largest bound E can then be E +
g/k: all differences across it stay above E.  So every set of numbers is like one whose
gaps are among the multiples of g/k up to E + g/k; a set of whole numbers is like one
with gaps among 1 .. floor(E) + 1.
"""

from __future__ import annotations

import datetime
import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache

from phverify.spec.types import ValueType

START = datetime.date(2000, 1, 1).toordinal()
"""The day that is 0."""
DAYS = range(1 - START, datetime.date.max.toordinal() - START + 1)
"""All days."""


def _number(kind: ValueType, text: str | None) -> Fraction | int | None:
    """A value as a number, a day as its distance from the first one."""
    if text is None:
        return None
    if kind.name == "date":
        return datetime.date.fromisoformat(text).toordinal() - START
    number: Fraction | int = kind.key(text)
    return number


def _text(kind: ValueType, number: Fraction | int) -> str:
    """The value that a number stands for."""
    if kind.name == "date":
        day = START + int(number)
        date = datetime.date.fromordinal(day)
        return date.isoformat()
    return kind.canonical(str(number))


def between(kind: ValueType, low: str | None, high: str | None, most: int) -> list[str]:
    """At most so many values of a type strictly between two of its values (None: no
    bound), lowest first.
    """
    if kind.name == "ordered" or most == 0:
        return []
    a = _number(kind, low)
    b = _number(kind, high)
    if kind.name == "decimal" and a is not None and b is not None:
        step = (b - a) / Fraction(most + 1)
        return [_text(kind, a + step * k) for k in range(1, most + 1)]
    if a is not None:
        first = math.floor(a) + 1
    elif b is not None:
        first = math.ceil(b) - most
    else:
        first = 0 if kind.name == "date" else 1
    end = math.inf if b is None else math.ceil(b)
    numbers = [k for k in range(first, first + most) if k < end]
    if kind.name == "date":
        numbers = [k for k in numbers if k in DAYS]
    return [_text(kind, k) for k in numbers]


def spread(
    kind: ValueType, bounds: Sequence[Fraction], most: int
) -> Iterator[tuple[str, ...]]:
    """Sets of at most ``most`` values of a type that stand for all."""
    step = Fraction(1)
    gaps = math.floor(max(bounds)) + 1
    positive = [bound for bound in bounds if bound]
    if kind.name == "decimal" and positive:
        clear = math.lcm(*(bound.denominator for bound in positive))
        multiples = [int(bound * clear) for bound in positive]
        step = Fraction(math.gcd(*multiples), clear) / most
        gaps = int(max(positive) / step) + 1

    @cache
    def text(place: int) -> str:
        return _text(kind, place * step)

    yield ()
    for many in range(most):
        for chosen in itertools.product(range(1, gaps + 1), repeat=many):
            places = itertools.accumulate((0, *chosen))
            # Thousands of sets have places in common: each is written once.
            yield tuple(map(text, places))
