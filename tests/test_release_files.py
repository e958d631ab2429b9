"""The released file of a table that stays where it is: its rows in their order and
types, and whole or not there.
"""

from __future__ import annotations

import datetime
import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet
from support.so_many import sampled

import phverify as ph
from phverify.cli.main import main
from phverify.microdata.rewriting import Rewriting

ROOT = Path(ph.__file__).parents[1]
POLICY = """
[columns]
identifier = "id"
quasi = ["age", "part", "when", "kind"]
sensitive = ["ill"]
neutral = ["born", "price", "score", "note", "code"]
[hierarchies]
age = {intervals = [10]}
[rules]
k = "k_anonymity(3)"
"""
DAYS = [datetime.date(1999, 12, 31), datetime.date(1850, 1, 1), None]
COLUMNS: dict[str, tuple[pa.DataType, list[Any]]] = {
    "id": (pa.int64(), list(range(24))),
    "age": (pa.int16(), [20 + k % 7 for k in range(24)]),
    "part": (pa.float64(), [0.5, float("nan"), -0.0, 0.0, None, 0.5] * 4),
    "when": (pa.date32(), [DAYS[0]] * 24),
    "kind": (pa.dictionary(pa.int8(), pa.string()), ["z", *["b", "a"] * 11, "b"]),
    "ill": (pa.large_string(), ["flu", 'a "b"', "", None, "x,y", "two\nlines"] * 4),
    "born": (pa.date32(), DAYS * 8),
    "price": (pa.decimal128(9, 2), [Decimal("1.50"), None, Decimal(2)] * 8),
    "score": (pa.uint64(), [2**63 + 1, None, 3] * 8),
    "note": (pa.timestamp("us"), [datetime.datetime(2020, 1, 1, 12), None, None] * 8),
    "code": (pa.dictionary(pa.int8(), pa.string()), ["rare", *["c", "d"] * 11, "c"]),
}


def typed_table() -> pa.Table:
    arrays = {name: pa.array(cells, kind) for name, (kind, cells) in COLUMNS.items()}
    return pa.table(arrays)


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    path = tmp_path / "policy.toml"
    path.write_text(POLICY, encoding="utf-8")
    return path


def searched(table: Path, policy: Path, engine: str = "duckdb", **more: Any) -> Any:
    return ph.search(table, policy, engine=engine, suppress="1/4", **more)


def test_columns_that_stay_keep_their_types(tmp_path: Path, policy: Path) -> None:
    table = tmp_path / "t.parquet"
    parquet.write_table(typed_table(), table, row_group_size=5)
    result = searched(table, policy)
    assert result.verdict == "optimal"
    assert 0 < result.suppressed < 7
    result.write(tmp_path / "r.parquet")
    written = parquet.read_table(tmp_path / "r.parquet")
    changed = {n for n, one in result.mapping.items() if {*one} != {*one.values()}}
    for field in written.schema:
        wanted = pa.string() if field.name in changed else COLUMNS[field.name][0]
        assert field.type == wanted
    assert "age" in changed
    # Rows are those of a release in memory, in the same order.
    release = searched(table, policy, "pandas").release
    assert len(release) == written.num_rows
    again = pa.Table.from_pandas(release, preserve_index=False)
    for name in written.column_names:
        column = written.column(name).to_pylist()
        assert column == again.column(name).to_pylist()
    # What is withheld is left behind in no dictionary.
    content = (tmp_path / "r.parquet").read_bytes()
    kept = "rare" in written.column("code").to_pylist()
    assert (b"rare" in content) == kept
    assert ph.verify(tmp_path / "r.parquet", policy).verdict == "proved"


def test_many_files_are_written_as_one(tmp_path: Path, policy: Path) -> None:
    whole = typed_table().drop_columns(["note"])
    text = POLICY.replace('"note", ', "")
    policy.write_text(text, encoding="utf-8")
    folder = tmp_path / "parts"
    folder.mkdir()
    for place, start in enumerate((0, 10, 13)):
        end = (10, 13, 24)[place]
        part = whole.slice(start, end - start)
        if place == 1:
            empty = pa.nulls(end - start)
            part = part.set_column(part.column_names.index("price"), "price", empty)
        parquet.write_table(part, folder / f"{place}.parquet")
    result = searched(folder, policy)
    result.write(tmp_path / "r.csv")
    read = searched(folder, policy, "pandas")
    read.write(tmp_path / "same.csv")
    assert (tmp_path / "r.csv").read_bytes() == (tmp_path / "same.csv").read_bytes()
    result.write(tmp_path / "r.parquet")
    schema = parquet.read_schema(tmp_path / "r.parquet")
    assert schema.field("price").type == pa.decimal128(9, 2)


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".csv.bz2", ".csv.xz"])
def test_a_csv_is_written_like_the_input(
    ending: str, tmp_path: Path, policy: Path
) -> None:
    frame = typed_table().drop_columns(["note"]).to_pandas()
    policy.write_text(POLICY.replace('"note", ', ""), encoding="utf-8")
    text = frame.to_csv(index=False, sep=";", lineterminator="\r\n")
    table = tmp_path / "t.csv"
    table.write_bytes(b"\xef\xbb\xbf" + text.encode())
    written = []
    for engine in ("duckdb", "pandas"):
        result = searched(table, policy, engine)
        result.write(tmp_path / f"{engine}{ending}")
        written.append(opened(tmp_path / f"{engine}{ending}"))
    assert written[0] == written[1]
    assert written[0].startswith(b"\xef\xbb\xbfage;")


def opened(path: Path) -> bytes:
    """What a file holds once it is unpacked."""
    import bz2
    import gzip
    import lzma

    content = path.read_bytes()
    unpack = {".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress}
    return unpack.get(path.suffix, bytes)(content)


def test_moments_in_csv_are_written_from_memory(tmp_path: Path, policy: Path) -> None:
    table = tmp_path / "t.parquet"
    parquet.write_table(typed_table(), table)
    for engine in ("duckdb", "pandas"):
        searched(table, policy, engine).write(tmp_path / f"{engine}.csv")
    assert (tmp_path / "duckdb.csv").read_bytes() == (
        tmp_path / "pandas.csv"
    ).read_bytes()


def test_a_new_order_is_written_from_memory(tmp_path: Path, policy: Path) -> None:
    table = tmp_path / "t.parquet"
    parquet.write_table(typed_table(), table)
    for engine in ("duckdb", "pandas"):
        searched(table, policy, engine, shuffle=3).write(tmp_path / f"{engine}.csv")
    written = [(tmp_path / f"{name}.csv").read_bytes() for name in ("duckdb", "pandas")]
    assert written[0] == written[1]


def test_a_release_in_memory_is_written(tmp_path: Path) -> None:
    frame = pl.DataFrame({"q": ["a", "a", "b", "b"], "f": [1, 2, None, 4]})
    policy = {
        "columns": {"quasi": ["q"], "sensitive": ["f"]},
        "rules": {"k": "k_anonymity(2)"},
    }
    result = ph.search(frame, policy)
    result.write(tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_text() == "q,f\na,1\na,2\nb,\nb,4\n"
    result.write(tmp_path / "r.parquet")
    assert parquet.read_table(tmp_path / "r.parquet").num_rows == 4
    policy["rules"] = {"k": "k_anonymity(5)"}
    with pytest.raises(ph.InputError, match="there is no release"):
        ph.search(frame, policy).write(tmp_path / "none.csv")
    with pytest.raises(ph.InputError, match="counts files of CSV, Parquet, Arrow"):
        ph.search(frame.to_pandas(), policy, engine="duckdb")
    with pytest.raises(ph.InputError, match="asks for Spark"):
        ph.anonymize(frame, policy=policy, engine="spark")


# Whole, or not there


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_what_is_interrupted_leaves_the_earlier_file(
    tmp_path: Path, policy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "t.parquet"
    parquet.write_table(typed_table(), table)
    result = searched(table, policy)
    target = tmp_path / "r.parquet"
    target.write_text("earlier")
    before = files(tmp_path)
    batches = Rewriting.batches

    def interrupted(self: Rewriting) -> Iterator[pa.Table]:
        yield next(batches(self))
        raise KeyboardInterrupt

    monkeypatch.setattr(Rewriting, "batches", interrupted)
    with pytest.raises(KeyboardInterrupt):
        result.write(target)
    assert target.read_text() == "earlier"
    assert files(tmp_path) == before


@pytest.mark.parametrize("change", ["another cell", "a row more", "two cells swapped"])
def test_a_table_that_changes_is_told(
    change: str, tmp_path: Path, policy: Path
) -> None:
    table = tmp_path / "t.parquet"
    given = typed_table()
    parquet.write_table(given, table)
    stamp = table.stat().st_mtime_ns
    result = searched(table, policy)
    if change == "a row more":
        given = pa.concat_tables([given, given.slice(0, 1)])
    else:
        first = ["b", "b"] if change == "another cell" else ["b", "z"]
        kinds = pa.array([*first, *COLUMNS["kind"][1][2:]], COLUMNS["kind"][0])
        place = given.column_names.index("kind")
        given = given.set_column(place, "kind", kinds)
    size = table.stat().st_size
    parquet.write_table(given, table)
    if change == "two cells swapped":
        # Neither its size nor its time says so.
        assert table.stat().st_size == size
        os.utime(table, ns=(stamp, stamp))
    before = files(tmp_path)
    with pytest.raises(ph.InputError, match="was changed"):
        result.write(tmp_path / "r.parquet")
    assert files(tmp_path) == before


def small_files() -> None:
    """No file of this process may be larger: what a full disk is to it."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))


@pytest.mark.parametrize(
    ("ending", "engine"),
    sampled([*product(["csv", "parquet"], ["duckdb", "pandas"])], 3),
)
def test_the_answer_stands_where_the_disk_is_full(
    ending: str, engine: str, tmp_path: Path, policy: Path
) -> None:
    table = tmp_path / "t.csv"
    rows = typed_table().drop_columns(["id", "note"]).to_pandas()
    policy.write_text(
        POLICY.replace('"note", ', "").replace('identifier = "id"', ""),
        encoding="utf-8",
    )
    # Many notes that differ: as Parquet, too, they are larger than a file may be.
    many = pd.concat([rows] * 60, ignore_index=True)
    many["code"] = [f"{k * 7919 % 104729:x}-{k}" for k in range(len(many))]
    many.to_csv(table, index=False)
    target = tmp_path / f"r.{ending}"
    target.write_text("earlier")
    before = files(tmp_path)
    command = [sys.executable, "-m", "phverify", "search", table, "--policy", policy]
    done = subprocess.run(
        [*map(str, command), "--engine", engine, "--output", str(target)],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=small_files,
        # A module's bytecode would be cut short as well, and read by other processes.
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert done.returncode == 2
    assert "OPTIMAL" in done.stdout
    assert f"{target}: cannot be written: File too large" in done.stderr
    assert target.read_text() == "earlier"
    assert files(tmp_path) == before


def test_a_certificate_names_the_file_that_is_written(
    tmp_path: Path, policy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "t.csv"
    policy.write_text(POLICY.replace('"note", ', ""), encoding="utf-8")
    typed_table().drop_columns(["note"]).to_pandas().to_csv(table, index=False)
    certificates = []
    for engine in ("duckdb", "pandas"):
        asked = [
            *("search", table, "--policy", policy, "--engine", engine),
            *("--suppress", "25%", "--output", tmp_path / f"{engine}.csv"),
            *("--certificate", tmp_path / f"{engine}.json"),
        ]
        assert main(list(map(str, asked))) == 0
        text = (tmp_path / f"{engine}.json").read_text(encoding="utf-8")
        certificates.append(json.loads(text))
    assert certificates[0] == certificates[1]
    checked = [
        *("check", tmp_path / "duckdb.json", "--table", table),
        *("--policy", policy, "--release", tmp_path / "duckdb.csv"),
    ]
    assert main(list(map(str, checked))) == 0
    assert "ACCEPTED" in capsys.readouterr().out
