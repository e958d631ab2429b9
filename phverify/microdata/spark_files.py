"""Parquet files that Spark counts, each column read as the type that its file says."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from typing import TYPE_CHECKING
from urllib.parse import unquote

from phverify.errors import refusal
from phverify.microdata.counted import COUNT
from phverify.microdata.csv_batches import NUMBER
from phverify.microdata.headers import unique_names
from phverify.microdata.parquet_files import Stamps, footers, parts_of
from phverify.microdata.spark_tables import PART, QUOTE, SparkTable, SparkWork
from phverify.microdata.spark_types import EMPTY, moments, spark_type, with_moments
from phverify.microdata.sql_tables import quoted
from phverify.microdata.table import Parts
from phverify.spec.source import Names
from phverify.words import plural

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

PATTERNS = frozenset("*?[]{}\\")
"""What Spark takes for a pattern in the name of a file."""
OPTIONS = {
    # A folder's name, such as year=2020, is no column.
    "recursiveFileLookup": "true",
    # Every row counts: nothing is left out.
    "ignoreCorruptFiles": "false",
    "ignoreMissingFiles": "false",
    # Dates before 1582 are what the file says.
    "datetimeRebaseMode": "CORRECTED",
    "int96RebaseMode": "CORRECTED",
}
SHARED = "the workers have to see the same files, under the same paths as this machine"


@dataclass(frozen=True, eq=False)
class SparkFiles(SparkTable):
    """Parquet files in a session of Spark, which must stay as they are meanwhile.

    ``in_files`` has the types of columns with moments there, ``in_spark`` those that
    they have in Spark.
    """

    stamps: Stamps
    rows: int
    in_files: Mapping[str, pa.DataType]
    in_spark: Mapping[str, pa.DataType]
    parts: Parts = ()

    def _asked(self, query: str, given: Sequence[str] = ()) -> pa.Table:
        try:
            answer = super()._asked(query, given)
        finally:
            # Where it was changed, that is why Spark cannot read it.
            self.stamps.require_unchanged()
        return with_moments(answer, self.in_files)

    def _beside(self, groups: pa.Table) -> str:
        moved = with_moments(groups, self.in_spark)
        return super()._beside(moved)

    def grouped(self, names: Names) -> pa.Table:
        """Each combination of values of some columns, with ``COUNT`` and ``FIRST``.

        Raises InputError for a column that Spark does not count as it is.
        """
        groups = super().grouped(names)
        counted = sum(groups.column(COUNT).to_pylist())
        if counted != self.rows:
            what = f"has {plural(self.rows, 'row')}, and Spark counted {counted:,}"
            raise refusal(self.source, what, SHARED)
        return groups


def parquet_in_spark(files: Sequence[str], work: SparkWork) -> SparkFiles:
    """Parquet files with the same columns as one table, in this order.

    Raises InputError for files that cannot be read, or differ in their columns, or are
    not the same ones for Spark.
    """
    for name in files:
        if PATTERNS & set(name):
            what = "has a character in its name that Spark takes for a pattern"
            raise refusal(name, what, f"call it something without {' '.join(PATTERNS)}")
    stamps = Stamps.of(files)
    schemas, rows = footers(files)
    columns = tuple(unique_names(schemas[0].names, files[0]))
    types, unread = _types(columns, schemas)
    frame = _read(files, schemas, types, work)
    if len(files) > 1:
        paths = _paths(frame, files, rows, work)
        before = dict(zip(paths, [0, *accumulate(rows)], strict=False))
        frame = work.numbered(frame, before)
    view = work.view("rows", frame)
    in_files, in_spark = moments(schemas, types)
    known = (work.source, columns, view, NUMBER, work, unread)
    parts = parts_of(files, rows)
    return SparkFiles(*known, stamps, sum(rows), in_files, in_spark, parts)


def _types(
    columns: Names, schemas: Sequence[pa.Schema]
) -> tuple[dict[str, str], dict[str, str]]:
    """By column what Spark reads it as, or else why it does not."""
    types = {}
    unread = {}
    for name in columns:
        try:
            # Files in which it has no value say nothing of its type.
            found = {spark_type(schema, name) for schema in schemas}
        except ValueError as error:
            unread[name] = str(error)
            continue
        (types[name],) = found - {EMPTY} or {EMPTY}
    return types, unread


def _read(
    files: Sequence[str],
    schemas: Sequence[pa.Schema],
    types: Mapping[str, str],
    work: SparkWork,
) -> DataFrame:
    """The rows of all files, each with its file and its number there."""
    alike = defaultdict(list)
    for file, schema in zip(files, schemas, strict=True):
        # Spark does not read a column without a type as one that has one.
        valued = [name for name in types if spark_type(schema, name) != EMPTY]
        alike[tuple(valued)].append(file)
    frames = []
    for columns, some in alike.items():
        frames.append(_read_alike(some, columns, types, work))
    return reduce(lambda above, below: above.unionByName(below), frames)


def _read_alike(
    files: Sequence[str], valued: Names, types: Mapping[str, str], work: SparkWork
) -> DataFrame:
    """The rows of files in which the same columns have values."""
    from pyspark.sql import functions
    from pyspark.sql.types import StructType

    described = [f"{quoted(name, QUOTE)} {types[name]}" for name in valued]
    schema = ", ".join(described) or StructType([])
    # Paths without a scheme may be those of another file system.
    paths = [f"file:{os.path.abspath(name)}" for name in files]
    frame = work.session.read.schema(schema).options(**OPTIONS).parquet(*paths)
    place = frame.metadataColumn("_metadata")
    columns = []
    for name, kind in types.items():
        cells = functions.lit(None).cast(kind)
        if name in valued:
            cells = frame[quoted(name, QUOTE)]
        columns.append(cells.alias(name))
    columns.append(place.getField("file_path").alias(PART))
    columns.append(place.getField("row_index").alias(NUMBER))
    return frame.select(*columns)


def _paths(
    frame: DataFrame, files: Sequence[str], rows: Sequence[int], work: SparkWork
) -> list[str]:
    """What Spark calls each file.  Raises InputError where it has other rows there."""
    answer = work.answer(lambda: frame.groupBy(PART).count(), SHARED).to_pydict()
    counts = dict(zip(*answer.values(), strict=True))
    called = {_local(path): path for path in counts}
    paths = []
    for name, wanted in zip(files, rows, strict=True):
        path = called.get(os.path.abspath(name), "")
        counted = counts.get(path, 0)
        if counted != wanted:
            what = f"has {plural(wanted, 'row')} here, and {counted:,} for Spark"
            raise refusal(name, what, SHARED)
        paths.append(path)
    return paths


def _local(path: str) -> str:
    """The path of a file on this machine that Spark calls so."""
    return unquote("/" + path.removeprefix("file:").lstrip("/"))
