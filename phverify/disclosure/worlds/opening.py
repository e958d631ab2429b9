"""An audited database, opened read-only, or copied into memory.

SQLite, Parquet and CSV files are copied; DuckDB then has no access to any file.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from phverify.disclosure.log.query import quoted
from phverify.disclosure.worlds.database import (
    SEALED,
    Content,
    Database,
    Rows,
    by_name,
    fill,
    load_duckdb,
    read_only_sqlite,
)
from phverify.disclosure.worlds.of_frame import connection_of, to_microseconds
from phverify.disclosure.worlds.postgres import is_postgres, open_postgres
from phverify.errors import refusal
from phverify.microdata.files import converted, existing_file
from phverify.microdata.frames import is_frame
from phverify.microdata.interruptible import Interruptible

_TABULAR = {
    ".parquet": "read_parquet",
    ".pq": "read_parquet",
    ".csv": "read_csv",
    ".tsv": "read_csv",
}


def open_database(source: Any, table: str, others: Iterable[str] = ()) -> Database:
    """A database from a path (DuckDB, SQLite, Parquet, CSV), a URL of PostgreSQL, or a
    frame.

    Parquet, CSV and frames have one table, ``table``; of a server it is read with
    ``others``.  Raises InputError when it is none, and nothing is left open then.
    """
    with ExitStack() as opened:
        database = _opened(source, table, others, opened)
        stays = opened.pop_all()
        return replace(database, opened=stays)


def _opened(
    source: Any, table: str, others: Iterable[str], opened: ExitStack
) -> Database:
    """The database; its connections are among those that are opened."""
    if is_postgres(source):
        return open_postgres(source, table, others, opened)
    duckdb = load_duckdb()
    if is_frame(source):
        connection = connection_of(duckdb, source, table, opened)
        return Database(connection, "the frame", copied=True)
    path = existing_file(source, "database", "a path or a DataFrame")
    try:
        if path.suffix.lower() in _TABULAR:
            return _tabular(duckdb, path, table, opened)
        # SQLite's files are known by their beginning, and have any ending.
        with path.open("rb") as file:
            header = file.read(16)
        if header == b"SQLite format 3\x00":
            return _sqlite(duckdb, path, opened)
        plain = duckdb.connect(str(path), read_only=True, config=SEALED)
        connection = opened.enter_context(closing(Interruptible(plain)))
        return Database(connection, str(path))
    except (duckdb.Error, sqlite3.Error) as error:
        if "not utf-8 encoded" in str(error):
            raise refusal(str(path), "is no text in UTF-8", converted(path)) from None
        what = "is no DuckDB or SQLite database, and no Parquet or CSV file"
        reason = str(error).splitlines()[0]
        raise refusal(str(path), what, reason) from None
    except OSError as error:
        raise refusal(str(path), f"cannot be read: {error.strerror}") from None


def _tabular(duckdb: Any, path: Path, table: str, opened: ExitStack) -> Database:
    """A file with one table, copied into memory."""
    # More threads take longer to start than tables this small.
    plain = duckdb.connect(":memory:", config={"threads": "1"})
    connection = opened.enter_context(closing(Interruptible(plain)))
    # The file itself, and not what its name is a pattern of.
    name = re.sub(r"[*?\[]", r"[\g<0>]", str(path))
    read = f"{_TABULAR[path.suffix.lower()]}(?, hive_partitioning = false)"
    connection.run(f"CREATE TABLE {quoted(table)} AS SELECT * FROM {read}", [name])
    connection.run("SET enable_external_access = false")
    to_microseconds(duckdb, connection, table)
    return Database(connection, str(path), copied=True)


def _sqlite(duckdb: Any, path: Path, opened: ExitStack) -> Database:
    """All tables of an SQLite file, copied.

    DuckDB executes the queries, and SQLite those of the log as well.
    """
    memory = duckdb.connect(":memory:", config=SEALED)
    connection = opened.enter_context(closing(Interruptible(memory)))
    with closing(Interruptible(read_only_sqlite(path))) as file:
        names = file.rows(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE"
            " 'sqlite_%'"
        )
        for (name,) in names:
            table = quoted(name)
            # Generated columns are shown, too, and table_info leaves them out.
            information = file.rows(f"PRAGMA table_xinfo({table})")
            declared = {row[1]: row[2] for row in information}
            everything = f"SELECT * FROM {table}"
            shown, rows = file.ask(partial(_answer, everything))

            # SQLite's declared type binds no value: cells say what the type can be.
            cells = by_name(shown, rows)
            types = {
                column: _affinity(declared[column], cells[column]) for column in shown
            }
            fill(connection, table, Content(types, cells))
    return Database(connection, str(path), copied=True, sqlite=path)


def _answer(sql: str, plain: Any) -> tuple[list[str], Rows]:
    """The columns of an answer, and its rows."""
    answer = plain.execute(sql)
    columns = [column[0] for column in answer.description]
    rows = answer.fetchall()
    return columns, rows


def _affinity(declared: str, cells: Sequence[Any]) -> str:
    """The DuckDB type for a column as SQLite declares it, by SQLite's affinities.

    SQLite keeps any value in any column: text where some value is none of the type.
    """
    name = declared.upper()
    there = [cell for cell in cells if cell is not None]
    if "INT" in name:
        if all(isinstance(cell, int) for cell in there):
            return "BIGINT"
        return "VARCHAR"
    if "BOOL" in name:
        if all(cell in (0, 1) for cell in there):
            return "BOOLEAN"
        return "VARCHAR"
    if any(sign in name for sign in ("REAL", "FLOA", "DOUB")):
        numbers = all(isinstance(cell, (int, float)) for cell in there)
        return "DOUBLE" if numbers else "VARCHAR"
    return "VARCHAR"
