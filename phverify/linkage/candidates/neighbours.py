"""Maskings that mix the values of several records of a column: what a released number
can come from.

*Microaggregation* with groups of at least k puts the records in the order of the
column, parts them into groups of k to 2k - 1 neighbours, and gives each the mean of its
group.  A released mean can come from any record in any such group with this mean.
(Which groups together make up the table is not used: the attacker links record by
record.)

*Rank swapping* exchanges the values of records whose ranks differ by a share of the
records at most.  A released value can come from any value that near in rank; equal
values share their ranks.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

from phverify.exact import ZERO, common_denominator


@dataclass(frozen=True)
class Ranked:
    """The numbers of all original records in a column, rising.

    For groups of ``least`` to 2 ``least`` - 1 of them, ``slack`` is how far a written
    mean may lie off.
    """

    values: Sequence[Fraction]
    least: int = 1
    slack: Fraction = ZERO

    @cached_property
    def scale(self) -> int:
        """A denominator of all values."""
        values = list(self.values)
        return common_denominator(values)

    @cached_property
    def windows(self) -> dict[int, list[int]]:
        """For each size of a group, the sums of so many neighbours, which rise, times
        ``scale``.
        """
        units = [int(value * self.scale) for value in self.values]
        sums = list(accumulate(units, initial=0))
        largest = min(2 * self.least - 1, len(self.values))
        windows: dict[int, list[int]] = {}
        for size in range(self.least, largest + 1):
            # the sum of neighbours is a difference of two sums from the start
            ends = zip(sums, sums[size:], strict=False)
            windows[size] = [high - low for low, high in ends]

        return windows

    def averaged(self, mean: Fraction) -> Iterator[tuple[Fraction, Fraction]]:
        """The ranges of values whose records can be in a group with this mean."""
        low = (mean - self.slack) * self.scale
        high = (mean + self.slack) * self.scale
        for size, windows in self.windows.items():
            # the first and the last group that fit; sums rise with the first record
            first = bisect_left(windows, low * size)
            after = bisect_right(windows, high * size)
            if first < after:
                # the last group that fits starts at after - 1
                last = after - 1 + size - 1
                yield self.values[first], self.values[last]

    def near(
        self, value: Fraction, share: Fraction
    ) -> Iterator[tuple[Fraction, Fraction]]:
        """The range of values that may have been exchanged for this one; none where it
        is no value.
        """
        first = bisect_left(self.values, value)
        after = bisect_right(self.values, value)
        # rounded down: ranks differ by this share of the records at most
        reach = int(share * len(self.values))
        if first < after:
            lowest = max(first - reach, 0)
            highest = min(after + reach, len(self.values)) - 1
            yield self.values[lowest], self.values[highest]


def means(values: Sequence[Fraction], least: int, written: Iterable[str]) -> Ranked:
    """The values with the slack that the written means need.

    None where each is a mean exactly; else half a unit of the last digit that any of
    them is written with.
    """
    digits: dict[str, int] = {}
    for text in written:
        whole, _, part = text.strip().lstrip("+-").partition(".")
        plain_number = whole.isdecimal() and (part.isdecimal() or not part)
        if plain_number:
            digits[text] = len(part)

    exact = Ranked(values, least)
    if all(any(exact.averaged(Fraction(text))) for text in digits):
        return exact
    unit = Fraction(1, 10 ** max(digits.values()))
    return Ranked(values, least, unit / 2)
