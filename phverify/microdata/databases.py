"""A table of a database file: DuckDB's, or SQLite's."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from phverify.errors import nearest, refusal
from phverify.exact import Ints
from phverify.microdata.arrow import AS_TEXT
from phverify.microdata.frames import ArrowFrame, framed
from phverify.microdata.headers import unique_names
from phverify.microdata.kinds import StoredKinds
from phverify.microdata.table import CodedColumn, CodedTable, Label, merge_labels
from phverify.microdata.texts import float_text, without_empty

if TYPE_CHECKING:
    import duckdb

HEADER = b"SQLite format 3\0"
CHUNK = 20_000
"""So many rows are handed on at a time."""


def is_sqlite(path: Path) -> bool:
    """Whether a file is a database of SQLite, by its first bytes."""
    with path.open("rb") as file:
        return file.read(len(HEADER)) == HEADER


def database_table(path: Path, wanted: str | None) -> Any:
    """A table of a database: the one of this name, or the only one there is.

    SQLite's is a CodedTable, DuckDB's an ArrowFrame.  Raises InputError.
    """
    if is_sqlite(path):
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


def quoted_name(name: str) -> str:
    """A name as SQL writes it."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _duckdb(path: Path, wanted: str | None) -> ArrowFrame:
    """A table or view of DuckDB, which is opened read-only and reads no other file."""
    with duckdb_place(path, wanted) as place:
        frame = framed(place.relation(), place.where)
        return ArrowFrame(frame.name, frame.table, "file", place.notes)


@dataclass(frozen=True, eq=False)
class DuckPlace:
    """A table or view of an opened DuckDB file.

    ``name`` is what users call it, and ``quoted`` how SQL writes it.
    """

    file: str
    name: str
    quoted: str
    base: bool
    """Whether it is a table, and no view."""
    connection: duckdb.DuckDBPyConnection

    @property
    def where(self) -> str:
        """What it is called where something is wrong with it."""
        return f"{self.file}, {self.name}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be known of its rows."""
        return () if self.base else (unordered(self.name),)

    def relation(self) -> duckdb.DuckDBPyRelation:
        """Its rows.  Raises InputError where they cannot be read."""
        import duckdb

        try:
            return self.connection.sql(f"SELECT * FROM {self.quoted}")
        except duckdb.Error as error:
            reason = str(error).splitlines()[0]
            what = f"{self.name!r} cannot be read: {reason}"
            raise refusal(self.file, what) from None


def unordered(name: str) -> str:
    """What is to be known of the rows of a view."""
    return (
        f"the view {name!r} gives its rows no numbers of their own: they are numbered"
        " as they came, and another run may number them otherwise"
    )


@contextmanager
def duckdb_place(path: Path, wanted: str | None) -> Iterator[DuckPlace]:
    """The table or view of this name, or the only one, of a file that is opened
    read-only meanwhile.  Raises InputError.
    """
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
        for schema, name, kind in connection.execute(
            "SELECT table_schema, table_name, table_type FROM information_schema.tables"
            " WHERE table_catalog = current_database() ORDER BY ALL"
        ).fetchall():
            spoken = name if schema == "main" else f"{schema}.{name}"
            quoted = f"{quoted_name(schema)}.{quoted_name(name)}"
            places[spoken] = quoted, kind == "BASE TABLE"
        name = chosen(where, [*places], wanted, "table")
        yield DuckPlace(where, name, *places[name], connection)


def _sqlite(path: Path, wanted: str | None) -> CodedTable:
    """A table or view of SQLite, which is opened read-only.

    SQLite gives each cell a type of its own: its text is that of the value.
    """
    with sqlite_rows(path, wanted) as rows:
        return _coded(rows)


@dataclass(frozen=True, eq=False)
class SqliteRows:
    """The rows of a table or view of SQLite, as they are read."""

    where: str
    names: list[str]
    notes: tuple[str, ...]
    cursor: sqlite3.Cursor

    def chunks(self) -> Iterator[list[Any]]:
        """All rows, many at a time."""
        while chunk := self.cursor.fetchmany(CHUNK):
            yield chunk


@contextmanager
def sqlite_rows(path: Path, wanted: str | None) -> Iterator[SqliteRows]:
    """The rows of the table or view of this name, or the only one.  Raises InputError.

    They are those of one moment, whoever writes meanwhile: they are one answer.
    """
    file = str(path)
    try:
        uri = f"{path.resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            kinds = dict(
                connection.execute(
                    "SELECT name, type FROM sqlite_master WHERE type IN ('table',"
                    " 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
                ).fetchall()
            )
            name = chosen(file, [*kinds], wanted, "table")
            notes = (unordered(name),) if kinds[name] == "view" else ()
            cursor = connection.execute(f"SELECT * FROM {quoted_name(name)}")
            where = f"{file}, {name}"
            names = [str(one[0]) for one in cursor.description]
            yield SqliteRows(where, unique_names(names, where), notes, cursor)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise refusal(file, f"cannot be read: {error}") from None


def _coded(given: SqliteRows) -> CodedTable:
    """All rows of an answer."""
    columns = [_CellCodes() for _ in given.names]
    rows = 0
    for chunk in given.chunks():
        rows += len(chunk)
        for column, cells in zip(columns, zip(*chunk, strict=True), strict=True):
            column.add(cells)
    if rows == 0:
        raise refusal(given.where, "the table has no rows")
    coded = {}
    for name, column in zip(given.names, columns, strict=True):
        coded[name] = column.column(name, given.where)
    return CodedTable(given.where, coded, rows, given.notes)


class _CellCodes:
    """A column of SQLite: a code for each distinct cell."""

    def __init__(self) -> None:
        self._code: dict[Any, int] = {}
        self._parts: list[Ints] = []
        self._kinds = StoredKinds()

    def add(self, cells: tuple[Any, ...]) -> None:
        """More cells of the column."""
        code = self._code
        # 1 and 1.0 are one key, and one text.
        codes = [code.setdefault(cell, len(code)) for cell in cells]
        self._parts.append(np.array(codes, dtype=np.int64))
        self._kinds.add(cells)

    def column(self, name: str, where: str) -> CodedColumn:
        """The column.  Raises InputError for binary cells."""
        labels = [sqlite_text(cell, name, where) for cell in self._code]
        codes, merged = merge_labels(np.concatenate(self._parts), without_empty(labels))
        # A missing cell comes last, as it does where Arrow holds the table.
        ordered = sorted(merged, key=lambda label: label is None)
        place = CodedColumn.coded(merged, tuple(ordered))
        return CodedColumn(place[codes], tuple(ordered), merged=self._kinds.merged)


def sqlite_text(cell: Any, name: str, where: str) -> Label:
    """The text of a cell.  Raises InputError for binary ones."""
    if isinstance(cell, bytes):
        what = f"column {name!r} holds binary cells, and a cell is one value"
        raise refusal(where, what, AS_TEXT)
    if isinstance(cell, float):
        return float_text(cell)
    return None if cell is None else str(cell)
