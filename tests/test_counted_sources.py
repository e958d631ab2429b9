"""Databases, frames and streams that are counted in DuckDB: the answers, the messages
and the releases are those of their rows.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from support.agreement_cases import cases
from support.search_questions import settings as search_settings
from support.sources import FORMS, source
from test_engines import cells, columns, how_often
from test_search_counted import DRAWN, answered, same, tree

from phverify.microdata.at_hand import at_hand
from phverify.microdata.engines import AskedCount, counted
from phverify.microdata.quotient import quotient
from phverify.microdata.read import read

__all__ = ["tree"]


@settings(max_examples=80, deadline=None)
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


@cases(25)
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
