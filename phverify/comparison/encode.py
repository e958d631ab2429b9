"""When is a formula true, over all tables of one shape?  A carrier of the fold: truth values are constraints.

The unknowns are how many rows of each profile a class has; where everybody named is, is run through.  ``Encoder`` has
what both forms share.  ``Exact`` knows how many rows each class has, so that everything is linear and says exactly
what the table satisfies.  ``relaxed.Relaxed`` takes any number of rows.
"""

from __future__ import annotations

import itertools
import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from phverify.budget import Deadline
from phverify.comparison.domains import Choice, Open
from phverify.comparison.parts import Part
from phverify.constraints import terms as t
from phverify.exact import Bools
from phverify.microdata.table import Label
from phverify.spec import syntax as s
from phverify.spec.criterion.base import ClassCriterion, Rows, Several, TooLong
from phverify.spec.fold import fold
from phverify.spec.linear import cleared
from phverify.spec.schemas import apart
from phverify.spec.walk import is_global
from phverify.symbolic.columns import Columns
from phverify.symbolic.instances import write_inner
from phverify.symbolic.sums import Terms, weighed

MOST_PLACEMENTS = 4000

Points = tuple[tuple[s.Reference, int], ...]
"""Who has been placed, each in a cell."""
Labels = tuple[tuple[tuple[str, ...], tuple[int, ...]], ...]
"""For groups of quasi-identifiers, the number of their value in each class."""


class World(NamedTuple):
    """Any free row of a cell (then ``point`` is -1), or the point that is there; and who has been placed."""

    cell: int
    point: int
    points: Points


def nowhere(points: Points) -> World:
    """For formulas whose truth does not depend on the world."""
    return World(-1, -1, points)


@dataclass(frozen=True)
class Shape:
    """The classes of a table: ``sizes`` (None: any), where named individuals and rows are, what agents tell apart.

    ``rows`` gives a named row its class and profile; ``blocks`` gives for an agent a number for each class.
    """

    classes: int
    sizes: tuple[int, ...] | None
    homes: tuple[tuple[int, int], ...] = ()
    rows: tuple[tuple[int, int, int], ...] = ()
    blocks: tuple[tuple[str, tuple[int, ...]], ...] = ()
    labels: Labels = ()


@dataclass(frozen=True)
class Cell:
    """Rows alike, so many; ``row`` is the number of a row that is named, which has a cell of its own and no name."""

    cls: int
    profile: int
    row: int | None
    name: str
    count: t.Sum


@dataclass(frozen=True)
class Profiles(Columns[None]):
    """The truth of a formula of descriptors at each profile."""

    choice: Choice

    def length(self, seen: None) -> int:
        return len(self.choice.profiles)

    def descriptor(self, formula: s.Descriptor, seen: None) -> Bools:
        name = formula.attribute
        matching = self.choice.attributes[name].matches(formula.op, s.texts(formula))
        return np.array([profile[name] in matching for profile in self.choice.profiles], dtype=bool)

    def other(self, formula: s.Formula, seen: None) -> Bools:
        raise Open(f"{type(formula).__name__} is no descriptor")


class Encoder(Terms[World]):
    """The truth of formulas over one shape and one choice of values."""

    sort = "Int"
    """Of the counts of rows."""

    def __init__(
        self,
        shape: Shape,
        choice: Choice,
        criteria: Mapping[s.Criterion, ClassCriterion],
        deadline: Deadline,
        mark: str = "",
    ) -> None:
        self.shape, self.choice, self.criteria, self.deadline, self.mark = shape, choice, criteria, deadline, mark
        self.cells = list(self._cells())
        self._known: dict[tuple[s.Formula, World], t.Term] = {}
        self._satisfied: dict[tuple[ClassCriterion, int], t.Term] = {}
        self._inside: dict[tuple[int, tuple[bool, ...]], t.Sum] = {}
        self._counts: dict[tuple[s.Formula, tuple[int, ...], Points], t.Sum] = {}
        self._plain: dict[s.Formula, list[bool]] = {}
        self._global: dict[s.Formula, bool] = {}

    def _cells(self) -> Iterator[Cell]:
        for c in range(self.shape.classes):
            for p in range(len(self.choice.profiles)):
                yield self.cell(c, p, f"n{self.mark}{c}_{p}")
        for row, c, p in self.shape.rows:
            yield Cell(c, p, row, "", t.whole(1))

    def cell(self, c: int, p: int, name: str) -> Cell:
        """A cell with an unknown number of rows."""
        return Cell(c, p, None, name, t.number(name, self.sort))

    # Counting

    def inside(self, c: int, profiles: Sequence[bool]) -> t.Sum:
        """How many rows of class c have one of the profiles."""
        key = c, tuple(profiles)
        if key not in self._inside:
            rows = (cell.count for cell in self.cells if cell.cls == c and profiles[cell.profile])
            self._inside[key] = t.shared(t.added(rows))
        return self._inside[key]

    def everything(self) -> list[bool]:
        return [True] * len(self.choice.profiles)

    def having(self, f: str, value: Label) -> list[bool]:
        """The profiles with a value."""
        return [profile[f] == value for profile in self.choice.profiles]

    def plain(self, formula: s.Formula) -> list[bool]:
        """The truth of a formula of descriptors at each profile."""
        if formula not in self._plain:
            self._plain[formula] = Profiles(self.choice).truth(formula, None).tolist()
        return self._plain[formula]

    # Worlds

    def free(self, cell: int, points: Points) -> t.Sum:
        """The rows of a cell that are not taken by points."""
        return self.cells[cell].count - sum(other == cell for _, other in points)

    def exists(self, cell: int, points: Points) -> t.Term:
        """There is a free row in the cell."""
        taken = sum(other == cell for _, other in points)
        return t.compare(self.cells[cell].count, ">", taken)

    def worlds(self, points: Points, among: Sequence[int] | None = None) -> Iterator[tuple[World, t.Term]]:
        """Every world of some classes (None: all), and when it is there."""
        for k, (_, cell) in enumerate(points):
            if among is None or self.cells[cell].cls in among:
                yield World(cell, k, points), t.TRUE
        for k, item in enumerate(self.cells):
            there = self.exists(k, points)
            if there is not t.FALSE and (among is None or item.cls in among):
                yield World(k, -1, points), there

    # Truth

    def truth(self, formula: s.Formula, world: World) -> t.Term:
        """When the formula is true at the world."""
        world = nowhere(world.points) if self.is_global(formula) else world
        key = formula, world
        if key not in self._known:
            self.deadline.check()
            self._known[key] = fold(self, formula, world)
        return self._known[key]

    def is_global(self, formula: s.Formula) -> bool:
        if formula not in self._global:
            self._global[formula] = is_global(formula)
        return self._global[formula]

    def descriptor(self, formula: s.Descriptor, world: World) -> t.Term:
        return t.constant(self.plain(formula)[self.cells[world.cell].profile])

    def nominal(self, formula: s.Nominal, world: World) -> t.Term:
        if isinstance(formula.name, s.Row):
            return t.constant(self.cells[world.cell].row == formula.name.index)
        return t.constant(world.point >= 0 and world.points[world.point][0] == formula.name)

    def at(self, formula: s.At, world: World) -> t.Term:
        return self.truth(formula.body, self.place(formula.name, world.points))

    def place(self, name: s.Reference, points: Points) -> World:
        """The world of somebody who has been placed, or of a named row."""
        if isinstance(name, s.Row):
            k = next(k for k, cell in enumerate(self.cells) if cell.row == name.index)
            return World(k, next((j for j, (_, cell) in enumerate(points) if cell == k), -1), points)
        j = next(j for j, (who, _) in enumerate(points) if who == name)
        return World(points[j][1], j, points)

    def somewhere(self, formula: s.Diamond | s.Box, agent: str, wanted: bool, world: World) -> t.Term:
        body = formula.body if wanted else s.Not(formula.body)
        if self.is_global(body):
            return self.truth(body, world)
        return self.seen(agent, body, world)

    def among(self, body: s.Formula, classes: Sequence[int], points: Points) -> t.Term:
        """The body is true at some world of these classes."""
        found = self.worlds(points, classes)
        return t.disj(t.conj((there, self.truth(body, world))) for world, there in found)

    def count(self, body: s.Formula, classes: Sequence[int], points: Points) -> t.Sum:
        """How many worlds of these classes satisfy the body."""
        key = body, tuple(classes), points
        if key not in self._counts:
            found = []
            for world, _ in self.worlds(points, classes):
                rows = t.whole(1) if world.point >= 0 else self.free(world.cell, points)
                found.append(t.choice(self.truth(body, world), rows))
            self._counts[key] = t.shared(t.added(found))
        return self._counts[key]

    def compare(self, formula: s.Compare, difference: s.Linear, world: World) -> t.Term:
        linear = cleared(difference)
        unit, scales = self.unit(linear.agents, self.cells[world.cell].cls)

        def counted(term: s.Likelihood) -> t.Sum:
            agent = str(term.agent)
            return scales[agent] * self.measure(agent, term.body, world)

        return t.compare(weighed(linear, unit, counted), formula.op, 0)

    def criterion(self, formula: s.Criterion, world: World) -> t.Term:
        key = self.criteria[formula], self.cells[world.cell].cls
        if key not in self._satisfied:
            self._satisfied[key] = self.satisfied(*key)
        return self._satisfied[key]

    def other(self, formula: s.Formula, world: World) -> t.Term:
        raise Open(f"no symbolic form of {type(formula).__name__}")

    # What differs

    @abstractmethod
    def unit(self, agents: Sequence[str], c: int) -> tuple[t.Sum, dict[str, int]]:
        """What likelihoods of these agents at class c are multiplied by, and how many times a measure that is."""

    @abstractmethod
    def measure(self, agent: str, body: s.Formula, world: World) -> t.Sum:
        """The likelihood of a formula as a count."""

    @abstractmethod
    def seen(self, agent: str, body: s.Formula, world: World) -> t.Term:
        """``<agent> body`` for a body that depends on the world."""

    @abstractmethod
    def satisfied(self, criterion: ClassCriterion, c: int) -> t.Term:
        """When class c satisfies a criterion."""

    # Criteria

    def conditions(self, criterion: ClassCriterion, c: int, rows: t.Sum, sized: bool = True) -> t.Term:
        """All conditions of a criterion; without ``sized`` nothing is said of the number of rows.  Raises Open."""
        f = criterion.attribute
        domain = self.choice.attributes[f].domain if f else ()
        found = []
        try:
            for condition in criterion.conditions(domain):
                match condition:
                    case Rows(least):
                        found.append(t.compare(rows, ">=", least) if sized else t.TRUE)
                    case Several(least):
                        some = (t.compare(self.inside(c, self.having(f, v)), ">", 0) for v in domain)
                        found.append(t.compare(t.count((1, there) for there in some), ">=", least))
                    case _:
                        found.append(self.of_class(condition, c))
        except TooLong as error:
            raise Open(str(error)) from None
        return t.conj(found)

    def of_class(self, formula: s.Formula, c: int) -> t.Term:
        """A formula about a class, at any row of it."""
        first = next(k for k, cell in enumerate(self.cells) if cell.cls == c)
        written = write_inner(apart(formula), self.choice.signature())
        return self.truth(written, World(first, -1, ()))

    # Validity

    def failures(self, part: Part, given: Sequence[s.Formula] = ()) -> Iterator[t.Term]:
        """When is a conjunct false somewhere, with everybody placed so that the ``given`` formulas are true?"""
        named = dict.fromkeys(p for f in (part.body, *given) for p in Part(f, (), 0).named)
        for points in self.placements(tuple(named)):
            allowed = t.conj([self.room(points), *(self.valid(f, points) for f in given)])
            if allowed is not t.FALSE:
                for body, more, there in self.chosen_people(part.body, part.people, points):
                    yield t.conj((allowed, there, self._false(body, more)))

    def possible(self, given: Sequence[s.Formula]) -> t.Term:
        """There is a placement in which all these formulas are true everywhere."""
        named = dict.fromkeys(p for f in given for p in Part(f, (), 0).named)
        placed = self.placements(tuple(named))
        return t.disj(t.conj([self.room(p), *(self.valid(f, p) for f in given)]) for p in placed)

    def _false(self, body: s.Formula, points: Points) -> t.Term:
        if self.is_global(body):
            return t.neg(self.truth(body, nowhere(points)))
        return t.disj(t.conj((there, t.neg(self.truth(body, world)))) for world, there in self.worlds(points))

    def valid(self, body: s.Formula, points: Points) -> t.Term:
        return t.neg(self._false(body, points))

    def placements(self, people: tuple[s.Person, ...]) -> Iterator[Points]:
        """Everybody in a cell of the own class; nobody shares a named row."""
        homes = dict(self.shape.homes)
        options = [[k for k, cell in enumerate(self.cells) if cell.cls == homes[p.index]] for p in people]
        if math.prod(map(len, options)) > MOST_PLACEMENTS:
            raise Open(f"{len(people)} individuals can be placed in more than {MOST_PLACEMENTS} ways")
        for cells in itertools.product(*options):
            if all(self.cells[k].row is None or cells.count(k) == 1 for k in cells):
                yield tuple(zip(people, cells, strict=True))

    def room(self, points: Points) -> t.Term:
        """Each cell has the rows that its points need."""
        cells = [cell for _, cell in points]
        needs = {k: cells.count(k) for k in cells}
        return t.conj(t.compare(self.cells[k].count, ">=", many) for k, many in needs.items())

    def chosen_people(
        self, body: s.Formula, people: tuple[s.Var, ...], points: Points
    ) -> Iterator[tuple[s.Formula, Points, t.Term]]:
        """The body for everybody whom variables may stand for: those placed, and others on free rows."""
        if not people:
            yield body, points, t.TRUE
            return
        var, *rest = people
        for name, _ in points:
            yield from self.chosen_people(s.substitute(body, {var.name: name}), tuple(rest), points)
        for k in range(len(self.cells)):
            there = self.exists(k, points)
            if there is not t.FALSE:
                for inner, more, also in self.chosen_people(body, tuple(rest), (*points, (var, k))):
                    yield inner, more, t.conj((there, also))
