"""A release ready to be asked: its columns, its quotient, who could be on which row."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from phverify.exact import Bools, Ints
from phverify.microdata.quotient import Quotient
from phverify.microdata.table import CodedColumn
from phverify.spec import syntax as s
from phverify.spec.criterion.base import ClassCriterion, Counts
from phverify.spec.semantics import Worlds
from phverify.spec.signature import Signature
from phverify.spec.source import Names
from phverify.symbolic.columns import matching
from phverify.symbolic.ground import GroundColumns
from phverify.symbolic.models import bits, mask
from phverify.symbolic.places import Places


@dataclass(frozen=True, eq=False)
class SymbolicRelease:
    """``home[i]`` is a row in the class of individual i; without the original table,
    row i itself.

    Where the rows stay in an engine, ``places`` knows which of them a world is, and
    ``home`` is empty: ``places`` knows whose row is whose.
    """

    columns: Mapping[str, CodedColumn]
    quotient: Quotient
    signature: Signature
    agents: Mapping[str, tuple[str, ...]]
    home: Ints
    criteria: Mapping[s.Criterion, ClassCriterion]
    places: Places | None = None
    # What was worked out; a copy with other columns begins anew.
    _alike: dict[tuple[Names, tuple[int, ...]], Ints] = field(
        default_factory=dict, init=False
    )
    _whole: dict[str, Counts] = field(default_factory=dict, init=False)
    _cells: dict[tuple[str, tuple[int, ...]], Worlds] = field(
        default_factory=dict, init=False
    )
    _facts: dict[s.Descriptor, Worlds] = field(default_factory=dict, init=False)

    @cached_property
    def ground(self) -> GroundColumns:
        """The truth of ground formulas, worked out where it is asked for."""
        return GroundColumns(
            self.quotient, self.signature, self.agents, self.criteria.__getitem__
        )

    # The rows themselves, for the reference semantics

    def codes(self, name: str, worlds: Ints | int) -> Ints:
        """The codes of these worlds, or of one, of a column that the quotient has."""
        if self.places is None:
            return self.columns[name].codes[worlds]
        return self.quotient.codes[name][self.places.cells_of_worlds(worlds)]

    def row(self, world: int) -> int:
        """The number of a world's row in the table, from 0."""
        if self.places is None:
            return world
        return self.places.row(world)

    def home_of(self, individual: int) -> int:
        """A world in the class of an individual: the own one where that is known."""
        if self.places is None:
            return int(self.home[individual])
        return self.places.world(self.places.row_of(individual))

    def own_world(self, individual: int) -> int | None:
        """The world that an individual is behind; None where that is not known."""
        home = self.home_of(individual)
        if self.row(home) == individual:
            return home
        return None

    def homes(self) -> Ints:
        """``home_of`` everyone."""
        if self.places is None:
            return self.home
        return self.places.worlds_of_people()

    @cached_property
    def _own_rows(self) -> bool:
        """Whether everyone's home is the own row."""
        return np.array_equal(self.home, np.arange(len(self.home)))

    @property
    def size(self) -> int:
        """How many rows there are."""
        return self.quotient.rows

    def cell(self, agent: str, row: int) -> Worlds:
        """The rows that the agent cannot tell from this one: indiscernible in what it
        knows.
        """
        names = self.agents[agent]
        columns = [self._seen(name) for name in names]
        seen = row if self.places is None else self.places.cell_of_world(row)
        # rows that look alike to the agent share one answer
        codes = tuple(int(column[seen]) for column in columns)
        key = agent, codes
        if key not in self._cells:
            # Whoever knows nothing cannot tell any rows apart.
            same = np.full(self._seen_size, not names)
            if names:
                same[self._with_codes(names, codes)] = True
            self._cells[key] = self._worlds(same)
        return self._cells[key]

    # Rows that an engine has are looked at cell by cell of the quotient.

    @property
    def _seen_size(self) -> int:
        if self.places is None:
            return self.size
        return self.quotient.cells

    def _seen(self, name: str) -> Ints:
        """A column by row, or by cell where the rows stay in an engine."""
        if self.places is None:
            return self.columns[name].codes
        return self.quotient.codes[name]

    def _worlds(self, true: Bools) -> Worlds:
        """The rows for which something is true, which is said of each, or each cell."""
        if self.places is None:
            return bits(true)
        return bits(self.places.in_cells(true))

    def extension(self, descriptor: s.Descriptor) -> Worlds:
        """The rows where a descriptor is true."""
        worlds = self._facts.get(descriptor)
        if worlds is not None:
            return worlds
        column = self.columns[descriptor.attribute]
        true_of_labels = matching(descriptor, self.signature, column.labels)
        true = true_of_labels[self._seen(descriptor.attribute)]
        worlds = self._worlds(true)
        self._facts[descriptor] = worlds
        return worlds

    def satisfies(self, node: s.Criterion, rows: Worlds) -> bool:
        """Whether rows, as a class, satisfy a criterion by its own definition."""
        criterion = self.criteria[node]
        attribute = criterion.attribute
        inside = self._counts(attribute, mask(rows, self.size))
        if attribute not in self._whole:
            column = self.columns.get(attribute)
            counts = [self.size] if column is None else column.occurrences()
            labels = ("",) if column is None else column.labels
            self._whole[attribute] = dict(zip(labels, counts, strict=True))
        return criterion.holds(inside, self._whole[attribute])

    def _counts(self, attribute: str, among: Bools) -> Counts:
        """How often each value of an attribute occurs in some rows; without one, how
        many there are.
        """
        if not attribute:
            return {"": int(among.sum())}
        column = self.columns[attribute]
        if self.places is None:
            codes = column.codes[among]
            counts = np.bincount(codes, minlength=len(column.labels))
        else:
            counts = np.zeros(len(column.labels), dtype=np.int64)
            np.add.at(counts, self._seen(attribute), self.places.counted(among))
        labelled = zip(column.labels, counts.tolist(), strict=True)
        return {label: count for label, count in labelled if count}

    def lawful(self, place: Mapping[int, int]) -> bool:
        """Whether a placement obeys Definition 7: one row each, inside the own
        class.
        """
        if len(set(place.values())) < len(place):
            return False
        for individual, row in place.items():
            own_class = self.cell("a1", self.home_of(individual))
            # a set of rows is an integer: bit r is row r
            if not own_class >> row & 1:
                return False
        return True

    # Who is where

    def class_of_rows(self, rows: Sequence[int] | Ints) -> Ints:
        """The class of each row."""
        index = np.asarray(rows, dtype=np.int64)
        return self.quotient.class_of(
            [self.codes(name, index) for name in self.quotient.quasi]
        )

    def class_of(self, person: s.Person) -> int:
        """The class of an individual."""
        home = self.home_of(person.index)
        return self.class_at(home)

    def class_at(self, row: int) -> int:
        """The class of a row."""
        if not self.quotient.quasi:
            # without quasi-identifiers all rows are one class
            return 0
        if self.places is not None:
            return self.places.class_of_cell(self.places.cell_of_world(row))
        (number,) = self.class_of_rows([row])
        return int(number)

    def someone(self, row: int, besides: Collection[int] = ()) -> s.Person:
        """An individual of a row's class who is none of some others: the row's own
        where that is known.
        """
        own = self._behind(row)
        if own is not None and own not in besides:
            return self.signature.person(own)
        # one more than are excluded: somebody is left
        people = self.people_of_class(self.class_at(row), len(besides) + 1)
        chosen = next(i for i in people if i not in besides)
        return self.signature.person(chosen)

    def _behind(self, row: int) -> int | None:
        """Who is behind a row, as far as that is known."""
        if self.places is not None:
            own = self.row(row)
            return own if self.places.row_of(own) == own else None
        if row < len(self.home) and int(self.home[row]) == row:
            return row
        return None

    def rows_of_class(self, index: int) -> Ints:
        """The worlds of a class, in the order of their rows."""
        if self.places is not None:
            start = self.places.worlds_of_class(index).start
            order: Ints = np.argsort(self.places.rows_of_class(index))
            return start + order
        quotient = self.quotient
        codes = [int(quotient.class_codes[name][index]) for name in quotient.quasi]
        return self._with_codes(quotient.quasi, tuple(codes))

    def first_row(self, cell: int) -> int:
        """The first row of a cell of the quotient."""
        quotient = self.quotient
        if self.places is not None:
            return int(self.places.first_world[cell])
        rows = self.rows_of_class(int(quotient.class_of_cell[cell]))
        for name in quotient.others:
            wanted = quotient.codes[name][cell]
            rows = rows[self.columns[name].codes[rows] == wanted]
        return int(rows[0])

    def _with_codes(self, names: Names, codes: tuple[int, ...]) -> Ints:
        """The rows with these values, ascending; cells where the rows stay in an
        engine.
        """
        if not names:
            return np.arange(self._seen_size)
        key = names, codes
        if key not in self._alike:
            # The most selective column first: what follows looks at few rows.
            wanted = dict(zip(names, codes, strict=True))
            first, *others = sorted(names, key=lambda n: -len(self.columns[n].labels))
            rows: Ints = np.flatnonzero(self._seen(first) == wanted[first])
            for name in others:
                rows = rows[self._seen(name)[rows] == wanted[name]]
            self._alike[key] = rows
        return self._alike[key]

    def cells_of_rows(self, index: int, rows: Ints) -> list[int]:
        """The cell of the quotient in which each of these rows of class ``index``
        lies.
        """
        if self.places is not None:
            of_worlds: list[int] = self.places.cells_of_worlds(rows).tolist()
            return of_worlds
        quotient = self.quotient
        start, end = quotient.starts[index : index + 2].tolist()
        of_cells = [quotient.codes[name][start:end] for name in quotient.others]
        of_rows = [self.codes(name, rows) for name in quotient.others]
        if not of_cells:  # a class is one cell
            return [start] * len(rows)
        by_codes = dict(zip(_tuples(of_cells), range(start, end), strict=True))
        return [by_codes[codes] for codes in _tuples(of_rows)]

    def cell_of_row(self, row: int) -> int:
        """The cell of the quotient in which a row lies."""
        (cell,) = self.cells_of_rows(self.class_at(row), np.array([row]))
        return cell

    def people_of_class(self, index: int, few: int = 12) -> list[int]:
        """Some individuals of a class, in order."""
        if self.places is not None:
            people = self.places.people_of(self.places.rows_of_class(index))
            own: list[int] = people[:few].tolist()
            return own
        rows = self.rows_of_class(index)
        if self._own_rows:
            members = rows
        else:  # beside an original table, individual k need not be behind row k
            of_class = np.isin(self.home, rows)
            members = np.flatnonzero(of_class)
        few_members: list[int] = members[:few].tolist()
        return few_members


def _tuples(columns: Sequence[Ints]) -> Iterator[tuple[int, ...]]:
    """Columns as rows."""
    return zip(*(column.tolist() for column in columns), strict=True)
