"""The rows of a release as one question sees them: groups of classes that are alike, cells of rows that are alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from phverify.spec.meaning import Meaning, Table
from phverify.spec.tuples import Formula, below

Name = tuple[str, Any]


@dataclass(frozen=True)
class Cell:
    """So many rows of one class with one profile: the truth of each ground part, the values of each clause's column.

    ``row`` is the row where the question names it by its pseudonym.
    """

    count: int
    truths: tuple[bool, ...]
    values: tuple[int, ...]
    row: int | None = None


@dataclass(frozen=True)
class Group:
    """``many`` classes with the same cells; ``seen`` says in which cell of each agent they lie."""

    cells: tuple[Cell, ...]
    seen: Mapping[str, int]
    many: int = 1

    @property
    def size(self) -> int:
        """The rows of one of the classes."""
        return sum(cell.count for cell in self.cells)


@dataclass(frozen=True)
class Point:
    """An individual that the question speaks of: its group, and its cell where that is not unknown."""

    name: Name
    group: int
    cell: int | None = None


@dataclass(frozen=True, eq=False)
class Universe:
    groups: tuple[Group, ...]
    points: tuple[Point, ...]

    def kinds(self) -> Iterator[tuple[int, int]]:
        """All cells, as pairs of a group's and a cell's number."""
        for g, group in enumerate(self.groups):
            yield from ((g, c) for c in range(len(group.cells)))

    def with_point(self, name: Name, g: int, c: int) -> Universe:
        """One more individual, on a row of a cell; its class leaves the group of those like it."""
        groups, group = list(self.groups), self.groups[g]
        if group.many > 1:
            groups[g] = replace(group, many=1)
            groups.append(replace(group, many=group.many - 1))
        return Universe(tuple(groups), (*self.points, Point(name, g, c)))

    def around(self, agent: str, g: int) -> list[tuple[int, int]]:
        """The groups that the agent sees around a class of a group, with how many classes of each."""
        if agent not in self.groups[g].seen:  # it sees the class alone
            return [(g, 1)]
        here = self.groups[g].seen[agent]
        return [(other, group.many) for other, group in enumerate(self.groups) if group.seen[agent] == here]


def universe(
    meaning: Meaning, parts: list[Formula], columns: tuple[str, ...], formulas: list[Formula], everywhere: bool
) -> Universe:
    """The universe of some formulas with these ground parts.

    Unless ``everywhere``, only the classes of individuals and rows that the formulas name are looked at.
    """
    table = meaning.table
    people, rows = named(formulas)
    homes = {k: table.homes[k] for k in people}
    touched = sorted({*homes.values(), *(table.cell_of["a1"][row] for row in rows)})
    apart = any(node[0] in ("forall", "exists") for f in formulas for node in below(f))
    groups: dict[object, Group] = {}
    where: dict[int, int] = {}
    for number in range(len(table.classes)) if everywhere else touched:
        group = Group(_cells(meaning, number, parts, columns, rows), _seen(table, number))
        alone = apart or number in touched
        key = number if alone else (group.cells, tuple(group.seen.items()))
        known = groups.get(key)
        groups[key] = replace(known, many=known.many + 1) if known else group
        if known is None:
            where[number] = len(groups) - 1
    points = tuple(Point(("person", k), where[homes[k]]) for k in people)
    return Universe(tuple(groups.values()), points)


def named(formulas: list[Formula]) -> tuple[list[int], set[int]]:
    """The individuals and the rows that formulas name."""
    people: set[int] = set()
    rows: set[int] = set()
    for node in (node for f in formulas for node in below(f)):
        match node:
            case ("who" | "at", ("person", k), *_):
                people.add(k)
            case ("who" | "at", ("row", k), *_):
                rows.add(k)
    return sorted(people), rows


def _cells(
    meaning: Meaning, number: int, parts: list[Formula], columns: tuple[str, ...], named: set[int]
) -> tuple[Cell, ...]:
    data = meaning.table.data
    counts: dict[Any, int] = {}
    for row in meaning.table.classes[number]:
        truths = tuple(meaning.true(part, row) for part in parts)
        values = tuple(data.domains[column].index(data.columns[column][row]) for column in columns)
        key = (truths, values, row if row in named else None)
        counts[key] = counts.get(key, 0) + 1
    cells = [Cell(count, *key) for key, count in counts.items()]
    return tuple(sorted(cells, key=lambda cell: (cell.truths, cell.values, -1 if cell.row is None else cell.row)))


def _seen(table: Table, number: int) -> dict[str, int]:
    """Where the agents see a class, except those that see single classes."""
    quasi = set(table.data.quasi)
    row = table.classes[number][0]
    return {agent: table.cell_of[agent][row] for agent, known in table.data.agents.items() if set(known) != quasi}
