"""Which engine reads a table: this process, which holds all rows, or DuckDB, which
counts them.
"""

from __future__ import annotations

import os
from glob import glob, has_magic
from pathlib import Path
from typing import Any

from phverify.errors import nearest, refusal
from phverify.microdata.counted import counted_table
from phverify.microdata.duckdb_tables import DuckTable, parquet_table, readable
from phverify.microdata.files import PARQUET
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


def counted(
    source: Any, engine: str, grouping: Names, alone: Names
) -> CodedTable | None:
    """A table whose rows are counted in an engine.

    None where the rows are to be read into memory.  Raises InputError where DuckDB is
    asked for and cannot read the table.
    """
    if engine == "pandas" or not isinstance(source, str | os.PathLike):
        if engine == "duckdb":
            what = "reads files, and this table is in memory"
            raise refusal("engine = duckdb", what, "write it as Parquet")
        return None
    files = _parquet_files(str(source))
    if not files:
        if engine == "duckdb":
            what = "reads Parquet files here, and this is none"
            raise refusal(str(source), what, "leave the engine out")
        return None
    if engine == "auto" and len(files) == 1 and os.path.getsize(files[0]) < LARGE:
        return None
    table = parquet_table(str(source), files)
    if not readable(table.columns):
        if engine == "duckdb" or len(files) > 1:
            _refuse_names(table)
        return None
    return counted_table(table, grouping, alone)


def _parquet_files(source: str) -> list[str]:
    """The Parquet files that a path or a pattern means, in the order of their names."""
    if Path(source).suffix.lower() not in PARQUET:
        return []
    if os.path.exists(source):
        return [source]
    if not has_magic(source):
        return []
    files = sorted(glob(source))
    if not files:
        raise refusal(source, "no file fits this pattern")
    return files


def _refuse_names(table: DuckTable) -> None:
    what = (
        "two columns differ in capital letters alone, or one is called as DuckDB's own"
    )
    hint = "file_row_number, file_index and filename are DuckDB's: rename the column"
    raise refusal(table.source, what, hint)
