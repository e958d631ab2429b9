"""Which types Spark reads as they are, and how its answers get the type of the file.

What it cuts or reads as something else (nanoseconds, durations), and what its counts
would take for equal (texts under a collation), is not counted there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

WRITTEN_BY_SPARK = b"org.apache.spark.version"
"""Spark says in the files that it writes which version it was."""
EMPTY = "void"
"""The type of a column without a value."""
PLAIN = {
    "null": EMPTY,
    "bool": "BOOLEAN",
    "int8": "TINYINT",
    "int16": "SMALLINT",
    "int32": "INT",
    "int64": "BIGINT",
    "uint8": "SMALLINT",
    "uint16": "INT",
    "uint32": "BIGINT",
    "uint64": "DECIMAL(20,0)",
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "STRING",
    "large_string": "STRING",
    "date32[day]": "DATE",
}
"""By the type of a column in a Parquet file what Spark reads it as."""
COUNTED = (
    *("boolean", "byte", "short", "integer", "long", "float", "double"),
    *("string", "date", "timestamp", "timestamp_ntz"),
)
"""Types of Spark whose values are counted, as Spark calls them."""
UNREAD = "is none that is counted as it is"
DIGITS = 38
"""A decimal number of Spark has no more."""


def spark_type(schema: pa.Schema, name: str) -> str:
    """What Spark reads a column of a Parquet file as.  Raises ValueError with why not.

    Files that Spark wrote have their microseconds in a type for nanoseconds.
    """
    import pyarrow

    kind = schema.field(name).type
    if pyarrow.types.is_dictionary(kind):
        kind = kind.value_type
    if str(kind) in PLAIN:
        return PLAIN[str(kind)]
    if pyarrow.types.is_decimal(kind) and kind.precision <= DIGITS:
        return f"DECIMAL({kind.precision},{kind.scale})"
    if not pyarrow.types.is_timestamp(kind):
        raise ValueError(f"its type, {kind}, {UNREAD}")
    by_spark = WRITTEN_BY_SPARK in (schema.metadata or {})
    if kind.unit == "ns" and not by_spark:
        raise ValueError("its moments are in nanoseconds, and Spark's in microseconds")
    zoned = kind.tz is not None or kind.unit == "ns"
    return "TIMESTAMP" if zoned else "TIMESTAMP_NTZ"


def require_counted(kind: Any) -> None:
    """Raises ValueError for a column of a DataFrame that Spark does not count as it is.

    ``kind`` is its type, as Spark has it.
    """
    name = kind.typeName()
    if name.startswith("decimal"):
        return
    # A collation takes texts for equal that are not.
    collation = getattr(kind, "collation", "UTF8_BINARY")
    if name.split(" ")[0] not in COUNTED or collation != "UTF8_BINARY":
        raise ValueError(f"its type, {kind.simpleString()}, {UNREAD}")


def moments(
    schemas: Sequence[pa.Schema], types: Mapping[str, str]
) -> tuple[dict[str, pa.DataType], dict[str, pa.DataType]]:
    """By column with moments the type that it has in the files, and that in Spark."""
    import pyarrow

    zones = {"TIMESTAMP": "UTC", "TIMESTAMP_NTZ": None}
    in_files = {}
    in_spark = {}
    for name, kind in types.items():
        if kind not in zones:
            continue
        kinds = [schema.field(name).type for schema in schemas]
        typed = next(one for one in kinds if one != pyarrow.null())
        in_files[name] = pyarrow.timestamp("us", typed.tz)
        in_spark[name] = pyarrow.timestamp("us", zones[kind])
    return in_files, in_spark


def with_moments(table: pa.Table, kinds: Mapping[str, pa.DataType]) -> pa.Table:
    """A table whose columns of moments have these types, each moment as it is counted
    from 1970 on.
    """
    import pyarrow

    for place, name in enumerate(table.column_names):
        if name in kinds:
            moved = table.column(place).cast(pyarrow.int64()).cast(kinds[name])
            table = table.set_column(place, name, moved)
    return table
