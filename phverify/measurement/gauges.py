"""The strictest threshold at which a criterion still holds of all classes, exactly.

One gauge a criterion: which of its parameters is measured, and its bound.  A criterion
without a gauge of its own is measured by its definition alone, by bisection.  Floats
only propose which classes are worst; numbers are compared as fractions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from phverify.exact import Ints
from phverify.measurement.bisection import bisected, entropy_bound
from phverify.measurement.threshold import Threshold, attained, beyond, unbounded
from phverify.microdata.histogram import ClassHistogram
from phverify.spec.criteria.em_anonymity import EMAnonymity
from phverify.spec.criteria.enhanced_beta_likeness import EnhancedBetaLikeness
from phverify.spec.criterion.base import ClassCriterion
from phverify.spec.criterion.original import OfOriginal

NEAR = 1e-9
"""Relative distance of floats up to which exact numbers decide which is largest."""


@dataclass(frozen=True)
class Gauge:
    """Which parameter is measured, and how: from a criterion and a histogram."""

    parameter: str
    measure: Callable[[Any, ClassHistogram], Threshold]
    fixed: Mapping[str, Any]
    """Parameters that are measured by themselves, with what they are set to here."""


def measured(criterion: ClassCriterion, histogram: ClassHistogram) -> Threshold | None:
    """The strictest threshold of a criterion, whatever its own is; None where nothing
    of it is a threshold.
    """
    if isinstance(criterion, OfOriginal):
        beside = histogram.against(criterion.original)
        return measured(criterion.inner, beside)
    gauge = GAUGES.get(criterion.name)
    if gauge is None:
        return bisected(criterion, histogram)
    relaxed = replace(criterion, **gauge.fixed)
    return gauge.measure(relaxed, histogram)


def parameter_of(criterion: ClassCriterion) -> str:
    """The parameter that is measured; "" where there is none."""
    if isinstance(criterion, OfOriginal):
        return parameter_of(criterion.inner)
    gauge = GAUGES.get(criterion.name)
    if gauge is not None:
        return gauge.parameter
    for param in criterion.params:
        if param.kind in ("whole", "number"):
            return param.name
    return ""


# The largest quotient of arrays


def largest(above: Ints, below: Ints) -> tuple[Fraction, int]:
    """The largest of some quotients, exactly, and where it is."""
    # Floats leave a few near the top, among which fractions decide.
    about = above.astype(np.float64) / below.astype(np.float64)
    top = float(about.max())
    close = np.flatnonzero(about >= top - NEAR * abs(top) - 1e-300)
    best: tuple[Fraction, int] | None = None
    # Many classes may tie: each different quotient is made once.
    pairs: dict[tuple[int, int], int] = {}
    for index in close.tolist():
        pair = int(above[index]), int(below[index])
        pairs.setdefault(pair, index)
    for (numerator, denominator), index in pairs.items():
        quotient = Fraction(numerator, denominator)
        if best is None or quotient > best[0]:
            best = quotient, index
    assert best is not None
    return best


def _largest_cell(
    histogram: ClassHistogram, above: Ints, below: Ints
) -> tuple[Fraction, int]:
    """The same of cells, with the class of the cell."""
    value, cell = largest(above, below)
    return value, int(histogram.cell_classes[cell])


# Criterion by criterion


def _rows(criterion: ClassCriterion, histogram: ClassHistogram) -> Threshold:
    """k: the rows of the smallest class."""
    index = int(np.argmin(histogram.sizes))
    return attained("k", Fraction(int(histogram.sizes[index])), index, most=True)


def _values(criterion: ClassCriterion, histogram: ClassHistogram) -> Threshold:
    """l: the different values of the class with the fewest."""
    index = int(np.argmin(histogram.distinct))
    return attained("l", Fraction(int(histogram.distinct[index])), index, most=True)


def _frequency(criterion: ClassCriterion, histogram: ClassHistogram) -> Threshold:
    """alpha: the largest share of a value in a class."""
    share, index = _largest_cell(histogram, histogram.counts, histogram.cell_sizes)
    return attained("alpha", share, index)


def _tail(criterion: Any, histogram: ClassHistogram) -> Threshold:
    """c: the most frequent value beside the tail, which it must stay below."""
    most, tail = histogram.ranked(criterion.l - 1)
    # Without a tail no multiple of it is more than the most frequent value.
    without = np.flatnonzero(tail == 0)
    if len(without):
        why = f"a class has fewer than {criterion.l} values, and so no tail"
        return unbounded("c", int(without[0]), why)
    factor, index = largest(most, tail)
    return beyond("c", factor, index)


def _distance(criterion: Any, histogram: ClassHistogram) -> Threshold:
    """t: the distance of the farthest class."""
    distances = criterion.badness(histogram).astype(np.float64)
    # The badness of a class is its distance times a constant.
    top = float(distances.max())
    close = np.flatnonzero(distances >= top - NEAR * abs(top))
    whole = histogram.outside()
    best, worst = Fraction(-1), 0
    known: dict[tuple[tuple[Any, int], ...], Fraction] = {}
    for index in close.tolist():
        inside = histogram.inside(index)
        key = tuple(inside.items())
        if key not in known:
            # Classes with the same counts have the same distance: it is worked out
            # once.
            known[key] = criterion.value(inside, whole)
        if known[key] > best:
            best, worst = known[key], index
    return attained("t", best, worst)


def _gain(criterion: ClassCriterion, histogram: ClassHistogram) -> Threshold:
    """beta: the largest relative gain of a value."""
    ratio, index = _largest_cell(histogram, *histogram.shares)
    return attained("beta", ratio - 1, index)


def _enhanced(criterion: EnhancedBetaLikeness, histogram: ClassHistogram) -> Threshold:
    """beta, where no value gains more than -ln p as it is."""
    plain = _gain(criterion, histogram)
    assert plain.value is not None
    # With this beta only the bound by -ln p is left to break.
    widest = replace(criterion, beta=plain.value)
    fine = widest.columns(histogram)
    if fine.all():
        return plain
    index = int(np.flatnonzero(~fine)[0])
    why = "a value gains more than -ln p, which no beta allows"
    return unbounded("beta", index, why)


def _difference(criterion: ClassCriterion, histogram: ClassHistogram) -> Threshold:
    """b: the largest gain of a value."""
    inside, outside = histogram.shares
    # Both are times the rows of class and table.
    both = histogram.product(histogram.cell_sizes, histogram.rows)
    gain, index = _largest_cell(histogram, inside - outside, both)
    return attained("b", gain, index)


def _disclosure(criterion: Any, histogram: ClassHistogram) -> Threshold:
    """delta: the logarithm of the largest ratio of shares, either way."""
    values = len(histogram.labels)
    lacking = np.flatnonzero(histogram.distinct < values)
    if criterion.absent != "ignored" and len(lacking):
        why = "a class lacks a value of the table, and log 0 is beyond every delta"
        return unbounded("delta", int(lacking[0]), why)
    inside, outside = histogram.shares
    up, up_class = _largest_cell(histogram, inside, outside)
    down, down_class = _largest_cell(histogram, outside, inside)
    if up >= down:
        return beyond("delta", up, up_class, logarithm=True)
    return beyond("delta", down, down_class, logarithm=True)


def _guard(criterion: Any, histogram: ClassHistogram) -> Threshold:
    """The share of what is below the node."""
    below = histogram.among(criterion.below)
    share, index = largest(below, histogram.sizes)
    return attained("share", share, index)


def _crowd(criterion: EMAnonymity, histogram: ClassHistogram) -> Threshold:
    """m: how often the largest crowd of a class goes into its rows."""
    best: tuple[int, int] | None = None
    for index in range(histogram.classes):
        _, crowd = criterion.crowd(histogram.inside(index))
        # Whole times: m is a number of crowds.
        times = int(histogram.sizes[index]) // crowd
        if best is None or times < best[0]:
            best = times, index
    assert best is not None
    return attained("m", Fraction(best[0]), best[1], most=True)


def _entropy(criterion: Any, histogram: ClassHistogram) -> Threshold:
    """l: enclosed, and the largest whole one."""
    return entropy_bound(criterion, histogram)


Measure = Callable[[Any, ClassHistogram], Threshold]


def _gauge(parameter: str, measure: Measure, **fixed: Any) -> Gauge:
    return Gauge(parameter, measure, fixed)


GAUGES: Mapping[str, Gauge] = {
    "k_anonymity": _gauge("k", _rows),
    "l_diversity": _gauge("l", _values),
    "entropy_l_diversity": _gauge("l", _entropy),
    "recursive_l_diversity": _gauge("c", _tail),
    "alpha_k_anonymity": _gauge("alpha", _frequency, k=1),
    "t_closeness": _gauge("t", _distance),
    "beta_likeness": _gauge("beta", _gain),
    "enhanced_beta_likeness": _gauge("beta", _enhanced),
    "delta_disclosure": _gauge("delta", _disclosure),
    "average_benefit": _gauge("b", _difference),
    "guarded": _gauge("share", _guard),
    "em_anonymity": _gauge("m", _crowd),
}
"""The gauge of each criterion that has one, by its name."""
