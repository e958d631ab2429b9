"""Hierarchies of numbers: the nearest multiple of a step, then of larger steps."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil

from phverify.spec.builders import Labels, in_order
from phverify.spec.decimals import decimal
from phverify.spec.ranges import EVERYWHERE, Ends, all_whole, range_label, readable


def rounding(
    values: Sequence[str], steps: Sequence[Fraction], within: Ends = EVERYWHERE
) -> Labels:
    """The nearest multiple of the first step, of two the larger one; at each further
    level the number of the level before is rounded again.

    The label says the number, and the range that becomes it: as a value the same number
    is another node.
    """
    numbers = in_order(values, readable)
    whole = all_whole((*steps, *numbers.values()), within)
    reaches = rounded_from(steps)
    labels = {}
    for text, number in numbers.items():
        rounded = number
        path = []
        for step, below in zip(steps, reaches, strict=True):
            rounded = nearest_multiple(rounded, step)
            low = rounded - below
            if whole:
                # The first whole number of those from a half on.
                low = Fraction(ceil(low))
            high = low + step
            range_ = range_label((low, high), within, whole)
            path.append(_rounded(rounded, range_, whole))
        labels[text] = tuple(path)
    return labels


def _rounded(number: Fraction, range_: str, whole: bool) -> str:
    said = decimal(number)
    if range_ == said:
        # one whole number becomes itself
        return said
    return f"{said} ({range_})" if whole else f"{said} {range_}"


def nearest_multiple(number: Fraction, step: Fraction) -> Fraction:
    """The multiple of a step that is nearest to a number; of two the larger one."""
    return (number / step + Fraction(1, 2)) // 1 * step


def rounded_from(steps: Sequence[Fraction]) -> list[Fraction]:
    """For each level of ``rounding`` how far below a rounded number the least number
    is that becomes it: it stands for all from there, as far as its step is wide.
    """
    distances: list[Fraction] = []
    for step in steps:
        # a rounded number of the level before that is half a step away is rounded up
        distance = step / 2
        if distances:
            finer = steps[len(distances) - 1]
            lowest = -(distance // finer) * finer
            distance = distances[-1] - lowest
        distances.append(distance)
    return distances
