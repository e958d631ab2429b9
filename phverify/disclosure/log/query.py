"""The fragment of SQL that is audited, as data.  What a query means is SQL's;
``constraints`` writes it out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from phverify.disclosure.connectives import Proposition, leaves

Value = int | str | bool | None
"""A cell: integers, texts or Booleans; None is a missing one."""
AGGREGATES = ("count", "sum", "avg", "min", "max", "median")


def quoted(name: str) -> str:
    """A name as SQL."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


@dataclass(frozen=True)
class SqlColumn:
    """A column, as the policy writes it, or of an external table, as SQL."""

    name: str


@dataclass(frozen=True)
class SqlConstant:
    """A literal of a WHERE; None is NULL."""

    value: int | Fraction | str | bool | date | None


Operand = SqlColumn | SqlConstant


@dataclass(frozen=True)
class Public(Proposition):
    """A condition over public columns only, as SQL.

    The database says what it is of each row.
    """

    sql: str


@dataclass(frozen=True)
class SqlComparison(Proposition):
    """``left operator right``; at least one side is a sensitive column."""

    left: Operand
    operator: str
    right: Operand


@dataclass(frozen=True)
class IsNull(Proposition):
    """``column IS NULL``."""

    column: str


Leaf = Public | SqlComparison | IsNull
"""What conditions on rows are made of."""


@dataclass(frozen=True)
class Aggregate:
    """``kind`` of AGGREGATES over a column; None is ``COUNT(*)``.

    ``distinct`` counts different values.  ``where`` is its FILTER: it is over the rows
    where that is true.
    """

    kind: str
    column: str | None
    distinct: bool = False
    where: Proposition | None = None


@dataclass(frozen=True)
class Measured(Proposition):
    """``aggregate operator constant``, a condition of HAVING."""

    aggregate: Aggregate
    operator: str
    constant: SqlConstant


@dataclass(frozen=True)
class Join:
    """A FROM clause with external tables.

    As SQL, with the key of the audited table in it (its columns, with commas), and
    each alias with its table.  ``main`` is what the audited table is called there.
    """

    sql: str
    key: str
    tables: tuple[tuple[str, str], ...]
    main: str = ""


@dataclass(frozen=True)
class SqlQuery:
    """``SELECT shown FROM table WHERE where GROUP BY groups HAVING having``.

    ``grouped`` says that the answer has one row a group; without it and without
    aggregates the answer shows rows, with their key.  ``source`` is there where the
    table is joined with external ones.
    """

    shown: tuple[SqlColumn | Aggregate, ...]
    where: Proposition | None = None
    groups: tuple[str, ...] = ()
    source: Join | None = None
    having: Proposition | None = None

    @property
    def grouped(self) -> bool:
        """Whether there is a GROUP BY."""
        return bool(self.groups)

    @property
    def aggregated(self) -> bool:
        """Whether the answer is about groups of rows (or all rows), and not rows."""
        if self.grouped or self.having is not None:
            return True
        return any(isinstance(item, Aggregate) for item in self.shown)


def aggregates(query: SqlQuery) -> list[Aggregate]:
    """The aggregates that are shown, and those that HAVING compares."""
    several = [item for item in query.shown if isinstance(item, Aggregate)]
    for part in leaves(query.having):
        # HAVING may compare what SELECT does not show.
        if isinstance(part, Measured):
            several.append(part.aggregate)
    return several


def conditions(query: SqlQuery) -> Iterator[Proposition]:
    """What all conditions on rows are made of: WHERE, and each FILTER."""
    yield from leaves(query.where)
    for item in aggregates(query):
        yield from leaves(item.where)


def compared(query: SqlQuery) -> set[str]:
    """The columns that conditions on rows name themselves.

    Those of public conditions are for the database.
    """
    names = set()
    for part in conditions(query):
        if isinstance(part, IsNull):
            names.add(part.column)
        elif isinstance(part, SqlComparison):
            sides = (part.left, part.right)
            names |= {side.name for side in sides if isinstance(side, SqlColumn)}
    return names


def columns(query: SqlQuery) -> set[str]:
    """All columns that the answer is read by."""
    names = compared(query) | set(query.groups)
    for item in query.shown:
        if isinstance(item, SqlColumn):
            names.add(item.name)
    for aggregate in aggregates(query):
        # COUNT(*) has no column.
        if aggregate.column:
            names.add(aggregate.column)
    return names
