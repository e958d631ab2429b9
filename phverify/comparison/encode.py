"""When is a formula true, over all tables of one shape?  A carrier of the fold: truth
values are constraints.

The unknowns are how many rows of each profile a class has; where everybody named is, is
run through.  ``ShapeEncoder`` has what both forms share.  ``Exact`` knows how many rows
each class has, so that everything is linear and says exactly what the table satisfies.
``relaxed.Relaxed`` takes any number of rows.
"""

from __future__ import annotations

import itertools
import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from phverify.budget import Deadline
from phverify.comparison.case import ComparedCase
from phverify.comparison.choice import Undecided
from phverify.comparison.parts import RulePart
from phverify.comparison.shape_cells import Chosen, Points, ShapeCells, World, nowhere
from phverify.comparison.shapes import TableShape
from phverify.constraints import terms as t
from phverify.spec import syntax as s
from phverify.spec import walk
from phverify.spec.criterion.base import ClassCriterion, Rows, Several, TooLong
from phverify.spec.fold import fold
from phverify.spec.linear import cleared
from phverify.spec.nominals import numbered
from phverify.spec.schemas import apart
from phverify.symbolic.instances import write_inner
from phverify.symbolic.sums import TermCarrier, weighed

MOST_PLACEMENTS = 4000

Scales = tuple[t.LinearSum, dict[str, int]]
"""What likelihoods are multiplied by, and how many times the measure of each agent that
is.
"""
is_global = lru_cache(maxsize=4096)(walk.is_global)


class ShapeEncoder(ShapeCells, TermCarrier[World]):
    """The truth of formulas over one shape and one choice of values."""

    def __init__(
        self, case: ComparedCase, shape: TableShape, deadline: Deadline, mark: str = ""
    ) -> None:
        super().__init__(case, shape, mark)
        self.deadline = deadline
        self._known: dict[tuple[s.Formula, World], t.Term] = {}
        self._satisfied: dict[tuple[ClassCriterion, int], t.Term] = {}
        self._counts: dict[tuple[s.Formula, tuple[int, ...], Points], t.LinearSum] = {}

    def plain(self, formula: s.Formula) -> Chosen:
        """The profiles at which a formula of descriptors is true; the first cells have
        one each.
        """
        chosen: list[bool] = []
        for cell in range(len(self.profiles)):
            here = World(cell, -1, ())
            chosen.append(self.truth(formula, here) is t.TRUE)
        return chosen

    # Truth

    def truth(self, formula: s.Formula, world: World) -> t.Term:
        """When the formula is true at the world."""
        if is_global(formula):  # it has one truth value at all worlds
            world = nowhere(world.points)
        key = formula, world
        term = self._known.get(key)
        if term is None:
            self.deadline.check()
            term = fold(self, formula, world)
            self._known[key] = term
        return term

    def descriptor(self, formula: s.Descriptor, world: World) -> t.Term:
        """A profile settles every column."""
        name = formula.attribute
        profile = self.profiles[self.cells[world.cell].profile]
        attribute = self.case.choice.attributes[name]
        matching = attribute.matches(formula.op, s.texts(formula))
        return t.constant(profile[name] in matching)

    def nominal(self, formula: s.Nominal, world: World) -> t.Term:
        """Whether the world is that of somebody, or a named row."""
        name = formula.name
        if isinstance(name, s.Row):
            cell = self.cells[world.cell]
            on_row = cell.row == name.index
            return t.constant(on_row)
        point = world.point
        if point < 0:  # the world of nobody who has been placed
            return t.FALSE
        who, _ = world.points[point]
        return t.constant(who == name)

    def at(self, formula: s.At, world: World) -> t.Term:
        """At the world of somebody who has been placed, or of a named row."""
        name, points = formula.name, world.points
        if isinstance(name, s.Row):
            rows = [cell.row for cell in self.cells]
            place = rows.index(name.index)
            placed = [cell for _, cell in points]
            # a named row is alone in its cell: whoever is placed there is on it
            point = placed.index(place) if place in placed else -1
        else:
            people = [who for who, _ in points]
            point = people.index(name)
            place = points[point][1]
        return self.truth(formula.body, World(place, point, points))

    def somewhere(
        self, formula: s.Diamond | s.Box, agent: str, wanted: bool, world: World
    ) -> t.Term:
        """The body, or its negation, at some world that an agent takes for possible."""
        body = formula.body if wanted else s.Not(formula.body)
        if is_global(body):
            return self.truth(body, world)
        return self.seen(agent, body, world)

    def among(
        self, body: s.Formula, classes: Sequence[int] | None, points: Points
    ) -> t.Term:
        """The body is true at some world of these classes."""
        worlds = self.worlds(points, classes)
        return t.disj(
            t.conj((there, self.truth(body, world))) for world, there in worlds
        )

    def count(
        self, body: s.Formula, classes: Sequence[int], points: Points
    ) -> t.LinearSum:
        """How many worlds of these classes satisfy the body."""
        key = body, tuple(classes), points
        if key not in self._counts:
            parts: list[t.LinearSum] = []
            for world, _ in self.worlds(points, classes):
                rows = t.whole(1)
                if world.point < 0:
                    placed = self.taken(world.cell, points)
                    rows = self.cells[world.cell].count - placed
                parts.append(t.conditional(self.truth(body, world), rows))
            self._counts[key] = t.shared(t.added(parts))
        return self._counts[key]

    def compare(self, formula: s.Compare, difference: s.Linear, world: World) -> t.Term:
        """A sum of likelihoods against 0, times a common denominator."""
        linear = cleared(difference)
        unit, scales = self.unit(linear.agents, self.cells[world.cell].cls)

        def counted(term: s.Likelihood) -> t.LinearSum:
            agent = str(term.agent)
            return scales[agent] * self.measure(agent, term.body, world)

        return t.compare(weighed(linear, unit, counted), formula.op, 0)

    def criterion(self, formula: s.Criterion, world: World) -> t.Term:
        """A criterion at the class of the world, built once."""
        criterion = self.case.criteria[formula]
        cell = self.cells[world.cell]
        cls = cell.cls
        key = criterion, cls
        satisfied = self._satisfied.get(key)
        if satisfied is None:
            satisfied = self.satisfied(criterion, cls)
            self._satisfied[key] = satisfied
        return satisfied

    def other(self, formula: s.Formula, world: World) -> t.Term:
        """Raises Undecided."""
        raise Undecided(f"no symbolic form of {type(formula).__name__}")

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
        number of rows.  Raises Undecided.
        """
        conditions: list[t.Term] = []
        try:
            for condition in criterion.conditions(self.domain(criterion.attribute)):
                match condition:
                    case Rows(least):
                        enough = t.compare(rows, ">=", least)
                        conditions.append(enough if sized else t.TRUE)
                    case Several(least):
                        values = self._present(criterion.attribute, c)
                        conditions.append(t.compare(values, ">=", least))
                    case _:
                        conditions.append(self.of_class(condition, c))
        except TooLong as error:
            raise Undecided(str(error)) from None
        return t.conj(conditions)

    def _present(self, f: str, c: int) -> t.LinearSum:
        """How many values of a column some row of class c has."""
        occurring: list[tuple[int, t.Term]] = []
        for value in self.domain(f):
            rows = self.inside(c, self.having(f, value))
            occurring.append((1, t.compare(rows, ">", 0)))
        return t.count(occurring)

    def of_class(self, formula: s.Formula, c: int) -> t.Term:
        """A formula about a class, at any row of it."""
        signature = self.case.choice.signature()
        written = write_inner(apart(formula), signature)
        first = self._cells_of(c)[0]
        return self.truth(written, World(first, -1, ()))

    # Validity

    def failures(
        self, part: RulePart, given: Sequence[s.Formula] = ()
    ) -> Iterator[t.Term]:
        """When is a conjunct false somewhere, with everybody placed so that the
        ``given`` formulas are true?
        """
        for points, allowed in self.placements((part.body, *given), given):
            if allowed is t.FALSE:
                continue
            instances = self.chosen_people(part.body, part.people, points)
            for body, more, there in instances:
                yield t.conj((allowed, there, self.false(body, more)))

    def possible(self, given: Sequence[s.Formula]) -> t.Term:
        """There is a placement in which all these formulas are true everywhere."""
        placements = self.placements(given, given)
        return t.disj(allowed for _, allowed in placements)

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
        people, _ = numbered(naming)
        options = [self._cells_of(self.shape.homes[k]) for k in people]
        if math.prod(map(len, options)) > MOST_PLACEMENTS:
            raise Undecided(
                f"{len(people)} individuals can be placed in more than"
                f" {MOST_PLACEMENTS} ways"
            )
        for cells in itertools.product(*options):
            shared = [k for k in cells if cells.count(k) > 1]
            if any(self.cells[k].row is not None for k in shared):
                continue
            points: Points = tuple(zip(map(s.Person, people), cells, strict=True))
            conditions: list[t.Term] = []
            for k in dict.fromkeys(cells):
                conditions.append(t.compare(self.cells[k].count, ">=", cells.count(k)))
            for formula in given:
                conditions.append(t.neg(self.false(formula, points)))
            yield points, t.conj(conditions)

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
            stands_for = {var.name: name}
            instance = s.substitute(body, stands_for)
            yield from self.chosen_people(instance, rest, points)
        every_cell = range(len(self.cells))
        for k in every_cell:
            there = self.exists(k, points)
            if there is t.FALSE:
                continue
            placed = (*points, (var, k))
            others = self.chosen_people(body, rest, placed)
            for inner, more, also in others:
                allowed = t.conj((there, also))
                yield inner, more, allowed
