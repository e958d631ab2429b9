"""Worlds as tables in memory, where queries run as they are written."""

from __future__ import annotations

from collections.abc import Mapping
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
    load_duckdb,
)
from phverify.interrupts import interrupts_of_duckdb

_QUICK = {"disabled_optimizers": "in_clause,statistics_propagation", "threads": "1"}
"""What takes longer than it saves where tables are small."""


class Copies:
    """Worlds as tables in memory: each has a schema of its own, so that queries run
    there as they are written.

    ``shared`` are public tables that all worlds have.
    """

    def __init__(
        self, table: str, content: Content, shared: Mapping[str, Content]
    ) -> None:
        self.table = table
        self.content = content
        self.shared = shared
        self.made = 0
        self.path = ""
        self.parsed: dict[str, Any] = {}

    @cached_property
    def connection(self) -> Any:
        """Made for the first world: an audit may need none."""
        config = SEALED | _QUICK
        connection = load_duckdb().connect(":memory:", config=config)
        for name, content in self.shared.items():
            table = quoted(name)
            fill(connection, table, content)
        return connection

    @interrupts_of_duckdb()
    def add(self, world: Columns) -> str:
        """A new copy of the table with other sensitive columns; returns its schema."""
        self.made += 1
        schema = f"world{self.made}"
        begin = f"CREATE SCHEMA {schema}"
        self.connection.execute(begin)
        cells = {**self.content.cells, **world}
        content = replace(self.content, cells=cells)
        table = quoted(self.table)
        copy = f"{schema}.{table}"
        fill(self.connection, copy, content)
        return schema

    @interrupts_of_duckdb()
    def search(self, path: str) -> None:
        """Where a query finds its tables from now on."""
        if path != self.path:
            self.connection.execute(f"SET search_path = '{path}'")
            self.path = path

    @interrupts_of_duckdb()
    def execute(self, schema: str, sql: str) -> Rows | None:
        """The answer in a world; None where there it is an error, such as an
        overflow.
        """
        self.search(f"{schema},main")
        try:
            if sql not in self.parsed:  # a log is executed in many worlds
                (self.parsed[sql],) = self.connection.extract_statements(sql)
            rows: Rows = self.connection.execute(self.parsed[sql]).fetchall()
        except load_duckdb().Error:
            return None
        return rows

    @interrupts_of_duckdb()
    def drop(self, schema: str) -> None:
        """Forget a world."""
        self.search("main")
        self.connection.execute(f"DROP SCHEMA {schema} CASCADE")
