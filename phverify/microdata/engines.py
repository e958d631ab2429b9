"""Which engine reads a table: this process, which holds all rows, or DuckDB or Spark,
which count them.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass
from glob import has_magic
from pathlib import Path
from typing import Any

from phverify.errors import InputError, nearest, refusal
from phverify.microdata.arrow_tables import held_table
from phverify.microdata.attached import PlacedTable, attached_table
from phverify.microdata.counted import counted_table
from phverify.microdata.csv_batches import header, well_formed
from phverify.microdata.duckdb_tables import DuckTable, csv_table, parquet_table
from phverify.microdata.duckdb_types import (
    held_otherwise,
    named_otherwise,
    read_otherwise,
    readable,
)
from phverify.microdata.files import plain_csv, table_file
from phverify.microdata.formats import PARQUET, is_pattern, matching
from phverify.microdata.frames import ArrowFrame
from phverify.microdata.parquet_files import footers
from phverify.microdata.spark_files import parquet_in_spark
from phverify.microdata.spark_session import (
    is_spark_frame,
    is_spark_session,
    named_master,
    spark_session,
)
from phverify.microdata.spark_tables import SparkWork, frame_in_spark
from phverify.microdata.streams import LARGE
from phverify.microdata.table import CodedTable
from phverify.spec.source import Names

ENGINES = ("auto", "pandas", "duckdb", "spark")


def named_engine(engine: object, spark: object = None, release: object = None) -> str:
    """The name of the engine for a release.  Raises InputError for what there is not.

    DataFrames of Spark are counted in their own session, and so is what is to be
    counted at the address of a cluster.
    """
    if not isinstance(engine, str) or engine not in ENGINES:
        what = f"is {', '.join(ENGINES[:-1])} or {ENGINES[-1]}, not {engine!r}"
        raise refusal("engine", what, nearest(str(engine), ENGINES, "engines"))
    own = is_spark_frame(release) and engine in ("auto", "spark")
    if spark is None:
        return "spark" if own else engine
    if own:
        what = "a DataFrame is counted in its own session"
        raise refusal("spark", what, "leave spark out")
    if engine not in ("auto", "spark"):
        raise refusal("spark", f"says where Spark is, and the engine is {engine}")
    if not is_spark_session(spark):
        named_master(spark)
    return "spark"


@dataclass(frozen=True)
class AskedCount:
    """What is to be counted of a table.

    ``grouping`` are the columns whose values are counted together, those of ``alone``
    each for itself; ``wanted`` decides the separator of a CSV.  Of columns that are
    ``unread`` nothing but missing cells is counted.  Where rows are ``shown``, all
    their cells are.
    """

    grouping: Names
    alone: Names
    wanted: Names
    unread: Names = ()
    shown: bool = False


def counted_in_spark(
    source: Any, spark: Any, asked: AskedCount, ending: ExitStack
) -> CodedTable:
    """A DataFrame of Spark, or Parquet files, counted in Spark until ``ending``.

    ``spark`` is a session, the address of a cluster, or None for this machine.  Raises
    InputError for other tables, and where Spark cannot be asked.
    """
    if is_spark_frame(source):
        frame_work = SparkWork("release", source.sparkSession, ending)
        frame = frame_in_spark(source, frame_work)
        return counted_table(frame, asked.grouping, asked.alone)
    if not isinstance(source, str | os.PathLike) or not _parquet_name(source):
        where = str(source) if isinstance(source, str | os.PathLike) else "release"
        what = "Spark counts Parquet files and its own DataFrames, and this is neither"
        raise refusal(where, what, "leave the engine out, or write it as Parquet")
    name = str(source)
    files = _matching(name)
    session = ending.enter_context(spark_session(spark))
    table = parquet_in_spark(files, SparkWork(name, session, ending))
    return counted_table(table, asked.grouping, asked.alone)


def counted(source: Any, engine: str, asked: AskedCount) -> CodedTable | None:
    """A table whose rows are counted in DuckDB: what is ``at_hand``.

    None where the rows are to be read into memory.  Raises InputError where DuckDB is
    asked for and cannot read the table.
    """
    if engine == "pandas":
        return None
    if isinstance(source, ArrowFrame):
        return _held(source, engine, asked)
    if isinstance(source, PlacedTable):
        return _placed(source, engine, asked)
    given = isinstance(source, str | os.PathLike)
    if given and _parquet_name(source):
        return _parquet(str(source), engine, asked)
    if given and plain_csv(source) and os.path.exists(source):
        return _csv(str(source), [str(source)], engine, asked)
    if given and is_pattern(source):
        parts = matching(source)
        if parts and all(map(plain_csv, parts)):
            return _csv(str(source), [*map(str, parts)], engine, asked)
    if engine == "duckdb":
        where = str(source) if given else "release"
        what = (
            "DuckDB counts files of CSV, Parquet, Arrow, SQLite and DuckDB, and frames"
            " of Arrow, but no packed files, workbooks or DataFrames of pandas"
        )
        raise refusal(where, what, "leave the engine out, or write it as Parquet")
    return None


def _held(frame: ArrowFrame, engine: str, asked: AskedCount) -> CodedTable | None:
    """A table that Arrow holds."""
    few = frame.table.nbytes < LARGE and engine != "duckdb"
    if few or not frame.table.num_rows:
        # That there are no rows is told by the reader.
        return None
    table = held_table(frame)
    return _typed(table, table.schema, engine, asked)


def _placed(source: PlacedTable, engine: str, asked: AskedCount) -> CodedTable | None:
    """A table of a DuckDB file."""
    table = attached_table(source)
    return _typed(table, table.schema, engine, asked)


def _typed(
    table: DuckTable, schema: Any, engine: str, asked: AskedCount
) -> CodedTable | None:
    """A table whose columns have types; where some are others in DuckDB, None."""
    wanted = (*asked.grouping, *asked.alone, *asked.unread)
    other = held_otherwise(schema, wanted)
    other = other or named_otherwise(schema, _shown(table, asked))
    if other and engine == "duckdb" and not asked.shown:
        raise _no_type(table.source, other)
    if other or not readable(table.columns):
        return None
    return counted_table(table, asked.grouping, asked.alone)


def _shown(table: DuckTable, asked: AskedCount) -> set[str]:
    """The columns whose cells are written as DuckDB writes them."""
    if asked.shown:
        return {*table.columns, *asked.wanted} - set(asked.grouping)
    return {*asked.wanted}.difference(asked.grouping, asked.alone, asked.unread)


def _no_type(where: str, name: str) -> InputError:
    what = f"DuckDB has no type for the values of the column {name!r}"
    return refusal(where, what, "leave the engine out")


def _parquet_name(source: str | os.PathLike[str]) -> bool:
    path = Path(source)
    if path.is_dir():
        # Nothing in it is a matter of the reader, which says so.
        return bool(matching(path))
    return path.suffix.lower() in PARQUET


def _matching(source: str) -> list[str]:
    """A file, or all that fit a pattern, in the order of their names."""
    if not is_pattern(source):
        return [source]
    files = [str(path) for path in matching(source)]
    if not files:
        raise refusal(source, "no file fits this pattern")
    return files


def _parquet(source: str, engine: str, asked: AskedCount) -> CodedTable | None:
    """A Parquet file, or all that fit a pattern."""
    files = _matching(source)
    if files == [source] and not _worth(source, engine):
        return None
    # A path that is itself a pattern would be read as one.
    if any(map(has_magic, files)):
        return None
    table = parquet_table(source, files)
    wanted = (*asked.grouping, *asked.alone, *asked.unread)
    # Each file has its own types, as far as they fit together.
    schemas, _ = footers(files)
    others = [read_otherwise(file, wanted) for file in files]
    others += [named_otherwise(one, _shown(table, asked)) for one in schemas]
    other = max(others)
    if other and engine == "duckdb" and not asked.shown:
        raise _no_type(source, other)
    if other:
        return None
    if readable(table.columns):
        return counted_table(table, asked.grouping, asked.alone)
    if len(files) > 1 and engine == "duckdb":
        what = "has columns that DuckDB does not tell apart, or calls as its own"
        hint = (
            "names differ in capital letters alone, are file_index, file_row_number or"
            " filename, or begin with phverify_"
        )
        raise refusal(source, what, hint)
    return None


def _csv(
    source: str, files: list[str], engine: str, asked: AskedCount
) -> CodedTable | None:
    """A CSV file, or several.  What is not well-formed is left to the reader of rows,
    and so is what differs in its header.
    """
    if engine != "duckdb" and sum(map(_size, files)) < LARGE:
        return None
    try:
        table = _csv_table(source, files, asked.wanted)
    except InputError:
        # Of several files the first that is wrong is told.
        if len(files) == 1:
            raise
        return None
    if table is None or not all(rows for _, rows in table.parts):
        return None
    try:
        return counted_table(table, asked.grouping, asked.alone)
    except InputError:
        table.require_unchanged()
        # It names the line that is wrong.
        return None


def _csv_table(source: str, files: list[str], wanted: Names) -> DuckTable | None:
    """Well-formed CSV files with one header; None for others.  Raises InputError."""
    separators = {}
    columns: list[str] = []
    for file in files:
        separators[file], names = header(table_file(file, "release"), wanted)
        columns = columns or names
        alike = names == columns and readable(names)
        if not alike or not well_formed(file, separators[file]):
            return None
    return csv_table(source, separators, columns)


def _worth(source: str, engine: str) -> bool:
    """Whether a file is large enough to be counted where it is, or has to be."""
    return engine == "duckdb" or _size(source) >= LARGE


def _size(source: str) -> int:
    try:
        return os.path.getsize(source)
    except OSError:  # that it is not there is told by the reader
        return 0
