"""Different cells that are one value here (0.0 and -0.0, NaN and null): who has the file
tells them apart, so that a release with both is refused, and none is made.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import polars
import pyarrow as pa
import pytest
from pyarrow import parquet
from support.so_many import sampled
from support.sources import duckdb_file

import phverify as ph
from phverify.errors import InputError

DOUBLE = pa.float64()
BOTH = {"zeros": [0.0, -0.0, 0.0, -0.0], "missing": [None, math.nan, None, math.nan]}
ENGINES = ("pandas", "duckdb")
NEITHER: dict[str, list[list[Any]]] = {
    "zeros": [[0.0] * 4, [-0.0] * 4],
    "missing": [[None] * 4, [math.nan] * 4, [0.0, None, -1.0, None]],
}


def table_of(cells: list[Any], kind: Any = DOUBLE, column: str = "q") -> pa.Table:
    """A table one of whose columns has these cells."""
    wide = pa.array(cells, pa.float64(), from_pandas=False)
    columns: dict[str, Any] = {"q": [*"xxxx"], "s": [*"abab"], "n": [1, 1, 1, 1]}
    return pa.table({**columns, column: wide.cast(kind)})


def policy(rule: str = "k_anonymity(4)", **types: str) -> dict[str, Any]:
    columns = {"quasi": ["q"], "sensitive": ["s"], "neutral": ["n"]}
    return {"columns": columns, "types": types, "rules": {"r": rule}}


def as_parquet(table: pa.Table, folder: Path) -> Path:
    parquet.write_table(table, folder / "t.parquet")
    return folder / "t.parquet"


def as_duckdb(table: pa.Table, folder: Path) -> Any:
    (folder / "t.duckdb").unlink(missing_ok=True)
    duckdb_file(table, folder / "t.duckdb")
    return ph.NamedTable(folder / "t.duckdb", "t")


FORMS: dict[str, Callable[[pa.Table, Path], Any]] = {
    "parquet": as_parquet,
    "duckdb": as_duckdb,
    "arrow": lambda table, folder: table,
    "polars": lambda table, folder: polars.from_arrow(table),
}


@pytest.mark.parametrize(
    ("cells", "form", "engine"), sampled([*product(BOTH, FORMS, ENGINES)], 3)
)
def test_a_quasi_identifier_with_both_is_refused(
    cells: str, form: str, engine: str, tmp_path: Path
) -> None:
    release = FORMS[form](table_of(BOTH[cells]), tmp_path)
    for verb in (ph.verify, ph.measure):
        with pytest.raises(InputError, match=r"'q' has cells that differ.*\n.*-0\.0"):
            verb(release, policy(), engine=engine)
    with pytest.raises(InputError, match="'q' has cells that differ"):
        ph.reidentify(release, release, policy(), engine=engine)
    # What nobody tells apart is one value, whatever its sign.
    for others in NEITHER[cells]:
        ph.verify(FORMS[form](table_of(others), tmp_path), policy(), engine=engine)


def test_dataframes_have_two_zeros_and_one_missing_number() -> None:
    zeros, missing = (table_of(cells).to_pandas() for cells in BOTH.values())
    with pytest.raises(InputError, match="'q' has cells that differ"):
        ph.verify(zeros, policy())
    assert ph.verify(missing, policy()).verdict == "proved"


TWO_KINDS = [(0.0, -0.0), (1, "1"), (2, 2.0), (2.0, "2"), (math.inf, "inf")]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("pair", TWO_KINDS)
def test_cells_of_two_kinds_are_not_one_value(
    pair: tuple[Any, Any], engine: str, tmp_path: Path
) -> None:
    """An untyped column of SQLite, and pandas' objects, keep both."""
    path = tmp_path / "t.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE t (q, s)")
        rows = [(cell, s) for cell, s in zip(pair * 2, "abab", strict=True)]
        database.executemany("INSERT INTO t VALUES (?, ?)", rows)
        database.commit()
    objects = pd.Series([*pair, *pair], dtype=object)
    frame = pd.DataFrame({"q": objects, "s": [*"abab"]})
    columns = {"quasi": ["q"], "sensitive": ["s"]}
    asked = {"columns": columns, "rules": {"r": "k_anonymity(4)"}}
    told = {**asked, "rows": "same order"}
    for release, by in ((path, engine), (frame, "pandas")):
        with pytest.raises(InputError, match="'q' has cells that differ"):
            ph.verify(release, asked, engine=by)
        with pytest.raises(InputError, match="'q' has cells that differ"):
            ph.reidentify(release, release, told, engine=by)


@pytest.mark.parametrize("engine", ENGINES)
def test_cells_of_two_kinds_with_texts_of_their_own(
    engine: str, tmp_path: Path
) -> None:
    """Ages beside ranges, as released columns have them, and numbers of any size."""
    path = tmp_path / "t.sqlite"
    kept = [45, "20-29", 2.5, "045", "-", None, 10**18]
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE t (q, s)")
        database.executemany("INSERT INTO t VALUES (?, 'a')", [(k,) for k in kept])
        database.commit()
    asked = {"columns": {"quasi": ["q"], "sensitive": ["s"]}, "rules": {"r": "true"}}
    assert ph.verify(path, asked, engine=engine).verdict == "proved"
    frame = pd.DataFrame({"q": pd.Series(kept, dtype=object), "s": "a"})
    assert ph.verify(frame, asked).verdict == "proved"


def test_objects_are_released_with_one_zero(tmp_path: Path) -> None:
    zeros = pd.Series([0.0, -0.0, 0.0, -0.0], dtype=object)
    frame = pd.DataFrame({"q": [*"xxxx"], "s": [*"abab"], "n": zeros})
    for find in (ph.search, anonymized):
        released = find(frame, policy(), engine="pandas").release["n"]
        assert "-0" not in str(released.tolist())


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", [pa.float64(), pa.float32()])
@pytest.mark.parametrize("column", ["s", "n"])
def test_so_is_any_column_that_a_rule_looks_at(
    column: str, kind: Any, engine: str, tmp_path: Path
) -> None:
    path = as_parquet(table_of(BOTH["zeros"], kind, column), tmp_path)
    rule = policy(f"t_closeness({column}, 1/10)")
    with pytest.raises(InputError, match=f"{column!r} has cells that differ"):
        ph.verify(path, rule, engine=engine)
    # At this one no rule looks.
    assert ph.verify(path, policy(), engine=engine).verdict == "proved"
    original = policy(f"t_closeness({column}, 1/10, reference=original)")
    one = as_parquet(table_of([0.0] * 4, kind, column), tmp_path)
    before = table_of(BOTH["zeros"], kind, column)
    told = {**original, "rows": "same order"}
    assert ph.verify(one, told, before, engine=engine).verdict == "proved"


@pytest.mark.parametrize(
    ("cells", "column", "form"), sampled([*product(BOTH, "qsn", FORMS)], 5)
)
def test_a_release_that_is_made_has_one(
    cells: str, column: str, form: str, tmp_path: Path
) -> None:
    table = FORMS[form](table_of(BOTH[cells], column=column), tmp_path)
    wanted = [None] * 4 if cells == "missing" else [0.0] * 4
    for engine in ENGINES:
        for find in (ph.search, anonymized):
            result = find(table, policy("t_closeness(s, 1)"), engine=engine)
            result.write(tmp_path / "release.parquet")
            released = parquet.read_table(tmp_path / "release.parquet").column(column)
            assert str(released.to_pylist()) == str(wanted), (engine, find)
            if form in ("arrow", "polars"):
                again = pa.table(result.release).column(column)
                assert str(again.to_pylist()) == str(wanted)
            else:
                again = pa.array(result.release[column])
                assert "-0" not in str(again)


def anonymized(table: Any, rules: Any, engine: str) -> Any:
    return ph.anonymize(table, policy=rules, engine=engine)
