"""The rows of a release as one question sees them: groups of classes that are alike, cells of rows that are alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from phverify.spec import syntax as s
from phverify.spec.ground import Ground
from phverify.spec.models import Table
from phverify.spec.nominals import numbered


@dataclass(frozen=True)
class Cell:
    """So many rows of one class with one profile: the truth of each ground part, the values of each clause's column.

    ``row`` is the row where the question names it by its pseudonym.
    """

    count: int
    truths: tuple[int, ...]
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

    name: s.Reference
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

    def with_point(self, name: s.Reference, g: int, c: int) -> Universe:
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
    ground: Ground, parts: list[s.Formula], columns: tuple[str, ...], formulas: list[s.Formula], everywhere: bool
) -> Universe:
    """The universe of some formulas with these ground parts.

    Unless ``everywhere``, only the classes of individuals and rows that the formulas name are looked at.
    """
    table = ground.table
    people, rows = numbered(formulas)
    homes = {k: table.homes[k] for k in people}
    touched = sorted({*homes.values(), *(table.cell_of["a1"][row] for row in rows)})
    apart = any(isinstance(node, s.Quantified) for f in formulas for node in s.subformulas(f))
    looks = _looks(ground, parts, columns)
    groups: dict[object, Group] = {}
    where: dict[int, int] = {}
    for number in range(len(table.classes)) if everywhere else touched:
        group = Group(_cells(table.classes[number], looks, len(parts), rows), _seen(table, number))
        alone = apart or number in touched
        key = number if alone else (group.cells, tuple(group.seen.items()))
        known = groups.get(key)
        groups[key] = replace(known, many=known.many + 1) if known else group
        if known is None:
            where[number] = len(groups) - 1
    points = tuple(Point(s.Person(k), where[homes[k]]) for k in people)
    return Universe(tuple(groups.values()), points)


Look = tuple[int, ...]
"""For each row, what one part or column says of it."""


def _looks(ground: Ground, parts: list[s.Formula], columns: tuple[str, ...]) -> list[Look]:
    """The truth of each part, then the number of each column's value, at all rows."""
    data = ground.table.data
    looks: list[Look] = []
    for part in parts:
        true = ground.rows(part)
        looks.append(tuple(row in true for row in range(data.rows)))
    for column in columns:
        numbers = {label: number for number, label in enumerate(data.domains[column])}
        looks.append(tuple(numbers[label] for label in data.columns[column]))
    return looks


def _cells(rows: list[int], looks: list[Look], parts: int, named: set[int]) -> tuple[Cell, ...]:
    """The rows of a class by what is seen of them; those that are named stand apart."""
    counts: dict[tuple[Look, int | None], int] = {}
    for row in rows:
        key = tuple(look[row] for look in looks), row if row in named else None
        counts[key] = counts.get(key, 0) + 1
    cells = [Cell(count, seen[:parts], seen[parts:], row) for (seen, row), count in counts.items()]
    return tuple(sorted(cells, key=lambda cell: (cell.truths, cell.values, -1 if cell.row is None else cell.row)))


def _seen(table: Table, number: int) -> dict[str, int]:
    """Where the agents see a class, except those that see single classes."""
    quasi = set(table.data.quasi)
    row = table.classes[number][0]
    return {agent: table.cell_of[agent][row] for agent, known in table.data.agents.items() if set(known) != quasi}
