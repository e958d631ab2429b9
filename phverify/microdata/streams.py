"""Frames that give their rows one after another, and only once: held in memory, or set
aside in a file where they are many.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phverify.errors import InputError, refusal
from phverify.microdata.spill import UNIX, SpillFolder

if TYPE_CHECKING:
    import pyarrow as pa

STREAM = "__arrow_c_stream__"
"""The Arrow PyCapsule protocol of tables."""
TO_ARROW = (
    "to_arrow_table",
    "fetch_arrow_table",
    "to_arrow",
    "to_pyarrow",
    "toArrow",
    "read_all",
    "to_table",
)
"""How frames of DuckDB, polars, Ibis, Spark and Arrow's own readers and datasets become
an Arrow table.
"""
TO_PANDAS = ("toPandas", "to_pandas")
"""How frames become a DataFrame of pandas, where nothing else is left."""
LARGE = 16 * 1024 * 1024
"""From so many bytes on rows are counted where they are, unless something else is
said.
"""
AT_ONCE = 100_000
"""So many rows of a relation are asked for at a time."""
ROOM = "give it more memory, or set TMPDIR to a folder on a larger disk"


def reader_of(source: Any) -> pa.RecordBatchReader | None:
    """What reads the rows of a frame one after another; None where all come at once.

    Relations of DuckDB, readers and datasets of Arrow, and what has the PyCapsule
    protocol alone.
    """
    import pyarrow

    if isinstance(source, pyarrow.RecordBatchReader):
        return source
    if type(source).__name__ == "DuckDBPyRelation":
        return source.to_arrow_reader(AT_ONCE)
    if hasattr(source, "scanner") and hasattr(source, "to_batches"):
        return source.scanner().to_reader()
    others = any(hasattr(source, way) for way in (*TO_ARROW, *TO_PANDAS))
    if hasattr(source, STREAM) and not others and not _at_once(source):
        return pyarrow.RecordBatchReader.from_stream(source)
    return None


def _at_once(source: Any) -> bool:
    """Whether all rows of an Arrow object are in memory."""
    import pyarrow

    return isinstance(source, pyarrow.Table | pyarrow.RecordBatch)


def whole_table(reader: pa.RecordBatchReader, where: str) -> pa.Table:
    """All rows of a reader: in memory where they are few, else in a file that is mapped
    into it.  Raises InputError where they cannot be set aside.
    """
    import pyarrow

    first: list[pa.RecordBatch] = []
    size = 0
    for batch in reader:
        first.append(batch)
        size += batch.nbytes
        # Elsewhere no file is removed that is mapped.
        if size >= LARGE and UNIX:
            return _set_aside(chain(first, reader), reader.schema, where)
    return pyarrow.Table.from_batches(first, reader.schema)


def _set_aside(
    batches: Iterable[pa.RecordBatch], schema: pa.Schema, where: str
) -> pa.Table:
    """Rows in a file without a name, which is there as long as the table is."""
    import pyarrow
    from pyarrow import ipc

    try:
        folder = SpillFolder()
    except OSError as error:
        raise _no_room(where, error) from None
    try:
        path = str(Path(folder.path) / "rows.arrow")
        with ipc.new_stream(path, schema) as writer:
            for batch in batches:
                writer.write_batch(batch)
        mapped = pyarrow.memory_map(path)
        return ipc.open_stream(mapped).read_all()
    except OSError as error:
        raise _no_room(where, error) from None
    finally:
        # What is mapped stays until nobody holds it any more.
        folder.remove()


def _no_room(where: str, error: OSError) -> InputError:
    """The error that rows find no room; what their library says may quote cells."""
    what = f"rows cannot be set aside: {error.strerror or error}"
    return refusal(where, what, ROOM, True)
