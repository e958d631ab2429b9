"""The search: releases from above, prices from below, until they are near or time ends.

What a better release costs is counted in fractions before anybody is told.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from phverify.budget import Deadline
from phverify.recoding.above import ReleasesAbove
from phverify.recoding.below import BoundsBelow
from phverify.recoding.certificate import Bound
from phverify.recoding.posed import PosedRecoding
from phverify.recoding.result import Standing
from phverify.spec.recoding import TupleRecoding

Watch = Callable[[Standing], None]
SLICE = 1.0
"""Seconds of search between two looks at the lower side."""
FIRST = 1 / 16
"""The share of it until the first look: of small tables the bound is soon there."""
CHOICE = 0.2
"""The share of the time in which classes are chosen by a program."""
LONGEST = 60.0
"""Seconds of it at most."""
EVERY = 120.0
"""Seconds between two choices where there is no limit."""
AFTER = 2.0
"""Seconds of the budget that are left for deciding the release."""
FEW = 8
"""So few tuples have so few classes that a second of search has met them all."""


@dataclass(eq=False)
class Schedule:
    """When the upper side moves classes, and when it chooses among those it has met.

    With a limit it cools down first, and then chooses; without one it chooses now and
    then.
    """

    deadline: Deadline
    begun: float = field(default_factory=time.monotonic)
    chosen: float = field(default_factory=time.monotonic)

    @property
    def cooling(self) -> float | None:
        """Seconds until it has cooled down; None without a limit."""
        left = self.deadline.left()
        if left is None:
            return None
        whole = left + time.monotonic() - self.begun
        return left - min(CHOICE * whole, LONGEST)

    @property
    def choosing(self) -> bool:
        """Whether it is time to choose."""
        cooling = self.cooling
        if cooling is None:
            return time.monotonic() - self.chosen > EVERY
        return cooling <= 0

    def heat(self) -> float | None:
        """The share of the time for cooling down that is left; None without a limit."""
        cooling = self.cooling
        if cooling is None:
            return None
        spent = time.monotonic() - self.begun
        return max(cooling, 0.0) / max(cooling + spent, 1e-9)

    def seconds(self) -> float:
        """How long a choice may take."""
        self.chosen = time.monotonic()
        left = self.deadline.left()
        return LONGEST / 4 if left is None else max(left, 0.1)


@dataclass(eq=False)
class TwoSides:
    """A search on its way: the best release and the best bound so far.

    ``fewest`` cells of ``*`` are proved to be in every release.
    """

    problem: PosedRecoding
    deadline: Deadline
    started: float
    watch: Watch
    known: TupleRecoding | None = None
    """A release that another search has found."""
    best: TupleRecoding | None = None
    """The best one so far; at first one of a poorer space, where that was searched."""
    bound: Bound | None = None
    history: list[Standing] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    hindrances: list[str] = field(default_factory=list)
    """Why the bound is not higher, as far as something was in the way."""
    stopped: str = ""
    fewest: int = 0

    @property
    def proven(self) -> Bound:
        """The best bound so far: 0 by prices of 0, where there is none."""
        if self.bound is not None:
            return self.bound
        tuples = len(self.problem.space.tuples)
        prices = np.zeros(tuples, dtype=np.int64)
        return Bound(prices, 0, self.problem.grid.unit, Fraction(0))

    @property
    def withheld(self) -> int:
        """How many records releases may withhold.

        None where rules look at the whole table, and the start does without: what they
        ask of classes changes with each record that is withheld, and what is found may
        break them then.
        """
        start = self.best
        if start is not None and not start.withheld and self.problem.posed.parts.open:
            return 0
        return self.problem.budget

    def standing(self) -> Standing:
        """How far the search is."""
        cost = None if self.best is None else self.best.cost
        return Standing(time.monotonic() - self.started, cost, self.proven.value)

    def tell(self) -> None:
        """Note where the search stands, and tell it."""
        standing = self.standing()
        self.history.append(standing)
        self.watch(standing)

    def run(self) -> None:
        """Search until the gap, the deadline, or Ctrl-C."""
        if self.stopped:
            # Interrupted before it began.
            self.tell()
            return
        self.deadline = self.deadline.sooner(AFTER)
        below = BoundsBelow(self.problem, Deadline(self.deadline.left()))
        above = ReleasesAbove(self.problem, self.withheld)
        if self.problem.stars is None:
            below.start()
        try:
            # With few cells of * a first release is not found at once.
            self._first(above)
            below.start()
            self._from_above(above, below)
        except KeyboardInterrupt:
            self.stopped = "interrupted"
        finally:
            below.end()
        if not self._nothing(above):
            self._take(below)
            # Where the bound is high enough, what looked for a higher one was ended.
            if not self._near:
                self.notes += self.hindrances
        self.tell()

    def _first(self, above: ReleasesAbove) -> None:
        """A first release, or the proof that there is none."""
        starts = [one for one in (self.known, self.best) if one is not None]
        start = min(starts, key=lambda one: one.cost, default=None)
        first = above.first(self.deadline.left(), start)
        if first is not None and self._better(first):
            self.best = first
        self.fewest = above.fewest

    def _from_above(self, above: ReleasesAbove, below: BoundsBelow) -> None:
        """Better and better releases, while the bound grows."""
        if self._nothing(above):
            return
        self._take(below)
        self.tell()
        schedule = Schedule(self.deadline)
        seconds = FIRST * SLICE
        while not self._ended():
            # Without a start nothing can be improved; of few tuples all is seen by
            # then.
            seen = above.state is None or (seconds == SLICE and self._small)
            if below.done and seen:
                break
            if above.state is None:
                below.wait(seconds)
            elif schedule.choosing:
                above.choose(self.bound, schedule.seconds())
            else:
                above.improve(seconds, schedule.heat())
            seconds = min(2 * seconds, SLICE)
            # Cheap classes are what the relaxation must know to be near the best.
            below.offer(above.classes())
            if self._took(above, below):
                self.tell()

    def _nothing(self, above: ReleasesAbove) -> bool:
        """Whether there is no release, and nothing to make one of: how high the bound
        is by then is left to chance.
        """
        return self.best is None and above.state is None

    def _took(self, above: ReleasesAbove, below: BoundsBelow) -> bool:
        """Take what both sides have; whether it is better than what was there."""
        before = self.best, self.bound
        self._take(below)
        if above.promising:
            release = above.release()
            if release is not None and self._better(release):
                self.best = release
        return (self.best, self.bound) != before

    def _better(self, release: TupleRecoding) -> bool:
        return self.best is None or release.cost < self.best.cost

    @property
    def _small(self) -> bool:
        """Whether the search has seen all there is, once the bound is final."""
        return len(self.problem.space.tuples) <= FEW

    def _take(self, below: BoundsBelow) -> None:
        """The best bound that the lower side has."""
        bound = below.best
        if bound is None:
            return
        space = self.problem.space
        # Costs are multiples of something: the bound may be rounded up to the next one.
        value = space.no_less(bound.value - space.constant)
        if self.bound is None or value > self.bound.value:
            self.bound = replace(bound, value=value)
        if bound.note and bound.note not in self.hindrances:
            self.hindrances.append(bound.note)

    @property
    def _near(self) -> bool:
        """Whether the gap is reached."""
        gap = self.standing().gap
        return gap is not None and gap <= (self.problem.asked.gap or Fraction(0))

    def _ended(self) -> bool:
        """Whether the gap is reached, or the time is over."""
        return self._near or self.deadline.over
