"""How good the links of a method are, beside the question whether it is sound:
precision, recall, calibration.

A link is a pair of a released and an original record with a number, the probability
that the method gives it.  It is correct with the true probability of the pair, which is
0 or 1 where the true records are known; so numbers of correct links are expected
numbers, exact fractions.  Every released record comes from one original: recall is of
them all.

*One to one*, every original and every released record is linked once at most: the links
are gone through by falling number, and a link is taken when neither of its records was
met before.  Links of equal numbers that share a record exclude one another, so that
none of them is taken: what is taken does not depend on the order of the lines.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

LEVELS = tuple(
    Fraction(text)
    for text in ("0", "1/10", "1/4", "1/2", "3/4", "9/10", "19/20", "99/100", "1")
)
"""The thresholds of the curve; at the first one all links whose number is not 0."""
BINS = 10
DECIMALS = 10**18
LONG = 10**100


@dataclass(frozen=True)
class Link:
    """A released record's link to an original: its number, and the probability that it
    is correct.
    """

    record: int
    original: int
    number: Fraction
    correct: Fraction


@dataclass(frozen=True)
class Count:
    """So many links, the expected number of correct ones, their share of the links
    (None where there is no link), and the share of the records that are linked
    correctly.
    """

    links: int
    correct: Fraction
    precision: Fraction | None
    recall: Fraction


@dataclass(frozen=True)
class Level:
    """The links at or above a threshold: all of them, and one to one."""

    threshold: Fraction
    every: Count
    single: Count


@dataclass(frozen=True)
class Bin:
    """The links with a number from ``low`` to below ``high`` (the last one has 1, too):
    how many, the mean of their numbers, and the share that is correct.
    """

    low: Fraction
    high: Fraction
    links: int
    stated: Fraction
    correct: Fraction


@dataclass(frozen=True)
class Matches:
    """The threshold curve of a method's links, and how its numbers agree with what is
    true.
    """

    curve: tuple[Level, ...]
    calibration: tuple[Bin, ...]


def matches(
    links: Iterable[Link], records: int, threshold: Fraction | None = None
) -> Matches:
    """The figures of a method's links to so many released records; ``threshold`` is one
    more level of the curve.
    """
    alike: dict[Fraction, list[Link]] = defaultdict(list)
    for link in links:
        alike[link.number].append(link)
    numbers = sorted(alike, reverse=True)
    every = [alike[number] for number in numbers]
    single = list(_one_to_one(every))
    levels = sorted({*LEVELS, *([] if threshold is None else [threshold])})
    curve = tuple(
        Level(level, _count(every, level, records), _count(single, level, records))
        for level in levels
    )
    return Matches(curve, tuple(_bins(every)))


def _one_to_one(groups: Iterable[Sequence[Link]]) -> Iterator[list[Link]]:
    """Of the links of each number, by falling numbers, those that are taken."""
    met: set[tuple[str, int]] = set()
    for group in groups:
        free = [link for link in group if not met.intersection(_ends(link))]
        held = Counter(chain.from_iterable(map(_ends, free)))
        yield [link for link in free if all(held[end] == 1 for end in _ends(link))]
        met.update(held)


def _ends(link: Link) -> tuple[tuple[str, int], tuple[str, int]]:
    return ("released", link.record), ("original", link.original)


def _count(groups: Iterable[Sequence[Link]], level: Fraction, records: int) -> Count:
    """The links at or above a level; a number of 0 is no link."""
    some = [
        group
        for group in groups
        if group and group[0].number >= level and group[0].number
    ]
    links, correct = sum(map(len, some)), _correct(some)
    return Count(links, correct, correct / links if links else None, correct / records)


def _correct(groups: Iterable[Sequence[Link]]) -> Fraction:
    return total(link.correct for group in groups for link in group if link.correct)


def total(terms: Iterable[Fraction]) -> Fraction:
    """The sum for a figure: exact unless its denominator is long, else of the terms
    rounded to 18 decimals.

    (Thousands of match probabilities with 17 digits each have sums with a million
    digits.  No verdict is made of it.)
    """
    some = list(terms)
    below = 1
    for term in some:
        below = math.lcm(below, term.denominator)
        if below > LONG:
            return Fraction(sum(round(term * DECIMALS) for term in some), DECIMALS)
    return Fraction(
        sum(term.numerator * (below // term.denominator) for term in some), below
    )


def _bins(groups: Iterable[Sequence[Link]]) -> Iterator[Bin]:
    found: dict[int, list[Sequence[Link]]] = defaultdict(list)
    for group in groups:
        found[min(int(group[0].number * BINS), BINS - 1)].append(group)
    for place in sorted(found):
        links = sum(map(len, found[place]))
        stated = total(group[0].number * len(group) for group in found[place]) / links
        low, high = Fraction(place, BINS), Fraction(place + 1, BINS)
        yield Bin(low, high, links, stated, _correct(found[place]) / links)
