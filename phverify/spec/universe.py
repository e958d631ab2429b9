"""The rows of a release as one question sees them.

Groups of classes that are alike, cells of rows that are alike.

*Profiles*: rows of a class that agree on a question's ground parts are interchangeable,
unless a pseudonym in it names them.  *Class types*: classes with the same profiles that
hold nobody named are interchangeable, so that one group stands for many.  *Relevance*:
only individuals that are named are placed; each is a point, a row of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from phverify.spec import syntax as s
from phverify.spec.ground import Ground
from phverify.spec.instances import schematic
from phverify.spec.nominals import numbered
from phverify.spec.source import Refused
from phverify.spec.walk import agents, is_global

Numbers = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """So many rows of one class with one profile.

    The profile is the truth of each ground part and the values of each clause's column.
    ``row`` is the row where the question names it by its pseudonym; the cell has that
    row only.
    """

    count: int
    truths: Numbers
    values: Numbers = ()
    row: int | None = None

    @property
    def place(self) -> tuple[Numbers, Numbers, int]:
        """Where it stands among the cells of its class."""
        row = self.row
        if row is None:
            row = -1
        return self.truths, self.values, row


Cells = tuple[Cell, ...]
Seen = Mapping[str, int]
"""In which cell of an agent a class lies, for agents that see more than one class."""
Classes = Mapping[int, tuple[Cells, Seen]]


@dataclass(frozen=True, slots=True)
class Group:
    """Classes with the same cells, each with its number."""

    cells: Cells
    seen: Seen
    classes: tuple[int, ...]

    @property
    def many(self) -> int:
        """The number of classes."""
        return len(self.classes)

    @property
    def size(self) -> int:
        """The rows of one of the classes."""
        counts = [cell.count for cell in self.cells]
        return sum(counts)


@dataclass(frozen=True, slots=True)
class Point:
    """An individual that the question speaks of: its group, and its cell if known."""

    name: s.Person | s.Var
    group: int
    cell: int | None = None


@dataclass(frozen=True, eq=False)
class Universe:
    """All kinds of rows of a question, and the individuals that have one each.

    ``agents`` are those whose cells the groups keep apart.
    """

    groups: tuple[Group, ...]
    points: tuple[Point, ...]
    agents: frozenset[str]

    def kinds(self) -> Iterator[tuple[int, int]]:
        """All cells, as pairs of a group's and a cell's number."""
        for number, group in enumerate(self.groups):
            for cell in range(len(group.cells)):
                yield number, cell

    def kind_of(self, row: int) -> tuple[int, int]:
        """The cell of a row that the question names by its pseudonym."""
        for group, cell in self.kinds():
            if self.groups[group].cells[cell].row == row:
                return group, cell
        raise LookupError(f"row {row} has no cell of its own")

    def points_of(self, groups: Collection[int]) -> list[int]:
        """The numbers of the points in some groups."""
        numbers = []
        for number, point in enumerate(self.points):
            if point.group in groups:
                numbers.append(number)
        return numbers

    def with_point(self, name: s.Var, group: int, cell: int) -> Universe:
        """One more individual, on a row of a cell.

        Its class leaves the group of those like it.
        """
        groups = list(self.groups)
        entered = groups[group]
        if entered.many > 1:
            # Which of the classes is entered does not matter: they are alike.
            first = entered.classes[:1]
            others = entered.classes[1:]
            groups[group] = replace(entered, classes=first)
            groups.append(replace(entered, classes=others))
        points = (*self.points, Point(name, group, cell))
        return Universe(tuple(groups), points, self.agents)

    def around(self, agent: str, group: int) -> list[tuple[int, int]]:
        """The groups that the agent sees around a class of a group.

        Each with how many of its classes.
        """
        # Groups forget where other agents see them: an answer for these would be wrong.
        if agent not in self.agents:
            raise Refused(f"{agent} is no agent of the question")
        seen = self.groups[group].seen
        if agent not in seen:
            # It sees the class alone, not those of the group that are like it.
            return [(group, 1)]
        here = seen[agent]
        around = []
        for number, other in enumerate(self.groups):
            if other.seen[agent] == here:
                around.append((number, other.many))
        return around


@dataclass(frozen=True, eq=False)
class Scope:
    """What a question is about: its ground parts, its clauses' columns, whom it names.

    ``agents`` are those that it asks outside of its ground parts: where others see a
    class does not matter.  Unless ``everywhere``, only the classes of the people and
    rows count; with ``apart``, no classes are taken together.
    """

    parts: s.Formulas
    columns: tuple[str, ...]
    people: tuple[int, ...]
    rows: frozenset[int]
    agents: frozenset[str]
    everywhere: bool
    apart: bool

    def universe(
        self, homes: Mapping[int, int], touched: Collection[int], classes: Classes
    ) -> Universe:
        """Classes by their cells and where the agents see them.

        ``touched`` ones stand for themselves.
        """
        # A class with somebody named differs from those that are like it otherwise.
        alone = classes.keys() if self.apart else touched
        alike: dict[object, list[int]] = {}
        for number, (cells, seen) in classes.items():
            key = number if number in alone else (cells, tuple(seen.items()))
            alike.setdefault(key, []).append(number)

        groups = []
        for numbers in alike.values():
            cells, seen = classes[numbers[0]]
            groups.append(Group(cells, seen, tuple(numbers)))

        # The homes of people are touched, so that each is the one class of its group.
        group_of = {group.classes[0]: number for number, group in enumerate(groups)}
        points = []
        for person in self.people:
            home = group_of[homes[person]]
            points.append(Point(s.Person(person), home))
        return Universe(tuple(groups), tuple(points), self.agents)


def scope(
    formulas: list[s.Formula],
    parts: list[s.Formula],
    columns: tuple[str, ...],
    people: bool,
) -> Scope:
    """The scope of formulas with these ground parts.

    ``people`` says that variables stand for anyone.
    """
    named, rows = numbered(formulas)
    apart = any(map(schematic, formulas))
    everywhere = people or not all(map(_local, formulas))
    return Scope(
        tuple(parts),
        columns,
        tuple(named),
        frozenset(rows),
        _asked(formulas),
        everywhere,
        apart,
    )


def _asked(formulas: list[s.Formula]) -> frozenset[str]:
    """The agents that formulas ask, apart from their ground parts."""
    asked: set[str] = set()
    for formula in formulas:
        for node in s.subformulas(formula):
            asked.update(map(str, agents(node)))
    return frozenset(asked)


def _local(formula: s.Formula) -> bool:
    """Whether a formula speaks only of the classes of those whom it names."""
    if not is_global(formula):
        return False
    return not any(map(_reaches_far, s.subformulas(formula)))


def _reaches_far(node: s.Formula) -> bool:
    """Whether a node speaks of classes besides that where it stands."""
    if isinstance(node, s.Quantified):
        return True
    return any(agent != "a1" for agent in agents(node))


# From the rows


def universe(ground: Ground, question: Scope) -> Universe:
    """The universe of a question."""
    table = ground.table
    homes = {person: table.homes[person] for person in question.people}
    named_rows = [table.cell_of["a1"][row] for row in question.rows]
    touched = {*homes.values(), *named_rows}

    facts = _facts(ground, question)
    quasi = set(table.data.quasi)
    # Of agents that know just the quasi-identifiers the cell is the class itself.
    far = []
    for agent, known in table.data.agents.items():
        if agent in question.agents and set(known) != quasi:
            far.append(agent)
    classes = {}
    for number in ground.everyone if question.everywhere else sorted(touched):
        rows = table.classes[number]
        # All rows of a class lie in one cell of such an agent: the first one tells.
        seen = {agent: table.cell_of[agent][rows[0]] for agent in far}
        classes[number] = _cells(rows, facts, question), seen
    return question.universe(homes, touched, classes)


def _facts(ground: Ground, question: Scope) -> list[Numbers]:
    """At all rows the truth of each part, then the number of each column's value."""
    data = ground.table.data
    facts: list[Numbers] = []
    for part in question.parts:
        true = ground.rows(part)
        facts.append(tuple(row in true for row in range(data.rows)))
    for column in question.columns:
        numbers = {label: number for number, label in enumerate(data.domains[column])}
        facts.append(tuple(numbers[label] for label in data.columns[column]))
    return facts


def _cells(rows: list[int], facts: list[Numbers], question: Scope) -> Cells:
    """The rows of a class by their facts; those that are named stand apart."""
    counts: dict[tuple[Numbers, int | None], int] = {}
    for row in rows:
        profile = tuple(fact[row] for fact in facts)
        # A row that has a name is not interchangeable with those like it.
        named = row if row in question.rows else None
        key = profile, named
        counts[key] = counts.get(key, 0) + 1

    parts = len(question.parts)
    cells = []
    for (profile, named), count in counts.items():
        cells.append(Cell(count, profile[:parts], profile[parts:], named))
    # In a fixed order, so that classes that are alike have equal cells.
    return tuple(sorted(cells, key=lambda cell: cell.place))
