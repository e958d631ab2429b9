"""Tables of DuckDB files, counted where they are: the file is attached, and never
written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phverify.errors import refusal
from phverify.microdata.counted import ROW
from phverify.microdata.databases import DuckPlace, duckdb_place
from phverify.microdata.duckdb_tables import DuckTable, limits, sql_text
from phverify.microdata.duckdb_types import readable
from phverify.microdata.formats import NamedTable
from phverify.microdata.headers import unique_names
from phverify.microdata.parquet_files import Stamps

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")
MOMENTS = ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS")
OTHERS = ("BOOLEAN", "FLOAT", "DOUBLE", "VARCHAR", "DATE", "TIME")
PLAIN = frozenset((*WHOLE, *(f"U{kind}" for kind in WHOLE), *MOMENTS, *OTHERS))
"""The types of DuckDB that say of themselves what their values are in Arrow; decimals
beside them.
"""


@dataclass(frozen=True, eq=False)
class PlacedTable(NamedTable):
    """A table of a DuckDB file whose rows are numbered from 0 without gaps.

    ``quoted`` is its name in SQL.
    """

    quoted: str
    schema: pa.Schema
    rows: int
    stamps: Stamps


def placed_table(path: Path, wanted: str | None) -> PlacedTable | None:
    """A table that can be counted where it is: its rows have numbers, and equal values
    of it are alike in DuckDB.

    None for a view, for a table from which rows were deleted, and for columns that
    ignore case or have types of DuckDB's own.  Raises InputError.
    """
    # What is committed, and not yet written into the file, stands beside it.
    stamps = Stamps.of([str(path)], [f"{path}.wal"])
    with duckdb_place(path, wanted) as place:
        relation = place.relation()
        names = unique_names([*relation.columns], place.where)
        if not readable([*names, "rowid"]) or not _plain(relation):
            return None
        rows = _numbered_rows(place)
        if rows is None or _collated(place):
            return None
        schema = relation.limit(0).to_arrow_table().schema
    return PlacedTable(str(path), place.name, place.quoted, schema, rows, stamps)


def _plain(relation: duckdb.DuckDBPyRelation) -> bool:
    kinds = [str(kind) for kind in relation.types]
    return all(kind in PLAIN or kind.startswith("DECIMAL(") for kind in kinds)


def _numbered_rows(place: DuckPlace) -> int | None:
    """How many rows there are, where their numbers have no gaps, and there are some."""
    if not place.base:
        return None
    asked = f"SELECT count(*), min(rowid), max(rowid) FROM {place.quoted}"
    ((rows, first, last),) = place.connection.execute(asked).fetchall()
    return int(rows) if (first, last) == (0, rows - 1) else None


def _collated(place: DuckPlace) -> bool:
    """Whether the text of the table's definition names a collation: values that differ
    would be one to DuckDB.
    """
    asked = (
        "SELECT sql FROM duckdb_tables() WHERE database_name = current_database()"
        " AND contains(lower(sql), 'collate')"
    )
    return bool(place.connection.execute(asked).fetchall())


@dataclass(frozen=True, eq=False)
class AttachedTable(DuckTable):
    """A table of a DuckDB file, which is attached wherever it is asked about."""

    placed: PlacedTable | None = None

    @cached_property
    def _stamps(self) -> Stamps:
        assert self.placed is not None
        return self.placed.stamps

    @property
    def schema(self) -> pa.Schema:
        """The columns with their types."""
        assert self.placed is not None
        return self.placed.schema

    def in_order(self, most: int) -> Iterator[pa.Table]:
        """The rows in their order, so many at a time.

        Raises InputError where they are others than those that were counted.
        """
        import duckdb
        import pyarrow

        assert self.placed is not None
        (path,) = self.files
        config: dict[str, Any] = {**limits(), "enable_external_access": "false"}
        query = f"SELECT *, rowid AS {ROW} FROM {self.placed.quoted}"
        try:
            with closing(duckdb.connect(path, read_only=True, config=config)) as own:
                reader = own.sql(query).to_arrow_reader(most)
                yield from _in_order(reader, self)
        except (duckdb.Error, pyarrow.ArrowException, OSError) as error:
            self.require_unchanged()
            raise self._refused(error) from None

    def _register(self, connection: duckdb.DuckDBPyConnection) -> None:
        (path,) = self.files
        attach = f"ATTACH IF NOT EXISTS {sql_text(path)} AS {_alias(path)} (READ_ONLY)"
        connection.execute(attach)

    def _release(self, connection: duckdb.DuckDBPyConnection) -> None:
        # What is attached nobody else of this process can write to.
        (path,) = self.files
        connection.execute(f"DETACH DATABASE IF EXISTS {_alias(path)}")

    def _null_counts(self, names: Iterable[str]) -> dict[str, int]:
        # Only Parquet files say how many there are.
        return {}


def attached_table(placed: PlacedTable) -> AttachedTable:
    """A table to be counted where it is.

    Raises InputError where its file was written since it was looked at.
    """
    path = str(placed.file)
    relation = f"{_alias(path)}.{placed.quoted}"
    columns = tuple(placed.schema.names)
    placed.stamps.require_unchanged()
    return AttachedTable(
        str(placed), columns, relation, "rowid", (path,), placed=placed
    )


def _alias(path: str) -> str:
    """What an attached file is called, always the same."""
    return f"phverify_{hashlib.sha256(path.encode()).hexdigest()[:16]}"


def _in_order(reader: pa.RecordBatchReader, table: DuckTable) -> Iterator[pa.Table]:
    """Rows without their numbers, which have to follow one another."""
    import numpy as np
    import pyarrow

    start = 0
    for batch in reader:
        numbers = batch.column(ROW).to_numpy()
        end = start + len(numbers)
        if not np.array_equal(numbers, np.arange(start, end)):
            raise refusal(table.source, "does not give its rows in their order")
        yield pyarrow.Table.from_batches([batch]).drop_columns([ROW])
        start = end
