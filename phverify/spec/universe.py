"""The rows of a release as one question sees them: groups of classes that are alike,
cells of rows that are alike.

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
from phverify.spec.nominals import numbered
from phverify.spec.source import Refused
from phverify.spec.walk import agents, is_global

Numbers = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """So many rows of one class with one profile: the truth of each ground part, the
    values of each clause's column.

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
        return self.truths, self.values, -1 if self.row is None else self.row


Cells = tuple[Cell, ...]
Seen = Mapping[str, int]
"""For each agent that sees more than single classes, in which of its cells a class
lies.
"""
Classes = Mapping[int, tuple[Cells, Seen]]


@dataclass(frozen=True, slots=True)
class Group:
    """Classes with the same cells, each with its number."""

    cells: Cells
    seen: Seen
    classes: tuple[int, ...]

    @property
    def many(self) -> int:
        return len(self.classes)

    @property
    def size(self) -> int:
        """The rows of one of the classes."""
        return sum(cell.count for cell in self.cells)


@dataclass(frozen=True, slots=True)
class Point:
    """An individual that the question speaks of: its group, and its cell where that is
    not unknown.
    """

    name: s.Person | s.Var
    group: int
    cell: int | None = None


@dataclass(frozen=True, eq=False)
class Universe:
    """Groups of classes, the points in them, and the agents whose cells groups keep
    apart.
    """

    groups: tuple[Group, ...]
    points: tuple[Point, ...]
    agents: frozenset[str]

    def kinds(self) -> Iterator[tuple[int, int]]:
        """All cells, as pairs of a group's and a cell's number."""
        for g, group in enumerate(self.groups):
            yield from ((g, c) for c in range(len(group.cells)))

    def with_point(self, name: s.Var, g: int, c: int) -> Universe:
        """One more individual, on a row of a cell; its class leaves the group of those
        like it.
        """
        groups, group = list(self.groups), self.groups[g]
        if group.many > 1:
            groups[g] = replace(group, classes=group.classes[:1])
            groups.append(replace(group, classes=group.classes[1:]))
        points = (*self.points, Point(name, g, c))
        return Universe(tuple(groups), points, self.agents)

    def around(self, agent: str, g: int) -> list[tuple[int, int]]:
        """The groups that the agent sees around a class of a group, with how many
        classes of each.
        """
        # Groups forget where other agents see them: an answer for these would be wrong.
        if agent not in self.agents:
            raise Refused(f"{agent} is no agent of the question")
        if agent not in self.groups[g].seen:  # it sees the class alone
            return [(g, 1)]
        here = self.groups[g].seen[agent]
        return [
            (other, group.many)
            for other, group in enumerate(self.groups)
            if group.seen[agent] == here
        ]


@dataclass(frozen=True, eq=False)
class Scope:
    """What a question looks at: its ground parts, the columns of its clauses, the
    individuals and rows it names.

    ``agents`` are those that it asks outside of its ground parts: where others see a
    class does not matter.  Unless ``everywhere``, only the classes of those named are
    looked at; with ``apart``, no classes are taken together.
    """

    parts: s.Formulas
    columns: tuple[str, ...]
    people: tuple[int, ...]
    rows: frozenset[int]
    agents: frozenset[str]
    everywhere: bool
    apart: bool

    def universe(
        self, homes: Mapping[int, int], touched: Collection[int], found: Classes
    ) -> Universe:
        """Classes by their cells and where the agents see them; ``touched`` stand for
        themselves.
        """
        alone = found.keys() if self.apart else touched
        alike: dict[object, list[int]] = {}
        for number, (cells, seen) in found.items():
            key = number if number in alone else (cells, tuple(seen.items()))
            alike.setdefault(key, []).append(number)
        groups = [
            Group(*found[classes[0]], tuple(classes)) for classes in alike.values()
        ]
        where = {group.classes[0]: g for g, group in enumerate(groups)}
        points = tuple(Point(s.Person(k), where[homes[k]]) for k in self.people)
        return Universe(tuple(groups), points, self.agents)


def scope(
    formulas: list[s.Formula],
    parts: list[s.Formula],
    columns: tuple[str, ...],
    people: bool,
) -> Scope:
    """The scope of formulas with these ground parts; ``people`` says that variables
    stand for anyone.
    """
    named, rows = numbered(formulas)
    apart = any(
        isinstance(node, s.Quantified) for f in formulas for node in s.subformulas(f)
    )
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
    found: set[str] = set()
    for formula in formulas:
        for node in s.subformulas(formula):
            found.update(map(str, agents(node)))
    return frozenset(found)


def _local(f: s.Formula) -> bool:
    """Whether a formula speaks only of the classes of the individuals and rows that it
    names.
    """
    return is_global(f) and not any(_far(node) for node in s.subformulas(f))


def _far(node: s.Formula) -> bool:
    return isinstance(node, s.Quantified) or any(
        agent != "a1" for agent in agents(node)
    )


# By looking at the rows


def universe(ground: Ground, seen: Scope) -> Universe:
    """The universe of a question."""
    table = ground.table
    homes = {k: table.homes[k] for k in seen.people}
    touched = {*homes.values(), *(table.cell_of["a1"][row] for row in seen.rows)}
    looks = _looks(ground, seen)
    quasi = set(table.data.quasi)
    knowing = table.data.agents.items()
    far = [a for a, known in knowing if a in seen.agents and set(known) != quasi]
    found = {}
    for number in range(len(table.classes)) if seen.everywhere else sorted(touched):
        rows = table.classes[number]
        where = {agent: table.cell_of[agent][rows[0]] for agent in far}
        found[number] = _cells(rows, looks, seen), where
    return seen.universe(homes, touched, found)


def _looks(ground: Ground, seen: Scope) -> list[Numbers]:
    """The truth of each part, then the number of each column's value, at all rows."""
    data = ground.table.data
    looks: list[Numbers] = []
    for part in seen.parts:
        true = ground.rows(part)
        looks.append(tuple(row in true for row in range(data.rows)))
    for column in seen.columns:
        numbers = {label: number for number, label in enumerate(data.domains[column])}
        looks.append(tuple(numbers[label] for label in data.columns[column]))
    return looks


def _cells(rows: list[int], looks: list[Numbers], seen: Scope) -> Cells:
    """The rows of a class by what is seen of them; those that are named stand apart."""
    counts: dict[tuple[Numbers, int | None], int] = {}
    for row in rows:
        key = tuple(look[row] for look in looks), row if row in seen.rows else None
        counts[key] = counts.get(key, 0) + 1
    parts = len(seen.parts)
    cells = [
        Cell(count, found[:parts], found[parts:], row)
        for (found, row), count in counts.items()
    ]
    return tuple(sorted(cells, key=lambda cell: cell.place))
