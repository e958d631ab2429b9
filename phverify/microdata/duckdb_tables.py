"""Tables that DuckDB counts: Parquet files, one or many, and large CSV files."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from phverify.errors import InputError, refusal
from phverify.microdata.csv_batches import NUMBER, batches, rows_in
from phverify.microdata.headers import unique_names
from phverify.microdata.interruptible import Interruptible
from phverify.microdata.many import rows_of_files
from phverify.microdata.parquet_files import (
    Stamps,
    footers,
    null_counts,
    parts_of,
)
from phverify.microdata.spill import SpillFolder, share
from phverify.microdata.sql_tables import SqlTable
from phverify.microdata.table import Parts
from phverify.spec.separated import SEPARATORS
from phverify.spec.source import Names

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

BATCH = 100_000
"""So many rows of an answer are handed on at a time."""
MORE_ROOM = "give it more memory"
UNSAFE = "join_filter_pushdown"
"""An optimizer of DuckDB that takes the bounds in a Parquet file for those of all its
cells: a NaN, which no bounds tell of, would be joined with nothing.
"""


@dataclass(frozen=True, eq=False)
class DuckTable(SqlTable):
    """One table in DuckDB; ``files`` must stay as they are while it is read."""

    files: Names
    notes: Names = ()
    batches: Callable[[], Any] | None = None
    """Where ``relation`` is not in DuckDB: reads its rows once more."""
    parts: Parts = ()

    def __post_init__(self) -> None:
        # They are looked at before anything is read.
        _ = self._stamps

    @cached_property
    def _stamps(self) -> Stamps:
        return Stamps.of(self.files)

    @cached_property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        import duckdb

        connection = duckdb.connect(config={**limits()})
        folder = self._folder
        path = "" if folder is None else folder.path
        # What does not fit into memory is not written into the user's folder.
        connection.execute(f"SET temp_directory = {sql_text(path)}")
        connection.execute("SET preserve_insertion_order = false")
        connection.execute(f"SET disabled_optimizers = {sql_text(UNSAFE)}")
        connection.execute("SET enable_progress_bar = false")
        weakref.finalize(self, _end, connection, folder)
        return connection

    @cached_property
    def _folder(self) -> SpillFolder | None:
        """Where rows are set aside; None where no folder can be made for them."""
        try:
            return SpillFolder()
        except OSError:
            return None

    def _asked(self, query: str, given: Sequence[str] = ()) -> pa.Table:
        """The answer to a query.

        Raises InputError where the files cannot be read, or were changed, and where
        neither memory nor disk suffices to count them.
        """
        import duckdb
        import pyarrow

        try:
            with self._opened() as connection:
                answer = _answered(connection, query, given)
        except (duckdb.Error, pyarrow.ArrowException, MemoryError, OSError) as error:
            self.require_unchanged()
            raise self._refused(error) from None
        self.require_unchanged()
        return answer

    def streamed(
        self, query: str, beside: Mapping[str, pa.Table]
    ) -> Iterator[pa.RecordBatch]:
        """The answer to a query piece by piece, other tables beside this one.

        Ctrl-C ends it at once.  Raises InputError where the files cannot be read, or
        were changed.
        """
        import duckdb
        import pyarrow

        try:
            with self._opened() as connection:
                for name, table in beside.items():
                    connection.register(name, table)
                # As long as an answer is open, a connection does nothing else.
                asked = Interruptible(connection)
                with asked.ask(partial(_reader, query)) as reader:
                    while (batch := asked.ask(partial(_next, reader))) is not None:
                        yield batch
        except (duckdb.Error, pyarrow.ArrowException, MemoryError, OSError) as error:
            self.require_unchanged()
            raise self._refused(error) from None
        self.require_unchanged()

    def lacking(self, name: str) -> bool:
        """Whether cells of a column are missing."""
        missing = f"SELECT 1 FROM {self.relation} WHERE {self._name(name)} IS NULL"
        return len(self._asked(f"{missing} LIMIT 1")) > 0

    @contextmanager
    def _opened(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """The connection, and in it the rows, for one question."""
        connection = self._connection
        try:
            self._register(connection)
            yield connection
        finally:
            self._release(connection)

    def _register(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Have DuckDB read the rows once more where they are not its own."""
        if self.batches is not None:
            connection.register(self.relation, self.batches())

    def _release(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Let go of what only one question holds."""

    def _refused(self, error: Exception) -> InputError:
        """What an error of DuckDB says to whom the files belong."""
        import duckdb

        first_line = str(error).partition("\n")[0]
        folder = self._folder
        hint = f"{MORE_ROOM}, or set TMPDIR to a folder on a larger disk"
        if folder is None:
            hint = f"{MORE_ROOM}, or set TMPDIR to a folder that can be written to"
        elif isinstance(error, duckdb.IOException) and folder.path in first_line:
            what = f"what does not fit into memory cannot be set aside: {first_line}"
            return refusal(self.source, what, hint)
        if isinstance(error, duckdb.OutOfMemoryException | MemoryError):
            what = f"the memory does not suffice to count the rows: {first_line}"
            return refusal(self.source, what, hint)
        return refusal(self.source, f"cannot be read: {first_line}")

    def require_unchanged(self) -> None:
        """Raises InputError where a file was written since it was first seen."""
        self._stamps.require_unchanged()

    def missing(self, names: Names, groups: pa.Table | None = None) -> list[int]:
        """How many cells of each of these columns are missing: none, empty, or NaN."""
        known: dict[str, int] = {}
        if groups is None and self.batches is None:
            known = self._null_counts(names)
        others = tuple(name for name in names if name not in known)
        if others:
            counted = super().missing(others, groups)
            known |= dict(zip(others, counted, strict=True))
        return [known[name] for name in names]

    def _null_counts(self, names: Names) -> dict[str, int]:
        """How many cells of a column are missing, where the files say so.

        Raises InputError where the files cannot be read any more, or were changed.
        """
        import pyarrow

        try:
            return null_counts(self.files, names)
        except (pyarrow.ArrowException, OSError) as error:
            self.require_unchanged()
            raise self._refused(error) from None

    def _beside(self, groups: pa.Table) -> str:
        self._connection.register("phverify_groups", groups)
        return "phverify_groups"


def limits() -> dict[str, str]:
    """What of this machine is DuckDB's, as its settings."""
    own = share()
    if own is None:
        return {}
    memory, threads = own
    limits = {"memory_limit": f"{memory}B"}
    # By itself it takes one for each processor that it may use, which may be fewer.
    if threads < (os.cpu_count() or 1):
        limits["threads"] = str(threads)
    return limits


def _answered(
    connection: duckdb.DuckDBPyConnection, query: str, given: Sequence[str]
) -> pa.Table:
    """The answer to a query, which Ctrl-C ends at once."""

    def answer(plain: duckdb.DuckDBPyConnection) -> pa.Table:
        found = plain.sql(query, params=list(given))
        return found.to_arrow_table()

    asked = Interruptible(connection)
    return asked.ask(answer)


def _reader(query: str, plain: duckdb.DuckDBPyConnection) -> pa.RecordBatchReader:
    """A reader of the answer to a query."""
    return plain.sql(query).to_arrow_reader(BATCH)


def _next(
    reader: pa.RecordBatchReader, _plain: duckdb.DuckDBPyConnection
) -> pa.RecordBatch | None:
    """The next piece of an answer; None after the last."""
    return next(reader, None)


def _end(connection: duckdb.DuckDBPyConnection, folder: SpillFolder | None) -> None:
    """Close a connection, and remove what it set aside."""
    connection.close()
    if folder is not None:
        folder.remove()


def parquet_table(source: str, files: Sequence[str]) -> DuckTable:
    """Parquet files with the same columns as one table, in this order.

    Raises InputError for files that cannot be read, or differ in their columns.
    """
    schemas, rows = footers(files)
    first = schemas[0]
    columns = tuple(unique_names(first.names, files[0]))
    listed = ", ".join(map(sql_text, files))
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
    parts = parts_of(files, rows)
    notes = rows_of_files(parts)
    return DuckTable(source, columns, relation, row, tuple(files), notes, parts=parts)


def csv_table(source: str, files: Mapping[str, str], names: list[str]) -> DuckTable:
    """Well-formed CSV files with these columns, whose cells are texts; an empty one is
    missing.  ``files`` says of each its separator.

    Raises InputError where they cannot be read.
    """
    notes: list[str] = []
    for separator in dict.fromkeys(files.values()):
        if separator != ",":
            notes.append(f"read with {SEPARATORS[separator]} as the separator")
    columns = tuple(unique_names(names, source))
    parts: Parts = ()
    if len(files) > 1:
        parts = tuple(
            (path, _rows(path, separator, names)) for path, separator in files.items()
        )
    told = (*notes, *rows_of_files(parts))
    read = partial(batches, files, names)
    known = (columns, "phverify_table", NUMBER, tuple(files), told)
    return DuckTable(source, *known, batches=read, parts=parts)


def _rows(path: str, separator: str, names: list[str]) -> int:
    """How many rows a CSV file has.  Raises InputError where it cannot be read."""
    import pyarrow

    try:
        return rows_in(path, separator, names)
    except (pyarrow.ArrowException, OSError) as error:
        raise refusal(path, f"cannot be read: {str(error).splitlines()[0]}") from None


def sql_text(text: str) -> str:
    """A text as it stands in a query, whatever is in it."""
    escaped = text.replace("'", "''")
    return f"'{escaped}'"
