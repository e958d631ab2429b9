"""Tables: the same content gives the same answer, however it is stored."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.tables_cases import policy

from phverify import Policy
from phverify.errors import InputError
from phverify.microdata.read import read
from phverify.verbs.verify import verify


def people(rows: int = 40, seed: int = 1) -> pd.DataFrame:
    chance = random.Random(seed)
    ages, zips = [20, 30, 40], ["0100", "0200"]
    ills, pays = ["flu", "cold", "gout, severe"], [10, 20, 30, 40, 50]
    columns: Mapping[str, Sequence[Any]] = {
        "age": ages,
        "zip": zips,
        "health": ills,
        "pay": pays,
    }
    return pd.DataFrame(
        {
            name: [chance.choice(domain) for _ in range(rows)]
            for name, domain in columns.items()
        }
    )


def answer(release: Any, **options: Any) -> Any:
    """What must not depend on how a table is stored."""
    report = verify(release, policy(), **options)
    rules = [
        (
            r.name,
            r.verdict,
            r.witness and (r.witness.cls, r.witness.failing, r.witness.facts),
        )
        for r in report.rules
    ]
    return report.rows, report.classes, report.individuals, rules


def verdicts(release: Any) -> Any:
    """What must not depend on the order of rows either (a witness may be another class
    that is as bad).
    """
    report = verify(release, policy())
    rules = [
        (r.name, r.verdict, r.witness and r.witness.failing)
        for r in report.rules
        if r.name != "pay"
    ]
    return report.verdict, report.rows, report.classes, rules


def test_the_answer_is_worth_comparing() -> None:
    found = {r.verdict for r in verify(people(), policy()).rules}
    assert found == {"proved", "refuted"}


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_csv_and_frame_give_one_answer(tmp_path: Path, separator: str) -> None:
    frame, path = people(), tmp_path / "release.csv"
    frame.to_csv(path, index=False, sep=separator)
    assert answer(path) == answer(str(path)) == answer(frame)


@pytest.mark.parametrize("suffix", [".parquet", ".pq"])
def test_parquet_and_frame_give_one_answer(tmp_path: Path, suffix: str) -> None:
    pytest.importorskip("pyarrow")
    frame, path = people(), tmp_path / f"release{suffix}"
    frame.loc[3, "health"] = None
    frame.set_index(pd.Index(range(100, 100 + len(frame)))).to_parquet(path)
    assert answer(path) == answer(frame)


def test_a_parquet_file_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "release.parquet"
    path.write_text("age,zip\n1,2\n")
    with pytest.raises(InputError, match="arquet"):
        read(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda f: f.astype(object),
        lambda f: f.astype(str),
        lambda f: f.astype("category"),
        lambda f: f.astype("string[python]"),
        lambda f: f.astype({"age": "Int64", "pay": float}),
        lambda f: f.astype(
            {"zip": pd.CategoricalDtype(["0000", "0100", "0200", "0300"])}
        ),
        lambda f: f.set_index(pd.Index(f["zip"].tolist())),
        lambda f: f.set_axis([5] * len(f), axis=0),
        lambda f: f[["pay", "health", "zip", "age"]],
    ],
    ids=[
        "object",
        "str",
        "category",
        "string",
        "numbers",
        "unused levels",
        "index",
        "same index",
        "columns",
    ],
)
def test_the_form_of_a_frame_plays_no_part_in_the_answer(
    change: Callable[[pd.DataFrame], pd.DataFrame],
) -> None:
    assert answer(change(people())) == answer(people())


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT, float("nan")])
def test_every_sign_of_a_missing_cell_gives_one_answer(
    tmp_path: Path, missing: Any
) -> None:
    frame = people().astype(object)
    frame.loc[[1, 5, 9], "health"] = None
    frame.loc[[2, 5], "age"] = None
    changed = frame.copy()
    for row, column in [
        (1, "health"),
        (5, "health"),
        (9, "health"),
        (2, "age"),
        (5, "age"),
    ]:
        changed.at[row, column] = missing
    path = tmp_path / "release.csv"
    frame.to_csv(path, index=False)
    assert answer(changed) == answer(frame) == answer(path)


def test_an_empty_text_is_missing_in_frames_as_in_files(tmp_path: Path) -> None:
    """Unless a column that rules look at holds both: whoever sees the frame can tell
    them apart, and it is refused.
    """
    frame = people().astype(object)
    frame.loc[[1, 2], "zip"] = ["", ""]
    frame.loc[[3, 4], "health"] = ["", ""]
    path = tmp_path / "release.csv"
    frame.to_csv(path, index=False)
    assert answer(frame) == answer(path)


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_rows_changes_no_verdict(seed: int) -> None:
    frame = people(60, seed)
    expected = verdicts(frame)
    for k in range(3):
        assert verdicts(frame.sample(frac=1, random_state=k)) == expected


def test_the_order_of_rows_changes_nothing_for_named_individuals() -> None:
    frame = people()
    frame["name"] = [f"p{k}" for k in range(len(frame))]
    roles = {"quasi": ["age", "zip"], "sensitive": ["health"], "identifier": "name"}
    rules = {
        "r": "@'p3' l_a1(health = flu) <= 1/3",
        "s": "@'p7' ~[a1] 'p3'",
        "w": "k_anonymity(3)",
    }
    held = Policy.from_dict({"columns": roles, "rules": rules})

    def found(table: pd.DataFrame) -> Any:
        release = table.drop(columns="name").sample(frac=1, random_state=5)
        report = verify(release, held, table)
        return (
            [(r.verdict, r.witness and r.witness.cls) for r in report.rules][:2],
            report.classes,
            report.verdict,
        )

    expected = found(frame)
    for k in range(3):
        assert found(frame.sample(frac=1, random_state=k)) == expected
