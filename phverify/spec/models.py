"""The models of a release (Definition 7): one world for each row, individuals placed
within their classes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain, permutations, product
from math import perm, prod
from typing import Protocol

from phverify.spec import syntax as s
from phverify.spec.bitset import below, bits, first
from phverify.spec.data import Data, Label, Refused, tuples
from phverify.spec.semantics import Point, Worlds, true_in
from phverify.spec.source import Names, Values


class Seen(Protocol):
    """The rows of a release as the agents see them: what all its models share."""

    @property
    def size(self) -> int:
        """How many rows there are."""

    def cell(self, agent: str, row: int) -> Worlds:
        """The rows that an agent cannot tell from this one."""

    def extension(self, descriptor: s.Descriptor) -> Worlds:
        """The rows where a descriptor is true."""

    def satisfies(self, node: s.Criterion, rows: Worlds) -> bool:
        """Whether rows, as a class, satisfy a criterion by its own definition."""


@dataclass(frozen=True, eq=False)
class Table:
    """The rows as the agents see them.  ``cells[agent]`` are lists of rows that the
    agent cannot tell apart.

    ``among`` is the table that this one is a part of, whose counts criteria compare
    with.
    """

    data: Data
    among: Table | None = None
    _extensions: dict[s.Descriptor, Worlds] = field(default_factory=dict)
    _satisfied: dict[tuple[s.Criterion, Worlds], bool] = field(default_factory=dict)
    _groups: dict[Names, dict[Values, list[int]]] = field(default_factory=dict)
    _having: dict[str, Mapping[Label, Worlds]] = field(default_factory=dict)
    _whole: dict[str, Mapping[Label, int]] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return self.data.rows

    @property
    def outer(self) -> Table:
        return self.among or self

    def part(self, rows: list[int]) -> Table:
        """Some whole classes as a table of their own."""
        columns = {
            name: tuple(column[row] for row in rows)
            for name, column in self.data.columns.items()
        }
        return Table(replace(self.data, rows=len(rows), columns=columns), self)

    @cached_property
    def everything(self) -> Worlds:
        return below(self.size)

    # Who sees what

    def _grouped(self, names: Names) -> dict[Values, list[int]]:
        """The rows by what they hold of some columns."""
        if names not in self._groups:
            found: dict[Values, list[int]] = {}
            for row, values in enumerate(
                tuples(names, self.data.columns, self.data.rows)
            ):
                found.setdefault(values, []).append(row)
            self._groups[names] = found
        return self._groups[names]

    @cached_property
    def cells(self) -> Mapping[str, list[list[int]]]:
        return {
            agent: list(self._grouped(known).values())
            for agent, known in self.data.agents.items()
        }

    @cached_property
    def cell_of(self) -> Mapping[str, list[int]]:
        """For each agent and row, the number of the agent's cell."""
        return {agent: self._numbers(cells) for agent, cells in self.cells.items()}

    def _numbers(self, cells: list[list[int]]) -> list[int]:
        found = [0] * self.data.rows
        for number, rows in enumerate(cells):
            for row in rows:
                found[row] = number
        return found

    @cached_property
    def cell_sets(self) -> Mapping[str, list[Worlds]]:
        """The cells of each agent as sets of worlds."""
        return {agent: list(map(bits, cells)) for agent, cells in self.cells.items()}

    def cell(self, agent: str, row: int) -> Worlds:
        return self.cell_sets[agent][self.cell_of[agent][row]]

    @property
    def classes(self) -> list[list[int]]:
        return self.cells["a1"]

    @cached_property
    def homes(self) -> list[int]:
        """For each individual, the number of the class where it is.  Raises Refused if
        there is none.
        """
        by_values = {
            values: number
            for number, values in enumerate(self._grouped(self.data.quasi))
        }
        missing = [
            k for k, values in enumerate(self.data.home) if values not in by_values
        ]
        if missing:
            raise Refused(f"individual {missing[0] + 1} is in no class of the release")
        return [by_values[values] for values in self.data.home]

    # What is where

    def having(self, column: str) -> Mapping[Label, Worlds]:
        """For each value of a column, the rows that have it."""
        if column not in self._having:
            grouped = self._grouped((column,))
            self._having[column] = {
                label: bits(rows) for (label,), rows in grouped.items()
            }
        return self._having[column]

    def whole(self, column: str) -> Mapping[Label, int]:
        """How often each value of a column occurs; without a column, how many rows
        there are.
        """
        if column not in self._whole:
            self._whole[column] = self.counts(column, self.everything)
        return self._whole[column]

    def counts(self, column: str, rows: Worlds) -> Mapping[Label, int]:
        """How often each value of a column occurs in some rows."""
        if not column:
            return {"": rows.bit_count()}
        found = {
            label: (where & rows).bit_count()
            for label, where in self.having(column).items()
        }
        return {label: count for label, count in found.items() if count}

    def extension(self, descriptor: s.Descriptor) -> Worlds:
        """The rows where a descriptor is true."""
        if descriptor not in self._extensions:
            column = self.outer.data.signature.attributes[descriptor.attribute]
            found = 0
            for label in column.matches(descriptor.op, s.texts(descriptor)):
                found |= self.having(descriptor.attribute).get(label, 0)
            self._extensions[descriptor] = found
        return self._extensions[descriptor]

    def satisfies(self, node: s.Criterion, rows: Worlds) -> bool:
        if (node, rows) not in self._satisfied:
            criterion = self.outer.data.criterion(node)
            inside, whole = (
                self.counts(criterion.attribute, rows),
                self.outer.whole(criterion.attribute),
            )
            self._satisfied[node, rows] = criterion.holds(inside, whole)
        return self._satisfied[node, rows]


@dataclass(frozen=True, eq=False)
class ReleaseModel:
    """One model of a release: ``place[k]`` is the row where individual k is.

    Formulas that do not speak of an individual need no place for it.
    """

    table: Seen
    place: Mapping[int, int] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return self.table.size

    def world(self, name: s.Reference) -> int:
        match name:
            case s.Row(index):
                return index
            case s.Person(index) if index in self.place:
                return self.place[index]
        raise Refused(f"nobody says where {name} is")

    def extension(self, descriptor: s.Descriptor) -> Worlds:
        return self.table.extension(descriptor)

    def points(self, agent: str, among: Worlds) -> Iterator[Point]:
        while among:
            cell = self.table.cell(agent, first(among))
            yield point(among & cell, cell)
            among &= ~cell

    def criterion(self, node: s.Criterion, among: Worlds) -> Worlds:
        points = self.points("a1", among)
        return sum(
            point.worlds for point in points if self.table.satisfies(node, point.space)
        )

    def valid(self, formula: s.Formula) -> bool:
        """Whether a formula is true at every row."""
        return true_in(self, formula)


def point(worlds: Worlds, cell: Worlds) -> Point:
    """Worlds in a cell: all of it is possible there, and equally likely."""
    size = cell.bit_count()
    return Point(
        worlds, cell, cell, lambda some: Fraction((some & cell).bit_count(), size)
    )


# All models


def placements(table: Table, people: list[int]) -> int:
    """In how many ways these individuals can stand on rows of their own classes, one on
    each.
    """
    return prod(
        perm(len(table.classes[number]), len(who))
        for number, who in _by_class(table, people).items()
    )


def models(table: Table, people: list[int]) -> Iterator[ReleaseModel]:
    """Every model of the release, as far as it is about these individuals: the others
    fill the rows that are left.
    """
    by_class = _by_class(table, people)
    ways = [
        permutations(table.classes[number], len(who))
        for number, who in by_class.items()
    ]
    who = list(chain.from_iterable(by_class.values()))
    for rows in product(*ways):
        yield ReleaseModel(
            table, dict(zip(who, chain.from_iterable(rows), strict=True))
        )


def _by_class(table: Table, people: list[int]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for k in people:
        found.setdefault(table.homes[k], []).append(k)
    return found
