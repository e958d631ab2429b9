"""The cheapest candidate for every number of a rule at once, among all level vectors.

Numbers go from the least strict to the strictest.  Each candidate is counted once, and
says for all numbers whether it satisfies the policy: what breaks a less strict number
breaks each stricter one, and what is the least for one number is the least for each
stricter one that it satisfies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from phverify.errors import BudgetExceeded, Defect
from phverify.exact import Bools, Ints
from phverify.generalization.counted_vectors import CountedVectors
from phverify.generalization.every_vector import LevelVector, least_costs
from phverify.generalization.fewer_columns import with_fewer_columns
from phverify.generalization.fitting import Fitting
from phverify.generalization.judge import Examination
from phverify.generalization.loop import LeastSearch
from phverify.generalization.master import Grid
from phverify.generalization.numbered_part import NumberedPart
from phverify.generalization.numbers import VaryingPart
from phverify.generalization.offered import INTERRUPTED
from phverify.generalization.tied_vectors import TiedVectors


def at_once(
    search: LeastSearch, rule: str, parameter: str, numbers: Sequence[Fraction]
) -> AtOnce | None:
    """The search for all numbers of a rule's parameter, from the least strict number to
    the strictest; None where each has to be searched by itself.

    ``search`` is that for the first of them, which has not begun.
    """
    if not isinstance(search.master, Grid) or search.pricing is not None:
        return None
    judge, budget = search.refuter.judge, search.refuter.budget
    numbered = NumberedPart.of(judge, rule, parameter, numbers, search.deadline)
    if numbered is None:
        return None
    varying = VaryingPart(judge, numbered, budget)
    if not varying.decides:
        return None
    return AtOnce(search, search.master, varying)


@dataclass(eq=False)
class AtOnce:
    """The search for all numbers.

    ``search`` is one for the least strict number, which has not begun: its table, its
    space and its costs are those of all numbers.
    """

    search: LeastSearch
    grid: Grid
    varying: VaryingPart
    least: list[Fitting] = field(default_factory=list)
    """By number, as far as they are known."""
    ended: bool = False
    """Whether nothing satisfies the numbers that have no least candidate."""
    stopped: str = ""

    def __post_init__(self) -> None:
        self.count = len(self.varying.numbers)
        self.order = self.grid.left
        # The places of the vectors that may be the best of a number to come.
        self.left: Ints = np.arange(len(self.order))
        # So many numbers each vector may satisfy at most.
        self.most: Ints = np.full(self.grid.shape, self.count, dtype=np.int16)
        scale = self.search.space.decisions + 1  # see ``tied``
        costs = self.grid.totals[self.order] // scale
        parts = self.varying, with_fewer_columns(self.varying)
        # What is counted with fewer columns comes first: it often says enough.
        self.stages = [
            CountedVectors(self.search, self.grid, part, self.most)
            for part in reversed(parts)
            if part is not None
        ]
        self.tied = TiedVectors(self.order, costs, self.stages)

    @property
    def vectors(self) -> CountedVectors:
        """What is known of vectors by all parts of the policy."""
        return self.stages[-1]

    def run(self) -> None:
        """Look for the least candidate of each number, the least strict one first."""
        try:
            while len(self.least) < self.count and not self.ended:
                number = len(self.least)
                self.search.progress(self._how_far())
                found, cheaper = self._left_for(number)
                if len(cheaper):
                    chosen = self.grid.choice(self.order[cheaper])
                    self._look_at(int(cheaper[chosen]), number)
                elif found is None:
                    self.ended = True
                else:
                    self._take(found, number)
        except BudgetExceeded as error:
            self.stopped = str(error)
        except KeyboardInterrupt:
            self.stopped = INTERRUPTED

    @property
    def _looked_at(self) -> int:
        """How many candidates have been counted."""
        counts = []
        for stage in self.stages:
            counts.append(len(stage.known))
        return max(counts)

    def _how_far(self) -> str:
        """The progress of the search in a line."""
        return (
            f"searching all numbers at once: {self._looked_at} candidates,"
            f" {len(self.least)} of {self.count} points"
        )

    def _left_for(self, number: int) -> tuple[int | None, Ints]:
        """The place of the cheapest vector that is known to satisfy a number, None
        where none is, and the places of cheaper ones that may.
        """
        most, fewest = self.most.reshape(-1), self.vectors.fewest.reshape(-1)
        # What does not satisfy a number satisfies no stricter one.
        self.left = self.left[most[self.order[self.left]] > number]
        satisfying = fewest[self.order[self.left]] > number
        if not satisfying.any():
            return None, self.left
        first = int(satisfying.argmax())
        return int(self.left[first]), self.left[:first]

    def _look_at(self, place: int, number: int) -> None:
        """A vector that may satisfy a number: whether it does, or what else does not
        because of it.
        """
        vector = self._vector(place)
        for stage in self.stages:
            said = stage.counted(vector, number)
            if said.first > number:
                continue
            if said.finer <= number:
                stage.rule_out_above(vector, number)
            return

    def _take(self, place: int, number: int) -> None:
        """A vector is the best one of a number that it satisfies, and of the stricter
        ones that it satisfies.
        """
        vector = self._vector(place)
        said = self.vectors.counted(vector, number)
        assert said.withheld is not None
        # All numbers for which nothing is withheld have the same release.
        whole = int(said.withheld.searchsorted(0, side="right"))
        if number < whole:
            self.least += [self._fitting(vector, number)] * (whole - number)
        for other in range(max(number, whole), said.first):
            fewest = self.tied.withholding_fewest(place, other)
            self.least.append(self._fitting(fewest, other))

    def _vector(self, place: int) -> LevelVector:
        number = self.order[place]
        levels = np.unravel_index(number, self.grid.shape)
        return tuple(map(int, levels))

    def _fitting(self, vector: LevelVector, number: int) -> Fitting:
        """A vector as the best candidate of a number."""
        candidate = self.search.space.vector(vector)
        view = None
        if self.least:
            view = self.least[-1].finding.view
        # Numbers that are next to each other often have one candidate.
        if view is None or not np.array_equal(view.candidate, candidate):
            view = self.vectors.view(vector)
        withheld = self.varying.failing(view, number)
        finding = Examination("fits", withheld, view=view)
        total = self.search.total(view.candidate)
        return Fitting(view.candidate, finding, total)

    # The bound, proved again

    def confirm(self) -> None:
        """Look at all level vectors: none is cheaper that may satisfy its number.

        Raises Defect where one is.
        """
        known = self._known()
        space, cost = self.search.space, self.search.cost
        totals = least_costs(space, cost, known, self.count)
        for number, total in enumerate(totals):
            if number < len(self.least):
                own = self.least[number].total
            elif self.ended:
                own = None
            else:
                return
            if total != own:
                raise Defect("a cheaper level vector may satisfy the policy")

    def _known(self) -> dict[LevelVector, tuple[int, int]]:
        """By vector how many numbers it satisfies at most, and whatever is finer."""
        known: dict[LevelVector, tuple[int, int]] = {}
        for stage in self.stages:
            for vector, said in stage.known.items():
                first, finer = known.get(vector, (self.count, self.count))
                known[vector] = min(first, said.first), min(finer, said.finer)
            for top, number in stage.ruled_out.items():
                first, finer = known.get(top, (self.count, self.count))
                known[top] = min(first, number), min(finer, number)
        return known

    def forget(self) -> None:
        """Keep no counts of classes any more."""
        for stage in self.stages:
            stage.views.clear()

    # What a search by itself starts from

    def ruled_out(self, number: int) -> list[Bools]:
        """Vectors that break a number, among which each cheaper one than its least
        candidate is, or is finer than one.
        """
        known = self._known()
        broken = [vector for vector, (first, _) in known.items() if first <= number]
        wide = [vector for vector in broken if known[vector][1] <= number]
        wide.sort(key=sum, reverse=True)
        found: list[LevelVector] = []
        for vector in [*wide, *broken]:
            below = any(_finer(vector, other) for other in found)
            if not below:
                found.append(vector)
        return [self.search.space.vector(vector) for vector in found]


def _finer(vector: LevelVector, other: LevelVector) -> bool:
    """Whether a vector is no more general than another one in any column."""
    pairs = zip(vector, other, strict=True)
    return all(own <= level for own, level in pairs)
