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


def said(
    tmp_path: Path, dialect: str, sql: str, ill: tuple[str, str] = ("flu", "FLU")
) -> tuple[str, set[str]]:
    """What a statement is taken for, and whose wages are safe."""
    rows = [(*row[:4], ill[row[4].isupper()]) for row in ROWS]
    sensitive = POLICY["sensitive"] | {"ill": {"values": list(ill)}}
    policy = POLICY | {"dialect": dialect, "sensitive": sensitive}
    path = duckdb_file(
        tmp_path / "t.duckdb",
        "CREATE TABLE t(k VARCHAR, g VARCHAR, h INTEGER, wage INTEGER, ill VARCHAR)",
        ("INSERT INTO t VALUES (?, ?, ?, ?, ?)", rows),
    )
    step = ph.audit(str(path), [sql], policy, ranges=0).steps[1]
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
    assert "wage of all rows" in said(tmp_path, dialect, sql)[0]


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


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("postgres", "SELECT k FROM t WHERE wage > 0 AND h + 2147483647 > 5"),
        ("postgres", "SELECT k FROM t WHERE wage > 0 AND h * 1000000000 > 5"),
        ("postgres", "SELECT SUM(h * 1000000000) FROM t WHERE wage > 0"),
        ("tsql", "SELECT SUM(wage) * 1000000000 / 1000000000 FROM t"),
        ("tsql", "SELECT g FROM t GROUP BY g HAVING SUM(wage * 1000000000) > 5"),
        (
            "postgres",
            "SELECT k FROM (SELECT k, wage * 1000000 AS h FROM t) q WHERE h * 10000 > 5",
        ),
    ],
)
def test_what_may_be_too_large_is_no_exact_answer(
    tmp_path: Path, dialect: str, sql: str
) -> None:
    """That there was an answer says that no row was kept for which it fails."""
    assert "too large there" in said(tmp_path, dialect, sql, ("flu", "cold"))[0]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT k FROM t WHERE wage > 0 AND h + 2147483643 > 5",
        "SELECT SUM(CASE WHEN wage > 0 THEN h END) FROM t",
        "SELECT SUM(wage * 10) FROM t WHERE h / 2 * 2 = 2",
    ],
)
def test_what_fits_for_every_row_stays_exact(tmp_path: Path, sql: str) -> None:
    for dialect in ("postgres", "tsql"):
        reason, _ = said(tmp_path, dialect, sql, ("flu", "cold"))
        assert "taken for more" not in reason


@pytest.mark.parametrize("dialect", ["mysql", "tsql", "postgres", "duckdb"])
def test_numbers_by_chance_may_number_the_rows(tmp_path: Path, dialect: str) -> None:
    """Whoever sets the seed knows which row has which."""
    chance = "RAND(1)" if dialect in ("mysql", "tsql") else "random()"
    sql = f"SELECT MAX({chance} * wage) FROM t"
    assert "wage of all rows" in said(tmp_path, dialect, sql, ("flu", "cold"))[0]
