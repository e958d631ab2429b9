"""Dialects, qualified names and views: what a statement of another engine is here, and
what is refused since it means something else there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.normal_worlds import SmallTable

from phverify.disclosure.log.sources import Unsupported
from phverify.disclosure.normal.context import Context
from phverify.disclosure.normal.settling import Settled, settled
from phverify.disclosure.result import AuditReport
from phverify.errors import InputError
from phverify.verbs.audit import audit

pytest.importorskip("sqlglot")
duckdb = pytest.importorskip("duckdb")

TABLE = SmallTable(1, null=False)
NAMES = {"prod.hr.staff": "t"}


def read(text: str, dialect: str, **views: str) -> Settled:
    return settled(text, Context(TABLE.scope, TABLE.true), dialect, NAMES, views)


@pytest.mark.parametrize(
    ("dialect", "text", "expected"),
    [
        ("postgres", "SELECT COUNT(*) FROM public.t WHERE s / 2 = 1", 'SELECT COUNT(*) FROM "t" WHERE s // 2 = 1'),
        ("postgres", "SELECT date_trunc('month', d), SUM(s) FROM t GROUP BY 1", "SELECT DATE_TRUNC('MONTH', d), SUM(s) FROM t GROUP BY 1"),
        ("postgres", "SELECT AVG(s) FROM t", "SELECT AVG(s) FROM t"),
        ("postgres", "SELECT SUM(s) FROM t WHERE d >= TO_DATE('2024-02-29', 'YYYY-MM-DD')", "SELECT SUM(s) FROM t WHERE d >= CAST('2024-02-29' AS DATE)"),
        ("mysql", "SELECT SUM(s) FROM t WHERE d < STR_TO_DATE('2024-02-29', '%Y-%m-%d')", "SELECT SUM(s) FROM t WHERE d < CAST('2024-02-29' AS DATE)"),
        ("postgres", "SELECT CAST(DATE_TRUNC('month', d) AS date), SUM(s) FROM t GROUP BY 1", "SELECT CAST(DATE_TRUNC('MONTH', d) AS DATE), SUM(s) FROM t GROUP BY 1"),
        ("tsql", "SELECT TOP 5 [id], s FROM dbo.t WHERE s > 0", 'SELECT "id", s FROM "t" WHERE s > 0 LIMIT 5'),
        ("bigquery", "SELECT `g`, COUNTIF(s > 1) FROM t GROUP BY g", 'SELECT "g", COUNT(*) FILTER(WHERE s > 1) FROM t GROUP BY g'),
        ("mysql", "SELECT COUNT(*) FROM t WHERE u LIKE 'A%'", "SELECT COUNT(*) FROM t WHERE u ILIKE 'A%'"),
        ("sqlite", "SELECT COUNT(*) FROM t WHERE u LIKE 'A%' AND IFNULL(s, 0) = 0", "SELECT COUNT(*) FROM t WHERE u ILIKE 'A%' AND COALESCE(s, 0) = 0"),
        ("snowflake", "SELECT IFF(s > 1, 1, 0) FROM T", "SELECT CASE WHEN s > 1 THEN 1 ELSE 0 END FROM T"),
        ("mysql", "SELECT x.s FROM prod.hr.staff AS x", 'SELECT x.s FROM "t" AS x'),
        ("duckdb", "SELECT staff.s FROM prod.hr.staff", 'SELECT staff.s FROM "t" AS "staff"'),
    ],
)  # fmt: skip
def test_a_statement_is_what_it_is_there(
    dialect: str, text: str, expected: str
) -> None:
    found = read(text, dialect)
    assert (found.text, found.rough) == (expected, "")


@pytest.mark.parametrize(
    ("dialect", "text", "why"),
    [
        ("mysql", "SELECT COUNT(*) FROM t WHERE u = 'B'", "differ by case"),
        ("postgres", "SELECT SUM(s) FROM t WHERE d >= TO_DATE('2023-02-29', 'YYYY-MM-DD')", "orders texts"),
        ("snowflake", "SELECT SUM(s) FROM t WHERE d >= TO_DATE('24-02-01', 'YY-MM-DD')", "may mean something else"),
        ("postgres", "SELECT SUM(s) FROM t WHERE CAST(u AS date) = DATE '2024-02-29'", "may mean something else"),
        ("sqlite", "SELECT CAST(DATE_TRUNC('month', d) AS date), SUM(s) FROM t GROUP BY 1", "may mean something else"),
        ("mysql", "SELECT COUNT(*) FROM t WHERE u < 'c'", "orders texts"),
        ("postgres", "SELECT MAX(u) FROM t", "orders texts"),
        ("mysql", "SELECT COUNT(*) FROM t WHERE s > '1'", "a text beside a number"),
        ("tsql", "SELECT COUNT(*) FROM t WHERE u + 'x' = 'bx'", "a text beside a number"),
        ("mysql", "SELECT COUNT(*) FROM t WHERE s / 2 = 1", "may mean something else"),
        ("tsql", "SELECT COUNT(*) FROM t WHERE u LIKE '[a]%'", "a pattern of its own"),
        ("oracle", "SELECT COUNT(*) FROM t WHERE u = ''", "an empty text is NULL"),
        ("bigquery", "SELECT COUNT(*) FROM t WHERE EXTRACT(WEEK FROM d) = 1 AND s = 1", "may mean something else"),
        ("snowflake", "SELECT SUM(ROUND(s / 2)) FROM t", "may mean something else"),
        ("postgres", "SELECT SUM(s) FROM staging.t", "does not say which table staging.t"),
        ("duckdb", "SELECT SUM(s) FROM other.main.t", "does not say which table"),
        ("postgres", "SELECT g, ROUND(p / 2.0) FROM t GROUP BY 1, 2", "may mean something else"),
    ],
)  # fmt: skip
def test_what_means_something_else_is_refused(
    dialect: str, text: str, why: str
) -> None:
    """It has no form here: at most it is bounded, as it stands in its dialect."""
    if "does not say" in why:
        with pytest.raises(Unsupported, match=why) as raised:
            read(text, dialect)
        assert raised.value.final
        return
    found = read(text, dialect)
    assert why in found.rough and not found.text
    assert found.dialect == dialect and found.own


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("mysql", "SELECT SUM(s) / COUNT(*) FROM t"),
        ("tsql", "SELECT AVG(s) FROM t"),
        ("postgres", "SELECT ROUND(100.0 * SUM(s), 1) FROM t"),
    ],
)
def test_what_is_only_shown_otherwise_is_rough(dialect: str, text: str) -> None:
    assert "may mean something else" in read(text, dialect).rough


def audited(folder: Path, *log: str, **more: Any) -> AuditReport:
    path = folder / "t.duckdb"
    TABLE.write(path)
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE VIEW held AS SELECT id, g, s AS pay FROM t WHERE p >= 0"
        )
    return audit(path, list(log), TABLE.policy() | more, ranges=20)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT g, SUM(pay) FROM held GROUP BY g",
        "SELECT g, SUM(x.pay) AS total FROM main.held AS x GROUP BY 1 ORDER BY total",
        "SELECT k, SUM(n) FROM of_policy GROUP BY k",
        "WITH a AS (SELECT g AS k, pay FROM held) SELECT k, SUM(pay) FROM a GROUP BY k",
    ],
)
def test_views_are_what_they_show(text: str, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    plain = audited(tmp_path / "plain", "SELECT g, SUM(s) FROM t GROUP BY g")
    views = {"of_policy": "SELECT g AS k, pay AS n FROM held"}
    found = audited(tmp_path, text, views=views)
    assert (found.steps[-1].status, found.steps[-1].reason) == ("answered", "")
    assert found.steps[-1].remaining == plain.steps[-1].remaining


def test_a_dialect_is_that_of_the_whole_log(tmp_path: Path) -> None:
    text = "SELECT `id`, IF(s > 0, 'some', 'none') AS what FROM t"
    found = audited(tmp_path, text, dialect="mysql")
    assert found.steps[-1].status == "answered"
    other = audited_again(tmp_path, text)
    assert other.steps[-1].status == "unsupported"


def audited_again(folder: Path, text: str) -> AuditReport:
    return audit(folder / "t.duckdb", [text], TABLE.policy(), ranges=1)


def test_a_dialect_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no dialect 'postgre'"):
        audited(tmp_path, "SELECT COUNT(*) FROM t", dialect="postgre")
    path = tmp_path / "t.duckdb"
    with pytest.raises(InputError, match=r"views\.v.*is a text"):
        audit(path, ["SELECT 1"], TABLE.policy() | {"views": {"v": 1}})
