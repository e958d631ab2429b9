"""The least eps of a mechanism: an enclosure by rationals, and the exact number where
it has a closed form.

The least eps is the greatest of ``|ln(p / p')| / f`` over all pairs of inputs and
outputs, with f the adjacency (1 for local privacy).  A ratio r e^q with rationals r and
q has the closed form ``(q + ln r) / f``; ratios of longer sums have none that we know
of, and get an enclosure only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from phverify.exact import ZERO
from phverify.mechanisms.epsilon import Epsilon
from phverify.mechanisms.expsum import NOTHING, log_sum, power_form
from phverify.mechanisms.mechanism import Input, Mechanism, Output, Probability
from phverify.mechanisms.privacy import Adjacency, adjacent


@dataclass(frozen=True)
class Least:
    """The least eps lies in [low, high]; ``exact`` is its closed form where one is
    known.

    ``low`` and ``high`` are None when no finite eps suffices.  The inputs and the
    output attain the maximum (they are None when nothing is ever compared, and eps is
    0).
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
        scale = 10**self.digits
        ends = (
            _decimal(math.floor(self.low * scale), self.digits),
            _decimal(math.ceil(self.high * scale), self.digits),
        )
        bounds = f"[{', '.join(ends)}]"
        return f"{self.exact} in {bounds}" if self.exact else bounds


@dataclass(frozen=True)
class _Candidate:
    """One ``ln(p / p') / distance`` that may be the greatest, with bounds."""

    low: Fraction
    high: Fraction
    distance: Fraction
    mine: Probability
    theirs: Probability
    place: tuple[Input, Input, Output]

    def exact(self) -> Epsilon | None:
        """The closed form, where there is one."""
        form = power_form(*self.mine.ratio(self.theirs))
        return form.times(1 / self.distance) if form is not None else None


def least(m: Mechanism, adjacency: Adjacency | None = None, digits: int = 10) -> Least:
    """The least eps for Definition 4 under ``adjacency``, or for local privacy (all
    pairs) when it is None.

    The enclosure is at most 10^-digits wide.  Raises InputError when the adjacency is
    negative, BudgetExceeded when no number of digits that we are ready to wait for
    suffices.
    """
    candidates: list[_Candidate] = []
    for first, second, distance in adjacent(m, adjacency or (lambda first, second: 1)):
        for output, mine in m.entries[first].items():
            theirs, place = m.entries[second][output], (first, second, output)
            if mine.over.terms and theirs.over.terms and distance:
                low, high = _logarithm(
                    mine, theirs, digits + 1 + len(str(math.ceil(1 / distance)))
                )
                candidates.append(
                    _Candidate(
                        low / distance, high / distance, distance, mine, theirs, place
                    )
                )
            elif mine.compared(theirs) != 0:
                return Least(None, None, None, *place, digits)
    if not any(one.high > 0 for one in candidates):
        return Least(ZERO, ZERO, NOTHING, digits=digits)
    best = max(candidates, key=lambda one: one.low)
    close = [one for one in candidates if one.high >= best.low]
    forms = [form for one in close if (form := one.exact()) is not None]
    exact = (
        max([NOTHING, *forms]) if len(forms) == len(close) else None
    )  # what has no form might be the greatest
    low, high = max(best.low, ZERO), max(one.high for one in close)
    if exact is not None and not exact.logs:
        low = high = exact.plain
    return Least(low, high, exact, *best.place, digits)


def _logarithm(
    mine: Probability, theirs: Probability, digits: int
) -> tuple[Fraction, Fraction]:
    """Bounds on ln(p / p'): four logarithms, each less than 10^-digits apart."""
    low = high = ZERO
    for sign, part in (
        (1, mine.over),
        (1, theirs.under),
        (-1, mine.under),
        (-1, theirs.over),
    ):
        below, above = log_sum(part, digits)[::sign]
        low, high = low + sign * below, high + sign * above
    return low, high


def _decimal(scaled: int, digits: int) -> str:
    """``scaled / 10^digits`` with all digits."""
    whole, rest = divmod(scaled, 10**digits)
    return f"{whole}.{rest:0{digits}d}" if digits else str(whole)
