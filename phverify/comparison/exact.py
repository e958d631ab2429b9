"""Tables of a given shape and size: exactly when formulas are true in them, in linear
integer arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from phverify.comparison.encode import Chosen, Encoder, Scales, World
from phverify.comparison.measures import entropy, value_by_value
from phverify.constraints import terms as t
from phverify.spec import syntax as s
from phverify.spec.criterion.base import ClassCriterion, EvenCriterion
from phverify.spec.criterion.value import ValueCriterion


class Exact(Encoder):
    """Every class has a known number of rows, and there are no other classes."""

    @property
    def rows(self) -> int:
        return sum(self.shape.sizes)

    def frame(self) -> Iterator[t.Term]:
        """The sizes of classes, and the values that must occur."""
        for c, size in enumerate(self.shape.sizes):
            yield t.compare(self.inside(c, self.everything()), "=", size)
        for f, needed in self.case.choice.active.items():
            yield from (
                t.compare(self.total(self.having(f, v)), ">", 0) for v in needed
            )

    def total(self, chosen: Chosen) -> t.LinearSum:
        """How many rows of the table have one of the profiles."""
        return t.added(cell.count for cell in self.cells if chosen[cell.profile])

    def together(self, agent: str, c: int) -> list[int]:
        """The classes that an agent does not tell from class c."""
        if agent == "a1":
            return [c]
        block = self.shape.blocks.get(agent, (0,) * self.shape.classes)
        return [k for k in range(self.shape.classes) if block[k] == block[c]]

    def unit(self, agents: Sequence[str], c: int) -> Scales:
        sizes = {
            agent: sum(self.shape.sizes[k] for k in self.together(agent, c))
            for agent in agents
        }
        scale = math.lcm(1, *sizes.values())
        return t.whole(scale), {agent: scale // size for agent, size in sizes.items()}

    def measure(self, agent: str, body: s.Formula, world: World) -> t.LinearSum:
        return self.count(
            body, self.together(agent, self.cells[world.cell].cls), world.points
        )

    def seen(self, agent: str, body: s.Formula, world: World) -> t.Term:
        return self.among(
            body, self.together(agent, self.cells[world.cell].cls), world.points
        )

    def schema(self, formula: s.Quantified, world: World) -> t.Term:
        first, *rest = formula.binders
        body = formula.body if formula.universal else s.Not(formula.body)
        inner = s.Quantified(True, tuple(rest), body) if rest else body
        found = [
            self.truth(s.substitute(inner, {first.var.name: name}), world)
            for name, _ in world.points
        ]
        for k in range(len(self.cells)):
            there = self.exists(k, world.points)
            if there is t.FALSE:
                continue
            more = (*world.points, (first.var, k))
            if (world.cell, world.point) == (
                k,
                -1,
            ):  # the individual may be at this very world, or at another alike
                found.append(self.truth(inner, World(k, len(world.points), more)))
                there = self.exists(k, more)
            if there is not t.FALSE:
                found.append(
                    t.implies(there, self.truth(inner, world._replace(points=more)))
                )
        everyone = t.conj(found)
        return everyone if formula.universal else t.neg(everyone)

    def satisfied(self, criterion: ClassCriterion, c: int) -> t.Term:
        f, size = criterion.attribute, self.shape.sizes[c]
        values = [self.having(f, v) for v in self.domain(f)]
        counts = [self.inside(c, chosen) for chosen in values]
        if isinstance(criterion, EvenCriterion):
            return entropy(criterion, counts, size)
        if isinstance(criterion, ValueCriterion):
            pairs = zip(counts, map(self.total, values), strict=True)
            return t.conj(
                value_by_value(criterion, x, w, size, self.rows) for x, w in pairs
            )
        return self.conditions(criterion, c, t.whole(size))
