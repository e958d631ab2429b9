"""``ph.anonymize`` against all functions on tuples, judged by the reference semantics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.search_questions import (
    TREE,
    Case,
    drawn_about_classes,
    drawn_about_people,
    settings,
)
from support.so_many import so_many
from support.tuples_oracle import TupleQuestion

import phverify as ph

SPACES = st.sampled_from(["intervals", "intervals", "levels", "subtrees"])


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tuples") / "f.csv"
    path.write_text("\n".join(";".join(line) for line in TREE.values()))
    return path


@st.composite
def options(draw: Any) -> dict[str, Any]:
    disjoint = draw(st.integers(0, 3)) == 0
    cells = draw(st.sampled_from([1, 1, 1, "1/2", 0]))
    return {"disjoint": disjoint, "cells": cells}


@so_many(14, more=300)
@given(st.data())
def test_rules_about_classes(tree: Path, data: st.DataObject) -> None:
    setting = data.draw(settings(2, 6, space=data.draw(SPACES)))
    check(drawn_about_classes(data.draw, tree, setting), data.draw(options()))


@so_many(20)
@given(st.data())
def test_rules_about_people(tree: Path, data: st.DataObject) -> None:
    setting = data.draw(settings(2, 4, missing=True, space=data.draw(SPACES)))
    check(drawn_about_people(data.draw, tree, setting), data.draw(options()))


def check(case: Case, options: dict[str, Any]) -> None:
    """The release is good, none is below the bound, and the certificate says so."""
    asked = case.question
    question = TupleQuestion(asked.judge, asked.domains, asked.suppress, asked.weights)
    given = {"suppress": asked.suppress, "weights": asked.weights or None}
    try:
        result = ph.anonymize(
            case.frame, policy=case.policy, hierarchies=case.hierarchies,
            budget=0.3, **given, **options,
        )  # fmt: skip
    except ph.InputError as error:
        text = str(error)
        assume("one root" not in text and "contradict" not in text)
        raise
    free = options == {"disjoint": False, "cells": 1}
    least = question.least()
    if least is None:
        assert result.cost is None
        return
    if free:
        assert result.verdict != "infeasible"
    assert result.bound <= least
    if result.cost is None:
        return
    assert result.cost >= least
    good(question, case, result, options)


def good(
    question: TupleQuestion, case: Case, result: Any, options: dict[str, Any]
) -> None:
    """The released table satisfies the policy by the definitions, and the checker
    finds cost and bound again.
    """
    judge = question.judge
    release = result.release
    assert list(release.columns) == [c for c in case.frame.columns if c != "id"]
    kept = kept_rows(result, judge.rows)
    if kept is not None:
        shown: list[dict[str, Any]] = [dict(row) for row in judge.rows]
        cells = release.astype(object).where(release.notna(), None)
        for number, line in zip(kept, cells.to_dict("records"), strict=True):
            for q in judge.quasi:
                shown[number][q] = line[q]
        assert judge.proved(shown, kept)
    certificate = result.certificate
    if certificate is None:
        assert result.uncertified
        return
    again = ph.check(
        certificate, table=case.frame, policy=case.policy, hierarchies=case.hierarchies
    )
    assert again.verdict == "accepted", again


def kept_rows(result: Any, rows: Any) -> tuple[int, ...] | None:
    """Which rows of the input are released, where all are."""
    if result.suppressed:
        return None
    return tuple(range(len(rows)))


def test_frames_stay_of_their_kind() -> None:
    frame = pd.DataFrame(
        {"age": [31, 32, 47, 48], "ill": ["a", "b", "a", "b"]}, index=[9, 8, 7, 6]
    )
    result = ph.anonymize(frame, quasi=["age"], sensitive=["ill"], k=2, l=2, budget=1)
    assert result.release["age"].tolist() == ["31-32", "31-32", "47-48", "47-48"]
    assert result.release["ill"].tolist() == ["a", "b", "a", "b"]
    assert result.cost == result.bound or result.cost > result.bound
    assert "PROVED" in str(result)
