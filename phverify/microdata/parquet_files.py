"""Parquet files that are one table: their columns are the same, and they stay as they
are while they are read.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from phverify.errors import InputError, Problem, nearest, refusal
from phverify.microdata.table import Parts

if TYPE_CHECKING:
    import pyarrow as pa

Stamp = tuple[int, int]
"""Of a file its size, and when it was last written (nanoseconds)."""
ABSENT: Stamp = (-1, 0)
"""Of a file that is not there, and need not be."""


@dataclass(frozen=True)
class Stamps:
    """When files were last written, and how large they were then."""

    before: Mapping[str, Stamp]

    @classmethod
    def of(cls, files: Iterable[str], beside: Iterable[str] = ()) -> Stamps:
        """Those of these files now, and of the ones ``beside`` that may be there.

        Raises InputError where one of ``files`` is not there.
        """
        stamps = {name: _stamp(name) for name in files}
        for name in beside:
            stamps[name] = _stamp(name) if os.path.exists(name) else ABSENT
        return cls(stamps)

    def require_unchanged(self) -> None:
        """Raises InputError where a file was written since."""
        for name, before in self.before.items():
            absent = before == ABSENT and not os.path.exists(name)
            if not absent and _stamp(name) != before:
                what = "was changed while it was read"
                hint = "give a copy that nobody writes to"
                raise refusal(name, what, hint)


def _stamp(name: str) -> Stamp:
    try:
        status = os.stat(name)
    except OSError as error:
        raise refusal(name, f"cannot be read: {error.strerror}") from None
    # Both: clocks are coarse, and sizes may stay the same.
    return status.st_size, status.st_mtime_ns


def footers(files: Sequence[str]) -> tuple[list[pa.Schema], list[int]]:
    """The columns of each file with their types, and how many rows it has.

    Raises InputError for files that cannot be read, or differ in their columns.
    """
    import pyarrow
    from pyarrow import parquet

    schemas = []
    rows = []
    for name in files:
        try:
            # The footer alone: it takes no time, however many rows there are.
            described = parquet.ParquetFile(name)
        except (OSError, pyarrow.ArrowException) as error:
            raise refusal(name, f"is no readable Parquet file: {error}") from None
        schemas.append(described.schema_arrow)
        rows.append(described.metadata.num_rows)
    for name, schema in zip(files, schemas, strict=True):
        _require_same(files[0], schemas[0], name, schema)
    return schemas, rows


def null_counts(files: Sequence[str], names: Iterable[str]) -> dict[str, int]:
    """How many cells of a column are missing, where the files say so.

    Texts may be empty, and floats no numbers, which they do not say.
    """
    from pyarrow import parquet, types

    counts = dict.fromkeys(names, 0)
    for file in files:
        described = parquet.ParquetFile(file)
        known = _nulls_of(described.metadata)
        for name in tuple(counts):
            kind = described.schema_arrow.field(name).type
            certain = (types.is_integer(kind), types.is_date(kind))
            if name in known and any(certain):
                counts[name] += known[name]
            else:
                del counts[name]
    return counts


def _nulls_of(described: Any) -> dict[str, int]:
    """By column the missing cells of a file whose parts all say how many they have."""
    counts: dict[str, int] = {}
    silent = set()
    for group in range(described.num_row_groups):
        for place in range(described.num_columns):
            column = described.row_group(group).column(place)
            name = column.path_in_schema
            told = column.statistics
            if told is None or not told.has_null_count:
                # One part that does not say makes the sum unknown.
                silent.add(name)
            else:
                counts[name] = counts.get(name, 0) + told.null_count
    return {name: count for name, count in counts.items() if name not in silent}


def parts_of(files: Sequence[str], rows: Sequence[int]) -> Parts:
    """Files with their numbers of rows, where there are several."""
    if len(files) == 1:
        return ()
    return tuple(zip(files, rows, strict=True))


def old_moments(described: Any) -> set[str]:
    """The columns of an opened Parquet file whose moments have 96 bits.

    That form holds nanoseconds of thousands of years, which no type of today does.
    """
    schema = described.schema
    columns = [schema.column(number) for number in range(len(schema.names))]
    return {one.name for one in columns if one.physical_type == "INT96"}


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
    # A file without a value in a column may have no type for it.
    return bool(one == other) or nothing in (one, other)
