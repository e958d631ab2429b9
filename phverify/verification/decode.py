"""From the solver's values to a concrete leak: who is on which row, at which world,
with which choices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from phverify.constraints import terms as t
from phverify.errors import Defect
from phverify.logic.printer import individual
from phverify.spec import syntax as s
from phverify.spec.encoder import member, seat
from phverify.spec.instances import Step
from phverify.spec.question import Case
from phverify.spec.schemas import Substitution
from phverify.spec.universe import Group, Point, Universe
from phverify.symbolic.encoding import ReleaseQuestion
from phverify.symbolic.instances import bindings, said_name
from phverify.symbolic.release import SymbolicRelease
from phverify.symbolic.universe import Profile, profile_at


@dataclass(frozen=True, eq=False)
class Leak:
    """A placement of the mentioned individuals and a world (a row) where ``formula`` is
    false.

    Individuals and rows are numbers from 0.
    """

    formula: s.Formula
    place: Mapping[int, int]
    world: int
    bindings: Mapping[str, str]
    path: tuple[Chosen, ...] = ()


Labels = tuple[str | None, ...]
Chosen = int | tuple[str | int | Labels | None, ...]
"""A step from a rule to its instance: a conjunct's number, or what each variable of a
schema is: an individual's number (from 1), a value, an agent, or the values of a
clause.
"""


def chosen_path(
    path: tuple[Step, ...], chosen: Mapping[str, int | Labels]
) -> tuple[Chosen, ...]:
    """The path with its unknowns put in; those that play no part are anyone and
    anything.
    """

    def put(item: object) -> str | int | Labels | None:
        if isinstance(item, s.Var):
            return chosen.get(item.name, 1)
        if isinstance(item, s.Value):
            return item.text
        return str(item)

    steps: list[Chosen] = []
    for step in path:
        if isinstance(step, int):
            steps.append(step)
        else:
            steps.append(tuple(map(put, step)))
    return tuple(steps)


def decode(
    question: ReleaseQuestion, release: SymbolicRelease, values: t.Assignment
) -> Leak:
    """The leak that a satisfying assignment describes: every point of a case on a row
    of its own.

    Raises Defect when the values satisfy no case.
    """
    case = _case(question, values)
    free = _FreeRows(question, case.universe, release)
    place: dict[int, int] = {}
    persons: dict[s.Person | s.Var, s.Person] = {}
    for point in case.universe.points:  # those who are named come first
        cell = _cell(point, case.universe, values)
        # Taken from the list: no two people are on one row.
        row = free.of(point.group)[cell].pop(0)
        if isinstance(point.name, s.Person):
            # The question knows people by number; a reader knows their identifiers.
            person = release.signature.person(point.name.index)
        else:
            person = release.someone(row, place)
        persons[point.name] = person
        place[person.index] = row

    people = {name: persons[target] for name, target in case.people.items()}
    clauses = _clauses(question, release, values)
    meant: Substitution = {**people}
    for binder in question.instance.clauses:
        name = binder.var.name
        meant[name] = s.among(binder.attribute, clauses[name])
    numbers = {name: person.index + 1 for name, person in people.items()}
    said = bindings(question.instance)
    for name, person in people.items():
        said[said_name(name)] = individual(release.signature, person)
    return Leak(
        s.substitute(question.instance.body, meant),
        place,
        _world(case, free, place, persons),
        said,
        chosen_path(question.instance.path, {**numbers, **clauses}),
    )


def _case(question: ReleaseQuestion, values: t.Assignment) -> Case:
    """The first case that the values satisfy."""
    known: dict[int, bool] = {}
    for term, case in question.cases:
        # Several cases may be satisfied; each is a leak by itself.
        if t.evaluate(term, values, known):
            return case
    raise Defect("the solver's answer satisfies no case of the question")


def _clauses(
    question: ReleaseQuestion, release: SymbolicRelease, values: t.Assignment
) -> dict[str, Labels]:
    """The values of each clause variable."""
    clauses: dict[str, Labels] = {}
    for binder in question.instance.clauses:
        name = binder.var.name
        labels = release.quotient.labels[binder.attribute]
        clauses[name] = tuple(
            label
            for code, label in enumerate(labels)
            if values.get(member(name, code), 0)
        )
    return clauses


def _world(
    case: Case,
    free: _FreeRows,
    place: Mapping[int, int],
    persons: Mapping[s.Person | s.Var, s.Person],
) -> int:
    """The row where the case says that the formula is false."""
    group, cell, number = case.place
    if number >= 0:
        point = case.universe.points[number]
        person = persons[point.name]
        return place[person.index]
    if group >= 0:
        rows = free.of(group)[cell]
        return rows[0]
    # The formula has the same truth everywhere: somebody named is shown.
    return min(place.values(), default=0)


def _cell(point: Point, universe: Universe, values: t.Assignment) -> int:
    """The cell of its group where the values put a point."""
    group = universe.groups[point.group]
    cells = range(len(group.cells))
    if point.cell is not None:
        return point.cell
    if len(cells) == 1:
        return 0
    seated = (cell for cell in cells if values.get(seat(point, cell)))
    return next(seated)


RowsOfCells = dict[int, list[int]]
"""The rows of each cell of a class, ascending, by the cell's number."""


@dataclass(eq=False)
class _FreeRows:
    """The rows of groups that hold nobody yet."""

    question: ReleaseQuestion
    universe: Universe
    release: SymbolicRelease
    _known: dict[int, RowsOfCells] = field(default_factory=dict)

    def of(self, group: int) -> RowsOfCells:
        """The rows of a group's first class by the number of their cell."""
        rows = self._known.get(group)
        if rows is None:
            described = self.universe.groups[group]
            rows = self._all(described)
            self._known[group] = rows
        return rows

    def _all(self, group: Group) -> RowsOfCells:
        numbers = {
            (cell.truths, cell.values, cell.row): number
            for number, cell in enumerate(group.cells)
        }
        scope = self.question.scope
        # The classes of a group have the same cells: the first stands for all.
        first_class = group.classes[0]
        rows = self.release.rows_of_class(first_class)
        origins = self.release.cells_of_rows(first_class, rows)
        profiles: dict[int, Profile] = {}
        rows_of: RowsOfCells = {number: [] for number in range(len(group.cells))}
        for row, origin in zip(rows.tolist(), origins, strict=True):
            # once for each cell of the quotient, however many rows it has
            if origin not in profiles:
                profiles[origin] = profile_at(self.release.ground, scope, origin)
            truths, values = profiles[origin]
            named = row if row in scope.rows else None
            rows_of[numbers[truths, values, named]].append(row)
        return rows_of
