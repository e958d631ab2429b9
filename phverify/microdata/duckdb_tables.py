"""Tables that DuckDB counts: Parquet files, one or many, and large CSV files.

The SQL is written here as text.  It is three queries of one table, each of a few lines,
and the same in every dialect that has ``IS NOT DISTINCT FROM``: a layer that writes SQL
would be larger than what it writes.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from phverify.errors import InputError, Problem, nearest, refusal
from phverify.microdata.counted import COUNT, FIRST, GROUP, ROW
from phverify.microdata.csv_batches import NUMBER, batches
from phverify.microdata.headers import unique_names
from phverify.spec.separated import SEPARATORS
from phverify.spec.source import Names

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

Stamp = tuple[int, int]
"""Of a file its size, and when it was last written (nanoseconds)."""


@dataclass(frozen=True, eq=False)
class DuckTable:
    """One table in DuckDB.

    ``relation`` is what stands after FROM, and ``row`` the number of a row, from 0 in
    the order of the table, as SQL.  ``files`` must stay as they are while it is read.
    """

    source: str
    columns: Names
    relation: str
    row: str
    files: Names
    notes: Names = ()
    batches: Callable[[], Any] | None = None
    """Where ``relation`` is not in DuckDB: reads its rows once more."""
    _stamps: dict[str, Stamp] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.files:
            self._stamps[name] = _stamp(name)

    @cached_property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        import duckdb

        connection = duckdb.connect()
        # What does not fit into memory is not written into the user's folder.
        folder = os.path.join(tempfile.gettempdir(), f"phverify-duckdb-{os.getpid()}")
        connection.execute(f"SET temp_directory = {_text(folder)}")
        connection.execute("SET preserve_insertion_order = false")
        connection.execute("SET enable_progress_bar = false")
        return connection

    def _asked(self, query: str, given: Sequence[str] = ()) -> pa.Table:
        """The answer to a query.

        Raises InputError where the files cannot be read, or were changed.
        """
        import duckdb
        import pyarrow

        try:
            if self.batches is not None:
                self._connection.register(self.relation, self.batches())
            answer = self._connection.sql(query, params=list(given)).to_arrow_table()
        except (duckdb.Error, pyarrow.ArrowException, OSError) as error:
            self.require_unchanged()
            first_line = str(error).splitlines()[0]
            raise refusal(self.source, f"cannot be read: {first_line}") from None
        self.require_unchanged()
        return answer

    def require_unchanged(self) -> None:
        """Raises InputError where a file was written since it was first seen."""
        for name, before in self._stamps.items():
            if _stamp(name) != before:
                what = "was changed while it was read"
                hint = "give a copy that nobody writes to"
                raise refusal(name, what, hint)

    def grouped(self, names: Names) -> pa.Table:
        """Each combination of values of some columns, with ``COUNT`` and ``FIRST``."""
        shown = [*map(_name, names)]
        counted = [f"count(*) AS {COUNT}", f"min({self.row}) AS {FIRST}"]
        listed = ", ".join([*shown, *counted])
        grouping = f" GROUP BY {', '.join(shown)}" if shown else ""
        return self._asked(f"SELECT {listed} FROM {self.relation}{grouping}")

    def rows_of(self, groups: pa.Table, names: Names) -> pa.Table:
        """``ROW`` and ``GROUP`` of all rows that have one of these combinations.

        Ordered by ``ROW``.
        """
        return self._joined(groups, names, "")

    def groups_of(
        self, rows: Sequence[int], groups: pa.Table, names: Names
    ) -> pa.Table:
        """``ROW`` and ``GROUP`` of these rows."""
        wanted = ", ".join(map(str, rows))
        return self._joined(groups, names, f" WHERE {self.row} IN ({wanted})")

    def _joined(self, groups: pa.Table, names: Names, where: str) -> pa.Table:
        shown = ", ".join([*map(_name, names), f"{self.row} AS {ROW}"])
        alike = [f"t.{_name(n)} IS NOT DISTINCT FROM g.{_name(n)}" for n in names]
        # Without columns all rows are one group.
        condition = " AND ".join(alike) or "TRUE"
        self._connection.register("phverify_groups", groups)
        return self._asked(
            f"SELECT t.{ROW}, g.{GROUP} FROM"
            f" (SELECT {shown} FROM {self.relation}{where}) AS t"
            f" JOIN phverify_groups AS g ON {condition} ORDER BY t.{ROW}"
        )

    def cell(self, name: str, row: int) -> Any:
        """What stands in one column of a row."""
        cell = _name(name)
        query = f"SELECT {cell} FROM {self.relation} WHERE {self.row} = {row}"
        (value,) = self._asked(query).column(0).to_pylist()
        return value

    def rows_with(self, name: str, text: str) -> list[int]:
        """The first rows, two at most, whose cell of a column is this text."""
        query = (
            f"SELECT {self.row} FROM {self.relation}"
            f" WHERE CAST({_name(name)} AS VARCHAR) = ? ORDER BY 1 LIMIT 2"
        )
        rows: list[int] = self._asked(query, [text]).column(0).to_pylist()
        return rows

    def flaw(self, name: str) -> tuple[int, Any]:
        """How many cells of a column are missing, and some value that occurs twice."""
        cell = _name(name)
        empty = f"({cell} IS NULL OR CAST({cell} AS VARCHAR) = '')"
        counted = f"SELECT count(*) FROM {self.relation} WHERE {empty}"
        (missing,) = self._asked(counted).column(0).to_pylist()
        query = (
            f"SELECT {cell} FROM {self.relation} WHERE NOT {empty} GROUP BY 1"
            " HAVING count(*) > 1 LIMIT 1"
        )
        twice = self._asked(query).column(0).to_pylist()
        return missing, twice[0] if twice else None

    def some(self, name: str, most: int) -> list[Any]:
        """Some values of a column."""
        query = f"SELECT {_name(name)} FROM {self.relation} LIMIT {most}"
        values: list[Any] = self._asked(query).column(0).to_pylist()
        return values


def parquet_table(source: str, files: Sequence[str]) -> DuckTable:
    """Parquet files with the same columns as one table, in this order.

    Raises InputError for files that cannot be read, or differ in their columns.
    """
    schemas, rows = _schemas(files)
    first = schemas[0]
    columns = tuple(unique_names(first.names, files[0]))
    for name, schema in zip(files, schemas, strict=True):
        _require_same(files[0], first, name, schema)
    listed = ", ".join(map(_text, files))
    row = "file_row_number"
    if len(files) > 1:
        before = [sum(rows[:k]) for k in range(len(rows))]
        # file_index counts from 0, and lists from 1.
        index = "CAST(file_index AS BIGINT) + 1"
        row = f"(CAST({before} AS BIGINT[])[{index}] + file_row_number)"
    # A folder's name, such as year=2020, is no column.
    options = "hive_partitioning = false"
    if any(schema.types != first.types for schema in schemas):
        # A column without a value has no type of its own: it takes that of the others.
        options += ", union_by_name = true"
    relation = f"read_parquet([{listed}], {options})"
    return DuckTable(source, columns, relation, row, tuple(files))


def csv_table(path: str, separator: str, names: list[str]) -> DuckTable:
    """A well-formed CSV file whose cells are texts; an empty one is missing."""
    notes: Names = ()
    if separator != ",":
        notes = (f"read with {SEPARATORS[separator]} as the separator",)
    read = partial(batches, path, separator, names)
    columns = tuple(unique_names(names, path))
    return DuckTable(path, columns, "phverify_table", NUMBER, (path,), notes, read)


def _schemas(files: Sequence[str]) -> tuple[list[pa.Schema], list[int]]:
    """The columns of each file with their types, and how many rows it has.

    Raises InputError.
    """
    import pyarrow
    from pyarrow import parquet

    schemas = []
    rows = []
    for name in files:
        try:
            described = parquet.ParquetFile(name)
        except (OSError, pyarrow.ArrowException) as error:
            raise refusal(name, f"is no readable Parquet file: {error}") from None
        schemas.append(described.schema_arrow)
        rows.append(described.metadata.num_rows)
    return schemas, rows


def _require_same(first: str, wanted: pa.Schema, name: str, given: pa.Schema) -> None:
    """Raises InputError where two files of one table have other columns."""
    problems = []
    for column in wanted:
        if column.name not in given.names:
            what = f"has no column {column.name!r}, which {first} has"
            problems.append(Problem(name, what, nearest(column.name, given.names)))
        elif not _one_type(given.field(column.name).type, column.type):
            kind = given.field(column.name).type
            what = f"the column {column.name!r} is {kind}, and in {first} {column.type}"
            problems.append(Problem(name, what, "write both in the same type"))
    for extra in given.names:
        if extra not in wanted.names:
            what = f"has a column {extra!r}, which {first} has not"
            problems.append(Problem(name, what))
    if problems:
        raise InputError(problems)


def _one_type(one: pa.DataType, other: pa.DataType) -> bool:
    """Whether columns of two files have one type, as far as they have any."""
    import pyarrow

    nothing = pyarrow.null()
    return bool(one == other) or nothing in (one, other)


def read_otherwise(path: str, names: Iterable[str]) -> str:
    """One of these columns whose values DuckDB does not read as Arrow does; "" if none.

    Long decimals and durations become numbers there, and moments with a time zone those
    of the machine's.
    """
    from pyarrow import parquet

    schema = parquet.read_schema(path)
    for name in names:
        if name in schema.names and not _alike(schema.field(name).type):
            return name
    return ""


def _alike(kind: pa.DataType) -> bool:
    """Whether DuckDB has the values that Arrow has."""
    from pyarrow import types

    if types.is_dictionary(kind):
        kind = kind.value_type
    if types.is_timestamp(kind):
        return kind.tz is None
    if types.is_floating(kind):
        return not types.is_float16(kind)
    if hasattr(kind, "extension_name"):
        return False
    if str(kind) == "string_view":
        return True
    others = (
        types.is_null,
        types.is_boolean,
        types.is_integer,
        types.is_decimal128,
        types.is_string,
        types.is_large_string,
        types.is_date,
        types.is_time,
    )
    return any(is_kind(kind) for is_kind in others)


def readable(columns: Iterable[str]) -> bool:
    """Whether DuckDB tells these columns apart, and from its own.

    It does not tell small letters from capital ones.
    """
    names = [name.casefold() for name in columns]
    own = {"file_row_number", "file_index", "filename"}
    return len(set(names)) == len(names) and not own & set(names)


def _stamp(name: str) -> Stamp:
    try:
        status = os.stat(name)
    except OSError as error:
        raise refusal(name, f"cannot be read: {error.strerror}") from None
    return status.st_size, status.st_mtime_ns


def _name(name: str) -> str:
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


def _text(text: str) -> str:
    escaped = text.replace("'", "''")
    return f"'{escaped}'"
