"""Rows that are gone through once: where they are kept, what is left of them, and what
goes wrong.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from pyarrow import parquet
from support.sources import Capsule, source
from test_counted_sources_beside import everything_large

import phverify as ph
from phverify.errors import InputError
from phverify.microdata import at_hand as module
from phverify.microdata import streams
from phverify.microdata.attached import PlacedTable
from phverify.microdata.engines import AskedCount, counted
from phverify.microdata.frames import ArrowFrame

POLICY: dict[str, Any] = {
    "columns": {"quasi": ["q"], "sensitive": ["s"]},
    "rules": {"k": "k_anonymity(2)"},
}
TABLE = pa.table({"q": [*"aabb"], "s": [*"xyxy"]})
ASKED = AskedCount(("q", "s"), (), ())


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which rows are set aside."""
    folder = tmp_path / "room"
    folder.mkdir()
    monkeypatch.setattr("phverify.microdata.spill.place", lambda: str(folder))
    return folder


@pytest.mark.parametrize("form", ["capsule", "relation", "sqlite", "duckdb view"])
def test_nothing_is_left_of_rows_that_are_set_aside(
    form: str, tmp_path: Path, room: Path
) -> None:
    made = source(form, TABLE, tmp_path / "t")
    with everything_large():
        frame = module.at_hand(made(), "auto")
    assert isinstance(frame, ArrowFrame)
    # The rows are there, and no file has them any more.
    assert not [*room.iterdir()]
    assert frame.table.to_pydict() == TABLE.to_pydict()


def test_where_there_is_no_room_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*given: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(streams, "SpillFolder", full)
    with everything_large(), pytest.raises(InputError) as told:
        ph.verify(Capsule(TABLE), POLICY)
    assert "release: rows cannot be set aside: No space left on device" in str(told)
    assert "set TMPDIR" in str(told.value)


@pytest.mark.parametrize("large", [False, True])
def test_a_stream_that_breaks_off_is_no_table(large: bool, room: Path) -> None:
    def batches() -> Iterator[pa.RecordBatch]:
        yield from TABLE.to_batches()
        raise ValueError("the line is cut")

    broken = pa.RecordBatchReader.from_batches(TABLE.schema, batches())
    with pytest.raises(InputError, match="the line is cut"):
        if large:
            with everything_large():
                ph.verify(broken, POLICY)
        else:
            ph.verify(broken, POLICY)
    assert not [*room.iterdir()]


def test_case_that_a_column_ignores_tells_values_apart(tmp_path: Path) -> None:
    path = tmp_path / "t.duckdb"
    with closing(duckdb.connect(str(path))) as connection:
        connection.execute("CREATE TABLE t (q VARCHAR COLLATE NOCASE, s VARCHAR)")
        connection.execute("INSERT INTO t VALUES ('a', 'x'), ('A', 'x')")
        connection.execute(
            "CREATE TABLE g (s VARCHAR, q VARCHAR GENERATED ALWAYS AS"
            " (s COLLATE NOCASE))"
        )
        connection.execute("INSERT INTO g VALUES ('a'), ('A')")
    other = tmp_path / "t.sqlite"
    with closing(sqlite3.connect(other)) as database:
        database.execute("CREATE TABLE t (q TEXT COLLATE NOCASE, s)")
        database.execute("INSERT INTO t VALUES ('a', 'x'), ('A', 'x')")
        database.commit()
    for file, name in ((path, "t"), (path, "g"), (other, "t")):
        for engine in ("duckdb", "pandas"):
            report = ph.verify(ph.NamedTable(file, name), POLICY, engine=engine)
            assert report.verdict == "refuted", (file, name, engine)


def test_tables_of_duckdb_are_counted_in_place(tmp_path: Path) -> None:
    """Where their rows have numbers and their values are alike; else set aside."""
    path = tmp_path / "t.duckdb"
    with closing(duckdb.connect(str(path))) as connection:
        for name, query in {
            "plain": "SELECT 'a' AS q, 1.50 AS s",
            "named rowid": "SELECT 'a' AS q, 1 AS rowid",
            "enum": "SELECT 'a'::ENUM('a', 'b') AS q, 1 AS s",
            "huge": "SELECT 'a' AS q, 1::HUGEINT AS s",
            "zoned": "SELECT 'a' AS q, now() AS s",
        }.items():
            connection.execute(f'CREATE TABLE "{name}" AS {query}')
        connection.execute(
            'CREATE SCHEMA "o\'d"; CREATE TABLE "o\'d"."x""y" AS SELECT 1 AS q'
        )
    kinds = {}
    for name in ("plain", "named rowid", "enum", "huge", "zoned", "o'd.x\"y"):
        held = module.at_hand(ph.NamedTable(path, name), "duckdb")
        kinds[name] = isinstance(held, PlacedTable)
        if name != "zoned":
            table = counted(held, "duckdb", AskedCount(("q",), (), ()))
            assert table is not None and table.rows == 1
    assert kinds == {**dict.fromkeys(kinds, False), "plain": True, "o'd.x\"y": True}
    quote = tmp_path / "it's.duckdb"
    path.rename(quote)
    report = ph.verify(ph.NamedTable(quote, "plain"), POLICY, engine="duckdb")
    assert report.verdict == "refuted"


def test_a_database_that_changes_meanwhile_is_refused(tmp_path: Path) -> None:
    made = source("duckdb", TABLE, tmp_path / "t")
    held = module.at_hand(made(), "duckdb")
    assert isinstance(held, PlacedTable)
    with closing(duckdb.connect(str(tmp_path / "t.duckdb"))) as connection:
        connection.execute("INSERT INTO t VALUES ('c', 'x')")
    with pytest.raises(InputError, match="was changed while it was read"):
        counted(held, "duckdb", ASKED)


@pytest.mark.parametrize("form", ["duckdb view", "sqlite view"])
@pytest.mark.parametrize("engine", ["duckdb", "pandas"])
def test_rows_of_views_have_no_numbers_of_their_own(
    form: str, engine: str, tmp_path: Path
) -> None:
    made = source(form, TABLE, tmp_path / "t")
    for report in (
        ph.verify(made(), POLICY, engine=engine),
        ph.search(made(), POLICY, engine=engine),
    ):
        (note,) = (one for one in report.notes if "view" in one)
        assert "the view 'v' gives its rows no numbers of their own" in note


def test_types_that_nobody_knows_are_not_taken_for_what_holds_them(
    tmp_path: Path,
) -> None:
    field = pa.field("q", pa.int64(), metadata={"ARROW:extension:name": "a.period"})
    table = pa.table(
        [pa.array([1, 2]), pa.array([*"xy"])], pa.schema([field, ("s", pa.string())])
    )
    path = tmp_path / "t.parquet"
    parquet.write_table(table, path)
    for given in (path, table):
        with pytest.raises(InputError, match=r"no type for the values of .* 'q'"):
            ph.verify(given, POLICY, engine="duckdb")
        for engine in ("auto", "pandas"):
            with everything_large(), pytest.raises(InputError, match=r"a\.period"):
                ph.verify(given, POLICY, engine=engine)


@pytest.mark.parametrize("engine", ["duckdb", "pandas"])
def test_times_finer_than_those_of_pandas(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    times = pa.array([1, 1001, None], pa.time64("ns"))
    parquet.write_table(pa.table({"q": [*"aab"], "s": times}), path)
    policy = {**POLICY, "rules": {"k": "k_anonymity(1)"}}
    result = ph.search(path, policy, engine=engine)
    result.write(tmp_path / "r.parquet")
    assert parquet.read_table(tmp_path / "r.parquet").column("s").to_pylist()[2] is None
    assert parquet.read_schema(tmp_path / "r.parquet").field("s").type == times.type
    result.write(tmp_path / "r.csv")
    lines = (tmp_path / "r.csv").read_text().splitlines()
    assert lines[1:] == ["a,00:00:00.000000001", "a,00:00:00.000001001", "b,"]
    assert result.release["s"].isna().tolist() == [False, False, True]


@pytest.mark.parametrize("engine", ["duckdb", "pandas"])
def test_what_parquet_has_no_type_for_is_said(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "t.duckdb"
    with closing(duckdb.connect(str(path))) as connection:
        connection.execute("CREATE TABLE t AS SELECT 'a' AS q, INTERVAL 5 HOUR AS s")
    policy = {
        "columns": {"quasi": ["q"], "neutral": ["s"]},
        "rules": {"k": "k_anonymity(1)"},
    }
    if engine == "duckdb":
        with pytest.raises(InputError, match=r"no type for the values of .* 's'"):
            ph.search(path, policy, engine=engine)
        return
    result = ph.search(path, policy, engine=engine)
    with pytest.raises(InputError, match="cannot be Parquet"):
        result.write(tmp_path / "r.parquet")
    assert not (tmp_path / "r.parquet").exists()
    result.write(tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_text() == "q,s\na,0 days 05:00:00\n"


def test_views_of_texts_are_released_in_memory() -> None:
    table = pa.table({"q": pa.array([*"aab"]).cast(pa.string_view()), "s": [*"xyz"]})
    policy = {**POLICY, "rules": {"k": "k_anonymity(1)"}}
    for engine in ("duckdb", "pandas"):
        release: Any = ph.search(table, policy, engine=engine).release
        assert release.column("q").to_pylist() == [*"aab"]


def test_columns_alike_but_for_capitals_are_read(tmp_path: Path) -> None:
    for number in range(2):
        part = pa.table({"q": [*"ab"], "s": [*"xy"], "Q": [*"cd"]})
        parquet.write_table(part, tmp_path / f"{number}.parquet")
    assert ph.verify(tmp_path, POLICY).verdict == "proved"
    with pytest.raises(InputError, match="does not tell apart"):
        ph.verify(tmp_path, POLICY, engine="duckdb")
