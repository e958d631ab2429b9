"""The least eps of a mechanism: an enclosure by rationals, and the exact number where
it has a closed form.

The least eps is the greatest of ``|ln(p / p')| / f`` over all pairs of inputs and
outputs, with f the adjacency (1 for local privacy).  A ratio r e^q with rationals r and
q has the closed form ``(q + ln r) / f``; ratios of longer sums have none that we know
of, and get an enclosure only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from phverify.errors import BudgetExceeded
from phverify.exact import ZERO
from phverify.mechanisms.epsilon import Epsilon
from phverify.mechanisms.expsum import NOTHING, log_sum, power_form
from phverify.mechanisms.mechanism import Input, Mechanism, Output, Probability
from phverify.mechanisms.privacy import Adjacency, adjacent, extremes


@dataclass(frozen=True)
class Least:
    """The least eps lies in [low, high]; ``exact`` is its closed form where one is
    known.

    ``low`` and ``high`` are None when no finite eps suffices.  The inputs and the
    output attain the maximum, the likelier input first (they are None when nothing is
    ever compared, and eps is 0).
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

    def decimals(self) -> tuple[str, str]:
        """The ends of the enclosure, rounded outwards to ``digits`` places.

        Raises ValueError where no finite eps suffices.
        """
        if self.low is None or self.high is None:
            raise ValueError("no finite eps")
        scale = 10**self.digits
        below = math.floor(self.low * scale)
        above = math.ceil(self.high * scale)
        return _decimal(below, self.digits), _decimal(above, self.digits)

    def __str__(self) -> str:
        if not self.finite:
            return "no finite eps"
        bounds = f"[{', '.join(self.decimals())}]"
        if self.exact:
            return f"{self.exact} in {bounds}"
        return bounds


@dataclass(frozen=True)
class _Comparison:
    """One output under two inputs, and how far apart the definition takes them."""

    first: Input
    second: Input
    output: Output
    distance: Fraction
    mine: Probability
    theirs: Probability

    @property
    def measurable(self) -> bool:
        """Whether ``ln(p / p') / distance`` is a number."""
        # the logarithm of 0 is none, and of a quotient by 0
        if self.mine.zero or self.theirs.zero:
            return False
        return self.distance > 0

    @property
    def equal(self) -> bool:
        """Whether the two probabilities are."""
        return self.mine.compared(self.theirs) == 0

    def bounded(self, digits: int) -> _Candidate:
        """With bounds on ``ln(p / p') / distance`` that are 10^-digits wide at most."""
        # Dividing by a distance below 1 widens the bounds: as many digits more.
        widening = math.ceil(1 / self.distance)
        work = digits + 1 + len(str(widening))
        low, high = _logarithm(self.mine, self.theirs, work)
        return _Candidate(low / self.distance, high / self.distance, self)


@dataclass(frozen=True)
class _Candidate:
    """One ``ln(p / p') / distance`` that may be the greatest, with bounds."""

    low: Fraction
    high: Fraction
    compared: _Comparison

    def exact(self) -> Epsilon | None:
        """The closed form, where there is one."""
        compared = self.compared
        form = power_form(*compared.mine.ratio(compared.theirs))
        if form is None:
            return None
        return form.times(1 / compared.distance)


def least(m: Mechanism, adjacency: Adjacency | None = None, digits: int = 10) -> Least:
    """The least eps for Definition 4 under ``adjacency``, or for local privacy (all
    pairs) when it is None.

    The enclosure is at most 10^-digits wide.  Raises InputError when the adjacency is
    negative, BudgetExceeded when no number of digits that we are ready to wait for
    suffices.
    """
    candidates: list[_Candidate] = []
    for one in _comparisons(m, adjacency):
        if one.measurable:
            candidates.append(one.bounded(digits))
        elif not one.equal:
            # 0 against more, or different at distance 0: no eps suffices.
            return _infinite(one, digits)
    if not any(candidate.high > 0 for candidate in candidates):
        return Least(ZERO, ZERO, NOTHING, digits=digits)

    # the maximum is at least every lower bound: who stays below one is out
    best = max(candidates, key=lambda candidate: candidate.low)
    close = [candidate for candidate in candidates if candidate.high >= best.low]
    exact = _greatest_form(close)
    low = max(best.low, ZERO)
    high = max(candidate.high for candidate in close)
    # Without logarithms the closed form is a rational number: no need to enclose it.
    if exact is not None and not exact.logs:
        low = high = exact.plain
    place = best.compared
    return Least(low, high, exact, place.first, place.second, place.output, digits)


def _infinite(one: _Comparison, digits: int) -> Least:
    """No finite eps suffices, because of this comparison."""
    inputs = one.first, one.second
    # the larger probability is that of the first input
    if one.mine.zero:
        inputs = one.second, one.first
    return Least(None, None, None, *inputs, one.output, digits)


def _comparisons(m: Mechanism, adjacency: Adjacency | None) -> Iterator[_Comparison]:
    """What may attain the maximum."""
    if adjacency is None:
        try:
            yield from _extreme_comparisons(m)
            return
        except BudgetExceeded:
            # Two entries are too close to order: then every pair is compared.
            pass
    for first, second, distance in adjacent(m, adjacency or _everybody):
        for output, mine in m.entries[first].items():
            theirs = m.entries[second][output]
            yield _Comparison(first, second, output, distance, mine, theirs)


def _everybody(first: Input, second: Input) -> int:
    """The adjacency of local privacy: any two inputs are one step apart."""
    return 1


def _extreme_comparisons(m: Mechanism) -> list[_Comparison]:
    """For local privacy no two entries of an output are further apart than these."""
    comparisons = []
    distance = Fraction(1)
    for output in m.outputs:
        (first, _), (second, _) = extremes(m, output)
        # An output that all inputs are equally likely to give says nothing.
        if first == second:
            continue
        mine = m.entries[first][output]
        theirs = m.entries[second][output]
        one = _Comparison(first, second, output, distance, mine, theirs)
        comparisons.append(one)
    return comparisons


def _greatest_form(close: Sequence[_Candidate]) -> Epsilon | None:
    """The greatest of all closed forms, none where a candidate has none.

    What has no form might be the greatest.
    """
    # Ties are many (randomized response has nothing else): each form is compared once.
    forms: dict[object, Epsilon] = {}
    for candidate in close:
        form = candidate.exact()
        if form is None:
            return None
        forms[form.plain, form.logs] = form
    return max([NOTHING, *forms.values()])


def _logarithm(
    mine: Probability, theirs: Probability, digits: int
) -> tuple[Fraction, Fraction]:
    """Bounds on ln(p / p'): four logarithms, each less than 10^-digits apart."""
    low = high = ZERO
    for sum_above in (mine.over, theirs.under):
        below, above = log_sum(sum_above, digits)
        low += below
        high += above
    for sum_below in (mine.under, theirs.over):
        below, above = log_sum(sum_below, digits)
        low -= above
        high -= below
    return low, high


def _decimal(scaled: int, digits: int) -> str:
    """``scaled / 10^digits`` with all digits."""
    if digits == 0:
        return str(scaled)
    unit = 10**digits
    whole, rest = divmod(scaled, unit)
    decimals = f"{rest:0{digits}d}"
    return f"{whole}.{decimals}"
