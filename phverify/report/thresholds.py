"""Measured thresholds in words."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from fractions import Fraction

from phverify.measurement.result import AskedThreshold, MeasuredCriterion
from phverify.measurement.threshold import Threshold
from phverify.rounded import LONG, SIGNIFICANT, rounded, significant
from phverify.spec.logarithms import log_enclosure

DIGITS = 30
PLACES = 4
"""Decimal places of an enclosure of a logarithm."""


def threshold_text(
    threshold: Threshold | None, beside: Iterable[AskedThreshold] = ()
) -> str:
    """The strictest threshold: ``largest k = 3``, ``any delta above log2(5/2)``.

    Rounded, it stays on its side of what rules ask ``beside`` it.
    """
    if threshold is None:
        return "it has no threshold that is measured"
    name = threshold.parameter
    if threshold.value is None:
        return f"no {name}: {threshold.why}"
    if threshold.low is not None and threshold.high is not None:
        return _enclosed(threshold, threshold.low, threshold.high)
    if threshold.logarithm and threshold.value == 1:
        # log2(1): no value is likelier in a class, or less likely, than in the table.
        return f"any {name} above 0"
    if threshold.logarithm:
        low, high = log2_enclosure(threshold.value)
        exact = f"log2({threshold.value})"
        return f"any {name} above {exact}, which is between {low} and {high}"
    number = _strictest(threshold.value, threshold.most, beside)
    if not threshold.attained:
        return f"any {name} above {number}"
    word = "largest" if threshold.most else "smallest"
    return f"{word} {name} = {number}"


def _strictest(value: Fraction, most: bool, beside: Iterable[AskedThreshold]) -> str:
    """A threshold as a number that may be asked for: a long one is rounded to the side
    on which the criterion still holds.
    """
    if len(str(value)) <= LONG:
        return rounded(str(value))
    asked = [Fraction(one.asked) for one in beside if one.asked]
    if value in asked:
        return str(value)
    to, said = (math.floor, "down") if most else (math.ceil, "up")
    for digits in itertools.count(SIGNIFICANT):
        shown = significant(value, digits, to)
        low, high = sorted((value, Fraction(shown)))
        # What is asked between them would look kept where it is broken, or broken.
        if not any(low < one < high for one in asked):
            return f"{shown} (rounded {said})"
    raise AssertionError


def measured_text(one: MeasuredCriterion) -> str:
    """The same of a criterion, or why it was not measured."""
    if one.unmeasured:
        return f"not measured: {one.unmeasured}"
    return threshold_text(one.threshold, one.asked)


def _enclosed(threshold: Threshold, low: Fraction, high: Fraction) -> str:
    """The ends between which it lies, and the largest whole number for a largest."""
    name = threshold.parameter
    ends = f"between {_decimal(low)} and {_decimal(high)}"
    if threshold.most:
        return f"largest whole {name} = {math.floor(low)}, the largest {name} is {ends}"
    return f"the smallest {name} is {ends}"


def _decimal(value: Fraction) -> str:
    """A multiple of a thousandth as a decimal, exactly."""
    return f"{value.numerator / value.denominator:.3f}"


def log2_enclosure(value: Fraction) -> tuple[str, str]:
    """Decimals that enclose log2 of a number of at least 1."""
    if value == 1:
        return "0", "0"
    low, high = log_enclosure(value.numerator, value.denominator, DIGITS)
    two_low, two_high = log_enclosure(2, 1, DIGITS)
    scale = 10**PLACES
    least = math.floor(low / two_high * scale)
    most = math.ceil(high / two_low * scale)
    return _places(least), _places(most)


def _places(scaled: int) -> str:
    whole, part = divmod(scaled, 10**PLACES)
    return f"{whole}.{part:0{PLACES}}"
