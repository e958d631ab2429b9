"""A frame of any library as the audited database: copied into DuckDB's memory."""

from __future__ import annotations

from typing import Any

from phverify.disclosure.log.query import quoted
from phverify.errors import refusal
from phverify.microdata.frames import ArrowFrame, framed
from phverify.microdata.headers import unique_names

COARSE = {"TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"}
"""Timestamps of other precisions."""


def connection_of(duckdb: Any, source: Any, table: str) -> Any:
    """A connection to a database with one table, the frame.

    Raises InputError for a frame that DuckDB has no table for.
    """
    content = _arrow(source)
    # To SQL "Name" is "name": DuckDB would call the second one something else.
    unique_names([name.casefold() for name in content.column_names], "database")
    # More threads take longer to start than tables this small.
    connection = duckdb.connect(":memory:", config={"threads": "1"})
    try:
        connection.register("given", content)
        name = quoted(table)
        connection.execute(f"CREATE TABLE main.{name} AS SELECT * FROM given")
        connection.unregister("given")
    except duckdb.Error as error:
        reason = str(error).splitlines()[0]
        raise refusal(
            "database", f"DuckDB does not take this frame: {reason}"
        ) from None
    connection.execute("SET enable_external_access = false")
    to_microseconds(duckdb, connection, table)
    return connection


def to_microseconds(duckdb: Any, connection: Any, table: str) -> None:
    """Timestamps of a copied table that are counted in seconds, milliseconds or
    nanoseconds become those of SQL, which are in microseconds, where that is exact.
    """
    name = quoted(table)
    for column, kind, *_ in connection.execute(f"DESCRIBE {name}").fetchall():
        if kind not in COARSE:
            continue
        cell = quoted(column)
        otherwise = f"{cell}::TIMESTAMP::{kind} IS DISTINCT FROM {cell}"
        try:
            count = f"SELECT COUNT(*) FROM {name} WHERE {otherwise}"
            if connection.execute(count).fetchone() == (0,):
                change = f"ALTER COLUMN {cell} SET DATA TYPE TIMESTAMP"
                connection.execute(f"ALTER TABLE {name} {change}")
        except duckdb.Error:
            # Too far away for microseconds: the column stays what it is.
            continue


def _arrow(source: Any) -> Any:
    """The frame as an Arrow table; the index of pandas plays no part."""
    import pyarrow

    frame = framed(source, "database")
    if isinstance(frame, ArrowFrame):
        return frame.table
    try:
        return pyarrow.Table.from_pandas(frame, preserve_index=False)
    except (pyarrow.ArrowException, ValueError, TypeError) as error:
        reason = str(error).partition("\n")[0]
        what = f"a column of this frame has cells of several types: {reason}"
        raise refusal("database", what, "give each column one type") from None
