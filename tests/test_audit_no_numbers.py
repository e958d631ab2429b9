"""Answers with what is no number, as 0 / 0 is in DuckDB: no double like it equals another
one, and JSON has no word for it.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pandas as pd
import pytest

from phverify.disclosure.histories.settings import Published
from phverify.disclosure.pool import same
from phverify.disclosure.worlds.kept_answers import Answers
from phverify.verbs.audit import audit

pytest.importorskip("sqlglot")
pytest.importorskip("duckdb")

NAN, INFINITE = float("nan"), float("inf")
FRAME = pd.DataFrame({"id": [1, 2, 3], "g": ["a", "b", "b"], "s": [1, 0, 1]})
POLICY: dict[str, Any] = {
    "table": "t",
    "key": "id",
    "public": ["g"],
    "sensitive": {"s": {"values": [0, 1]}},
    "protect": {"cells": {"column": "s"}},
}
RATIO = (
    "SELECT ROUND(100.0 * COUNT(*) FILTER (WHERE g = 'z') / COUNT(*), 1) FROM t"
    " WHERE g = 'z'"
)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ([(NAN,)], [(float("nan"),)], True),
        ([(1, NAN), (1, 2)], [(1, 2), (1, float("nan"))], True),
        ([(NAN,), (NAN,)], [(float("nan"),)], False),
        ([(NAN,)], [(1.0,)], False),
        ([(1.0,)], [(NAN,)], False),
        ([("NaN", NAN)], [("NaN", float("nan"))], True),
        ([(INFINITE,)], [(INFINITE,)], True),
    ],
)
def test_answers_that_are_the_same(one: Any, other: Any, expected: bool) -> None:
    assert same(one, other) is expected


def test_worlds_give_it_again() -> None:
    report = audit(FRAME, [RATIO, "SELECT SUM(s) FROM t"], POLICY)
    ((said,),) = report.steps[1].answer
    assert said != said
    assert [step.status for step in report.steps[1:]] == ["answered", "answered"]
    assert report.verdict == "safe"


def test_json_has_it_as_text() -> None:
    report = audit(
        FRAME, ["SELECT SUM(s), 'nan'::DOUBLE, '-inf'::DOUBLE FROM t"], POLICY
    )
    plain = json.dumps(report.to_dict(), allow_nan=False)
    assert json.loads(plain)["steps"][1]["answer"] == [[2, "nan", "-inf"]]


def test_it_is_not_rounded() -> None:
    answers = Answers(None, Published(Fraction(5), Fraction(10)))  # type: ignore[arg-type]
    row = answers.rounded((NAN, 23, INFINITE), frozenset({0, 1, 2}))
    assert row[0] is NAN and row[2] is INFINITE
    assert str(row[1]) == "20 (15 to 25)"
