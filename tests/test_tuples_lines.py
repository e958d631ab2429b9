"""Tuples of a table that is counted where it is are those of its rows."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.so_many import so_many
from support.tuples_cases import asked

import phverify as ph
from phverify.errors import InputError
from phverify.recoding.options import TupleSettings
from phverify.recoding.posed import PosedRecoding
from phverify.verbs import tuples


class Posed(Exception):
    """What a search is posed."""

    def __init__(self, posed: PosedRecoding) -> None:
        super().__init__()
        self.posed = posed


def posed(table: Path, policy: Path, engine: str, **options: Any) -> Any:
    """What is asked, or what is wrong with it."""

    def shown(posed: PosedRecoding, *_: object) -> None:
        raise Posed(posed)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuples, "recoded", shown)
        patch.setattr(tuples, "warm_up", lambda: None)
        try:
            settings = TupleSettings(**options)
            tuples.recode(table, policy, settings=settings, engine=engine)
        except Posed as found:
            return found.posed
        except InputError as error:
            return str(error)
    raise AssertionError("nothing is posed")


@so_many(13)
@given(st.integers(0, 10**6), st.sampled_from(("0", "1/2")), st.integers(1, 3))
def test_the_question_is_that_of_the_rows(seed: int, share: str, times: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asked(Path(folder), random.Random(seed))
        table = Path(folder) / "table.csv"
        head, *lines = table.read_text(encoding="utf-8").splitlines(keepends=True)
        if "who" not in head:
            table.write_text("".join([head, *lines * times]), encoding="utf-8")
        policy = Path(folder) / "policy.toml"
        compared = 'original = "t_closeness(f, 1/4, reference=original)"'
        text = policy.read_text(encoding="utf-8")
        policy.write_text(f"{text}{compared}\n", encoding="utf-8")
        read = posed(table, policy, "pandas", suppress=share)
        counted = posed(table, policy, "duckdb", suppress=share)
    if isinstance(read, str):
        assert counted == read
        return
    same_question(counted, read)


def same_question(counted: PosedRecoding, read: PosedRecoding) -> None:
    """The same tuples, prices and rules."""
    assert counted.space.tuples == read.space.tuples
    assert counted.space.counts == read.space.counts
    for one, other in zip(counted.space.sides, read.space.sides, strict=True):
        assert (one.values, one.records) == (other.values, other.records)
    assert counted.space.constant == read.space.constant
    assert counted.budget == read.budget
    assert counted.necessary == read.necessary
    for name in ("codes", "counts", "rows"):
        assert np.array_equal(getattr(counted.grid, name), getattr(read.grid, name))
    everything = tuple(range(len(read.space.tuples)))
    for one, other in ((counted.rules, read.rules), (counted.steering, read.steering)):
        for column in ("", *read.posed.policy.sensitive):
            if column not in counted.data.columns:
                continue
            assert one.whole(column) == other.whole(column)
            assert one.counts(column, everything) == other.counts(column, everything)
        for number in everything:
            assert [*one.broken((number,))] == [*other.broken((number,))]


ROWS = pd.DataFrame(
    {
        "id": [f"p{k}" for k in range(60)],
        "age": [20 + k % 5 for k in range(60)],
        "sex": ["mf"[k % 3 // 2] for k in range(60)],
        "ill": ["flu", "cold", 'a "b"', "x,y"] * 15,
        "note": [None, "two\nlines", "c"] * 20,
    }
)
POLICY = {
    "columns": {
        "identifier": "id",
        "quasi": ["age", "sex"],
        "sensitive": ["ill"],
        "neutral": ["note"],
    },
    "types": {"age": "integer"},
    "rules": {"k": "k_anonymity(7)", "l": "l_diversity(ill, 2)"},
}


@pytest.mark.parametrize(
    "asked_for",
    [{}, {"suppress": "1/5"}, {"publish": "median"}, {"objective": "class-size"}],
    ids=str,
)
def test_the_release_is_that_of_the_rows(
    asked_for: dict[str, str], tmp_path: Path
) -> None:
    table = tmp_path / "t.csv"
    ROWS.to_csv(table, index=False)
    results = []
    for engine in ("pandas", "duckdb"):
        result = ph.anonymize(
            table, policy=POLICY, engine=engine, gap=0, budget=0.3, **asked_for
        )
        result.write(tmp_path / f"{engine}.csv")
        results.append(result)
    read, counted = results
    assert (read.rewriting is None, counted.rewriting is None) == (True, False)
    if read.gap == 0:
        assert counted.cost == read.cost
    written = ph.verify(tmp_path / "duckdb.csv", POLICY)
    assert written.verdict == "proved"
    # The file, the frame and the certificate are of one release.
    same = pd.read_csv(tmp_path / "duckdb.csv", dtype=str, keep_default_na=False)
    release = counted.release.fillna("").astype(str)
    pd.testing.assert_frame_equal(same, release, check_dtype=False)
    assert counted.certificate is not None
    if counted.certificate == read.certificate:
        names = ("pandas.csv", "duckdb.csv")
        one, other = [(tmp_path / name).read_bytes() for name in names]
        assert one == other
