"""What audits once got wrong, or fell over: each is refused, bounded or told rightly."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from support.made_once import duckdb_file

import phverify as ph

ROWS = [("a", 1, 1), ("b", 2, 0), ("c", 3, 1)]
POLICY: dict[str, Any] = {
    "table": "t",
    "key": "id",
    "public": ["n"],
    "sensitive": {"s": {"from": 0, "to": 2}},
    "protect": {"s": {"column": "s"}},
}


def asked(
    tmp_path: Path, sql: str, dialect: str = "duckdb", fact: str = ""
) -> tuple[Any, set[str]]:
    """The step of one statement about ids, public numbers and sensitive ones."""
    path = duckdb_file(
        tmp_path / "t.duckdb",
        "CREATE TABLE t(id VARCHAR, n INTEGER, s INTEGER)",
        ("INSERT INTO t VALUES (?, ?, ?)", ROWS),
    )
    protect = {"s": {"fact": fact} if fact else {"column": "s"}}
    policy = POLICY | {"protect": protect, "dialect": dialect}
    step = ph.audit(str(path), [sql], policy, ranges=0).steps[1]
    return step, {finding.verdict for finding in step.findings}


ORDERS = """
    SELECT s FROM t ORDER BY id
    SELECT s FROM t ORDER BY n
    SELECT s FROM t WHERE n < 9 ORDER BY n DESC
    SELECT s FROM (SELECT * FROM t ORDER BY n) u
    WITH c AS (SELECT n, s FROM t) SELECT s FROM c ORDER BY n
    SELECT s FROM t ORDER BY n LIMIT 9
"""
"""Each says which row is which, and so what each cell is."""
FAILING = [
    ("bigquery", "SELECT COUNT(*) FROM t WHERE 10/s < 0", "s >= 1"),
    ("postgres", "SELECT COUNT(*) FROM t WHERE s*2000000000 < 0", "s <= 1"),
    ("postgres", "SELECT COUNT(*) FROM t WHERE s + 2147483646 < 0", "s <= 1"),
    ("tsql", "SELECT COUNT(*) FROM t WHERE s*2000000000 < 0", "s <= 1"),
]
"""That they did not fail says something of a fact."""
OTHER_TABLES = [
    ("tsql", "SELECT id, s FROM #t"),
    ("tsql", "SELECT SUM(s) FROM ##t"),
    ("mysql", 'SELECT SUM("s") FROM "t"'),
    ("bigquery", 'SELECT SUM("s") FROM "t"'),
    ("databricks", 'SELECT COUNT(*) FROM "t" WHERE "s" = 1'),
]
"""They may be about another table."""
DEFECTS = [
    ("WITH c AS (SELECT 1 AS x) SELECT x FROM c", "silent"),
    ("SELECT x FROM (SELECT 1 AS x) AS c", "silent"),
    ("SELECT SUM(s) FROM t, (SELECT 1 AS x) AS c", "bounded"),
    ("SELECT 0.5, SUM(s) FROM t GROUP BY 0.5", "bounded"),
    ("SELECT SUM(s) FROM t GROUP BY 1e0", "bounded"),
]
"""The audit fell over them; no cell follows from any."""


def cases() -> Iterator[tuple[str, str, str, str, set[str]]]:
    """A dialect, a statement in it, a fact (or the cells), the status of the statement,
    and what verdicts may be.
    """
    open_ = {"safe", "undecided"}
    for sql in ORDERS.strip().splitlines():
        yield "duckdb", sql.strip(), "", "bounded", {"disclosed", "undecided"}
    yield "duckdb", "SELECT s FROM t ORDER BY s", "", "answered", {"safe"}
    for dialect, sql, fact in FAILING:
        yield dialect, sql, fact, "bounded", open_
    for dialect, sql in OTHER_TABLES:
        yield dialect, sql, "", "unsupported", {"unsupported"}
    for sql, status in DEFECTS:
        yield "duckdb", sql, "", status, open_


@pytest.mark.parametrize(("dialect", "sql", "fact", "status", "verdicts"), [*cases()])
def test_each_is_told_rightly(
    tmp_path: Path, dialect: str, sql: str, fact: str, status: str, verdicts: set[str]
) -> None:
    step, found = asked(tmp_path, sql, dialect, fact)
    assert step.status == status, step.reason
    assert found and found <= verdicts


def test_lists_beside_sqlite_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    with closing(sqlite3.connect(path)) as file:
        file.execute("CREATE TABLE t(id TEXT, n INTEGER, s INTEGER)")
        file.executemany("INSERT INTO t VALUES (?, ?, ?)", ROWS)
        file.commit()
    step = ph.audit(str(path), ["SELECT MAX(s, 2) FROM t"], POLICY, ranges=0).steps[1]
    assert step.status == "unsupported" and "lists" in step.reason


def test_a_rounded_answer_about_steps_is_not_audited() -> None:
    policy = {
        "table": "t",
        "key": "id",
        "public": [],
        "sensitive": {"n": {"from": 0.0, "to": 2.0, "step": 0.5}},
        "protect": {"w": {"column": "n", "within": 0.5}},
        "answers": {"rounded": 2, "within": 0.5},
    }
    table = pd.DataFrame({"id": [0, 1], "n": [0.5, 0.0]})
    log = [{"sql": "SELECT SUM(n) FROM t", "answer": [[0]]}]
    step = ph.audit(table, log, policy, ranges=0).steps[1]
    assert step.status == "unsupported" and "other values" in step.reason


FAILURES = [
    {"sql": "SELECT id FROM t WHERE s = 12", "error": "ORA-01722", "code": "42000"},
    {"sql": "SELECT n FROM v", "error": "no relation x", "code": "42P01"},
    {"sql": "SELECT id, s FROM t", "error": "denied", "code": "42501", "answer": [[1]]},
]


@pytest.mark.parametrize("entry", FAILURES, ids=lambda entry: entry["error"])
def test_a_failure_that_may_say_something_taints(entry: dict[str, Any]) -> None:
    policy = POLICY | {"views": {"v": "SELECT id, CAST(s AS regclass) AS n FROM t"}}
    table = pd.DataFrame(ROWS, columns=["id", "n", "s"])
    report = ph.audit(table, [entry], policy, ranges=0)
    assert report.verdict == "unsupported"


def test_nobody_is_no_other_user() -> None:
    table = pd.DataFrame(ROWS, columns=["id", "n", "s"])
    log = [
        {"sql": "SELECT id, s FROM t", "user": " "},
        {"sql": "SELECT SUM(s) FROM t", "user": "bob"},
    ]
    report = ph.audit(table, log, POLICY, users=["bob"], ranges=0)
    assert report.verdict == "disclosed"


def test_a_parameter_is_no_place(tmp_path: Path) -> None:
    entry = {"sql": "SELECT n, COUNT(*) FROM t GROUP BY ?", "parameters": [1]}
    step, _ = asked(tmp_path, entry)  # type: ignore[arg-type]
    assert step.status == "unsupported"
    assert "the value of ? is not in the log with its type" in step.reason


def test_of_values_that_are_left_none_is_called_known() -> None:
    policy = POLICY | {"protect": {"few": {"column": "s", "left": 3}}}
    table = pd.DataFrame(ROWS, columns=["id", "n", "s"])
    log = ["SELECT COUNT(*) FROM t WHERE id = 'a' AND s >= 1"]
    text = str(ph.audit(table, log, policy, ranges=0))
    assert "DISCLOSED fewer than 3 values of s of a are left: from query 1" in text
