"""The audited database, and what is asked of it.

DuckDB executes every query, for the true answers and in every world that is shown: what
SQL means is never guessed.  ``opening`` opens it, ``copies`` has the other worlds.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Protocol

from phverify.disclosure.log.query import quoted
from phverify.disclosure.worlds.column_types import INTEGERS as INTEGERS
from phverify.errors import nearest, refusal
from phverify.microdata.interruptible import Interruptible

Row = tuple[Any, ...]
Rows = Sequence[Row]
Columns = Mapping[str, Sequence[Any]]
"""Cells by column, in the order of the rows."""
Types = Mapping[str, str]
"""The type of each column."""
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
SEALED = {"enable_external_access": "false"}
_FUNCTIONS = "SELECT DISTINCT function_name FROM duckdb_functions() WHERE"


@dataclass(frozen=True, eq=False)
class Content:
    """The content of a table."""

    types: Types
    cells: Columns


class Server(Protocol):
    """A server that keeps the tables, and answered the log."""

    def contradicts(self, sql: str, rows: Rows) -> str:
        """Why it does not give this answer; "" where it does."""


class Otherwise(Exception):
    """The engine that answered the log has another answer than the one that is
    audited.
    """


@dataclass(frozen=True, eq=False)
class Database:
    """A read-only database.  ``execute`` raises duckdb.Error for what DuckDB refuses.

    ``copied``: all that it holds was copied here from a file, values and names alone.
    ``sqlite`` is that file where SQLite keeps it, and answered the log; ``server`` is
    the server that did.  ``odd`` are columns that were not copied, by table, with their
    types; the texts of ``unordered`` columns the server does not order by their bytes.
    ``opened`` are the connections of an audit, which end together.
    """

    connection: Interruptible
    source: str
    copied: bool = False
    sqlite: Path | None = None
    server: Server | None = None
    odd: Mapping[str, Types] = field(default_factory=dict)
    unordered: frozenset[str] = frozenset()
    opened: ExitStack = field(default_factory=ExitStack)

    def close(self) -> None:
        """Closes its connection, and all that were opened beside it."""
        self.opened.close()

    def execute(self, sql: str, *given: Any) -> list[Row]:
        """All rows of an answer.  Raises duckdb.Error."""
        return self.connection.rows(sql, *given)

    def agreed(self, sql: str) -> list[Row]:
        """The answer to a SELECT.

        Raises Otherwise where SQLite or a server, which answered the log, has another.
        """
        rows = self.execute(sql)

        if self.server is not None:
            reason = self.server.contradicts(sql, rows)
            if reason:
                raise Otherwise(reason)

        # As bags: without ORDER BY rows come in any order.
        if self.sqlite is None:
            return rows
        try:
            other = Counter(asked_of_sqlite(self.sqlite, sql))
            own = Counter(rows)
        except TypeError:
            raise Otherwise("its answer has lists, which SQLite has not") from None
        except (sqlite3.Error, sqlite3.Warning, OverflowError) as error:
            raise Otherwise(
                f"SQLite, which keeps the file, has no answer: {error}"
            ) from None
        if other != own:
            raise Otherwise(
                "SQLite, which keeps the file, answers otherwise than DuckDB"
            )
        return rows

    def kinds(self, sql: str) -> list[str]:
        """What each statement of a text is, by the database's own parser.

        Nothing is executed.
        """
        statements = self.connection.ask(lambda plain: plain.extract_statements(sql))
        return [str(one.type.name) for one in statements]

    def tables(self) -> list[str]:
        """The tables that a query can name without a schema; no views."""
        return list(self._tables)

    @cached_property
    def _tables(self) -> list[str]:
        # It is read-only: its names and functions are asked for once.
        return self._named("table")

    def empty(self, table: str) -> bool:
        """Whether a table has no rows."""
        return not self.execute(f"SELECT 1 FROM {quoted(table)} LIMIT 1")

    def views(self) -> list[str]:
        """The views that somebody made, by the names that a query can have for them."""
        if self.sqlite is not None:
            master = "SELECT name FROM sqlite_master WHERE type = 'view'"
            rows = asked_of_sqlite(self.sqlite, master)
        else:
            made = "NOT internal AND schema_name = current_schema()"
            rows = self.execute(f"SELECT view_name FROM duckdb_views() WHERE {made}")
        return [str(row[0]) for row in rows]

    def _named(self, kind: str) -> list[str]:
        """The tables or views of the current schema, where names are looked up."""
        where = "WHERE schema_name = current_schema()"
        rows = self.execute(f"SELECT {kind}_name FROM duckdb_{kind}s() {where}")
        return [str(row[0]) for row in rows]

    @cached_property
    def _described(self) -> dict[str, Types]:
        """The types of the tables that were asked about."""
        return {}

    @cached_property
    def functions(self) -> frozenset[str]:
        """The names of its own functions; a file that was copied brings none."""
        if self.copied:
            return frozenset()
        rows = self.execute(f"{_FUNCTIONS} NOT internal")
        return frozenset(str(row[0]) for row in rows)

    def types(self, table: str) -> dict[str, str]:
        """The type of each column of a table.

        Raises InputError when there is no such table, or a view.
        """
        names = self.tables()
        lowered = table.lower()
        if lowered in map(str.lower, names):
            if lowered not in self._described:
                rows = self.execute(f"DESCRIBE {quoted(table)}")
                types = {str(row[0]): str(row[1]) for row in rows}
                self._described[lowered] = types | dict(self.odd.get(lowered, {}))
            return dict(self._described[lowered])

        # A view is executed anew at each query, and copies of worlds have none.
        views = self._named("view")
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
        cells = by_name(names, rows)
        return Content(types, cells)

    def declared(self, table: str) -> str:
        """How a table was made, as its database writes it."""
        if self.sqlite is not None:
            master = "SELECT name, sql FROM sqlite_master WHERE type = 'table'"
            tables = asked_of_sqlite(self.sqlite, master)
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
        for name in self.replaced():
            reasons.append(
                f"is in a database with a function {name!r} of its own, in the place"
                " of DuckDB's"
            )
        return reasons

    def replaced(self) -> list[Any]:
        """DuckDB's functions that the database has others in the place of."""
        if not self.functions:
            # DuckDB's are many: they are listed where the database has some.
            return []
        rows = self.execute(f"{_FUNCTIONS} internal")
        return [name for (name,) in rows if name in self.functions]

    def columns(
        self, table: str, names: Sequence[str], keys: Sequence[str]
    ) -> dict[str, Row]:
        """Columns in the order of the keys."""
        shown = ", ".join(map(quoted, names))
        start = quoted(table)
        # Rows are known by their place: they come in the same order each time.
        order = ", ".join(map(quoted, keys))
        sql = f"SELECT {shown} FROM {start} ORDER BY {order}"
        rows = self.execute(sql)
        columns = by_name(names, rows)
        return {name: tuple(cells) for name, cells in columns.items()}


def by_name(names: Sequence[str], rows: Rows) -> dict[str, list[Any]]:
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


def load_duckdb() -> Any:
    """DuckDB, loaded by who needs it.  Raises InputError where it is not there."""
    try:
        import duckdb
    except ImportError:
        hint = "pip install phverify"
        raise refusal("audit", "DuckDB is not installed", hint) from None
    return duckdb


def database_error() -> type[Exception]:
    """What a database raises; loaded here, so that other verbs need no DuckDB."""
    import duckdb

    kind: type[Exception] = duckdb.Error
    return kind


def read_only_sqlite(path: Path) -> sqlite3.Connection:
    """SQLite's own connection to a file."""
    uri = path.resolve().as_uri()
    read_only = f"{uri}?mode=ro"
    return sqlite3.connect(
        read_only,
        uri=True,
        # A thread of its own executes what is asked.
        check_same_thread=False,
    )


def asked_of_sqlite(path: Path, sql: str) -> list[Row]:
    """All rows of SQLite's own answer.  Raises sqlite3.Error."""
    plain = read_only_sqlite(path)
    with closing(Interruptible(plain)) as file:
        return file.rows(sql)


def fill(
    connection: Interruptible, name: str, content: Content, kind: str = "TABLE"
) -> None:
    """Make a table (``name`` is SQL)."""
    connection.ask(partial(filled, name, content, kind=kind))


def filled(name: str, content: Content, plain: Any, kind: str = "TABLE") -> None:
    """The same as a question to a connection."""
    declared = []
    unnested = []
    for column, type_ in content.types.items():
        declared.append(f"{quoted(column)} {type_}")
        unnested.append(f"UNNEST(?::{type_}[])")
    plain.execute(f"CREATE {kind} {name} ({', '.join(declared)})")

    # One list a column: a statement for each row would take much longer.
    lists = [list(content.cells[column]) for column in content.types]
    insert = f"INSERT INTO {name} SELECT {', '.join(unnested)}"
    plain.execute(insert, lists)
