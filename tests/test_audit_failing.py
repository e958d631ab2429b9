"""What is taken for less than it says: groups by chance, COUNT of what another engine
reads otherwise, and public expressions that may fail beside sensitive conditions.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.made_once import duckdb_file

import phverify as ph

pytest.importorskip("sqlglot")

POLICY: dict[str, Any] = {
    "table": "t",
    "key": "k",
    "public": ["g", "h"],
    "sensitive": {"wage": {"from": 0, "to": 2}, "ill": {"values": ["flu", "FLU"]}},
    "protect": {"wage": {"column": "wage"}, "ill": {"column": "ill"}},
}
ROWS = [
    ("a", "x", 1, 0, "flu"),
    ("b", "x", 2, 2, "FLU"),
    ("c", "y", 0, 0, "flu"),
    ("d", "y", 4, 1, "flu"),
]


def said(tmp_path: Path, dialect: str, sql: str) -> tuple[str, set[str]]:
    """What a statement is taken for, and whose wages are safe."""
    path = duckdb_file(
        tmp_path / "t.duckdb",
        "CREATE TABLE t(k VARCHAR, g VARCHAR, h INTEGER, wage INTEGER, ill VARCHAR)",
        ("INSERT INTO t VALUES (?, ?, ?, ?, ?)", ROWS),
    )
    step = ph.audit(str(path), [sql], POLICY | {"dialect": dialect}, ranges=0).steps[1]
    wages = [one for one in step.findings if one.fact.column == "wage"]
    return step.reason, {one.fact.key for one in wages if one.verdict == "safe"}


@pytest.mark.parametrize(
    ("dialect", "key"),
    [
        ("duckdb", "random()"),
        ("duckdb", "CASE WHEN random() < 0.5 THEN 1 END"),
        ("duckdb", "uuid()"),
        ("mysql", "RAND()"),
        ("tsql", "NEWID()"),
        ("snowflake", "UUID_STRING()"),
        ("bigquery", "GENERATE_UUID()"),
    ],
)
def test_groups_by_chance_are_none_by_columns(
    tmp_path: Path, dialect: str, key: str
) -> None:
    sql = f"SELECT g, SUM(wage) FROM t GROUP BY g, {key}"
    assert "how often each wage" in said(tmp_path, dialect, sql)[0]


@pytest.mark.parametrize(
    ("dialect", "of"),
    [
        ("mysql", "CASE WHEN ill = 'FLU' THEN 1 END"),
        ("mysql", "CASE ill WHEN 'FLU' THEN 1 END"),
        ("tsql", "CASE WHEN ill = 'FLU' THEN 1 END"),
        ("postgres", "CASE WHEN ill > 'Flu' THEN 1 END"),
        ("postgres", "CASE WHEN wage > 0 THEN 10 / h END"),
    ],
)
def test_a_count_is_of_what_its_dialect_means(
    tmp_path: Path, dialect: str, of: str
) -> None:
    sql = f"SELECT COUNT({of}) + 1 FROM t"
    assert "how often each" in said(tmp_path, dialect, sql)[0]


@pytest.mark.parametrize("condition", ["10 / h >= 1", "CAST(g AS INT) > 1"])
def test_a_public_condition_that_may_fail_leaves_no_row_out(
    tmp_path: Path, condition: str
) -> None:
    """An answer says that c, of whom h is 0, has no wage."""
    sql = f"SELECT k FROM t WHERE wage > 0 AND {condition} AND h <> 0"
    reason, safe = said(tmp_path, "postgres", sql)
    assert "wage of all rows" in reason and "c" not in safe
