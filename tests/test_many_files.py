"""Many files that are one table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

import phverify as ph
from phverify.cli.main import main
from phverify.errors import InputError
from phverify.microdata.read import read
from phverify.microdata.table import CodedTable, Label

Cells = dict[str, list[Label]]


def cells(table: CodedTable) -> Cells:
    return {name: column.cells() for name, column in table.columns.items()}


def parquet(path: Path, **columns: Any) -> None:
    pa.parquet.write_table(pa.table(columns), path)


def refused(source: Any, match: str) -> None:
    with pytest.raises(InputError, match=match):
        read(source)


def test_parts_in_csv(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text('zip,ill\n2,"x\ny"\n')
    (tmp_path / "a.csv").write_text("zip,ill\n1,\n2,z\n")
    (tmp_path / "_c.csv").write_text("zip\n1\n")
    (tmp_path / "c.txt").write_text("no table")
    table = read(str(tmp_path / "*.csv"))
    assert cells(table) == {"zip": ["1", "2", "2"], "ill": [None, "z", "x\ny"]}
    assert table.columns["zip"].labels == ("1", "2")
    assert table.rows == 3
    assert table.notes == (
        "2 files are read as one table",
        f"rows 1 to 2 are those of {tmp_path / 'a.csv'}",
        f"rows 3 to 3 are those of {tmp_path / 'b.csv'}",
    )
    with pytest.raises(InputError, match="this is a directory") as error:
        read(tmp_path)
    assert "/*.csv" in str(error.value)


def test_parts_in_parquet(tmp_path: Path) -> None:
    folder = tmp_path / "release"
    folder.mkdir()
    (folder / "_SUCCESS").write_text("")
    (folder / ".part-0.parquet.crc").write_text("")
    parquet(
        folder / "part-1.parquet", zip=pa.array(["b"]), age=pa.array([2], pa.int32())
    )
    parquet(
        folder / "part-0.parquet",
        age=pa.array([1, None]),
        zip=pa.array(["a", "b"]).dictionary_encode(),
    )
    parquet(folder / "part-2.parquet", zip=pa.nulls(1), age=pa.array([2**53 + 1]))
    expected = {"age": ["1", None, "2", str(2**53 + 1)], "zip": ["a", "b", "b", None]}
    for source in (
        folder,
        str(folder),
        str(folder / "*.parquet"),
        f"{tmp_path}/**/*.parquet",
    ):
        table = read(source)
        assert cells(table) == expected
        assert len(table.notes) == 4


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_parts_that_differ(tmp_path: Path, ending: str) -> None:
    first, second = tmp_path / f"a.{ending}", tmp_path / f"b.{ending}"

    def write(path: Path, **columns: Any) -> None:
        if ending == "csv":
            pd.DataFrame(columns).to_csv(path, index=False)
        else:
            parquet(path, **columns)

    write(first, zip=["1"], ill=["x"])
    write(second, zip=["1"])
    refused(tmp_path / f"*.{ending}", rf"b\.{ending}: there is no column 'ill'")
    write(second, zip=["1"], ill=["x"], more=["x"])
    refused(
        tmp_path / f"*.{ending}",
        rf"b\.{ending}: has a column 'more', which .*a\.{ending} has not",
    )
    write(second, ill=["x"], zip=["1"])
    if ending == "csv":
        refused(tmp_path / "*.csv", r"b\.csv: its columns are in another order")
    else:
        assert cells(read(tmp_path / "*.parquet"))["ill"] == ["x", "x"]


TYPES = [
    (pa.int64(), pa.string()),
    (pa.int64(), pa.float64()),
    (pa.timestamp("us"), pa.date32()),
    (pa.timestamp("us"), pa.timestamp("us", "UTC")),
    (pa.decimal128(5, 2), pa.decimal128(9, 4)),
]


@pytest.mark.parametrize("types", TYPES, ids=str)
def test_parts_of_two_types(
    tmp_path: Path, types: tuple[pa.DataType, pa.DataType]
) -> None:
    first, second = types
    parquet(tmp_path / "a.parquet", x=pa.array([None, None], first))
    parquet(tmp_path / "b.parquet", x=pa.array([None, None], second))
    refused(tmp_path, r"b\.parquet: column 'x' is .*, and .* in .*a\.parquet")


def test_integers_of_all_widths_are_exact_or_refused(tmp_path: Path) -> None:
    parquet(tmp_path / "a.parquet", x=pa.array([2**63 - 1], pa.int64()))
    parquet(tmp_path / "b.parquet", x=pa.array([2**63 + 1], pa.uint64()))
    try:
        assert cells(read(tmp_path))["x"] == [str(2**63 - 1), str(2**63 + 1)]
    except InputError as error:
        assert "no one table" in str(error)


def test_dates_of_all_parts_are_written_alike(tmp_path: Path) -> None:
    stamp = pa.timestamp("us")
    day = pa.array([0], stamp)
    parquet(tmp_path / "a.parquet", x=day)
    parquet(tmp_path / "b.parquet", x=pa.array([0, 3_600_000_000], stamp))
    assert cells(read(tmp_path))["x"] == ["1970-01-01T00:00:00"] * 2 + [
        "1970-01-01T01:00:00"
    ]


def test_patterns_of_nothing_and_of_everything(tmp_path: Path) -> None:
    refused(tmp_path / "*.csv", "there is no file of such a name")
    (tmp_path / "a.csv").write_text("a\n1\n")
    parquet(tmp_path / "b.parquet", a=["1"])
    refused(tmp_path / "*", r"files of several kinds.*\.csv, \.parquet")
    (tmp_path / "b.parquet").write_bytes(b"PAR1 cut off")
    refused(tmp_path / "*.parquet", r"b\.parquet: is no readable Parquet file")
    (tmp_path / "[x].csv").write_text("a,b\n1,2\n")
    assert cells(read(tmp_path / "[x].csv")) == {"a": ["1"], "b": ["2"]}


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    (tmp_path / "p.toml").write_text(
        '[columns]\nquasi = ["zip"]\nsensitive = ["ill"]\n[rules]\nk = "k_anonymity(2)"\n'
    )
    (tmp_path / "part-1.csv").write_text("zip;ill\r\n1;a\r\n1;b\r\n")
    (tmp_path / "part-2.csv").write_text("zip;ill\r\n2;a\r\n")
    return tmp_path


def test_a_pattern_on_the_command_line(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pattern, policy = str(desk / "part-*.csv"), str(desk / "p.toml")
    assert main(["verify", pattern, "--policy", policy]) == 1
    out = capsys.readouterr().out
    assert "false at d3" in out
    assert f"rows 3 to 3 are those of {desk / 'part-2.csv'}" in out
    search = ["search", pattern, "--policy", policy]
    assert main([*search, "--output", str(desk / "out.csv")]) == 0
    assert (desk / "out.csv").read_bytes() == b"zip;ill\r\n*;a\r\n*;b\r\n*;a\r\n"
    capsys.readouterr()
    assert main([*search, "--output", str(desk / "part-2.csv")]) == 2
    assert "is an input, which is never overwritten" in capsys.readouterr().err
    assert main([*search, "--certificate", str(desk / "c.json")]) == 2
    assert (
        main(
            [
                "verify",
                pattern,
                "--policy",
                policy,
                "--certificate",
                str(desk / "c.json"),
            ]
        )
        == 2
    )
    assert "a certificate is about CSV files" in capsys.readouterr().err


def test_a_folder_is_counted_like_a_pattern(desk: Path) -> None:
    folder = desk / "release"
    folder.mkdir()
    policy = ph.Policy.load(desk / "p.toml")
    with pytest.raises(InputError, match="this is a directory"):
        ph.verify(folder, policy)
    parquet(folder / "b.parquet", zip=["2"], ill=["a"])
    parquet(folder / "a.parquet", zip=["1", "1"], ill=["a", "b"])
    for engine in ("auto", "duckdb", "pandas"):
        for source in (folder, str(folder / "*.parquet")):
            report = ph.verify(source, policy, engine=engine)
            assert report.rows == 3
            assert report.rules[0].witness.world == "d3"
            assert report.notes == (
                "2 files are read as one table",
                f"rows 1 to 2 are those of {folder}/a.parquet",
                f"rows 3 to 3 are those of {folder}/b.parquet",
            )


def test_a_search_over_parts_is_checked_in_memory(desk: Path) -> None:
    policy = ph.Policy.load(desk / "p.toml")
    result = ph.search(desk / "part-*.csv", policy)
    certificate = result.make_certificate()
    assert certificate["files"]["table"] is None
    checked = ph.check(certificate, table=desk / "part-*.csv", policy=policy)
    assert checked.accepted
