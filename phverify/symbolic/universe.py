"""The worlds of a release as a formula sees them: groups of alike classes, cells of alike rows, and points.

*Profiles*: rows of a class that agree on a formula's ground parts are interchangeable, unless a pseudonym
in the formula names them.  *Class types*: classes with the same profile counts and no named individual
are interchangeable, so that one group stands for many.  *Relevance*: only individuals that the formula
mentions are placed; each is a point, a world of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from phverify.constraints import terms as t
from phverify.exact import Ints
from phverify.microdata.quotient import packed
from phverify.spec import syntax as s
from phverify.symbolic.ground import Ground, View


@dataclass(frozen=True, slots=True)
class Cell:
    """Rows of one class with one profile.  ``truths[k]`` is the truth of ground part k there.

    ``values`` gives the value of each attribute that a clause variable ranges over; ``row`` is the row
    when a pseudonym of the formula names it (the cell then has that row only).
    """

    count: int
    truths: tuple[bool, ...]
    values: tuple[int, ...] = ()
    row: int | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Classes that look alike, of ``size`` rows each; ``seen[a]`` numbers the cell of agent a they lie in."""

    classes: tuple[int, ...]
    cells: tuple[Cell, ...]
    seen: tuple[int, ...]
    size: int

    @property
    def many(self) -> int:
        return len(self.classes)


@dataclass(frozen=True, slots=True)
class Point:
    """A mentioned individual: its group, and its cell where that is fixed (otherwise it is unknown)."""

    name: s.Person | s.Var
    group: int
    cell: int | None = None

    def unknown(self, cell: int) -> t.Term:
        """Whether the individual is at this cell of its group."""
        if self.cell is not None:
            return t.constant(self.cell == cell)
        assert isinstance(self.name, s.Person)
        return t.Unknown(f"i{self.name.index + 1}_p{cell}")


@dataclass(frozen=True, eq=False)
class Universe:
    """Groups and points.  A world is a point or a free row: (group number, cell number)."""

    groups: tuple[Group, ...]
    points: tuple[Point, ...]
    agents: tuple[str, ...]

    def free(self, group: int, cell: int) -> t.Sum:
        """How many rows of a cell (of one class of the group) hold no point."""
        taken = [(-1, p.unknown(cell)) for p in self.points if p.group == group]
        return t.count(taken, self.groups[group].cells[cell].count)

    def occurs(self, group: int, cell: int) -> t.Term:
        return t.at_least(self.free(group, cell), 1)

    def placements(self) -> Iterator[t.Term]:
        """Every point is at one cell of its group, and no cell holds more points than it has rows."""
        for point in self.points:
            cells = range(len(self.groups[point.group].cells))
            once = t.count((1, point.unknown(c)) for c in cells)
            yield t.at_least(once, 1)
            yield t.at_least(-1 * once, -1)
        for group in sorted({point.group for point in self.points}):
            for cell in range(len(self.groups[group].cells)):
                yield t.at_least(self.free(group, cell))

    def with_point(self, name: s.Var, group: int, cell: int) -> Universe:
        """A further individual at a free row of a cell; its class leaves the group of its likes."""
        chosen = self.groups[group]
        groups = list(self.groups)
        if chosen.many > 1:
            groups.append(replace(chosen, classes=chosen.classes[1:]))
            groups[group] = replace(chosen, classes=chosen.classes[:1])
        return Universe(tuple(groups), (*self.points, Point(name, group, cell)), self.agents)

    def together(self, agent: str, group: int) -> list[tuple[int, int]]:
        """The groups of the agent's cell around a class of this group, with how many classes of each."""
        if agent == "a1":
            return [(group, 1)]
        k = self.agents.index(agent)
        seen = self.groups[group].seen[k]
        return [(g, other.many) for g, other in enumerate(self.groups) if other.seen[k] == seen]


def universe(
    ground: Ground,
    parts: Sequence[s.Formula],
    clauses: Sequence[str],
    named: Mapping[s.Person, int],
    rows: Mapping[int, int],
    everywhere: bool,
    alike: bool,
) -> Universe:
    """The universe of a formula with these ground parts.

    ``named`` gives the class of each mentioned individual and ``rows`` the quotient cell of each mentioned
    row.  Unless ``everywhere``, only their classes are looked at; with ``alike``, classes of one type are
    grouped.
    """
    row_class = {row: int(ground.quotient.class_of_cell[cell]) for row, cell in rows.items()}
    touched = {*named.values(), *row_class.values()}
    view = ground.everything if everywhere else ground.some(np.array(sorted(touched), dtype=np.int64))
    agents = tuple(a for a in sorted(ground.agents) if a != "a1")
    seen = list(zip(*(ground.agent_cells(a)[view.classes].tolist() for a in agents), strict=True))
    cells = _cells(ground, parts, clauses, view)
    for row, cell in rows.items():
        index = row_class[row]
        cells[index] = cut(cells[index], profile_at(ground, parts, clauses, cell), row)
    groups = _grouped(view, cells, seen, touched, alike)
    number = {group.classes[0]: k for k, group in enumerate(groups)}
    points = tuple(Point(person, number[c]) for person, c in named.items())
    return Universe(tuple(groups), points, agents)


Profile = tuple[tuple[bool, ...], tuple[int, ...]]


def profile_at(ground: Ground, parts: Sequence[s.Formula], clauses: Sequence[str], cell: int) -> Profile:
    """The profile of a cell of the quotient."""
    view = ground.some(ground.quotient.class_of_cell[cell : cell + 1])
    here = int(np.flatnonzero(view.cells == cell)[0])
    truths = tuple(bool(ground.truth(part, view)[here]) for part in parts)
    return truths, tuple(int(ground.quotient.codes[a][cell]) for a in clauses)


def _cells(
    ground: Ground, parts: Sequence[s.Formula], clauses: Sequence[str], view: View
) -> dict[int, tuple[Cell, ...]]:
    """The cells of each class of the view, by profile."""
    truths = [ground.truth(part, view) for part in parts]
    values = [ground.quotient.codes[a][view.cells] for a in clauses]
    sizes = [*(2 for _ in truths), *(len(ground.quotient.labels[a]) for a in clauses)]
    classes = np.repeat(np.arange(len(view.classes)), np.diff(view.starts))
    packing, keys, _ = packed([classes, *truths, *values], [len(view.classes), *sizes], len(view.cells))
    distinct, inverse = np.unique(keys, return_inverse=True)
    counts = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(counts, inverse, ground.quotient.counts[view.cells])
    columns = packing.unpack(distinct)
    return _by_class(view, columns, counts.tolist(), len(truths))


def _by_class(view: View, columns: list[Ints], counts: list[int], parts: int) -> dict[int, tuple[Cell, ...]]:
    found: dict[int, list[Cell]] = {}
    interned: dict[tuple[int, ...], Cell] = {}
    classes = view.classes[columns[0]].tolist()
    profiles = list(zip(*(c.tolist() for c in columns[1:]), strict=True)) or [()] * len(counts)
    for index, count, profile in zip(classes, counts, profiles, strict=True):
        key = (count, *profile)
        if key not in interned:
            interned[key] = Cell(count, tuple(map(bool, profile[:parts])), tuple(profile[parts:]))
        found.setdefault(index, []).append(interned[key])
    return {index: tuple(cells) for index, cells in found.items()}


def cut(cells: tuple[Cell, ...], profile: Profile, row: int) -> tuple[Cell, ...]:
    """The cells after one row of a profile became a cell of its own, because a pseudonym names it."""
    result: list[Cell] = []
    for cell in cells:
        if cell.row is None and (cell.truths, cell.values) == profile:
            result += [replace(cell, count=cell.count - 1)] if cell.count > 1 else []
            result.append(Cell(1, cell.truths, cell.values, row))
        else:
            result.append(cell)
    return tuple(result)


def _grouped(
    view: View,
    cells: Mapping[int, tuple[Cell, ...]],
    seen: list[tuple[int, ...]],
    touched: set[int],
    alike: bool,
) -> list[Group]:
    """Classes that hold nobody mentioned are grouped by their cells and by where each agent sees them."""
    kinds: dict[object, list[int]] = {}
    where: dict[int, tuple[int, ...]] = {}
    for k, index in enumerate(view.classes.tolist()):
        where[index] = seen[k] if seen else ()
        own = index in touched or not alike
        kinds.setdefault(index if own else (cells[index], where[index]), []).append(index)
    return [
        Group(tuple(same), cells[same[0]], where[same[0]], sum(c.count for c in cells[same[0]]))
        for same in kinds.values()
    ]
