"""From the solver's values to a concrete leak: who is on which row, at which world, with which choices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from phverify.constraints import terms as t
from phverify.errors import Defect
from phverify.spec import syntax as s
from phverify.spec.encoder import member, seat
from phverify.spec.instances import Step
from phverify.spec.universe import Cell, Point, Universe
from phverify.symbolic.instances import bindings, said_name
from phverify.symbolic.question import Case, Question
from phverify.symbolic.release import Release
from phverify.symbolic.universe import profile_at


@dataclass(frozen=True, eq=False)
class Leak:
    """A placement of the mentioned individuals and a world (a row) where ``formula`` is false."""

    formula: s.Formula
    place: Mapping[int, int]
    world: int
    bindings: Mapping[str, str]
    path: tuple[Chosen, ...] = ()


Chosen = int | tuple[str | int | tuple[str | None, ...] | None, ...]
"""A step from a rule to its instance: a conjunct's number, or what each variable of a schema is: an individual's
number (from 1), a value, an agent, or the values of a clause."""


def chosen_path(path: tuple[Step, ...], chosen: Mapping[str, int | tuple[str | None, ...]]) -> tuple[Chosen, ...]:
    """The path with its unknowns put in; those that play no part are anyone and anything."""

    def put(item: object) -> str | int | tuple[str | None, ...] | None:
        if isinstance(item, s.Var):
            return chosen.get(item.name, 1)
        return item.text if isinstance(item, s.Value) else str(item)

    return tuple(step if isinstance(step, int) else tuple(map(put, step)) for step in path)


def decode(question: Question, release: Release, values: t.Assignment) -> Leak:
    """The leak that a satisfying assignment describes."""
    known: dict[int, bool] = {}
    case = next((c for c in question.cases if t.evaluate(c.term, values, known)), None)
    if case is None:
        raise Defect("the solver's answer satisfies no case of the question")
    return _Placing(question, case, release, values).leak()


class _Placing:
    """Gives every point of a case a row of its own, of the right profile."""

    def __init__(self, question: Question, case: Case, release: Release, values: t.Assignment) -> None:
        self.question, self.case, self.release, self.values = question, case, release, values
        self.universe: Universe = case.universe
        self.free = {g: self._rows(g) for g in self._groups()}

    def _groups(self) -> set[int]:
        groups = {point.group for point in self.universe.points}
        return groups | {self.case.world.group} if self.case.world.group >= 0 else groups

    def _rows(self, group: int) -> dict[int, list[int]]:
        """The rows of a group's class by cell number."""
        index = self.universe.groups[group].classes[0]
        cells = self.universe.groups[group].cells
        rows = self.release.rows_of_class(index)
        found: dict[int, list[int]] = {c: [] for c in range(len(cells))}
        number: dict[int, int] = {}
        for row, origin in zip(rows.tolist(), self.release.cells_of_rows(index, rows), strict=True):
            own = next((c for c, cell in enumerate(cells) if cell.row == row), None)
            if own is None and origin not in number:
                number[origin] = self._number(cells, origin)
            found[number[origin] if own is None else own].append(row)
        return found

    def _number(self, cells: tuple[Cell, ...], origin: int) -> int:
        """Which cell of a group a cell of the quotient belongs to."""
        question = self.question
        profile = profile_at(self.release.ground, question.scope, origin)
        cell = next((c for c, x in enumerate(cells) if x.row is None and (x.truths, x.values) == profile), None)
        return -1 if cell is None else cell

    def leak(self) -> Leak:
        place: dict[s.Person | s.Var, int] = {}
        for point in self.universe.points:
            cell = self._cell(point)
            place[point.name] = self.free[point.group][cell].pop(0)
        persons = self._persons(place)
        placed = {persons[name].index: row for name, row in place.items()}
        path = chosen_path(self.question.instance.path, self._chosen(persons))
        return Leak(self._formula(persons), placed, self._world(place), self._bindings(persons), path)

    def _cell(self, point: Point) -> int:
        """The cell of its group where the values put a point."""
        cells = range(len(self.free[point.group]))
        if point.cell is not None or len(cells) == 1:
            return point.cell or 0
        return next(c for c in cells if self.values.get(seat(point, c)))

    def _chosen(self, persons: Mapping[s.Person | s.Var, s.Person]) -> dict[str, int | tuple[str | None, ...]]:
        people = {name: persons[target].index + 1 for name, target in self.case.people.items()}
        clauses = {b.var.name: self._clause(b) for b in self.question.instance.clauses}
        return {**people, **clauses}

    def _persons(self, place: Mapping[s.Person | s.Var, int]) -> dict[s.Person | s.Var, s.Person]:
        """Every point as a person: a variable's point is someone of its class whom nobody mentioned."""
        result: dict[s.Person | s.Var, s.Person] = {name: name for name in place if isinstance(name, s.Person)}
        used = {person.index for person in result.values()}
        for point in self.universe.points:
            if isinstance(point.name, s.Var):
                result[point.name] = chosen = self.release.someone(place[point.name], used)
                used.add(chosen.index)
        return result

    def _formula(self, persons: Mapping[s.Person | s.Var, s.Person]) -> s.Formula:
        values: dict[str, s.Reference | s.Operand | str | s.Formula] = {
            name: persons[target] for name, target in self.case.people.items()
        }
        for binder in self.question.instance.clauses:
            values[binder.var.name] = s.among(binder.attribute, self._clause(binder))
        return s.substitute(self.question.instance.body, values)

    def _clause(self, binder: s.Binder) -> tuple[str | None, ...]:
        labels = self.release.quotient.labels[binder.attribute]
        chosen = [v for k, v in enumerate(labels) if self.values.get(member(binder.var.name, k), 0)]
        return tuple(chosen)

    def _world(self, place: Mapping[s.Person | s.Var, int]) -> int:
        world = self.case.world
        if world.group < 0:
            return min(place.values(), default=0)
        if world.point >= 0:
            return place[self.universe.points[world.point].name]
        return self.free[world.group][world.cell][0]

    def _bindings(self, persons: Mapping[s.Person | s.Var, s.Person]) -> dict[str, str]:
        called = self.release.signature.called
        people = {said_name(name): called(persons[target]) for name, target in self.case.people.items()}
        return {**bindings(self.question.instance), **people}
