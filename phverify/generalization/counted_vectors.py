"""Level vectors that are counted, each once, and what that says of all others: for how
many numbers of a rule they satisfy the policy.

What breaks a number may be generalized as long as all that is finer breaks it, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from operator import mul

import numpy as np

from phverify.exact import Bools, Ints
from phverify.generalization.above import boxes_above
from phverify.generalization.counted_candidate import CountedCandidate
from phverify.generalization.every_vector import LevelVector
from phverify.generalization.loop import LeastSearch
from phverify.generalization.master import Grid
from phverify.generalization.numbers import SatisfiedNumbers, VaryingPart
from phverify.microdata.table import CodedColumn

ROOM = 4_000_000
"""Cells of the counted vectors from which further ones are counted."""


@dataclass(frozen=True, eq=False)
class OneLevel:
    """A column at a level: its decisions, and the image of each value."""

    decisions: Bools
    image: CodedColumn


@dataclass(eq=False)
class CountedVectors:
    """What is known of all level vectors.

    Each satisfies ``most`` numbers at most: whoever counts other parts of the policy
    notes it there, too.
    """

    search: LeastSearch
    grid: Grid
    varying: VaryingPart
    most: Ints
    known: dict[LevelVector, SatisfiedNumbers] = field(default_factory=dict)
    views: dict[int, CountedCandidate] = field(default_factory=dict)
    """By number of the vector."""
    ruled_out: dict[LevelVector, int] = field(default_factory=dict)
    """Vectors in boxes: with all that is finer they satisfy so many numbers at most."""
    room: int = ROOM

    def __post_init__(self) -> None:
        columns, numbers = self.most.ndim, len(self.varying.numbers)
        # Of each column how far vectors are apart that differ by a level.
        self._strides = [step // self.most.itemsize for step in self.most.strides]
        # So many numbers each vector satisfies at least.
        self.fewest: Ints = np.zeros(self.most.shape, dtype=self.most.dtype)
        # For so many numbers something that is finer may satisfy them.
        self.open: Ints = np.zeros(self.most.shape, dtype=self.most.dtype)
        # Vectors from which others are counted, column by column, and their cells.
        self._viewed: Ints = np.zeros((columns, 1), dtype=np.int16)
        self._cells: Ints = np.zeros(1, dtype=np.int64)
        # Of what is known, in the order in which it was counted: which vector it is
        # of, and how many records everything finer withholds for each number.
        self._counted: Ints = np.zeros(1, dtype=np.int64)
        self._lasting: Ints = np.zeros((1, numbers), dtype=np.int64)
        self._rows: dict[LevelVector, int] = {}
        self._names = [scheme.name for scheme in self.search.space.schemes]
        self._levels = list(self._columns())

    def _columns(self) -> Iterator[list[OneLevel]]:
        """Column by column its levels."""
        space = self.search.space
        for column, scheme in enumerate(space.schemes):
            levels = []
            for level in range(scheme.decisions + 1):
                vector = [0] * len(space.schemes)
                vector[column] = level
                candidate = space.vector(vector)
                image = space.columns(candidate)[scheme.name]
                levels.append(OneLevel(space.each(candidate)[column], image))
            yield levels

    def counted(self, vector: LevelVector, number: int) -> SatisfiedNumbers:
        """What a vector satisfies, counted once, when it is asked about a number: less
        strict ones do not matter any more.
        """
        known = self.known.get(vector)
        if known is None:
            self.search.deadline.check()
            known = self._count(vector, number)
        return known

    def _count(self, vector: LevelVector, number: int) -> SatisfiedNumbers:
        view = self.view(vector)
        said = self.varying.satisfied(view, number)
        self._take(vector, said)
        return said

    def _take(self, vector: LevelVector, said: SatisfiedNumbers) -> None:
        """Take over what is known of a vector for all others."""
        self._note(vector, said)
        self._note_open(vector, said.open)
        # What is ruled out above a vector is ruled out of all that is finer, too.
        if said.finer < self.most[vector]:
            below = self.most[tuple([slice(level + 1) for level in vector])]
            np.minimum(below, said.finer, out=below)
        self.most[vector] = min(self.most[vector], said.first)
        if not self.varying.rising:
            self.fewest[vector] = said.known
        elif said.known:
            above = self.fewest[tuple([slice(level, None) for level in vector])]
            np.maximum(above, said.known, out=above)

    def _note(self, vector: LevelVector, said: SatisfiedNumbers) -> None:
        """Note what a vector satisfies."""
        count = self._rows.setdefault(vector, len(self._rows))
        if count == len(self._counted):
            # Twice the room: a step each time would copy everything each time.
            self._counted = np.concatenate([self._counted, self._counted])
            self._lasting = np.concatenate([self._lasting, self._lasting])
        self._counted[count] = self._number(vector)
        self._lasting[count] = said.lasting
        self.known[vector] = said

    # From vectors to classes

    def view(self, vector: LevelVector) -> CountedCandidate:
        """A vector counted, from a finer one where there is one."""
        number = self._number(vector)
        if number in self.views:
            return self.views[number]
        pairs = zip(self._levels, vector, strict=True)
        levels = [own[level] for own, level in pairs]
        candidate = np.concatenate([level.decisions for level in levels])
        images = [level.image for level in levels]
        by_name = dict(zip(self._names, images, strict=True))
        finer = self._finer(vector, number)
        view = self.varying.judge.view_of(candidate, by_name, finer)
        if view.quotient.cells <= self.room:
            self._keep(vector, number, view)
        return view

    def _number(self, vector: LevelVector) -> int:
        """The number of a vector among all."""
        steps = map(mul, vector, self._strides)
        return sum(steps)

    def _keep(self, vector: LevelVector, number: int, view: CountedCandidate) -> None:
        """Keep a vector for counting others from it."""
        count = len(self.views)
        if count == len(self._cells):
            self._viewed = np.concatenate([self._viewed, self._viewed], axis=1)
            self._cells = np.concatenate([self._cells, self._cells])
        self._viewed[:, count] = vector
        self._cells[count] = view.quotient.cells
        self.views[number] = view
        self.room -= view.quotient.cells

    def _finer(self, vector: LevelVector, number: int) -> CountedCandidate | None:
        """A counted vector that is finer and has few cells; None where there is
        none.
        """
        near = []
        for level, stride in zip(vector, self._strides, strict=True):
            if level and number - stride in self.views:
                near.append(self.views[number - stride])
        if near:
            return min(near, key=lambda view: view.quotient.cells)
        count = len(self.views)
        own = np.array(vector, dtype=np.int16)
        finer = (self._viewed[:, :count] <= own[:, None]).all(axis=0)
        places = np.flatnonzero(finer)
        if not len(places):
            return None
        place = places[self._cells[places].argmin()]
        found = tuple(self._viewed[:, place].tolist())
        return self.views[self._number(found)]

    # From vectors to more general ones

    def rule_out_above(self, vector: LevelVector, number: int) -> None:
        """Rule out for a number all that is finer than a vector that breaks it, and
        more general vectors of which that is known, too.
        """
        boxes = list(self._boxes(vector, number))
        if not boxes:
            self.lift(vector, number)
        for top in boxes:
            below = self.most[tuple([slice(level + 1) for level in top])]
            np.minimum(below, number, out=below)
            known = self.ruled_out.get(top, number)
            self.ruled_out[top] = min(known, number)

    def _boxes(self, vector: LevelVector, number: int) -> Iterator[LevelVector]:
        """The largest vectors with a box around a class of a vector that breaks a
        number, and so does all that is finer.
        """
        varying = self.varying
        if varying.budget:
            return
        judge = varying.judge
        view = self.view(vector)
        draw = self.search.refuter.random
        for part in varying.parts(number):
            classes = judge.failing(view, part)
            for box in boxes_above(judge, view, part, classes, draw):
                clause = self.search.space.cut(box)
                levels = self.grid.struck(clause)
                yield tuple([level.stop - 1 for level in levels])

    def lift(self, vector: LevelVector, number: int) -> None:
        """Generalize what breaks a number as long as all that is finer does, too."""
        schemes = self.search.space.schemes
        columns = dict.fromkeys(column for column, _ in self._steps(vector))
        for column in columns:
            # Mostly a column may go as a whole: its highest level comes first.
            for level in range(schemes[column].decisions, vector[column], -1):
                raised = (*vector[:column], level, *vector[column + 1 :])
                if self._broken_below(raised, number):
                    vector = raised
                    break

    def _broken_below(self, vector: LevelVector, number: int) -> bool:
        """Whether it is worth going on from a vector: it breaks a number, and so does
        all that is finer, or it is known by another stage to break it itself.

        Nothing is ruled out by this: that is done where vectors are counted.
        """
        if self.open[vector] > number:
            return False
        known = self.known.get(vector)
        if known is None and self.most[vector] <= number:
            return True
        if not self.varying.by_limits:
            known = self.counted(vector, number)
        elif known is None or known.finer > number:
            known = self._loses_too_many(vector, number, known)
        if known is None:
            return False
        return known.finer <= number

    def _loses_too_many(
        self, vector: LevelVector, number: int, known: SatisfiedNumbers | None
    ) -> SatisfiedNumbers | None:
        """What is known of a vector, and whether everything finer withholds more
        records for a number than may be.
        """
        self.search.deadline.check()
        varying = self.varying
        view = self.view(vector)
        lost = varying.lost(view, number)
        if lost <= varying.budget:
            self._note_open(vector, number + 1)
            return known
        every = len(varying.numbers)
        lasting: Ints = np.zeros(every, dtype=np.int64)
        lasting[number:] = lost
        if known is None:
            known = SatisfiedNumbers(number, number, 0, None, lasting)
        else:
            lasting = np.maximum(known.lasting, lasting)
            known = replace(known, finer=number, lasting=lasting)
        self._take(vector, known)
        return known

    def _note_open(self, vector: LevelVector, numbers: int) -> None:
        """Something that is as fine may satisfy so many numbers, and so it is with
        everything more general.
        """
        above = self.open[tuple([slice(level, None) for level in vector])]
        np.maximum(above, numbers, out=above)

    def _steps(self, vector: LevelVector) -> list[tuple[int, int]]:
        """The levels above a vector by column, the cheapest steps first."""
        space, weights = self.search.space, self.search.cost.weights
        steps = []
        for column, scheme in enumerate(space.schemes):
            start = space.starts[column]
            for level in range(vector[column], scheme.decisions):
                steps.append((weights[start + level], column, level + 1))
        return [(column, level) for _, column, level in sorted(steps)]

    # How many records are withheld

    def note_lasting(self, number: int, least: Ints) -> None:
        """Note for each vector how many records it withholds at least for a number, as
        far as it has been counted.
        """
        count = len(self.known)
        numbers = self._counted[:count]
        lasting = self._lasting[:count, number]
        flat = least.reshape(-1)
        flat[numbers] = np.maximum(flat[numbers], lasting)

    def lift_withholding(
        self, vector: LevelVector, number: int, rows: int, least: Ints
    ) -> None:
        """Generalize what withholds more than so many records for a number as long as
        all that is finer does, too, and note that.
        """
        for column, level in self._steps(vector):
            # What is above a level that was too high withholds even less.
            if level != vector[column] + 1:
                continue
            raised = (*vector[:column], level, *vector[column + 1 :])
            if self.counted(raised, number).lasting[number] > rows:
                vector = raised
        below = least[tuple([slice(level + 1) for level in vector])]
        np.maximum(below, self.known[vector].lasting[number], out=below)
