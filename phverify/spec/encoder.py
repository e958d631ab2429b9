"""The truth of a formula as terms over the places of the individuals that it names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from math import lcm
from typing import NamedTuple

from phverify.spec import syntax as s
from phverify.spec.data import Refused
from phverify.spec.fold import Carrier, fold
from phverify.spec.linear import Cleared, cleared
from phverify.spec.system import FALSE, TRUE, Literal, Sum, Terms, added, total
from phverify.spec.universe import Cell, Point, Universe
from phverify.spec.walk import Part, is_global


class Place(NamedTuple):
    """A kind of row: where point number ``point`` is, or (point is -1) any row of a
    cell that holds no point.
    """

    group: int
    cell: int
    point: int = -1


NOWHERE = Place(-1, -1)
"""For formulas whose truth is the same at all rows."""


def seat(point: Point, cell: int) -> str:
    """The unknown that says whether a named individual is at a cell of its group."""
    assert isinstance(point.name, s.Person)
    return f"i{point.name.index + 1}_p{cell}"


def member(clause: str, value: int) -> str:
    """The unknown that says whether the clause of a schema variable has a value."""
    return f"{clause}_v{value}"


@dataclass(eq=False)
class Encoder(Carrier[Literal, Place]):
    """``columns`` maps a clause variable to the position of its column among the cells'
    values.

    ``pause`` is called for each new term: it may raise.
    """

    universe: Universe
    columns: dict[str, int]
    terms: Terms
    pause: Callable[[], None]
    depth: int = 0
    _known: dict[tuple[int, Place], Literal] = field(default_factory=dict)
    _globals: dict[int, bool] = field(default_factory=dict)
    _kept: list[s.Formula] = field(default_factory=list)

    def child(self, universe: Universe) -> Encoder:
        return Encoder(universe, self.columns, self.terms, self.pause, self.depth + 1)

    # Who is where

    def sits(self, k: int, c: int) -> Literal:
        """Whether point k is at cell c of its group."""
        point = self.universe.points[k]
        cells = len(self.universe.groups[point.group].cells)
        if point.cell is not None or cells == 1:
            return TRUE if c == (point.cell or 0) else FALSE
        return self.terms.unknown(seat(point, c))

    def free(self, g: int, c: int) -> Sum:
        """How many rows of a cell, of one class of the group, hold no point."""
        taken = [
            (-1, self.sits(k, c))
            for k, point in enumerate(self.universe.points)
            if point.group == g
        ]
        return total(taken, self.universe.groups[g].cells[c].count)

    def occurs(self, g: int, c: int) -> Literal:
        return self.terms.at_least(self.free(g, c).plus(-1))

    def placements(self) -> Iterator[Literal]:
        """Everyone is at one cell, and no cell holds more people than it has rows."""
        for k, point in enumerate(self.universe.points):
            places = [
                self.sits(k, c)
                for c in range(len(self.universe.groups[point.group].cells))
            ]
            yield self.terms.at_least(total(((1, p) for p in places), -1))
            yield self.terms.at_least(total(((-1, p) for p in places), 1))
        for g, c in self.universe.kinds():
            yield self.terms.at_least(self.free(g, c))

    def worlds(self) -> Iterator[tuple[Place, Literal]]:
        """Every kind of row, and whether there is one."""
        for k, point in enumerate(self.universe.points):
            yield Place(point.group, -1, k), TRUE
        for g, c in self.universe.kinds():
            yield Place(g, c), self.occurs(g, c)

    def true_everywhere(self, f: s.Formula) -> Literal:
        if is_global(f):
            return self.truth(f, NOWHERE)
        return self.terms.conj(
            self.terms.disj((-there, self.truth(f, place)))
            for place, there in self.worlds()
        )

    # Truth: a carrier of the fold, as ``semantics`` is

    def truth(self, formula: s.Formula, place: Place) -> Literal:
        """The term that says when a formula is true at a kind of row."""
        key = id(formula), NOWHERE if self._global(formula) else place
        if key not in self._known:
            self.pause()
            self._known[key] = fold(self, formula, key[1])
            self._kept.append(formula)
        return self._known[key]

    def _global(self, formula: s.Formula) -> bool:
        if id(formula) not in self._globals:
            self._globals[id(formula)] = is_global(formula)
            self._kept.append(formula)
        return self._globals[id(formula)]

    def constant(self, value: bool, place: Place) -> Literal:
        return TRUE if value else FALSE

    def negation(self, truth: Literal, place: Place) -> Literal:
        return -truth

    def conjunction(self, truths: Iterator[Literal], place: Place) -> Literal:
        return self.terms.conj(truths)

    def other(self, formula: s.Formula, place: Place) -> Literal:
        if isinstance(formula, Part):
            return self._fact(
                place, lambda cell: TRUE if cell.truths[formula.index] else FALSE
            )
        raise Refused(f"no formula: {formula!r}")

    def chosen(self, formula: s.Chosen, place: Place) -> Literal:
        name = formula.var.name
        position = self.columns[name]
        return self._fact(
            place, lambda cell: self.terms.unknown(member(name, cell.values[position]))
        )

    def _fact(self, place: Place, fact: Callable[[Cell], Literal]) -> Literal:
        """A fact of the cell: at a free row that of its cell, at a point that of the
        cell where it is.
        """
        cells = self.universe.groups[place.group].cells
        if place.point < 0:
            return fact(cells[place.cell])
        facts = [
            (self.sits(place.point, c), fact(cell)) for c, cell in enumerate(cells)
        ]
        found = {value for _, value in facts}
        if found <= {TRUE, FALSE}:
            if found == {TRUE}:
                return TRUE
            # Nobody is at two cells: the places where it is true add up to its value.
            return self.terms.one_of(there for there, value in facts if value == TRUE)
        return self.terms.disj(self.terms.conj(pair) for pair in facts)

    def nominal(self, formula: s.Nominal, place: Place) -> Literal:
        name = formula.name
        if isinstance(name, s.Row):
            return self._fact(
                place, lambda cell: TRUE if cell.row == name.index else FALSE
            )
        return (
            TRUE
            if place.point >= 0 and self.universe.points[place.point].name == name
            else FALSE
        )

    def at(self, formula: s.At, place: Place) -> Literal:
        name = formula.name
        if isinstance(name, s.Row):
            return self._at_row(name.index, formula.body)
        k = next(
            k for k, point in enumerate(self.universe.points) if point.name == name
        )
        return self.truth(formula.body, Place(self.universe.points[k].group, -1, k))

    def _at_row(self, row: int, body: s.Formula) -> Literal:
        """One of the points is there, or none."""
        g, c = next(
            (g, c)
            for g, c in self.universe.kinds()
            if self.universe.groups[g].cells[c].row == row
        )
        cases = [
            self.terms.conj((self.sits(k, c), self.truth(body, Place(g, -1, k))))
            for k, point in enumerate(self.universe.points)
            if point.group == g
        ]
        empty = self.terms.conj((self.occurs(g, c), self.truth(body, Place(g, c))))
        return self.terms.disj((*cases, empty))

    def _around(self, agent: str, place: Place) -> Iterator[tuple[Place, Literal, int]]:
        """The kinds of rows in the agent's cell: (kind, whether there is one, in how
        many classes alike).
        """
        around = self.universe.around(agent, place.group)
        inside = {g for g, _ in around}
        for k, point in enumerate(self.universe.points):
            if point.group in inside:
                yield Place(point.group, -1, k), TRUE, 1
        for g, many in around:
            for c in range(len(self.universe.groups[g].cells)):
                yield Place(g, c), self.occurs(g, c), many

    def somewhere(
        self, formula: s.Diamond | s.Box, agent: str, wanted: bool, place: Place
    ) -> Literal:
        body, sign = formula.body, 1 if wanted else -1
        if self._global(body):
            return sign * self.truth(
                body, NOWHERE
            )  # every agent takes some row for possible
        around = self._around(agent, place)
        return self.terms.disj(
            self.terms.conj((there, sign * self.truth(body, other)))
            for other, there, _ in around
        )

    def _count(self, agent: str, body: s.Formula, place: Place) -> Sum:
        """How many rows of the agent's cell satisfy the body."""
        found: list[tuple[int, Literal]] = []
        points: list[Sum] = []
        for other, _, many in self._around(agent, place):
            truth = self.truth(body, other)
            if other.point >= 0:
                points.append(self.terms.value(truth))
                continue
            free = self.free(other.group, other.cell).times(many)
            found.append((free.constant, truth))
            found += [(c, self.terms.conj((v, truth))) for v, c in free.parts.items()]
        return added([total(found), *points])

    def compare(
        self, formula: s.Compare, difference: s.Linear, place: Place
    ) -> Literal:
        """Multiplied by all denominators."""
        linear = cleared(difference)
        sizes = {agent: self._size(agent, place) for agent in linear.agents}
        value = self._value(linear, lcm(1, *sizes.values()), sizes, place)
        up, down = self.terms.at_least(value), self.terms.at_least(value.times(-1))
        equal = self.terms.conj((up, down))
        return {"<=": down, ">=": up, "<": -up, ">": -down, "=": equal, "!=": -equal}[
            formula.op
        ]

    def _size(self, agent: str, place: Place) -> int:
        return sum(
            self.universe.groups[g].size * many
            for g, many in self.universe.around(agent, place.group)
        )

    def _value(
        self, linear: Cleared, scale: int, sizes: dict[str, int], place: Place
    ) -> Sum:
        """The value of a sum of likelihoods, times ``scale``."""
        sums = [Sum({}, linear.constant * scale)]
        for coefficient, term in linear.terms:
            agent = str(term.agent)
            sums.append(
                self._count(agent, term.body, place).times(
                    coefficient * scale // sizes[agent]
                )
            )
        for sign, inner in linear.magnitudes:
            sums.append(
                self._size_of(self._value(inner, scale, sizes, place)).times(sign)
            )
        return added(sums)

    def _size_of(self, body: Sum) -> Sum:
        """The absolute value of a sum: the sum where it is >= 0, else what is opposite
        to it.
        """
        up = self.terms.at_least(body)
        if up in (TRUE, FALSE):
            return body.times(up)
        parts = [(2 * body.constant, up)]
        for v, c in body.parts.items():
            parts += [(c, self.terms.conj((v, up))), (-c, self.terms.conj((v, -up)))]
        return total(parts, -body.constant)

    def schema(self, formula: s.Quantified, place: Place) -> Literal:
        """For all, or for some, individuals: those that are points, and anyone on a
        free row.
        """
        (binder,), body = formula.binders, formula.body
        variable, sign = binder.var.name, 1 if formula.universal else -1
        points = self.universe.points
        everyone = [
            sign * self.truth(s.substitute(body, {variable: p.name}), place)
            for p in points
        ]
        fresh = s.Var(f"{variable}.{self.depth}")
        others = self._others(sign, fresh, s.substitute(body, {variable: fresh}), place)
        return sign * self.terms.conj([*everyone, *others])

    def _others(
        self, sign: int, fresh: s.Var, body: s.Formula, place: Place
    ) -> Iterable[Literal]:
        for g, c in self.universe.kinds():
            there = self.occurs(g, c)
            child = self.child(self.universe.with_point(fresh, g, c))
            if place == Place(
                g, c
            ):  # the individual may be at this very row, or at another one like it
                yield sign * child.truth(body, Place(g, -1, len(self.universe.points)))
                there = child.occurs(g, c)
            yield self.terms.disj((-there, sign * child.truth(body, place)))
