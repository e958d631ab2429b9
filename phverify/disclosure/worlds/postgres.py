"""Tables of a PostgreSQL server, read in one read-only transaction and copied.

DuckDB executes the queries in the copy, and PostgreSQL those of the log as well: where
its answer is another one nothing is said of it.  The password is in no message.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import Any

from phverify.disclosure.log.query import quoted
from phverify.disclosure.worlds.column_types import decimal_of
from phverify.disclosure.worlds.database import (
    SEALED,
    Content,
    Database,
    Row,
    Rows,
    by_name,
    fill,
    load_duckdb,
)
from phverify.errors import refusal
from phverify.errors.redaction import without_password
from phverify.microdata.interruptible import Interruptible

SCHEMES = ("postgresql://", "postgres://")
INSTALL = "pip install 'phverify[postgres]'"
URL = "postgresql://user@host:5432/database; the password from PGPASSWORD or ~/.pgpass"
PLAIN = {
    "smallint": "SMALLINT",
    "integer": "INTEGER",
    "bigint": "BIGINT",
    "real": "FLOAT",
    "double precision": "DOUBLE",
    "text": "VARCHAR",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "timestamp without time zone": "TIMESTAMP",
    "uuid": "UUID",
    "bytea": "BLOB",
}
"""Types of columns, and DuckDB's for the same values."""
BYTES = ("C", "POSIX", "C.UTF-8", "C.utf8", "ucs_basic")
"""Collations that order texts by their bytes."""
DIGITS = 38
LARGEST_JOIN = 100_000
MANY = 2**50
"""Sums that are smaller are told apart by the doubles of their means."""
COLUMNS = """
SELECT a.attname, format_type(a.atttypid, NULL), t.typtype = 'e',
       CASE WHEN a.atttypid = 'numeric'::regtype AND a.atttypmod >= 4
            THEN ((a.atttypmod - 4) >> 16) & 65535 END,
       CASE WHEN a.atttypid = 'numeric'::regtype AND a.atttypmod >= 4
            THEN (((a.atttypmod - 4) & 2047) # 1024) - 1024 END,
       CASE WHEN c.collname = 'default' THEN d.datcollate ELSE c.collname END,
       coalesce(c.collisdeterministic, true),
       ARRAY(SELECT enumlabel::text FROM pg_enum WHERE enumtypid = a.atttypid
             ORDER BY enumsortorder)
FROM pg_attribute a
JOIN pg_type t ON t.oid = a.atttypid
JOIN pg_database d ON d.datname = current_database()
LEFT JOIN pg_collation c ON c.oid = a.attcollation
WHERE a.attrelid = %s AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum
"""
TABLES = """
SELECT c.oid, c.relname, c.relkind::text FROM pg_class c
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND pg_table_is_visible(c.oid)
"""


def is_postgres(source: object) -> bool:
    """Whether a database is named by a URL of PostgreSQL."""
    return isinstance(source, str) and source.startswith(SCHEMES)


def load_psycopg() -> Any:
    """psycopg, loaded by who needs it.  Raises InputError where it is not there."""
    try:
        import psycopg
    except ImportError:
        raise refusal("database", "psycopg is not installed", INSTALL) from None
    return psycopg


@dataclass(frozen=True)
class ColumnOfServer:
    """A column; ``type`` is DuckDB's, ``odd`` that of PostgreSQL where it has none."""

    name: str
    type: str
    odd: str = ""
    by_bytes: bool = True


@dataclass(frozen=True, eq=False)
class PostgresServer:
    """A connection that stays in one read-only transaction."""

    statements: Interruptible
    """What Ctrl-C and the end of a budget end."""
    source: str
    rows: int = 0
    """Of the audited table."""
    beside: tuple[str, ...] = ()
    """Tables that it may be joined with."""
    places: Mapping[str, int] = field(default_factory=dict)
    """How many decimals a column has."""

    def execute(self, sql: str, values: Sequence[Any] | None = None) -> list[Any]:
        """All rows of an answer.  Raises psycopg.Error."""

        def answer(connection: Any) -> list[Any]:
            # A transaction within the one of the copy: an error leaves that as it is.
            with connection.transaction():
                cursor = connection.cursor()
                cursor.execute(sql, values)
                rows: list[Any] = cursor.fetchall()
            return rows

        return self.statements.ask(answer)

    def contradicts(self, sql: str, rows: Rows) -> str:
        """Why PostgreSQL does not give this answer; "" where it does."""
        try:
            other = self.execute(sql)
        except load_psycopg().Error as error:
            reason = str(error).splitlines()[0]
            return f"PostgreSQL, which keeps the table, has no answer: {reason}"
        if self.alike(sql, rows, other):
            return ""
        return "PostgreSQL, which keeps the table, answers otherwise than DuckDB"

    def alike(self, sql: str, rows: Rows, other: Rows) -> bool:
        """Whether two answers are one bag of rows.

        A mean is exact in neither: doubles stand for one quotient each where sums are
        small enough.
        """
        near = Counter(map(_near, rows))
        other_near = Counter(map(_near, other))
        if near != other_near:
            return False
        floats = [cell for row in rows for cell in row if isinstance(cell, float)]
        # Whole numbers and doubles of the table are the same on both sides.
        exact = {cell for row in other for cell in row if isinstance(cell, float)}
        most = MANY / self.quotients(sql)
        return all(cell in exact or abs(cell) < most for cell in floats)

    def quotients(self, sql: str) -> int:
        """By what a mean is multiplied that is far from all other means: the squared
        number of rows, and the decimals of the columns that a query names.
        """
        named = sql.lower()
        joined = any(name.lower() in named for name in self.beside)
        rows = max(self.rows, LARGEST_JOIN if joined else 1)
        decimals = [
            places for column, places in self.places.items() if column.lower() in named
        ]
        scale: int = 10 ** max(decimals, default=0)
        return rows * rows * scale


def _cancel(connection: Any) -> None:
    """Ends the statement that a server executes, where it can be reached."""
    with suppress(load_psycopg().Error):
        connection.cancel()


def _near(row: Row) -> Row:
    """A row whose numbers have 15 digits."""
    numbers = map(_number, row)
    return tuple(numbers)


def _number(cell: Any) -> Any:
    """A number as a double of 15 digits, anything else as it is."""
    if isinstance(cell, bool) or not isinstance(cell, (float, Decimal)):
        return cell
    double = float(cell)
    # A whole number is one on both sides, whatever its type.
    if abs(double) < 2**53 and cell == int(cell):
        return int(cell)
    return float(f"{double:.14e}")


def open_postgres(
    url: str, table: str, others: Iterable[str], opened: ExitStack
) -> Database:
    """The audited table and the public ones beside it, of a server.

    Raises InputError where there is no such server or table, without the password.
    """
    psycopg = load_psycopg()
    source = without_password(url)
    try:
        connection = psycopg.connect(url)
    except psycopg.Error as error:
        reason = without_password(str(error), url).strip().splitlines()[0]
        what = "is no PostgreSQL server that answers"
        raise refusal(source, f"{what}: {reason}", URL) from None
    one_by_one = Interruptible(connection, partial(_cancel, connection))
    statements = opened.enter_context(closing(one_by_one))
    # One snapshot for the copy and for all queries, and nothing is ever written.
    connection.read_only = True
    connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    server = PostgresServer(statements, source)
    try:
        return _copied(server, table, tuple(others), opened)
    except psycopg.Error as error:
        reason = without_password(str(error), url).splitlines()[0]
        raise refusal(source, f"a table cannot be read: {reason}") from None


def _copied(
    server: PostgresServer, table: str, others: Sequence[str], opened: ExitStack
) -> Database:
    """The tables in DuckDB's memory."""
    known = server.execute(TABLES)
    config = SEALED | {"threads": "1"}
    duckdb = load_duckdb()
    plain = duckdb.connect(":memory:", config=config)
    memory = opened.enter_context(closing(Interruptible(plain)))
    odd: dict[str, dict[str, str]] = {}
    unordered: frozenset[str] = frozenset()
    rows = 0
    places: dict[str, int] = {}
    for name in (table, *others):
        found = _found(server, name, known)
        if found is None:
            continue
        columns = list(_columns(server, *found))
        _, spelling = found
        content = _content(server, spelling, columns)
        copy = quoted(spelling)
        fill(memory, copy, content)
        # SQL compares names without case.
        lowered = spelling.lower()
        odd[lowered] = {one.name: one.odd for one in columns if one.odd}
        if name == table:
            by_text = [one.name for one in columns if not one.by_bytes]
            unordered = frozenset(by_text)
            rows = len(next(iter(content.cells.values()), []))
        for column, kind in content.types.items():
            places[column] = max(_places(kind), places.get(column, 0))
    statements, source = server.statements, server.source
    kept = PostgresServer(statements, source, rows, tuple(others), places)
    return Database(
        memory,
        server.source,
        copied=True,
        server=kept,
        odd=odd,
        unordered=unordered,
    )


def _places(type_: str) -> int:
    """The decimals of a type."""
    scale = decimal_of(type_)
    if scale is None:
        return 0
    _, places = scale
    return places


def _found(
    server: PostgresServer, name: str, known: Sequence[Any]
) -> tuple[int, str] | None:
    """A table by its name; None where there is none.

    Raises InputError for a view, and where two names differ in case alone.
    """
    lowered = name.lower()
    same = [one for one in known if one[1].lower() == lowered]
    if not same:
        return None
    if len(same) > 1:
        what = f"{name!r} are several tables, whose names differ in case"
        raise refusal(server.source, what)
    number, spelling, kind = same.pop()
    if kind in ("v", "m"):
        what = f"{name!r} is a view, and tables are audited"
        raise refusal(server.source, what, f"CREATE TABLE .. AS SELECT * FROM {name}")
    return number, spelling


def _columns(
    server: PostgresServer, number: int, table: str
) -> Iterator[ColumnOfServer]:
    """The columns of a table."""
    rows = server.execute(COLUMNS, (number,))
    names = [row[0].lower() for row in rows]
    if len(set(names)) < len(names):
        what = f"columns of {table!r} differ in case alone"
        raise refusal(server.source, what)
    for name, type_, is_enum, digits, places, collation, exact, labels in rows:
        by_bytes = collation is None or collation in BYTES
        kind = PLAIN.get(type_, "")
        if type_ == "character varying":
            kind = "VARCHAR"
        if is_enum:
            listed = [label.replace("'", "''") for label in labels]
            kind = "ENUM(" + ", ".join(f"'{label}'" for label in listed) + ")"
        if type_ == "numeric":
            kind = _decimal(server, table, name, digits, places)
        if not kind or not exact:
            # Its cells are not copied: what they mean to queries is not known.
            yield ColumnOfServer(name, "VARCHAR", f"{type_} (PostgreSQL)")
        else:
            yield ColumnOfServer(name, kind, "", by_bytes)


def _decimal(
    server: PostgresServer,
    table: str,
    name: str,
    digits: int | None,
    places: int | None,
) -> str:
    """DuckDB's type for a column of numeric; "" where it has none."""
    if digits is not None and places is not None:
        return f"DECIMAL({digits},{places})" if 0 <= places <= digits <= DIGITS else ""
    # Without a declared scale the cells say how fine it is.
    cell = quoted(name)
    sizes = f"max(scale({cell})), max(length(trunc(abs({cell}))::text))"
    strange = f"bool_or({cell} IN ('NaN', 'Infinity', '-Infinity'))"
    ((scale, whole, odd),) = server.execute(
        f"SELECT {sizes}, {strange} FROM {quoted(table)}"
    )
    fine = max(scale or 0, 4)
    width = 18 if (whole or 0) + fine <= 18 else DIGITS
    return "" if odd or (whole or 0) + fine > width else f"DECIMAL({width},{fine})"


def _content(
    server: PostgresServer, table: str, columns: Sequence[ColumnOfServer]
) -> Content:
    """The cells of a table; of columns that are not audited, none."""
    shown = ", ".join("NULL" if one.odd else quoted(one.name) for one in columns)
    rows = server.execute(f"SELECT {shown} FROM {quoted(table)}")
    names = [one.name for one in columns]
    types = {one.name: one.type for one in columns}
    cells = by_name(names, rows)
    return Content(types, cells)
