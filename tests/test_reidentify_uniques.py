"""Minimal unique combinations against all subsets of the attributes, of tables and of
candidate sets.
"""

from __future__ import annotations

from itertools import combinations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.reidentify_oracle import Case, cases, subsets
from support.so_many import so_many

from phverify.linkage.candidates.pairs import linkage_of
from phverify.linkage.risk import uniques as module
from phverify.linkage.risk.uniques import Uniques, linked, uniques
from phverify.microdata.dataframes import from_frame
from phverify.microdata.table import CodedTable

NAMES = ("a", "b", "c", "d")


def as_table(rows: list[tuple[str, ...]]) -> CodedTable:
    return from_frame(
        pd.DataFrame(rows, columns=list(NAMES[: len(rows[0])]), dtype=object)
    )


def brute(rows: list[tuple[str, ...]], below: int) -> dict[tuple[str, ...], list[int]]:
    """All subsets, each record, each proper subset."""
    width = len(rows[0])

    def unique(row: int, subset: tuple[int, ...]) -> bool:
        return (
            sum(all(other[k] == rows[row][k] for k in subset) for other in rows) < below
        )

    found: dict[tuple[str, ...], list[int]] = {}
    for size in range(width + 1):
        for subset in combinations(range(width), size):
            smaller = [tuple(k for k in subset if k != j) for j in subset]
            minimal = [
                r
                for r in range(len(rows))
                if unique(r, subset) and not any(unique(r, s) for s in smaller)
            ]
            if minimal:
                found[tuple(NAMES[k] for k in subset)] = minimal
    return found


def as_dict(found: Uniques) -> dict[tuple[str, ...], list[int]]:
    return {exposure.attributes: exposure.rows.tolist() for exposure in found.found}


@so_many(100)
@given(
    st.lists(st.tuples(*[st.sampled_from("xyz")] * 4), min_size=1, max_size=9),
    st.sampled_from([2, 2, 3]),
)
def test_all_minimal_subsets_with_whom_they_expose(
    rows: list[tuple[str, ...]], below: int
) -> None:
    found = uniques(as_table(rows), NAMES, below)
    wanted = brute(rows, below)
    assert as_dict(found) == wanted and list(as_dict(found)) == list(wanted)
    assert found.complete
    for row in range(len(rows)):
        assert list(found.of_record(row)) == [
            subset for subset, held in wanted.items() if row in held
        ]
    assert found.exposed.tolist() == sorted(
        {row for held in wanted.values() for row in held}
    )


@so_many(30)
@given(cases())
def test_smallest_subsets_that_leave_one_candidate(case: Case) -> None:
    original, release = case.frames()
    linkage = linkage_of(from_frame(original), from_frame(release), case.policy)
    names = ("zip", "age", "flu")
    alone = {
        s: {y for y in range(len(release)) if len(case.belief(s, y)) == 1}
        for s in subsets(names)
    }
    wanted = {}
    for subset, held in alone.items():
        smaller = [alone[tuple(n for n in subset if n != name)] for name in subset]
        if minimal := held.difference(*smaller):
            wanted[subset] = sorted(minimal)
    assert as_dict(linked(linkage, names)) == wanted


def test_summaries() -> None:
    rows = [("x", "u"), ("x", "v"), ("y", "u"), ("z", "v"), ("y", "u")]
    found = uniques(as_table(rows), ("a", "b"))
    assert as_dict(found) == {("a",): [3], ("a", "b"): [0, 1]}
    assert found.by_size == ((1, 1, 1), (2, 1, 2))
    assert [exposure.attributes for exposure in found.worst(1)] == [("a",)]


def test_one_record_is_singled_out_by_nothing() -> None:
    assert as_dict(uniques(as_table([("x", "y")]), ("a", "b"))) == {(): [0]}


def test_subsets_that_can_be_minimal_for_nobody_are_not_looked_at() -> None:
    """Twenty attributes, of which three tell everybody apart: a million subsets, few of
    them looked at.
    """
    names = tuple(f"c{k}" for k in range(20))
    frame = pd.DataFrame(
        {
            name: [str(row) if k < 3 else "x" for row in range(6)]
            for k, name in enumerate(names)
        }
    )
    frame.loc[:, "c5"] = ["y", "x", "x", "x", "x", "x"]
    found = uniques(from_frame(frame), names)
    assert found.complete
    assert as_dict(found) == {
        **{(f"c{k}",): list(range(6)) for k in range(3)},
        ("c5",): [0],
    }


def test_a_search_that_is_cut_short_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOOKED_AT", 5)
    rows = [tuple("xy"[row >> k & 1] for k in range(4)) for row in range(16)]
    found = uniques(as_table(rows), NAMES)
    assert not found.complete and found.searched == 1
