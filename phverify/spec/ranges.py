"""Hierarchies of numbers: ranges of equal width, or between cut points."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache

from phverify.spec.builders import Labels, by_level, in_order
from phverify.spec.decimals import decimal
from phverify.spec.source import rational, shortened, writable


def intervals(
    values: Sequence[str], widths: Sequence[Fraction], start: Fraction
) -> Labels:
    """Ranges of equal width, counted from a start, wider at each level."""
    numbers = in_order(values, _readable)
    whole = _whole((start, *widths, *numbers.values()))

    def label(value: Fraction, width: Fraction) -> str:
        # Rounded down, for numbers below the start too.
        low = start + (value - start) // width * width
        return _range(low, low + width, whole)

    return by_level(numbers, widths, label)


def ranges(values: Sequence[str], levels: Sequence[Sequence[Fraction]]) -> Labels:
    """Ranges between the cut points of each level; a cut point is the lowest number of
    its range.
    """
    numbers = in_order(values, _readable)
    cuts = itertools.chain.from_iterable(levels)
    whole = _whole((*cuts, *numbers.values()))

    def label(value: Fraction, cuts: Sequence[Fraction]) -> str:
        # Below the first cut point and from the last one on ranges are open.
        above = bisect_right(cuts, value)
        if above == 0:
            return f"<{decimal(cuts[0])}"
        if above == len(cuts):
            return f">={decimal(cuts[-1])}"
        return _range(cuts[above - 1], cuts[above], whole)

    return by_level(numbers, levels, label)


def _readable(text: str) -> Fraction:
    value = rational(text)
    if not writable(value):
        raise ValueError(f"{shortened(text)!r} has more than 300 digits")
    return value


@lru_cache(maxsize=4096)  # numbers come in order, so that neighbours share their labels
def _range(low: Fraction, high: Fraction, whole: bool) -> str:
    """The numbers from ``low`` to below ``high``; among whole numbers by the first and
    the last one.
    """
    if not whole:
        return f"[{decimal(low)}, {decimal(high)})"
    if high - low == 1:
        return str(low)
    last = high - 1
    # A dash before or after a sign would read as another sign.
    between = " to " if low < 0 else "-"
    return f"{low}{between}{last}"


def _whole(numbers: Iterable[Fraction]) -> bool:
    return all(one.denominator == 1 for one in numbers)


OF_NUMBERS: Mapping[str, Callable[..., Labels]] = {
    "intervals": intervals,
    "ranges": ranges,
}
"""What ``builders`` has not made itself."""
