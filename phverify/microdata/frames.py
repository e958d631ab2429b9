"""Frames of any library, as Arrow tables.

What a frame is, is seen by what it can do: no library is imported to find out.  Arrow
itself is used, and no layer above it: it is needed for Parquet anyway, it takes
whatever has the PyCapsule protocol, and it finds distinct values by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from phverify.errors import InputError, refusal
from phverify.microdata.dataframes import is_pandas
from phverify.microdata.streams import (
    STREAM,
    TO_ARROW,
    TO_PANDAS,
    reader_of,
    whole_table,
)
from phverify.microdata.table import Parts

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow

LOSSY = ("TIME WITH TIME ZONE", "UHUGEINT")
"""Types of DuckDB whose values become others in Arrow, without a word."""
LAZY = ("polars", "narwhals")
"""Whose LazyFrame is a question that is not answered yet."""


class ArrowStream(Protocol):
    """What has the Arrow PyCapsule protocol."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """A stream of the rows."""


@dataclass(frozen=True, eq=False)
class ArrowFrame:
    """A table that Arrow holds.

    ``kind`` is the library whose frame it was, or "file"; ``notes`` says what reading
    it decided, and ``parts`` where it is several files.  Of the columns ``merged``
    different cells have one text in the table.
    """

    name: str
    table: pyarrow.Table
    kind: str = "pyarrow"
    notes: tuple[str, ...] = ()
    parts: Parts = ()
    merged: frozenset[str] = frozenset()

    def given_back(self, table: pyarrow.Table) -> Any:
        """A release of this table, as a frame of the library that it came from.

        Of polars a DataFrame, of all others an Arrow table.
        """
        if self.kind != "polars":
            return table
        import polars

        return polars.from_arrow(table)

    def to_pandas(self) -> pd.DataFrame:
        """The DataFrame of a file; integers stay integers beside missing cells."""
        import pandas
        import pyarrow

        frame = self.table.to_pandas(types_mapper=_type_of_arrow)
        for field in self.table.schema:
            column = self.table.column(field.name)
            whole = pyarrow.types.is_integer(field.type) and column.null_count
            if whole and field.name in frame.columns:
                # pandas would make floats of them, which hold 53 bits alone.
                kind = f"{field.type}".replace("uint", "UInt").replace("int", "Int")
                frame[field.name] = pandas.array(column.to_pylist(), dtype=kind)
        return frame


def _type_of_arrow(kind: pyarrow.DataType) -> Any:
    """The type of a column that pandas has no other type for."""
    import pandas
    from pyarrow import types

    finer = types.is_time64(kind) and kind.unit == "ns"
    if finer or types.is_interval(kind):
        return pandas.ArrowDtype(kind)
    return None


def is_frame(source: object) -> bool:
    """Whether a source is a frame of some library, a single column left out."""
    if is_pandas(source):
        return True
    if isinstance(source, type) or hasattr(source, "to_frame"):
        return False
    ways = (STREAM, "__arrow_c_array__", *TO_ARROW, *TO_PANDAS)
    return any(hasattr(source, way) for way in ways) or is_lazy(source)


def is_lazy(source: object) -> bool:
    """Whether a frame has to be collected."""
    return type(source).__name__ == "LazyFrame" and library(source) in LAZY


def library(source: object) -> str:
    """The package that a frame is from."""
    return type(source).__module__.partition(".")[0]


def framed(source: Any, where: str, streamed: bool = False) -> Any:
    """A DataFrame of pandas as it is, any other frame as an ArrowFrame.

    Where they may be ``streamed``, many rows that come one after another are set aside
    in a file.  Raises InputError for what gives no table.
    """
    if is_pandas(source):
        return source
    kind = library(source)
    try:
        collected = source.collect() if is_lazy(source) else source
        _refuse_lossy(collected, where)
        reader = reader_of(collected) if streamed else None
        if reader is not None:
            return ArrowFrame(where, whole_table(reader, where), kind)
        table = _as_table(collected)
    except InputError:
        raise
    except Exception as error:  # each library raises classes of its own
        reason = str(error).partition("\n")[0]
        what = f"this {type(source).__name__} of {kind} gives no table: {reason}"
        hint = "pass a DataFrame of pandas or polars"
        # An error of another library may quote cells.
        raise refusal(where, what, hint, True) from None
    if is_pandas(table):
        return table
    return ArrowFrame(where, table, kind)


def _as_table(source: Any) -> Any:
    """An Arrow table of a frame, or a DataFrame where its library makes nothing else.

    Raises TypeError for a single column.
    """
    import pyarrow

    if isinstance(source, pyarrow.Table):
        return source
    if isinstance(source, pyarrow.RecordBatch):
        return pyarrow.Table.from_batches([source])
    made = _converted(source)
    if isinstance(made, pyarrow.RecordBatchReader):
        made = made.read_all()
    if isinstance(made, pyarrow.Table) or is_pandas(made):
        return made
    raise TypeError("a table is wanted, not a column")


def _converted(source: Any) -> Any:
    """What the first way gives that a frame has."""
    import pyarrow

    capsule = hasattr(source, STREAM) or hasattr(source, "__arrow_c_array__")
    for name in (*TO_ARROW, *TO_PANDAS):
        way: Callable[[], Any] | None = getattr(source, name, None)
        if capsule and name in TO_PANDAS:
            break
        if callable(way):
            return way()
    return pyarrow.table(source)


def _refuse_lossy(source: Any, where: str) -> None:
    """Raises InputError for columns that Arrow has no type for."""
    if library(source) == "polars":
        _refuse_objects(source, where)
    if type(source).__name__ != "DuckDBPyRelation":
        return
    for name, kind in zip(source.columns, source.types, strict=True):
        if str(kind) in LOSSY:
            what = f"column {name!r} is {kind}, which Arrow has no type for"
            raise refusal(where, what, f"cast it to VARCHAR: CAST({name} AS VARCHAR)")


def _refuse_objects(source: Any, where: str) -> None:
    """Raises InputError for Python's objects in polars: Arrow has where they are."""
    for name, kind in zip(source.columns, source.dtypes, strict=True):
        if str(kind) == "Object":
            what = f"column {name!r} has objects of Python, which Arrow has no type for"
            raise refusal(where, what, "give its cells a type of polars")
