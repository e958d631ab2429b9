"""The rows that a query is about: those of the audited table, or of its join with
external tables.

Which rows a join has is public: each is a row of the audited table with public columns
beside it, and one row may occur in it never, once or often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from phverify.disclosure.log import query as q
from phverify.disclosure.log.query import quoted
from phverify.disclosure.log.sources import Unsupported, beside
from phverify.disclosure.worlds.database import Columns, Database, Types, plain
from phverify.disclosure.worlds.left_out import require_everywhere
from phverify.disclosure.worlds.unknowns import AuditFrame, UnknownCell, key_of

V = TypeVar("V")
LARGEST_JOIN = 100_000
"""Joins of more rows are not audited."""
TRUTH = "CASE WHEN ({0}) THEN TRUE WHEN NOT ({0}) THEN FALSE END"
"""What a condition is of a row, whatever its type: WHERE takes numbers and texts,
too.
"""


@dataclass(frozen=True, eq=False)
class QueriedRows:
    """The rows that a query is about; ``members`` says which row of the table each is.

    All else is a column in the order of these rows.  ``truth`` is what each public
    condition of the query is of each row.
    """

    frame: AuditFrame
    members: Sequence[int]
    public: Columns
    types: Types
    cells: Mapping[str, Sequence[UnknownCell]]
    truth: Columns
    joined: bool = False

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.members)

    @property
    def keys(self) -> Sequence[str]:
        """The columns that together name each row of the table."""
        return self.frame.policy.keys

    def by_member(self, seen: Sequence[Hashable]) -> list[Hashable]:
        """What the rows of the table have, where each row here has one thing.

        A row of a join has a bag of them.
        """
        if not self.joined:
            return list(seen)
        bags: list[Counter[Hashable]] = [Counter() for _ in range(self.frame.rows)]
        for member, one in zip(self.members, seen, strict=True):
            bags[member][one] += 1
        return [frozenset(bag.items()) for bag in bags]


def relation(query: q.SqlQuery, frame: AuditFrame, source: Database) -> QueriedRows:
    """The rows of a query's FROM, with its public conditions.

    Raises duckdb.Error, Otherwise, and Unsupported for large joins.
    """
    public_parts = [p.sql for p in q.conditions(query) if isinstance(p, q.Public)]
    # Each condition once: the database decides it for every row.
    conditions = list(dict.fromkeys(public_parts))
    # Columns that the table has not are of external tables, or derived: the database
    # adds them.
    known = frame.public.keys() | frame.codings.keys()
    names = sorted(q.columns(query) - known)
    if not query.source and not conditions and not names:
        rows = range(frame.rows)
        return QueriedRows(frame, rows, frame.public, frame.types, frame.cells, {})

    members, columns = _members(query, conditions, names, frame, source)
    truth = dict(zip(conditions, columns, strict=False))
    added = columns[len(conditions) :]

    # All columns in the order of the rows of the FROM.
    public = {name: _picked(cells, members) for name, cells in frame.public.items()}
    public |= dict(zip(names, added, strict=True))
    cells = {name: _picked(several, members) for name, several in frame.cells.items()}
    types = dict(frame.types)
    for alias, table in query.source.tables if query.source else ():
        for column, kind in frame.external[table].types.items():
            types[beside(alias, column)] = kind
    for name in names:
        if name not in types:
            types[name] = _derived_type(name, query, frame, source)
    joined = query.source is not None
    return QueriedRows(frame, members, public, types, cells, truth, joined)


def _derived_type(
    name: str, query: q.SqlQuery, frame: AuditFrame, source: Database
) -> str:
    """The type of a derived column.

    Raises Unsupported where its values have no exact copy.
    """
    table = query.source.sql if query.source else quoted(frame.policy.table)
    ((_, kind, *_),) = source.execute(f"DESCRIBE SELECT {name} FROM {table}")
    if not plain(str(kind)):
        raise Unsupported(f"{name}, which is of type {kind}, is not audited")
    return str(kind)


def _members(
    query: q.SqlQuery,
    conditions: Sequence[str],
    names: Sequence[str],
    frame: AuditFrame,
    source: Database,
) -> tuple[list[int], list[list[Any]]]:
    """The rows of a FROM, in the order of the table's, and what the database adds.

    Columns of the conditions' truths, then those of these names.
    """
    table = quoted(frame.policy.table)
    keys = frame.policy.keys
    key = ", ".join(map(quoted, keys))
    join = query.source or q.Join(table, key, ())
    truths = [TRUTH.format(condition) for condition in conditions]
    shown = ", ".join([join.key, *truths, *names])

    # One row more than is audited shows that there are too many.
    limit = f" LIMIT {LARGEST_JOIN + 1}" if query.source else ""
    rows = source.agreed(f"SELECT {shown} FROM {join.sql}{limit}")
    if query.source and len(rows) > LARGEST_JOIN:
        raise Unsupported(f"a JOIN with more than {LARGEST_JOIN} rows is not audited")

    if query.source:
        require_everywhere(query.source, [*conditions, *names], frame, source)

    # The key comes first in each row, and says which row of the table it is.
    places = {key: row for row, key in enumerate(frame.keys)}
    width = len(keys)
    placed = [(places[key_of(row[:width])], row[width:]) for row in rows]
    placed.sort(key=lambda pair: pair[0])
    members = [member for member, _ in placed]
    columns: list[list[Any]] = []
    for place in range(len(conditions) + len(names)):
        columns.append([more[place] for _, more in placed])
    return members, columns


def _picked(column: Sequence[V], members: Sequence[int]) -> list[V]:
    """A column of the table in the order of some of its rows."""
    return [column[member] for member in members]
