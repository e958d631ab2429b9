"""A release ready to be asked: its columns, its quotient, who could be on which row."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from phverify.exact import Ints
from phverify.microdata.quotient import Quotient
from phverify.microdata.table import Column
from phverify.spec import syntax as s
from phverify.spec.criterion.base import ClassCriterion
from phverify.spec.signature import Signature
from phverify.symbolic.ground import Ground
from phverify.symbolic.models import Counts, World


@dataclass(frozen=True, eq=False)
class Release:
    """``home[i]`` is a row in the class of individual i; without the original table, row i itself."""

    columns: Mapping[str, Column]
    quotient: Quotient
    signature: Signature
    agents: Mapping[str, tuple[str, ...]]
    home: Ints
    criteria: Mapping[s.Criterion, ClassCriterion]

    @cached_property
    def ground(self) -> Ground:
        return Ground(self.quotient, self.signature, self.agents, self.criteria.__getitem__)

    @cached_property
    def base(self) -> World:
        """The same release for the reference semantics, which looks at the rows themselves."""
        q = self.quotient
        return World(self.columns, q.rows, self.signature, self.agents, self.home, self._judge, self._subject)

    def _subject(self, node: s.Criterion) -> str:
        return self.criteria[node].attribute

    def _judge(self, node: s.Criterion, inside: Counts, whole: Counts) -> bool:
        return self.criteria[node].holds(inside, whole)

    def class_of_rows(self, rows: Sequence[int]) -> Ints:
        """The class of each row."""
        index = np.asarray(rows, dtype=np.int64)
        return self.quotient.class_of([self.columns[name].codes[index] for name in self.quotient.quasi])

    def class_of(self, person: s.Person) -> int:
        """The class of an individual."""
        return self.class_at(int(self.home[person.index]))

    def class_at(self, row: int) -> int:
        """The class of a row."""
        return int(self.class_of_rows([row])[0]) if self.quotient.quasi else 0

    def someone(self, row: int, besides: Collection[int] = ()) -> s.Person:
        """An individual of a row's class who is none of some others: the row's own where that is known."""
        own = row < len(self.home) and int(self.home[row]) == row
        people = self.people_of_class(self.class_at(row), len(besides) + 1)
        chosen = next(i for i in ([row, *people] if own else people) if i not in besides)
        return self.signature.person(chosen)

    def rows_of_class(self, index: int) -> Ints:
        """The rows of a class, ascending."""
        cell = int(self.quotient.starts[index])
        rows = np.arange(self.quotient.rows) if not self.quotient.quasi else None
        for name in sorted(self.quotient.quasi, key=lambda n: -len(self.columns[n].labels)):  # most selective first
            codes, wanted = self.columns[name].codes, self.quotient.codes[name][cell]
            rows = np.flatnonzero(codes == wanted) if rows is None else rows[codes[rows] == wanted]
        assert rows is not None
        return rows

    def cells_of_rows(self, index: int, rows: Ints) -> list[int]:
        """The cell of the quotient in which each of these rows of class ``index`` lies."""
        q = self.quotient
        cells = range(int(q.starts[index]), int(q.starts[index + 1]))
        by_codes = {tuple(int(q.codes[name][c]) for name in q.others): c for c in cells}
        return [by_codes[tuple(int(self.columns[name].codes[r]) for name in q.others)] for r in rows.tolist()]

    def cell_of_row(self, row: int) -> int:
        return self.cells_of_rows(self.class_at(row), np.array([row]))[0]

    def people_of_class(self, index: int, few: int = 12) -> list[int]:
        """Some individuals of a class, in order."""
        rows = self.rows_of_class(index)
        if np.array_equal(self.home, np.arange(len(self.home))):
            return [int(r) for r in rows[:few]]
        return [int(i) for i in np.flatnonzero(np.isin(self.home, rows))[:few]]
