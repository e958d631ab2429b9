"""Exact arithmetic: integer arrays that cannot overflow, and logarithms by enclosure.

No verdict passes through a float.  ``numpy`` integers are used only where a bound
computed with Python integers shows that they cannot overflow; otherwise the array holds
Python integers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import total_ordering
from typing import Any

import numpy as np
import numpy.typing as npt

from phverify.errors import refusal
from phverify.spec.logarithms import log_sign, logs_enclosure, merged

Ints = npt.NDArray[Any]
Floats = npt.NDArray[Any]
"""Integers: ``int64`` when a bound allows it, otherwise Python integers
(``object``).
"""
IntsPair = tuple[Ints, Ints]
Bools = npt.NDArray[np.bool_]

Logs = tuple[tuple[Fraction, Fraction], ...]
"""Pairs (b, r): the sum of all b ln r."""

ZERO = Fraction(0)
LIMIT = 2**62


def ints(array: Ints, bound: int) -> Ints:
    """The array in a type that holds every integer up to ``bound`` in absolute
    value.
    """
    # int64 would wrap around in silence: beyond it they stay Python's own integers
    fits = bound < LIMIT
    wide = np.int64 if fits else object
    return array.astype(wide)


def common_denominator(numbers: list[Fraction]) -> int:
    """The least positive integer that clears all denominators."""
    denominators = [number.denominator for number in numbers]
    return math.lcm(1, *denominators)


@total_ordering
@dataclass(frozen=True, eq=False)
class LogSum:
    """The number ``plain + sum of b ln r`` over ``logs``, with rationals b and positive
    rationals r.

    Comparison is exact; floats are for display.  Raises InputError when an r is not
    positive.
    """

    plain: Fraction = ZERO
    logs: Logs = ()

    def __post_init__(self) -> None:
        for _, r in self.logs:
            if r <= 0:
                hint = "logarithms need positive numbers"
                raise refusal("logarithm", f"ln({r}) is no real number", hint)

    @staticmethod
    def of(
        pairs: Iterable[tuple[Fraction, Fraction]], plain: Fraction = ZERO
    ) -> LogSum:
        """A sum of pairs (b, r), equal r merged."""
        # 0 ln r and b ln 1 are nothing: equal sums shall look alike
        factors = merged(pairs)
        logs = [(b, r) for r, b in factors.items() if b and r != 1]
        return LogSum(plain, tuple(logs))

    def sign(self) -> int:
        """-1, 0 or 1, exactly."""
        return log_sign(self.logs, self.plain)

    def __add__(self, other: LogSum) -> LogSum:
        logs = (*self.logs, *other.logs)
        return LogSum.of(logs, self.plain + other.plain)

    def __sub__(self, other: LogSum) -> LogSum:
        return self + other.times(Fraction(-1))

    def times(self, factor: Fraction) -> LogSum:
        """The same number, ``factor`` times."""
        logs = [(b * factor, r) for b, r in self.logs]
        return LogSum.of(logs, self.plain * factor)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LogSum):
            return False
        # Written otherwise, one number may have two sums: only the sign tells.
        return (self - other).sign() == 0

    def __lt__(self, other: LogSum) -> bool:
        difference = self - other
        return difference.sign() < 0

    def __float__(self) -> float:
        """For display only: no verdict reads it."""
        low, high = logs_enclosure(self.logs, 30)
        return float(self.plain + (low + high) / 2)

    def __str__(self) -> str:
        """As ``epsilon`` reads it."""
        terms = [_term(b, r) for b, r in self.logs]
        if self.plain or not terms:
            # A sum without terms is written as 0.
            terms.insert(0, str(self.plain))
        return " + ".join(terms).replace("+ -", "- ")


def _term(b: Fraction, r: Fraction) -> str:
    match b:
        case 1:
            return f"ln({r})"
        case -1:
            return f"-ln({r})"
    return f"{b} ln({r})"


def ln(value: Fraction | int) -> LogSum:
    """The number ln(value)."""
    once = (Fraction(1), Fraction(value))
    return LogSum.of([once])
