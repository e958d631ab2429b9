"""Tables in databases, workbooks, files of statistics programs, and Arrow's own files."""

from __future__ import annotations

import datetime
import io
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyreadstat
import pytest

import phverify as ph
from phverify.cli.main import main
from phverify.errors import InputError
from phverify.microdata.read import read
from phverify.microdata.table import CodedTable, Label

Cells = dict[str, list[Label]]
DAY = datetime.date(2020, 1, 31)


def cells(table: CodedTable) -> Cells:
    return {name: column.cells() for name, column in table.columns.items()}


def refused(source: Any, match: str) -> None:
    with pytest.raises(InputError, match=match):
        read(source)


# Databases


def sqlite_file(path: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return path


def duckdb_file(path: Path, *statements: str) -> Path:
    with closing(duckdb.connect(str(path))) as connection:
        for statement in statements:
            connection.execute(statement)
    return path


PEOPLE = "CREATE TABLE people (zip, age, part)"
ROWS = "INSERT INTO people VALUES ('01', 31, 2.0), ('1', NULL, 0.5), (1, '', 2), (1.0, 31, NULL)"


def test_a_table_of_sqlite(tmp_path: Path) -> None:
    path = sqlite_file(tmp_path / "t.sqlite", PEOPLE, ROWS)
    table = read(path)
    assert cells(table) == {
        "zip": ["01", "1", "1", "1"],
        "age": ["31", None, "", "31"],
        "part": ["2", "0.5", "2", None],
    }
    assert table.columns["zip"].labels == ("01", "1")
    assert table.source == f"{path}, people"


TYPED = """CREATE TABLE people AS SELECT '01' AS zip, 31 AS age, 2.50::DECIMAL(5, 2) AS
part, DATE '2020-01-31' AS born, 'f'::ENUM('f', 'm') AS sex, true AS ill"""


@pytest.mark.parametrize("ending", ["duckdb", "db"])
def test_a_table_of_duckdb(tmp_path: Path, ending: str) -> None:
    path = duckdb_file(tmp_path / f"t.{ending}", TYPED)
    expected = {"zip": ["01"], "age": ["31"], "part": ["2.5"], "born": ["2020-01-31"], "sex": ["f"], "ill": ["True"]}  # fmt: skip
    assert cells(read(path)) == expected
    assert cells(read(ph.NamedTable(path, "PEOPLE"))) == expected


@pytest.mark.parametrize("make", [sqlite_file, duckdb_file])
def test_which_table_is_meant(tmp_path: Path, make: Any) -> None:
    path = make(
        tmp_path / "t.db", 'CREATE TABLE "a b" (x int)', "CREATE TABLE other (y int)"
    )
    refused(path, r"holds 2 tables, and one is meant(?s:.)*'a b', 'other'")
    refused(ph.NamedTable(path, "othr"), "did you mean 'other'")
    refused(ph.NamedTable(path, "other"), "no rows")
    with closing(
        sqlite3.connect(path) if make is sqlite_file else duckdb.connect(str(path))
    ) as connection:
        connection.execute('INSERT INTO "a b" VALUES (1)')
        connection.execute('CREATE VIEW seen AS SELECT x + 1 AS z FROM "a b"')
        if make is sqlite_file:
            connection.commit()
    assert cells(read(ph.NamedTable(path, "a b"))) == {"x": ["1"]}
    assert cells(read(ph.NamedTable(str(path), "seen"))) == {"z": ["2"]}


def test_databases_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "t.duckdb"
    path.write_text("a,b\n1,2\n")
    refused(path, "is no SQLite or DuckDB database")
    path = tmp_path / "t.sqlite"
    path.write_bytes(b"SQLite format 3\0" + b"x" * 100)
    refused(path, "cannot be read")
    refused(duckdb_file(tmp_path / "empty.db"), "holds no table")
    csv = tmp_path / "t.csv"
    csv.write_text("a,b\n1,2\n")
    refused(ph.NamedTable(csv, "people"), "has one table, and 'people' is the name")
    refused(ph.NamedTable(tmp_path / "gone.db", "people"), "there is no such file")
    blob = sqlite_file(
        tmp_path / "b.db", "CREATE TABLE t (a)", "INSERT INTO t VALUES (x'00')"
    )
    refused(blob, "'a' holds binary cells")


def test_a_view_of_duckdb_reads_no_other_file(tmp_path: Path) -> None:
    csv = tmp_path / "t.csv"
    csv.write_text("a,b\n1,2\n")
    path = duckdb_file(tmp_path / "t.duckdb", f"CREATE VIEW v AS SELECT * FROM '{csv}'")
    refused(path, "cannot be read|gives no table")


POLICY = (
    '[columns]\nquasi = ["zip"]\nsensitive = ["ill"]\n[rules]\nk = "k_anonymity(2)"\n'
)


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    (tmp_path / "p.toml").write_text(POLICY)
    rows = "(zip, ill); INSERT INTO {} VALUES ('10', 'a'), ('10', 'b'), ('{}', 'a')"
    script = "".join(
        f"CREATE TABLE {name} " + rows.format(name, last) + ";"
        for name, last in (("before", "20"), ("after", "10"))
    )
    with closing(sqlite3.connect(tmp_path / "t.db")) as connection:
        connection.executescript(script)
    return tmp_path


def test_the_table_of_a_command(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database, policy = str(desk / "t.db"), str(desk / "p.toml")
    assert main(["verify", database, "--policy", policy]) == 2
    assert "'after', 'before'" in capsys.readouterr().err
    assert main(["verify", database, "--policy", policy, "--table", "before"]) == 1
    assert main(["verify", database, "--policy", policy, "--table", "after"]) == 0
    both = ["--original", database, "--table", "after", "--original-table", "before"]
    assert main(["verify", database, "--policy", policy, *both]) == 0
    assert "20 -> 10" in capsys.readouterr().out
    assert main(["reidentify", database, database, "--policy", policy, *both[2:4]]) == 0
    out = str(desk / "out.csv")
    search = ["search", database, "--policy", policy, "--table", "before"]
    assert main([*search, "--output", out]) == 0
    assert Path(out).read_text() == "zip,ill\n*,a\n*,b\n*,a\n"
    capsys.readouterr()
    assert main([*search, "--certificate", str(desk / "c.json")]) == 2
    assert "export the table" in capsys.readouterr().err
    assert main(["verify", database, "--policy", policy, "--certificate", str(desk / "c.json"), "--table", "after"]) == 2  # fmt: skip
    assert "a certificate is about CSV files" in capsys.readouterr().err
    assert main(["verify", database, "--policy", policy, "--original-table", "x"]) == 2
    assert "none is given" in capsys.readouterr().err


def test_a_pipe_has_no_tables(
    desk: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = str(desk / "p.toml")
    content = io.BytesIO(b"zip,ill\n1,a\n1,b\n")
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=content))
    for verb in ("verify", "search"):
        content.seek(0)
        assert main([verb, "-", "--policy", policy, "--table", "people"]) == 2
        assert "this comes through a pipe" in capsys.readouterr().err


# Arrow's own files


@pytest.mark.parametrize("form", ["file", "stream", "feather", "packed"])
def test_arrow_files(tmp_path: Path, form: str) -> None:
    table = pa.table(
        {"a": pa.array(["x", None, "y"]).dictionary_encode(), "b": [1, 2, 3]}
    )
    path = tmp_path / ("t.feather" if form in ("feather", "packed") else "t.arrow")
    if form == "file":
        with (
            pa.OSFile(str(path), "wb") as sink,
            pa.ipc.new_file(sink, table.schema) as writer,
        ):
            writer.write_table(table)
    elif form == "stream":
        with (
            pa.OSFile(str(path), "wb") as sink,
            pa.ipc.new_stream(sink, table.schema) as writer,
        ):
            writer.write_table(table)
    else:
        packed = "lz4" if form == "packed" else "uncompressed"
        pa.feather.write_feather(table, path, compression=packed)
    assert cells(read(path)) == {"a": ["x", None, "y"], "b": ["1", "2", "3"]}
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    refused(path, "is no readable Arrow file")
    path.write_text("a,b\n1,2\n")
    refused(path, "is no readable Arrow file")


# Workbooks


def workbook(path: Path, rows: list[list[Any]], title: str = "People") -> Any:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = title
    for row in rows:
        sheet.append(row)
    book.save(path)
    return book


GRID = [
    ["zip", "age", "born", 2020],
    ["01", 31, datetime.datetime(2020, 1, 31), True],
    ["02", 2.0, None, 0.5],
    ["02", "", datetime.datetime(2020, 2, 1), " "],
]


def test_a_sheet(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    workbook(path, GRID)
    assert cells(read(path)) == {
        "zip": ["01", "02", "02"],
        "age": ["31", "2", None],
        "born": ["2020-01-31", None, "2020-02-01"],
        "2020": ["True", "0.5", " "],
    }


def test_which_sheet_is_meant(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    book = workbook(path, GRID)
    book.create_sheet("Empty")
    book.save(path)
    refused(path, r"holds 2 sheets, and one is meant(?s:.)*'People', 'Empty'")
    refused(ph.NamedTable(path, "Poeple"), "did you mean 'People'")
    refused(ph.NamedTable(path, "Empty"), "the sheet is empty")
    assert read(ph.NamedTable(path, "people")).rows == 3  # no row of empty cells below


def test_odd_cells_of_a_sheet(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    workbook(path, [["a", "b"], [1, "=1+1"]])
    refused(path, "the formula in B2 has no value")
    workbook(path, [["a", "b"], [1, "#N/A"]])
    refused(path, "the cell B2 is an error: #N/A")
    book = workbook(path, [["a", "b"], [1, 2], [3, 4]])
    book.active.merge_cells("A2:A3")
    book.save(path)
    refused(path, "the cells A2:A3 are one")
    workbook(path, [["a", None], [1, 2]])
    refused(path, "column 2 has cells and no name")
    workbook(path, [["a", "b"], [1, 2], [None, None], [1, 2], [None, ""]])
    refused(path, "row 3 is empty, and has others below it")
    book = workbook(path, [["a", "b"], [1, 2]])
    book.active["D9"].number_format = "0.00"
    book.save(path)
    assert cells(read(path)) == {"a": ["1"], "b": ["2"]}
    workbook(path, [["a", "a"], [1, 2]])
    refused(path, "twice: 'a'")
    workbook(path, [["a", "b"]])
    refused(path, "a header and no rows")
    path.write_bytes(path.read_bytes()[:500])
    refused(path, "is no readable workbook")
    named = tmp_path / "t.csv"
    workbook(path, GRID)
    named.write_bytes(path.read_bytes())
    refused(named, r"give its name the ending \.xlsx")


# SPSS, SAS and Stata


SURVEY = pd.DataFrame({
    "answer": [1.0, 2.0, 5.0, float("nan")],
    "city": ["x", "", "y", "x"],
    "born": [DAY] * 4,
})  # fmt: skip
LABELS: dict[str, Any] = {"answer": {1: "yes", 2: "no", 3: "never"}}
READ: Cells = {
    "answer": ["yes", "no", "5", None],
    "city": ["x", None, "y", "x"],
    "born": ["2020-01-31"] * 4,
}


@pytest.mark.parametrize("ending", ["sav", "zsav", "dta"])
def test_files_with_labels(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t.{ending}"
    if ending == "dta":
        pyreadstat.write_dta(SURVEY, path, variable_value_labels=LABELS)
    else:
        packed = ending == "zsav"
        pyreadstat.write_sav(
            SURVEY, path, variable_value_labels=LABELS, compress=packed
        )
    table = read(path)
    assert cells(table) == READ
    assert table.notes == ()


@pytest.mark.parametrize("ending", ["por", "xpt"])
def test_files_without_labels(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t.{ending}"
    write = pyreadstat.write_por if ending == "por" else pyreadstat.write_xport
    write(SURVEY, path)
    found = {name.lower(): column for name, column in cells(read(path)).items()}
    assert found == {**READ, "answer": ["1", "2", "5", None]}


def test_kinds_of_missing_cells_stay_apart(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1.0, 98.0, 99.0, None], "b": [1.0, 1.0, 7.0, 1.0]})
    path = tmp_path / "t.sav"
    pyreadstat.write_sav(
        frame, path, missing_ranges={"a": [{"lo": 98, "hi": 99}], "b": [7]}
    )
    table = read(path)
    assert cells(table) == {"a": ["1", "98", "99", None], "b": ["1", "1", None, "1"]}
    assert table.notes == (
        "3 kinds of missing cells of 'a' are values of their own: the file tells them"
        " apart",
        "a user-missing value of 'b' is a missing cell",
    )
    mixed = pd.DataFrame({"a": pd.Series([1.0, "a", "b"], dtype=object)})
    pyreadstat.write_dta(
        mixed, tmp_path / "t.dta", missing_user_values={"a": ["a", "b"]}
    )
    assert cells(read(tmp_path / "t.dta")) == {"a": ["1", "a", "b"]}


@pytest.mark.parametrize("labels", [{1: "yes", 2: "yes"}, {1: "2"}])
def test_labels_that_would_merge_values(tmp_path: Path, labels: Any) -> None:
    path = tmp_path / "t.sav"
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, 1.0]})
    pyreadstat.write_sav(frame, path, variable_value_labels={"a": labels, "b": labels})
    table = read(path)
    assert table.columns["b"].labels == (labels[1],)
    with pytest.raises(InputError, match="'1' and '2' of 'a' have one label"):
        table.columns["a"]


def test_surveys_that_are_none(tmp_path: Path) -> None:
    for ending in ("sav", "por", "dta", "xpt", "sas7bdat"):
        path = tmp_path / f"t.{ending}"
        path.write_text("a,b\n1,2\n")
        refused(path, f"is no readable .{ending} file")


@pytest.mark.parametrize(
    ("ending", "package"), [("xlsx", "openpyxl"), ("sav", "pyreadstat")]
)
def test_what_is_not_installed_is_told(
    tmp_path: Path, ending: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"t.{ending}"
    path.write_bytes(b"x")
    monkeypatch.setitem(sys.modules, package, None)
    refused(path, rf"needs {package}\n    pip install 'phverify\[formats\]'")
