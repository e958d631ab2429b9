"""Of the level vectors that cost as little, the one that withholds the fewest records
for a number of a rule, as a search for that number by itself finds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from phverify.exact import Ints
from phverify.generalization.counted_vectors import CountedVectors
from phverify.generalization.every_vector import LevelVector, from_above
from phverify.generalization.fewest_withheld import MOST
from phverify.generalization.numbers import SatisfiedNumbers

Placed = tuple[int, LevelVector]
"""A vector with its place in the order of cost."""


@dataclass(frozen=True, eq=False)
class TiedVectors:
    """All vectors that are left in the order of cost, by their numbers, and their
    ``costs``; ``stages`` count them, the last one by all parts of the policy.
    """

    order: Ints
    costs: Ints
    stages: Sequence[CountedVectors]

    @property
    def most(self) -> Ints:
        """So many numbers each vector may satisfy at most."""
        last = self.stages[-1]
        return last.most

    def withholding_fewest(self, place: int, number: int) -> LevelVector:
        """Of the vectors that cost as little as the one at a place, which satisfies a
        number, the one that withholds the fewest records for it.
        """
        known = self.stages[-1].known
        [(_, best)] = self._vectors(np.array([place]))
        rows = known[best].rows(number)
        left = []
        for other, vector in self._vectors(self._costing_the_same(place, number)):
            said = known.get(vector)
            if said is None:
                left.append((other, vector))
            # Of those that withhold as few the first is taken.
            elif number < said.known and (said.rows(number), other) < (rows, place):
                best, rows, place = vector, said.rows(number), other
        if not left:
            return best
        least = self._least_withheld(number)
        for other, vector in left:
            if (int(least[vector]), other) > (rows, place):
                continue
            found = self._looked_at(vector, number, rows, least)
            if found is None or number >= found.known:
                continue
            if (found.rows(number), other) < (rows, place):
                best, rows, place = vector, found.rows(number), other
        return best

    def _vectors(self, places: Ints) -> list[Placed]:
        """The vectors at some places."""
        numbers = self.order[places]
        levels = np.unravel_index(numbers, self.most.shape)
        columns = [column.tolist() for column in levels]
        vectors = zip(*columns, strict=True)
        pairs = zip(places.tolist(), vectors, strict=True)
        return list(pairs)

    def _costing_the_same(self, place: int, number: int) -> Ints:
        """The places after one where vectors cost the same and may satisfy a number."""
        cost = self.costs[place]
        end = self.costs.searchsorted(cost, side="right")
        places = np.arange(place + 1, end)
        most = self.most.reshape(-1)
        numbers = self.order[places]
        most_of = most[numbers]
        tied = places[most_of > number]
        return tied[: MOST - 1]

    def _least_withheld(self, number: int) -> Ints:
        """For each vector, as far as is known, the records that it withholds at least
        for a number.
        """
        # Everything finer than what was counted withholds as many, or more.
        least: Ints = np.zeros(self.most.shape, dtype=np.int64)
        for stage in self.stages:
            stage.note_lasting(number, least)
        return from_above(np.maximum, least)

    def _looked_at(
        self, vector: LevelVector, number: int, rows: int, least: Ints
    ) -> SatisfiedNumbers | None:
        """What a vector satisfies; None where it withholds more than so many records,
        as then does what is finer than something above it.
        """
        said = None
        for stage in self.stages:
            said = stage.counted(vector, number)
            if said.lasting[number] > rows:
                stage.lift_withholding(vector, number, rows, least)
                return None
        return said
