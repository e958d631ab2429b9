"""What a release by tuples would lose, at a glance: an estimate, no verdict.

Level vectors are gone through, cheapest first.  At each the tuples that are left are
grouped: classes that satisfy the rules keep that vector, whose boxes hold them, and the
others go on to the next.  What no vector releases becomes one class, with as many of
the dearest others as the rules ask.  The search by tuples starts better and goes
further.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod

import numpy as np

from phverify.exact import Bools, Ints
from phverify.generalization.judge import CandidateJudge
from phverify.microdata.coarser import coarser
from phverify.microdata.histogram import histogram
from phverify.microdata.left_out import without
from phverify.microdata.quotient import Quotient
from phverify.microdata.table import CodedColumn
from phverify.spec import syntax as s
from phverify.spec.along import Along
from phverify.spec.schemes import Scheme

CELLS = 4_000_000
"""So many tuples are grouped, all level vectors together."""
VECTORS = 50, 1000
"""So many level vectors are tried, at least and at most."""
LISTED = 100_000
"""Of more level vectors than this a sample is drawn."""
LEFT = -1
"""Instead of a class: of what none has yet, or of what is withheld."""
Vector = tuple[int, ...]


@dataclass(frozen=True)
class LevelImage:
    """One level of a column: its image, and what each value loses there."""

    image: CodedColumn
    losses: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class GlancedRelease:
    """The class of each tuple, ``LEFT`` where it is withheld; about what that loses."""

    class_of: Ints
    loss: float


@dataclass(frozen=True, eq=False)
class TuplesGlance:
    """A table and its rules, seen from a search in a space of columns."""

    judge: CandidateJudge
    weights: Sequence[float]
    budget: int

    @property
    def understood(self) -> bool:
        """Whether every rule is one of single classes, and is seen of some of them."""
        if self.judge.parts.people or not self.judge.compares_alone:
            return False
        # Inside of a formula the table that classes are compared with is what is left.
        criteria = self.judge.bound.release.criteria
        for body in self.bodies:
            if isinstance(body, s.Criterion):
                continue
            for node in s.subformulas(body):
                if isinstance(node, s.Criterion) and not criteria[node].alone:
                    return False
        return True

    def loss(self) -> float | None:
        """About what a release by tuples loses; None where that is not seen."""
        found = self.release()
        return None if found is None else found.loss

    def release(self) -> GlancedRelease | None:
        """A release by tuples; None where none is seen."""
        if not self.understood:
            return None
        finest = self.judge.finest
        class_of: Ints = np.full(finest.classes, LEFT, dtype=np.int64)
        lost: list[float] = []
        left, numbers, classes = finest, np.arange(finest.classes), 0
        # By level vector, which tuples it releases.
        taken: list[Ints] = []
        for vector in self.vectors():
            if left.rows <= self.spared:
                break
            grouped, into = self._grouped(left, vector)
            fine = self._good(grouped)[into]
            chosen = np.flatnonzero(fine)
            taken.append(numbers[chosen])
            lost.append(self._lost(left, vector, chosen))
            class_of[numbers[chosen]] = classes + into[chosen]
            classes += grouped.classes
            numbers = numbers[~fine]
            left = without(left, chosen)
        if left.rows <= self.spared:
            return GlancedRelease(class_of, sum(lost) / finest.rows)
        # What is left breaks a rule: it needs others, those that lose most, in a class.
        while taken:
            lost.pop()
            class_of[taken.pop()] = LEFT
            left = without(finest, np.flatnonzero(class_of != LEFT))
            if self._together(left):
                class_of[class_of == LEFT] = classes
                return GlancedRelease(class_of, (sum(lost) + left.rows) / finest.rows)
        return None

    @property
    def spared(self) -> int:
        """How many records may be left over.

        Where classes are compared with what is released none: without them it would be
        another table.
        """
        return 0 if self.judge.compared.asked else self.budget

    def _together(self, left: Quotient) -> bool:
        """Whether everything that is left may be one class."""
        coarsest = tuple(len(steps) - 1 for steps in self.steps)
        grouped, _ = self._grouped(left, coarsest)
        return bool(self._good(grouped).all())

    def _grouped(self, left: Quotient, vector: Vector) -> tuple[Quotient, Ints]:
        """The classes that are left at a level vector; which one each tuple is in."""
        images = {}
        columns = zip(left.quasi, self.steps, vector, strict=True)
        for name, steps, level in columns:
            step = steps[level]
            image = step.image
            images[name] = image
        return coarser(left, images)

    def _good(self, grouped: Quotient) -> Bools:
        """Which classes satisfy all rules, beside the whole table."""
        good: Bools = np.ones(grouped.classes, dtype=bool)
        ground = self.judge.ground(grouped)
        for body in self.bodies:
            if not isinstance(body, s.Criterion):
                good &= np.logical_and.reduceat(ground.truth(body), grouped.starts[:-1])
                continue
            criterion = self.judge.bound.release.criteria[body]
            f = criterion.attribute
            whole = histogram(self.judge.finest, f).outside()
            counted = histogram(grouped, f).against(whole)
            good &= criterion.columns(counted)
        return good

    @cached_property
    def bodies(self) -> list[s.Formula]:
        """What is asked of every class."""
        bodies: list[s.Formula] = [node for _, node in self.judge.compared.asked]
        for part in self.judge.parts.classes:
            bodies += part.bodies
        return bodies

    def _lost(self, left: Quotient, vector: Vector, classes: Ints) -> float:
        """What the records of some classes lose at a level vector."""
        sizes = left.sizes[classes]
        lost = 0.0
        columns = zip(left.quasi, self.steps, vector, self.weights, strict=True)
        for name, steps, level, weight in columns:
            losses = np.array(steps[level].losses)
            codes = left.class_codes[name][classes]
            own = losses[codes] * sizes
            lost += weight * float(own.sum())
        return lost / sum(self.weights)

    # Level vectors

    @cached_property
    def steps(self) -> list[list[LevelImage]]:
        """The levels of each column."""
        return [list(_steps(scheme)) for scheme in self.judge.space.schemes]

    def vectors(self) -> list[Vector]:
        """Some level vectors, cheapest first; always the finest and the coarsest."""
        depths = [len(steps) for steps in self.steps]
        if prod(depths) <= LISTED:
            every = list(product(*map(range, depths)))
        else:
            # A seed: the same table gives the same estimate.
            drawn = random.Random(0)
            every = [tuple(0 for _ in depths), tuple(depth - 1 for depth in depths)]
            for _ in range(LISTED // 10):
                every.append(tuple(map(drawn.randrange, depths)))
        every.sort(key=self._price)
        least, most = VECTORS
        many = min(max(CELLS // self.judge.finest.classes, least), most, len(every))
        places = np.linspace(0, len(every) - 1, many).astype(int)
        return [every[place] for place in np.unique(places).tolist()]

    def _price(self, vector: Vector) -> float:
        """What all records lose at a level vector."""
        return sum(
            losses[level] for losses, level in zip(self._prices, vector, strict=True)
        )

    @cached_property
    def _prices(self) -> list[list[float]]:
        """By column and level, what all records lose there."""
        finest = self.judge.finest
        prices = []
        for name, steps, weight in zip(
            finest.quasi, self.steps, self.weights, strict=True
        ):
            occur = finest.occurrences[name]
            own = [
                weight * float((np.array(step.losses) * occur).sum()) for step in steps
            ]
            prices.append(own)
        return prices


def _steps(scheme: Scheme) -> Iterator[LevelImage]:
    """The levels of a hierarchy; without one a value is kept, or suppressed."""
    values = len(scheme.values)
    if not isinstance(scheme, Along):
        own = tuple(map(str, range(values)))
        yield LevelImage(CodedColumn(np.arange(values), own), (0.0,) * values)
        everything = np.zeros(values, dtype=np.int64)
        yield LevelImage(CodedColumn(everything, ("*",)), (1.0,) * values)
        return
    for level in range(scheme.tree.depth + 1):
        nodes = [path[level] for path in scheme.tree.paths]
        shown = sorted(set(nodes))
        place = {node: code for code, node in enumerate(shown)}
        codes = np.array([place[node] for node in nodes])
        losses = tuple(_loss(scheme, node) for node in nodes)
        yield LevelImage(CodedColumn(codes, tuple(map(str, shown))), losses)


def _loss(scheme: Along, node: int) -> float:
    """What a record loses at a node: the other values below it, as a share."""
    others = scheme.tree.leaves[node] - 1
    all_others = scheme.tree.domain - 1
    return others / max(all_others, 1)
