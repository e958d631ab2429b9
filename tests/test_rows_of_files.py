"""Rows of a release in many files are told by their file and their number there."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.so_many import so_many

import phverify as ph
from phverify.report.verify_failing import to_csv
from phverify.report.verify_json import to_json
from phverify.report.verify_text import to_lines

POLICY: dict[str, Any] = {
    "columns": {"quasi": ["q"], "sensitive": ["f"], "identifier": "who"},
    "rules": {"k": "k_anonymity(2)", "fay": "~[a1] @Fay f = a"},
}
ONE = pd.DataFrame({"q": list("xxy"), "f": list("aba"), "who": ["Ann", "Bob", "Cem"]})
TWO = pd.DataFrame({"q": list("yxz"), "f": list("bba"), "who": ["Dee", "Eve", "Fay"]})


def written(folder: Path, ending: str) -> str:
    """Two files of one table, and the pattern of both."""
    for name, table in {"1": ONE, "2": TWO}.items():
        path = folder / f"{name}.{ending}"
        if ending == "csv":
            table.to_csv(path, index=False)
        else:
            table.to_parquet(path)
    return f"{folder}/*.{ending}"


READ = [("csv", "auto"), ("parquet", "pandas"), ("parquet", "duckdb")]


@pytest.mark.parametrize(("ending", "engine"), READ)
def test_a_witness_names_the_file_and_the_row_in_it(
    tmp_path: Path, ending: str, engine: str
) -> None:
    report = ph.verify(written(tmp_path, ending), POLICY, engine=engine)
    place = f"d6 (row 3 of 2.{ending})"
    text = "\n".join(to_lines(report))
    assert f"false at {place}:" in text
    assert f"if Fay is {place}" in text
    page = report.to_html()
    assert f"whose record is {place} in this case" in page
    assert f"if Fay is {place}" in page
    assert f"2.{ending}" not in report.to_html(public=True)

    told = to_json(report)
    expected = {"file": str(tmp_path / f"2.{ending}"), "row": 3}
    for rule in told["rules"]:
        assert rule["witness"]["world"] == "d6"
        assert rule["witness"]["records"] == {"d6": expected}
    assert told["release"]["files"] == [
        {"file": str(tmp_path / f"{name}.{ending}"), "rows": 3} for name in "12"
    ]


def test_failing_rows_name_their_files(tmp_path: Path) -> None:
    policy = {**POLICY, "rules": {"l": "l_diversity(f, 3)"}}
    report = ph.verify(written(tmp_path, "parquet"), policy, failing=True)
    lines = csv.DictReader(io.StringIO(to_csv(report)))
    told = [(line["row"], line["file"], line["row_in_file"]) for line in lines]
    one, two = (str(tmp_path / f"{name}.parquet") for name in "12")
    listed = [(one, "1"), (one, "2"), (one, "3"), (two, "1"), (two, "2"), (two, "3")]
    assert told == [(f"d{k + 1}", *place) for k, place in enumerate(listed)]
    rows = to_json(report)["failing_rows"]["rows"]
    assert [(row["file"], str(row["row_in_file"])) for row in rows] == listed


def test_open_formulas_name_their_files(tmp_path: Path) -> None:
    policy = {**POLICY, "rules": {"open": "never_known(@Dee f = a)"}}
    report = ph.verify(written(tmp_path, "parquet"), policy)
    assert report.verdict == "proved"
    text = "\n".join(to_lines(report))
    assert "if Dee is d4 (row 1 of 2.parquet)" in text
    assert "if Dee is d3 (row 3 of 1.parquet)" in text
    (open_,) = to_json(report)["rules"][0]["not_known"]
    assert {name: place["row"] for name, place in open_["records"].items()} == {
        "d3": 3,
        "d4": 1,
    }


def test_files_of_one_name_are_told_by_their_paths(tmp_path: Path) -> None:
    for folder, table in {"a": ONE, "b": TWO}.items():
        (tmp_path / folder).mkdir()
        table.to_parquet(tmp_path / folder / "t.parquet")
    report = ph.verify(f"{tmp_path}/*/t.parquet", POLICY)
    place = f"false at d6 (row 3 of {tmp_path}/b/t.parquet):"
    assert place in "\n".join(to_lines(report))


def test_a_release_in_one_file_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    pd.concat([ONE, TWO]).to_csv(path, index=False)
    policy = {**POLICY, "rules": {"k": "k_anonymity(2)"}}
    report = ph.verify(path, policy, failing=True)
    assert "false at d6:" in "\n".join(to_lines(report))
    told = to_json(report)
    assert "records" not in told["rules"][0]["witness"]
    assert "files" not in told["release"]
    assert to_csv(report).startswith("row,class,breaks,q,f,who\n")
    assert report.in_file("d6") is None


@so_many(30, fuzz=1000)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=6))
def test_each_record_is_the_row_that_it_counts_to(lengths: list[int]) -> None:
    files = tuple((f"{k}.csv", rows) for k, rows in enumerate(lengths))
    report = ph.verify(ONE, {**POLICY, "rules": {"k": "k_anonymity(1)"}})
    whole = ph.Report(**{**vars(report), "files": files})
    places = [whole.in_file(f"d{k + 1}") for k in range(sum(lengths))]
    assert [(one.file, one.row) for one in places if one] == list(counted(lengths))


def counted(lengths: list[int]) -> Iterator[tuple[str, int]]:
    """All rows of all files."""
    for number, rows in enumerate(lengths):
        for row in range(rows):
            yield f"{number}.csv", row + 1
