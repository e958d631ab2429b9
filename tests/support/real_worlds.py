"""All worlds of a tiny table in a real engine, and statements executed in each of them:
the judge of what an answer, or that there was none, says of the cells.

Nothing here comes from the package that is judged.
"""

from __future__ import annotations

import itertools
import random
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import duckdb

Row = tuple[Any, ...]
Cells = tuple[Any, ...]
World = tuple[Cells, ...]
"""The wage and the ill of each row."""
WAGES = (0, 1, 2)
ILL = ("flu", "5")
COLUMNS = "k VARCHAR(99), g VARCHAR(99), h INTEGER, n SMALLINT, d DATE"
NUMBERS = (-(2**31), 2**31 - 1, -3, -1, 0, 0, 1, 2, 2, 5, None)
SHORT = (-(2**15), 2**15 - 1, -1, 0, 1, 2, 200)
TEXTS = ("a", "a", "5", "2020-01-31", "", "a\\", "x(", "flu", "0")
DAYS = ("2020-01-31", "2020-02-29", "1999-12-31")
OTHERS = (("a", 0), ("5", 2), ("flu", 1))


@dataclass(frozen=True)
class TinyTable:
    """A table of public k, g, h, n, d and sensitive wage and ill, and what it may be.

    ``truth`` is its world's place among ``worlds``; ``seed`` is what it was drawn by.
    """

    public: tuple[Row, ...]
    truth: int = 0
    seed: int = 0

    @cached_property
    def worlds(self) -> list[World]:
        """All worlds."""
        cells = list(itertools.product(WAGES, ILL))
        return list(itertools.product(cells, repeat=len(self.public)))

    def rows(self, world: World) -> list[Row]:
        """The whole rows of a world."""
        pairs = zip(self.public, world, strict=True)
        return [(*public, *cells) for public, cells in pairs]

    @property
    def policy(self) -> dict[str, Any]:
        """A policy for an audit of it."""
        return {
            "table": "t",
            "key": "k",
            "public": ["g", "h", "n", "d"],
            "external": ["e"],
            "sensitive": {
                "wage": {"from": WAGES[0], "to": WAGES[-1]},
                "ill": {"values": list(ILL)},
            },
            "protect": {"wage": {"column": "wage"}, "ill": {"column": "ill"}},
        }


def drawn(seed: int, size: int = 0) -> TinyTable:
    """A table with cells for which many expressions fail."""
    r = random.Random(seed)
    size = size or r.choice([2, 2, 3])
    rows = []
    for number in range(size):
        cells = r.choice(TEXTS), r.choice(NUMBERS), r.choice(SHORT), r.choice(DAYS)
        rows.append((f"k{number}", *cells))
    table = TinyTable(tuple(rows))
    truth = r.randrange(len(table.worlds))
    return TinyTable(table.public, truth, seed)


class Engine(Protocol):
    """Worlds that are there."""

    def answers(self, sql: str) -> list[Any]:
        """What each world answers: its rows, or the code of an error."""


def _statements(table: TinyTable, world: World) -> list[tuple[str, list[Row]]]:
    created = f"CREATE TABLE t ({COLUMNS}, wage INTEGER, ill VARCHAR(99))"
    return [
        (created, []),
        ("INSERT INTO t VALUES", table.rows(world)),
        ("CREATE TABLE e (g2 VARCHAR(99), z INTEGER)", []),
        ("INSERT INTO e VALUES", list(OTHERS)),
    ]


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    # -2147483648 is written so, and fits
    return str(value)


def _script(table: TinyTable, world: World) -> str:
    """SQL that makes the tables of a world."""
    lines = []
    for sql, rows in _statements(table, world):
        if rows:
            tuples = [f"({', '.join(map(_literal, row))})" for row in rows]
            sql = f"{sql} {', '.join(tuples)}"
        lines.append(sql)
    return ";\n".join(lines) + ";"


FUNCTION = """
CREATE FUNCTION public.answers(statement text, worlds integer) RETURNS text[] AS $$
DECLARE
    found text[] := '{}'; said text; one record;
BEGIN
    FOR world IN 0 .. worlds - 1 LOOP
        PERFORM set_config('search_path', 'w' || world, true);
        said := '';
        BEGIN
            FOR one IN EXECUTE statement LOOP
                said := said || one::text || E'\\n';
            END LOOP;
        EXCEPTION WHEN OTHERS THEN
            said := '!' || SQLSTATE;
        END;
        found := found || said;
    END LOOP;
    RETURN found;
END $$ LANGUAGE plpgsql;
"""


class PostgresWorlds:
    """The worlds as schemas of one database of PostgreSQL."""

    dialect = "postgres"

    def __init__(self, connection: Any, table: TinyTable) -> None:
        self.connection = connection
        self.count = len(table.worlds)
        connection.execute("DROP FUNCTION IF EXISTS public.answers")
        connection.execute(FUNCTION)
        lines = []
        for number, world in enumerate(table.worlds):
            lines.append(f"DROP SCHEMA IF EXISTS w{number} CASCADE")
            lines.append(f"CREATE SCHEMA w{number}; SET search_path = w{number}")
            lines.append(_script(table, world).rstrip(";"))
        lines.append("SET search_path = public")
        connection.execute(";\n".join(lines))

    def answers(self, sql: str) -> list[Any]:
        cursor = self.connection.execute(
            "SELECT public.answers(%s, %s)", (sql, self.count)
        )
        ((found,),) = cursor.fetchall()
        return [_told(sql, one) for one in found]


def _told(sql: str, text: str) -> str:
    """An answer as text; its rows have no order where none is asked for."""
    if text.startswith("!") or "ORDER BY" in sql:
        return text
    return "\n".join(sorted(text.splitlines()))


class DuckdbWorlds:
    """The worlds as schemas of one DuckDB."""

    dialect = ""

    def __init__(self, table: TinyTable) -> None:
        self.connection = duckdb.connect(":memory:", config={"threads": "1"})
        self.count = len(table.worlds)
        self.known: dict[str, list[Any]] = {}
        for number, world in enumerate(table.worlds):
            self.connection.execute(f"CREATE SCHEMA w{number}; USE w{number}")
            self.connection.execute(_script(table, world))

    def answers(self, sql: str) -> list[Any]:
        if sql not in self.known:
            self.known[sql] = self._answers(sql)
        return self.known[sql]

    def _answers(self, sql: str) -> list[Any]:
        found = []
        for number in range(self.count):
            self.connection.execute(f"USE w{number}")
            try:
                rows = self.connection.execute(sql).fetchall()
            except duckdb.Error as error:
                found.append(f"!{type(error).__name__}")
            else:
                found.append(_listed(sql, rows))
        return found


class SqliteWorlds:
    """The worlds as databases of SQLite."""

    dialect = "sqlite"

    def __init__(self, table: TinyTable) -> None:
        self.connections = []
        for world in table.worlds:
            connection = sqlite3.connect(":memory:")
            connection.executescript(_script(table, world))
            self.connections.append(connection)

    def answers(self, sql: str) -> list[Any]:
        found = []
        for connection in self.connections:
            try:
                rows = connection.execute(sql).fetchall()
            except sqlite3.Error as error:
                found.append(f"!{error}")
            else:
                found.append(_listed(sql, rows))
        return found


def _listed(sql: str, rows: Sequence[Row]) -> str:
    return _told(sql, "\n".join(map(repr, rows)))


def made(table: TinyTable) -> str:
    """SQL that makes the true tables."""
    return _script(table, table.worlds[table.truth])


def alike(answers: Sequence[Sequence[Any]], truth: int) -> list[int]:
    """The worlds where all statements answer as in the true one."""
    count = len(answers[0])
    return [w for w in range(count) if all(one[w] == one[truth] for one in answers)]
