"""What candidate sets mean for the people in a release: exact figures, for each record
and overall.

For a released record y and an attacker who knows some attributes (Torra and Stokes,
Examples 9, 11 and 15):

- the candidate set C(y): the originals that y can come from;
- the belief: all mass on C(y) for a deterministic masking, a probability for a random
  one;
- the pignistic probability of an original: 1/|C(y)| inside C(y), or that probability;
- the nonspecificity of the belief (Definition 25): ln |C(y)|, or 0.

A link to a candidate drawn from the pignistic distribution is right with the
probability that it gives the true record; the sum over all records is the expected
number of correct links.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from phverify.exact import Ints, LogSum, common_denominator, ln
from phverify.linkage.candidates.records import Records
from phverify.linkage.candidates.sets import Candidates
from phverify.linkage.risk.figures import Figures
from phverify.policy.agent import Agent

THRESHOLDS = (Fraction(1, 20), Fraction(9, 100), Fraction(1, 5))
"""Probabilities that guidelines for releases name: 0.05, 0.09 (European Medicines
Agency, Health Canada), 0.2.
"""


@dataclass(frozen=True)
class LinkOutcome:
    """What the attacker makes of a released record, the same for ``records`` of them.

    ``size`` candidates, ``highest`` the largest pignistic probability, ``own`` that of
    the true record; the nonspecificity is the logarithm of ``spread``.
    """

    size: int
    highest: Fraction
    own: Fraction
    spread: int
    records: int

    @property
    def nonspecificity(self) -> LogSum:
        """Of the belief (Definition 25): ln of the candidates that are alike to it."""
        return ln(self.spread)


@dataclass(frozen=True)
class ThresholdShare:
    """The released records whose largest pignistic probability is at or above a
    threshold, exactly.
    """

    threshold: Fraction
    records: int
    of: int

    @property
    def share(self) -> Fraction:
        """These records among all, from 0 to 1."""
        return Fraction(self.records, self.of)


@dataclass(frozen=True)
class Outcomes:
    """The outcomes of all released records, sorted, each with how many records have
    it.
    """

    items: tuple[LinkOutcome, ...]

    @cached_property
    def records(self) -> int:
        """How many released records there are."""
        return sum(item.records for item in self.items)

    @cached_property
    def expected(self) -> Fraction:
        """The expected number of correct links."""
        # one by one a thousand fractions would be slow to add
        scale = common_denominator([item.own for item in self.items])
        units = sum(int(item.own * scale) * item.records for item in self.items)
        return Fraction(units, scale)

    @property
    def rate(self) -> Fraction:
        """The expected share of correct links."""
        return self.expected / self.records

    @property
    def highest(self) -> Fraction:
        """The largest pignistic probability of all records."""
        return max(item.highest for item in self.items)

    @property
    def smallest(self) -> int:
        """The size of the smallest candidate set."""
        return min(item.size for item in self.items)

    @property
    def singled_out(self) -> int:
        """How many released records can come from one original only."""
        records = 0
        for item in self.items:
            if item.size == 1:
                records += item.records
        return records

    @property
    def nonspecificity(self) -> LogSum:
        """The mean nonspecificity of the records' beliefs."""
        terms: list[tuple[Fraction, Fraction]] = []
        for item in self.items:
            share = Fraction(item.records, self.records)
            # The mean of logarithms, and no logarithm of a mean.
            terms.append((share, Fraction(item.spread)))
        return LogSum.of(terms)

    def share(self, threshold: Fraction) -> ThresholdShare:
        """The records at or above a threshold."""
        reached = 0
        for item in self.items:
            if item.highest >= threshold:
                reached += item.records
        return ThresholdShare(threshold, reached, self.records)


@dataclass(frozen=True, eq=False)
class AttackerRisk:
    """The risk from one attacker.  ``of_place`` is the number of the outcome among
    ``outcomes`` for each place that ``released`` records have, ``classes`` the number
    of classes of released records that are alike in what the attacker knows: one
    correct link in each is expected of who knows what became of each original.
    """

    agent: Agent
    outcomes: Outcomes
    of_place: Ints
    released: Records
    shares: tuple[ThresholdShare, ...]
    figures: Figures
    classes: int

    @cached_property
    def of_record(self) -> Ints:
        """For each released record the number of its outcome."""
        return self.released.by_row(self.of_place)

    def record(self, row: int) -> LinkOutcome:
        """The outcome of a released record (its ``records`` counts all with the same
        outcome).
        """
        place = self.released.place(row)
        return self.outcomes.items[int(self.of_place[place])]

    def most_at_risk(self, most: int) -> tuple[int, ...]:
        """The released records with the largest pignistic probabilities, at most so
        many, the first first.
        """
        items = self.outcomes.items
        riskiest = sorted(range(len(items)), key=lambda k: -items[k].highest)
        chosen: list[int] = []
        for number in riskiest:
            left = most - len(chosen)
            if not left:
                break
            places = np.flatnonzero(self.of_place == number)
            # of one outcome the first records come first
            chosen += self.released.first(places, left)
        return tuple(chosen)


def outcomes_of(candidates: Candidates) -> tuple[Outcomes, Ints]:
    """The distinct outcomes, and for each place of released records the number of their
    own among them.
    """
    if candidates.random:
        return _by_chance(candidates)
    sizes = candidates.sizes
    distinct, counts = tally(sizes, candidates.linkage.after)
    places = np.zeros(int(distinct[-1]) + 1, dtype=np.int64)
    places[distinct] = np.arange(len(distinct))
    # a record has the outcome of its size
    return uniform(distinct, counts), places[sizes]


def tally(sizes: Ints, records: Records) -> tuple[Ints, Ints]:
    """Which sizes occur, rising, and how many records have each."""
    counts = records.tally(sizes, int(sizes.max()) + 1)
    distinct = np.flatnonzero(counts)
    return distinct, counts[distinct]


def uniform(sizes: Ints, counts: Ints) -> Outcomes:
    """The outcomes of uniform beliefs on candidate sets of these sizes."""
    items = []
    for size, count in zip(sizes.tolist(), counts.tolist(), strict=True):
        share = Fraction(1, size)
        items.append(LinkOutcome(size, share, share, size, count))
    return Outcomes(tuple(items))


def _by_chance(candidates: Candidates) -> tuple[Outcomes, Ints]:
    """The outcomes where the belief of each record is a probability, whose
    nonspecificity is 0 = ln 1.
    """
    total, top, own = (numbers.tolist() for numbers in candidates.chances())
    views = candidates.tuples[1].tolist()
    sizes = candidates.view_sizes.tolist()
    keys: list[tuple[int, Fraction, Fraction]] = []
    for view, mine in zip(views, own, strict=True):
        highest = Fraction(top[view], total[view])
        keys.append((sizes[view], highest, Fraction(mine, total[view])))

    records = candidates.linkage.after.each.tolist()
    counts: Counter[tuple[int, Fraction, Fraction]] = Counter()
    for key, many in zip(keys, records, strict=True):
        counts[key] += many
    # Sorted: the order does not depend on which record came first.
    place = {key: k for k, key in enumerate(sorted(counts))}
    items = [LinkOutcome(*key, spread=1, records=counts[key]) for key in place]
    of_record = np.array([place[key] for key in keys], dtype=np.int64)
    return Outcomes(tuple(items)), of_record
