"""The judge of normal forms: all worlds of a small table in one DuckDB, and statements
executed in each of them.

Nothing here comes from the package but what is judged.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb

from phverify.disclosure.facts.domains import Domain
from phverify.disclosure.log.sources import QueryScope
from phverify.disclosure.worlds.database import Database
from phverify.microdata.interruptible import Interruptible
from support.so_many import FUZZ

Row = tuple[Any, ...]
PUBLIC = "id VARCHAR, g VARCHAR, p INTEGER, d DATE"
DAYS = ["2024-01-05", "2024-01-20", "2024-02-01"]
EXTERNAL = [("x", 1, "n"), ("y", 2, "o"), ("z", 0, None)]


MOST = 24 if FUZZ else 12
"""Of more worlds some are drawn."""


class SmallTable:
    """A table t of public id, g, p, d and sensitive s, u, and a public table e.

    ``null`` is whether s may be missing.  Where ``keys`` are several columns, none of
    them names a row by itself.
    """

    def __init__(
        self,
        seed: int,
        null: bool,
        size: int = 0,
        most: int = MOST,
        keys: Sequence[str] = ("id",),
    ) -> None:
        self.keys = keys
        r = random.Random(seed)
        self.domains = {"s": Domain(0, 2, null=null), "u": Domain(values=("ab", "b"))}
        self.s = [0, 1, 2, *([None] if null else [])]
        self.u = ["ab", "b"]
        size = size or r.choice([2, 3, 3])
        self.public = [
            (f"k{n}", r.choice("xxy"), r.choice([0, 1, 2]), r.choice(DAYS))
            for n in range(size)
        ]
        if len(keys) > 1:
            # Two rows share their id, and two their p.
            pairs = r.sample([("k0", 0), ("k0", 1), ("k1", 1)], size)
            for n, (name, p) in enumerate(pairs):
                _, g, _, day = self.public[n]
                self.public[n] = name, g, p, day
        self.truth = tuple((r.choice(self.s), r.choice(self.u)) for _ in range(size))
        cells = list(itertools.product(self.s, self.u))
        every = list(itertools.product(cells, repeat=size))
        r.shuffle(every)
        self.worlds = [self.truth, *(one for one in every if one != self.truth)][:most]
        self.connection = duckdb.connect(":memory:", config={"threads": "1"})
        self.connection.execute(
            f"CREATE TABLE every (w INTEGER, {PUBLIC}, s INTEGER, u VARCHAR)"
        )
        rows = list(self._rows())
        columns = [list(column) for column in zip(*rows, strict=True)]
        kinds = [
            "INTEGER",
            "VARCHAR",
            "VARCHAR",
            "INTEGER",
            "DATE",
            "INTEGER",
            "VARCHAR",
        ]
        lists = ", ".join(f"UNNEST(?::{kind}[])" for kind in kinds)
        self.connection.execute(f"INSERT INTO every SELECT {lists}", columns)
        self._outside(self.connection)
        self.known: dict[tuple[str, int], Counter[Row] | None] = {}
        self.each = [self._world(number) for number in range(len(self.worlds))]

    def _world(self, number: int) -> duckdb.DuckDBPyConnection:
        """Where t is the table of a world."""
        cursor = self.connection.cursor()
        cursor.execute(f"CREATE SCHEMA w{number}")
        cursor.execute(
            f"CREATE TABLE w{number}.t AS SELECT id, g, p, d, s, u FROM every"
            f" WHERE w = {number}"
        )
        cursor.execute(f"SET search_path = 'w{number},main'")
        return cursor

    def _rows(self) -> Iterator[Row]:
        for number, world in enumerate(self.worlds):
            for public, cells in zip(self.public, world, strict=True):
                yield (number, *public, *cells)

    @staticmethod
    def _outside(connection: duckdb.DuckDBPyConnection) -> None:
        connection.execute("CREATE TABLE e (h VARCHAR, k INTEGER, c VARCHAR)")
        connection.executemany("INSERT INTO e VALUES (?, ?, ?)", EXTERNAL)

    @cached_property
    def true(self) -> Database:
        """The table as it is, for the package."""
        connection = duckdb.connect(":memory:", config={"threads": "1"})
        connection.execute(f"CREATE TABLE t ({PUBLIC}, s INTEGER, u VARCHAR)")
        rows = [
            (*public, *cells)
            for public, cells in zip(self.public, self.truth, strict=True)
        ]
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", rows)
        self._outside(connection)
        return Database(Interruptible(connection), "the table")

    @property
    def scope(self) -> QueryScope:
        public = ("g", "p", "d")
        columns = ("id", *public, "s", "u")
        external = {"e": ("h", "k", "c")}
        key, *more = self.keys
        return QueryScope(
            "t",
            key,
            ("id", *public),
            ("s", "u"),
            columns,
            external,
            self.domains,
            tuple(more),
        )

    def answer(self, sql: str, number: int) -> Counter[Row] | None:
        """The answer of a world; None for an error.  It is asked once."""
        key = (sql, number)
        if key not in self.known:
            try:
                self.known[key] = Counter(self.each[number].execute(sql).fetchall())
            except duckdb.Error:
                self.known[key] = None
        return self.known[key]

    def alike(self, statements: Sequence[str]) -> set[int]:
        """The worlds where all statements answer as in the true one."""
        kept = set(range(len(self.worlds)))
        for sql in statements:
            true = self.answer(sql, 0)
            assert true is not None, sql
            kept = {w for w in kept if self.answer(sql, w) == true}
        return kept

    def policy(self) -> dict[str, Any]:
        """A policy for an audit of it."""
        return {
            "table": "t",
            "key": "id",
            "public": ["g", "p", "d"],
            "external": ["e"],
            "sensitive": {
                "s": {"from": 0, "to": 2, "null": None in self.s},
                "u": {"values": self.u},
            },
            "protect": {"cells": {"column": "s"}, "texts": {"column": "u"}},
        }

    def write(self, path: Path) -> None:
        """The table in a file."""
        rows = self.each[0].execute("SELECT * FROM t").fetchall()
        with duckdb.connect(str(path)) as connection:
            connection.execute(f"CREATE TABLE t ({PUBLIC}, s INTEGER, u VARCHAR)")
            connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", rows)
            self._outside(connection)
