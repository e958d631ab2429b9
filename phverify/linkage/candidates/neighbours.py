"""Maskings that mix the values of several records of a column: what a released number can come from.

*Microaggregation* with groups of at least k puts the records in the order of the column, parts them into groups of k
to 2k - 1 neighbours, and gives each the mean of its group.  A released mean can come from any record in any such
group with this mean.  (Which groups together make up the table is not used: the attacker links record by record.)

*Rank swapping* exchanges the values of records whose ranks differ by a share of the records at most.  A released value
can come from any value that near in rank; equal values share their ranks.
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
    """The numbers of all original records in a column, rising; ``slack`` is how far a written mean may lie off."""

    values: Sequence[Fraction]
    slack: Fraction = ZERO

    @cached_property
    def scale(self) -> int:
        return common_denominator(list(self.values))

    @cached_property
    def sums(self) -> list[int]:
        """For each place, the sum of the values before it, times ``scale``."""
        return list(accumulate((int(value * self.scale) for value in self.values), initial=0))

    def averaged(self, mean: Fraction, least: int) -> Iterator[tuple[Fraction, Fraction]]:
        """The ranges of values whose records can be in a group of ``least`` to 2 ``least`` - 1 with this mean."""
        for size in range(least, min(2 * least - 1, len(self.values)) + 1):
            windows = self.windows(size)
            low = (mean - self.slack) * size * self.scale
            high = (mean + self.slack) * size * self.scale
            first, after = bisect_left(windows, low), bisect_right(windows, high)
            if first < after:
                yield self.values[first], self.values[after - 1 + size - 1]

    def windows(self, size: int) -> list[int]:
        """The scaled sums of all groups of so many neighbours, which rise."""
        if size not in self.kept:
            self.kept[size] = [high - low for low, high in zip(self.sums, self.sums[size:], strict=False)]
        return self.kept[size]

    @cached_property
    def kept(self) -> dict[int, list[int]]:
        return {}

    def near(self, value: Fraction, share: Fraction) -> tuple[Fraction, Fraction] | None:
        """The range of values that may have been exchanged for this one; None where it is no value."""
        first, after = bisect_left(self.values, value), bisect_right(self.values, value)
        if first == after:
            return None
        reach = int(share * len(self.values))
        return self.values[max(first - reach, 0)], self.values[min(after + reach, len(self.values)) - 1]


def means(values: Sequence[Fraction], least: int, written: Iterable[str]) -> Ranked:
    """The values with the slack that the written means need.

    None where each is a mean exactly; else half a unit of the last digit that any of them is written with.
    """
    some = [text for text in written if _decimals(text) is not None]
    exact = Ranked(values)
    if all(any(exact.averaged(Fraction(text), least)) for text in some):
        return exact
    digits = max(len(_decimals(text) or "") for text in some)
    return Ranked(values, Fraction(1, 2 * 10**digits))


def _decimals(text: str) -> str | None:
    """The digits after the point of a plain number."""
    whole, _, part = text.strip().lstrip("+-").partition(".")
    return part if whole.isdecimal() and (part.isdecimal() or not part) else None
