"""A table of a database file: DuckDB's, or SQLite's."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from phverify.errors import nearest, refusal
from phverify.exact import Ints
from phverify.microdata.arrow import AS_TEXT
from phverify.microdata.frames import ArrowFrame, framed
from phverify.microdata.headers import unique_names
from phverify.microdata.table import CodedColumn, CodedTable, Label, merge_labels
from phverify.microdata.texts import float_text, without_empty

HEADER = b"SQLite format 3\0"
CHUNK = 20_000
"""So many rows are handed on at a time."""


def database_table(path: Path, wanted: str | None) -> Any:
    """A table of a database: the one of this name, or the only one there is.

    SQLite's is a CodedTable, DuckDB's an ArrowFrame.  Raises InputError.
    """
    with path.open("rb") as file:
        header = file.read(len(HEADER))
    if header == HEADER:
        return _sqlite(path, wanted)
    return _duckdb(path, wanted)


def chosen(where: str, names: list[str], wanted: str | None, kind: str) -> str:
    """The table that is meant.  Raises InputError where that is not clear."""
    said = f"--table NAME, or NamedTable(file, name) in Python; {kind}s there"
    if wanted is None:
        if len(names) == 1:
            return names[0]
        if not names:
            raise refusal(where, f"holds no {kind}")
        what = f"holds {len(names)} {kind}s, and one is meant"
        raise refusal(where, what, f"{said}: {', '.join(map(repr, names))}")
    if wanted in names:
        return wanted
    # Databases take names in any case; two that differ in case alone are not guessed.
    alike = [name for name in names if name.casefold() == wanted.casefold()]
    if len(alike) == 1:
        return alike[0]
    what = f"there is no {kind} {wanted!r}"
    raise refusal(where, what, nearest(wanted, names, f"{kind}s there"))


def _quoted(name: str) -> str:
    """A name as SQL writes it."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _duckdb(path: Path, wanted: str | None) -> ArrowFrame:
    """A table or view of DuckDB, which is opened read-only and reads no other file."""
    import duckdb

    where = str(path)
    try:
        # A view may read files, and queries of others are not trusted with that.
        config: dict[str, Any] = {"enable_external_access": "false"}
        connection = duckdb.connect(where, read_only=True, config=config)
    except duckdb.Error as error:
        reason = str(error).splitlines()[0]
        what = "is no SQLite or DuckDB database that can be opened"
        raise refusal(where, what, reason) from None
    with closing(connection):
        places = {}
        for schema, name in connection.execute(
            "SELECT table_schema, table_name FROM information_schema.tables"
            " WHERE table_catalog = current_database() ORDER BY ALL"
        ).fetchall():
            spoken = name if schema == "main" else f"{schema}.{name}"
            places[spoken] = f"{_quoted(schema)}.{_quoted(name)}"
        name = chosen(where, [*places], wanted, "table")
        try:
            relation = connection.sql(f"SELECT * FROM {places[name]}")
        except duckdb.Error as error:
            reason = str(error).splitlines()[0]
            raise refusal(where, f"{name!r} cannot be read: {reason}") from None
        frame = framed(relation, f"{where}, {name}")
        return ArrowFrame(frame.name, frame.table, "file")


def _sqlite(path: Path, wanted: str | None) -> CodedTable:
    """A table or view of SQLite, which is opened read-only.

    SQLite gives each cell a type of its own: its text is that of the value.
    """
    where = str(path)
    try:
        uri = f"{path.resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            names = connection.execute(
                "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
                " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
            ).fetchall()
            tables = [name for (name,) in names]
            table = chosen(where, tables, wanted, "table")
            cursor = connection.execute(f"SELECT * FROM {_quoted(table)}")
            return _coded(cursor, f"{where}, {table}")
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise refusal(where, f"cannot be read: {error}") from None


def _coded(cursor: sqlite3.Cursor, where: str) -> CodedTable:
    """All rows of an answer."""
    names = unique_names([str(one[0]) for one in cursor.description], where)
    columns = [_CellCodes() for _ in names]
    rows = 0
    for chunk in _chunks(cursor):
        rows += len(chunk)
        for column, cells in zip(columns, zip(*chunk, strict=True), strict=True):
            column.add(cells)
    if rows == 0:
        raise refusal(where, "the table has no rows")
    coded = {}
    for name, column in zip(names, columns, strict=True):
        coded[name] = column.column(name, where)
    return CodedTable(where, coded, rows)


def _chunks(cursor: sqlite3.Cursor) -> Iterator[list[Any]]:
    while chunk := cursor.fetchmany(CHUNK):
        yield chunk


class _CellCodes:
    """A column of SQLite: a code for each distinct cell."""

    def __init__(self) -> None:
        self._code: dict[Any, int] = {}
        self._parts: list[Ints] = []

    def add(self, cells: tuple[Any, ...]) -> None:
        """More cells of the column."""
        code = self._code
        # 1 and 1.0 are one key, and one text.
        codes = [code.setdefault(cell, len(code)) for cell in cells]
        self._parts.append(np.array(codes, dtype=np.int64))

    def column(self, name: str, where: str) -> CodedColumn:
        """The column.  Raises InputError for binary cells."""
        labels = [_text(cell, name, where) for cell in self._code]
        codes = np.concatenate(self._parts)
        return CodedColumn(*merge_labels(codes, without_empty(labels)))


def _text(cell: Any, name: str, where: str) -> Label:
    if isinstance(cell, bytes):
        what = f"column {name!r} holds binary cells, and a cell is one value"
        raise refusal(where, what, AS_TEXT)
    if isinstance(cell, float):
        return float_text(cell)
    return None if cell is None else str(cell)
