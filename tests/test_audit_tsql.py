"""T-SQL adds up INT in 32 bits: an answer says that no sum was too large, and the table
is small enough to say so of every order in which rows are added up.
"""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from phverify.disclosure.result import AuditReport
from phverify.verbs.audit import audit

pytest.importorskip("duckdb")
pytest.importorskip("sqlglot")
pandas = pytest.importorskip("pandas")

LARGE = 10**9
TOTAL = "SELECT SUM(s) AS n FROM t"
SOME = "SELECT g FROM t GROUP BY g HAVING SUM(s) > 2"
HIDDEN = "SELECT g, CASE WHEN COUNT(*) > 2 THEN SUM(s) END FROM t GROUP BY g"
ONES = "SELECT SUM(CASE WHEN s > 1 THEN 1 ELSE 0 END) FROM t"


def told(low: int, high: int, text: str, dialect: str = "tsql") -> AuditReport:
    frame = pandas.DataFrame({"id": list("abcd"), "g": list("xxyy"), "s": [1, 2, 0, 2]})
    policy: dict[str, Any] = {"table": "t", "key": "id", "public": ["g"]}
    policy["dialect"] = dialect
    policy["sensitive"] = {"s": {"from": low, "to": high}}
    policy["protect"] = {"cells": {"column": "s"}}
    return audit(frame, [text], policy, ranges=0)


@pytest.mark.parametrize(
    ("low", "text", "status", "says"),
    [
        (0, TOTAL, "answered", ""),
        (0, SOME, "bounded", "SUM(s) by g (as it stands SUM(s) of INT may be too"),
        (0, HIDDEN, "bounded", "SUM(s), COUNT(*) by g (as it stands SUM(s) of INT"),
        (-LARGE, TOTAL, "bounded", "s of all rows (as it stands SUM(s) of INT"),
        (-LARGE, SOME, "bounded", "s of all rows"),
        (-LARGE, ONES, "answered", ""),
    ],
)
def test_large_sums(low: int, text: str, status: str, says: str) -> None:
    step = told(low, LARGE, text).steps[-1]
    assert step.status == status
    assert says in step.reason


@pytest.mark.parametrize(("low", "high"), [(-LARGE, 2), (-2, LARGE)])
def test_parts_are_as_large_as_the_farther_end(low: int, high: int) -> None:
    step = told(low, high, SOME).steps[-1]
    assert "s of all rows" in step.reason


@pytest.mark.parametrize("text", [TOTAL, SOME, HIDDEN])
def test_small_sums_are_as_elsewhere(text: str) -> None:
    assert told(-100, 100, text).steps[-1].status == "answered"
    assert told(-LARGE, LARGE, TOTAL, "postgres").steps[-1].status == "answered"


def test_no_sum_is_shown_to_be_safe_by_a_world_without_an_answer() -> None:
    """By the definition: two worlds with one total, where one fails at its parts."""
    cells = (-LARGE, 0, LARGE)
    worlds = list(itertools.product(cells, repeat=4))
    fails = [world for world in worlds if _fails(world)]
    totals = {sum(world) for world in worlds if not _fails(world)}
    assert any(sum(world) in totals for world in fails)
    assert told(-LARGE, LARGE, TOTAL).verdict == "undecided"
    # Where no cell is below zero a total that fits has parts that fit.
    whole = [world for world in worlds if min(world) >= 0]
    assert all(_fails(world) == (sum(world) >= 2**31) for world in whole)


def _fails(world: tuple[int, ...]) -> bool:
    """Whether some part is too large, in the order of the rows."""
    return any(abs(part) >= 2**31 for part in itertools.accumulate(world))
