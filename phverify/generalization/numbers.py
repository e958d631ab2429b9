"""For how many numbers of one rule a candidate satisfies the policy: one count says it
for all of them, from the least strict number to the strictest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import ceil

import numpy as np

from phverify.budget import Deadline
from phverify.exact import Ints
from phverify.generalization.counted_candidate import CountedCandidate
from phverify.generalization.judge import CandidateJudge
from phverify.generalization.parts import ClassPart
from phverify.spec import syntax as s
from phverify.spec.criterion.registry import Unfit, build, given
from phverify.symbolic.prover import closure

OF_CLASS: Mapping[str, Callable[[CountedCandidate, str], Ints]] = {
    "k_anonymity": lambda view, column: view.quotient.sizes,
    "l_diversity": lambda view, column: view.ground.histogram(column).distinct,
}
"""Criteria that ask each class for as much of one thing as their number says."""


@dataclass(frozen=True, eq=False)
class SatisfiedNumbers:
    """What a candidate satisfies: the ``first`` so many numbers, its failing classes
    withheld.

    Whatever is finer satisfies ``finer`` of them at most.  ``withheld`` records are
    withheld for each number that it satisfies, too many for the others, and at least
    ``lasting`` ones in everything finer.
    """

    first: int
    finer: int
    withheld: Ints
    lasting: Ints


@dataclass(frozen=True, eq=False)
class VaryingPart:
    """The part of a policy with a number that varies; ``nodes`` are its criterion with
    each number, from the least strict to the strictest.
    """

    judge: CandidateJudge
    part: ClassPart
    numbers: tuple[Fraction, ...]
    nodes: tuple[s.Criterion, ...]
    budget: int
    """So many records may be withheld."""
    deadline: Deadline
    _closed: dict[int, bool] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        judge: CandidateJudge,
        rule: str,
        parameter: str,
        numbers: Sequence[Fraction],
        budget: int,
        deadline: Deadline,
    ) -> VaryingPart | None:
        """The part of a rule whose criterion has the parameter; None where candidates
        cannot be asked about all numbers at once.
        """
        found = []
        for part in judge.parts.classes:
            node = part.source
            if not isinstance(node, s.Criterion) or part.bodies != (node,):
                continue
            if part.rule == rule and parameter in given(node):
                found.append((part, node))
        if len(found) != 1:
            return None
        part, node = found[0]
        nodes = _nodes(judge, node, parameter, numbers)
        if nodes is None:
            return None
        one = cls(judge, part, tuple(numbers), nodes, budget, deadline)
        if not one._serves():
            return None
        return one

    def _serves(self) -> bool:
        """Whether single classes decide, and how much each number fails is counted."""
        parts = self.judge.parts
        if parts.open or parts.assumptions or parts.people:
            return False
        if self.budget:
            # How much of a class is withheld in all that is finer is not known of
            # others: some criteria are upward-closed with one number alone.
            return self.nodes[0].name in OF_CLASS
        return all(part.kept_by_merging for part in parts.classes)

    @cached_property
    def others(self) -> list[ClassPart]:
        """The parts whose numbers stay."""
        others = []
        for part in self.judge.parts.classes:
            if part is not self.part:
                others.append(part)
        return others

    @cached_property
    def attribute(self) -> str:
        """The column that the criterion concerns, "" where there is none."""
        release = self.judge.bound.release
        first = self.nodes[0]
        return release.criteria[first].attribute

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

    # A candidate

    def satisfied(self, view: CountedCandidate) -> SatisfiedNumbers:
        """For which numbers a candidate satisfies the policy."""
        sizes = view.quotient.sizes
        own = self._of_classes(view)
        withheld = self._adding_up(own, sizes)
        first = self._enough(withheld)
        finer, lasting = first, withheld
        if not self.rising:
            lost = self._lost(view)
            by_varying = self._by_varying(view)
            lasting = self._adding_up(by_varying, sizes - lost) + int(lost.sum())
            finer = self._enough(lasting)
        if not self.closed(finer):
            finer = len(self.numbers)
        return SatisfiedNumbers(first, finer, withheld, lasting)

    def failing(self, view: CountedCandidate, place: int) -> Ints:
        """The classes that break the policy with one of the numbers."""
        return np.flatnonzero(self._of_classes(view) <= place)

    def _enough(self, records: Ints) -> int:
        """For how many numbers so few records are withheld that they may be."""
        return int(records.searchsorted(self.budget, side="right"))

    def _adding_up(self, own: Ints, records: Ints) -> Ints:
        """For each number the records of the classes that satisfy fewer numbers."""
        totals: Ints = np.zeros(len(self.numbers) + 1, dtype=np.int64)
        np.add.at(totals, own, records)
        return totals.cumsum()[:-1]

    def _of_classes(self, view: CountedCandidate) -> Ints:
        """For each class how many numbers it satisfies; none where it breaks another
        part.
        """
        own = self._by_varying(view)
        for part in self.others:
            own[self.judge.failing(view, part)] = 0
        return own

    def _by_varying(self, view: CountedCandidate) -> Ints:
        """The same by the part alone whose number varies."""
        name = self.nodes[0].name
        if name not in OF_CLASS:
            return self._number_by_number(view)
        amounts = OF_CLASS[name](view, self.attribute)
        # Whatever is beyond the last amount satisfies as many numbers.
        return self._satisfied_by.take(amounts, mode="clip")

    def _number_by_number(self, view: CountedCandidate) -> Ints:
        """The same where nothing may be withheld: each number is asked of all classes,
        up to the first one that is broken.
        """
        own: Ints = np.zeros(view.quotient.classes, dtype=np.int64)
        for number, node in enumerate(self.nodes, start=1):
            safe = view.ground.safe(node)
            own[safe] = number
            if not safe.all():
                break
        return own

    def _lost(self, view: CountedCandidate) -> Ints:
        """For each class so many records are withheld in everything finer, because of
        the parts whose numbers stay.
        """
        judge = self.judge
        lost: Ints = np.zeros(view.quotient.classes, dtype=np.int64)
        for part in filter(judge.lasting, self.others):
            failing = judge.failing(view, part)
            rows = judge.lost(view, part, failing)
            lost[failing] = np.maximum(lost[failing], rows)
        return lost

    def closed(self, place: int) -> bool:
        """Whether what breaks the rule with a number is broken in everything finer, as
        far as that matters.
        """
        if place == len(self.nodes):
            return True
        if place not in self._closed:
            release = self.judge.bound.release
            node = self.nodes[place]
            found = closure(node, release, self.deadline)
            # Where nothing is withheld, some class that breaks it is enough.
            kept = found.upward if self.budget else found.merge
            self._closed[place] = kept
        return self._closed[place]


def _nodes(
    judge: CandidateJudge,
    node: s.Criterion,
    parameter: str,
    numbers: Sequence[Fraction],
) -> tuple[s.Criterion, ...] | None:
    """A criterion with each number; None where it cannot have one of them."""
    release = judge.bound.release
    nodes = []
    for number in numbers:
        arguments = {**given(node), parameter: str(number)}
        one = s.Criterion(node.name, (), tuple(arguments.items()))
        try:
            built = build(one, release.signature, judge.paths)
        except Unfit:
            return None
        release.criteria[one] = built  # type: ignore[index]
        nodes.append(one)
    return tuple(nodes)
