"""A release ready to be asked: its columns, its quotient, who could be on which row."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from phverify.exact import Bools, Ints
from phverify.microdata.quotient import Quotient
from phverify.microdata.table import Column
from phverify.spec import syntax as s
from phverify.spec.criterion.base import ClassCriterion, Counts
from phverify.spec.semantics import Worlds
from phverify.spec.signature import Signature
from phverify.spec.source import Names
from phverify.symbolic.columns import matching
from phverify.symbolic.ground import GroundColumns
from phverify.symbolic.models import bits, mask


@dataclass(frozen=True, eq=False)
class SymbolicRelease:
    """``home[i]`` is a row in the class of individual i; without the original table,
    row i itself.
    """

    columns: Mapping[str, Column]
    quotient: Quotient
    signature: Signature
    agents: Mapping[str, tuple[str, ...]]
    home: Ints
    criteria: Mapping[s.Criterion, ClassCriterion]
    _cells: dict[tuple[str, tuple[int, ...]], Worlds] = field(default_factory=dict)
    _facts: dict[s.Descriptor, Worlds] = field(default_factory=dict)

    @cached_property
    def ground(self) -> GroundColumns:
        return GroundColumns(
            self.quotient, self.signature, self.agents, self.criteria.__getitem__
        )

    # The rows themselves, for the reference semantics

    @property
    def size(self) -> int:
        return self.quotient.rows

    def cell(self, agent: str, row: int) -> Worlds:
        """The rows that the agent cannot tell from this one: indiscernible in what it
        knows.
        """
        codes = [self.columns[name].codes for name in self.agents[agent]]
        key = agent, tuple(int(c[row]) for c in codes)
        if key not in self._cells:
            same = np.ones(self.size, dtype=bool)
            for c in codes:
                same &= c == c[row]
            self._cells[key] = bits(same)
        return self._cells[key]

    def extension(self, descriptor: s.Descriptor) -> Worlds:
        """The rows where a descriptor is true."""
        if descriptor not in self._facts:
            column = self.columns[descriptor.attribute]
            self._facts[descriptor] = bits(
                matching(descriptor, self.signature, column.labels)[column.codes]
            )
        return self._facts[descriptor]

    def satisfies(self, node: s.Criterion, rows: Worlds) -> bool:
        """Whether rows, as a class, satisfy a criterion by its own definition."""
        criterion, everyone = self.criteria[node], np.ones(self.size, dtype=bool)
        inside = self._counts(criterion.attribute, mask(rows, self.size))
        return criterion.holds(inside, self._counts(criterion.attribute, everyone))

    def _counts(self, attribute: str, among: Bools) -> Counts:
        """How often each value of an attribute occurs in some rows; without one, how
        many there are.
        """
        if not attribute:
            return {"": int(among.sum())}
        column = self.columns[attribute]
        found = np.bincount(column.codes[among], minlength=len(column.labels))
        return {v: k for v, k in zip(column.labels, found.tolist(), strict=True) if k}

    def lawful(self, place: Mapping[int, int]) -> bool:
        """Whether a placement obeys Definition 7: one row each, inside the own
        class.
        """
        distinct = len(set(place.values())) == len(place)
        return distinct and all(
            self.cell("a1", int(self.home[i])) >> row & 1 for i, row in place.items()
        )

    # Who is where

    def class_of_rows(self, rows: Sequence[int]) -> Ints:
        """The class of each row."""
        index = np.asarray(rows, dtype=np.int64)
        return self.quotient.class_of(
            [self.columns[name].codes[index] for name in self.quotient.quasi]
        )

    def class_of(self, person: s.Person) -> int:
        """The class of an individual."""
        return self.class_at(int(self.home[person.index]))

    def class_at(self, row: int) -> int:
        """The class of a row."""
        return int(self.class_of_rows([row])[0]) if self.quotient.quasi else 0

    def someone(self, row: int, besides: Collection[int] = ()) -> s.Person:
        """An individual of a row's class who is none of some others: the row's own
        where that is known.
        """
        own = row < len(self.home) and int(self.home[row]) == row
        people = self.people_of_class(self.class_at(row), len(besides) + 1)
        chosen = next(
            i for i in ([row, *people] if own else people) if i not in besides
        )
        return self.signature.person(chosen)

    def rows_of_class(self, index: int) -> Ints:
        """The rows of a class, ascending."""
        return self._alike(self.quotient.quasi, int(self.quotient.starts[index]))

    def first_row(self, cell: int) -> int:
        """The first row of a cell of the quotient."""
        return int(self._alike((*self.quotient.quasi, *self.quotient.others), cell)[0])

    def _alike(self, names: Names, cell: int) -> Ints:
        """The rows with the values of a cell, ascending."""
        rows = None if names else np.arange(self.quotient.rows)
        for name in sorted(
            names, key=lambda n: -len(self.columns[n].labels)
        ):  # most selective first
            codes, wanted = self.columns[name].codes, self.quotient.codes[name][cell]
            rows = (
                np.flatnonzero(codes == wanted)
                if rows is None
                else rows[codes[rows] == wanted]
            )
        assert rows is not None
        return rows

    def cells_of_rows(self, index: int, rows: Ints) -> list[int]:
        """The cell of the quotient in which each of these rows of class ``index``
        lies.
        """
        q = self.quotient
        cells = range(int(q.starts[index]), int(q.starts[index + 1]))
        by_codes = {tuple(int(q.codes[name][c]) for name in q.others): c for c in cells}
        return [
            by_codes[tuple(int(self.columns[name].codes[r]) for name in q.others)]
            for r in rows.tolist()
        ]

    def cell_of_row(self, row: int) -> int:
        return self.cells_of_rows(self.class_at(row), np.array([row]))[0]

    def people_of_class(self, index: int, few: int = 12) -> list[int]:
        """Some individuals of a class, in order."""
        rows = self.rows_of_class(index)
        if np.array_equal(self.home, np.arange(len(self.home))):
            return [int(r) for r in rows[:few]]
        return [int(i) for i in np.flatnonzero(np.isin(self.home, rows))[:few]]
