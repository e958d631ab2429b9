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
from phverify.generalization.every_vector import (
    LevelVector,
    from_above,
    least_costs,
)
from phverify.generalization.fewest_withheld import MOST
from phverify.generalization.judge import CountedCandidate, Examination
from phverify.generalization.loop import Fitting, LeastSearch
from phverify.generalization.master import Grid
from phverify.generalization.numbers import SatisfiedNumbers, VaryingPart
from phverify.generalization.offered import INTERRUPTED

AHEAD = 4096
"""So many level vectors are looked through together."""
ROOM = 2_000_000
"""Cells of the counted candidates from which further ones are counted."""


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
    varying = VaryingPart.of(judge, rule, parameter, numbers, budget, search.deadline)
    if varying is None:
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
    known: dict[LevelVector, SatisfiedNumbers] = field(default_factory=dict)
    views: dict[LevelVector, CountedCandidate] = field(default_factory=dict)
    room: int = ROOM

    def __post_init__(self) -> None:
        self.count = len(self.varying.numbers)
        shape = self.grid.shape
        self.order = self.grid.left
        # So many numbers each vector may satisfy at most, and does at least.
        self.most: Ints = np.full(shape, self.count, dtype=np.int16)
        self.fewest: Ints = np.zeros(shape, dtype=np.int16)
        scale = self.search.space.decisions + 1  # see ``tied``
        self.costs = self.grid.totals[self.order] // scale
        self.viewed: Ints = np.zeros((0, len(shape)), dtype=np.int32)
        self.cells: Ints = np.zeros(0, dtype=np.int64)

    def run(self) -> None:
        """Look for the least candidate of each number, the least strict one first."""
        place = 0
        try:
            while len(self.least) < self.count and not self.ended:
                number = len(self.least)
                self.search.progress(self._how_far())
                place = self._first(place, number)
                if place == len(self.order):
                    self.ended = True
                    return
                self._look_at(place, number)
        except BudgetExceeded as error:
            self.stopped = str(error)
        except KeyboardInterrupt:
            self.stopped = INTERRUPTED

    def _how_far(self) -> str:
        """The progress of the search in a line."""
        return (
            f"searching all numbers at once: {len(self.known)} candidates,"
            f" {len(self.least)} of {self.count} points"
        )

    def _first(self, place: int, number: int) -> int:
        """The first vector in the order of cost, from a place on, that may satisfy a
        number.
        """
        most = self.most.reshape(-1)
        while place < len(self.order):
            ahead = self.order[place : place + AHEAD]
            satisfying = most[ahead] > number
            found = np.flatnonzero(satisfying)
            if len(found):
                place += int(found[0])
                return place
            place += len(ahead)
        return place

    def _look_at(self, place: int, number: int) -> None:
        """The cheapest vector that may satisfy a number: it does, or why not."""
        vector = self._vector(place)
        said = self._counted(vector)
        if said.first <= number:
            if said.finer <= number:
                self._lift(vector, number)
            return
        while number < said.first:
            fewest = vector
            if said.withheld[number]:
                fewest = self._withholding_fewest(place, number)
            self.least.append(self._fitting(fewest, number))
            number += 1

    def _vector(self, place: int) -> LevelVector:
        number = self.order[place]
        levels = np.unravel_index(number, self.grid.shape)
        return tuple(map(int, levels))

    # What is counted

    def _counted(self, vector: LevelVector) -> SatisfiedNumbers:
        """What a vector satisfies, counted once."""
        known = self.known.get(vector)
        if known is None:
            self.search.deadline.check()
            known = self._count(vector)
        return known

    def _count(self, vector: LevelVector) -> SatisfiedNumbers:
        view = self._view(vector)
        said = self.varying.satisfied(view)
        self.known[vector] = said
        below = self.most[tuple(slice(level + 1) for level in vector)]
        np.minimum(below, said.finer, out=below)
        self.most[vector] = min(self.most[vector], said.first)
        if self.varying.rising:
            above = self.fewest[tuple(slice(level, None) for level in vector)]
            np.maximum(above, said.first, out=above)
        else:
            self.fewest[vector] = said.first
        return said

    def _view(self, vector: LevelVector) -> CountedCandidate:
        """A vector counted, from the smallest finer one where there is one."""
        if vector in self.views:
            return self.views[vector]
        own = np.array(vector, dtype=np.int32)
        finer = np.flatnonzero((self.viewed <= own).all(axis=1))
        smallest = None
        if len(finer):
            place = finer[np.argmin(self.cells[finer])]
            smallest = self.views[tuple(self.viewed[place].tolist())]
        candidate = self.search.space.vector(vector)
        view = self.varying.judge.view(candidate, smallest)
        cells = view.quotient.cells
        if cells <= self.room:
            self.room -= cells
            self.views[vector] = view
            self.viewed = np.concatenate([self.viewed, own[None]])
            self.cells = np.append(self.cells, cells)
        return view

    def _lift(self, vector: LevelVector, number: int) -> None:
        """Generalize what breaks a number as long as all that is finer does, too."""
        levels = [*vector]
        for column, level in self._steps(vector):
            if level <= levels[column]:
                continue
            raised = [*levels]
            raised[column] = level
            if self._broken_below(tuple(raised), number):
                levels = raised

    def _broken_below(self, vector: LevelVector, number: int) -> bool:
        """Whether a vector and all that is finer break a number."""
        if self.fewest[vector] > number:
            return False
        if vector not in self.known and self.most[vector] <= number:
            return True
        said = self._counted(vector)
        return said.finer <= number

    def _steps(self, vector: LevelVector) -> list[tuple[int, int]]:
        """The levels above a vector by column, the cheapest steps first."""
        space, weights = self.search.space, self.search.cost.weights
        steps = []
        for column, scheme in enumerate(space.schemes):
            start = space.starts[column]
            for level in range(vector[column], scheme.decisions):
                steps.append((weights[start + level], column, level + 1))
        return [(column, level) for _, column, level in sorted(steps)]

    # Of what costs the least

    def _withholding_fewest(self, place: int, number: int) -> LevelVector:
        """Of the vectors that cost as little as one that satisfies a number, the one
        that withholds the fewest records for it, as a search by itself finds it.
        """
        best = self._vector(place)
        rows = int(self.known[best].withheld[number])
        for other in self._withholding_fewer(place, number, rows):
            vector = self._vector(other)
            said = self._counted(vector)
            own = int(said.withheld[number])
            if number < said.first and own < rows:
                best = vector
                rows = own
        return best

    def _withholding_fewer(self, place: int, number: int, rows: int) -> list[int]:
        """The places after one where vectors cost the same, may satisfy a number, and
        may withhold fewer records for it.
        """
        end = int(np.searchsorted(self.costs, self.costs[place], side="right"))
        places = np.arange(place + 1, end)
        open_ones = self.most.reshape(-1)[self.order[places]] > number
        places = places[open_ones][: MOST - 1]
        if not len(places):
            return []
        # Everything finer than what was counted withholds as many, or more.
        least: Ints = np.zeros(self.grid.shape, dtype=np.int64)
        for vector, said in self.known.items():
            least[vector] = said.lasting[number]
        withheld = from_above(np.maximum, least).reshape(-1)[self.order[places]]
        fewer: list[int] = places[withheld < rows].tolist()
        return fewer

    def _fitting(self, vector: LevelVector, number: int) -> Fitting:
        """A vector as the best candidate of a number."""
        view = self._view(vector)
        withheld = self.varying.failing(view, number)
        finding = Examination("fits", withheld, view=view)
        total = self.search.total(view.candidate)
        return Fitting(view.candidate, finding, total)

    # The bound, proved again

    def confirm(self) -> None:
        """Look at all level vectors: none is cheaper that may satisfy its number.

        Raises Defect where one is.
        """
        known = {}
        for vector, said in self.known.items():
            known[vector] = said.first, said.finer
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

    # What a search by itself starts from

    def ruled_out(self, number: int) -> list[Bools]:
        """Vectors that break a number, among which each cheaper one than its least
        candidate is, or is finer than one.
        """
        broken = [v for v, said in self.known.items() if said.first <= number]
        wide = [v for v in broken if self.known[v].finer <= number]
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
