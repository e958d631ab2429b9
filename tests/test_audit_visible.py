"""What a name in a statement means where it stands: a column or a table that is not
known is one, however often the statement gives that name to something else.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.so_many import so_many

from phverify.disclosure.bounding.what_is_read import reading
from phverify.disclosure.log.sources import QueryScope, Unsupported
from phverify.verbs.audit import audit

duckdb = pytest.importorskip("duckdb")
sqlglot = pytest.importorskip("sqlglot")
pandas = pytest.importorskip("pandas")

FRAME = {"id": ["a", "b"], "g": ["x", "y"], "s": [1, 2]}
POLICY: dict[str, Any] = {
    "table": "t",
    "key": "id",
    "public": ["g"],
    "sensitive": {"s": {"from": 0, "to": 5}},
    "protect": {"cells": {"column": "s"}},
}
UNKNOWN = [
    ("postgres", "SELECT id, wage AS wage FROM t"),
    ("mysql", "SELECT id, t.wage AS wage FROM t"),
    ("bigquery", "SELECT id, wage AS wage FROM t ORDER BY wage"),
    ("postgres", "SELECT CASE WHEN wage = 3 THEN 1 END AS wage FROM t"),
    ("postgres", "SELECT COUNT(*) AS wage FROM t WHERE wage = 10"),
    ("tsql", "SELECT COUNT(*) AS wage FROM t GROUP BY wage"),
    ("postgres", "SELECT id AS wage FROM t ORDER BY wage || 'a'"),
    ("postgres", "SELECT x.wage FROM (SELECT wage FROM t) AS x(wage)"),
    ("postgres", "SELECT a.g FROM (SELECT g, wage FROM t) a, (SELECT 1 AS wage) b"),
    ("postgres", "WITH wage AS (SELECT 1 AS a) SELECT wage FROM t"),
    ("postgres", "SELECT g FROM t JOIN (SELECT 1 AS a) b USING (wage)"),
    ("postgres", "SELECT relpages AS relpages FROM pg_class WHERE relname = 't'"),
    ("duckdb", "SELECT c.reltuples AS reltuples FROM pg_class c"),
    ("mysql", "SELECT table_rows AS table_rows FROM information_schema.tables"),
    ("mysql", "SELECT schemaname FROM pg_tables"),
    ("postgres", "SELECT name FROM sqlite_master"),
    ("postgres", "WITH archive AS (SELECT * FROM archive) SELECT * FROM archive"),
    ("duckdb", "WITH archive AS (SELECT id FROM archive) SELECT id FROM archive"),
    ("duckdb", "WITH a AS (SELECT * FROM b), b AS (SELECT 1 AS x) SELECT * FROM a"),
    ("postgres", 'WITH "Old" AS (SELECT 1 AS a) SELECT * FROM old'),
    ("snowflake", 'WITH old AS (SELECT 1 AS a) SELECT * FROM "old"'),
    ("duckdb", "SELECT * FROM x, (WITH x AS (SELECT 1 AS a) SELECT * FROM x) AS q"),
]
KNOWN = [
    ("postgres", "WITH t AS (SELECT * FROM t) SELECT g FROM t"),
    ("postgres", "WITH a AS (SELECT g AS k FROM t), b AS (SELECT * FROM a) SELECT k FROM b"),
    ("postgres", "WITH RECURSIVE a AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM a WHERE x < 5) SELECT x FROM a"),
    ("postgres", "SELECT upper(g) AS k, COUNT(*) AS n FROM t GROUP BY k ORDER BY n"),
    ("snowflake", "SELECT upper(g) AS k, k || 'a' AS l FROM t WHERE k = 'X' ORDER BY l"),
    ("mysql", "SELECT g, COUNT(*) AS n FROM t GROUP BY g HAVING n > 1"),
    ("postgres", "SELECT g AS k FROM t UNION SELECT 'a' ORDER BY k"),
    ("postgres", "SELECT x.k FROM (SELECT g AS k FROM t) x WHERE EXISTS (SELECT 1 FROM t u WHERE u.g = x.k)"),
    ("bigquery", "SELECT u FROM t, UNNEST([1, 2]) AS u"),
    ("mysql", "SELECT 1 FROM dual"),
    ("postgres", "SELECT n.nspname, c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"),
    ("tsql", "SELECT name AS tab FROM sys.tables ORDER BY tab"),
]  # fmt: skip


@pytest.fixture(scope="module")
def told() -> Any:
    """The status of statements, each of which is the whole log."""

    def status(dialect: str, text: str) -> str:
        policy = {**POLICY, "dialect": dialect}
        report = audit(pandas.DataFrame(FRAME), [text], policy, ranges=0)
        return report.steps[-1].status

    return status


@pytest.mark.parametrize(("dialect", "text"), UNKNOWN)
def test_a_name_that_nothing_gives_is_not_public(
    told: Any, dialect: str, text: str
) -> None:
    assert told(dialect, text) == "unsupported"


@pytest.mark.parametrize(("dialect", "text"), KNOWN)
def test_a_name_that_something_gives_is_known(
    told: Any, dialect: str, text: str
) -> None:
    assert told(dialect, text) in ("silent", "answered")


def test_plans_of_other_engines_tell_of_all_sensitive_columns(told: Any) -> None:
    """PostgreSQL counts pages, in which a missing cell takes no place."""
    assert told("postgres", "EXPLAIN SELECT COUNT(*) FROM t") == "bounded"
    assert told("duckdb", "EXPLAIN SELECT COUNT(*) FROM t") == "silent"


# By DuckDB's own binder: ``h`` is a column, ``x`` a table, that the copy does not have.
NAMES = st.sampled_from(["g", "h", "k"])
TABLES = st.sampled_from(["t", "c", "x"])


@st.composite
def queries(draw: st.DrawFn, depth: int = 2) -> str:
    """A SELECT with WITH, subqueries and aliases of few names."""
    start = draw(TABLES)
    if depth and draw(st.booleans()):
        start = f"({draw(queries(depth - 1))}) AS {draw(st.sampled_from('cq'))}"
    second = ""
    if depth and draw(st.booleans()):
        second = f", (SELECT 1 AS {draw(NAMES)}) AS r"
    item = draw(NAMES)
    if draw(st.booleans()):
        item += f" AS {draw(NAMES)}"
    if depth and draw(st.integers(0, 3)) == 0:
        item = f"({draw(queries(0))} LIMIT 1) AS {draw(NAMES)}"
    text = f"SELECT {item} FROM {start}{second}"
    if draw(st.booleans()):
        text += f" WHERE {draw(NAMES)} IS NOT NULL"
    if draw(st.booleans()):
        text += f" ORDER BY {draw(NAMES)}"
    if depth and draw(st.booleans()):
        recursive = draw(st.sampled_from(["", "RECURSIVE "]))
        text = f"WITH {recursive}c AS ({draw(queries(depth - 1))}) {text}"
    return text


@pytest.fixture(scope="module")
def databases() -> Any:
    """The copy, and what the log was about."""
    copy, whole = duckdb.connect(), duckdb.connect()
    copy.execute("CREATE TABLE t (id INTEGER, g INTEGER, s INTEGER)")
    whole.execute("CREATE TABLE t (id INTEGER, g INTEGER, s INTEGER, h INTEGER)")
    for name in ("c", "x"):
        whole.execute(f"CREATE TABLE {name} (g INTEGER, h INTEGER, k INTEGER)")
    yield copy, whole
    copy.close()
    whole.close()


@so_many(300)
@given(text=queries())
def test_what_is_read_the_copy_has(databases: Any, text: str) -> None:
    scope = QueryScope("t", "id", ["id", "g"], ["s"], ["id", "g", "s"], {})
    tree = sqlglot.parse_one(text, read="duckdb")
    try:
        reading(tree, scope, ["t"], "duckdb")
    except Unsupported:
        return
    copy, whole = databases
    assert not _binds(whole, text) or _binds(copy, text), text


def _binds(database: Any, text: str) -> bool:
    try:
        database.execute(f"EXPLAIN {text}")
    except duckdb.Error:
        return False
    return True
