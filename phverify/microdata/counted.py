"""Tables whose rows stay in an engine: what is read of them is one grouped count.

An engine answers three questions in SQL: how often each combination of values of some
columns occurs, and in which row first; which rows have given combinations; which
combinations given rows have.  From the first of them comes a table in which equal rows
stand once, coded as if it had been read row by row: a label that occurs earlier has the
lower code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from phverify.errors import Problem, Problems, refusal
from phverify.exact import Ints, IntsPair
from phverify.microdata.arrow import coded
from phverify.microdata.dataframes import from_series
from phverify.microdata.table import CodedColumn, CodedTable, Parts
from phverify.spec.source import Names

if TYPE_CHECKING:
    import pyarrow as pa

COUNT = "phverify_rows"
FIRST = "phverify_first"
GROUP = "phverify_group"
ROW = "phverify_row"
"""Columns of an engine's answers beside those of the table."""
OWN = "phverify_"
"""How columns begin that questions add to those of a table."""


class Engine(Protocol):
    """Where the rows of one table are."""

    @property
    def source(self) -> str:
        """What the table is called where something is wrong with it."""

    @property
    def columns(self) -> Names:
        """Its columns, in order."""

    @property
    def notes(self) -> Names:
        """What reading it decided."""

    @property
    def parts(self) -> Parts:
        """Its files, where there are several."""

    def grouped(self, names: Names) -> pa.Table:
        """Each combination of values of some columns, with ``COUNT`` and ``FIRST``.

        ``FIRST`` rises as their first rows do.
        """

    def first_rows(self, groups: pa.Table, names: Names) -> Ints:
        """The first row of each of these groups, which ``grouped`` gave."""

    def rows_of(self, groups: pa.Table, names: Names) -> pa.Table:
        """``ROW`` and ``GROUP`` of all rows that have one of these combinations.

        Ordered by ``ROW``.
        """

    def groups_of(
        self, rows: Sequence[int], groups: pa.Table, names: Names
    ) -> pa.Table:
        """``ROW`` and ``GROUP`` of these rows."""

    def cell(self, name: str, row: int) -> Any:
        """What stands in one column of a row."""

    def cells(self, name: str, rows: Ints) -> pa.Table:
        """What stands in one column of some rows, which rise."""

    def rows_with(self, name: str, text: str) -> list[int]:
        """The first rows, two at most, whose cell of a column is this text."""

    def flaw(self, name: str) -> tuple[int, Any]:
        """How many cells of a column are missing, and some value that occurs twice.

        None where there is no such value.
        """

    def missing(self, names: Names, groups: pa.Table | None = None) -> list[int]:
        """How many cells of each of these columns are missing.

        Among all rows, or those that have one of these combinations of values.
        """

    @property
    def merged(self) -> frozenset[str]:
        """Columns of which different cells were made one text when they were read."""

    def two_zeros(self, name: str) -> bool:
        """Whether a column of floats has both 0.0 and -0.0, which count as one."""

    def some(self, name: str, most: int) -> list[Any]:
        """Some values of a column."""


def counted_table(engine: Engine, grouping: Names, alone: Names) -> CodedTable:
    """The table of an engine, its rows grouped by some columns.

    The columns ``alone`` are coded each for itself: nothing asks how they occur
    together.  Raises InputError for a table without rows.
    """
    # DuckDB would take a column for another one that differs in capital letters alone.
    grouping = tuple(name for name in grouping if name in engine.columns)
    groups = engine.grouped(grouping)
    counts = integers(groups, COUNT)
    # Without columns to group by, no rows are one group.
    if not counts.any():
        raise refusal(engine.source, "the table has a header and no rows")
    elsewhere = GroupedRows(engine, grouping, groups, counts)
    columns = {}
    for name in engine.columns:
        if name in grouping:
            columns[name] = _column(groups, name, counts, engine)
        elif name in alone:
            values = engine.grouped((name,))
            columns[name] = _column(values, name, integers(values, COUNT), engine)
        else:
            # Nobody asks for it: only its name is known.
            columns[name] = CodedColumn(np.zeros(0, np.int64), ())
    rows = int(counts.sum())
    known = (columns, rows, engine.notes, elsewhere, engine.parts)
    return CodedTable(engine.source, *known)


def integers(table: pa.Table, name: str) -> Ints:
    """A column of an engine's answer that holds integers."""
    column = table.column(name).to_numpy()
    return np.asarray(column, dtype=np.int64)


def _column(groups: pa.Table, name: str, counts: Ints, engine: Engine) -> CodedColumn:
    """A column of an engine's answer; labels in the order of their first rows."""
    column = coded(groups.column(name), groups.schema.field(name), engine.source)
    merged = column.merged or name in engine.merged
    merged = merged or _two_zeros(groups, name, engine)
    codes, labels = column.codes, column.labels
    first = np.full(len(labels), np.iinfo(np.int64).max)
    rows = integers(groups, FIRST)
    valued: Any = ...
    if groups.column(name).null_count:
        # Null comes last, as in rows; an empty text and a NaN have their place.
        valued = groups.column(name).is_valid().to_numpy()
    # The order of labels is that of the rows, as if these had been read.
    np.minimum.at(first, codes[valued], rows[valued])

    order = np.argsort(first, kind="stable")
    rank = np.empty(len(labels), dtype=np.int64)
    rank[order] = np.arange(len(labels))
    in_order = tuple(labels[k] for k in order.tolist())
    return CodedColumn(rank[codes], in_order, counts, merged)


def _two_zeros(groups: pa.Table, name: str, engine: Engine) -> bool:
    """Whether a column of floats that has a zero has one of each sign."""
    import pyarrow.compute as pc
    from pyarrow import types

    values = groups.column(name)
    if not types.is_floating(values.type):
        return False
    zero = pc.any(pc.equal(values, 0.0)).as_py()
    return bool(zero) and engine.two_zeros(name)


@dataclass(frozen=True, eq=False)
class GroupedRows:
    """The rows of an engine's table by the groups that stand in a ``CodedTable``."""

    engine: Engine
    grouped: Names
    groups: pa.Table
    counts: Ints

    @cached_property
    def _numbered(self) -> pa.Table:
        """The groups with their numbers."""
        import pyarrow

        numbers = pyarrow.array(np.arange(self.groups.num_rows))
        return self.groups.select(list(self.grouped)).append_column(GROUP, numbers)

    @cached_property
    def firsts(self) -> Ints:
        """The first row of each group."""
        return self.engine.first_rows(self.groups, self.grouped)

    @property
    def ranks(self) -> Ints:
        """A number for each group, which rises as the first rows do."""
        return integers(self.groups, FIRST)

    def numbered(self, groups: Ints) -> pa.Table:
        """These groups by their values, each with its number."""
        return self._numbered.take(groups)

    def rows_of(self, groups: Ints) -> IntsPair:
        """The rows of these groups, ascending, and for each the group that it is of."""
        asked = self.numbered(groups)
        found = self.engine.rows_of(asked, self.grouped)
        return integers(found, ROW), integers(found, GROUP)

    def groups_of(self, rows: Sequence[int]) -> list[int]:
        """The group of each of these rows."""
        found = self.engine.groups_of(rows, self._numbered, self.grouped)
        there = integers(found, ROW).tolist()
        groups = integers(found, GROUP).tolist()
        group_of = dict(zip(there, groups, strict=True))
        return [group_of[row] for row in rows]

    def flaws(self, column: str) -> Problems:
        """What is wrong with an identifier column: cells are missing, or not single."""
        missing, twice = self.engine.flaw(column)
        problems: Problems = []
        if missing:
            what = f"{missing} identifiers in {column!r} are missing"
            problems.append(Problem(self.engine.source, what))
        if twice is not None:
            what = f"the identifier {str(twice)!r} occurs twice in {column!r}"
            hint = "a policy counts rows as individuals: one row each"
            problems.append(Problem(self.engine.source, what, hint, True))
        return problems

    def names(self, column: str) -> Sequence[str]:
        """The cells of an identifier column, asked for one by one."""
        return IdentifiersElsewhere(self.engine, column, int(self.counts.sum()))

    def numbers(self, names: Sequence[str]) -> Mapping[str, int]:
        """By identifier the row that has it, asked for one by one."""
        if isinstance(names, IdentifiersElsewhere):
            return NumbersElsewhere(names)
        return {}


@dataclass(frozen=True, eq=False)
class IdentifiersElsewhere(Sequence[str]):
    """The identifiers of all rows; each is asked for when it is needed."""

    engine: Engine
    column: str
    rows: int

    def __len__(self) -> int:
        return self.rows

    def __getitem__(self, row: Any) -> Any:
        if isinstance(row, slice):
            raise TypeError("identifiers are asked for one by one")
        return _text(self.engine.cell(self.column, row))

    def of(self, rows: Ints) -> list[str]:
        """The identifiers of some rows, which rise."""
        cells = self.engine.cells(self.column, rows)
        field = cells.schema.field(self.column)
        column = coded(cells.column(self.column), field, self.engine.source)
        return [label or "" for label in column.cells()]

    def __iter__(self) -> Iterator[str]:
        # For suggestions: those of a large table are not all looked at.
        few = self.engine.some(self.column, 10_000)
        return iter([_text(value) for value in few])


class NumbersElsewhere(Mapping[str, int]):
    """By identifier the row that has it; what was asked once is not asked again."""

    def __init__(self, identifiers: IdentifiersElsewhere) -> None:
        self.identifiers = identifiers
        self._rows: dict[str, list[int]] = {}

    def __getitem__(self, text: str) -> int:
        if text not in self._rows:
            names = self.identifiers
            self._rows[text] = names.engine.rows_with(names.column, text)
        if not self._rows[text]:
            raise KeyError(text)
        return self._rows[text][0]

    def __iter__(self) -> Iterator[str]:
        return iter(self.identifiers)

    def __len__(self) -> int:
        return len(self.identifiers)


def _text(value: Any) -> str:
    import pandas

    # One way from cells to texts, wherever they come from.
    (label,) = from_series(pandas.Series([value])).cells()
    return label or ""
