"""``verify --failing`` where rows stay in DuckDB: the same lines as of rows in memory,
whatever the cells are.
"""

from __future__ import annotations

import datetime
import tempfile
from decimal import Decimal
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet
from support.so_many import so_many

import phverify as ph
import phverify.verbs.release_tables as verb
from phverify.cli.main import main
from phverify.errors import refusal
from phverify.microdata.row_lines import RowLines
from phverify.report.verify_failing import covered, to_csv

RULES = {
    "large": "k_anonymity(2)",
    "diverse; all": "l_diversity(s, 2)",
    "asked": "exists i, j: @i ~[a1] s = x & @j [a1] s = z",
    "known": "never_known(@i1 s = x)",
}
TEXTS = st.sampled_from(["", "a,b", 'a"b', "a\nb", "a\rb", " a", "é", "x", None])


def told(report: ph.Report) -> tuple[Any, ...]:
    return to_csv(report), [*covered(report)], report.to_dict()["failing_rows"]


def only_counted() -> Any:
    """Reading rows is a failure."""
    refused = AssertionError("rows were read")
    return patch.object(verb, "read", side_effect=refused)


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    """Quasi-identifiers of two kinds, a sensitive column, and some that play no
    part.
    """
    size = draw(st.integers(3, 12))
    quasi = draw(
        st.sampled_from(
            [
                [1, 2],
                [Decimal("1.50"), Decimal("2.00"), None],
                [datetime.date(2020, 2, 1), None],
                ["", "b,c"],
            ]
        )
    )

    def column(values: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(values, min_size=size, max_size=size))

    return pa.table(
        {
            "text": pa.array(column(TEXTS), pa.string()),
            "kind": pa.array(column(TEXTS)).dictionary_encode(),
            "r": column(st.sampled_from(quasi)),
            # rules name all of them
            "s": [*"xyz", *column(st.sampled_from("xyz"))[3:]],
            "q": column(st.sampled_from("ab")),
            "n": pa.array(column(st.sampled_from([-1, 10**17, None])), pa.int64()),
        }
    )


@so_many(8)
@given(tables(), st.booleans(), st.booleans())
def test_lines_are_those_of_rows(table: pa.Table, redact: bool, several: bool) -> None:
    columns = {"quasi": ["q", "r"], "sensitive": ["s"]}
    policy = ph.Policy.from_dict({"columns": columns, "rules": RULES})
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/*.parquet"
        half = len(table) // 2 if several else 0
        for number, part in enumerate((table[:half], table[half:])):
            if len(part):
                parquet.write_table(part, f"{folder}/{number}.parquet")
        found = []
        for engine in ("pandas", "duckdb"):
            more = {"engine": engine, "redact": redact}
            report = ph.verify(path, policy, failing=True, **more)
            found.append(told(report))
        assert found[0] == found[1]


HOSPITAL = {
    "q": ["a", "a", "b", "b", "b", "c"],
    "s": ["x", "x", "x", "y", "z", "y"],
    "note": ['said "no"', "", "u,v", "w", "w", "w"],
}
POLICY = """[columns]
quasi = ["q"]
sensitive = ["s"]
[rules]
large = "k_anonymity(2)"
diverse = "l_diversity(s, 2)"
"""


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_command_reads_no_rows(
    tmp_path: Path, ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    release, policy = tmp_path / f"release.{ending}", tmp_path / "policy.toml"
    frame = pd.DataFrame(HOSPITAL)
    if ending == "csv":
        frame.to_csv(release, index=False)
    else:
        frame.to_parquet(release, index=False)
    policy.write_text(POLICY, encoding="utf-8")
    target = tmp_path / "rows.csv"
    asked = ["verify", str(release), "--policy", str(policy), "--failing", str(target)]
    with only_counted():
        assert main([*asked, "--engine", "duckdb"]) == 1
    assert target.read_text(encoding="utf-8") == (
        "row,class,breaks,q,s,note\n"
        'd1,1,diverse,a,x,"said ""no"""\nd2,1,diverse,a,x,\n'
        "d6,3,large; diverse,c,y,w\n"
    )
    assert target.stat().st_mode & 0o777 == 0o600
    assert "    3 rows in all\n" in capsys.readouterr().out
    # nothing is left under the name when it ends halfway
    target.write_text("before", encoding="utf-8")

    def cut(*_: Any) -> Any:
        yield b"d1,"
        raise refusal("release", "is cut off")

    with patch.object(RowLines, "lines", cut):
        assert main([*asked, "--engine", "duckdb"]) == 2
    assert target.read_text(encoding="utf-8") == "before"
    assert {path.name for path in tmp_path.iterdir()} == {
        release.name,
        policy.name,
        target.name,
    }


def test_cells_that_duckdb_writes_otherwise_are_read(tmp_path: Path) -> None:
    frame = pd.DataFrame({**HOSPITAL, "f": [1.0, 2.5, 3.0, 4.0, 5.0, 6.0]})
    frame.to_parquet(tmp_path / "t.parquet", index=False)
    (tmp_path / "policy.toml").write_text(POLICY, encoding="utf-8")
    texts = []
    for engine in ("pandas", "duckdb"):
        inputs = tmp_path / "t.parquet", tmp_path / "policy.toml"
        report = ph.verify(*inputs, failing=True, engine=engine)
        texts.append(to_csv(report))
    assert texts[0] == texts[1] and ",c,y,w,6\n" in texts[0]


def test_many_lines_keep_their_order(tmp_path: Path) -> None:
    many = 20_000
    table = pa.table({"q": [k % 9973 for k in range(many)], "s": ["x"] * many})
    parquet.write_table(table, tmp_path / "t.parquet", row_group_size=3_000)
    (tmp_path / "policy.toml").write_text(POLICY, encoding="utf-8")
    inputs = tmp_path / "t.parquet", tmp_path / "policy.toml"
    text = to_csv(ph.verify(*inputs, failing=True, engine="duckdb"))
    rows = [line.partition(",")[0] for line in text.splitlines()[1:]]
    assert rows == [f"d{k}" for k in range(1, many + 1)]


@pytest.mark.parametrize("beside", [None, "x"])
def test_an_empty_text_is_missing_where_no_cell_is(tmp_path: Path, beside: Any) -> None:
    table = pa.table({"q": ["a", "b"], "s": ["x", "y"], "note": ["", beside]})
    parquet.write_table(table, tmp_path / "t.parquet")
    (tmp_path / "policy.toml").write_text(POLICY, encoding="utf-8")
    inputs = tmp_path / "t.parquet", tmp_path / "policy.toml"
    found = []
    for engine in ("pandas", "duckdb"):
        report = ph.verify(*inputs, failing=True, engine=engine)
        assert report.failing_rows is not None
        found.append([row.cells["note"] for row in report.failing_rows.rows])
    assert found[0] == found[1] == [None if beside else "", beside]


def test_rows_of_many_files_say_which(tmp_path: Path) -> None:
    parts = tmp_path / "parts"
    parts.mkdir()
    sizes = (3, 1, 4)
    cells = [("x", "a"), ("y", "b"), ("x", "b"), ("z", 'c"'), *[("w", "d")] * 4]
    start = 0
    for number, size in enumerate(sizes):
        rows = cells[start : start + size]
        start += size
        frame = pd.DataFrame(rows, columns=["q", "f"])
        frame.to_parquet(parts / f"part,{number}.parquet")
    policy = {
        "columns": {"quasi": ["q"], "sensitive": ["f"]},
        "rules": {"k": "k_anonymity(2)", "l": "l_diversity(f, 2)"},
    }
    written = []
    for engine in ("pandas", "duckdb"):
        report = ph.verify(str(parts), policy, engine=engine, failing=True)
        written.append(to_csv(report))
    assert written[0] == written[1]
    lines = written[0].splitlines()
    assert lines[0] == "row,class,breaks,file,row_in_file,q,f"
    single = lines[2].replace(str(parts), "parts")
    assert single == 'd4,3,k; l,"parts/part,1.parquet",1,z,"c"""'
    assert len(lines) == 1 + 6
