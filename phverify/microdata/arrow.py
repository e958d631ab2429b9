"""Tables from Arrow: distinct values are found by Arrow, and only these become Python
objects and texts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from phverify.errors import refusal
from phverify.exact import Ints
from phverify.microdata.headers import unique_names
from phverify.microdata.ondemand import ColumnsOnDemand
from phverify.microdata.table import CodedColumn, CodedTable, Label, merge_labels
from phverify.microdata.texts import (
    DAY,
    clock_text,
    day_text,
    decimal_text,
    duration_text,
    float_text,
    moment_text,
    without_empty,
)

if TYPE_CHECKING:
    import pyarrow

NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}
"""By the unit of Arrow's times, how many nanoseconds it has."""
EXTENSION = b"ARROW:extension:name"
"""Where a field says that its values mean something else than its type."""
PLAIN_EXTENSIONS = ("arrow.json", "arrow.bool8", "arrow.uuid")
"""Types of that kind that have one text for each value."""
AS_TEXT = "make it text, or one column for each part; or leave it out of the table"


def from_arrow(
    table: pyarrow.Table,
    where: str = "table",
    notes: tuple[str, ...] = (),
    merged: Collection[str] = (),
) -> CodedTable:
    """An Arrow table as a coded one; what pandas kept as its index plays no part.

    Null and NaN are missing.  Of the columns ``merged`` different cells were made one
    text before.  Raises InputError for a table without rows or with two
    columns of one name; columns of nested and binary values raise it when they are
    asked for.
    """
    dropped = index_of_pandas(table)
    given = [str(name) for name in table.column_names if name not in dropped]
    names = unique_names(given, where)
    if table.num_rows == 0:
        raise refusal(where, "the table has no rows")

    def code(name: str) -> CodedColumn:
        column = coded(table.column(name), table.schema.field(name), where)
        return replace(column, merged=column.merged or name in merged)

    return CodedTable(where, ColumnsOnDemand(names, code, names), table.num_rows, notes)


def index_of_pandas(table: pyarrow.Table) -> list[str]:
    """The columns that hold the index of a DataFrame, level by level."""
    if b"pandas" not in (table.schema.metadata or {}):
        return []
    told = table.schema.pandas_metadata or {}
    return [name for name in told.get("index_columns", ()) if isinstance(name, str)]


def coded(
    column: pyarrow.ChunkedArray, field: pyarrow.Field, where: str
) -> CodedColumn:
    """One column.  Raises InputError for values that have no text of their own."""
    plain = _plain(column, field, where)
    try:
        codes, values = _distinct(plain)
        labels: list[Label] = [*_texts(values)]
    except (OverflowError, ValueError, NotImplementedError) as error:
        what = f"column {field.name!r} has a value that cannot be read: {error}"
        raise refusal(where, what, AS_TEXT) from None
    if plain.null_count:
        # A missing cell is a value of its own, the last one.
        codes = np.where(codes < 0, len(labels), codes)
        labels.append(None)
    labels = without_empty(labels)
    known = merge_labels(codes, labels)
    return CodedColumn(*known, merged=len(known[1]) < len(labels))


def _plain(
    column: pyarrow.ChunkedArray, field: pyarrow.Field, where: str
) -> pyarrow.ChunkedArray:
    """The column in a type that Arrow finds distinct values of."""
    import pyarrow

    column = plain_column(column)
    kind = column.type
    extension = getattr(kind, "extension_name", None)
    named = (field.metadata or {}).get(EXTENSION, b"").decode()
    unknown = (extension or named) not in ("", *PLAIN_EXTENSIONS)
    if unknown or not _readable(kind):
        of_type = extension or named or kind
        what = f"column {field.name!r} holds values of the type {of_type}"
        raise refusal(where, f"{what}, and a cell is one value", AS_TEXT)
    if extension is not None and extension != "arrow.uuid":
        storage = column.cast(kind.storage_type)
        truth = extension == "arrow.bool8"
        # Whoever wrote 0 and 1 for truth values meant True and False.
        return storage.cast(pyarrow.bool_()) if truth else storage
    return column


def plain_column(column: pyarrow.ChunkedArray) -> pyarrow.ChunkedArray:
    """The same values, in a type that Arrow has all functions for."""
    import pyarrow.compute
    from pyarrow import types

    if types.is_dictionary(column.type):
        # What no row has is no value of the table; equal entries become one.
        column = decoded(column)
    if types.is_run_end_encoded(column.type):
        column = pyarrow.compute.run_end_decode(column)
    kind = column.type
    if getattr(types, "is_string_view", _never)(kind):
        return column.cast(pyarrow.large_string())
    if types.is_decimal(kind) and kind.bit_width < 128:
        # Narrower decimals are new, and lack functions that these have.
        return column.cast(pyarrow.decimal128(kind.precision, kind.scale))
    return column


def decoded(column: pyarrow.ChunkedArray) -> pyarrow.ChunkedArray:
    """A column of dictionaries as one of plain values."""
    import pyarrow

    plain = column.type.value_type
    if getattr(pyarrow.types, "is_string_view", _never)(plain):
        # Arrow does not take rows of these everywhere.
        plain = pyarrow.large_string()
    chunks = []
    for chunk in column.chunks:
        values = chunk.dictionary.cast(plain)
        chunks.append(values.take(chunk.indices))
    return pyarrow.chunked_array(chunks, plain)


def _never(kind: object) -> bool:
    """What an Arrow that does not know a type says of it."""
    return False


def _readable(kind: pyarrow.DataType) -> bool:
    """Whether each value of a type has one text."""
    from pyarrow import types

    known = (
        types.is_null,
        types.is_boolean,
        types.is_integer,
        types.is_floating,
        types.is_decimal,
        types.is_string,
        types.is_large_string,
        types.is_date,
        types.is_time,
        types.is_timestamp,
        types.is_duration,
        types.is_interval,
    )
    if getattr(kind, "extension_name", None) in PLAIN_EXTENSIONS:
        return True
    return any(is_kind(kind) for is_kind in known)


def _distinct(column: pyarrow.ChunkedArray) -> tuple[Ints, Any]:
    """A code for each row, -1 where it is missing, and the distinct values."""
    import pyarrow

    if getattr(column.type, "extension_name", None) == "arrow.uuid":
        storage = column.cast(column.type.storage_type)
        codes, values = _distinct(storage)
        return codes, pyarrow.ExtensionArray.from_storage(column.type, values)
    if pyarrow.types.is_null(column.type):
        return np.full(len(column), -1), pyarrow.array([], column.type)
    if pyarrow.types.is_float16(column.type):
        # Arrow finds no distinct values of halves; wider they are told apart the same
        # way.
        codes, values = _distinct(column.cast(pyarrow.float32()))
        halves = _array(values, "float32").astype(np.float16)
        return codes, pyarrow.array(halves)
    encoded = column.dictionary_encode().unify_dictionaries()
    if encoded.num_chunks == 0:
        return np.empty(0, dtype=np.int64), pyarrow.array([], column.type)
    return _codes(encoded), encoded.chunk(0).dictionary


def _codes(encoded: pyarrow.ChunkedArray) -> Ints:
    """The entry of each row in the one dictionary of a column; -1 where it is null."""
    parts = []
    for chunk in encoded.chunks:
        indices = chunk.indices
        part = _array(indices, str(indices.type)).astype(np.int64)
        if indices.null_count:
            bitmap = np.frombuffer(indices.buffers()[0], dtype=np.uint8)
            # One bit for each row, also for those of which this is a part.
            bits = np.unpackbits(bitmap, bitorder="little")[indices.offset :]
            part[bits[: len(indices)] == 0] = -1
        parts.append(part)
    # One part is no more to be copied.
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _array(values: Any, dtype: str) -> Ints:
    """The numbers of an Arrow array, where they are; what is null is any number.

    Arrow's own way to numpy would load pandas.
    """
    _, numbers = values.buffers()
    whole = np.frombuffer(numbers or b"", dtype=dtype)
    # An array may be a part of its buffer.
    return whole[values.offset : values.offset + len(values)]


def numbered(column: pyarrow.ChunkedArray) -> tuple[Ints, list[str]]:
    """The codes and the texts of a column of texts that has dictionaries, and no
    null.
    """
    encoded = column.unify_dictionaries()
    texts: list[str] = encoded.chunk(0).dictionary.to_pylist()
    return _codes(encoded), texts


def _texts(values: Any) -> Iterable[Label]:
    """The texts of distinct values, none of them null; NaN has none."""
    from pyarrow import types

    kind = values.type
    if types.is_floating(kind):
        return map(_number, _floats(values))
    if types.is_decimal(kind):
        return map(decimal_text, values.to_pylist())
    if types.is_date(kind):
        per_day = 1 if types.is_date32(kind) else 86_400_000
        return [_day(number, per_day) for number in _numbers(values)]
    if types.is_time(kind) or types.is_duration(kind):
        unit = NANOSECONDS[kind.unit]
        text = clock_text if types.is_time(kind) else duration_text
        return [text(number * unit) for number in _numbers(values)]
    if types.is_timestamp(kind):
        return _moments(values)
    if types.is_interval(kind):
        return [_interval(value) for value in values.to_pylist()]
    if types.is_string(kind) or types.is_large_string(kind):
        texts: list[Label] = values.to_pylist()
        return texts
    return map(str, values.to_pylist())


def _floats(values: Any) -> Iterable[Any]:
    """Floats in their own precision."""
    numbers = _array(values, f"float{values.type.bit_width}")
    # Python's floats are quicker, and those of double precision.
    return numbers.tolist() if numbers.dtype == np.float64 else list(numbers)


def _number(value: Any) -> Label:
    """The text of a float; NaN, which differs from itself, is missing."""
    if value != value:
        return None
    return float_text(value)


def _interval(value: Any) -> str:
    """A duration of DuckDB, whose days have 24 hours."""
    if value.months:
        raise ValueError("an interval of months, which are not of one length")
    return duration_text(value.days * DAY + value.nanoseconds)


def _day(number: int, per_day: int) -> str:
    """A date of Arrow, which counts days, or milliseconds."""
    days, rest = divmod(number, per_day)
    if rest:
        raise ValueError("a date with a time of day")
    return day_text(days)


def _numbers(values: Any) -> list[int]:
    """The integers that times and dates are kept as."""
    import pyarrow

    width = values.type.bit_width
    whole = pyarrow.int32() if width == 32 else pyarrow.int64()
    numbers: list[int] = values.view(whole).to_pylist()
    return numbers


def _moments(values: Any) -> list[str]:
    """Timestamps: as dates where none is a moment within a day, else with the time."""
    import pyarrow.compute

    unit = NANOSECONDS[values.type.unit]
    moments = [number * unit for number in _numbers(values)]
    local = moments
    if values.type.tz is not None:
        wall = _numbers(pyarrow.compute.local_timestamp(values))
        local = [number * unit for number in wall]
    # By the clock on the wall: midnight there is a date, whatever UTC says.
    if all(moment % DAY == 0 for moment in local):
        return [day_text(moment // DAY) for moment in local]
    if values.type.tz is None:
        return [moment_text(moment) for moment in local]
    pairs = zip(moments, local, strict=True)
    return [moment_text(there, there - moment) for moment, there in pairs]
