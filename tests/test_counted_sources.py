"""Databases, frames and streams that are counted in DuckDB: the answers, the messages
and the releases are those of their rows.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.search_questions import settings as search_settings
from support.so_many import sampled, so_many
from support.sources import FILES, FORMS, source
from support.tuples_cases import asked as question
from test_counted_sources_beside import everything_large
from test_engines import cells, columns, how_often
from test_search_counted import DRAWN, answered, content, same, tree
from test_tuples_lines import posed, same_question

import phverify as ph
from phverify.microdata.at_hand import at_hand
from phverify.microdata.engines import AskedCount, counted
from phverify.microdata.quotient import quotient
from phverify.microdata.read import read

__all__ = ["tree"]


@so_many(15)
@given(st.sampled_from(FORMS), st.lists(columns(), min_size=1, max_size=3), st.data())
def test_the_quotient_is_that_of_the_rows(
    form: str, given_columns: Sequence[pa.Array], data: st.DataObject
) -> None:
    names = [f"c{k}" for k in range(len(given_columns))]
    table = pa.table(dict(zip(names, given_columns, strict=True)))
    quasi = tuple(data.draw(st.lists(st.sampled_from(names), unique=True)))
    others = tuple(name for name in names if name not in quasi)
    with tempfile.TemporaryDirectory() as folder:
        made = source(form, table, Path(folder) / "t")
        by_row = read(made())
        asked = AskedCount((*quasi, *others), (), ())
        by_group = counted(at_hand(made(), "duckdb"), "duckdb", asked)
        assert by_group is not None
        assert by_group.elsewhere is not None
        assert (by_group.source, by_group.notes) == (by_row.source, by_row.notes)
        first = by_group.elsewhere.groups_of([*range(5)])
    assert by_group.rows == by_row.rows
    for name in names:
        one, other = by_group.columns[name], by_row.columns[name]
        assert how_often(one) == how_often(other)
        # Every row is where it was.
        assert [one.labels[one.codes[group]] for group in first] == other.cells()
    here = quotient(by_row.columns, quasi, others, 5)
    there = quotient(by_group.columns, quasi, others, 5, by_group.elsewhere.counts)
    assert cells(here) == cells(there)


@so_many(6)
@given(st.sampled_from(DRAWN), st.sampled_from(FORMS), st.data())
def test_searches_answer_what_they_answer_of_rows(
    tree: Path, drawn: Any, form: str, data: st.DataObject
) -> None:
    case = drawn(data.draw, tree, data.draw(search_settings(1, 7, missing=True)))
    told = {}
    with tempfile.TemporaryDirectory() as folder:
        table = pa.Table.from_pandas(case.frame, preserve_index=False)
        made = source(form, table, Path(folder) / "t")
        for engine in ("duckdb", "pandas"):
            told[engine] = answered(case, made(), engine, Path(folder))
    same(told["duckdb"], told["pandas"])


@so_many(6)
@given(st.integers(0, 10**6), st.sampled_from(FORMS), st.sampled_from(("0", "1/2")))
def test_tuples_are_those_of_rows(seed: int, form: str, share: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        question(folder, random.Random(seed))
        frame = pd.read_csv(folder / "table.csv", dtype=str, keep_default_na=False)
        table = pa.Table.from_pandas(frame.replace("", None), preserve_index=False)
        made = source(form, table, folder / "t")
        policy = folder / "policy.toml"
        read = posed(made(), policy, "pandas", suppress=share)
        counts = posed(made(), policy, "duckdb", suppress=share)
    if isinstance(read, str):
        assert counts == read
        return
    same_question(counts, read)


TABLE = pa.table(
    {
        "id": [f"p{k}" for k in range(40)],
        "age": [20 + k % 4 for k in range(40)],
        "ill": ["flu", "cold", 'a "b"', "x,y"] * 10,
    }
)
COLUMNS = {"identifier": "id", "quasi": ["age"], "sensitive": ["ill"]}


@pytest.mark.parametrize("form", sampled(FORMS, 2))
def test_releases_are_written_from_where_the_rows_are(
    form: str, tmp_path: Path
) -> None:
    types = {"age": "integer"}
    policy = {"columns": COLUMNS, "types": types, "rules": {"k": "k_anonymity(15)"}}
    made = source(form, TABLE, tmp_path / "t")
    with everything_large():
        levels = ph.search(made(), policy, space="intervals")
        tuples = ph.anonymize(made(), policy=policy, gap="1/2", budget=5)
    for number, result in enumerate((levels, tuples)):
        target = tmp_path / f"{number}.csv"
        result.write(target)
        assert result.rewriting is not None
        assert ph.verify(target, policy).verdict == "proved"
        assert len(read(target).columns["ill"].codes) == 40
        # The frame is of the same cells, and of the library that the table was of.
        same_cells = read(result.release).columns
        for name, column in read(target).columns.items():
            assert column.cells() == same_cells[name].cells()
        library = type(result.release).__module__.partition(".")[0]
        expected = "polars" if form == "polars" else "pyarrow"
        assert library == ("pandas" if form.startswith(FILES) else expected)
    assert levels.certificate is not None
    assert tuples.certificate is not None


@pytest.mark.parametrize("form", sampled(FORMS, 2, start=1))
def test_empty_texts_are_released_as_of_rows(form: str, tmp_path: Path) -> None:
    table = pa.table(
        {
            "q": [*"bab", "", "", "b"],
            "r": [None, "x", "y", "x", None, "y"],
            "n": ["", "x", None, "", "y", "x"],
            "m": ["", "x", "y", "", "y", "x"],
        }
    )
    columns = {"quasi": ["q", "r"], "neutral": ["n", "m"]}
    policy = {"columns": columns, "rules": {"k": "k_anonymity(1)"}}
    made = source(form, table, tmp_path / "t")
    told = {}
    for engine in ("duckdb", "pandas"):
        result = ph.search(made(), policy, engine=engine)
        result.write(tmp_path / "r.parquet")
        images = {name: [*image] for name, image in result.mapping.items()}
        told[engine] = images, content(tmp_path / "r.parquet")
    assert told["duckdb"] == told["pandas"]
