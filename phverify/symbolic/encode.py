"""From formulas to constraints: where each mentioned individual sits is the unknown.

A carrier of the fold, as ``spec.semantics`` is.  There a formula has a truth set in one model; here it has, at each
kind of world, a term over the placements of all models at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from phverify.budget import Deadline
from phverify.constraints import terms as t
from phverify.spec import syntax as s
from phverify.spec.fold import fold
from phverify.spec.linear import cleared
from phverify.spec.walk import Part, is_global
from phverify.symbolic.sums import Terms, compared, weighed
from phverify.symbolic.universe import Cell, Universe


class World(NamedTuple):
    """A kind of world: a point (cell is -1), or any free row of a cell of a group (point is -1)."""

    group: int
    cell: int
    point: int = -1


NOWHERE = World(-1, -1)
"""For formulas whose truth does not depend on the world."""


@dataclass(eq=False)
class Encoder(Terms[World]):
    """Terms for the truth of one formula's parts over one universe.

    ``clauses`` maps a clause variable to the position of its attribute among the cells' values.
    """

    universe: Universe
    clauses: dict[str, int] = field(default_factory=dict)
    deadline: Deadline | None = None
    depth: int = 0
    _known: dict[tuple[int, World], t.Term] = field(default_factory=dict)
    _globals: dict[int, bool] = field(default_factory=dict)
    _kept: list[s.Formula] = field(default_factory=list)

    def worlds(self) -> Iterator[tuple[World, t.Term]]:
        """Every kind of world, and whether there is such a world."""
        for k, point in enumerate(self.universe.points):
            yield World(point.group, -1, k), t.TRUE
        for g, group in enumerate(self.universe.groups):
            for c in range(len(group.cells)):
                yield World(g, c), self.universe.occurs(g, c)

    def truth(self, formula: s.Formula, world: World) -> t.Term:
        """The term that says when the formula is true at the world."""
        world = NOWHERE if self._global(formula) else world
        key = id(formula), world
        if key not in self._known:
            if self.deadline:
                self.deadline.check()
            self._known[key] = fold(self, formula, world)
            self._kept.append(formula)
        return self._known[key]

    def _global(self, formula: s.Formula) -> bool:
        if id(formula) not in self._globals:
            self._globals[id(formula)] = is_global(formula)
            self._kept.append(formula)
        return self._globals[id(formula)]

    def other(self, formula: s.Formula, world: World) -> t.Term:
        if isinstance(formula, Part):
            return self._where(world, lambda cell: t.constant(cell.truths[formula.index]))
        return super().other(formula, world)

    def chosen(self, formula: s.Chosen, world: World) -> t.Term:
        clause = formula.var.name
        position = self.clauses[clause]
        return self._where(world, lambda cell: clause_holds(clause, cell.values[position]))

    def _where(self, world: World, fact: Callable[[Cell], t.Term]) -> t.Term:
        """A fact of the cell: at a free row that of its cell, at a point that of the cell it is at."""
        cells = self.universe.groups[world.group].cells
        if world.point < 0:
            return fact(cells[world.cell])
        point = self.universe.points[world.point]
        if point.cell is not None:
            return fact(cells[point.cell])
        facts = [fact(cell) for cell in cells]
        if all(f is t.TRUE or f is t.FALSE for f in facts):
            return self._among([c for c, f in enumerate(facts) if f is t.TRUE], world.point, len(cells))
        return t.disj(t.conj((point.unknown(c), f)) for c, f in enumerate(facts))

    def _among(self, chosen: list[int], k: int, cells: int) -> t.Term:
        """Point k is at one of the chosen cells: a sum, which keeps pigeonholes linear."""
        if len(chosen) in (0, cells):
            return t.constant(bool(chosen))
        return t.at_least(t.count((1, self.universe.points[k].unknown(c)) for c in chosen), 1)

    def nominal(self, formula: s.Nominal, world: World) -> t.Term:
        name = formula.name
        if isinstance(name, s.Row):
            return self._where(world, lambda cell: t.constant(cell.row == name.index))
        here = world.point >= 0 and self.universe.points[world.point].name == name
        return t.constant(here)

    def at(self, formula: s.At, world: World) -> t.Term:
        name = formula.name
        if isinstance(name, s.Row):
            return self._at_row(name, formula.body)
        k = next(k for k, point in enumerate(self.universe.points) if point.name == name)
        return self.truth(formula.body, World(self.universe.points[k].group, -1, k))

    def _at_row(self, name: s.Row, body: s.Formula) -> t.Term:
        """At a pseudonym: there is one of the points, or none of them."""
        group, cell = next(
            (g, c)
            for g, found in enumerate(self.universe.groups)
            for c, item in enumerate(found.cells)
            if item.row == name.index
        )
        cases = [
            t.conj((point.unknown(cell), self.truth(body, World(group, -1, k))))
            for k, point in enumerate(self.universe.points)
            if point.group == group
        ]
        free = t.conj((self.universe.occurs(group, cell), self.truth(body, World(group, cell))))
        return t.disj([*cases, free])

    def somewhere(self, formula: s.Diamond | s.Box, agent: str, wanted: bool, world: World) -> t.Term:
        body = formula.body

        def found(term: t.Term) -> t.Term:
            return term if wanted else t.neg(term)

        if self._global(body):
            return found(self.truth(body, NOWHERE))
        return t.disj(t.conj((there, found(self.truth(body, other)))) for other, there, _ in self._cell(agent, world))

    def _cell(self, agent: str, world: World) -> Iterator[tuple[World, t.Term, int]]:
        """The kinds of worlds in the agent's cell around a world: (world, whether it occurs, classes alike)."""
        together = self.universe.together(agent, world.group)
        inside = {g for g, _ in together}
        for k, point in enumerate(self.universe.points):
            if point.group in inside:
                yield World(point.group, -1, k), t.TRUE, 1
        for g, many in together:
            for c in range(len(self.universe.groups[g].cells)):
                yield World(g, c), self.universe.occurs(g, c), many

    def _count(self, agent: str, body: s.Formula, world: World) -> t.Sum:
        """How many worlds of the agent's cell satisfy the body."""
        sums = []
        for other, _, many in self._cell(agent, world):
            term = self.truth(body, other)
            if other.point >= 0:
                sums.append(t.count([(1, term)]))
            elif term is t.TRUE:
                sums.append(many * self.universe.free(other.group, other.cell))
            elif term is not t.FALSE:
                free = self.universe.free(other.group, other.cell)
                taken = [(c * many, t.conj((x, term))) for c, x in free.counts]
                sums.append(t.count([(free.constant * many, term), *taken]))
        return t.added(sums)

    def _size(self, agent: str, world: World) -> int:
        together = self.universe.together(agent, world.group)
        return sum(self.universe.groups[g].size * many for g, many in together)

    def compare(self, formula: s.Compare, difference: s.Linear, world: World) -> t.Term:
        """Multiplied by all denominators."""
        linear = cleared(difference)
        sizes = {agent: self._size(agent, world) for agent in linear.agents}
        scale = math.lcm(1, *sizes.values())

        def counted(term: s.Likelihood) -> t.Sum:
            agent = str(term.agent)
            return scale // sizes[agent] * self._count(agent, term.body, world)

        return compared(weighed(linear, t.Sum(scale), counted), formula.op)

    def schema(self, formula: s.Quantified, world: World) -> t.Term:
        """A schema over individuals inside a formula: everyone is a point, or sits on a free row."""
        body = formula.body if formula.universal else s.Not(formula.body)
        first, *rest = formula.binders
        inner = s.Quantified(True, tuple(rest), body) if rest else body
        named = [self.truth(s.substitute(inner, {first.var.name: p.name}), world) for p in self.universe.points]
        everyone = t.conj([*named, *self._unnamed(first, inner, world)])
        return everyone if formula.universal else t.neg(everyone)

    def _unnamed(self, binder: s.Binder, body: s.Formula, world: World) -> Iterator[t.Term]:
        fresh = s.Var(f"{binder.var.name}.{self.depth}")
        body = s.substitute(body, {binder.var.name: fresh})
        for g, group in enumerate(self.universe.groups):
            for c in range(len(group.cells)):
                there = self.universe.occurs(g, c)
                if there is t.FALSE:
                    continue
                child = self.child(self.universe.with_point(fresh, g, c))
                if world == World(g, c):  # the individual may sit at this very world, or at another alike
                    yield child.truth(body, World(g, -1, len(self.universe.points)))
                    there = child.universe.occurs(g, c)
                yield t.disj((t.neg(there), child.truth(body, world)))

    def child(self, universe: Universe) -> Encoder:
        """An encoder for the same formula over a universe with one more point."""
        return Encoder(universe, self.clauses, self.deadline, self.depth + 1)


def clause_holds(name: str, value: int) -> t.Term:
    """Whether the clause chosen for a variable contains a value."""
    return t.Unknown(f"{name}_v{value}")
