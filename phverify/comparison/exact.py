"""Tables of a given shape and size: exactly when formulas are true in them, in linear
integer arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from phverify.comparison.criterion_terms import entropy, value_by_value
from phverify.comparison.encode import Chosen, Scales, ShapeEncoder, World
from phverify.constraints import terms as t
from phverify.spec import syntax as s
from phverify.spec.criterion.base import ClassCriterion
from phverify.spec.criterion.even import EvenCriterion
from phverify.spec.criterion.value import ValueCriterion


class Exact(ShapeEncoder):
    """Every class has a known number of rows, and there are no other classes."""

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return sum(self.shape.sizes)

    def frame(self) -> Iterator[t.Term]:
        """The sizes of classes, and the values that must occur."""
        everything = self.everything()
        for c, size in enumerate(self.shape.sizes):
            yield t.compare(self.inside(c, everything), "=", size)
        for f, needed in self.case.choice.active.items():
            for value in needed:
                occurrences = self.total(self.having(f, value))
                yield t.compare(occurrences, ">", 0)

    def total(self, chosen: Chosen) -> t.LinearSum:
        """How many rows of the table have one of the profiles."""
        cells = [cell for cell in self.cells if chosen[cell.profile]]
        return t.added(cell.count for cell in cells)

    def together(self, agent: str, c: int) -> list[int]:
        """The classes that an agent does not tell from class c."""
        if agent == "a1":
            return [c]
        # who is in no block tells nothing apart: a0
        everyone_together = (0,) * self.shape.classes
        block = self.shape.blocks.get(agent, everyone_together)
        return [k for k in range(self.shape.classes) if block[k] == block[c]]

    def unit(self, agents: Sequence[str], c: int) -> Scales:
        """A common multiple of what the agents take for possible at class c."""
        sizes: dict[str, int] = {}
        for agent in agents:
            classes = self.together(agent, c)
            sizes[agent] = sum(self.shape.sizes[k] for k in classes)
        scale = math.lcm(1, *sizes.values())
        return t.whole(scale), {agent: scale // size for agent, size in sizes.items()}

    def measure(self, agent: str, body: s.Formula, world: World) -> t.LinearSum:
        """How many worlds that the agent takes for possible satisfy the body."""
        classes = self.together(agent, self.cells[world.cell].cls)
        return self.count(body, classes, world.points)

    def seen(self, agent: str, body: s.Formula, world: World) -> t.Term:
        """Some world that the agent takes for possible satisfies the body."""
        classes = self.together(agent, self.cells[world.cell].cls)
        return self.among(body, classes, world.points)

    def schema(self, formula: s.Quantified, world: World) -> t.Term:
        """A schema over individuals: those who have been placed, and one on any free
        row.
        """
        first, *rest = formula.binders
        # somebody is like this unless everybody is not
        body = formula.body if formula.universal else s.Not(formula.body)
        inner = s.Quantified(True, tuple(rest), body) if rest else body
        instances: list[t.Term] = []
        for name, _ in world.points:
            instance = s.substitute(inner, {first.var.name: name})
            instances.append(self.truth(instance, world))
        for cell in range(len(self.cells)):
            instances += self._elsewhere(inner, first.var, cell, world)
        everyone = t.conj(instances)
        if formula.universal:
            return everyone
        return t.neg(everyone)

    def _elsewhere(
        self, inner: s.Formula, var: s.Var, cell: int, world: World
    ) -> Iterator[t.Term]:
        """The body for an individual who is on a free row of a cell."""
        there = self.exists(cell, world.points)
        if there is t.FALSE:
            return
        points = (*world.points, (var, cell))
        if (world.cell, world.point) == (cell, -1):
            # the individual may be at this very world, or at another alike
            here = World(cell, len(world.points), points)
            yield self.truth(inner, here)
            there = self.exists(cell, points)
        if there is not t.FALSE:
            at_another = self.truth(inner, world._replace(points=points))
            yield t.implies(there, at_another)

    def satisfied(self, criterion: ClassCriterion, c: int) -> t.Term:
        """When class c satisfies a criterion, its size and that of the table known."""
        f = criterion.attribute
        size = self.shape.sizes[c]
        values = [self.having(f, value) for value in self.domain(f)]
        counts = [self.inside(c, chosen) for chosen in values]
        if isinstance(criterion, EvenCriterion):
            return entropy(criterion, counts, size)
        if isinstance(criterion, ValueCriterion):
            fine = []
            for count, chosen in zip(counts, values, strict=True):
                total = self.total(chosen)
                fine.append(value_by_value(criterion, count, total, size, self.rows))
            return t.conj(fine)
        return self.conditions(criterion, c, t.whole(size))
