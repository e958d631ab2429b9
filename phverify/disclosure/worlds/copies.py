"""Worlds as tables in memory, where queries run as they are written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import cached_property
from typing import Any

from phverify.disclosure.log.query import quoted
from phverify.disclosure.worlds.database import (
    SEALED,
    Columns,
    Content,
    Rows,
    fill,
    filled,
    load_duckdb,
)
from phverify.microdata.interruptible import Interruptible

_QUICK = {"disabled_optimizers": "in_clause,statistics_propagation", "threads": "1"}
"""What takes longer than it saves where tables are small."""


class Copies:
    """Worlds as tables in memory: each has a schema of its own, so that queries run
    there as they are written.

    ``shared`` are public tables that all worlds have; ``opened`` ends the connection.
    """

    def __init__(
        self,
        table: str,
        content: Content,
        shared: Mapping[str, Content],
        opened: ExitStack,
    ) -> None:
        self.table = table
        self.content = content
        self.shared = shared
        self.opened = opened
        self.made = 0
        self.path = ""
        self.parsed: dict[str, Any] = {}

    @cached_property
    def connection(self) -> Interruptible:
        """Made for the first world: an audit may need none."""
        config = SEALED | _QUICK
        duckdb = load_duckdb()
        memory = duckdb.connect(":memory:", config=config)
        connection = self.opened.enter_context(closing(Interruptible(memory)))
        for name, content in self.shared.items():
            table = quoted(name)
            fill(connection, table, content)
        return connection

    def add(self, world: Columns) -> str:
        """A new copy of the table with other sensitive columns; returns its schema."""
        self.made += 1
        schema = f"world{self.made}"
        cells = {**self.content.cells, **world}
        content = replace(self.content, cells=cells)
        copy = f"{schema}.{quoted(self.table)}"

        def make(plain: Any) -> None:
            begin = f"CREATE SCHEMA {schema}"
            plain.execute(begin)
            filled(copy, content, plain)

        self.connection.ask(make)
        return schema

    def execute(self, schema: str, asked: Iterable[str]) -> list[Rows | None]:
        """The answers in a world; None where one is an error there, such as an
        overflow.
        """

        def answers(plain: Any) -> list[Rows | None]:
            self._search(f"{schema},main", plain)
            return [self._answer(sql, plain) for sql in asked]

        return self.connection.ask(answers)

    def _answer(self, sql: str, plain: Any) -> Rows | None:
        duckdb = load_duckdb()
        try:
            if sql not in self.parsed:  # a log is executed in many worlds
                (self.parsed[sql],) = plain.extract_statements(sql)
            rows: Rows = plain.execute(self.parsed[sql]).fetchall()
        except duckdb.InterruptException:
            raise
        except duckdb.Error:
            return None
        return rows

    def drop(self, schema: str) -> None:
        """Forget a world."""

        def forget(plain: Any) -> None:
            self._search("main", plain)
            end = f"DROP SCHEMA {schema} CASCADE"
            plain.execute(end)

        self.connection.ask(forget)

    def _search(self, path: str, plain: Any) -> None:
        """Where a query finds its tables from now on."""
        if path != self.path:
            plain.execute(f"SET search_path = '{path}'")
            self.path = path
