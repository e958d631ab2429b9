"""The fragment of SQL that is audited, as data.  What a query means is SQL's; ``constraints`` writes it out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

Value = int | str | bool | None
"""A cell: integers, texts or Booleans; None is a missing one."""
AGGREGATES = ("count", "sum", "avg", "min", "max", "median")


@dataclass(frozen=True)
class Column:
    name: str


@dataclass(frozen=True)
class Constant:
    """A literal of a WHERE; None is NULL."""

    value: int | Fraction | str | bool | None


Operand = Column | Constant


@dataclass(frozen=True)
class Predicate:
    """Base of conditions.  Each is true, false or unknown (NULL) of a row."""


@dataclass(frozen=True)
class Public(Predicate):
    """A condition over public columns only, as SQL: the database says what it is of each row."""

    sql: str


@dataclass(frozen=True)
class Compare(Predicate):
    """``left operator right``; at least one side is a sensitive column."""

    left: Operand
    operator: str
    right: Operand


@dataclass(frozen=True)
class IsNull(Predicate):
    column: str


@dataclass(frozen=True)
class Not(Predicate):
    body: Predicate


@dataclass(frozen=True)
class And(Predicate):
    parts: tuple[Predicate, ...]


@dataclass(frozen=True)
class Or(Predicate):
    parts: tuple[Predicate, ...]


@dataclass(frozen=True)
class Aggregate:
    """``kind`` of AGGREGATES over a column; None is ``COUNT(*)``."""

    kind: str
    column: str | None


@dataclass(frozen=True)
class Query:
    """``SELECT shown FROM table WHERE where GROUP BY groups``.

    ``grouped`` says that the answer has one row a group; without it and without aggregates the answer shows rows,
    with their key.
    """

    shown: tuple[Column | Aggregate, ...]
    where: Predicate | None = None
    groups: tuple[str, ...] = ()

    @property
    def grouped(self) -> bool:
        return bool(self.groups)

    @property
    def aggregated(self) -> bool:
        """Whether the answer is about groups of rows (or all rows), and not rows."""
        return self.grouped or any(isinstance(item, Aggregate) for item in self.shown)


def parts(where: Predicate | None) -> Iterator[Predicate]:
    """A condition and everything in it."""
    if where is None:
        return
    yield where
    match where:
        case Not(body):
            yield from parts(body)
        case And(several) | Or(several):
            for part in several:
                yield from parts(part)
