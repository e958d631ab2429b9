"""When is a formula true, over all tables of one shape?  A carrier of the fold: truth
values are constraints.

The unknowns are how many rows of each profile a class has; where everybody named is, is
run through.  ``Encoder`` has what both forms share.  ``Exact`` knows how many rows each
class has, so that everything is linear and says exactly what the table satisfies.
``relaxed.Relaxed`` takes any number of rows.
"""

from __future__ import annotations

import itertools
import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from phverify.budget import Deadline
from phverify.comparison.case import Case
from phverify.comparison.domains import Open
from phverify.comparison.parts import Part
from phverify.comparison.shapes import Shape
from phverify.constraints import terms as t
from phverify.microdata.table import Label
from phverify.spec import syntax as s
from phverify.spec import walk
from phverify.spec.criterion.base import ClassCriterion, Rows, Several, TooLong
from phverify.spec.fold import fold
from phverify.spec.linear import cleared
from phverify.spec.nominals import numbered
from phverify.spec.schemas import apart
from phverify.spec.source import Values
from phverify.symbolic.instances import write_inner
from phverify.symbolic.sums import TermCarrier, weighed

MOST_PLACEMENTS = 4000

Points = tuple[tuple[s.Reference, int], ...]
"""Who has been placed, each in a cell."""
Chosen = Sequence[bool]
"""Of each profile whether it is meant."""
Scales = tuple[t.LinearSum, dict[str, int]]
"""What likelihoods are multiplied by, and how many times the measure of each agent that
is.
"""
is_global = lru_cache(maxsize=4096)(walk.is_global)


class World(NamedTuple):
    """Any free row of a cell (then ``point`` is -1), or the point that is there; and
    who has been placed.
    """

    cell: int
    point: int
    points: Points


def nowhere(points: Points) -> World:
    """For formulas whose truth does not depend on the world."""
    return World(-1, -1, points)


@dataclass(frozen=True)
class Cell:
    """Rows alike, so many; ``row`` is the number of a row that is named, which has a
    cell of its own and no name.
    """

    cls: int
    profile: int
    row: int | None
    name: str
    count: t.LinearSum


class Encoder(TermCarrier[World]):
    """The truth of formulas over one shape and one choice of values."""

    sort = "Int"
    """Of the counts of rows."""

    def __init__(
        self, case: Case, shape: Shape, deadline: Deadline, mark: str = ""
    ) -> None:
        self.case, self.shape, self.deadline, self.mark = case, shape, deadline, mark
        self.profiles = case.choice.profiles
        self.cells = list(self._cells())
        self._known: dict[tuple[s.Formula, World], t.Term] = {}
        self._satisfied: dict[tuple[ClassCriterion, int], t.Term] = {}
        self._inside: dict[tuple[int, tuple[bool, ...]], t.LinearSum] = {}
        self._counts: dict[tuple[s.Formula, tuple[int, ...], Points], t.LinearSum] = {}

    def _cells(self) -> Iterator[Cell]:
        for c, p in itertools.product(
            range(self.shape.classes), range(len(self.profiles))
        ):
            name = f"n{self.mark}{c}_{p}"
            yield Cell(c, p, None, name, t.number(name, self.sort))
        for row, (c, p) in self.shape.rows.items():
            yield Cell(c, p, row, "", t.whole(1))

    # Counting

    def inside(self, c: int, chosen: Chosen) -> t.LinearSum:
        """How many rows of class c have one of the profiles."""
        key = c, tuple(chosen)
        if key not in self._inside:
            rows = (
                cell.count
                for cell in self.cells
                if cell.cls == c and chosen[cell.profile]
            )
            self._inside[key] = t.shared(t.added(rows))
        return self._inside[key]

    def everything(self) -> Chosen:
        return [True] * len(self.profiles)

    def having(self, f: str, value: Label) -> Chosen:
        """The profiles with a value."""
        return [profile[f] == value for profile in self.profiles]

    def domain(self, f: str) -> Values:
        """The values of a criterion's column, if it has one."""
        return self.case.choice.attributes[f].domain if f else ()

    def plain(self, formula: s.Formula) -> Chosen:
        """The profiles at which a formula of descriptors is true; the first cells have
        one each.
        """
        places = (World(p, -1, ()) for p in range(len(self.profiles)))
        return [self.truth(formula, place) is t.TRUE for place in places]

    # Worlds

    def taken(self, cell: int, points: Points) -> int:
        """How many points are in a cell."""
        return sum(other == cell for _, other in points)

    def exists(self, cell: int, points: Points) -> t.Term:
        """There is a free row in the cell."""
        return t.compare(self.cells[cell].count, ">", self.taken(cell, points))

    def worlds(
        self, points: Points, among: Sequence[int] | None = None
    ) -> Iterator[tuple[World, t.Term]]:
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
        world = nowhere(world.points) if is_global(formula) else world
        key = formula, world
        if key not in self._known:
            self.deadline.check()
            self._known[key] = fold(self, formula, world)
        return self._known[key]

    def descriptor(self, formula: s.Descriptor, world: World) -> t.Term:
        name, profile = formula.attribute, self.profiles[self.cells[world.cell].profile]
        return t.constant(
            profile[name]
            in self.case.choice.attributes[name].matches(formula.op, s.texts(formula))
        )

    def nominal(self, formula: s.Nominal, world: World) -> t.Term:
        if isinstance(formula.name, s.Row):
            return t.constant(self.cells[world.cell].row == formula.name.index)
        return t.constant(
            world.point >= 0 and world.points[world.point][0] == formula.name
        )

    def at(self, formula: s.At, world: World) -> t.Term:
        """At the world of somebody who has been placed, or of a named row."""
        name, points = formula.name, world.points
        if isinstance(name, s.Row):
            k = next(k for k, cell in enumerate(self.cells) if cell.row == name.index)
            j = next((j for j, (_, cell) in enumerate(points) if cell == k), -1)
        else:
            j = next(j for j, (who, _) in enumerate(points) if who == name)
            k = points[j][1]
        return self.truth(formula.body, World(k, j, points))

    def somewhere(
        self, formula: s.Diamond | s.Box, agent: str, wanted: bool, world: World
    ) -> t.Term:
        body = formula.body if wanted else s.Not(formula.body)
        return (
            self.truth(body, world)
            if is_global(body)
            else self.seen(agent, body, world)
        )

    def among(
        self, body: s.Formula, classes: Sequence[int] | None, points: Points
    ) -> t.Term:
        """The body is true at some world of these classes."""
        found = self.worlds(points, classes)
        return t.disj(
            t.conj((there, self.truth(body, world))) for world, there in found
        )

    def count(
        self, body: s.Formula, classes: Sequence[int], points: Points
    ) -> t.LinearSum:
        """How many worlds of these classes satisfy the body."""
        key = body, tuple(classes), points
        if key not in self._counts:
            found = []
            for world, _ in self.worlds(points, classes):
                free = self.cells[world.cell].count - self.taken(world.cell, points)
                found.append(
                    t.conditional(
                        self.truth(body, world),
                        t.whole(1) if world.point >= 0 else free,
                    )
                )
            self._counts[key] = t.shared(t.added(found))
        return self._counts[key]

    def compare(self, formula: s.Compare, difference: s.Linear, world: World) -> t.Term:
        linear = cleared(difference)
        unit, scales = self.unit(linear.agents, self.cells[world.cell].cls)

        def counted(term: s.Likelihood) -> t.LinearSum:
            agent = str(term.agent)
            return scales[agent] * self.measure(agent, term.body, world)

        return t.compare(weighed(linear, unit, counted), formula.op, 0)

    def criterion(self, formula: s.Criterion, world: World) -> t.Term:
        key = self.case.criteria[formula], self.cells[world.cell].cls
        if key not in self._satisfied:
            self._satisfied[key] = self.satisfied(*key)
        return self._satisfied[key]

    def other(self, formula: s.Formula, world: World) -> t.Term:
        raise Open(f"no symbolic form of {type(formula).__name__}")

    # What differs

    @abstractmethod
    def unit(self, agents: Sequence[str], c: int) -> Scales:
        """What likelihoods of these agents at class c are multiplied by."""

    @abstractmethod
    def measure(self, agent: str, body: s.Formula, world: World) -> t.LinearSum:
        """The likelihood of a formula as a count."""

    @abstractmethod
    def seen(self, agent: str, body: s.Formula, world: World) -> t.Term:
        """``<agent> body`` for a body that depends on the world."""

    @abstractmethod
    def satisfied(self, criterion: ClassCriterion, c: int) -> t.Term:
        """When class c satisfies a criterion."""

    # Criteria

    def conditions(
        self, criterion: ClassCriterion, c: int, rows: t.LinearSum, sized: bool = True
    ) -> t.Term:
        """All conditions of a criterion; without ``sized`` nothing is said of the
        number of rows.  Raises Open.
        """
        f, found = criterion.attribute, []
        domain = self.domain(f)
        try:
            for condition in criterion.conditions(domain):
                match condition:
                    case Rows(least):
                        found.append(t.compare(rows, ">=", least) if sized else t.TRUE)
                    case Several(least):
                        some = (
                            t.compare(self.inside(c, self.having(f, v)), ">", 0)
                            for v in domain
                        )
                        found.append(
                            t.compare(
                                t.count((1, there) for there in some), ">=", least
                            )
                        )
                    case _:
                        found.append(self.of_class(condition, c))
        except TooLong as error:
            raise Open(str(error)) from None
        return t.conj(found)

    def of_class(self, formula: s.Formula, c: int) -> t.Term:
        """A formula about a class, at any row of it."""
        first = next(k for k, cell in enumerate(self.cells) if cell.cls == c)
        written = write_inner(apart(formula), self.case.choice.signature())
        return self.truth(written, World(first, -1, ()))

    # Validity

    def failures(self, part: Part, given: Sequence[s.Formula] = ()) -> Iterator[t.Term]:
        """When is a conjunct false somewhere, with everybody placed so that the
        ``given`` formulas are true?
        """
        for points, allowed in self.placements((part.body, *given), given):
            if allowed is not t.FALSE:
                for body, more, there in self.chosen_people(
                    part.body, part.people, points
                ):
                    yield t.conj((allowed, there, self.false(body, more)))

    def possible(self, given: Sequence[s.Formula]) -> t.Term:
        """There is a placement in which all these formulas are true everywhere."""
        return t.disj(allowed for _, allowed in self.placements(given, given))

    def false(self, body: s.Formula, points: Points) -> t.Term:
        """A formula is false somewhere."""
        if is_global(body):
            return t.neg(self.truth(body, nowhere(points)))
        return self.among(s.Not(body), None, points)

    def placements(
        self, naming: Iterable[s.Formula], given: Sequence[s.Formula]
    ) -> Iterator[tuple[Points, t.Term]]:
        """Everybody who is named in a cell of the own class, and when that can be.

        Nobody shares a named row, each cell has the rows that its points need, and what
        is ``given`` is true.
        """
        people, options = numbered(naming)[0], []
        for k in people:
            options.append(
                [
                    j
                    for j, cell in enumerate(self.cells)
                    if cell.cls == self.shape.homes[k]
                ]
            )
        if math.prod(map(len, options)) > MOST_PLACEMENTS:
            raise Open(
                f"{len(people)} individuals can be placed in more than"
                f" {MOST_PLACEMENTS} ways"
            )
        for cells in itertools.product(*options):
            if all(self.cells[k].row is None or cells.count(k) == 1 for k in cells):
                points: Points = tuple(zip(map(s.Person, people), cells, strict=True))
                room = [
                    t.compare(self.cells[k].count, ">=", cells.count(k))
                    for k in dict.fromkeys(cells)
                ]
                yield (
                    points,
                    t.conj([*room, *(t.neg(self.false(f, points)) for f in given)]),
                )

    def chosen_people(
        self, body: s.Formula, people: Sequence[s.Var], points: Points
    ) -> Iterator[tuple[s.Formula, Points, t.Term]]:
        """The body for everybody whom variables may stand for: those placed, and others
        on free rows.
        """
        if not people:
            yield body, points, t.TRUE
            return
        var, *rest = people
        for name, _ in points:
            yield from self.chosen_people(
                s.substitute(body, {var.name: name}), rest, points
            )
        for k in range(len(self.cells)):
            there = self.exists(k, points)
            if there is not t.FALSE:
                for inner, more, also in self.chosen_people(
                    body, rest, (*points, (var, k))
                ):
                    yield inner, more, t.conj((there, also))
