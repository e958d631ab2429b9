"""What is above a candidate that fails, at once: at which level vectors the boxes
around some of its classes still break a part of the policy.

A box around a class at a level vector holds all records that have the same labels
there.  How many steps up two classes meet is counted column by column; the records of
all boxes are then sums along the axes of a table that has a place for each vector.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from operator import itemgetter

import numpy as np

from phverify.exact import Bools, Ints
from phverify.generalization.column_above import ColumnAbove
from phverify.generalization.counted_candidate import CountedCandidate
from phverify.generalization.judge import Box, CandidateJudge
from phverify.generalization.parts import ClassPart
from phverify.microdata.histogram import ClassHistogram
from phverify.spec import syntax as s
from phverify.spec.criterion.base import ClassCriterion

ROOM = 16384
"""So many pairs of classes, and so many boxes with each value, are looked at in one
step, or a few more.
"""


BLOCKS = 256
"""Of so many blocks of a column is worked out where each two of them meet."""
DRAWN = 100
"""Classes among which the smallest are looked for."""


def boxes_fit(part: ClassPart) -> bool:
    """Whether boxes tell something of a part, whoever is in them: what merging keeps is
    broken by some class in a box that breaks it, however the box is cut.
    """
    if part.people:
        return False
    for body in part.bodies:
        if not isinstance(body, s.Criterion):
            return False
    closure = part.closure
    return closure.merge or closure.upward


def boxes_above(
    judge: CandidateJudge,
    view: CountedCandidate,
    part: ClassPart,
    classes: Ints,
    draw: random.Random,
) -> list[Box]:
    """The largest boxes around some of the classes that break a part which break it,
    level vector by level vector; none where they are not looked at in this way.
    """
    if not judge.space.by_levels or not boxes_fit(part):
        return []
    above = LevelsAbove(judge, view, part)
    room = above.room() if len(classes) else 0
    if not room:
        return []
    if len(classes) > room:
        many = range(len(classes))
        few = min(len(many), DRAWN)
        drawn = classes[draw.sample(many, few)]
        # The fewer records there are, the wider is the box that violates.
        sizes = view.quotient.sizes[drawn]
        smallest = np.argsort(sizes, kind="stable")
        classes = drawn[smallest[:room]]
    return above.broken(classes)


@dataclass(frozen=True, eq=False)
class LevelsAbove:
    """The level vectors above a candidate, for one part of the policy."""

    judge: CandidateJudge
    view: CountedCandidate
    part: ClassPart

    @cached_property
    def columns(self) -> list[ColumnAbove]:
        """Each column from its level in the candidate on."""
        space = self.judge.space
        levels = space.level_vector(self.view.candidate)
        return [space.above(number, level) for number, level in enumerate(levels)]

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """How many levels are left, for each column that has more than one."""
        shape = []
        for column in self.columns:
            levels = column.levels
            if levels > 1:
                shape.append(levels)
        return tuple(shape)

    @cached_property
    def criteria(self) -> list[ClassCriterion]:
        """The criteria of the part."""
        built = self.judge.bound.release.criteria
        criteria = []
        for body in self.part.bodies:
            if isinstance(body, s.Criterion):
                criterion = built[body]
                criteria.append(criterion)
        return criteria

    def room(self) -> int:
        """Around how many classes boxes are looked at in one step; 0 where there are
        too many level vectors, or blocks.
        """
        if self.view.quotient.packing.ranks:
            return 0
        blocks = [len(column.ladders) for column in self.columns]
        most = max(blocks)
        if most > BLOCKS:
            return 0
        vectors = prod(self.shape)
        largest = 1
        for criterion in self.criteria:
            counted = self.view.ground.histogram(criterion.attribute)
            largest = max(largest, vectors * len(counted.labels), len(counted.counts))
        return ROOM // largest

    def broken(self, classes: Ints) -> list[Box]:
        """The largest boxes around these classes that break the part: of each level
        vector above which no box does a single one.
        """
        quotient = self.view.quotient
        # Of few keys all digits at once; there are no ranks (see ``room``).
        codes = np.unravel_index(quotient.class_keys[classes], quotient.packing.sizes)
        places = self._places(codes)
        breaks: Bools = np.zeros(len(classes) * prod(self.shape), dtype=bool)
        for criterion in self.criteria:
            counted = self.view.ground.histogram(criterion.attribute)
            breaks |= ~criterion.columns(self._boxes(places, counted))
        breaks = breaks.reshape(len(classes), *self.shape)
        broken: Bools = np.asarray(breaks.any(axis=0))
        if not self.part.closure.upward:
            broken = _with_finer(broken)
        # A row for each vector; at the top of all columns there is none.
        tops = np.argwhere(_maximal(broken))
        # Some class whose box breaks the part there.
        around = np.atleast_1d(breaks[(slice(None), *tops.T)].argmax(axis=0))
        own = np.array(codes)[:, around].T
        return self._widest_first(own.tolist(), tops.tolist())

    def _widest_first(
        self, own: Sequence[Sequence[int]], tops: Sequence[Sequence[int]]
    ) -> list[Box]:
        """The box around a class at a level vector, for each of these; what rules out
        most candidates comes first.

        ``own`` are the codes of the classes, ``tops`` the steps of columns that have
        more than one level.
        """
        boxes = []
        for codes, steps in zip(own, tops, strict=True):
            step = iter(steps)
            box = []
            ruled_out = 1
            for column, code in zip(self.columns, codes, strict=True):
                climbed = next(step) if column.levels > 1 else 0
                box.append(column.ladders[code][climbed])
                ruled_out *= climbed + column.level + 1
            boxes.append((ruled_out, tuple(box)))
        boxes.sort(key=itemgetter(0), reverse=True)
        return [box for _, box in boxes]

    def _places(self, codes: Sequence[Ints]) -> Ints:
        """For each class that boxes are around, a row: in which box the other classes
        are first, by its number among all boxes.

        ``codes`` are those of the classes that boxes are around.  Boxes are numbered
        class by class, and of each class by level vectors; where two classes never meet
        there is none, and the number is that of no box.
        """
        quotient = self.view.quotient
        columns = zip(self.columns, codes, strict=True)
        by_name = dict(zip(quotient.quasi, columns, strict=True))
        around, vectors = len(codes[0]), prod(self.shape)
        nowhere = around * vectors
        places = (np.arange(around) * vectors)[:, None]
        for names, numbers in zip(*quotient.neighbours, strict=True):
            # Where each combination of a group is, before it is looked up by class.
            group = np.zeros((around, 1), dtype=np.int64)
            for name in names:
                column, own = by_name[name]
                vectors //= column.levels
                if len(column.ladders) > 1:
                    steps = column.steps[own] * vectors
                    if column.parted:
                        steps[column.steps[own] == column.levels] = nowhere
                    group = np.add(group[:, :, None], steps[:, None, :])
                    group = group.reshape(around, -1)
            if group.shape[1] > 1:
                places = places + group.take(numbers, axis=1)
        if any(column.parted for column in self.columns):
            places = np.minimum(places, nowhere)
        if places.shape[1] == 1:
            # All classes are in the same boxes.
            places = np.broadcast_to(places, (around, quotient.classes))
        return places

    def _boxes(self, places: Ints, counted: ClassHistogram) -> ClassHistogram:
        """All boxes as classes beside the same table."""
        around, values = len(places), len(counted.labels)
        boxes = around * prod(self.shape)
        cells = places
        if values > 1:
            cells = places.take(counted.cell_classes, axis=1) * values + counted.values
        # The last place is for what meets nowhere.
        totals = np.zeros((boxes + 1) * values, dtype=np.int64)
        counts = np.broadcast_to(counted.counts, cells.shape)
        np.add.at(totals, cells.ravel(), counts.ravel())
        table = totals[:-values].reshape(around, *self.shape, values)
        for axis in range(1, len(self.shape) + 1):
            np.add.accumulate(table, axis=axis, out=table)
        return _as_classes(table.reshape(boxes, values), counted)


def _as_classes(table: Ints, counted: ClassHistogram) -> ClassHistogram:
    """The histogram of boxes, whose counts by value are rows of a table."""
    boxes, values = table.shape
    if values == 1:
        # No box is empty: there is a class that it is around.
        sizes, cells = table[:, 0], np.arange(boxes + 1)
        return replace(
            counted, starts=cells, counts=sizes, values=0 * sizes, sizes=sizes, memo={}
        )
    present = table > 0
    lengths = present.sum(axis=1)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    _, own = np.nonzero(present)
    return replace(
        counted,
        starts=starts,
        counts=table[present],
        values=own,
        sizes=table.sum(axis=1),
        memo={},
    )


def _with_finer(broken: Bools) -> Bools:
    """These level vectors with all that are finer: they have a class within the box."""
    for axis in range(broken.ndim):
        downwards = np.flip(broken, axis)
        either = np.logical_or
        reached = either.accumulate(downwards, axis=axis)
        broken = np.flip(reached, axis)
    return broken


def _maximal(broken: Bools) -> Bools:
    """Those of a set of level vectors that are below no other one; the set has all
    below its own.
    """
    maximal = broken.copy()
    for axis in range(broken.ndim):
        before = axis * (slice(None),)
        lower = slice(None, -1)
        higher = slice(1, None)
        above = broken[(*before, higher)]
        maximal[(*before, lower)] &= ~above
    return maximal
