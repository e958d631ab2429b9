"""The least eps of a mechanism: an enclosure by rationals, and the exact number where it has a closed form.

The least eps is the greatest of ``|ln(p / p')| / f`` over all pairs of inputs and outputs, with f the adjacency
(1 for local privacy).  A ratio r e^q with rationals r and q has the closed form ``(q + ln r) / f``; ratios of longer
sums have none that we know of, and get an enclosure only.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from phverify.exact import ZERO
from phverify.mechanisms.epsilon import Epsilon
from phverify.mechanisms.expsum import NOTHING, log_sum, power_form
from phverify.mechanisms.mechanism import Input, Mechanism, Output
from phverify.mechanisms.privacy import Adjacency, adjacent, difference, order, sides


@dataclass(frozen=True)
class Least:
    """The least eps lies in [low, high]; ``exact`` is its closed form where one is known.

    ``low`` and ``high`` are None when no finite eps suffices.  The inputs and the output attain the maximum (they
    are None when nothing is ever compared, and eps is 0).
    """

    low: Fraction | None
    high: Fraction | None
    exact: Epsilon | None
    first: Input | None = None
    second: Input | None = None
    output: Output | None = None
    digits: int = 10

    @property
    def finite(self) -> bool:
        """Whether some eps suffices."""
        return self.low is not None

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return "no finite eps"
        bounds = f"[{decimal(self.low, self.digits, math.floor)}, {decimal(self.high, self.digits, math.ceil)}]"
        return f"{self.exact} in {bounds}" if self.exact else bounds


@dataclass(frozen=True)
class _Candidate:
    """One ``ln(p / p') / distance`` that may be the greatest, with bounds; ``place`` is (input, input, output)."""

    low: Fraction
    high: Fraction
    distance: Fraction
    place: tuple[int, int, int]


def least(m: Mechanism, adjacency: Adjacency | None = None, digits: int = 10) -> Least:
    """The least eps for Definition 4 under ``adjacency``, or for local privacy (all pairs) when it is None.

    The enclosure is at most 10^-digits wide.  Raises InputError when the adjacency is negative, BudgetExceeded
    when no number of digits that we are ready to wait for suffices.
    """
    candidates: list[_Candidate] = []
    for i, k, distance in adjacent(m, adjacency or (lambda first, second: 1)):
        for j in range(len(m.outputs)):
            mine, theirs = m.weights[i][j], m.weights[k][j]
            if not mine.terms and not theirs.terms:
                continue
            if not (mine.terms and theirs.terms and distance):
                if difference(m, (i, j, k, j)) != 0:
                    return Least(None, None, None, m.inputs[i], m.inputs[k], m.outputs[j], digits)
                continue
            candidates.append(_candidate(m, (i, k, j), distance, digits))
    return _greatest(m, candidates, digits)


def _candidate(m: Mechanism, place: tuple[int, int, int], distance: Fraction, digits: int) -> _Candidate:
    """Bounds at most 10^-digits apart: four logarithms, each with a digit or more to spare, divided by distance."""
    i, k, j = place
    extra = digits + 1 + len(str(math.ceil(1 / distance)))
    plus = [log_sum(part, extra) for part in (m.weights[i][j], m.totals[k])]
    minus = [log_sum(part, extra) for part in (m.weights[k][j], m.totals[i])]
    low = sum((a for a, _ in plus), ZERO) - sum((b for _, b in minus), ZERO)
    high = sum((b for _, b in plus), ZERO) - sum((a for a, _ in minus), ZERO)
    return _Candidate(low / distance, high / distance, distance, place)


def _greatest(m: Mechanism, candidates: list[_Candidate], digits: int) -> Least:
    best = max(candidates, key=lambda one: one.low, default=None)
    if best is None or best.high < 0 or not any(one.high > 0 for one in candidates):
        return Least(ZERO, ZERO, NOTHING, digits=digits)
    close = [one for one in candidates if one.high >= best.low]
    i, k, j = best.place
    exact = _top(m, close)
    low, high = max(best.low, ZERO), max(one.high for one in close)
    if exact is not None and not exact.logs:
        low = high = exact.plain
    return Least(low, high, exact, m.inputs[i], m.inputs[k], m.outputs[j], digits)


def _top(m: Mechanism, close: list[_Candidate]) -> Epsilon | None:
    """The greatest of the closed forms; None when a candidate has none (it might be the greatest)."""
    best: Epsilon | None = None
    for one in close:
        i, k, j = one.place
        form = power_form(*sides(m, (i, j, k, j)))
        if form is None:
            return None
        form = form.times(1 / one.distance)
        best = form if best is None or order(form, best) > 0 else best
    return best


def decimal(value: Fraction, digits: int, rounding: Callable[[Fraction], int] = math.floor) -> str:
    """The value with ``digits`` decimals, rounded down (``math.floor``) or up (``math.ceil``)."""
    scaled = rounding(value * 10**digits)
    sign, whole = "-" if scaled < 0 else "", str(abs(scaled)).rjust(digits + 1, "0")
    return f"{sign}{whole[:-digits]}.{whole[-digits:]}" if digits else f"{sign}{whole}"
