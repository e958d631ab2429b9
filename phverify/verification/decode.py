"""From the solver's values to a concrete leak: who is on which row, at which world,
with which choices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from phverify.constraints import terms as t
from phverify.errors import Defect
from phverify.spec import syntax as s
from phverify.spec.encoder import member, seat
from phverify.spec.instances import Step
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
        return item.text if isinstance(item, s.Value) else str(item)

    return tuple(
        step if isinstance(step, int) else tuple(map(put, step)) for step in path
    )


def decode(
    question: ReleaseQuestion, release: SymbolicRelease, values: t.Assignment
) -> Leak:
    """The leak that a satisfying assignment describes: every point of a case on a row
    of its own.
    """
    known: dict[int, bool] = {}
    case = next(
        (case for term, case in question.cases if t.evaluate(term, values, known)), None
    )
    if case is None:
        raise Defect("the solver's answer satisfies no case of the question")
    free = _Rows(question, case.universe, release)
    place: dict[int, int] = {}
    persons: dict[s.Person | s.Var, s.Person] = {}
    for point in case.universe.points:  # those who are named come first
        row = free.of(point.group)[_cell(point, case.universe, values)].pop(0)
        person = (
            point.name
            if isinstance(point.name, s.Person)
            else release.someone(row, place)
        )
        persons[point.name], place[person.index] = person, row
    people = {name: persons[target] for name, target in case.people.items()}
    chosen: dict[str, int | Labels] = {
        name: person.index + 1 for name, person in people.items()
    }
    meant: Substitution = {**people}
    for binder in question.instance.clauses:
        labels = enumerate(release.quotient.labels[binder.attribute])
        clause = tuple(
            label for k, label in labels if values.get(member(binder.var.name, k), 0)
        )
        chosen[binder.var.name], meant[binder.var.name] = (
            clause,
            s.among(binder.attribute, clause),
        )
    group, cell, number = case.place
    if number >= 0:
        world = place[persons[case.universe.points[number].name].index]
    else:
        world = (
            free.of(group)[cell][0] if group >= 0 else min(place.values(), default=0)
        )
    said = {
        said_name(name): release.signature.called(person)
        for name, person in people.items()
    }
    path = chosen_path(question.instance.path, chosen)
    formula = s.substitute(question.instance.body, meant)
    return Leak(formula, place, world, {**bindings(question.instance), **said}, path)


def _cell(point: Point, universe: Universe, values: t.Assignment) -> int:
    """The cell of its group where the values put a point."""
    cells = range(len(universe.groups[point.group].cells))
    if point.cell is not None or len(cells) == 1:
        return point.cell or 0
    return next(c for c in cells if values.get(seat(point, c)))


@dataclass(eq=False)
class _Rows:
    """The rows of groups that hold nobody yet."""

    question: ReleaseQuestion
    universe: Universe
    release: SymbolicRelease
    _known: dict[int, dict[int, list[int]]] = field(default_factory=dict)

    def of(self, group: int) -> dict[int, list[int]]:
        """The rows of a group's first class by the number of their cell."""
        if group not in self._known:
            self._known[group] = self._found(self.universe.groups[group])
        return self._known[group]

    def _found(self, group: Group) -> dict[int, list[int]]:
        number = {
            (cell.truths, cell.values, cell.row): c
            for c, cell in enumerate(group.cells)
        }
        rows = self.release.rows_of_class(group.classes[0])
        profiles: dict[int, Profile] = {}
        found: dict[int, list[int]] = {c: [] for c in range(len(group.cells))}
        for row, origin in zip(
            rows.tolist(),
            self.release.cells_of_rows(group.classes[0], rows),
            strict=True,
        ):
            if origin not in profiles:
                profiles[origin] = profile_at(
                    self.release.ground, self.question.scope, origin
                )
            named = row if row in self.question.scope.rows else None
            found[number[*profiles[origin], named]].append(row)
        return found
