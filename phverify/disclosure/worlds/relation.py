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
from phverify.disclosure.log.sources import Unsupported, beside
from phverify.disclosure.worlds.cells import Cell, Coding, Frame
from phverify.disclosure.worlds.database import Database

LARGEST_JOIN = 100_000
"""Joins of more rows are not audited."""
TRUTH = "CASE WHEN ({0}) THEN TRUE WHEN NOT ({0}) THEN FALSE END"
"""What a condition is of a row, whatever its type: WHERE takes numbers and texts, too."""
Truth = Mapping[str, tuple[bool | None, ...]]
"""What each public condition of a query is of each row."""


@dataclass(frozen=True, eq=False)
class Relation:
    """``members`` says which row of the table each row is; all else is a column in the order of these rows."""

    frame: Frame
    members: Sequence[int]
    public: Mapping[str, Sequence[Any]]
    types: Mapping[str, str]
    cells: Mapping[str, Sequence[Cell]]
    truth: Truth
    joined: bool = False

    @property
    def rows(self) -> int:
        return len(self.members)

    @property
    def codings(self) -> Mapping[str, Coding]:
        return self.frame.codings

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
    if query.source:
        return _joined(query, query.source, conditions, frame, source)
    table, key = frame.policy.table, frame.policy.key
    truth = {c: source.values(table, TRUTH.format(c), key) for c in conditions}
    return Relation(frame, range(frame.rows), frame.public, frame.types, frame.cells, truth)


def _joined(query: q.Query, join: q.Join, conditions: Sequence[str], frame: Frame, source: Database) -> Relation:
    names = sorted(name for name in q.columns(query) if name not in frame.public and name not in frame.codings)
    shown = [join.key, *(TRUTH.format(c) for c in conditions), *names]
    rows = source.agreed(f"SELECT {', '.join(shown)} FROM {join.sql} LIMIT {LARGEST_JOIN + 1}")
    if len(rows) > LARGEST_JOIN:
        raise Unsupported(f"a JOIN with more than {LARGEST_JOIN} rows is not audited")
    places = {key: row for row, key in enumerate(frame.keys)}
    members = [places[row[0]] for row in rows]
    columns = [tuple(row[k] for row in rows) for k in range(1, len(shown))]
    truth = dict(zip(conditions, columns, strict=False))
    public = {name: tuple(cells[m] for m in members) for name, cells in frame.public.items()}
    public |= dict(zip(names, columns[len(conditions) :], strict=True))
    cells = {name: tuple(several[m] for m in members) for name, several in frame.cells.items()}
    beside_ = {beside(a, c): kind for a, t in join.tables for c, kind in frame.external[t].types.items()}
    types = {**frame.types, **{name: beside_[name] for name in names}}
    return Relation(frame, members, public, types, cells, truth, True)
