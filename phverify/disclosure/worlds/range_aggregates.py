"""COUNT, SUM, AVG, MIN, MAX and MEDIAN of which a range is known, as constraints.

Each function says exactly when SQL's aggregate is a number of the range.
"""

from __future__ import annotations

import math
from fractions import Fraction

from phverify.constraints import terms as t
from phverify.disclosure.facts.domains import LARGEST
from phverify.disclosure.log.ranges import NumberRange
from phverify.disclosure.log.sources import Unsupported
from phverify.disclosure.sums import alone
from phverify.disclosure.worlds.aggregates import (
    Found,
    Helper,
    Selected,
    measured,
    middle,
)


def in_range(kind: str, selected: Selected, value: NumberRange, name: str) -> Found:
    """When the aggregate is a number of a range; that of no cell is missing, and none.

    Raises Unsupported.
    """
    number = selected.number
    if kind == "count":
        return [_between(number, value)], []
    coding = selected.coding
    if coding is not None and (not coding.integral or coding.domain.scaled):
        raise Unsupported(f"{kind.upper()} of such values is not audited where rounded")
    there = t.within(number, 1, None)
    match kind:
        case "sum":
            return [there, _between(selected.total, value)], []
        case "avg":
            return [there, mean_between(number, selected.total, value)], []
        case "median":
            terms, helpers = _median_between(number, selected, value, name)
            return [there, *terms], helpers
    above = measured(kind, selected, ">=", value.low)
    below = measured(kind, selected, "<=", value.high)
    return [there, above, below], []


def _between(total: t.LinearSum, value: NumberRange, factor: int = 1) -> t.Term:
    """A sum of integers is in a range, as often as ``factor`` says."""
    low = math.ceil(factor * value.low)
    high = math.floor(factor * value.high)
    # No integer may be in it: then no world is.
    return t.within(total, low, high) if low <= high else t.FALSE


def mean_between(number: t.LinearSum, total: t.LinearSum, value: NumberRange) -> t.Term:
    """The quotient is in a range: for each count, a range of sums.

    Raises Unsupported where a double could be on the other side of an end.  A range
    narrower than the distance of doubles is of an engine that divides decimals.
    """
    far = max(abs(value.low), abs(value.high))
    unit = Fraction(math.ulp(float(far)))
    fine = max(value.low.denominator, value.high.denominator)
    low, high = t.bounds(number)
    of_double = value.high - value.low >= unit
    # A mean beside an end is at least that far from it, which a double must tell.
    if of_double and Fraction(1, fine * max(1, high)) <= 2 * unit:
        raise Unsupported("AVG is audited for ranges whose ends doubles tell apart")
    # Two means of so many cells differ by as much, which a double must tell as well.
    if not of_double and Fraction(1, max(1, high) ** 2) <= 4 * unit:
        raise Unsupported("AVG of so many cells is audited where it is a double")
    cases = []
    for n in range(max(1, low), high + 1):
        counted = t.equal(number, n)
        fits = _between(total, value, n)
        cases.append(t.conj((counted, fits)))
    return t.disj(cases)


def _median_between(
    number: t.LinearSum, selected: Selected, value: NumberRange, name: str
) -> Found:
    """The lower and the upper median have a sum in twice the range."""
    numbers = [number for _, number in selected.cells]
    low = min(x if isinstance(x, int) else x.low for x in numbers)
    high = max(x if isinstance(x, int) else x.high for x in numbers)
    if max(abs(low), abs(high)) > LARGEST:
        raise Unsupported("MEDIAN is audited for integers up to 2^52")
    lower = t.Variable(name, low, high)
    upper = t.Variable(f"{name}u", low, high)
    bottom, top = alone(lower), alone(upper)
    terms = middle(number, selected, bottom, top)
    terms.append(_between(bottom + top, value, 2))
    cells = selected.cells
    return terms, [Helper(lower, cells), Helper(upper, cells, upper=True)]
