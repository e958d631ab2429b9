"""Whether a class of a recoding could be two: found, excluded, or left open.

A class can be split when its tuples are two sets with different least boxes that both
satisfy what rules ask of single classes, and the release with these two in its place
satisfies the policy (and has disjoint boxes, where that is asked).  Withheld tuples
stay withheld.  A part that has the box of another class is one class with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from phverify.spec.bitset import bits, within
from phverify.spec.class_rules import ClassRules
from phverify.spec.halves import ASKED, ClassHalves, OutOfWork, Work
from phverify.spec.recoding import Box, Class, TupleRecoding, one_box_each

ALONE = "one tuple"
FEW = "too few records"
TRIED = "every split breaks a rule"
LEFT = "not decided"
REASONS = (ALONE, FEW, TRIED, LEFT)
Halves = tuple[Class, Class]
WholeJudge = Callable[[TupleRecoding], bool | None]
"""Whether a release satisfies the rules about the whole table; None: not decided."""


@dataclass(frozen=True)
class Splits:
    """For each class why it cannot be split, or that this is not decided."""

    reasons: tuple[str, ...]

    @property
    def small(self) -> int:
        """Classes of one tuple, or of fewer records than two classes need."""
        alone = self.reasons.count(ALONE)
        return alone + self.reasons.count(FEW)

    @property
    def tried(self) -> int:
        """Classes of which every split breaks a rule."""
        return self.reasons.count(TRIED)

    @property
    def left(self) -> int:
        """Classes of which this is not known."""
        return self.reasons.count(LEFT)


@dataclass(eq=False)
class Splitting:
    """Looks for classes of a recoding that could be two.

    ``rules`` are those of the table that is released, whoever is withheld.  With
    ``disjoint`` boxes, a split must leave them disjoint.  ``judge`` is asked where
    there are rules about the whole table.
    """

    recoding: TupleRecoding
    rules: ClassRules
    disjoint: bool
    judge: WholeJudge
    work: Work = field(default_factory=Work)

    def decided(self) -> list[Halves | str]:
        """For each class two that it could be, or the reason why there are none."""
        answers: list[Halves | str] = [LEFT] * len(self.recoding.classes)
        for place in self.order:
            answers[place] = self.decide(place)
        return answers

    @property
    def order(self) -> list[int]:
        """Classes of few tuples first: they are decided before steps run out."""
        sizes = [len(one) for one in self.recoding.classes]
        places = range(len(sizes))
        return sorted(places, key=sizes.__getitem__)

    def decide(self, place: int) -> Halves | str:
        """Two classes that one could be, else the reason why there are none."""
        if known := self.known(place):
            return known
        halves = ClassHalves(self.rules, self.recoding.classes[place], self.work)
        self.work.begin()
        try:
            return self._decided(place, halves)
        except OutOfWork:
            return LEFT

    def known(self, place: int) -> str:
        """The reason where it is plain from size; else ""."""
        numbers = self.recoding.classes[place]
        if len(numbers) == 1:
            return ALONE
        if self.rules.space.records(numbers) < 2 * self.rules.necessary.records:
            return FEW
        return ""

    def _decided(self, place: int, halves: ClassHalves) -> Halves | str:
        refused = False
        for first in halves.one_of_each():
            both = self._classes(place, first)
            if both is None:
                continue
            if self._fine(place, both):
                return both
            refused = True
        if not refused:
            return TRIED
        # What is equal for rules about classes differs in boxes.
        for first in halves.every():
            both = self._classes(place, first)
            if both is not None and self._fine(place, both):
                return both
        return TRIED

    def _classes(self, place: int, first: Class) -> Halves | None:
        """The halves, where both satisfy what single classes are asked."""
        self.work.spend(ASKED)
        whole = self.recoding.classes[place]
        other = tuple(sorted(set(whole).difference(first)))
        if self.rules.satisfied(first) and self.rules.satisfied(other):
            return first, other
        return None

    def _fine(self, place: int, halves: Halves) -> bool:
        """Whether a release with these two classes is another one, and allowed.

        Raises OutOfWork where that is not decided.
        """
        space = self.recoding.space
        boxes = space.box(halves[0]), space.box(halves[1])
        if boxes[0] == boxes[1]:
            # Tuples with one box are one class, whichever part they are counted to.
            return False
        for part, box in zip(halves, boxes, strict=True):
            alike = self._place_of.get(box, place)
            joined = set(part)
            if alike != place:
                joined |= set(self.recoding.classes[alike])
            if not self.rules.satisfied(tuple(sorted(joined))):
                return False
            if self.disjoint and not within(self._inside(box), bits(joined)):
                return False
        return self._satisfies(place, halves)

    def _satisfies(self, place: int, halves: Halves) -> bool:
        """Whether the release with these halves satisfies rules about all of it."""
        if not self.rules.open:
            return True
        classes = list(self.recoding.classes)
        classes[place : place + 1] = halves
        verdict = self.judge(one_box_each(self.recoding.space, classes))
        if verdict is None:
            raise OutOfWork
        return verdict

    def _inside(self, box: Box) -> int:
        """The released tuples in a box."""
        return self.recoding.space.inside(box) & self._released

    @cached_property
    def _released(self) -> int:
        released: set[int] = set()
        for numbers in self.recoding.classes:
            released.update(numbers)
        return bits(released)

    @cached_property
    def _place_of(self) -> Mapping[Box, int]:
        boxes = self.recoding.boxes
        return {box: place for place, box in enumerate(boxes)}
