"""The truth of a formula as terms over the places of the individuals that it names.

Terms are numbered as they are made, and a proof is about these numbers: the order in
which they are asked for is part of what a question is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from phverify.spec import syntax as s
from phverify.spec.data import Refused
from phverify.spec.fold import Carrier, fold
from phverify.spec.parts import Part
from phverify.spec.system import FALSE, TRUE, Literal, Sum, Terms, total
from phverify.spec.universe import Cell, Point, Universe
from phverify.spec.walk import is_global


class Place(NamedTuple):
    """A kind of row: where point number ``point`` is, or any free row of a cell.

    A free row is one that holds no point; ``point`` is -1 then.
    """

    group: int
    cell: int
    point: int = -1


NOWHERE = Place(-1, -1)
"""For formulas whose truth is the same at all rows."""


def seat(point: Point, cell: int) -> str:
    """The unknown that says whether a named individual is at a cell of its group."""
    assert isinstance(point.name, s.Person)
    person = point.name.index + 1
    return f"i{person}_p{cell}"


def member(clause: str, value: int) -> str:
    """The unknown that says whether the clause of a schema variable has a value."""
    return f"{clause}_v{value}"


def constant(value: bool) -> Literal:
    """The literal that is always true, or always false."""
    return TRUE if value else FALSE


@dataclass(eq=False)
class Encoder(Carrier[Literal, Place]):
    """A carrier whose truth values are 0/1 terms; places are kinds of rows.

    ``columns`` maps a clause variable to the position of its column among the cells'
    values.  ``pause`` is called for each new term: it may raise.
    """

    universe: Universe
    columns: dict[str, int]
    terms: Terms
    pause: Callable[[], None]
    depth: int = 0
    _known: dict[tuple[int, Place], Literal] = field(default_factory=dict)
    _globals: dict[int, bool] = field(default_factory=dict)
    # Formulas are known by their id, which must not be given to another one.
    _retained: list[s.Formula] = field(default_factory=list)

    def child(self, universe: Universe) -> Encoder:
        """An encoder for a universe with one more point, which shares the terms."""
        # What is known is not shared: a truth depends on who is in the universe.
        depth = self.depth + 1
        return Encoder(universe, self.columns, self.terms, self.pause, depth)

    # Who is where

    def sits(self, number: int, cell: int) -> Literal:
        """Whether a point is at a cell of its group."""
        point = self.universe.points[number]
        cells = self.universe.groups[point.group].cells
        # A seat that is known, or the only one, is no unknown.
        if point.cell is not None:
            return constant(cell == point.cell)
        if len(cells) == 1:
            return constant(cell == 0)
        return self.terms.unknown(seat(point, cell))

    def free(self, group: int, cell: int) -> Sum:
        """How many rows of a cell, of one class of the group, hold no point."""
        universe = self.universe
        rows = universe.groups[group].cells[cell].count
        points = universe.points_of({group})
        taken = [(-1, self.sits(number, cell)) for number in points]
        return total(taken, rows)

    def occurs(self, group: int, cell: int) -> Literal:
        """Whether a cell has a free row."""
        free = self.free(group, cell)
        return self.terms.at_least(free.plus(-1))

    def placements(self) -> Iterator[Literal]:
        """Everyone is at one cell, and no cell holds more people than it has rows."""
        terms, universe = self.terms, self.universe
        for number, point in enumerate(universe.points):
            cells = range(len(universe.groups[point.group].cells))
            seats = [self.sits(number, cell) for cell in cells]
            at_least_one = total(((1, there) for there in seats), -1)
            yield terms.at_least(at_least_one)
            at_most_one = total(((-1, there) for there in seats), 1)
            yield terms.at_least(at_most_one)

        for group, cell in universe.kinds():
            yield terms.at_least(self.free(group, cell))

    def worlds(self) -> Iterator[tuple[Place, Literal]]:
        """Every kind of row, and whether there is one."""
        for number, point in enumerate(self.universe.points):
            here = Place(point.group, -1, number)
            yield here, TRUE
        for group, cell in self.universe.kinds():
            free_row = Place(group, cell)
            yield free_row, self.occurs(group, cell)

    def true_everywhere(self, formula: s.Formula) -> Literal:
        """Whether a formula is true at every kind of row that there is."""
        if is_global(formula):
            return self.truth(formula, NOWHERE)
        return self.terms.conj(
            self.terms.disj((-there, self.truth(formula, place)))
            for place, there in self.worlds()
        )

    # Truth: a carrier of the fold, as ``semantics`` is

    def truth(self, formula: s.Formula, place: Place) -> Literal:
        """The term that says when a formula is true at a kind of row."""
        if self._global(formula):
            place = NOWHERE
        key = id(formula), place
        if key not in self._known:
            self.pause()
            self._known[key] = fold(self, formula, place)
            self._retained.append(formula)
        return self._known[key]

    def _global(self, formula: s.Formula) -> bool:
        if id(formula) not in self._globals:
            self._globals[id(formula)] = is_global(formula)
            self._retained.append(formula)
        return self._globals[id(formula)]

    def constant(self, value: bool, place: Place) -> Literal:
        """True, or false."""
        return constant(value)

    def negation(self, truth: Literal, place: Place) -> Literal:
        """The opposite literal."""
        return -truth

    def conjunction(self, truths: Iterator[Literal], place: Place) -> Literal:
        """The term for all of them."""
        return self.terms.conj(truths)

    def other(self, formula: s.Formula, place: Place) -> Literal:
        """The truth of a ground part, which is a fact of the cell.

        Raises Refused for a formula of no known kind.
        """
        if not isinstance(formula, Part):
            raise Refused(f"no formula: {formula!r}")
        index = formula.index
        return self._fact(place, lambda cell: constant(bool(cell.truths[index])))

    def chosen(self, formula: s.Chosen, place: Place) -> Literal:
        """Whether the clause has the value of the cell."""
        name = formula.var.name
        position = self.columns[name]

        def has_value(cell: Cell) -> Literal:
            value = cell.values[position]
            in_clause = member(name, value)
            return self.terms.unknown(in_clause)

        return self._fact(place, has_value)

    def _fact(self, place: Place, fact: Callable[[Cell], Literal]) -> Literal:
        """A fact of the cell: at a point that of the cell where it is."""
        cells = self.universe.groups[place.group].cells
        if place.point < 0:
            return fact(cells[place.cell])

        cases = []
        for number, cell in enumerate(cells):
            cases.append((self.sits(place.point, number), fact(cell)))
        values = {value for _, value in cases}
        if values == {TRUE}:
            return TRUE
        if values <= {TRUE, FALSE}:
            # Nobody is at two cells: the places where it is true add up to its value.
            return self.terms.one_of(there for there, value in cases if value == TRUE)
        return self.terms.disj(self.terms.conj(case) for case in cases)

    def nominal(self, formula: s.Nominal, place: Place) -> Literal:
        """Whether the place is the row, or that of the individual."""
        name = formula.name
        if isinstance(name, s.Row):
            index = name.index
            return self._fact(place, lambda cell: constant(cell.row == index))
        # Free rows hold nobody who is named.
        if place.point < 0:
            return FALSE
        point = self.universe.points[place.point]
        is_there = point.name == name
        return constant(is_there)

    def at(self, formula: s.At, place: Place) -> Literal:
        """The truth of the body where the individual, or the row, is."""
        name = formula.name
        if isinstance(name, s.Row):
            return self._at_row(name.index, formula.body)
        points = self.universe.points
        number = next(k for k, point in enumerate(points) if point.name == name)
        group = points[number].group
        return self.truth(formula.body, Place(group, -1, number))

    def _at_row(self, row: int, body: s.Formula) -> Literal:
        """One of the points is there, or none."""
        group, cell = self.universe.kind_of(row)
        cases = []
        for number in self.universe.points_of({group}):
            there = self.sits(number, cell)
            here = Place(group, -1, number)
            cases.append(self.terms.conj((there, self.truth(body, here))))

        # The cell is this row alone: if it is free, nobody is there who is named.
        empty = self.occurs(group, cell)
        free_row = Place(group, cell)
        cases.append(self.terms.conj((empty, self.truth(body, free_row))))
        return self.terms.disj(cases)

    def around(self, agent: str, place: Place) -> Iterator[tuple[Place, Literal, int]]:
        """The kinds of rows in the agent's cell.

        Each with whether there is one, and in how many classes alike.
        """
        around = self.universe.around(agent, place.group)
        # A point in one of these groups is on a row of the agent's cell.
        groups = {group for group, _ in around}
        for number in self.universe.points_of(groups):
            here = Place(self.universe.points[number].group, -1, number)
            yield here, TRUE, 1
        for group, many in around:
            cells = self.universe.groups[group].cells
            for cell in range(len(cells)):
                free_row = Place(group, cell)
                yield free_row, self.occurs(group, cell), many

    def somewhere(
        self, formula: s.Diamond | s.Box, agent: str, wanted: bool, place: Place
    ) -> Literal:
        """Whether the body has the wanted truth at a row of the agent's cell."""
        # The opposite literal says that the body is false.
        body = formula.body
        sign = 1 if wanted else -1
        if self._global(body):
            # Every agent takes some row for possible.
            return sign * self.truth(body, NOWHERE)
        around = self.around(agent, place)
        return self.terms.disj(
            self.terms.conj((there, sign * self.truth(body, other)))
            for other, there, _ in around
        )

    def compare(
        self, formula: s.Compare, difference: s.Linear, place: Place
    ) -> Literal:
        """The comparison in whole numbers: multiplied by all denominators."""
        # Formulas that compare no likelihoods need nothing of counting.
        from phverify.spec.counts import compared

        return compared(self, difference, formula.op, place)

    def schema(self, formula: s.Quantified, place: Place) -> Literal:
        """For all, or for some, individuals: points, and anyone on a free row."""
        (binder,) = formula.binders
        variable, body = binder.var.name, formula.body
        # There is one iff not all are without.
        sign = 1 if formula.universal else -1

        everyone = []
        for point in self.universe.points:
            instance = s.substitute(body, {variable: point.name})
            everyone.append(sign * self.truth(instance, place))

        # The depth tells the name from those of schemas around this one.
        fresh = s.Var(f"{variable}.{self.depth}")
        instance = s.substitute(body, {variable: fresh})
        others = self._others(sign, fresh, instance, place)
        return sign * self.terms.conj([*everyone, *others])

    def _others(
        self, sign: int, fresh: s.Var, body: s.Formula, place: Place
    ) -> Iterable[Literal]:
        """For each cell: if someone is on a free row of it, what the body says then."""
        for group, cell in self.universe.kinds():
            there = self.occurs(group, cell)
            entered = self.universe.with_point(fresh, group, cell)
            child = self.child(entered)
            if place == Place(group, cell):
                # The individual may be at this very row, or at another one like it.
                here = Place(group, -1, len(self.universe.points))
                yield sign * child.truth(body, here)
                there = child.occurs(group, cell)

            elsewhere = sign * child.truth(body, place)
            yield self.terms.disj((-there, elsewhere))
