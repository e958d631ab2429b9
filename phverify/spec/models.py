"""The models of a release (Definition 7).

One world for each row, individuals placed within their classes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import chain, permutations, product
from math import perm
from typing import TYPE_CHECKING

from phverify.spec import syntax as s
from phverify.spec.bitset import below, bits, first
from phverify.spec.data import Data, Label, Refused, tuples
from phverify.spec.memory import remembered
from phverify.spec.semantics import Viewpoint, Worlds, true_in
from phverify.spec.source import Names, Values

if TYPE_CHECKING:
    from phverify.spec.classes import ReleaseView


@dataclass(frozen=True, eq=False)
class Table:
    """The rows as the agents see them.

    ``cells[agent]`` are lists of rows that the agent cannot tell apart.  ``among`` is
    the table that this one is a part of, whose counts criteria compare with.
    """

    data: Data
    among: Table | None = None

    @property
    def size(self) -> int:
        """How many rows there are."""
        return self.data.rows

    @property
    def outer(self) -> Table:
        """The table that criteria compare with: the whole one, for a part."""
        return self.among or self

    @cached_property
    def everything(self) -> Worlds:
        """All rows."""
        return below(self.size)

    # Who sees what

    @remembered
    def _grouped(self, names: Names) -> dict[Values, list[int]]:
        """The rows by what they hold of some columns."""
        groups: dict[Values, list[int]] = {}
        # Groups in the order of their first rows: everyone numbers classes alike.
        held = tuples(names, self.data.columns, self.data.rows)
        for row, values in enumerate(held):
            groups.setdefault(values, []).append(row)
        return groups

    @cached_property
    def cells(self) -> Mapping[str, list[list[int]]]:
        """For each agent its cells: the rows that hold the same of what it knows."""
        cells = {}
        for agent, known in self.data.agents.items():
            groups = self._grouped(known)
            cells[agent] = list(groups.values())
        return cells

    @cached_property
    def cell_of(self) -> Mapping[str, list[int]]:
        """For each agent and row, the number of the agent's cell."""
        numbers = {}
        for agent, cells in self.cells.items():
            numbers[agent] = self._numbers(cells)
        return numbers

    def _numbers(self, cells: list[list[int]]) -> list[int]:
        numbers = [0] * self.data.rows
        for number, rows in enumerate(cells):
            for row in rows:
                numbers[row] = number
        return numbers

    @cached_property
    def cell_sets(self) -> Mapping[str, list[Worlds]]:
        """The cells of each agent as sets of worlds."""
        sets = {}
        for agent, cells in self.cells.items():
            sets[agent] = [bits(rows) for rows in cells]
        return sets

    def cell(self, agent: str, row: int) -> Worlds:
        """The rows that an agent cannot tell from this one."""
        number = self.cell_of[agent][row]
        return self.cell_sets[agent][number]

    @property
    def classes(self) -> list[list[int]]:
        """The cells of a1, who knows the quasi-identifiers."""
        return self.cells["a1"]

    @cached_property
    def homes(self) -> list[int]:
        """For each individual, the number of the class where it is.

        Raises Refused if there is none.
        """
        classes = enumerate(self._grouped(self.data.quasi))
        number_of = {values: number for number, values in classes}
        homes = []
        for person, values in enumerate(self.data.home):
            if values not in number_of:
                raise Refused(f"individual {person + 1} is in no class of the release")
            homes.append(number_of[values])
        return homes

    # What is where

    @remembered
    def having(self, column: str) -> Mapping[Label, Worlds]:
        """For each value of a column, the rows that have it."""
        groups = self._grouped((column,))
        return {label: bits(rows) for (label,), rows in groups.items()}

    @remembered
    def whole(self, column: str) -> Mapping[Label, int]:
        """How often each value of a column occurs.

        Without a column, how many rows there are.
        """
        return self.counts(column, self.everything)

    def counts(self, column: str, rows: Worlds) -> Mapping[Label, int]:
        """How often each value of a column occurs in some rows."""
        if not column:
            return {"": rows.bit_count()}
        counts = {}
        for label, having in self.having(column).items():
            count = (having & rows).bit_count()
            if count:
                counts[label] = count
        return counts

    @remembered
    def extension(self, descriptor: s.Descriptor) -> Worlds:
        """The rows where a descriptor is true."""
        column = descriptor.attribute
        # Of the whole table: the type and the values are its.
        attribute = self.outer.data.signature.attributes[column]
        having = self.having(column)
        rows = 0
        for label in attribute.matches(descriptor.op, s.texts(descriptor)):
            # A part need not have every value of the table.
            rows |= having.get(label, 0)
        return rows

    @remembered
    def satisfies(self, node: s.Criterion, rows: Worlds) -> bool:
        """Whether rows, as a class, satisfy a criterion by its own definition."""
        criterion = self.outer.data.criterion(node)
        inside = self.counts(criterion.attribute, rows)
        # A part is compared with the whole table.
        whole = self.outer.whole(criterion.attribute)
        return criterion.holds(inside, whole)


@dataclass(frozen=True, eq=False)
class ReleaseModel:
    """One model of a release: ``place[k]`` is the row where individual k is.

    Formulas that do not speak of an individual need no place for it.
    """

    table: ReleaseView
    place: Mapping[int, int] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """The number of worlds, which are the rows."""
        return self.table.size

    def world(self, name: s.Reference) -> int:
        """The row that has a pseudonym, or where an individual is.

        Raises Refused for an individual without a place.
        """
        match name:
            case s.Row(index):
                return index
            case s.Person(index) if index in self.place:
                return self.place[index]
        raise Refused(f"nobody says where {name} is")

    def extension(self, descriptor: s.Descriptor) -> Worlds:
        """The rows where a descriptor is true."""
        return self.table.extension(descriptor)

    def viewpoints(self, agent: str, among: Worlds) -> Iterator[Viewpoint]:
        """The given rows by the agent's cells."""
        while among:
            # The cell may hold rows besides those that are asked about.
            cell = self.table.cell(agent, first(among))
            yield viewpoint(among & cell, cell)
            among &= ~cell

    def criterion(self, node: s.Criterion, among: Worlds) -> Worlds:
        """The given rows whose classes satisfy a criterion."""
        satisfying = 0
        for view in self.viewpoints("a1", among):
            if self.table.satisfies(node, view.space):
                satisfying |= view.worlds
        return satisfying

    def valid(self, formula: s.Formula) -> bool:
        """Whether a formula is true at every row."""
        return true_in(self, formula)


def viewpoint(worlds: Worlds, cell: Worlds) -> Viewpoint:
    """Worlds in a cell: all of it is possible there, and equally likely."""
    size = cell.bit_count()

    def measure(event: Worlds) -> Fraction:
        possible = event & cell
        return Fraction(possible.bit_count(), size)

    return Viewpoint(worlds, cell, cell, measure)


# All models


def placements(table: Table, people: list[int]) -> int:
    """In how many ways these individuals can stand on rows of their own classes.

    At most one stands on each row.
    """
    ways = 1
    by_class = _by_class(table, people)
    for number, inhabitants in by_class.items():
        rows = len(table.classes[number])
        ways *= perm(rows, len(inhabitants))
    return ways


def models(table: Table, people: list[int]) -> Iterator[ReleaseModel]:
    """Every model of the release, as far as it is about these individuals.

    The others fill the rows that are left.
    """
    by_class = _by_class(table, people)
    in_order = list(chain.from_iterable(by_class.values()))
    ways = []
    for number, inhabitants in by_class.items():
        # Different people are on different rows.
        ways.append(permutations(table.classes[number], len(inhabitants)))
    for rows in product(*ways):
        place = dict(zip(in_order, chain.from_iterable(rows), strict=True))
        yield ReleaseModel(table, place)


def _by_class(table: Table, people: list[int]) -> dict[int, list[int]]:
    """The individuals of each class that has some."""
    by_class: dict[int, list[int]] = {}
    for person in people:
        home = table.homes[person]
        inhabitants = by_class.setdefault(home, [])
        inhabitants.append(person)
    return by_class
