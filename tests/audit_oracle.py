"""The judge of audits: every world of a small table, every query executed in DuckDB in each of them.

Nothing here comes from the package: worlds are the product of the domains, and what a query says is what DuckDB
answers.  ``Case.random`` draws a table, facts and queries.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

Row = tuple[Any, ...]
TYPES = {"id": "VARCHAR", "g": "VARCHAR", "p": "INTEGER", "s": "INTEGER", "u": "VARCHAR"}
TEXTS = ["ab", "b", "ba"]


@dataclass(frozen=True)
class Case:
    """A table with public id, g, p and sensitive s (and u), the domains of s and u, facts, and a log."""

    rows: tuple[Row, ...]
    domains: dict[str, list[Any]]
    protect: dict[str, dict[str, Any]]
    log: tuple[str, ...]

    @property
    def columns(self) -> list[str]:
        return ["id", "g", "p", *self.domains]

    @classmethod
    def random(cls, seed: int) -> Case:
        r = random.Random(seed)
        size = r.choice([2, 3, 3, 4])
        domains: dict[str, list[Any]] = {"s": list(range(r.choice([2, 3, 3]))) + ([None] if r.random() < 0.4 else [])}
        if size < 4 and r.random() < 0.4:
            domains["u"] = TEXTS[: r.choice([2, 3])] if size == 2 else TEXTS[:2]
        shift = r.choice([0, 0, -1, 7])
        domains["s"] = [None if v is None else v + shift for v in domains["s"]]
        rows = tuple(
            (
                f"k{n}",
                r.choice(["x", "y", None]),
                r.choice([0, 1, 1, 2, None]),
                *(r.choice(d) for d in domains.values()),
            )
            for n in range(size)
        )
        log = tuple(statement(r, domains) for _ in range(r.choice([3, 4, 5])))
        return cls(rows, domains, facts(r, domains), log)

    def policy(self) -> dict[str, Any]:
        sensitive = {}
        for name, domain in self.domains.items():
            values = [v for v in domain if v is not None]
            span = {"values": values} if name == "u" else {"from": min(values), "to": max(values)}
            sensitive[name] = span | {"null": None in domain}
        return {"table": "t", "key": "id", "public": ["g", "p"], "sensitive": sensitive, "protect": self.protect}

    def write(self, path: Path) -> None:
        connection = duckdb.connect(str(path))
        connection.execute(f"CREATE TABLE t ({', '.join(f'{c} {TYPES[c]}' for c in self.columns)})")
        connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(self.columns))})", self.rows)
        connection.close()


def facts(r: random.Random, domains: dict[str, list[Any]]) -> dict[str, dict[str, Any]]:
    values = [v for v in domains["s"] if v is not None]
    bound = f"s {r.choice(['>=', '<', '=', '!=', '<=', '>'])} {r.choice(values)}"
    found: dict[str, dict[str, Any]] = {"cells": {"column": "s"}, "bound": {"fact": bound}}
    found |= {"near": {"column": "s", "within": 1}} if r.random() < 0.5 else {}
    found |= {"left": {"column": "s", "left": 3}} if len(domains["s"]) > 2 else {}
    return found | ({"texts": {"column": "u"}} if "u" in domains else {})


def statement(r: random.Random, domains: dict[str, list[Any]]) -> str:
    """A random query of the audited fragment."""
    values = [v for v in domains["s"] if v is not None]
    kinds = ["COUNT(*)", "COUNT(s)", "SUM(s)", "AVG(s)", "AVG(s)", "MIN(s)", "MAX(s)", "MEDIAN(s)", "SUM(p)", "AVG(p)"]
    kinds += ["MEDIAN(p)", "MIN(p)", "COUNT(p)"] + (["MIN(u)", "MAX(u)", "COUNT(u)"] if "u" in domains else [])
    where = f" WHERE {condition(r, values, 'u' in domains, 2)}" if r.random() < 0.75 else ""
    if r.random() < 0.12:
        return f"SELECT id, {r.choice(list(domains))} FROM t{where or ' WHERE p = 1'}"
    items = ", ".join(r.sample(kinds, r.choice([1, 1, 2])))
    if r.random() < 0.4:
        return f"SELECT g, {items} FROM t{where} GROUP BY g"
    return f"SELECT {items} FROM t{where}"


def condition(r: random.Random, values: Sequence[int], texts: bool, depth: int) -> str:
    if depth and r.random() < 0.4:
        left, right = (condition(r, values, texts, depth - 1) for _ in range(2))
        return f"({left} {r.choice(['AND', 'OR'])} {right})"
    if depth and r.random() < 0.15:
        return f"NOT ({condition(r, values, texts, depth - 1)})"
    v, w = sorted((r.choice(values), r.choice(values)))
    sign = r.choice(["=", "<>", "<", "<=", ">", ">="])
    choices = [f"s {sign} {v}", f"{v} {sign} s", f"s BETWEEN {v} AND {w}", f"s IN ({v}, {w})", f"s NOT IN ({v}, NULL)"]
    choices += [f"s {sign} p", f"p {sign} s", f"s {sign} {v}.5", "s IS NULL", "s IS NOT NULL", "s = NULL"]
    choices += [f"p {sign} 1", "g = 'x'", "g IS NULL", "g LIKE 'x%'", "id <> 'k0'", "id = 'k1'", "id IN ('k0', 'k2')"]
    choices += [f"u {sign} '{r.choice([*TEXTS, 'az', 'c'])}'"] * 3 if texts else []
    return r.choice(choices)


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
        self.connection.execute(f"CREATE TABLE every ({', '.join(map(' '.join, zip(columns, types, strict=True)))})")
        rows = [row for w in self.alive for row in self._rows(w)]
        lists = ", ".join(f"UNNEST(?::{kind}[])" for kind in types)
        self.connection.execute(f"INSERT INTO every SELECT {lists}", [list(c) for c in zip(*rows, strict=True)])
        self.connection.execute("SET VARIABLE w = 0")
        names = ", ".join(case.columns)
        self.connection.execute(f"CREATE VIEW t AS SELECT {names} FROM every WHERE w = getvariable('w')")
        self.truth = self.all.index(tuple(cell for row in case.rows for cell in row[3:]))
        self.answers: list[dict[int, Counter[Row]]] = []

    def _rows(self, world: int) -> Iterator[Row]:
        width = len(self.case.domains)
        for k, row in enumerate(self.case.rows):
            yield (world, *row[:3], *self.all[world][k * width : (k + 1) * width])

    def ask(self, sql: str) -> None:
        """The answers in all worlds; those that answer otherwise than the truth are out."""
        self.answers.append(self.together(sql))
        self.alive = self.consistent(range(len(self.answers)))

    def together(self, sql: str) -> dict[int, Counter[Row]]:
        """The answers in all worlds by one statement: the query beside each world, over the rows of that world."""
        inner = sql.replace(" FROM t", f" FROM (SELECT {', '.join(self.case.columns)} FROM every WHERE w = ws.w) t", 1)
        found: dict[int, Counter[Row]] = {w: Counter() for w in range(len(self.all))}
        everything = f"SELECT ws.w, answer.* FROM (SELECT DISTINCT w FROM every) ws, LATERAL ({inner}) answer"
        for world, *row in self.connection.execute(everything).fetchall():
            found[world][tuple(row)] += 1
        return found

    def one(self, sql: str, world: int) -> Counter[Row]:
        """The answer in one world, by the query as it is written."""
        self.connection.execute(f"SET VARIABLE w = {world}")
        return Counter(self.connection.execute(sql).fetchall())

    def consistent(self, queries: Iterable[int]) -> list[int]:
        """The worlds that answer these queries (from 0) as the truth does."""
        kept = [self.answers[q] for q in queries]
        return [w for w in range(len(self.all)) if all(a[w] == a[self.truth] for a in kept)]

    def values(self, column: str, row: int, worlds: Iterable[int] | None = None) -> set[Any]:
        """What a cell may be."""
        width, place = len(self.case.domains), list(self.case.domains).index(column)
        return {self.all[w][row * width + place] for w in (self.alive if worlds is None else worlds)}

    def true(self, column: str, row: int) -> Any:
        return next(iter(self.values(column, row, [self.truth])))

    def disclosed(self, kind: str, column: str, row: int, more: tuple[Any, ...], worlds: Iterable[int]) -> bool:
        """Whether a fact holds in all these worlds; ``more`` are the fact's operator and bound, or amount."""
        left, true = self.values(column, row, worlds), self.true(column, row)
        if kind in ("exact", "left"):
            return len(left) < (2 if kind == "exact" else more[0])
        if kind == "within":
            return all(v is not None and abs(v - true) <= more[0] for v in left)
        sign, bound = more
        results = {"=": lambda v: v == bound, "!=": lambda v: v != bound, "<": lambda v: v < bound}
        results |= {"<=": lambda v: v <= bound, ">": lambda v: v > bound, ">=": lambda v: v >= bound}
        return all(v is not None and results[sign](v) for v in left)
