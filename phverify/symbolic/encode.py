"""From formulas to constraints: where each mentioned individual sits is the unknown.

The twin of ``models.semantics``: the same cases in the same order.  There a formula has a truth set in one
model; here it has, at each kind of world, a term over the placements of all models at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from phverify.budget import Deadline
from phverify.constraints import terms as t
from phverify.exact import common_denominator
from phverify.spec import syntax as s
from phverify.symbolic.ground import coefficients, is_ground
from phverify.symbolic.universe import Cell, Universe


@dataclass(frozen=True, slots=True)
class Part(s.Formula):
    """A maximal ground part, by number; its truth is a fact of each cell."""

    index: int


def split(formula: s.Formula, parts: list[s.Formula]) -> s.Formula:
    """The formula with its maximal ground parts numbered; they are appended to ``parts``."""
    if isinstance(formula, s.Truth):
        return formula
    if is_ground(formula):
        if formula not in parts:
            parts.append(formula)
        return Part(parts.index(formula))
    return s.rebuild(formula, lambda child: split(child, parts))


def is_global(formula: s.Formula) -> bool:
    """Whether the truth of a formula is the same at all worlds, because it speaks of named places only.

    Every agent of a release takes some world for possible, so that ``[a] phi`` says no more than a global phi.
    """
    match formula:
        case s.Truth() | s.At():
            return True
        case s.Not() | s.And() | s.Or() | s.Implies() | s.Iff() | s.Quantified() | s.Diamond() | s.Box():
            return all(map(is_global, s.children(formula)))
    return False


class World(NamedTuple):
    """A kind of world: a point (cell is -1), or any free row of a cell of a group (point is -1)."""

    group: int
    cell: int
    point: int = -1


NOWHERE = World(-1, -1)
"""For formulas whose truth does not depend on the world."""


@dataclass(eq=False)
class Encoder:
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
            self._known[key] = self._truth(formula, world)
            self._kept.append(formula)
        return self._known[key]

    def _global(self, formula: s.Formula) -> bool:
        if id(formula) not in self._globals:
            self._globals[id(formula)] = is_global(formula)
            self._kept.append(formula)
        return self._globals[id(formula)]

    def _truth(self, formula: s.Formula, world: World) -> t.Term:
        match formula:
            case s.Truth(value):
                return t.constant(value)
            case Part(index):
                return self._where(world, lambda cell: t.constant(cell.truths[index]))
            case s.Chosen(s.Var(clause)):
                position = self.clauses[clause]
                return self._where(world, lambda cell: clause_holds(clause, cell.values[position]))
            case s.Nominal(name):
                return self._is(name, world)
            case s.Not(body):
                return t.neg(self.truth(body, world))
            case s.And(parts):
                return t.conj(self.truth(part, world) for part in parts)
            case s.Or(parts):
                return t.disj(self.truth(part, world) for part in parts)
            case s.Implies(left, right):
                return t.disj((t.neg(self.truth(left, world)), self.truth(right, world)))
            case s.Iff(left, right):
                return t.iff(self.truth(left, world), self.truth(right, world))
            case s.Diamond(str(agent), body):
                return self._somewhere(agent, body, world, True)
            case s.Box(str(agent), body):
                return t.neg(self._somewhere(agent, body, world, False))
            case s.At(name, body):
                return self._at(name, body)
            case s.Compare(left, op, right):
                return self._compare(s.minus(left, right), op, world)
            case s.Quantified(universal, binders, body):
                return self._for_each(universal, binders, body, world)
        raise TypeError(f"cannot encode {formula!r}")

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
        return t.at_least(t.total((1, self.universe.points[k].unknown(c)) for c in chosen), 1)

    def _is(self, name: s.Reference, world: World) -> t.Term:
        if isinstance(name, s.Row):
            return self._where(world, lambda cell: t.constant(cell.row == name.index))
        here = world.point >= 0 and self.universe.points[world.point].name == name
        return t.constant(here)

    def _at(self, name: s.Reference, body: s.Formula) -> t.Term:
        if isinstance(name, s.Row):
            return self._at_row(name, body)
        k = next(k for k, point in enumerate(self.universe.points) if point.name == name)
        return self.truth(body, World(self.universe.points[k].group, -1, k))

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

    def _somewhere(self, agent: str, body: s.Formula, world: World, wanted: bool) -> t.Term:
        """The body has the wanted truth at some world of the agent's cell."""

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
                sums.append(t.total([(1, term)]))
            elif term is t.TRUE:
                sums.append(t.scaled(many, self.universe.free(other.group, other.cell)))
            elif term is not t.FALSE:
                free = self.universe.free(other.group, other.cell)
                taken = [(c * many, t.conj((x, term))) for c, x in free.parts]
                sums.append(t.total([(free.constant * many, term), *taken]))
        return t.added(sums)

    def _size(self, agent: str, world: World) -> int:
        together = self.universe.together(agent, world.group)
        return sum(self.universe.groups[g].size * many for g, many in together)

    def _compare(self, linear: s.Linear, op: str, world: World) -> t.Term:
        """``linear op 0``, multiplied by all denominators."""
        sizes = {str(term.agent): self._size(str(term.agent), world) for term in s.likelihoods(linear)}
        clear = Fraction(common_denominator(coefficients(linear)) * math.lcm(1, *sizes.values()))
        value = self._numerator(linear, clear, sizes, world)
        match op:
            case ">":
                return t.at_least(value, 1)
            case ">=":
                return t.at_least(value)
            case "<":
                return t.at_least(t.scaled(-1, value), 1)
            case "<=":
                return t.at_least(t.scaled(-1, value))
        equal = t.conj((t.at_least(value), t.at_least(t.scaled(-1, value))))
        return equal if op == "=" else t.neg(equal)

    def _numerator(self, linear: s.Linear, clear: Fraction, sizes: dict[str, int], world: World) -> t.Sum:
        sums = [t.Sum((), int(linear.constant * clear))]
        for coefficient, quantity in linear.terms:
            factor = coefficient * clear
            if isinstance(quantity, s.Abs):
                inner = self._numerator(quantity.body, abs(factor), sizes, world)
                sums.append(t.magnitude(1 if factor > 0 else -1, inner))
            else:
                agent = str(quantity.agent)
                count = self._count(agent, quantity.body, world)
                sums.append(t.scaled(int(factor / sizes[agent]), count))
        return t.added(sums)

    def _for_each(self, universal: bool, binders: tuple[s.Binder, ...], body: s.Formula, world: World) -> t.Term:
        """A schema over individuals inside a formula: everyone is a point, or sits on a free row."""
        body = body if universal else s.Not(body)
        first, *rest = binders
        inner = s.Quantified(True, tuple(rest), body) if rest else body
        named = [self.truth(s.substitute(inner, {first.var.name: p.name}), world) for p in self.universe.points]
        everyone = t.conj([*named, *self._unnamed(first, inner, world)])
        return everyone if universal else t.neg(everyone)

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
