"""Many small classes: for objectives that count classes, and not what cells lose.

Covering bins by tuples, near ones first: then small parts of the release are covered
again in other orders, and what is better is kept, by the objective and then by loss.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import islice

import numpy as np

from phverify.recoding.above import ReleasesAbove
from phverify.recoding.certificate import Bound
from phverify.recoding.repair import satisfying
from phverify.recoding.run import AFTER, TwoSides
from phverify.spec.class_rules import ClassRules
from phverify.spec.counted import counting_bound
from phverify.spec.recoded import COUNTING
from phverify.spec.recoding import Class, TupleRecoding, one_box_each
from phverify.spec.source import Values

WINDOW = 40
"""At least so many neighbours in the order of tuples make a class among them."""
PART = 6
"""Classes that are covered again at a time, at most."""
STEPS = 200
"""Parts that are covered again between two looks at the clock."""
IDLE = 4_000
"""After so many parts without anything better there is nothing to be had."""

Covered = list[Class]


@dataclass(eq=False)
class BinCovering:
    """Tuples put together to classes that satisfy rules, as few in each as will do."""

    rules: ClassRules
    generator: random.Random

    @property
    def least(self) -> int:
        """Records that every class needs."""
        return self.rules.necessary.records

    def covered(self, order: Sequence[int]) -> tuple[Covered, list[int]]:
        """Classes of tuples that are near in an order, and tuples that are left."""
        classes: Covered = []
        left = []
        ahead = iter(order)
        # Near in the order is near in the table: classes of a window lose little.
        waiting = list(islice(ahead, max(WINDOW, 2 * self.least)))
        while waiting:
            group = self._group(waiting)
            if group is None:
                # Nothing near makes a class with the first one.
                left.append(waiting[0])
                inside = {waiting[0]}
            else:
                classes.append(group)
                inside = set(group)
            waiting = [number for number in waiting if number not in inside]
            waiting += islice(ahead, len(inside))
        return classes, left

    def _group(self, waiting: Sequence[int]) -> Class | None:
        """The first tuple with others that satisfy the rules; None if they never do."""
        counts = self.rules.space.counts
        group = [waiting[0]]
        left = list(waiting[1:])
        records = counts[waiting[0]]
        while not self._enough(group, records):
            if not left:
                return None
            number = self._next(left, records)
            left.remove(number)
            group.append(number)
            records += counts[number]
        return tuple(sorted(group))

    def _enough(self, group: Sequence[int], records: int) -> bool:
        return records >= self.least and self.rules.satisfied(tuple(sorted(group)))

    def _next(self, left: Sequence[int], records: int) -> int:
        """The tuple that fills what is missing with least excess, or most of it."""
        counts = self.rules.space.counts
        missing = self.least - records
        # Chance now and then, since always the same choice finds always the same
        # classes.
        if missing <= 0 or self.generator.random() < 0.2:
            return left[self.generator.randrange(len(left))]
        filling = [number for number in left if counts[number] >= missing]
        if filling:
            return min(filling, key=lambda number: counts[number])
        return max(left, key=lambda number: counts[number])


@dataclass(eq=False)
class ManyClasses(TwoSides):
    """The search for as many, or as evenly sized, classes as rules allow."""

    generator: random.Random = field(default_factory=lambda: random.Random(0))
    idle: int = 0

    def run(self) -> None:
        """Search until the gap, the deadline, or Ctrl-C."""
        self.deadline = self.deadline.sooner(AFTER)
        self.bound = self._counted()
        if self.stopped:
            # Interrupted before it began.
            self.tell()
            return
        try:
            self._start()
            while self.best is not None and not self._ended() and self.idle < IDLE:
                self._improve()
        except KeyboardInterrupt:
            self.stopped = "interrupted"
        self.tell()

    def _counted(self) -> Bound:
        """What no recoding is below, by counting."""
        problem = self.problem
        needed = problem.rules.necessary
        values = {column: problem.rules.by_tuple(column) for column in needed.distinct}
        value = counting_bound(
            problem.asked.objective,
            problem.space.counts,
            needed,
            values,
            problem.budget,
        )
        return Bound(np.zeros(0, dtype=np.int64), 0, 1, value, by=COUNTING)

    @cached_property
    def covering(self) -> BinCovering:
        """What makes classes."""
        return BinCovering(self.problem.steering, self.generator)

    def _start(self) -> None:
        """The release of little loss, or bins covered one after the other."""
        self._offer(ReleasesAbove(self.problem, self.withheld).first())
        self.tell()
        if not self._ended():
            # Tuples that agree in the last attributes stand side by side.
            order = np.lexsort(self.problem.grid.codes.T)
            self._offer(self._completed(order.tolist()))
            self.tell()

    def _completed(self, order: list[int]) -> TupleRecoding | None:
        """All tuples in classes that satisfy the rules."""
        classes, left = self.covering.covered(order)
        listed = [*classes, tuple(left)] if left else classes
        recoding = one_box_each(self.problem.space, listed)
        return satisfying(recoding, self.problem.steering)

    def _offer(self, recoding: TupleRecoding | None) -> None:
        if recoding is not None and self._better(recoding):
            self.best = recoding

    def _better(self, release: TupleRecoding) -> bool:
        if self.best is None:
            return True
        # Of equal counts, what loses less.
        before = self.best.cost, self.best.loss
        return (release.cost, release.loss) < before

    # Parts that are covered again

    def _improve(self) -> None:
        """Cover some parts again."""
        assert self.best is not None
        before = self.best.cost
        parts = _Parts(self.best, self.covering)
        for _ in range(STEPS):
            self.idle = 0 if parts.again() else self.idle + 1
            if self.deadline.over:
                break
        self._offer(parts.recoding())
        if self.best.cost < before:
            self.tell()


@dataclass(eq=False)
class _Parts:
    """A release of which small parts are covered again."""

    best: TupleRecoding
    covering: BinCovering

    def __post_init__(self) -> None:
        self.space = self.best.space
        self.generator = self.covering.generator
        self.classes = dict(enumerate(self.best.classes))
        self.shown = dict(zip(self.best.shown, self.classes, strict=False))
        self.number = len(self.classes)

    def recoding(self) -> TupleRecoding:
        """The release as it is now."""
        return TupleRecoding(self.space, tuple(sorted(self.classes.values())))

    def again(self) -> bool:
        """Cover a part again; whether the release is better."""
        places = self._near()
        # Classes of a part are all given up, and cover its tuples anew.
        tuples = [number for place in places for number in self.classes[place]]
        self.generator.shuffle(tuples)
        groups, left = self.covering.covered(tuples)
        if not groups or (left and not self._joined(groups, left)):
            return False
        old = [self.classes[place] for place in places]
        # Two classes that are shown alike would be one: the count would be wrong.
        if self._rate(groups) >= self._rate(old) or not self._apart(groups, places):
            return False
        self._replace(places, groups)
        return True

    def _near(self) -> list[int]:
        """A few classes with boxes that are near to one of them."""
        known = list(self.classes)
        chosen = self.generator.choice(known)
        others = self.generator.sample(known, min(len(known), 4 * PART))
        own = self.classes[chosen]
        others = [other for other in others if other != chosen]
        others.sort(key=lambda other: self._distance(own, self.classes[other]))
        return [chosen, *others[: self.generator.randint(1, PART - 1)]]

    def _distance(self, one: Class, other: Class) -> int:
        """In how many attributes first tuples differ."""
        codes = self.space.codes
        pairs = zip(codes[one[0]], codes[other[0]], strict=True)
        return sum(a != b for a, b in pairs)

    def _joined(self, groups: Covered, left: Iterable[int]) -> bool:
        """Whether what is left could be put into the smallest groups."""
        for number in left:
            # Even sizes cost less where the squares of sizes are counted.
            place = min(range(len(groups)), key=lambda k: self.space.records(groups[k]))
            wider = tuple(sorted((*groups[place], number)))
            if not self.covering.rules.satisfied(wider):
                return False
            groups[place] = wider
        return True

    def _rate(self, groups: Covered) -> tuple[int, Fraction]:
        """What groups cost by the objective, and by loss."""
        sizes = [self.space.records(group) for group in groups]
        cost = sum(size * size for size in sizes)
        if self.space.objective == "class-size":
            cost = -len(sizes)
        prices = [self.space.price(self.space.box(group)) for group in groups]
        pairs = zip(sizes, prices, strict=True)
        return cost, sum((size * price for size, price in pairs), Fraction(0))

    def _cells(self, groups: Iterable[Class]) -> Iterator[Values]:
        for group in groups:
            yield self.space.shown(group, self.space.box(group))

    def _apart(self, groups: Covered, places: Iterable[int]) -> bool:
        """Whether no other class is shown like one of the groups."""
        cells = list(self._cells(groups))
        gone = set(places)
        strange = [self.shown[one] for one in cells if one in self.shown]
        return len(set(cells)) == len(cells) and gone.issuperset(strange)

    def _replace(self, places: Iterable[int], groups: Covered) -> None:
        gone = [self.classes.pop(place) for place in places]
        for cells in self._cells(gone):
            self.shown.pop(cells, None)
        for group, cells in zip(groups, self._cells(groups), strict=True):
            self.number += 1
            self.classes[self.number] = group
            self.shown[cells] = self.number
