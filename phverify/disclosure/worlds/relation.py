"""The rows that a query is about: those of the audited table, or of its join with
external tables.

Which rows a join has is public: each is a row of the audited table with public columns
beside it, and one row may occur in it never, once or often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from phverify.disclosure.log import query as q
from phverify.disclosure.log.query import quoted
from phverify.disclosure.log.sources import Unsupported, beside
from phverify.disclosure.worlds.database import Columns, Database, Types
from phverify.disclosure.worlds.unknowns import AuditFrame, UnknownCell

LARGEST_JOIN = 100_000
"""Joins of more rows are not audited."""
TRUTH = "CASE WHEN ({0}) THEN TRUE WHEN NOT ({0}) THEN FALSE END"
"""What a condition is of a row, whatever its type: WHERE takes numbers and texts,
too.
"""


@dataclass(frozen=True, eq=False)
class QueriedRows:
    """``members`` says which row of the table each row is; all else is a column in the
    order of these rows.

    ``truth`` is what each public condition of the query is of each row.
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
        return len(self.members)

    @property
    def key(self) -> str:
        return self.frame.policy.key

    def by_member(self, seen: Sequence[Hashable]) -> list[Hashable]:
        """What the rows of the table have, as bags, where each row here has one
        thing.
        """
        if not self.joined:
            return list(seen)
        bags: list[Counter[Hashable]] = [Counter() for _ in range(self.frame.rows)]
        for member, one in zip(self.members, seen, strict=True):
            bags[member][one] += 1
        return [frozenset(bag.items()) for bag in bags]


def relation(query: q.SqlQuery, frame: AuditFrame, source: Database) -> QueriedRows:
    """The rows of a query's FROM, with its public conditions.  Raises duckdb.Error,
    Otherwise, and Unsupported for large joins.
    """
    conditions = list(
        dict.fromkeys(
            part.sql for part in q.conditions(query) if isinstance(part, q.Public)
        )
    )
    if not query.source and not conditions:
        return QueriedRows(
            frame, range(frame.rows), frame.public, frame.types, frame.cells, {}
        )
    names = sorted(
        name
        for name in q.columns(query)
        if name not in frame.public and name not in frame.codings
    )
    join = query.source or q.Join(
        quoted(frame.policy.table), quoted(frame.policy.key), ()
    )
    shown = ", ".join(
        [join.key, *(TRUTH.format(condition) for condition in conditions), *names]
    )
    limit = f" LIMIT {LARGEST_JOIN + 1}" if query.source else ""
    places = {key: row for row, key in enumerate(frame.keys)}
    rows = source.agreed(f"SELECT {shown} FROM {join.sql}{limit}")
    if query.source and len(rows) > LARGEST_JOIN:
        raise Unsupported(f"a JOIN with more than {LARGEST_JOIN} rows is not audited")
    rows.sort(key=lambda row: places[row[0]])
    keys, *columns = (
        [row[place] for row in rows]
        for place in range(1 + len(conditions) + len(names))
    )
    members = [places[key] for key in keys]
    truth = dict(zip(conditions, columns, strict=False))
    public = {
        name: [cells[member] for member in members]
        for name, cells in frame.public.items()
    }
    public |= dict(zip(names, columns[len(conditions) :], strict=True))
    cells = {
        name: [several[member] for member in members]
        for name, several in frame.cells.items()
    }
    types = {
        beside(a, c): kind
        for a, t in join.tables
        for c, kind in frame.external[t].types.items()
    }
    return QueriedRows(
        frame,
        members,
        public,
        {**frame.types, **types},
        cells,
        truth,
        query.source is not None,
    )
