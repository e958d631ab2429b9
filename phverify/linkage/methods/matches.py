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
_End = tuple[str, int]
"""A record with its table."""
BINS = 10
"""So many equal parts calibration sorts numbers into."""
DECIMALS = 10**18
"""Terms of long sums are rounded to a unit of this."""
LONG = 10**100
"""A denominator beyond this is long."""


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
    levels = set(LEVELS)
    if threshold is not None:
        levels.add(threshold)
    curve: list[Level] = []
    for level in sorted(levels):
        of_every = _count(every, level, records)
        of_single = _count(single, level, records)
        curve.append(Level(level, of_every, of_single))

    calibration = tuple(_bins(every))
    return Matches(tuple(curve), calibration)


def _one_to_one(groups: Iterable[Sequence[Link]]) -> Iterator[list[Link]]:
    """Of the links of each number, by falling numbers, those that are taken."""
    met: set[_End] = set()
    for group in groups:
        free = [link for link in group if met.isdisjoint(_ends(link))]
        # Links of one number compete: which comes first in the file must not matter.
        held = Counter(chain.from_iterable(map(_ends, free)))
        yield [link for link in free if _alone(link, held)]
        # links that exclude one another use up their records, too
        met.update(held)


def _alone(link: Link, held: Counter[_End]) -> bool:
    """Whether no other link has one of its records."""
    return all(held[end] == 1 for end in _ends(link))


def _ends(link: Link) -> tuple[_End, _End]:
    """The two records of a link, told apart by their tables."""
    # Released record 3 and original record 3 are different ends.
    return ("released", link.record), ("original", link.original)


def _count(groups: Iterable[Sequence[Link]], level: Fraction, records: int) -> Count:
    """The links at or above a level; a number of 0 is no link."""
    reached: list[Sequence[Link]] = []
    for group in groups:
        if not group:
            continue
        # the links of a group have one number
        number = group[0].number
        if number and number >= level:
            reached.append(group)

    links = sum(map(len, reached))
    correct = _correct(reached)
    precision = correct / links if links else None
    recall = correct / records
    return Count(links, correct, precision, recall)


def _correct(groups: Iterable[Sequence[Link]]) -> Fraction:
    """The expected number of correct links."""
    links = chain.from_iterable(groups)
    return total(link.correct for link in links if link.correct)


def total(terms: Iterable[Fraction]) -> Fraction:
    """The sum for a figure: exact unless its denominator is long, else of the terms
    rounded to 18 decimals.

    (Thousands of match probabilities with 17 digits each have sums with a million
    digits.  No verdict is made of it.)
    """
    terms = list(terms)
    scale = 1
    for term in terms:
        scale = math.lcm(scale, term.denominator)
        # Known before the sum is made: the sum itself would be what takes long.
        if scale > LONG:
            rounded = (round(term * DECIMALS) for term in terms)
            units = sum(rounded)
            return Fraction(units, DECIMALS)

    scaled = (term.numerator * (scale // term.denominator) for term in terms)
    units = sum(scaled)
    return Fraction(units, scale)


def _bins(groups: Iterable[Sequence[Link]]) -> Iterator[Bin]:
    """The links by tenths of their numbers; 1 is in the last one."""
    by_place: dict[int, list[Sequence[Link]]] = defaultdict(list)
    for group in groups:
        place = min(int(group[0].number * BINS), BINS - 1)
        by_place[place].append(group)

    for place in sorted(by_place):
        inside = by_place[place]
        links = sum(map(len, inside))
        stated = total(group[0].number * len(group) for group in inside)
        low = Fraction(place, BINS)
        high = Fraction(place + 1, BINS)
        yield Bin(low, high, links, stated / links, _correct(inside) / links)
