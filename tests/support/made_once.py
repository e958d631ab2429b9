"""DuckDB files that many tests begin with: each is made once, and copied."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import duckdb

Row = tuple[Any, ...]
Made = tuple[str, tuple[Row, ...]]


def duckdb_file(path: Path, *statements: str | tuple[str, Iterable[Row]]) -> Path:
    """A file made by these statements; with rows, each is executed for each of them."""
    steps: list[Made] = []
    for one in statements:
        sql, rows = (one, ()) if isinstance(one, str) else one
        steps.append((sql, tuple(map(tuple, rows))))
    path.write_bytes(_content(tuple(steps)))
    return path


@cache
def _content(steps: tuple[Made, ...]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.duckdb"
        with duckdb.connect(str(path)) as connection:
            for sql, rows in steps:
                if rows:
                    connection.executemany(sql, rows)
                else:
                    connection.execute(sql)
        return path.read_bytes()
