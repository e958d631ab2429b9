"""A table where it can be counted, or read, more than once: what gives its rows only
once, or in no order of its own, is gone through here, and nowhere else.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from phverify.errors import refusal
from phverify.microdata.dataframes import is_pandas
from phverify.microdata.formats import DATABASES, FEATHER, NamedTable
from phverify.microdata.frames import ArrowFrame, framed, is_frame
from phverify.microdata.read import opened
from phverify.microdata.read_once import IN_MEMORY, ReadTable
from phverify.microdata.spark_session import is_spark_frame
from phverify.microdata.streams import LARGE


def at_hand(source: Any, engine: str, where: str = "release") -> Any:
    """A table as ``counted`` and ``read`` take it.

    Frames of Arrow are one ArrowFrame, and so is what a large file of Arrow or SQLite
    holds, and a view of a large file of DuckDB; a table of one becomes a PlacedTable.
    Any other source is as it was.  Raises InputError.
    """
    if isinstance(source, ReadTable) and engine in ("duckdb", "spark"):
        # Who asks for an engine wants it to count.
        source = _countable(source, where)
    if engine in ("pandas", "spark") or isinstance(source, ArrowFrame):
        return source
    if is_frame(source):
        if is_pandas(source) or is_spark_frame(source):
            return source
        return framed(source, where, streamed=True)
    file, name = source, None
    if isinstance(source, NamedTable):
        file, name = source.file, source.table
    if not isinstance(file, str | os.PathLike):
        return source
    path = Path(file)
    if not path.is_file() or (engine != "duckdb" and path.stat().st_size < LARGE):
        return source
    suffix = path.suffix.lower()
    if suffix in FEATHER:
        return opened(source, where)
    if suffix in DATABASES:
        return _in_database(path, name)
    return source


def _countable(table: ReadTable, where: str) -> Any:
    """What an engine may count of a table that was read.  Raises InputError where that
    is none of what was in the file any more.
    """
    source = table.source
    if isinstance(source, ArrowFrame):
        return replace(source, name=table.called(where).source)
    if is_pandas(source) and table.coded.source == IN_MEMORY:
        return source
    what = "was read into memory, and engines count files and frames of Arrow"
    raise refusal(table.coded.source, what, "leave the engine out, or give the file")


def _in_database(path: Path, name: str | None) -> Any:
    """A table of a database.  Raises InputError."""
    from phverify.microdata.databases import duckdb_place, is_sqlite

    if is_sqlite(path):
        from phverify.microdata.sqlite_batches import sqlite_frame

        return sqlite_frame(path, name)
    from phverify.microdata.attached import placed_table

    placed = placed_table(path, name)
    if placed is not None:
        return placed
    with duckdb_place(path, name) as place:
        frame = framed(place.relation(), place.where, streamed=True)
        return ArrowFrame(frame.name, frame.table, "file", place.notes)
