"""Columns whose values DuckDB has as Arrow does, and those that it has otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from phverify.microdata.arrow import EXTENSION
from phverify.microdata.counted import OWN
from phverify.microdata.parquet_files import old_moments

if TYPE_CHECKING:
    import pyarrow as pa


def read_otherwise(path: str, names: Iterable[str]) -> str:
    """One of these columns of a Parquet file whose values DuckDB does not read as Arrow
    does; "" if none.
    """
    from pyarrow import parquet

    described = parquet.ParquetFile(path)
    wanted = [*names]
    # DuckDB reads them without their nanoseconds: two of them may become one.
    for name in old_moments(described):
        if name in wanted:
            return name
    return held_otherwise(described.schema_arrow, wanted)


def held_otherwise(schema: pa.Schema, names: Iterable[str]) -> str:
    """One of these columns whose values are others in DuckDB; "" if none.

    Long decimals and durations become numbers there, and moments with a time zone those
    of the machine's.
    """
    for name in names:
        if name in schema.names and not _alike(schema.field(name)):
            return name
    return ""


def named_otherwise(schema: pa.Schema, names: Iterable[str]) -> str:
    """One of these columns whose cells DuckDB writes in another way; "" if none.

    1.0 is 1 here, and moments are written with a T.
    """
    from pyarrow import types

    for name in names:
        if name not in schema.names:
            continue
        kind = schema.field(name).type
        if types.is_dictionary(kind):
            kind = kind.value_type
        text = str(kind) in ("string", "large_string", "string_view")
        if not (text or types.is_integer(kind) or types.is_null(kind)):
            return name
    return ""


def _alike(field: pa.Field) -> bool:
    """Whether DuckDB has the values that Arrow has."""
    from pyarrow import types

    kind = field.type
    # What pandas alone has a type for is a number here, and has another text there.
    if EXTENSION in (field.metadata or {}) or hasattr(kind, "extension_name"):
        return False
    if types.is_dictionary(kind):
        kind = kind.value_type
    if types.is_timestamp(kind):
        return kind.tz is None
    if types.is_floating(kind):
        return not types.is_float16(kind)
    if types.is_decimal128(kind):
        return bool(kind.scale >= 0)
    if str(kind) == "string_view":
        return True
    others = (
        types.is_null,
        types.is_boolean,
        types.is_integer,
        types.is_string,
        types.is_large_string,
        types.is_date32,
        types.is_time,
    )
    return any(is_kind(kind) for is_kind in others)


def readable(columns: Iterable[str]) -> bool:
    """Whether DuckDB tells these columns apart, and from its own.

    It does not tell small letters from capital ones.
    """
    names = [name.casefold() for name in columns]
    own = {"file_row_number", "file_index", "filename"}
    # And those that questions add to the table's.
    added = any(name.startswith(OWN) for name in names)
    return len(set(names)) == len(names) and not added and not own & set(names)
