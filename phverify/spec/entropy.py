"""Non-uniform entropy: how many bits a released cell leaves open (Gionis and Tassa
2009).

A cell with value v that became node b loses bits(n(b)) - bits(n(v)), where n counts the
records of the original with a value in a node, and bits(n) is log2 n, rounded up to a
whole number of parts of 1 / 2^20: this is the definition, so costs are fractions.  It
grows with n, and what is unchanged loses nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil

from phverify.spec.logarithms import compare_power2, scaled_log

PARTS = 2**20
"""Parts of a bit."""


@lru_cache(maxsize=1_000_000)
def bits(count: int) -> Fraction:
    """log2 of a count, rounded up to parts of 1 / 2^20; 0 for a node of nobody."""
    if count == 0:
        return Fraction(0)
    power = count.bit_length() - 1
    if count == 1 << power:
        return Fraction(power)
    low, high = scaled_log(count)
    low_of_two, high_of_two = scaled_log(2)
    least = ceil(Fraction(low * PARTS, high_of_two))
    most = ceil(Fraction(high * PARTS, low_of_two))
    # No power of 2: the logarithm is irrational, and lies beside each whole part.
    while least < most and compare_power2(Fraction(count), Fraction(least, PARTS)) > 0:
        least += 1
    return Fraction(least, PARTS)


def parts_below(below: Sequence[Sequence[int]], records: Sequence[int]) -> list[int]:
    """For each node the bits of the records of the values below it, in parts."""
    found = []
    for values in below:
        inside = sum(records[value] for value in values)
        found.append(int(bits(inside) * PARTS))
    return found


def fewest(records: Sequence[int], width: int) -> int:
    """The fewest records of so many neighbours; of all, where there are not as many."""
    inside = sum(records[:width])
    least = inside
    for place in range(width, len(records)):
        inside += records[place] - records[place - width]
        least = min(least, inside)
    return least


def group_prices(
    group: Sequence[int], records: Sequence[int], width: int
) -> tuple[Fraction, ...]:
    """For each group of ranks, what a range of ``width`` ranks of it costs at least.

    Groups are numbered in the order of their ranks.
    """
    members: dict[int, list[int]] = {}
    for number, count in zip(group, records, strict=True):
        members.setdefault(number, []).append(count)
    return tuple(bits(fewest(members[number], width)) for number in sorted(members))
