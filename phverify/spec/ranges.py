"""Hierarchies of numbers: ranges of equal width, or between cut points."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache

from phverify.spec.builders import Labels, by_level, in_order
from phverify.spec.decimals import decimal
from phverify.spec.source import measured, shortened, writable

Ends = tuple[Fraction | None, Fraction | None]
"""The numbers from the first to below the second; None is no end."""
EVERYWHERE: Ends = (None, None)


def intervals(
    values: Sequence[str],
    widths: Sequence[Fraction],
    start: Fraction,
    within: Ends = EVERYWHERE,
) -> Labels:
    """Ranges of equal width, counted from a start, wider at each level.

    What of a range is not ``within`` these ends is cut off: all values are.
    """
    numbers = in_order(values, readable)
    whole = all_whole((start, *widths, *numbers.values()), within)

    def label(value: Fraction, width: Fraction) -> str:
        # Rounded down, for numbers below the start too.
        low = start + (value - start) // width * width
        return range_label((low, low + width), within, whole)

    return by_level(numbers, widths, label)


def ranges(
    values: Sequence[str],
    levels: Sequence[Sequence[Fraction]],
    within: Ends = EVERYWHERE,
) -> Labels:
    """Ranges between the cut points of each level; a cut point is the lowest number of
    its range.

    What of a range is not ``within`` these ends is cut off: all values are.
    """
    numbers = in_order(values, readable)
    cuts = itertools.chain.from_iterable(levels)
    whole = all_whole((*cuts, *numbers.values()), within)

    def label(value: Fraction, cuts: Sequence[Fraction]) -> str:
        # Below the first cut point and from the last one on ranges are open.
        above = bisect_right(cuts, value)
        low = cuts[above - 1] if above else None
        high = cuts[above] if above < len(cuts) else None
        return range_label((low, high), within, whole)

    return by_level(numbers, levels, label)


def readable(text: str) -> Fraction:
    """The number that a value denotes.  Raises ValueError."""
    value = measured(text)
    if not writable(value):
        raise ValueError(f"{shortened(text)!r} has more than 300 digits")
    return value


def range_label(ends: Ends, within: Ends, whole: bool) -> str:
    """A range, as far as it lies within the ends."""
    lows = [low for low in (ends[0], within[0]) if low is not None]
    highs = [high for high in (ends[1], within[1]) if high is not None]
    if not lows:
        return f"<{decimal(min(highs))}"
    if not highs:
        return f">={decimal(max(lows))}"
    return _range(max(lows), min(highs), whole)


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


def all_whole(numbers: Iterable[Fraction], within: Ends) -> bool:
    """Whether numbers and ends are whole."""
    ends = [end for end in within if end is not None]
    return all(one.denominator == 1 for one in (*numbers, *ends))


def maker(kind: str) -> Callable[..., Labels]:
    """What makes labels of numbers, which ``builders`` has not made itself.  Raises
    LookupError.
    """
    if kind == "round":
        from phverify.spec.rounding import rounding

        return rounding
    if kind == "ranges":
        return ranges
    if kind == "intervals":
        return intervals
    raise LookupError(kind)
