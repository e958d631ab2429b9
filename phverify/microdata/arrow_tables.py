"""Tables that Arrow holds, counted in DuckDB: it reads them where they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from phverify.microdata.arrow import index_of_pandas
from phverify.microdata.csv_batches import NUMBER, with_numbers
from phverify.microdata.duckdb_tables import DuckTable
from phverify.microdata.frames import ArrowFrame
from phverify.microdata.headers import unique_names

if TYPE_CHECKING:
    import pyarrow as pa

AT_ONCE = 1 << 17
"""So many rows are handed on at a time."""


@dataclass(frozen=True, eq=False)
class HeldTable(DuckTable):
    """A table in memory, or in a file that is mapped into it: ``held``."""

    held: pa.Table | None = None

    @property
    def schema(self) -> pa.Schema:
        """The columns with their types."""
        assert self.held is not None
        return self.held.schema

    def in_order(self, most: int) -> Iterator[pa.Table]:
        """The rows in their order, so many at a time."""
        import pyarrow

        assert self.held is not None
        for batch in self.held.to_batches(max_chunksize=most):
            yield pyarrow.Table.from_batches([batch])

    def cell(self, name: str, row: int) -> Any:
        """What stands in one column of a row."""
        assert self.held is not None
        return self.held.column(name)[row].as_py()


def held_table(frame: ArrowFrame) -> HeldTable:
    """An Arrow table; what pandas kept as its index plays no part.

    Raises InputError for two columns of one name.
    """
    dropped = index_of_pandas(frame.table)
    given = [name for name in frame.table.column_names if name not in dropped]
    names = unique_names(given, frame.name)
    held = frame.table.select(names).replace_schema_metadata(None)
    return HeldTable(
        frame.name,
        tuple(names),
        "phverify_table",
        NUMBER,
        (),
        frame.notes,
        partial(_numbered, held),
        frame.parts,
        held=held,
        merged=frame.merged,
    )


def _numbered(held: pa.Table) -> pa.RecordBatchReader:
    """The rows with their numbers, which are made as they are read."""
    import pyarrow

    schema = held.schema.append(pyarrow.field(NUMBER, pyarrow.int64()))
    batches = with_numbers(held.to_batches(max_chunksize=AT_ONCE))
    return pyarrow.RecordBatchReader.from_batches(schema, batches)
