"""Local privacy of continuous noise: two values, each published with Laplace or Gauss
noise, bounded or not.

For densities the question is ``p(x) <= e^eps p'(x)`` for all x, and conversely.
 * Laplace: the ratio of densities is at most e^(D / scale), and attains it: exact.
 * Laplace on an interval, renormalised: the normalisers are sums of e^q, so this is
   exact too (``expsum``).
 * Gauss: the ratio has no bound.  No eps suffices for two different values, and an
   output shows it.
 * Gauss on an interval: the log-ratio is linear in x, so only the ends matter, but the
   normalisers are values of the error function.  For these no test of equality is
   known: PROVED or REFUTED by enclosures that part, and UNDECIDED when they do not
   within the limit.  Exact where the normalisers are equal by symmetry.

Paper: Anantharaman, Frittella, Nguyen 2022, section 4, which allows bounded Laplace and
Gauss mechanisms.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from phverify.errors import BudgetExceeded, refusal
from phverify.mechanisms.enclosure import Ball, ball, bounds, settled, sign, to_digits
from phverify.mechanisms.epsilon import Epsilon
from phverify.mechanisms.expsum import (
    ExpSum,
    compare,
    constant,
    exponential,
    logarithms,
)
from phverify.mechanisms.privacy import Level, checked
from phverify.result import Status

Interval = tuple[Fraction, Fraction]
DIGITS = 240
"""Digits to which two sides of bounded Gauss are told apart; then UNDECIDED."""


@dataclass(frozen=True)
class DensityAnswer:
    """PROVED, REFUTED with an output whose density under ``first`` is too large against
    ``second``, or UNDECIDED.
    """

    verdict: Status
    output: Fraction | None = None
    first: Fraction | None = None
    second: Fraction | None = None
    reason: str = ""


def laplace_noise(
    first: Fraction,
    second: Fraction,
    scale: Fraction,
    eps: Level,
    interval: Interval | None = None,
) -> DensityAnswer:
    """Laplace noise on two values; on an ``interval`` that contains both, renormalised
    there.

    Raises InputError for a scale that is not positive and a value outside the interval.
    """
    level = checked(eps)
    _check_noise(scale, interval, (first, second))
    distance = abs(first - second) / scale
    for one, other in ((first, second), (second, first)):
        mine = _laplace_mass(one, scale, interval)
        theirs = _laplace_mass(other, scale, interval)
        # the ratio of densities is e^((|x - other| - |x - one|) / scale) theirs / mine,
        # greatest at x = one
        if compare(theirs.shifted(distance), mine, level) > 0:
            return DensityAnswer("refuted", one, one, other)
    return DensityAnswer("proved")


def _laplace_mass(
    value: Fraction, scale: Fraction, interval: Interval | None
) -> ExpSum:
    """The integral of e^(-|x - value| / scale), divided by scale."""
    # Each half of the whole line has mass 1; an end cuts off its exponential tail.
    # Each half of the whole line has mass 1; an end cuts off its exponential tail.
    # Each half of the whole line has mass 1; an end cuts off its exponential tail.
    mass = constant(2)
    if interval is not None:
        low, high = interval
        reaches = (value - low, high - value)
        for reach in reaches:
            tail = exponential(-reach / scale)
            mass += tail * constant(-1)
    return mass


def gauss_noise(
    first: Fraction,
    second: Fraction,
    variance: Fraction,
    eps: Level,
    interval: Interval | None = None,
) -> DensityAnswer:
    """Gauss noise on two values; on an ``interval`` that contains both, renormalised
    there.

    Raises InputError for a variance that is not positive and a value outside the
    interval.
    """
    level = checked(eps)
    _check_noise(variance, interval, (first, second))
    if first == second:
        return DensityAnswer("proved")
    if interval is None:
        output = _far_output(first, second, variance, level)
        return DensityAnswer("refuted", output, first, second)
    return _bounded_gauss(first, second, variance, level, interval)


def _far_output(
    first: Fraction, second: Fraction, variance: Fraction, level: Epsilon
) -> Fraction:
    """An output whose density ratio under unbounded Gauss noise is above e^eps."""
    # The log-ratio is linear: it is 0 in the middle, and this whole number there.
    log_ratio = math.ceil(_upper(level)) + 1
    middle = (first + second) / 2
    return middle + variance * log_ratio / (first - second)


def _bounded_gauss(
    first: Fraction,
    second: Fraction,
    variance: Fraction,
    level: Epsilon,
    interval: Interval,
) -> DensityAnswer:
    low, high = interval
    reason = ""
    for one, other in ((first, second), (second, first)):
        # the end where the density under ``one`` gains most
        output = high if one > other else low
        near = (output - one) ** 2
        far = (output - other) ** 2
        gain = (far - near) / (2 * variance)
        try:
            excess = _excess_sign(gain, one, other, variance, level, interval)
        except BudgetExceeded as error:
            reason = f"output {output}: {error}"
            continue
        if excess > 0:
            return DensityAnswer("refuted", output, one, other)
    if reason:
        return DensityAnswer("undecided", reason=reason)
    return DensityAnswer("proved")


def _excess_sign(
    gain: Fraction,
    one: Fraction,
    other: Fraction,
    variance: Fraction,
    level: Epsilon,
    interval: Interval,
) -> int:
    """The sign of ``gain + ln(mass of other) - ln(mass of one) - eps``.

    Raises BudgetExceeded when ``DIGITS`` digits do not show it.
    """
    low, high = interval
    # mirror images in the interval: equal masses
    if one + other == low + high:
        return (Epsilon(gain) - level).sign()

    def difference() -> Ball:
        mine = _gauss_mass(one, variance, interval)
        theirs = _gauss_mass(other, variance, interval)
        return ball(gain - level.plain) + (theirs / mine).log() - logarithms(level.logs)

    return settled(
        difference,
        sign,
        DIGITS,
        "do not separate the two sides, and no test tells whether they are equal",
    )


def _gauss_mass(value: Fraction, variance: Fraction, interval: Interval) -> Ball:
    """Twice the mass of the noise on the interval, which contains the value."""
    low, high = interval
    width = ball(2 * variance).sqrt()
    below = ball(value - low) / width
    above = ball(high - value) / width
    return below.erf() + above.erf()


def _upper(level: Epsilon) -> Fraction:
    """A rational number that is at least eps."""

    def logarithm() -> Ball:
        return logarithms(level.logs)

    enclosed = to_digits(30, logarithm)
    _, high = bounds(enclosed, 30)
    return level.plain + high


def _check_noise(
    spread: Fraction, interval: Interval | None, values: tuple[Fraction, Fraction]
) -> None:
    """Raises InputError for a spread that is not positive and a value outside the
    interval.
    """
    if spread <= 0:
        raise refusal(
            "noise", f"the scale or variance is {spread}", "it must be positive"
        )
    if interval is None:
        return
    low, high = interval
    if low >= high or not all(low <= value <= high for value in values):
        what = (
            f"{values[0]} and {values[1]} do not both lie in the interval from"
            f" {low} to {high}"
        )
        raise refusal("noise", what, "bounded noise is for values inside its interval")
