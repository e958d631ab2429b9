"""A frame of any library as the audited database: copied into DuckDB's memory."""

from __future__ import annotations

from contextlib import ExitStack, closing
from typing import Any

from phverify.disclosure.log.query import quoted
from phverify.errors import refusal
from phverify.microdata.frames import ArrowFrame, framed
from phverify.microdata.headers import unique_names
from phverify.microdata.interruptible import GIVEN, Interruptible
from phverify.microdata.read_again import ONE_TYPE, other_cells

COARSE = {"TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"}
"""Timestamps of other precisions."""
EXTENSIONS = ("arrow.uuid", "arrow.json", "arrow.bool8")
"""Types of Arrow's extensions that DuckDB has, too."""


def connection_of(
    duckdb: Any, source: Any, table: str, opened: ExitStack
) -> Interruptible:
    """A connection to a database with one table, the frame.

    Raises InputError for a frame that DuckDB has no table for.
    """
    content = _arrow(source)
    # To SQL "Name" is "name": DuckDB would call the second one something else.
    unique_names([name.casefold() for name in content.column_names], "database")
    # More threads take longer to start than tables this small.
    plain = duckdb.connect(":memory:", config={"threads": "1"})
    connection = opened.enter_context(closing(Interruptible(plain)))
    try:
        name = quoted(table)
        connection.taken(content, f"CREATE TABLE main.{name} AS SELECT * FROM {GIVEN}")
    except duckdb.Error as error:
        reason = str(error).splitlines()[0]
        raise refusal(
            "database", f"DuckDB does not take this frame: {reason}"
        ) from None
    connection.run("SET enable_external_access = false")
    to_microseconds(duckdb, connection, table)
    return connection


def to_microseconds(duckdb: Any, connection: Interruptible, table: str) -> None:
    """Timestamps of a copied table that are counted in seconds, milliseconds or
    nanoseconds become those of SQL, which are in microseconds, where that is exact.
    """
    name = quoted(table)
    for column, kind, *_ in connection.rows(f"DESCRIBE {name}"):
        if kind not in COARSE:
            continue
        cell = quoted(column)
        otherwise = f"{cell}::TIMESTAMP::{kind} IS DISTINCT FROM {cell}"
        try:
            count = f"SELECT COUNT(*) FROM {name} WHERE {otherwise}"
            if connection.rows(count) == [(0,)]:
                change = f"ALTER COLUMN {cell} SET DATA TYPE TIMESTAMP"
                connection.run(f"ALTER TABLE {name} {change}")
        except duckdb.Error:
            # Too far away for microseconds: the column stays what it is.
            continue


def _arrow(source: Any) -> Any:
    """The frame as an Arrow table; the index of pandas plays no part."""
    frame = framed(source, "database")
    if isinstance(frame, ArrowFrame):
        return _exact(frame.table)
    return _exact(_of_pandas(frame))


def _of_pandas(frame: Any) -> Any:
    """An Arrow table with the cells of a DataFrame.

    Raises InputError where a column would not have them.
    """
    import pyarrow

    try:
        table = pyarrow.Table.from_pandas(frame, preserve_index=False)
    except (pyarrow.ArrowException, ValueError, TypeError, OverflowError) as error:
        reason = str(error).partition("\n")[0]
        what = f"a column of this frame has cells of several types: {reason}"
        raise refusal("database", what, "give each column one type") from None
    other = other_cells(frame, table)
    if other:
        what = f"column {other!r} has cells of several types, or too fine ones"
        raise refusal("database", f"{what}: some would become others", ONE_TYPE)
    return table


def _exact(table: Any) -> Any:
    """The table in types of which DuckDB has every value.

    Raises InputError for what it would read as something else.
    """
    import pyarrow
    from pyarrow import types

    for place, field in enumerate(table.schema):
        name, kind = field.name, field.type
        if types.is_date64(kind):
            try:
                days = table.column(place).cast(pyarrow.date32())
            except pyarrow.ArrowInvalid:
                what = f"column {name!r} has dates with a time of day"
                raise refusal("database", what, "store it as a timestamp") from None
            table = table.set_column(place, name, days)
        if _unknown(kind):
            what = f"column {name!r} has cells of the type {kind.extension_name}"
            raise refusal("database", f"{what}, which no database has", ONE_TYPE)
    return table


def _unknown(kind: Any) -> bool:
    """Whether DuckDB would read single values as what stands for them in memory."""
    import pyarrow
    from pyarrow import types

    if not isinstance(kind, pyarrow.BaseExtensionType):
        return False
    nested = types.is_nested(kind.storage_type)
    return not nested and kind.extension_name not in EXTENSIONS
