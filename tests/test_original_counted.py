"""``verify --original`` of tables that stay in DuckDB: the verdict, the witnesses and
the messages are those of their rows.
"""

from __future__ import annotations

import tempfile
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet
from support.so_many import sampled, so_many
from test_original_random import Case, cases, policy

import phverify as ph
import phverify.verbs.release_tables as verb
from phverify.errors import InputError


def written(rows: Any, path: Path) -> str:
    frame = pd.DataFrame(list(rows), dtype=object)
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    else:
        columns = {name: frame[name].tolist() for name in frame.columns}
        parquet.write_table(pa.table(columns), path)
    return str(path)


def told(*inputs: Any, **more: Any) -> Any:
    """What ``verify`` says, or what is wrong."""
    try:
        report = ph.verify(*inputs, failing=True, **more)
    except InputError as error:
        return error.problems, {}
    data = report.to_dict()
    for rule in data["rules"]:
        del rule["seconds"]
    return list(report.lines()), data


def only_counted() -> Any:
    """Reading rows is a failure."""
    refused = AssertionError("rows were read")
    return patch.object(verb, "read", side_effect=refused)


SETTLED = st.one_of(cases(), cases().filter(lambda case: case.identified))


@so_many(8)
@given(
    SETTLED, st.sampled_from(["csv", "parquet"]), st.sampled_from(["csv", "parquet"])
)
def test_counts_say_what_rows_say(case: Case, first: str, second: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shown = ["q", "r", "f", "g", *(["who"] if case.identified else [])]
        after = [{name: row[name] for name in shown} for row in case.after]
        release = written(after, folder / f"release.{first}")
        original = written(case.before, folder / f"original.{second}")
        inputs = release, policy(case, folder), original
        rows = told(*inputs, engine="pandas")
        assert told(*inputs, engine="duckdb") == rows
        # a mapping that is known to be the one is found without rows
        known = case.identified or case.ordered
        if known and rows[1].get("sanitization", {}).get("mappings"):
            with only_counted():
                ph.verify(*inputs, engine="duckdb")


COLUMNS = {"quasi": ["zip"], "sensitive": ["s"], "identifier": "who"}
RULES = {
    "k": "k_anonymity(3)",
    "near": "t_closeness(s, 0.5, reference=original)",
    "named": "@n3 ~[a1] s = 1",
    "known": "never_known(s = 4)",
    "two": "~(@n1 s = 1 & @n2 s = 2)",
    "anyone": "forall i: ~(@i s = 1)",
    "pairs": "forall i, j: ~(@i s = 1 & @j s = 2)",
    "someone": "exists i, j: @i ~[a1] s = 3 & @j ~[a1] s = 1",
    "everyone": "~(exists i: @i (s = 3 & age = '0'))",
}


@pytest.mark.parametrize(
    ("recoding", "order"),
    sampled([*product(["columns", "tuples"], ["same", "other", "policy"])], 2),
)
def test_people_are_found_where_they_stand(
    tmp_path: Path, order: str, recoding: str
) -> None:
    people = range(30)
    before = [
        {"who": f"n{k}", "zip": str(10 + k % 7), "s": k % 5, "age": f"{k % 3}"}
        for k in people
    ]
    after = []
    for row in before:
        low = int(str(row["zip"])) < 14
        cell = "10-13" if low else "14-19"
        # two cells for one value make no function of the column alone
        wide = recoding == "tuples" and row["age"] == "1"
        after.append({**row, "zip": "10-19" if wide else cell, "s": f"{row['s']}.0"})
    if order == "other":
        after = after[::-1]
    if order == "policy":
        after = [{name: row[name] for name in ("zip", "s", "age")} for row in after]
    inputs = (
        written(after, tmp_path / "release.parquet"),
        {
            "columns": {**COLUMNS, "quasi": ["zip", "age"]},
            "types": {"s": "decimal"},
            "rules": RULES,
            **({"rows": "same order"} if order == "policy" else {}),
        },
        written(before, tmp_path / "original.csv"),
    )
    rows = told(*inputs, engine="pandas")
    assert rows[1], rows[0]
    assert rows == told(*inputs, engine="duckdb")
    assert rows[1]["verdict"] == "refuted"
    with only_counted():
        ph.verify(*inputs, engine="duckdb")


def test_what_is_wrong_is_told_by_rows(tmp_path: Path) -> None:
    before = [{"who": f"n{k}", "zip": str(k), "s": k} for k in range(9)]
    after = [{**row, "zip": "*"} for row in before[::-1]]
    after[4]["s"] = 77
    inputs = (
        written(after, tmp_path / "release.csv"),
        {"columns": COLUMNS, "rules": {"k": "k_anonymity(3)"}},
        written(before, tmp_path / "original.csv"),
    )
    rows = told(*inputs, engine="pandas")
    assert told(*inputs, engine="duckdb") == rows
    assert "s is '4' in the original and '77'" in str(rows[0])


def test_torn_tuples_are_told_by_rows(tmp_path: Path) -> None:
    before = [{"who": f"n{k}", "zip": str(k // 3), "s": k} for k in range(9)]
    wide = ("0-2", "0-2", "0-1")
    after = [{**row, "zip": wide[int(row["s"]) % 3]} for row in before]
    after = [
        row | {"zip": "0-2"} if row["zip"] == "0-1" and row["s"] > 2 else row
        for row in after
    ]
    for rule in ("k_anonymity(9)", "@n1 s = 1", "@n8 s = 8"):
        inputs = (
            written(after, tmp_path / "release.csv"),
            {"columns": COLUMNS, "rules": {"rule": rule}},
            written(before, tmp_path / "original.csv"),
        )
        assert told(*inputs, engine="duckdb") == told(*inputs, engine="pandas")
