"""``verify``, ``measure`` and ``reidentify`` of databases, frames and streams that are
counted in DuckDB, one beside another: what they say of rows.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import duckdb
import pandas as pd
import pyarrow as pa
import pytest
import test_failing_counted as failing
import test_original_counted as originals
import test_reidentify_counted as linked
from hypothesis import given
from hypothesis import strategies as st
from support.so_many import sampled, so_many
from support.sources import FORMS, source
from test_original_random import Case, policy

import phverify as ph
from phverify.errors import InputError
from phverify.microdata import at_hand, engines, streams

FORM = st.sampled_from(FORMS)


def table_of(rows: Any) -> pa.Table:
    frame = pd.DataFrame(list(rows), dtype=object)
    return pa.table({name: frame[name].tolist() for name in frame.columns})


def measured(*inputs: Any, engine: str) -> Any:
    """What ``measure`` says, or what is wrong."""
    try:
        return ph.measure(*inputs, engine=engine).to_dict()
    except InputError as error:
        return error.problems


@so_many(6)
@given(originals.SETTLED, FORM, FORM)
def test_a_release_beside_its_original(case: Case, first: str, second: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shown = ["q", "r", "f", "g", *(["who"] if case.identified else [])]
        after = [{name: row[name] for name in shown} for row in case.after]
        release = source(first, table_of(after), folder / "release")
        original = source(second, table_of(case.before), folder / "original")
        rules = policy(case, folder)
        for ask in (measured, originals.told):
            read = ask(release(), rules, original(), engine="pandas")
            assert ask(release(), rules, original(), engine="duckdb") == read
        known = case.identified or case.ordered
        if known and read[1].get("sanitization", {}).get("mappings"):
            with originals.only_counted():
                ph.verify(release(), rules, original(), engine="duckdb")


@so_many(6)
@given(failing.tables(), FORM, st.booleans())
def test_failing_rows(table: pa.Table, form: str, redact: bool) -> None:
    columns = {"quasi": ["q", "r"], "sensitive": ["s"]}
    asked = ph.Policy.from_dict({"columns": columns, "rules": failing.RULES})
    with tempfile.TemporaryDirectory() as folder:
        made = source(form, table, Path(folder) / "t")
        found = []
        for engine in ("pandas", "duckdb"):
            more = {"engine": engine, "redact": redact}
            report = ph.verify(made(), asked, failing=True, **more)
            found.append(failing.told(report))
        assert found[0] == found[1]


@so_many(6)
@given(linked.tables(), FORM, FORM)
def test_links(asked: Any, first: str, second: str) -> None:
    case, names, released, ordered = asked
    original, release = case.frames()
    rules = replace(case.policy, rows="same order" if ordered else "any order")
    if names is not None:
        original["who"] = release["who"] = [f"n{name}" for name in names]
        rules = replace(rules, identifier="who")
    after = pa.Table.from_pandas(release.iloc[released], preserve_index=False)
    before = pa.Table.from_pandas(original, preserve_index=False)
    attackers = ("zip,age", "flu", "a1")
    with tempfile.TemporaryDirectory() as folder:
        here = source(first, before, Path(folder) / "original")
        there = source(second, after, Path(folder) / "release")
        found: list[Any] = []
        for engine in ("pandas", "duckdb"):
            try:
                result = ph.reidentify(
                    here(), there(), rules, attackers, engine=engine, population=here()
                )
                found.append(linked.told(result))
            except InputError as error:
                found.append(error.problems)
        assert found[0] == found[1]


@contextmanager
def everything_large() -> Iterator[None]:
    """Whatever is given is counted where it is."""
    with ExitStack() as ending:
        for module in (at_hand, engines, streams):
            ending.enter_context(patch.object(module, "LARGE", 0))
        yield


@pytest.mark.parametrize("form", sampled(FORMS, 2))
def test_large_tables_are_counted_without_being_asked_for(
    form: str, tmp_path: Path
) -> None:
    table = pa.table({"q": [*"aabbb"], "s": [*"xyxxx"], "id": [*"12345"]})
    columns = {"quasi": ["q"], "sensitive": ["s"], "identifier": "id"}
    rules = {"k": "k_anonymity(2)", "l": "l_diversity(s, 2)"}
    asked = ph.Policy.from_dict({"columns": columns, "rules": rules})
    made = source(form, table, tmp_path / "t")
    read = originals.told(made(), asked)
    assert read[1]["verdict"] == "refuted"
    with everything_large(), originals.only_counted():
        assert originals.told(made(), asked) == read
        assert originals.told(made(), asked, made())[1]["verdict"] == "refuted"
        with linked.only_counted():
            assert ph.reidentify(made(), made(), asked).to_dict()


def test_two_tables_of_one_database(tmp_path: Path) -> None:
    path = tmp_path / "both.duckdb"
    with closing(duckdb.connect(str(path))) as connection:
        connection.execute(
            "CREATE TABLE before AS SELECT 'p' || range AS who, range % 4 AS q, 'x' AS s"
            " FROM range(12)"
        )
        connection.execute(
            "CREATE TABLE after AS SELECT who, '*' AS q, s FROM before ORDER BY who"
        )
    columns = {"quasi": ["q"], "sensitive": ["s"], "identifier": "who"}
    asked = ph.Policy.from_dict({"columns": columns, "rules": {"k": "k_anonymity(5)"}})
    after, before = (ph.NamedTable(path, name) for name in ("after", "before"))
    read = originals.told(after, asked, before, engine="pandas")
    assert read[1]["verdict"] == "proved"
    risk = ph.reidentify(before, after, asked, engine="pandas").to_dict()
    with originals.only_counted(), linked.only_counted():
        assert originals.told(after, asked, before, engine="duckdb") == read
        assert ph.reidentify(before, after, asked, engine="duckdb").to_dict() == risk
