"""Random statements as dashboards and analysts write them, over the tables of the
oracle, and all worlds of these tables.

Nothing here comes from the package: what a statement says in a world is what DuckDB
answers there.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterable
from typing import Any

import duckdb

COLUMNS = {
    "id": "INTEGER",
    "g": "VARCHAR",
    "p": "INTEGER",
    "d": "DATE",
    "s": "INTEGER",
    "u": "VARCHAR",
}
PUBLIC = ["g", "p", "d"]
DOMAINS: dict[str, list[Any]] = {"s": [0, 1, 3], "u": ["a", "b"]}
EXTERNAL = "CREATE TABLE e AS SELECT * FROM (VALUES ('x', 1), ('y', 2)) AS v(h, k)"
POLICY = {
    "table": "t",
    "key": "id",
    "public": PUBLIC,
    "external": ["e"],
    "sensitive": {
        "s": {"values": DOMAINS["s"], "null": False},
        "u": {"values": DOMAINS["u"]},
    },
    "protect": {"s": {"column": "s"}, "u": {"column": "u"}},
}
AGGREGATES = """
    SUM(s)|COUNT(*)|AVG(s)|MIN(s)|MAX(u)|COUNT(DISTINCT s)|MEDIAN(s)|STDDEV(s)|MODE(s)
    |SUM(s * p)|SUM(s / 2)|AVG(s + p)|quantile_cont(s, 0.75)|quantile_disc(u, 0.5)
    |COUNT(*) FILTER (WHERE s > 0)|SUM(CASE WHEN u = 'a' THEN s ELSE 0 END)
    |STRING_AGG(u, ',')|BOOL_OR(s = 1)|COUNT(CASE WHEN s > p THEN 1 END)
    |ARG_MAX(u, s)|SUM(s) FILTER (WHERE g = 'x')|ANY_VALUE(s)|APPROX_COUNT_DISTINCT(s)
    |LIST(s)|SUM(LENGTH(u))|VAR_POP(s)|FIRST(u)|BIT_XOR(s)|SUM(s::DOUBLE)
"""
PLAIN = "SUM(s)|COUNT(*)|AVG(s)|MIN(s)|MAX(u)|COUNT(DISTINCT s)|MEDIAN(s)|SUM(p)"
AROUND = """
    {0}|{0}|{0}|ROUND({0} * 1.0 / NULLIF({1}, 0), 2)|CASE WHEN {1} > 1 THEN {0} END|{0} + {1}
    |{0} / SUM({0}) OVER ()|RANK() OVER (ORDER BY {0})|COALESCE({0}, 0)|{0} > {1}
"""
CONDITIONS = """
    g = 'x'|p = 1|s > 0|u = 'a'|s % 2 = 1|LENGTH(u) + s > 2|s > p|g IS NULL|p IN (1, 2)
    |s IN (SELECT k FROM e)|s > (SELECT AVG(s) FROM t)|u LIKE 'a%'|UPPER(u) = 'A'
    |d >= DATE '2024-02-01'|s / (p - 1) > 0|s + p = 2|NOT (s = 1 AND g = 'x')
    |EXISTS (SELECT 1 FROM e WHERE e.h = t.g AND e.k > t.s)|u::VARCHAR <> 'b'|p < 2
    |g IN (SELECT h FROM e)|s BETWEEN 1 AND 3|COALESCE(s, 0) = 1|1 / s > 0|t.p <> 2
"""
KEYS = """
    g|p|s|u|date_trunc('month', d)|p > 1|s > 0|LOWER(g)|d|COALESCE(g, 'z')|p + s
"""
ROWS = """
    id, s|s|u, g|*|DISTINCT s|DISTINCT u, g|id, s * 2 AS v|t|id, RANK() OVER (ORDER BY s)
    |g, AVG(s) OVER (PARTITION BY g)|DISTINCT g|COALESCE(u, 'z')|t.*|id, s > 1|g, p
    |id|DISTINCT ON (g) g, s|s / p|DISTINCT p
"""
SHAPES = """
    SELECT * FROM ({0}) q|WITH q AS ({0}) SELECT COUNT(*) FROM q|({0}) UNION ALL ({1})
    |SELECT EXISTS ({0})|SELECT * FROM ({0}) q LIMIT 2|WITH q AS ({0}) SELECT * FROM q, e
    |({0}) EXCEPT ({1})|SELECT COUNT(*) FROM ({0}) q, ({1}) r
"""
FROMS = """
    t|t|t|t|t|t|t|t|t|t|t|t|t|t AS t|t JOIN e ON g = h|t LEFT JOIN e ON t.g = e.h|e LEFT JOIN t ON k = s
    |t, e|t JOIN e ON s = k|(t JOIN e ON g = h)|t JOIN t AS o ON t.s = o.p
    |t NATURAL JOIN e|t JOIN (SELECT g AS h2, SUM(s) AS w FROM t GROUP BY g) q ON g = h2
"""


def _parts(text: str) -> list[str]:
    return [part.strip() for part in " ".join(text.split()).split("|")]


def statement(r: random.Random) -> str:
    """A random statement over t."""
    if r.random() < 0.2:
        shape = r.choice(_parts(SHAPES))
        return shape.format(select(r), select(r))
    return select(r)


def select(r: random.Random) -> str:
    """One SELECT."""
    table = r.choice(_parts(FROMS))
    parts = r.sample(_parts(CONDITIONS), r.choice([0, 1, 1, 2]))
    where = f" WHERE {r.choice([' AND ', ' OR ']).join(parts)}" if parts else ""
    if r.random() < 0.35:
        more = r.choice(["", "", " ORDER BY 1", " LIMIT 2", " ORDER BY 1 LIMIT 1"])
        return f"SELECT {r.choice(_parts(ROWS))} FROM {table}{where}{more}"
    items = [around(r) for _ in range(r.choice([1, 1, 2]))]
    keys = r.sample(_parts(KEYS), r.choice([0, 1, 1, 2]))
    group = ""
    if keys:
        numbers = ", ".join(map(str, range(1, len(keys) + 1)))
        listed = r.choice([numbers, ", ".join(keys), f"ROLLUP ({', '.join(keys)})"])
        group = f" GROUP BY {listed}"
    if r.random() < 0.25:
        group += f" HAVING {around(r)} > {r.choice(['0', '1', 'COUNT(*)'])}"
    group += r.choice(["", "", " ORDER BY 1", " LIMIT 1", " ORDER BY 1 DESC LIMIT 1"])
    return f"SELECT {', '.join([*keys, *items])} FROM {table}{where}{group}"


def around(r: random.Random) -> str:
    """Something made of aggregates."""
    pair = r.sample(_parts(r.choice([PLAIN, AGGREGATES])), 2)
    return r.choice(_parts(AROUND)).format(*pair)


class SmallTable:
    """A random table of two or three rows, and DuckDB's answers in all of its
    worlds.
    """

    def __init__(self, r: random.Random, size: int = 2) -> None:
        self.public = [
            (k, r.choice(["x", "y", None]), r.choice([1, 2]), f"2024-0{1 + k % 2}-05")
            for k in range(size)
        ]
        pairs = list(itertools.product(*DOMAINS.values()))
        self.worlds = list(itertools.product(pairs, repeat=size))
        self.truth = r.randrange(len(self.worlds))
        self.connection = duckdb.connect(":memory:", config={"threads": "1"})
        self.connection.execute(EXTERNAL)
        for number in range(len(self.worlds)):
            self.connection.execute(f"CREATE SCHEMA w{number}")
            self.fill(self.connection, f"w{number}.t", number)

    def fill(self, connection: Any, name: str, number: int) -> None:
        """Make the table of a world."""
        declared = ", ".join(f"{column} {kind}" for column, kind in COLUMNS.items())
        connection.execute(f"CREATE TABLE {name} ({declared})")
        rows = [
            (*row, *cells)
            for row, cells in zip(self.public, self.worlds[number], strict=True)
        ]
        places = ", ".join("(?, ?, ?, ?, ?, ?)" for _ in rows)
        connection.execute(
            f"INSERT INTO {name} VALUES {places}", [one for row in rows for one in row]
        )

    def alike(self, sql: str, among: Iterable[int] | None = None) -> set[int]:
        """The worlds, of all or of some, that answer as the truth does."""
        asked = range(len(self.worlds)) if among is None else among
        true = self.answer(sql, self.truth)
        return {number for number in asked if self.answer(sql, number) == true}

    def answer(self, sql: str, number: int) -> Any:
        """The answer in one world as a bag; None for an error."""
        self.connection.execute(f"SET search_path = 'w{number},main'")
        try:
            return Counter(map(str, self.connection.execute(sql).fetchall()))
        except duckdb.Error:
            return None


def modelled(r: random.Random) -> str:
    """A statement of the audited fragment."""
    where = r.choice(["", "", " WHERE g = 'x'", " WHERE s > 0", " WHERE id = 0"])
    what = r.choice(["SUM(s)", "COUNT(*)", "MAX(u)", "COUNT(DISTINCT s)", "MIN(s)"])
    return f"SELECT {what} FROM t{where}"
