"""Thresholds by the definition of a criterion alone.

Where it stops to hold is closed in from both sides, and each end is decided exactly.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

from phverify.measurement.threshold import Threshold, unbounded
from phverify.microdata.histogram import ClassHistogram
from phverify.spec.criteria.entropy_l_diversity import EntropyDiversity
from phverify.spec.criterion.base import ClassCriterion, Param

PARTS = 1000
"""An enclosure is at most one part of so many wide."""
LARGEST = 2**40
"""No threshold beyond it is tried."""


def entropy_bound(criterion: EntropyDiversity, histogram: ClassHistogram) -> Threshold:
    """The largest l, enclosed; ``value`` is the largest whole one."""
    entropies = -histogram.disorder()
    worst = int(np.argmin(entropies))
    # What floats propose is moved until the definition agrees.
    proposed = math.floor(math.exp(float(entropies[worst])) * PARTS)
    numerator = max(proposed, PARTS)
    while not _all(criterion, histogram, Fraction(numerator, PARTS)):
        numerator -= 1
    while _all(criterion, histogram, Fraction(numerator + 1, PARTS)):
        numerator += 1
    low, high = Fraction(numerator, PARTS), Fraction(numerator + 1, PARTS)
    whole = Fraction(math.floor(low))
    # Floats chose the worst class: the definition says which one fails.
    failing = replace(criterion, l=high).columns(histogram)
    index = int(np.flatnonzero(~failing)[0])
    return Threshold("l", whole, index, most=True, low=low, high=high)


def _all(criterion: EntropyDiversity, histogram: ClassHistogram, l: Fraction) -> bool:  # noqa: E741
    return bool(replace(criterion, l=l).columns(histogram).all())


def bisected(criterion: ClassCriterion, histogram: ClassHistogram) -> Threshold | None:
    """The strictest threshold of the first parameter that is one; None without one, or
    where it is not known which way is strict.
    """
    for param in criterion.params:
        if param.kind in ("whole", "number"):
            return _Bisection(criterion, histogram, param).bound()
    return None


class _Bisection:
    """Where a criterion stops to hold as one parameter grows stricter."""

    def __init__(
        self, criterion: ClassCriterion, histogram: ClassHistogram, param: Param
    ) -> None:
        self.criterion = criterion
        self.histogram = histogram
        self.param = param
        self.step = Fraction(1) if param.kind == "whole" else Fraction(1, PARTS)

    def at(self, steps: int) -> ClassCriterion:
        """The criterion with the threshold of so many steps above the least."""
        start = self.param.least or Fraction(0)
        # Where the least is none itself, steps start beside it.
        value = start + steps * self.step + (self.step if self.param.strict else 0)
        number = int(value) if self.param.kind == "whole" else value
        return replace(self.criterion, **{self.param.name: number})

    def failing(self, steps: int) -> int | None:
        """A class that breaks the criterion there; None where all satisfy it."""
        fine = self.at(steps).columns(self.histogram)
        broken = np.flatnonzero(~np.asarray(fine, dtype=bool))
        return int(broken[0]) if len(broken) else None

    def strict_upwards(self) -> bool | None:
        """Whether larger is stricter, by what the criterion implies."""
        # Two thresholds are enough: criteria have one direction.
        small, large = self.at(1), self.at(2)
        up, down = large.implies(small), small.implies(large)
        if up == down:
            return None
        return up

    def bound(self) -> Threshold | None:
        """The threshold between the last step that holds and the first that fails."""
        upwards = self.strict_upwards()
        if upwards is None:
            return None
        return self._most() if upwards else self._least()

    def _most(self) -> Threshold:
        """The largest step that holds."""
        broken = self.failing(0)
        if broken is not None:
            return unbounded(self.param.name, broken, "it fails at the loosest already")
        # Doubling first: how far it goes is not known.
        good, bad = 0, 1
        while self.failing(bad) is None:
            good, bad = bad, bad * 2
            if bad > LARGEST:
                return unbounded(self.param.name, 0, "it holds however strict it is")
        return self._between(*self._neighbours(good, bad), most=True)

    def _least(self) -> Threshold:
        """The smallest step that holds."""
        if self.failing(0) is None:
            return self._between(0, 0, most=False)
        bad, good = 0, 1
        while self.failing(good) is not None:
            bad, good = good, good * 2
            if good > LARGEST:
                broken = self.failing(bad)
                assert broken is not None
                why = "it fails however loose it is"
                return unbounded(self.param.name, broken, why)
        return self._between(*self._neighbours(good, bad), most=False)

    def _neighbours(self, good: int, bad: int) -> tuple[int, int]:
        """A step that holds beside one that fails, between these two."""
        while abs(good - bad) > 1:
            middle = (good + bad) // 2
            if self.failing(middle) is None:
                good = middle
            else:
                bad = middle
        return good, bad

    def _between(self, good: int, bad: int, most: bool) -> Threshold:
        name = self.param.name
        fine = Fraction(getattr(self.at(good), name))
        strict = Fraction(getattr(self.at(bad), name))
        if good == bad:
            # It holds at all: the least is the end, though it may be none itself.
            strict = self.param.least or Fraction(0)
        cls = self.failing(bad)
        # The threshold lies between them, whichever way is strict.
        low, high = sorted((fine, strict))
        if self.param.kind == "whole":
            return Threshold(name, fine, cls or 0, most)
        return Threshold(name, fine, cls or 0, most, low=low, high=high)
