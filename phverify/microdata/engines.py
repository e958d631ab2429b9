"""Which engine reads a table: this process, which holds all rows, or DuckDB, which
counts them.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from glob import has_magic
from pathlib import Path
from typing import Any

from phverify.errors import InputError, nearest, refusal
from phverify.microdata.counted import counted_table
from phverify.microdata.csv_batches import header, well_formed
from phverify.microdata.duckdb_tables import (
    csv_table,
    parquet_table,
    read_otherwise,
    readable,
)
from phverify.microdata.files import plain_csv, table_file
from phverify.microdata.formats import PARQUET, is_pattern, matching
from phverify.microdata.table import CodedTable
from phverify.spec.source import Names

ENGINES = ("auto", "pandas", "duckdb")
LARGE = 16 * 1024 * 1024
"""From so many bytes on rows are counted where they are, unless something else is
said.
"""


def named_engine(engine: object) -> str:
    """The name of an engine.  Raises InputError for anything else."""
    if isinstance(engine, str) and engine in ENGINES:
        return engine
    what = f"is {', '.join(ENGINES[:-1])} or {ENGINES[-1]}, not {engine!r}"
    raise refusal("engine", what, nearest(str(engine), ENGINES, "engines"))


@dataclass(frozen=True)
class AskedCount:
    """What is to be counted of a table.

    ``grouping`` are the columns whose values are counted together, those of ``alone``
    each for itself; ``wanted`` decides the separator of a CSV.
    """

    grouping: Names
    alone: Names
    wanted: Names


def counted(source: Any, engine: str, asked: AskedCount) -> CodedTable | None:
    """A table whose rows are counted in an engine.

    None where the rows are to be read into memory.  Raises InputError where DuckDB is
    asked for and cannot read the table.
    """
    if engine == "pandas":
        return None
    given = isinstance(source, str | os.PathLike)
    if given and _parquet_name(source):
        return _parquet(str(source), engine, asked)
    if given and plain_csv(source) and os.path.exists(source):
        return _csv(str(source), engine, asked)
    if engine == "duckdb":
        where = str(source) if given else "release"
        what = "DuckDB counts CSV and Parquet files, and this is none"
        raise refusal(where, what, "leave the engine out, or write it as Parquet")
    return None


def _parquet_name(source: str | os.PathLike[str]) -> bool:
    path = Path(source)
    if path.is_dir():
        # Nothing in it is a matter of the reader, which says so.
        return bool(matching(path))
    return path.suffix.lower() in PARQUET


def _parquet(source: str, engine: str, asked: AskedCount) -> CodedTable | None:
    """A Parquet file, or all that fit a pattern."""
    files = [source]
    if is_pattern(source):
        files = [str(path) for path in matching(source)]
        if not files:
            raise refusal(source, "no file fits this pattern")
    if files == [source] and not _worth(source, engine):
        return None
    # A path that is itself a pattern would be read as one.
    if any(map(has_magic, files)):
        return None
    table = parquet_table(source, files)
    other = read_otherwise(files[0], (*asked.grouping, *asked.alone))
    if other and engine == "duckdb":
        what = f"DuckDB has no type for the values of the column {other!r}"
        raise refusal(source, what, "leave the engine out")
    if other:
        return None
    if readable(table.columns):
        return counted_table(table, asked.grouping, asked.alone)
    if len(files) > 1:
        what = "has columns that DuckDB does not tell apart, or calls as its own"
        hint = "names differ in capital letters alone, or are file_index or filename"
        raise refusal(source, what, hint)
    return None


def _csv(source: str, engine: str, asked: AskedCount) -> CodedTable | None:
    """A CSV file.  What is not well-formed is left to the reader of rows."""
    if not _worth(source, engine):
        return None
    separator, names = header(table_file(source, "release"), asked.wanted)
    if not readable(names) or not well_formed(source, separator):
        return None
    table = csv_table(source, separator, names)
    try:
        return counted_table(table, asked.grouping, asked.alone)
    except InputError:
        table.require_unchanged()
        # It names the line that is wrong.
        return None


def _worth(source: str, engine: str) -> bool:
    """Whether a file is large enough to be counted where it is, or has to be."""
    return engine == "duckdb" or not _small(source)


def _small(source: str) -> bool:
    try:
        return os.path.getsize(source) < LARGE
    except OSError:  # that it is not there is told by the reader
        return True
