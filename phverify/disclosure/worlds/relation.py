"""The rows that a query is about: those of the audited table, or of its join with external tables.

Which rows a join has is public: each is a row of the audited table with public columns beside it, and one row may
occur in it never, once or often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from phverify.disclosure.log import query as q
from phverify.disclosure.log.query import quoted
from phverify.disclosure.log.sources import Unsupported, beside
from phverify.disclosure.worlds.cells import Cell, Frame
from phverify.disclosure.worlds.database import Columns, Database, Types

LARGEST_JOIN = 100_000
"""Joins of more rows are not audited."""
TRUTH = "CASE WHEN ({0}) THEN TRUE WHEN NOT ({0}) THEN FALSE END"
"""What a condition is of a row, whatever its type: WHERE takes numbers and texts, too."""


@dataclass(frozen=True, eq=False)
class Relation:
    """``members`` says which row of the table each row is; all else is a column in the order of these rows.

    ``truth`` is what each public condition of the query is of each row.
    """

    frame: Frame
    members: Sequence[int]
    public: Columns
    types: Types
    cells: Mapping[str, Sequence[Cell]]
    truth: Columns
    joined: bool = False

    @property
    def rows(self) -> int:
        return len(self.members)

    @property
    def key(self) -> str:
        return self.frame.policy.key

    def by_member(self, seen: Sequence[Hashable]) -> list[Hashable]:
        """What the rows of the table have, as bags, where each row here has one thing."""
        if not self.joined:
            return list(seen)
        bags: list[Counter[Hashable]] = [Counter() for _ in range(self.frame.rows)]
        for member, one in zip(self.members, seen, strict=True):
            bags[member][one] += 1
        return [frozenset(bag.items()) for bag in bags]


def relation(query: q.Query, frame: Frame, source: Database) -> Relation:
    """The rows of a query's FROM, with its public conditions.  Raises duckdb.Error, Otherwise, and Unsupported
    for large joins."""
    conditions = list(dict.fromkeys(part.sql for part in q.conditions(query) if isinstance(part, q.Public)))
    if not query.source and not conditions:
        return Relation(frame, range(frame.rows), frame.public, frame.types, frame.cells, {})
    names = sorted(name for name in q.columns(query) if name not in frame.public and name not in frame.codings)
    join = query.source or q.Join(quoted(frame.policy.table), quoted(frame.policy.key), ())
    shown = ", ".join([join.key, *(TRUTH.format(condition) for condition in conditions), *names])
    limit = f" LIMIT {LARGEST_JOIN + 1}" if query.source else ""
    places = {key: row for row, key in enumerate(frame.keys)}
    rows = [(places[key], *cells) for key, *cells in source.agreed(f"SELECT {shown} FROM {join.sql}{limit}")]
    if query.source and len(rows) > LARGEST_JOIN:
        raise Unsupported(f"a JOIN with more than {LARGEST_JOIN} rows is not audited")
    rows.sort(key=lambda row: row[0])
    members = [row[0] for row in rows]

    def column(place: int) -> tuple[Any, ...]:
        return tuple([row[place] for row in rows])

    truth = {condition: column(place) for place, condition in enumerate(conditions, 1)}
    public = {name: tuple([cells[m] for m in members]) for name, cells in frame.public.items()}
    public |= {name: column(place) for place, name in enumerate(names, 1 + len(conditions))}
    cells = {name: tuple([several[m] for m in members]) for name, several in frame.cells.items()}
    external = {beside(a, c): kind for a, t in join.tables for c, kind in frame.external[t].types.items()}
    types = {**frame.types, **{name: external[name] for name in names}}
    return Relation(frame, members, public, types, cells, truth, query.source is not None)
