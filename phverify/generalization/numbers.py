"""For how many numbers of one rule a candidate satisfies the policy: one count says it
for all of them, from the least strict number to the strictest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil

import numpy as np

from phverify.exact import Ints
from phverify.generalization.counted_candidate import CountedCandidate
from phverify.generalization.judge import CandidateJudge
from phverify.generalization.numbered_part import NumberedPart
from phverify.generalization.parts import ClassPart
from phverify.generalization.refute import together

OF_CLASS: Mapping[str, Callable[[CountedCandidate, str], Ints]] = {
    "k_anonymity": lambda view, column: view.quotient.sizes,
    "l_diversity": lambda view, column: view.ground.histogram(column).distinct,
}
"""Criteria that ask each class for as much of one thing as their number says."""


@dataclass(frozen=True, eq=False)
class SatisfiedNumbers:
    """What a candidate satisfies: the ``first`` so many numbers at most, its failing
    classes withheld.

    Whatever is finer satisfies ``finer`` of them at most, and (where records may be
    withheld) withholds ``lasting`` ones at least, for each number; something that is
    finer may satisfy ``open`` of them.  ``withheld`` records are withheld for each
    number that it satisfies, too many for the others; None where only one number was
    looked at, which it breaks.
    """

    first: int
    finer: int
    open: int
    withheld: Ints | None
    lasting: Ints

    @property
    def known(self) -> int:
        """So many numbers it is known to satisfy."""
        return 0 if self.withheld is None else self.first

    def rows(self, number: int) -> int:
        """So many records it withholds for a number that it satisfies."""
        assert self.withheld is not None
        return int(self.withheld[number])


@dataclass(frozen=True, eq=False)
class VaryingPart:
    """The part of a policy with a number that varies, asked of candidates."""

    judge: CandidateJudge
    numbered: NumberedPart
    budget: int
    """So many records may be withheld."""

    @property
    def decides(self) -> bool:
        """Whether single classes decide, and how much each number fails is counted."""
        parts = self.judge.parts
        if parts.open or parts.assumptions or parts.people:
            return False
        if self.budget:
            return True
        return all(part.kept_by_merging for part in parts.classes)

    @property
    def numbers(self) -> tuple[Fraction, ...]:
        """From the least strict to the strictest."""
        return self.numbered.numbers

    @cached_property
    def others(self) -> list[ClassPart]:
        """The parts whose numbers stay."""
        others = []
        for part in self.judge.parts.classes:
            if part is not self.numbered.part:
                others.append(part)
        return others

    def parts(self, place: int) -> list[ClassPart]:
        """All parts, with one of the numbers."""
        return [self.numbered.at(place), *self.others]

    @cached_property
    def amounts(self) -> Callable[[CountedCandidate, str], Ints] | None:
        """Of what each number asks a class to have so much; None for other criteria."""
        return OF_CLASS.get(self.numbered.node.name)

    @cached_property
    def attribute(self) -> str:
        """The column that the criterion concerns, "" where there is none."""
        release = self.judge.bound.release
        return release.criteria[self.numbered.node].attribute

    @cached_property
    def least(self) -> Ints:
        """The numbers, where they say how much each class must have of something."""
        return np.array([ceil(number) for number in self.numbers])

    @property
    def _enough_rows(self) -> int:
        """No class has more, or more satisfies no more numbers."""
        return min(int(self.least[-1]), self.judge.table.rows)

    @cached_property
    def _satisfied_by(self) -> Ints:
        """How many numbers a class satisfies that has so much of something."""
        amounts = np.arange(self._enough_rows + 1)
        return np.searchsorted(self.least, amounts, side="right")

    @cached_property
    def rising(self) -> bool:
        """Whether what is more general than a candidate that satisfies the policy does
        so, too, for the same number.
        """
        if not self.budget:
            return True
        parts = self.judge.parts.classes
        return all(part.closure.upward for part in parts)

    @cached_property
    def by_limits(self) -> bool:
        """Whether of classes that break a number some records may be left in what is
        finer: that is worked out number by number.
        """
        return not self.rising and self.amounts is None

    # A candidate

    def satisfied(self, view: CountedCandidate, number: int) -> SatisfiedNumbers:
        """For which numbers a candidate satisfies the policy.

        Less strict ones than ``number`` do not matter any more.
        """
        if self.by_limits:
            return self._by_limits(view, number)
        sizes = view.quotient.sizes
        by_varying = self._by_varying(view)
        own = self._of_classes(view, by_varying)
        withheld = self._adding_up(own, sizes)
        first = self._enough(withheld)
        finer, lasting = first, withheld
        if not self.rising:
            lost = self._lost(view)
            whole = int(lost.sum())
            lasting = whole + self._adding_up(by_varying, sizes - lost)
            finer = self._enough(lasting)
        if not self.closed(finer):
            finer = len(self.numbers)
        return SatisfiedNumbers(first, finer, finer, withheld, lasting)

    def _by_limits(self, view: CountedCandidate, number: int) -> SatisfiedNumbers:
        """The same where of classes that break a number some records may be left in
        what is finer.
        """
        every = len(self.numbers)
        lasting: Ints = np.zeros(every, dtype=np.int64)
        # Whatever satisfies a stricter number satisfies this one.
        lasting[number:] = self.lost(view, number)
        if lasting[number] > self.budget:
            return SatisfiedNumbers(number, number, 0, None, lasting)
        broken = [self.judge.failing(view, part) for part in self.parts(number)]
        if view.rows(together(broken)) > self.budget:
            return SatisfiedNumbers(number, every, number + 1, None, lasting)
        own = self._of_classes(view, self._by_varying(view))
        withheld = self._adding_up(own, view.quotient.sizes)
        first = self._enough(withheld)
        return SatisfiedNumbers(first, every, first, withheld, lasting)

    def failing(self, view: CountedCandidate, place: int) -> Ints:
        """The classes that break the policy with one of the numbers."""
        own = self._of_classes(view, self._by_varying(view))
        return np.flatnonzero(own <= place)

    def _enough(self, records: Ints) -> int:
        """For how many numbers so few records are withheld that they may be."""
        return int(records.searchsorted(self.budget, side="right"))

    def _adding_up(self, own: Ints, records: Ints) -> Ints:
        """For each number the records of the classes that satisfy fewer numbers."""
        totals: Ints = np.zeros(len(self.numbers) + 1, dtype=np.int64)
        np.add.at(totals, own, records)
        return totals.cumsum()[:-1]

    def _of_classes(self, view: CountedCandidate, by_varying: Ints) -> Ints:
        """For each class how many numbers it satisfies; none where it breaks another
        part.
        """
        own = by_varying.copy()
        for part in self.others:
            own[self.judge.failing(view, part)] = 0
        return own

    def _by_varying(self, view: CountedCandidate) -> Ints:
        """The same by the part alone whose number varies."""
        if self.amounts is None:
            return self._number_by_number(view)
        amounts = self.amounts(view, self.attribute)
        satisfied_by = self._satisfied_by
        # Whatever is beyond the last amount satisfies as many numbers.
        return satisfied_by.take(amounts, mode="clip")

    def _number_by_number(self, view: CountedCandidate) -> Ints:
        """The same where each number is asked of all classes; where nothing may be
        withheld, up to the first one that is broken.
        """
        classes = view.quotient.classes
        own: Ints = np.zeros(classes, dtype=np.int64)
        satisfying = np.ones(classes, dtype=bool)
        for place in range(len(self.numbers)):
            criterion = self.numbered.criterion(place)
            satisfying &= view.ground.safe(criterion)
            own += satisfying
            if not self.budget and not satisfying.all():
                break
        return own

    # What is finer

    def _lost(self, view: CountedCandidate) -> Ints:
        """For each class so many records are withheld in everything finer, because of
        the parts whose numbers stay.
        """
        classes = view.quotient.classes
        lost: Ints = np.zeros(classes, dtype=np.int64)
        for part in self.others:
            self._add_lost(view, part, lost)
        return lost

    def lost(self, view: CountedCandidate, place: int) -> int:
        """So many records are withheld in everything finer for one of the numbers."""
        lost = self._lost(view)
        self._add_lost(view, self.numbered.at(place), lost)
        return int(lost.sum())

    def _add_lost(self, view: CountedCandidate, part: ClassPart, lost: Ints) -> None:
        """Add what is withheld of each class because of a part, if that is more."""
        judge = self.judge
        if not judge.lasting(part):
            return
        failing = judge.failing(view, part)
        # Of what is lost as a whole nothing is left to look at.
        failing = failing[lost[failing] < view.quotient.sizes[failing]]
        rows = judge.lost(view, part, failing)
        lost[failing] = np.maximum(lost[failing], rows)

    def closed(self, place: int) -> bool:
        """Whether what breaks the rule with a number is broken in everything finer, as
        far as that matters.
        """
        if place == len(self.numbers):
            return True
        if self.amounts is not None:
            # A part of a class has no more of anything than all of it: what is proved
            # of both ends is true of all numbers between.
            last = len(self.numbers) - 1
            return self._closed(0) and self._closed(last)
        return self._closed(place)

    def _closed(self, place: int) -> bool:
        found = self.numbered.at(place).closure
        # Where nothing is withheld, some class that breaks it is enough.
        return found.upward if self.budget else found.merge
