"""Cells that engines see differently: no numbers, carriage returns, files without rows,
or that are written anew.
"""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import phverify as ph
from phverify.cli.main import main
from phverify.microdata.duckdb_tables import parquet_table
from phverify.report.verify_failing import to_csv

POLICY: dict[str, Any] = {
    "columns": {"quasi": ["q"], "sensitive": ["s"]},
    "rules": {"large": "k_anonymity(2)", "open": "forall i, v in s: ~@i [a1] s = v"},
}
NAN = math.nan


def written(path: Path, **columns: pa.Array) -> Path:
    parquet.write_table(pa.table(columns), path)
    return path


@pytest.mark.parametrize("cells", [[NAN, 1.0, 2.0], [2.0, NAN, NAN], [NAN, 1.0, NAN]])
def test_rows_of_cells_that_are_no_numbers(tmp_path: Path, cells: list[Any]) -> None:
    # the bounds of a column in a Parquet file do not tell of them
    quasi = pa.array(cells, pa.float64(), from_pandas=False)
    path = written(tmp_path / "t.parquet", q=quasi, s=pa.array([*"xxy"]))
    told = {}
    for engine in ("pandas", "duckdb"):
        report = ph.verify(path, POLICY, failing=True, engine=engine)
        shown = [str(rule.witness) for rule in report.rules]
        told[engine] = (to_csv(report), shown)
    assert told["pandas"] == told["duckdb"]


@pytest.mark.parametrize("engine", ["pandas", "duckdb"])
def test_cells_that_are_no_numbers_are_missing(tmp_path: Path, engine: str) -> None:
    neutral = pa.array([NAN, 1.0, 2.0], pa.float64(), from_pandas=False)
    path = written(
        tmp_path / "t.parquet", q=pa.array([*"aaa"]), s=pa.array([*"xyz"]), n=neutral
    )
    columns = {"quasi": ["q"], "sensitive": ["s"], "neutral": ["n"]}
    rules = {"large": "k_anonymity(2)"}
    policy = {"missing": "error", "columns": columns, "rules": rules}
    with pytest.raises(ph.InputError, match="1 cell of 'n' is missing"):
        ph.search(path, policy, engine=engine)


@pytest.mark.parametrize("engine", ["pandas", "duckdb"])
def test_a_file_without_rows_has_none_of_the_failing_ones(
    tmp_path: Path, engine: str
) -> None:
    whole = pa.table({"q": [*"abcd"], "s": [*"xxyy"]})
    for name, part in {"1": whole[:2], "2": whole[:0], "3": whole[2:]}.items():
        parquet.write_table(part, tmp_path / f"{name}.parquet")
    report = ph.verify(tmp_path, POLICY, failing=True, engine=engine)
    lines = [*csv.DictReader(io.StringIO(to_csv(report)))]
    names = [Path(line["file"]).name for line in lines]
    assert names == ["1.parquet", "1.parquet", "3.parquet", "3.parquet"]
    assert [line["row_in_file"] for line in lines] == ["1", "2", "1", "2"]


@pytest.mark.parametrize("engine", ["pandas", "duckdb"])
@pytest.mark.parametrize("cell", ["x\ry", "\r", "x\r"])
def test_a_release_with_carriage_returns_is_read_again(
    tmp_path: Path, engine: str, cell: str
) -> None:
    path = written(
        tmp_path / "t.parquet", q=pa.array([*"aab"]), s=pa.array([cell, "y", "z"])
    )
    policy, release = tmp_path / "p.toml", tmp_path / "release.csv"
    policy.write_text(
        '[columns]\nquasi = ["q"]\nsensitive = ["s"]\n[rules]\nk = "k_anonymity(1)"\n'
    )
    asked = [str(path), "--policy", str(policy), "--engine", engine]
    assert main(["search", *asked, "--output", str(release)]) == 0
    assert release.read_bytes() == f'q,s\na,"{cell}"\na,y\nb,z\n'.encode()
    assert main(["verify", str(release), "--policy", str(policy)]) == 0


def test_a_file_that_is_no_longer_one_was_changed(tmp_path: Path) -> None:
    path = written(tmp_path / "t.parquet", n=pa.array([1, 2, None]))
    table = parquet_table(str(path), [str(path)])
    assert table.missing(("n",)) == [1]
    with path.open("ab") as file:
        file.write(b"half a Parquet file")
    with pytest.raises(ph.InputError, match="was changed while it was read"):
        table.missing(("n",))


@pytest.mark.parametrize(
    ("table", "target", "taken"),
    [
        ("parts", "parts/new.parquet", False),
        ("parts/*.parquet", "parts/../parts/new.parquet", False),
        ("**/*.parquet", "new.parquet", False),
        ("parts", "parts/new.csv", True),
        ("parts/?.parquet", "parts/new.parquet", True),
        ("parts", "new.parquet", True),
    ],
)
def test_no_file_is_written_among_those_of_the_table(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    table: str,
    target: str,
    taken: bool,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("parts").mkdir()
    written(Path("parts/1.parquet"), q=pa.array([*"aa"]))
    asked = ["--quasi", "q", "--rule", "k_anonymity(2)", "--output", target]
    code = main(["search", table, *asked])
    assert (code, Path(target).exists()) == ((0, True) if taken else (2, False))
    said = capsys.readouterr().err
    assert taken or f"would be one of the files that {table!r} stands for" in said
