"""When is a formula true, over all tables of one shape?  The twin of ``models.semantics``, as SMT-LIB text.

The unknowns are how many rows of each profile a class has; where everybody named is, is run through.  ``Encoder`` has
what both forms share.  ``Exact`` knows how many rows each class has, so that everything is linear and says exactly
what the table satisfies.  ``relaxed.Relaxed`` takes any number of rows.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from phverify.budget import Deadline
from phverify.comparison.domains import Choice, Open
from phverify.comparison.parts import Part
from phverify.constraints.smtlib import number
from phverify.exact import common_denominator
from phverify.logic.expand import apart
from phverify.microdata.table import Label
from phverify.spec import syntax as s
from phverify.spec.criteria.base import ClassCriterion, Rows, Several, TooLong
from phverify.symbolic.encode import is_global
from phverify.symbolic.ground import coefficients
from phverify.symbolic.histograms import addition, conjunction, disjunction, negation
from phverify.symbolic.instances import write_inner

SHORT = 40
NOWHERE = (-1, -1)
MOST_PLACEMENTS = 4000

Points = tuple[tuple[s.Reference, int], ...]
"""Who has been placed, each in a cell."""
Labels = tuple[tuple[tuple[str, ...], tuple[int, ...]], ...]
"""For groups of quasi-identifiers, the number of their value in each class."""
Spot = tuple[int, int]
"""A world: a cell with -1 for any free row of it, or with the point that is there."""


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
    """Rows alike; ``row`` is the number of a row that is named, which has a cell of its own."""

    cls: int
    profile: int
    row: int | None
    text: str


class Encoder(ABC):
    """Texts for the truth of formulas over one shape and one choice of values."""

    def __init__(
        self,
        shape: Shape,
        choice: Choice,
        criteria: Mapping[s.Criterion, ClassCriterion],
        deadline: Deadline,
        mark: str = "",
    ) -> None:
        self.shape, self.choice, self.criteria, self.deadline, self.mark = shape, choice, criteria, deadline, mark
        self.definitions: dict[str, str] = {}
        self.cells = list(self._cells())
        self._known: dict[tuple[s.Formula, Spot, Points], str] = {}
        self._plain: dict[s.Formula, tuple[bool, ...]] = {}
        self._global: dict[s.Formula, bool] = {}

    def _cells(self) -> Iterator[Cell]:
        for c in range(self.shape.classes):
            for p in range(len(self.choice.profiles)):
                yield Cell(c, p, None, f"n{self.mark}{c}_{p}")
        for row, c, p in self.shape.rows:
            yield Cell(c, p, row, "1")

    def named(self, text: str, sort: str = "Bool") -> str:
        """A short name for a long text, the same for the same."""
        if len(text) < SHORT:
            return text
        return self.definitions.setdefault(f"{sort} {text}", f"e{self.mark}{len(self.definitions)}")

    # Counting

    def inside(self, c: int, profiles: Sequence[bool]) -> str:
        """How many rows of class c have one of the profiles."""
        return addition([cell.text for cell in self.cells if cell.cls == c and profiles[cell.profile]])

    def everything(self) -> list[bool]:
        return [True] * len(self.choice.profiles)

    def having(self, f: str, value: Label) -> list[bool]:
        """The profiles with a value."""
        return [profile[f] == value for profile in self.choice.profiles]

    def plain(self, formula: s.Formula) -> tuple[bool, ...]:
        """The truth of a formula of descriptors at each profile."""
        if formula not in self._plain:
            self._plain[formula] = tuple(self._at_profile(formula, p) for p in range(len(self.choice.profiles)))
        return self._plain[formula]

    def _at_profile(self, formula: s.Formula, p: int) -> bool:
        match formula:
            case s.Truth(value):
                return value
            case s.Descriptor(name, op):
                return self.choice.profiles[p][name] in self.choice.attributes[name].matches(op, s.texts(formula))
            case s.Not(body):
                return not self.plain(body)[p]
            case s.And(items):
                return all(self.plain(item)[p] for item in items)
            case s.Or(items):
                return any(self.plain(item)[p] for item in items)
            case s.Implies(left, right):
                return not self.plain(left)[p] or self.plain(right)[p]
            case s.Iff(left, right):
                return self.plain(left)[p] == self.plain(right)[p]
        raise Open(f"{type(formula).__name__} is no descriptor")

    # Worlds

    def free(self, k: int, points: Points) -> tuple[str, int]:
        """The rows of a cell, and how many of them are taken by points."""
        return self.cells[k].text, sum(cell == k for _, cell in points)

    def exists(self, k: int, points: Points) -> str:
        """There is a free row in the cell."""
        text, taken = self.free(k, points)
        if text == "1":
            return "false" if taken else "true"
        return f"(> {text} {taken})"

    def spots(self, points: Points, among: Sequence[int] | None = None) -> Iterator[tuple[Spot, str]]:
        """Every world of some classes (None: all), and when it is there."""
        for k, (_, cell) in enumerate(points):
            if among is None or self.cells[cell].cls in among:
                yield (cell, k), "true"
        for k, item in enumerate(self.cells):
            there = self.exists(k, points)
            if there != "false" and (among is None or item.cls in among):
                yield (k, -1), there

    # Truth

    def truth(self, formula: s.Formula, spot: Spot, points: Points) -> str:
        """When the formula is true at the world."""
        spot = NOWHERE if self.is_global(formula) else spot
        key = formula, spot, points
        if key not in self._known:
            self.deadline.check()
            self._known[key] = self.named(self._truth(formula, spot, points))
        return self._known[key]

    def is_global(self, formula: s.Formula) -> bool:
        if formula not in self._global:
            self._global[formula] = is_global(formula)
        return self._global[formula]

    def _truth(self, formula: s.Formula, spot: Spot, points: Points) -> str:
        match formula:
            case s.Truth(value):
                return _constant(value)
            case s.Descriptor():
                return _constant(self.plain(formula)[self.cells[spot[0]].profile])
            case s.Nominal(s.Row(index)):
                return _constant(self.cells[spot[0]].row == index)
            case s.Nominal(name):
                return _constant(spot[1] >= 0 and points[spot[1]][0] == name)
            case s.Not(body):
                return negation(self.truth(body, spot, points))
            case s.And(items):
                return conjunction([self.truth(item, spot, points) for item in items])
            case s.Or(items):
                return disjunction([self.truth(item, spot, points) for item in items])
            case s.Implies(left, right):
                return disjunction([negation(self.truth(left, spot, points)), self.truth(right, spot, points)])
            case s.Iff(left, right):
                return equal(self.truth(left, spot, points), self.truth(right, spot, points))
            case s.Diamond(str(agent), body):
                return self._somewhere(agent, body, spot, points)
            case s.Box(str(agent), body):
                return negation(self._somewhere(agent, s.Not(body), spot, points))
            case s.At(name, body):
                return self.truth(body, self.place(name, points), points)
            case s.Compare(left, op, right):
                return self._compare(s.minus(left, right), op, spot, points)
            case s.Quantified(universal, binders, body):
                return self.quantified(universal, binders, body, spot, points)
            case s.Criterion():
                return self.criterion(self.criteria[formula], self.cells[spot[0]].cls)
        raise Open(f"no symbolic form of {type(formula).__name__}")

    def place(self, name: s.Reference, points: Points) -> Spot:
        """The world of somebody who has been placed, or of a named row."""
        if isinstance(name, s.Row):
            k = next(k for k, cell in enumerate(self.cells) if cell.row == name.index)
            return k, next((j for j, (_, cell) in enumerate(points) if cell == k), -1)
        j = next(j for j, (who, _) in enumerate(points) if who == name)
        return points[j][1], j

    def _somewhere(self, agent: str, body: s.Formula, spot: Spot, points: Points) -> str:
        if self.is_global(body):
            return self.truth(body, NOWHERE, points)
        return self.somewhere(agent, body, spot, points)

    def among(self, body: s.Formula, classes: Sequence[int], points: Points) -> str:
        """The body is true at some world of these classes."""
        found = []
        for other, there in self.spots(points, classes):
            found.append(conjunction([there, self.truth(body, other, points)]))
        return disjunction(found)

    def count(self, body: s.Formula, classes: Sequence[int], points: Points) -> str:
        """How many worlds of these classes satisfy the body."""
        found = []
        for (cell, k), _ in self.spots(points, classes):
            truth = self.truth(body, (cell, k), points)
            text, taken = self.free(cell, points)
            rows = "1" if k >= 0 or (not taken and text == "1") else f"(- {text} {taken})" if taken else text
            if truth != "false":
                found.append(rows if truth == "true" else f"(ite {truth} {rows} 0)")
        return self.named(addition(found), self.sort)

    sort = "Int"

    def _compare(self, linear: s.Linear, op: str, spot: Spot, points: Points) -> str:
        scales = self.scales(linear, self.cells[spot[0]].cls)
        clear = Fraction(common_denominator(coefficients(linear)) * math.lcm(1, *scales.values()))
        value = self._value(linear, clear, scales, spot, points)
        return negation(f"(= {value} 0)") if op == "!=" else f"({op} {value} 0)"

    def _value(self, linear: s.Linear, clear: Fraction, scales: Mapping[str, int], spot: Spot, points: Points) -> str:
        """The value of a sum times ``clear``."""
        found = []
        for coefficient, quantity in linear.terms:
            if isinstance(quantity, s.Abs):
                inner = self._value(quantity.body, clear * abs(coefficient), scales, spot, points)
                size = f"(ite (>= {inner} 0) {inner} (- {inner}))"
                found.append(size if coefficient > 0 else f"(- {size})" if coefficient else "0")
            else:
                agent = str(quantity.agent)
                rows = self.measure(agent, quantity.body, spot, points, scales)
                found.append(times(int(coefficient * clear / scales[agent]), rows))
        found.append(self.constant(int(linear.constant * clear), scales, self.cells[spot[0]].cls))
        return self.named(addition([text for text in found if text != "0"]), self.sort)

    # What differs

    @abstractmethod
    def scales(self, linear: s.Linear, c: int) -> dict[str, int]:
        """For each agent of a sum, what its likelihoods are multiplied by at class c to become counts."""

    @abstractmethod
    def measure(self, agent: str, body: s.Formula, spot: Spot, points: Points, scales: Mapping[str, int]) -> str:
        """The likelihood of a formula as a count."""

    @abstractmethod
    def constant(self, value: int, scales: Mapping[str, int], c: int) -> str:
        """A constant beside such counts."""

    @abstractmethod
    def somewhere(self, agent: str, body: s.Formula, spot: Spot, points: Points) -> str:
        """``<agent> body`` for a body that depends on the world."""

    @abstractmethod
    def quantified(
        self, universal: bool, binders: tuple[s.Binder, ...], body: s.Formula, spot: Spot, points: Points
    ) -> str:
        """A schema over individuals inside a formula."""

    @abstractmethod
    def criterion(self, criterion: ClassCriterion, c: int) -> str:
        """When class c satisfies a criterion."""

    def conditions(self, criterion: ClassCriterion, c: int, rows: str, sized: bool = True) -> str:
        """All conditions of a criterion; without ``sized`` nothing is said of the number of rows.  Raises Open."""
        f = criterion.attribute
        domain = self.choice.attributes[f].domain if f else ()
        found = []
        try:
            for condition in criterion.conditions(domain):
                match condition:
                    case Rows(least):
                        found.append(f"(>= {rows} {least})" if sized else "true")
                    case Several(least):
                        present = [f"(ite (> {self.inside(c, self.having(f, v))} 0) 1 0)" for v in domain]
                        found.append(f"(>= {addition(present)} {least})")
                    case _:
                        found.append(self.of_class(condition, c))
        except TooLong as error:
            raise Open(str(error)) from None
        return conjunction(found)

    def of_class(self, formula: s.Formula, c: int) -> str:
        """A formula about a class, at any row of it."""
        written = write_inner(apart(formula), self.choice.signature())
        return self.truth(written, (next(k for k, cell in enumerate(self.cells) if cell.cls == c), -1), ())

    # Validity

    def failures(self, part: Part, given: Sequence[s.Formula] = ()) -> Iterator[str]:
        """When is a conjunct false somewhere, with everybody placed so that the ``given`` formulas are true?"""
        named = dict.fromkeys(p for f in (part.body, *given) for p in Part(f, (), 0).named)
        for points in self.placements(tuple(named)):
            allowed = conjunction([self.room(points), *(self.everywhere(f, points) for f in given)])
            if allowed != "false":
                for body, more, there in self.chosen(part.body, part.people, points):
                    yield conjunction([allowed, there, self._false(body, more)])

    def possible(self, given: Sequence[s.Formula]) -> str:
        """There is a placement in which all these formulas are true everywhere."""
        named = dict.fromkeys(p for f in given for p in Part(f, (), 0).named)
        placed = self.placements(tuple(named))
        return disjunction([conjunction([self.room(p), *(self.everywhere(f, p) for f in given)]) for p in placed])

    def _false(self, body: s.Formula, points: Points) -> str:
        if self.is_global(body):
            return negation(self.truth(body, NOWHERE, points))
        found = self.spots(points)
        return disjunction([conjunction([t, negation(self.truth(body, spot, points))]) for spot, t in found])

    def everywhere(self, body: s.Formula, points: Points) -> str:
        return negation(self._false(body, points))

    def placements(self, people: tuple[s.Person, ...]) -> Iterator[Points]:
        """Everybody in a cell of the own class; nobody shares a named row."""
        homes = dict(self.shape.homes)
        options = [[k for k, cell in enumerate(self.cells) if cell.cls == homes[p.index]] for p in people]
        if math.prod(map(len, options)) > MOST_PLACEMENTS:
            raise Open(f"{len(people)} individuals can be placed in more than {MOST_PLACEMENTS} ways")
        for cells in itertools.product(*options):
            if all(self.cells[k].row is None or cells.count(k) == 1 for k in cells):
                yield tuple(zip(people, cells, strict=True))

    def room(self, points: Points) -> str:
        """Each cell has the rows that its points need."""
        cells = [cell for _, cell in points]
        needs = {k: cells.count(k) for k in cells if self.cells[k].row is None}
        return conjunction([f"(>= {self.cells[k].text} {many})" for k, many in needs.items()])

    def chosen(
        self, body: s.Formula, people: tuple[s.Var, ...], points: Points
    ) -> Iterator[tuple[s.Formula, Points, str]]:
        """The body for everybody whom variables may stand for: those placed, and others on free rows."""
        if not people:
            yield body, points, "true"
            return
        var, *rest = people
        for name, _ in points:
            yield from self.chosen(s.substitute(body, {var.name: name}), tuple(rest), points)
        for k in range(len(self.cells)):
            there = self.exists(k, points)
            if there != "false":
                for inner, more, also in self.chosen(body, tuple(rest), (*points, (var, k))):
                    yield inner, more, conjunction([there, also])


def _constant(value: bool) -> str:
    return "true" if value else "false"


def equal(left: str, right: str) -> str:
    """Two truths are the same."""
    for a, b in ((left, right), (right, left)):
        if a in ("true", "false"):
            return b if a == "true" else negation(b)
    return f"(= {left} {right})"


def times(factor: int, text: str) -> str:
    if text == "0" or factor == 0:
        return "0"
    return text if factor == 1 else f"(* {number(factor)} {text})"
