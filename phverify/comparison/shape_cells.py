"""The cells of all tables of one shape: rows alike, and how many there may be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from phverify.comparison.case import ComparedCase
from phverify.comparison.shapes import TableShape
from phverify.constraints import terms as t
from phverify.microdata.table import Label
from phverify.spec import syntax as s
from phverify.spec.source import Values

Points = tuple[tuple[s.Reference, int], ...]
"""Who has been placed, each in a cell."""
Chosen = Sequence[bool]
"""Of each profile whether it is meant."""


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
class ShapeCell:
    """Rows alike, so many; ``row`` is the number of a row that is named, which has a
    cell of its own and no name.
    """

    cls: int
    profile: int
    row: int | None
    name: str
    count: t.LinearSum


class ShapeCells:
    """The rows of a shape in cells, and who has been placed in which."""

    sort = "Int"
    """Of the counts of rows."""

    def __init__(self, case: ComparedCase, shape: TableShape, mark: str = "") -> None:
        self.case = case
        self.shape = shape
        self.mark = mark
        self.profiles = case.choice.profiles
        self.cells = list(self._cells())
        self._inside: dict[tuple[int, tuple[bool, ...]], t.LinearSum] = {}

    def _cells(self) -> Iterator[ShapeCell]:
        # the first cells have one profile each, in order: ``plain`` counts on it
        for c in range(self.shape.classes):
            for p in range(len(self.profiles)):
                name = f"n{self.mark}{c}_{p}"
                yield ShapeCell(c, p, None, name, t.number(name, self.sort))
        for row, (c, p) in self.shape.rows.items():
            yield ShapeCell(c, p, row, "", t.whole(1))

    def inside(self, c: int, chosen: Chosen) -> t.LinearSum:
        """How many rows of class c have one of the profiles."""
        key = c, tuple(chosen)
        if key not in self._inside:
            own = (cell for cell in self.cells if cell.cls == c)
            rows = t.added(cell.count for cell in own if chosen[cell.profile])
            # Shared: the sum is written once, however many constraints have it.
            self._inside[key] = t.shared(rows)
        return self._inside[key]

    def everything(self) -> Chosen:
        """All profiles."""
        return [True] * len(self.profiles)

    def having(self, f: str, value: Label) -> Chosen:
        """The profiles with a value."""
        return [profile[f] == value for profile in self.profiles]

    def domain(self, f: str) -> Values:
        """The values of a criterion's column, if it has one."""
        if not f:
            return ()
        return self.case.choice.attributes[f].domain

    def taken(self, cell: int, points: Points) -> int:
        """How many points are in a cell."""
        return sum(other == cell for _, other in points)

    def exists(self, cell: int, points: Points) -> t.Term:
        """There is a free row in the cell."""
        placed = self.taken(cell, points)
        return t.compare(self.cells[cell].count, ">", placed)

    def worlds(
        self, points: Points, among: Sequence[int] | None = None
    ) -> Iterator[tuple[World, t.Term]]:
        """Every world of some classes (None: all), and when it is there."""
        for k, (_, cell) in enumerate(points):
            if among is None or self.cells[cell].cls in among:
                yield World(cell, k, points), t.TRUE
        for k, item in enumerate(self.cells):
            there = self.exists(k, points)
            # A cell that is surely full has no free row.
            if there is not t.FALSE and (among is None or item.cls in among):
                yield World(k, -1, points), there

    def _cells_of(self, cls: int) -> list[int]:
        """The numbers of the cells of a class."""
        classes = [cell.cls for cell in self.cells]
        return [number for number, own in enumerate(classes) if own == cls]
