"""The audited database, opened read-only, and copies of its table for other worlds.

DuckDB executes every query, for the true answers and in every world that is shown: what
SQL means is never guessed. SQLite, Parquet and CSV files are copied into memory first;
DuckDB then has no access to any file.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from phverify.disclosure.log.query import quoted
from phverify.disclosure.worlds.of_frame import connection_of
from phverify.errors import nearest, refusal
from phverify.microdata.files import existing_file
from phverify.microdata.frames import is_frame

Row = tuple[Any, ...]
Rows = Sequence[Row]
Columns = Mapping[str, Sequence[Any]]
"""Cells by column, in the order of the rows."""
Types = Mapping[str, str]
"""The type of each column."""
INTEGERS = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"}
INTEGERS |= {
    f"U{name}" for name in INTEGERS - {"HUGEINT"}
}  # a SUM of UHUGEINT is a double
_PLAIN = {
    *INTEGERS,
    "VARCHAR",
    "BOOLEAN",
    "DATE",
    "TIME",
    "TIMESTAMP",
    "UUID",
    "BLOB",
    "BIT",
    "JSON",
}
_PLAIN |= {"FLOAT", "DOUBLE"}
_SEALED = {"enable_external_access": "false"}
_QUICK = {"disabled_optimizers": "in_clause,statistics_propagation", "threads": "1"}
"""What takes longer than it saves where tables are small."""
_TABULAR = {
    ".parquet": "read_parquet",
    ".pq": "read_parquet",
    ".csv": "read_csv",
    ".tsv": "read_csv",
}


@dataclass(frozen=True, eq=False)
class Content:
    """The content of a table."""

    types: Types
    cells: Columns


class Otherwise(Exception):
    """The engine that answered the log has another answer than the one that is
    audited.
    """


@dataclass(frozen=True, eq=False)
class Database:
    """A read-only database.  ``execute`` raises duckdb.Error for what DuckDB refuses.

    ``copied``: all that it holds was copied here from a file, values and names alone.
    ``sqlite`` is that file where SQLite keeps it, and answered the log.
    """

    connection: Any
    source: str
    copied: bool = False
    sqlite: Path | None = None

    def execute(self, sql: str) -> list[Row]:
        """All rows of an answer.  Raises duckdb.Error."""
        answer = self.connection.execute(sql)
        rows: list[Row] = answer.fetchall()
        return rows

    def agreed(self, sql: str) -> list[Row]:
        """The answer to a SELECT.

        Raises Otherwise where SQLite, which answered the log of its file, has another.
        """
        rows = self.execute(sql)

        # As bags: without ORDER BY rows come in any order.
        if self.sqlite is None:
            return rows
        try:
            with closing(_read_only(self.sqlite)) as file:
                other = Counter(file.execute(sql))
        except (sqlite3.Error, sqlite3.Warning, OverflowError) as error:
            raise Otherwise(
                f"SQLite, which keeps the file, has no answer: {error}"
            ) from None
        if other != Counter(rows):
            raise Otherwise(
                "SQLite, which keeps the file, answers otherwise than DuckDB"
            )
        return rows

    def kinds(self, sql: str) -> list[str]:
        """What each statement of a text is, by the database's own parser.

        Nothing is executed.
        """
        statements = self.connection.extract_statements(sql)
        return [str(one.type.name) for one in statements]

    def tables(self, kind: str = "table") -> list[str]:
        """The tables that a query can name without a schema; no views, or views alone.

        ``kind`` is table or view.
        """
        # A name without a schema is looked up in the current one.
        where = "WHERE schema_name = current_schema()"
        rows = self.execute(f"SELECT {kind}_name FROM duckdb_{kind}s() {where}")
        return [str(row[0]) for row in rows]

    def types(self, table: str) -> dict[str, str]:
        """The type of each column of a table.

        Raises InputError when there is no such table, or a view.
        """
        names = self.tables()
        lowered = table.lower()
        if lowered in map(str.lower, names):
            rows = self.execute(f"DESCRIBE {quoted(table)}")
            return {str(row[0]): str(row[1]) for row in rows}

        # A view is executed anew at each query, and copies of worlds have none.
        views = self.tables("view")
        if lowered in map(str.lower, views):
            what = f"{table!r} is a view, and tables are audited"
            hint = (
                f"CREATE TABLE .. AS SELECT * FROM {table}: a view may show something"
                " else each time"
            )
            raise refusal(self.source, what, hint)
        hint = nearest(table, names, "tables")
        what = f"there is no table {table!r}"
        raise refusal(self.source, what, hint)

    def content(self, table: str) -> Content:
        """All of a table."""
        types = self.types(table)
        everything = f"SELECT * FROM {quoted(table)}"
        rows = self.execute(everything)
        names = list(types)
        cells = _by_name(names, rows)
        return Content(types, cells)

    def declared(self, table: str) -> str:
        """How a table was made, as its database writes it."""
        if self.sqlite is not None:
            master = "SELECT name, sql FROM sqlite_master WHERE type = 'table'"
            with closing(_read_only(self.sqlite)) as file:
                tables = file.execute(master).fetchall()
        else:
            tables = self.execute("SELECT table_name, sql FROM duckdb_tables()")
        lowered = table.lower()
        own = [text or "" for name, text in tables if name.lower() == lowered]
        return " ".join(own)

    def collated(self, table: str) -> bool:
        """Whether some text of a table is not compared by its bytes."""
        declared = self.declared(table)
        return re.search(r"\bCOLLATE\b", declared, re.IGNORECASE) is not None

    def unusual(self, table: str) -> list[str]:
        """What makes queries about a table mean something else than is audited."""
        reasons = []
        if self.collated(table):
            reasons.append(
                "has a column with a COLLATE of its own: texts are audited as they are"
                " compared by bytes"
            )
        if re.search(r"\bAS\s*\(", self.declared(table), re.IGNORECASE):
            # Its cells follow from others, which no copy of the table knows.
            reasons.append(
                "has a generated column: what it follows from is not audited (audit a"
                " copy of the table, CREATE TABLE .. AS SELECT, without it)"
            )
        if self.copied:  # a file brings no functions with it
            return reasons
        for name in self.replaced():
            reasons.append(
                f"is in a database with a function {name!r} of its own, in the place"
                " of DuckDB's"
            )
        return reasons

    def replaced(self) -> list[Any]:
        """DuckDB's functions that the database has others in the place of."""
        names = "SELECT DISTINCT function_name FROM duckdb_functions() WHERE"
        own_rows = self.execute(f"{names} NOT internal")
        own = {row[0] for row in own_rows}
        if not own:
            # DuckDB's are many: they are listed where the database has some.
            return []
        internal_rows = self.execute(f"{names} internal")
        internal = [row[0] for row in internal_rows]
        return [name for name in internal if name in own]

    def columns(self, table: str, names: Sequence[str], key: str) -> dict[str, Row]:
        """Columns in the order of the keys."""
        shown = ", ".join(map(quoted, names))
        start = quoted(table)
        # Rows are known by their place: they come in the same order each time.
        order = quoted(key)
        sql = f"SELECT {shown} FROM {start} ORDER BY {order}"
        rows = self.execute(sql)
        columns = _by_name(names, rows)
        return {name: tuple(cells) for name, cells in columns.items()}


def _by_name(names: Sequence[str], rows: Rows) -> dict[str, list[Any]]:
    """The columns of some rows."""
    columns = {}
    for place, name in enumerate(names):
        columns[name] = [row[place] for row in rows]
    return columns


def plain(type_: str) -> bool:
    """Whether the values of a type tell rows apart and have an exact copy.

    They are then here and in copies what they are in the database.
    """
    if type_ in _PLAIN:
        return True
    # DECIMAL(..)[] is a list of such numbers.
    return type_.startswith(("DECIMAL(", "ENUM(")) and not type_.endswith("]")


def open_database(source: Any, table: str) -> Database:
    """A database from a path (DuckDB, SQLite, Parquet, CSV), or a frame.

    The last three have one table, ``table``.  Raises InputError when it is none.
    """
    duckdb = _duckdb()
    if is_frame(source):
        connection = connection_of(duckdb, source, table)
        return Database(connection, "the frame", copied=True)
    path = existing_file(source, "database", "a path or a DataFrame")
    try:
        if path.suffix.lower() in _TABULAR:
            return _tabular(duckdb, path, table)
        # SQLite's files are known by their beginning, and have any ending.
        with path.open("rb") as file:
            header = file.read(16)
        if header == b"SQLite format 3\x00":
            return _sqlite(duckdb, path)
        connection = duckdb.connect(str(path), read_only=True, config=_SEALED)
        return Database(connection, str(path))
    except (duckdb.Error, sqlite3.Error) as error:
        what = "is no DuckDB or SQLite database, and no Parquet or CSV file"
        reason = str(error).splitlines()[0]
        raise refusal(str(path), what, reason) from None
    except OSError as error:
        raise refusal(str(path), f"cannot be read: {error.strerror}") from None


def _duckdb() -> Any:
    try:
        import duckdb
    except ImportError:
        hint = "pip install phverify"
        raise refusal("audit", "DuckDB is not installed", hint) from None
    return duckdb


def _tabular(duckdb: Any, path: Path, table: str) -> Database:
    """A file with one table, copied into memory."""
    # More threads take longer to start than tables this small.
    connection = duckdb.connect(":memory:", config={"threads": "1"})
    # The file itself, and not what its name is a pattern of.
    name = re.sub(r"[*?\[]", r"[\g<0>]", str(path))
    read = f"{_TABULAR[path.suffix.lower()]}(?, hive_partitioning = false)"
    connection.execute(f"CREATE TABLE {quoted(table)} AS SELECT * FROM {read}", [name])
    connection.execute("SET enable_external_access = false")
    return Database(connection, str(path), copied=True)


def _read_only(path: Path) -> sqlite3.Connection:
    """SQLite's own connection to a file."""
    uri = path.resolve().as_uri()
    read_only = f"{uri}?mode=ro"
    return sqlite3.connect(read_only, uri=True)


def _sqlite(duckdb: Any, path: Path) -> Database:
    """All tables of an SQLite file, copied.

    DuckDB executes the queries, and SQLite those of the log as well.
    """
    connection = duckdb.connect(":memory:", config=_SEALED)
    with closing(_read_only(path)) as file:
        names = file.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE"
            " 'sqlite_%'"
        )
        for (name,) in names.fetchall():
            table = quoted(name)
            # Generated columns are shown, too, and table_info leaves them out.
            information = file.execute(f"PRAGMA table_xinfo({table})")
            declared = {row[1]: row[2] for row in information}
            selected = file.execute(f"SELECT * FROM {table}")
            shown = [column[0] for column in selected.description]

            # SQLite's declared type binds no value: cells say what the type can be.
            cells = _by_name(shown, selected.fetchall())
            types = {
                column: _affinity(declared[column], cells[column]) for column in shown
            }
            fill(connection, table, Content(types, cells))
    return Database(connection, str(path), copied=True, sqlite=path)


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


def fill(connection: Any, name: str, content: Content, kind: str = "TABLE") -> None:
    """Make a table (``name`` is SQL)."""
    declared = []
    unnested = []
    for column, type_ in content.types.items():
        declared.append(f"{quoted(column)} {type_}")
        unnested.append(f"UNNEST(?::{type_}[])")
    connection.execute(f"CREATE {kind} {name} ({', '.join(declared)})")

    # One list a column: a statement for each row would take much longer.
    lists = [list(content.cells[column]) for column in content.types]
    insert = f"INSERT INTO {name} SELECT {', '.join(unnested)}"
    connection.execute(insert, lists)


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
        config = _SEALED | _QUICK
        connection = _duckdb().connect(":memory:", config=config)
        for name, content in self.shared.items():
            table = quoted(name)
            fill(connection, table, content)
        return connection

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

    def search(self, path: str) -> None:
        """Where a query finds its tables from now on."""
        if path != self.path:
            self.connection.execute(f"SET search_path = '{path}'")
            self.path = path

    def execute(self, schema: str, sql: str) -> Rows | None:
        """The answer in a world; None where there it is an error, such as an
        overflow.
        """
        self.search(f"{schema},main")
        try:
            if sql not in self.parsed:  # a log is executed in many worlds
                (self.parsed[sql],) = self.connection.extract_statements(sql)
            rows: Rows = self.connection.execute(self.parsed[sql]).fetchall()
        except _duckdb().Error:
            return None
        return rows

    def drop(self, schema: str) -> None:
        """Forget a world."""
        self.search("main")
        self.connection.execute(f"DROP SCHEMA {schema} CASCADE")
