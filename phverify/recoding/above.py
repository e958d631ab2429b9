"""The upper side: releases that are better and better, as classes of tuples."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from phverify.exact import Ints
from phverify.recoding.below import distinct_values
from phverify.recoding.certificate import Bound
from phverify.recoding.first import first_release
from phverify.recoding.leaving_out import leaving_out
from phverify.recoding.neighbourhoods import (
    SearchState,
    improve,
    restarted,
    started,
)
from phverify.recoding.partition import WITHHELD, classes_of
from phverify.recoding.pool import met
from phverify.recoding.posed import PosedRecoding
from phverify.recoding.program import ClassColumns, solved, solved_by_regions
from phverify.recoding.repair import apart, satisfying
from phverify.recoding.task import ReleaseTask
from phverify.recoding.tests_of import demands_of
from phverify.spec.recoding import Class, TupleRecoding, one_box_each

LARGE = 20_000
"""With more tuples than this a release is counted in fractions only when it is much
better than the one before."""
MUCH = 0.995
SMALL = 200
"""So many tuples are joined one by one, in fractions."""
COLUMNS = 40_000
"""Classes that a program chooses from, at most."""
WIDEST = 20_000
"""With more tuples than this it chooses for one region after the other."""
SHARE = 0.9
SECONDS = 60.0
"""The share of the time, or the seconds without a limit, for few cells of ``*``."""
PROVING = 0.1
"""The share of that for the proof that there are no fewer."""


@dataclass(eq=False)
class ReleasesAbove:
    """Releases of one question, which withhold ``budget`` records at most; without one
    as many as may be.

    ``fewest``: every release has so many cells of ``*``, where that was asked.
    """

    problem: PosedRecoding
    budget: int | None = None
    state: SearchState | None = None
    counted: float = np.inf
    fewest: int = 0
    task: ReleaseTask = field(init=False)

    def __post_init__(self) -> None:
        problem = self.problem
        self.task = ReleaseTask(
            problem.grid,
            demands_of(problem.steering),
            problem.budget if self.budget is None else self.budget,
            problem.stars,
            problem.asked.disjoint,
            problem.asked.seed,
        )

    def first(
        self, seconds: float | None = None, known: TupleRecoding | None = None
    ) -> TupleRecoding | None:
        """A first release; None where no construction finds one.

        Where they all have too many cells of ``*``, those are looked at for a share of
        the seconds that there are.  A release that is ``known`` is where the search
        starts, if it is better.
        """
        assignment = first_release(self.task)
        if known is not None:
            assignment = self._better(assignment, known)
        if assignment is None:
            # Constructions go fixed ways: where they fail there may still be a release.
            return self._exactly() or self._withholding()
        self.state = started(self.task, assignment)
        if np.isinf(self.state.cost):
            self._with_few_stars(SECONDS if seconds is None else SHARE * seconds)
        return None if self.state is None else self.release()

    def _with_few_stars(self, seconds: float) -> None:
        """Start at a release of few cells of ``*``; nowhere, if there is none."""
        # Loaded here: most searches have no limit on such cells.
        from phverify.recoding.fewest import few_stars, least_stars

        problem = self.problem
        begun = time.monotonic()
        self.fewest = least_stars(problem, PROVING * seconds)
        # A proof that there is none ends the search, whatever time is left.
        if self.fewest > problem.most_stars:
            self.state = None
            return
        if problem.asked.disjoint:
            return
        left = seconds - (time.monotonic() - begun)
        assignment = few_stars(self.task, left, distinct_values(problem))
        if assignment is not None:
            self.state = started(self.task, assignment)

    def _exactly(self) -> TupleRecoding | None:
        """Single tuples, joined as rules ask, where the constructions give up."""
        space = self.problem.space
        if len(space.tuples) > SMALL:
            return None
        alone = one_box_each(space, [[number] for number in range(len(space.tuples))])
        return self._proper(alone)

    def _withholding(self) -> TupleRecoding | None:
        """Some tuples withheld, where all of them cannot be released."""
        release = leaving_out(self.problem)
        if release is None:
            return None
        assignment = _assigned(release)
        # What fails here may still be mended below, and cannot be improved.
        if all(self.task.demands.allow(classes_of(assignment))):
            self.state = started(self.task, assignment)
        return self._proper(release)

    def _better(self, first: Ints | None, known: TupleRecoding) -> Ints | None:
        """The better one of a first release and one that is known of another search."""
        own, others = self.problem.space, known.space
        if (own.tuples, own.counts) != (others.tuples, others.counts):
            return first
        if not all(map(self.problem.steering.satisfied, known.classes)):
            return first
        assignment = _assigned(known)
        if not all(self.task.demands.allow(classes_of(assignment))):
            return first
        if first is None:
            return assignment
        costs = [started(self.task, one).cost for one in (first, assignment)]
        return assignment if costs[1] < costs[0] else first

    def improve(self, seconds: float, heat: float | None) -> None:
        """Search on for some seconds."""
        if self.state is not None:
            self.state = improve(self.task, self.state, seconds, heat=heat)

    def choose(self, bound: Bound | None, seconds: float) -> None:
        """The best choice of the classes met, as far as a program finds it in time.

        Of many classes those are taken that cost least beyond the prices of a bound.
        """
        if self.state is None or np.isinf(self.state.cost):
            return
        classes = met(self.state.pool)
        columns = ClassColumns.of(self.task, self._cheapest(classes, bound))
        release = self.state.assignment
        if len(release) <= WIDEST:
            release = solved(self.task, columns, release, seconds)
        else:
            release = solved_by_regions(self.task, columns, release, seconds)
        self.state = restarted(self.task, self.state, release)

    def _cheapest(self, classes: list[Ints], bound: Bound | None) -> list[Ints]:
        if len(classes) <= COLUMNS:
            return classes
        costs = self.task.costs(classes)
        if bound is not None:
            prices = bound.prices / (bound.unit * self.problem.grid.rows)
            members = np.concatenate(classes)
            sizes = np.array([len(one) for one in classes])
            # The reduced cost: by weak duality a class far above its prices is in no
            # cheap release.
            costs = costs - np.add.reduceat(prices[members], np.cumsum(sizes) - sizes)
        chosen = np.argsort(costs, kind="stable")[:COLUMNS]
        return [classes[place] for place in chosen.tolist()]

    @property
    def promising(self) -> bool:
        """Whether the release is worth counting in fractions."""
        if self.state is None:
            return False
        few = self.problem.grid.tuples <= LARGE
        # What records cost as they are is in every cost.
        same = float(self.problem.space.constant)
        least = (self.counted - same) * (1 - 1e-9 if few else MUCH)
        return self.state.cost - same < least

    def classes(self) -> list[Ints]:
        """The classes of the best release."""
        return [] if self.state is None else classes_of(self.state.assignment)

    def release(self) -> TupleRecoding | None:
        """The best release, with each class in a box of its own.

        None where joining classes with one box breaks a rule that is not mended, and
        where too many cells are the whole domain.
        """
        assert self.state is not None
        if np.isinf(self.state.cost):
            return None
        self.counted = self.state.cost
        classes: list[Class] = [tuple(one.tolist()) for one in self.classes()]
        released = {number for one in classes for number in one}
        # Whom the policy names is not withheld.
        back = [(number,) for number in self.problem.named if number not in released]
        # Two classes may have one least box, and are then one class of the release.
        return self._proper(one_box_each(self.problem.space, [*classes, *back]))

    def _proper(self, recoding: TupleRecoding) -> TupleRecoding | None:
        """The recoding with class rules, and disjointness where asked, restored."""
        # Floats proposed the classes: rules are asked again, in whole numbers.
        mended = satisfying(recoding, self.problem.steering)
        if mended is None or not self.problem.asked.disjoint:
            return mended
        return apart(mended, self.problem.steering)


def _assigned(release: TupleRecoding) -> Ints:
    """For each tuple the number of its class in a release."""
    assignment: Ints = np.full(len(release.space.tuples), WITHHELD, dtype=np.int32)
    for place, numbers in enumerate(release.classes):
        assignment[list(numbers)] = place
    return assignment
