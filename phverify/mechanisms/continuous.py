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
    _valid(scale, interval, (first, second))
    for one, other in ((first, second), (second, first)):
        mine, theirs = (_mass(value, scale, interval) for value in (one, other))
        # the ratio of densities is e^((|x - other| - |x - one|) / scale) theirs / mine,
        # greatest at x = one
        if compare(theirs.shifted(abs(one - other) / scale), mine, level) > 0:
            return DensityAnswer("refuted", one, one, other)
    return DensityAnswer("proved")


def _mass(value: Fraction, scale: Fraction, interval: Interval | None) -> ExpSum:
    """The integral of e^(-|x - value| / scale), divided by scale."""
    ends = (
        []
        if interval is None
        else [(value - interval[0]) / scale, (interval[1] - value) / scale]
    )
    return sum((exponential(-end) * constant(-1) for end in ends), constant(2))


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
    _valid(variance, interval, (first, second))
    if first == second:
        return DensityAnswer("proved")
    if interval is None:
        steps = (
            math.ceil(_upper(level)) + 1
        )  # there the log-ratio is a whole number above eps
        return DensityAnswer(
            "refuted",
            (first + second) / 2 + variance * steps / (first - second),
            first,
            second,
        )
    return _bounded_gauss(first, second, variance, level, interval)


def _bounded_gauss(
    a: Fraction, b: Fraction, variance: Fraction, level: Epsilon, interval: Interval
) -> DensityAnswer:
    reason = ""
    for one, other in ((a, b), (b, a)):
        output = (
            interval[1] if one > other else interval[0]
        )  # where the density under ``one`` gains most
        gain = ((output - other) ** 2 - (output - one) ** 2) / (2 * variance)
        try:
            if _exceeds(gain, one, other, variance, level, interval) > 0:
                return DensityAnswer("refuted", output, one, other)
        except BudgetExceeded as error:
            reason = f"output {output}: {error}"
    return (
        DensityAnswer("undecided", reason=reason) if reason else DensityAnswer("proved")
    )


def _exceeds(
    gain: Fraction,
    one: Fraction,
    other: Fraction,
    variance: Fraction,
    level: Epsilon,
    interval: Interval,
) -> int:
    """The sign of ``gain + ln(mass of other) - ln(mass of one) - eps``."""
    if one + other == interval[0] + interval[1]:  # mirror images: equal masses
        return (Epsilon(gain) - level).sign()

    def difference() -> Ball:
        ratio = _share(other, variance, interval) / _share(one, variance, interval)
        return ball(gain - level.plain) + ratio.log() - logarithms(level.logs)

    return settled(
        difference,
        sign,
        DIGITS,
        "do not separate the two sides, and no test tells whether they are equal",
    )


def _share(value: Fraction, variance: Fraction, interval: Interval) -> Ball:
    """Twice the mass of the noise on the interval, which contains the value."""
    width = ball(2 * variance).sqrt()
    return (ball(value - interval[0]) / width).erf() + (
        ball(interval[1] - value) / width
    ).erf()


def _upper(level: Epsilon) -> Fraction:
    """A rational number that is at least eps."""
    return level.plain + bounds(to_digits(30, lambda: logarithms(level.logs)), 30)[1]


def _valid(
    spread: Fraction, interval: Interval | None, values: tuple[Fraction, Fraction]
) -> None:
    if spread <= 0:
        raise refusal(
            "noise", f"the scale or variance is {spread}", "it must be positive"
        )
    if interval is not None and (
        interval[0] >= interval[1]
        or not all(interval[0] <= v <= interval[1] for v in values)
    ):
        what = (
            f"{values[0]} and {values[1]} do not both lie in the interval from"
            f" {interval[0]} to {interval[1]}"
        )
        raise refusal("noise", what, "bounded noise is for values inside its interval")
