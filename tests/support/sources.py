"""One table in many places: databases, frames, streams."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import polars
import pyarrow as pa
from pyarrow import dataset, feather

import phverify as ph
from phverify.microdata.csv_rows import csv_text

NUMBERS = (str, int, float, type(None))
"""What SQLite holds as it is."""


class Capsule:
    """Rows that are given once, by the PyCapsule protocol alone."""

    def __init__(self, table: pa.Table) -> None:
        self._reader: Any = table.to_reader(max_chunksize=2)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        reader, self._reader = self._reader, None
        return reader.__arrow_c_stream__(requested_schema)


def sqlite_file(table: pa.Table, path: Path, gaps: bool = False) -> None:
    names = ", ".join(f'"{name}"' for name in table.column_names)
    marks = ", ".join("?" for _ in table.column_names)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE TABLE t ({names})")
        rows = []
        for row in table.to_pylist():
            cells = [c if isinstance(c, NUMBERS) else str(c) for c in row.values()]
            rows.append([*cells])
            # Every other one is deleted again.
            rows += [[*cells]] * gaps
        connection.executemany(f"INSERT INTO t VALUES ({marks})", rows)
        if gaps:
            connection.execute("DELETE FROM t WHERE rowid % 2 = 0")
        connection.execute("CREATE VIEW v AS SELECT * FROM t")
        connection.commit()


def duckdb_file(table: pa.Table, path: Path, gaps: bool = False) -> None:
    with closing(duckdb.connect(str(path))) as connection:
        connection.register("given", table)
        whole = "(SELECT * FROM given LIMIT 1) UNION ALL" if gaps else ""
        connection.execute(f"CREATE TABLE t AS {whole} SELECT * FROM given")
        if gaps:
            connection.execute("DELETE FROM t WHERE rowid = 0")
        connection.execute("CREATE VIEW v AS SELECT * FROM t")


def _relation(table: pa.Table) -> Any:
    connection = duckdb.connect()
    connection.register("given", table)
    connection.execute("CREATE TABLE t AS SELECT * FROM given")
    return connection.sql("SELECT * FROM t")


FRAMES: dict[str, Callable[[pa.Table], Any]] = {
    "arrow": lambda table: table,
    "chunks": lambda table: pa.concat_tables([table[:1], table[1:]]),
    "reader": lambda table: table.to_reader(max_chunksize=2),
    "dataset": dataset.dataset,
    "capsule": Capsule,
    "polars": polars.from_arrow,
    "relation": _relation,
}


def csv_parts(table: pa.Table, folder: Path) -> None:
    """A file for the first row, and one for the others, whose separator is another."""
    folder.mkdir(exist_ok=True)
    for number, part in enumerate((table[:1], table[1:])):
        path = folder / f"{number}.csv"
        path.unlink(missing_ok=True)
        if len(part):
            rows = zip(*part.to_pydict().values(), strict=True)
            path.write_text(
                csv_text([part.column_names, *rows], ",;"[number]), newline=""
            )


FILES = ("feather", "csv parts", "duckdb", "duckdb gaps", "duckdb view", "sqlite", "sqlite gaps", "sqlite view")  # fmt: skip
FORMS = (*FRAMES, *FILES)


def source(form: str, table: pa.Table, path: Path) -> Callable[[], Any]:
    """What makes the table anew in this form; files are called ``path``."""
    if form in FRAMES:
        return lambda: FRAMES[form](table)
    path = path.with_suffix(f".{form.split()[0]}")
    if form == "csv parts":
        csv_parts(table, path.with_suffix(""))
        return lambda: str(path.with_suffix("") / "*.csv")
    path.unlink(missing_ok=True)
    if form == "feather":
        feather.write_feather(table, str(path), compression="uncompressed")
        return lambda: str(path)
    write = sqlite_file if form.startswith("sqlite") else duckdb_file
    write(table, path, form.endswith("gaps"))
    name = "v" if form.endswith("view") else "t"
    return lambda: ph.NamedTable(str(path), name)
