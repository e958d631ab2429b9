"""Rows of SQLite as Arrow holds them: texts, a batch at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phverify.microdata.databases import SqliteRows, sqlite_rows, sqlite_text
from phverify.microdata.frames import ArrowFrame
from phverify.microdata.kinds import StoredKinds
from phverify.microdata.streams import whole_table

if TYPE_CHECKING:
    import pyarrow as pa


def sqlite_frame(path: Path, wanted: str | None) -> ArrowFrame:
    """A table or view of SQLite with the texts of its cells.

    Raises InputError.
    """
    import pyarrow

    with sqlite_rows(path, wanted) as rows:
        fields = [pyarrow.field(name, pyarrow.string()) for name in rows.names]
        schema = pyarrow.schema(fields)
        kinds = {name: StoredKinds() for name in rows.names}
        batches = _batches(rows, schema, kinds)
        reader = pyarrow.RecordBatchReader.from_batches(schema, batches)
        table = whole_table(reader, rows.where)
        columns = [_with_missing(column) for column in table.columns]
        table = pyarrow.table(columns, names=rows.names)
        merged = frozenset(name for name, kind in kinds.items() if kind.merged)
        return ArrowFrame(rows.where, table, "file", rows.notes, merged=merged)


def _batches(
    rows: SqliteRows, schema: pa.Schema, kinds: Mapping[str, StoredKinds]
) -> Iterator[pa.RecordBatch]:
    import pyarrow

    for chunk in rows.chunks():
        columns = []
        for name, cells in zip(rows.names, zip(*chunk, strict=True), strict=True):
            kinds[name].add(cells)
            texts = _texts(cells, name, rows.where)
            columns.append(pyarrow.array(texts, pyarrow.string()))
        yield pyarrow.record_batch(columns, schema=schema)


def _texts(cells: Sequence[Any], name: str, where: str) -> Iterable[Any]:
    """Cells of a column as texts.  Raises InputError for binary ones."""
    if {*map(type, cells)} <= {str, type(None)}:
        return cells
    # Few values are many cells; 1 and 1.0 are one key, and one text.
    text_of = {cell: sqlite_text(cell, name, where) for cell in {*cells}}
    return [text_of[cell] for cell in cells]


def _with_missing(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column whose empty texts are missing cells, unless it has both."""
    import pyarrow
    import pyarrow.compute as pc

    empty = pc.equal(column, "")
    if column.null_count or not pc.any(empty).as_py():
        return column
    return pc.if_else(empty, pyarrow.scalar(None, column.type), column)
