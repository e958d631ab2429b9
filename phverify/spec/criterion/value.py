"""What criteria on single values share.

Every value has a share p in the table and a share q in the class.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import TYPE_CHECKING

from phverify.spec import syntax as s
from phverify.spec.criterion.base import (
    ClassCriterion,
    Condition,
    Counterexample,
    Counts,
    TooLong,
    total,
)
from phverify.spec.criterion.shares import shares
from phverify.spec.logarithms import compare_power2, log_enclosure
from phverify.spec.source import Label, Values

if TYPE_CHECKING:
    from phverify.spec.criterion.columns import Array, Histogram
    from phverify.spec.criterion.limits import Limits

DIGITS = 12
"""Of the logarithms that limits are rounded up from."""
STEPS = 1024
"""Logarithms and powers in limits are rounded up to so many parts of 1."""
LARGEST = 64
"""Powers of two up to here are bounds on a share."""


@dataclass(frozen=True)
class Mix:
    """``q <= factor * p + more``."""

    factor: Fraction
    more: Fraction = Fraction(0)


@dataclass(frozen=True)
class WithinLog:
    """``q / p - 1 <= -ln p``."""


@dataclass(frozen=True)
class WithinPower:
    """``q < 2^exponent p`` and ``p < 2^exponent q``.

    Where ``absent``, also if the value does not occur in the class.
    """

    exponent: Fraction
    absent: bool


Bound = Mix | WithinLog | WithinPower
"""A bound on the share q in the class by the share p in the table."""


@dataclass(frozen=True)
class ValueCriterion(ClassCriterion):
    """A criterion that must hold for every value of f that occurs in the table."""

    f: str

    @abstractmethod
    def fine(self, p: Fraction, q: Fraction) -> bool:
        """Whether a value with these shares is fine."""

    @abstractmethod
    def bounds(self) -> tuple[Bound, ...]:
        """The same as bounds on the two shares."""

    @abstractmethod
    def instance(self, value: Label, p: Fraction, rows: int) -> s.Formula:
        """The formula for one value with share p in a table of so many rows."""

    @abstractmethod
    def said(self, p: Fraction, q: Fraction) -> str:
        """What is wrong with these shares."""

    def together(self) -> ValueCriterion | None:
        """What it says, where it holds at several values, of them as one value."""
        return None

    def holds(self, inside: Counts, whole: Counts) -> bool:
        """Whether every value of the table is fine, those that the class lacks too."""
        # A value that the class lacks has q = 0, which may be too unlikely.
        for value in whole:
            p, q = shares(inside, whole, value)
            if not self.fine(p, q):
                return False
        return True

    def badness(self, histogram: Histogram) -> Array:
        """The largest q / p of its values."""
        # Floats: they only say which class is shown first.
        in_class = histogram.counts / histogram.cell_sizes
        in_table = histogram.cell_whole / histogram.rows
        return histogram.largest(in_class / in_table)

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        """The value that is not fine with the largest q / p."""
        ratios = {}
        for value in whole:
            p, q = shares(inside, whole, value)
            if self.fine(p, q):
                continue
            # Every value of the table occurs there: p is not 0.
            ratios[value] = q / p
        worst = max(ratios, key=ratios.__getitem__)
        return self.broken(worst, inside, whole)

    def broken(self, value: Label, inside: Counts, whole: Counts) -> Counterexample:
        """The counterexample for a value that is not fine."""
        p, q = shares(inside, whole, value)
        rows = total(whole)
        instance = self.instance(value, p, rows)
        said = self.said(p, q)
        return Counterexample(instance, said, {"v": str(value)})

    def conditions(
        self, domain: Values, whole: Counts | None = None
    ) -> Iterator[Condition]:
        """The instance of every value; it needs the shares of the table."""
        # Without the shares of the table there is nothing to compare with.
        if whole is None:
            raise TooLong(f"{self.name} has no symbolic form")
        rows = total(whole)
        for value in domain:
            p = Fraction(whole[value], rows)
            yield self.instance(value, p, rows)

    def limits(self, whole: Counts, withheld: int = 0) -> Limits | None:
        """The bounds of each value, powers with rounded exponents."""
        from phverify.spec.criterion.limits import Limits, share_ranges

        most: dict[Label, Fraction] = {}
        least: dict[Label, Fraction] = {}
        for value, shares_in_table in share_ranges(whole, withheld).items():
            most[value], least[value] = self._ends(*shares_in_table)
        return Limits(most, Fraction(0), least)

    def _ends(self, low_p: Fraction, high_p: Fraction) -> tuple[Fraction, Fraction]:
        """Between which shares q is, at least, where p is between these."""
        # Each bound on q rises with p.
        low, high = Fraction(0), Fraction(1)
        for bound in self.bounds():
            if isinstance(bound, Mix):
                high = min(high, bound.factor * high_p + bound.more)
            if isinstance(bound, WithinLog):
                high = min(high, _within_log(high_p))
            if isinstance(bound, WithinPower) and bound.exponent <= LARGEST:
                power = _power(bound.exponent)
                high = min(high, power * high_p)
                # What is absent may have any share above 0, or none.
                low = low if bound.absent else low_p / power
        return high, low


def _within_log(p: Fraction) -> Fraction:
    """p (1 - ln p), rounded up: it rises up to p = 1."""
    if p == 0:
        return p
    inverse = 1 / p
    _, high = log_enclosure(inverse.numerator, inverse.denominator, DIGITS)
    # Short fractions: arrays of integers are multiplied by their denominators.
    steps = ceil(high * STEPS)
    rounded = Fraction(steps, STEPS)
    return p * (1 + rounded)


@lru_cache(maxsize=64)
def _power(exponent: Fraction) -> Fraction:
    """2^exponent, rounded up."""
    low, high = 0, 2 ** ceil(exponent) * STEPS
    while low + 1 < high:
        middle = (low + high) // 2
        enough = compare_power2(Fraction(middle, STEPS), exponent) >= 0
        low, high = (low, middle) if enough else (middle, high)
    return Fraction(high, STEPS)
