"""All worlds of a small table in one DuckDB, and every query executed in each of them."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import duckdb

from support.audit_oracle import TYPES, Case, Row, as_sql


class Worlds:
    """All worlds of a case in one DuckDB; ``t`` is a view of the chosen one."""

    def __init__(self, case: Case) -> None:
        self.case = case
        cells = [domain for _ in case.rows for domain in case.domains.values()]
        self.all = list(itertools.product(*cells))
        self.alive = list(range(len(self.all)))
        self.connection = duckdb.connect(":memory:", config={"threads": "1"})
        columns = ["w", *case.columns]
        types = ["INTEGER", *(TYPES[c] for c in case.columns)]
        self.connection.execute(
            "CREATE TABLE every"
            f" ({', '.join(map(' '.join, zip(columns, types, strict=True)))})"
        )
        rows = [row for w in self.alive for row in self._rows(w)]
        lists = ", ".join(f"UNNEST(?::{kind}[])" for kind in types)
        self.connection.execute(
            f"INSERT INTO every SELECT {lists}",
            [list(c) for c in zip(*rows, strict=True)],
        )
        self.connection.execute("SET VARIABLE w = 0")
        names = ", ".join(case.columns)
        self.connection.execute(
            f"CREATE VIEW t AS SELECT {names} FROM every WHERE w = getvariable('w')"
        )
        case.outside(self.connection)
        self.truth = self.all.index(
            tuple(cell for row in case.rows for cell in row[3:])
        )
        self.alike: list[set[int]] = []
        self.holdings: dict[tuple[str, int], set[int] | None] = {}

    def _rows(self, world: int) -> Iterator[Row]:
        width = len(self.case.domains)
        for k, row in enumerate(self.case.rows):
            yield (world, *row[:3], *self.all[world][k * width : (k + 1) * width])

    def ask(self, sql: str) -> None:
        """The answers in all worlds; those that answer otherwise than the truth are
        out.
        """
        found = self.together(sql)
        self.alike.append(
            {w for w, answer in found.items() if answer == found[self.truth]}
        )
        self.alive = self.consistent(range(len(self.alike)))

    def together(self, sql: str) -> dict[int, Counter[Row]]:
        """The answers in all worlds by one statement: the query beside each world, over
        the rows of that world.
        """
        rows = f"(SELECT {', '.join(self.case.columns)} FROM every WHERE w = ws.w)"
        inner = re.sub(
            r" FROM t( AS a)?\b",
            lambda m: f" FROM {rows}{m[1] or ' AS t'}",
            sql,
            count=1,
        )
        found: dict[int, Counter[Row]] = {w: Counter() for w in range(len(self.all))}
        everything = (
            "SELECT ws.w, answer.* FROM (SELECT DISTINCT w FROM every) ws, LATERAL"
            f" ({inner}) answer"
        )
        for world, *row in self.connection.execute(everything).fetchall():
            found[world][tuple(row)] += 1
        return found

    def one(self, sql: str, world: int) -> Counter[Row]:
        """The answer in one world, by the query as it is written."""
        self.connection.execute(f"SET VARIABLE w = {world}")
        return Counter(self.connection.execute(sql).fetchall())

    def consistent(self, queries: Iterable[int]) -> list[int]:
        """The worlds that answer these queries (from 0) as the truth does."""
        return sorted(
            set(range(len(self.all))).intersection(*(self.alike[q] for q in queries))
        )

    def values(
        self, column: str, row: int, worlds: Iterable[int] | None = None
    ) -> set[Any]:
        """What a cell may be."""
        width, place = len(self.case.domains), list(self.case.domains).index(column)
        return {
            self.all[w][row * width + place]
            for w in (self.alive if worlds is None else worlds)
        }

    def true(self, column: str, row: int) -> Any:
        return next(iter(self.values(column, row, [self.truth])))

    def formula(self, text: str, key: str) -> dict[int, bool | None]:
        """What a formula is in each world, by DuckDB."""
        return dict(
            self.connection.execute(
                f"SELECT w, {as_sql(text, key)} FROM every GROUP BY w"
            ).fetchall()
        )

    def holding(self, entry: dict[str, Any], row: int) -> set[int] | None:
        """The worlds where a protected fact about a row holds; None where it counts
        values.
        """
        place = str(entry), row
        if place not in self.holdings:
            self.holdings[place] = self._holding(entry, row)
        return self.holdings[place]

    def _holding(self, entry: dict[str, Any], row: int) -> set[int] | None:
        if "fact" in entry or "formula" in entry:
            found = self.formula(entry.get("fact", entry.get("formula")), f"k{row}")
            return {w for w, value in found.items() if value is True}
        if "within" in entry:
            true = self.true(entry["column"], row)
            cells = {
                w: self.cell(entry["column"], row, w) for w in range(len(self.all))
            }
            return {
                w
                for w, v in cells.items()
                if None not in (v, true) and abs(v - true) <= entry["within"]
            }
        return None

    def facts(self, protect: dict[str, dict[str, Any]]) -> set[tuple[str, int]]:
        """The name and the row (0 for a formula over named rows) of each fact that is
        true in the data.
        """
        found = set()
        for name, entry in protect.items():
            for row in [0] if "formula" in entry else range(len(self.case.rows)):
                holding = self.holding(entry, row)
                found |= (
                    {(name, row)} if holding is None or self.truth in holding else set()
                )
        return found

    def disclosed(self, entry: dict[str, Any], row: int, worlds: Iterable[int]) -> bool:
        """Whether a fact holds in all these worlds."""
        holding = self.holding(entry, row)
        if holding is not None:
            return set(worlds) <= holding
        return len(self.values(entry["column"], row, worlds)) < entry.get("left", 2)

    def cell(self, column: str, row: int, world: int) -> Any:
        return self.all[world][
            row * len(self.case.domains) + list(self.case.domains).index(column)
        ]

    def outside(
        self, entry: dict[str, Any], row: int, cells: Sequence[tuple[str, int]]
    ) -> Fraction:
        """The share of what some cells may be, each by itself, where a fact does not
        hold.
        """
        left = [self.values(column, k) for column, k in cells]
        holding = self.holding(entry, row)
        if holding is None:
            return 1 - Fraction(entry.get("left", 2) - 1, len(left[0]))
        views = {
            tuple(self.cell(*place, w) for place in cells): w in holding
            for w in range(len(self.all))
        }
        inside = [
            holds
            for view, holds in views.items()
            if all(v in of for v, of in zip(view, left, strict=True))
        ]
        return Fraction(inside.count(False), len(inside))
