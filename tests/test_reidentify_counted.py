"""The risk of releases that are counted in DuckDB is that of their rows."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet
from support.reidentify_oracle import Case, cases
from support.so_many import so_many

import phverify as ph
import phverify.verbs.reidentify as verb
from phverify.errors import InputError
from phverify.linkage.result import Reidentification

ENDINGS = ("csv", "parquet")


def written(frame: pd.DataFrame, path: Path) -> str:
    """A table in a file; missing cells are None."""
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    else:
        columns = {name: frame[name].tolist() for name in frame.columns}
        parquet.write_table(pa.table(columns), path)
    return str(path)


def told(result: Reidentification) -> tuple[list[str], dict[str, Any]]:
    return list(result.lines()), result.to_dict()


def both_roads(
    original: str, release: str, policy: ph.Policy, *attackers: str, **more: Any
) -> tuple[Any, Any]:
    """What rows and counts answer, or what is wrong."""
    found = []
    for engine in ("pandas", "duckdb"):
        try:
            result = ph.reidentify(
                original, release, policy, attackers, engine=engine, **more
            )
            found.append(told(result))
        except InputError as error:
            found.append(error.problems)
    return found[0], found[1]


def only_counted() -> Any:
    """Reading rows is a failure."""
    refused = AssertionError("rows were read")
    return patch.object(verb, "table_of", side_effect=refused)


@st.composite
def tables(draw: st.DrawFn) -> tuple[Case, list[int] | None, list[int], bool]:
    """A release, who stands where in it where there are identifiers, who is released,
    and whether the policy says that the order is the same.
    """
    case = draw(cases(6))
    rows = range(len(case.original))
    if not draw(st.booleans()):
        return case, None, list(rows), draw(st.booleans())
    names = draw(st.permutations(rows))
    released = draw(st.lists(st.sampled_from(rows), min_size=1, unique=True))
    return case, names, released, False


@so_many(6)
@given(tables(), st.sampled_from(ENDINGS), st.sampled_from(ENDINGS), st.booleans())
def test_counts_answer_what_rows_answer(
    asked: tuple[Case, list[int] | None, list[int], bool],
    first: str,
    second: str,
    redact: bool,
) -> None:
    case, names, released, ordered = asked
    original, release = case.frames()
    policy = replace(case.policy, rows="same order" if ordered else "any order")
    if names is not None:
        original["who"] = release["who"] = [f"n{name}" for name in names]
        policy = replace(policy, identifier="who")
    with tempfile.TemporaryDirectory() as folder:
        before = written(original, Path(folder) / f"original.{first}")
        after = written(release.iloc[released], Path(folder) / f"release.{second}")
        attackers = ("zip,age", "flu", "a1")
        rows, counts = both_roads(before, after, policy, *attackers, redact=redact)
        assert rows == counts
        # where it is known who comes from whom no row is read
        if isinstance(rows, tuple) and (ordered or names is not None):
            with only_counted():
                ph.reidentify(before, after, policy, attackers, engine="duckdb")


HALVES = {"a": "1", "b": "1", "c": "2", "d": "2"}


@st.composite
def larger(draw: st.DrawFn) -> tuple[pd.DataFrame, pd.DataFrame, dict[str, Any]]:
    """Records of few values, some of them missing, one column released as halves that
    nobody declared, perhaps one of chance, and a sensitive one beside them.
    """
    size = draw(st.integers(1, 14))

    def column(values: Any) -> list[Any]:
        return draw(st.lists(values, min_size=size, max_size=size))

    # every letter has an original, so that what became of each can be seen
    letters = [*"abcd", *column(st.sampled_from("abcd"))]
    size += 4
    more = {
        # integers in Parquet; beside missing cells CSV has texts
        "n": column(st.sampled_from(draw(st.sampled_from([[1, 2], ["1", "2", None]])))),
        "s": column(st.sampled_from(["u", "", None, "v"])),
    }
    original = pd.DataFrame({"letter": letters, **more}, dtype=object)
    original["id"] = draw(st.permutations(range(size)))
    release = original.copy()
    if draw(st.booleans()):
        release["letter"] = [HALVES[letter] for letter in letters]
    masking = {}
    if draw(st.booleans()):
        masking["n"] = {"table": {"1": {"1": "1/2", "2": "1/2"}, "2": {"2": "1"}}}
        one = more["n"][0] or "1"
        two = type(one)(2)
        cells = [cell and draw(st.sampled_from([two, cell])) for cell in more["n"]]
        release["n"] = pd.Series(cells, dtype=object)
        masking["n"]["suppressed"] = ["*", ""]
    if draw(st.integers(0, 5)) == 5:
        release.loc[0, "s"] = "w"
    release = release.iloc[draw(st.permutations(range(size)))]
    data = {
        "columns": {
            "identifier": "id",
            "quasi": ["letter", "n"],
            "sensitive": ["s"],
        },
        "masking": masking,
        "rules": {"k": "k_anonymity(2)"},
    }
    return original, release.reset_index(drop=True), data


@so_many(8)
@given(larger(), st.sampled_from(ENDINGS), st.sampled_from(ENDINGS), st.booleans())
def test_alike_records_are_counted_together(
    asked: tuple[pd.DataFrame, pd.DataFrame, dict[str, Any]],
    first: str,
    second: str,
    sampled: bool,
) -> None:
    original, release, data = asked
    policy = ph.Policy.from_dict(data)
    sample = release.iloc[: len(release) // 2 + 1]
    with tempfile.TemporaryDirectory() as folder:
        before = written(original, Path(folder) / f"original.{first}")
        after = written(sample, Path(folder) / f"release.{second}")
        more = {"population": before} if sampled else {}
        rows, counts = both_roads(before, after, policy, "letter", "a1", **more)
    assert rows == counts


def frames(many: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Records of few tuples, and their release in another order."""
    original = pd.DataFrame(
        {
            "id": [f"n{k}" for k in range(many)],
            "zip": [f"{k % 7}{k % 3}" for k in range(many)],
            "s": [k % 5 for k in range(many)],
        }
    )
    release = original.iloc[::-1].reset_index(drop=True)
    release["zip"] = release["zip"].str[:1] + "*"
    return original, release


POLICY = {
    "columns": {"identifier": "id", "quasi": ["zip"], "sensitive": ["s"]},
    "rules": {"k": "k_anonymity(2)"},
    "hierarchies": {"zip": {"masking": "right"}},
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_single_rows_are_asked_for_alone(tmp_path: Path, ending: str) -> None:
    original, release = frames(40)
    before = written(original, tmp_path / f"before.{ending}")
    after = written(release, tmp_path / f"after.{ending}")
    policy = ph.Policy.from_dict(POLICY)
    with only_counted():
        counted = ph.reidentify(before, after, policy, engine="duckdb")
    assert counted.risk is not None
    (risk,) = counted.risk.attackers
    # eighteen tuples became seven: places are tuples, records are rows
    assert len(risk.of_place) == 7 and len(risk.of_record) == 40
    rows = ph.reidentify(before, after, policy, engine="pandas")
    assert told(counted) == told(rows)
    # the first record comes from the last original
    assert counted.risk.linkage.truth.original(0) == 39


def test_rows_that_do_not_fit_in_order_are_read(tmp_path: Path) -> None:
    original, release = frames(12)
    before = written(original, tmp_path / "before.csv")
    after = written(release.drop(columns="id"), tmp_path / "after.csv")
    rows, counts = both_roads(before, after, ph.Policy.from_dict(POLICY))
    assert rows == counts and rows[1]["truth"] == "matching"


def test_identifiers_that_are_wrong_are_told_by_rows(tmp_path: Path) -> None:
    original, release = frames(12)
    before = written(original, tmp_path / "before.csv")
    release.loc[3, "id"] = release.loc[2, "id"]
    after = written(release, tmp_path / "after.parquet")
    rows, counts = both_roads(before, after, ph.Policy.from_dict(POLICY))
    assert rows == counts and "do not tell the records apart" in rows[0].what


def test_engines_that_count_no_pairs(tmp_path: Path) -> None:
    original, release = frames(4)
    before = written(original, tmp_path / "before.csv")
    after = written(release, tmp_path / "after.csv")
    for engine in ("spark", "duck"):
        with pytest.raises(InputError, match="engine"):
            ph.reidentify(before, after, ph.Policy.from_dict(POLICY), engine=engine)


def test_whoever_is_no_original_is_told_by_rows(tmp_path: Path) -> None:
    original, release = frames(12)
    before = written(original, tmp_path / "before.csv")
    release.loc[3, "id"] = "n77"
    after = written(release, tmp_path / "after.parquet")
    rows, counts = both_roads(before, after, ph.Policy.from_dict(POLICY))
    assert rows == counts and "is none of the original" in rows[0].what


@pytest.mark.parametrize("masking", [{"microaggregation": 3}, {"swapping": "10%"}])
def test_ranks_are_those_of_all_records(tmp_path: Path, masking: Any) -> None:
    values = [1, 1, 1, 1, 1, 1, 2, 4, 4, 5, 5, 5, 9, 9, 9, 9, 9, 9, 9, 12]
    original = pd.DataFrame({"id": range(20), "v": values})
    release = original.copy()
    if "microaggregation" in masking:
        release["v"] = (
            [1] * 6 + [3] * 0 + ["3.3333"] * 3 + [5] * 3 + [9] * 6 + [10.5] * 2
        )
        release.loc[12:17, "v"] = 9
        release.loc[[17, 18, 19], "v"] = 10
    release["v"] = release["v"].astype(str).str.removesuffix(".0")
    data = {
        "columns": {"identifier": "id", "quasi": ["v"]},
        "masking": {"v": masking},
        "rules": {"k": "k_anonymity(2)"},
    }
    before = written(original, tmp_path / "before.parquet")
    after = written(release[::-1], tmp_path / "after.csv")
    policy = ph.Policy.from_dict(data)
    rows, counts = both_roads(before, after, policy)
    assert rows == counts and isinstance(rows[1], dict), rows
    with only_counted():
        ph.reidentify(before, after, policy, engine="duckdb")


def test_chance_beside_a_population(tmp_path: Path) -> None:
    """As many pairs as released tuples, in another order."""
    masking = {"n": {"table": {"1": {"1": "1/2", "2": "1/2"}, "2": {"1": "1"}}}}
    letters = {"id": range(4), "letter": list("abba")}
    original = pd.DataFrame({**letters, "n": ["1", "2", "1", "1"]})
    release = pd.DataFrame({**letters, "n": ["1", "1", "2", "2"]})
    people = pd.concat([original, original.iloc[:1]])
    people["id"] = range(5)
    data = {
        "columns": {"identifier": "id", "quasi": ["letter", "n"]},
        "masking": masking,
        "rules": {"k": "k_anonymity(2)"},
    }
    before = written(original, tmp_path / "before.csv")
    after = written(release.iloc[[3, 0, 2, 1]], tmp_path / "after.csv")
    population = written(people, tmp_path / "people.csv")
    policy = ph.Policy.from_dict(data)
    rows, counts = both_roads(before, after, policy, population=population)
    assert rows == counts and isinstance(rows[1], dict), rows


KINDS = [["1", "", None, "2"], ["1", None, None, "2"]]


@pytest.mark.parametrize("engine", ["pandas", "duckdb"])
@pytest.mark.parametrize("both", [(0, 0), (0, 1), (1, 0)])
def test_empty_texts_are_not_merged_with_missing_cells(
    tmp_path: Path, engine: str, both: tuple[int, int]
) -> None:
    """Who has the tables tells them apart: merged they would be two candidates."""
    before, after = [
        written(
            pd.DataFrame({"q": KINDS[kind]}, dtype=object),
            tmp_path / f"{place}.parquet",
        )
        for place, kind in enumerate(both)
    ]
    policy = {
        "rows": "same order",
        "columns": {"quasi": ["q"]},
        "rules": {"k": "k_anonymity(2)"},
    }
    refused = pytest.raises(InputError, match="'q' has empty texts beside missing")
    with refused:
        ph.reidentify(before, after, policy, engine=engine)
    with refused:
        ph.reidentify(before, after, policy, population=before, engine=engine)
    links = pd.DataFrame({"record": ["d1"], "original": ["i1"], "value": [1]})
    with refused:
        ph.reidentify(before, after, policy, method=links, truth="possible")


@pytest.mark.parametrize("engine", ["pandas", "duckdb"])
def test_columns_that_nobody_knows_may_have_both(tmp_path: Path, engine: str) -> None:
    table = pd.DataFrame({"q": list("aabb"), "f": KINDS[0]}, dtype=object)
    path = written(table, tmp_path / "t.parquet")
    policy = {
        "rows": "same order",
        "columns": {"quasi": ["q"], "sensitive": ["f"]},
        "rules": {"k": "k_anonymity(2)"},
    }
    assert ph.reidentify(path, path, policy, engine=engine).risk is not None
    with pytest.raises(InputError, match="column 'f' has empty texts"):
        ph.reidentify(path, path, policy, ["q,f"], engine=engine)
