"""Operands that engines other than DuckDB cast, or cannot compute, for some cells: that
a statement had an answer then says something of the rows that it left out.
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
    "public": ["g", "h", "n", "m", "d", "x"],
    "external": ["e", "f"],
    "sensitive": {
        "wage": {"from": 0, "to": 2},
        "debt": {"from": -2, "to": 2},
        "few": {"from": 0, "to": 32767},
    },
    "protect": {"wage": {"column": "wage"}},
}
CREATED = (
    "CREATE TABLE t(k VARCHAR, g VARCHAR, h BIGINT, n SMALLINT, m INTEGER, d DATE,"
    " x DOUBLE, wage INTEGER, debt INTEGER, few SMALLINT)"
)
ROWS = [
    ("a", "1", -(2**31), 1, -(10**9), "2020-01-03", 1.5, 0, -1, 1),
    ("b", "2", 2, 200, 0, "2020-02-03", 0.5, 2, 0, 2),
    ("c", "3", 3, 150, 1, "2021-01-03", 2.5, 1, 1, 3),
]
"""Every text is a number, so that no engine fails for these cells by luck."""


def said(tmp_path: Path, dialect: str, sql: str) -> str:
    """What a statement is taken for."""
    path = duckdb_file(
        tmp_path / "t.duckdb",
        CREATED,
        ("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", ROWS),
        "CREATE TABLE e AS SELECT * FROM (VALUES ('1', 5), ('1', 7)) v(g2, z)",
        "CREATE TABLE f AS SELECT '1' AS g3, 2147483000 AS n",
    )
    policy = POLICY | {"dialect": dialect}
    return ph.audit(str(path), [sql], policy, ranges=0).steps[1].reason


KEPT = "SELECT k FROM t WHERE wage > 0 AND"


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("tsql", f"{KEPT} g = d"),
        ("tsql", f"{KEPT} LOWER(g) = 5"),
        ("mysql", f"{KEPT} COALESCE(g, 0) = 1"),
        ("postgres", f"{KEPT} NULLIF(g, 0) = '1'"),
        ("postgres", f"{KEPT} g IN (SELECT z FROM e)"),
        ("sqlite", f"{KEPT} g = n"),
        ("tsql", f"{KEPT} CASE g WHEN 1 THEN TRUE ELSE FALSE END"),
        ("mysql", f"{KEPT} g BETWEEN 1 AND 2"),
        ("mysql", f"{KEPT} h = '5'"),
        ("mysql", f"{KEPT} g + g = '11'"),
        ("tsql", "SELECT k, CASE WHEN n > 1 THEN g ELSE 1 END FROM t WHERE wage > 0"),
        ("snowflake", "SELECT 1 AS p, g FROM t UNION ALL SELECT 2, wage FROM t"),
    ],
)
def test_a_text_beside_others_is_no_exact_answer(
    tmp_path: Path, dialect: str, sql: str
) -> None:
    assert "engines cast a text beside" in said(tmp_path, dialect, sql)


def test_a_union_of_texts_and_numbers_leaves_no_row_out(tmp_path: Path) -> None:
    """T-SQL casts the texts, perhaps those of rows that are left out, too."""
    sql = "SELECT 1 AS p, g FROM t WHERE wage > 0 UNION ALL SELECT 2, 7 FROM t"
    assert "wage of all rows" in said(tmp_path, "tsql", sql)


@pytest.mark.parametrize(
    ("dialect", "condition"),
    [
        ("postgres", "-h > 5"),
        ("postgres", "n * n > 5"),
        ("tsql", "h - 1 > 5"),
        ("postgres", "few + n > 5"),
    ],
)
def test_small_integers_have_few_bits(
    tmp_path: Path, dialect: str, condition: str
) -> None:
    found = said(tmp_path, dialect, f"{KEPT} {condition}")
    assert "too large there" in found
    assert "of all rows" in found


def test_a_column_of_another_table_has_other_ends(tmp_path: Path) -> None:
    sql = "SELECT COUNT(*) FROM t JOIN f ON g = g3 WHERE wage > 0 AND f.n + 5000 > 1"
    assert "too large there" in said(tmp_path, "postgres", sql)


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("SELECT COUNT(*) FROM t WHERE wage - 2 < 0", True),
        (f"{KEPT} n - 5 > 0", True),
        (f"{KEPT} n + -5 > 0", True),
        (f"{KEPT} n - 1 >= 0", False),
        (f"{KEPT} n - 2 > 0", True),
        (f"{KEPT} n - wage > 0", True),
        (f"{KEPT} n + debt > 0", True),
        (f"{KEPT} m - 5 < 0", False),
        ("SELECT COUNT(*) FROM t WHERE debt - 2 < 0", False),
        ("SELECT SUM(wage) - 5 FROM t", False),
    ],
)
def test_a_difference_of_unsigned_numbers_fails_below_zero(
    tmp_path: Path, sql: str, why: bool
) -> None:
    found = said(tmp_path, "mysql", sql)
    assert ("below zero" in found) == why
    assert "below zero" not in said(tmp_path, "postgres", sql)


@pytest.mark.parametrize(
    ("of", "cells"),
    [
        ("debt * debt", True),
        ("wage * 2 + n", False),
        ("h", True),
        ("n", False),
        ("CASE WHEN wage > 0 THEN h END", True),
        ("CASE WHEN wage > 0 THEN n ELSE 0 END", False),
        ("debt", False),
        ("m", True),
        ("CASE WHEN wage > 0 THEN n ELSE debt * debt END", True),
        ("CASE WHEN wage > 0 AND n > 1.5 THEN h END", True),
    ],
)
def test_parts_of_a_sum_may_be_larger_than_the_whole(
    tmp_path: Path, of: str, cells: bool
) -> None:
    """Where some are below zero, and large."""
    found = said(tmp_path, "tsql", f"SELECT SUM({of}), SUM(wage * wage) FROM t")
    assert ("how often each" in found) != cells, found
    assert ("of all rows" in found) == cells, found


def test_a_join_repeats_the_parts_of_a_sum(tmp_path: Path) -> None:
    sql = "SELECT SUM({}) FROM t JOIN e ON g = g2"
    assert "too large there" in said(tmp_path, "tsql", sql.format("debt"))
    assert "taken for" not in said(tmp_path, "tsql", sql.format("wage"))


def test_a_column_of_two_tables_is_of_neither(tmp_path: Path) -> None:
    """How large the cells of one of them are says nothing of the other's."""
    own = "SELECT SUM(t.wage) FROM t JOIN e ON g = g2"
    assert "taken for" not in said(tmp_path, "tsql", own)
    other = "SELECT SUM(wage) FROM t JOIN (SELECT g2, z AS wage FROM e) q ON g = g2"
    assert "taken for more" in said(tmp_path, "tsql", other)


@pytest.mark.parametrize(
    "condition",
    [
        "d >= '2020-02-01'",
        "d BETWEEN DATE '2020-01-01' AND DATE '2020-12-31'",
        "x > 1.5",
        "x BETWEEN 1 AND 2",
        "g IN ('1', '2')",
        "g = COALESCE(g, '1')",
        "NULLIF(n, 0) = 1",
    ],
)
def test_numbers_and_dates_are_no_texts(tmp_path: Path, condition: str) -> None:
    sql = f"SELECT COUNT(*) FROM t WHERE wage > 0 AND {condition}"
    for dialect in ("postgres", "tsql", "bigquery"):
        assert "taken for more" not in said(tmp_path, dialect, sql)


def test_a_mean_of_decimals_is_bounded(tmp_path: Path) -> None:
    sql = "SELECT g, AVG(x) FROM t WHERE wage > 0 GROUP BY g"
    assert "AVG(x) may mean something else" in said(tmp_path, "postgres", sql)


def test_sqlite_has_no_dates(tmp_path: Path) -> None:
    sql = "SELECT COUNT(*) FROM t WHERE wage > 0 AND d > DATE '2020-01-01'"
    assert "may mean something else to sqlite" in said(tmp_path, "sqlite", sql)


@pytest.mark.parametrize("condition", ["v > w", "v > d"])
def test_what_is_not_known_may_be_a_text(tmp_path: Path, condition: str) -> None:
    inner = "SELECT d, wage, g AS v, LOWER(g) AS w FROM t"
    sql = f"SELECT COUNT(*) FROM ({inner}) q WHERE wage > 0 AND {condition}"
    assert "orders texts by a language" in said(tmp_path, "postgres", sql)
