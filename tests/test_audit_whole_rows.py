"""Whole rows: by the name of a table, by ``*`` and COLUMNS, and what ``*`` leaves out.

Each statement is compared with all worlds: where all that answer alike have the same
wage, it is not called safe.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from support.made_once import duckdb_file
from support.so_many import sampled

import phverify as ph

pytest.importorskip("sqlglot")
duckdb = pytest.importorskip("duckdb")

ROWS = (("x", 1), ("x", 2), ("y", 1))
TRUTH = (2, 1, 0)
WORLDS = list(product(range(3), repeat=3))
DEPT = ((1, 7), (2, 8))
POLICY: dict[str, Any] = {
    "table": "people",
    "key": "k",
    "public": ["g", "h"],
    "sensitive": {"wage": {"from": 0, "to": 2}},
    "protect": {"wage": {"column": "wage"}},
    "external": ["dept"],
}
VIEW = "CREATE VIEW folk AS SELECT k, people AS r FROM people"
BY_ROW = [
    "SELECT k FROM people ORDER BY people",
    "SELECT k FROM people p ORDER BY p",
    "SELECT k FROM people g ORDER BY (g).wage",
    "SELECT k FROM people ORDER BY (people).wage",
    "SELECT k FROM people ORDER BY people['wage']",
    "SELECT k FROM people ORDER BY struct_extract(people, 'wage')",
    "SELECT k FROM people ORDER BY coalesce(people, people)",
    "SELECT k FROM people ORDER BY [people]",
    "SELECT k FROM people ORDER BY {'a': people}",
    "SELECT k FROM people ORDER BY wage.abs()",
    "SELECT k FROM people ORDER BY people.struct_extract('wage')",
    "SELECT k FROM people ORDER BY people.wage.abs()",
    "SELECT k FROM people ORDER BY main.people.wage",
    "SELECT k FROM people ORDER BY COLUMNS('w.*')",
    "SELECT k FROM people ORDER BY COLUMNS(c -> c LIKE 'w%')",
    "SELECT k FROM people ORDER BY g = 'q', people",
    "SELECT k, g FROM people p ORDER BY CASE WHEN h > 0 THEN p END",
    "SELECT k FROM people ORDER BY rank() OVER (ORDER BY people)",
    "SELECT k FROM people p ORDER BY (SELECT p.wage)",
    "SELECT k FROM (SELECT k, people AS r FROM people) ORDER BY r",
    "WITH c AS (SELECT k, p AS r FROM people p) SELECT k FROM c ORDER BY r",
    "SELECT k FROM folk ORDER BY r",
    "SELECT k FROM people JOIN dept USING (h) ORDER BY people",
    "SELECT people.to_json() FROM people",
    "SELECT k, people.struct_extract('wage') FROM people",
    "SELECT p.struct_extract('wage') FROM people p",
    "SELECT k, people.wage.abs() FROM people",
    "SELECT k FROM people WHERE people.struct_extract('wage') > 1",
    "SELECT k FROM people WHERE (people).wage > 1",
    "SELECT k FROM people p JOIN dept ON p['wage'] = dept.h",
    "SELECT dept.wage FROM dept WHERE EXISTS (FROM people p WHERE p['wage'] = 2)",
    "SELECT people, COUNT(*) FROM people GROUP BY people",
    "SELECT people['wage'], COUNT(*) FROM people GROUP BY people['wage']",
    "SELECT g, COUNT(DISTINCT people) FROM people GROUP BY g",
    "SELECT g, MAX(people) FROM people GROUP BY g",
    "SELECT g, COUNT(people['wage'] > 1 OR NULL) FROM people GROUP BY g",
    "SELECT g, COUNT(*) FILTER ((people).wage > 1) FROM people GROUP BY g",
    "SELECT g FROM people GROUP BY g HAVING MAX((people).wage) > 1",
    "SELECT k, COUNT(*) OVER (PARTITION BY people['wage']) FROM people",
    "SELECT k, rank() OVER (ORDER BY people['wage']) FROM people",
    "SELECT k FROM people QUALIFY rank() OVER (ORDER BY (people).wage) = 1",
    "SELECT DISTINCT ON (g) k, g FROM people ORDER BY g, people['wage']",
    "SELECT DISTINCT people['wage'] FROM people",
    "SELECT k FROM people LIMIT (SELECT MAX((people).wage) FROM people)",
    "SELECT people['wage'], g, COUNT(*) FROM people GROUP BY ROLLUP (people['wage'], g)",
    "SELECT list_transform([1], lambda x: people) FROM people",
]
STARRED = [
    "SELECT * EXCLUDE (p.wage) FROM people p JOIN people q ON p.k = q.k",
    "SELECT * EXCLUDE (q.wage) FROM people p JOIN people q ON p.k = q.k",
    "SELECT * EXCLUDE (dept.wage) FROM people JOIN dept USING (h)",
    'SELECT * EXCLUDE (DEPT."WAGE") FROM people JOIN dept USING (h)',
    "SELECT * EXCLUDE (wage) FROM people JOIN dept USING (h)",
    "SELECT * EXCLUDE (wage) FROM people p JOIN people q ON p.k = q.k",
    "SELECT * EXCLUDE (people.wage) FROM people",
    'SELECT * EXCLUDE ("WAGE", g) FROM people',
    "SELECT p.* EXCLUDE (wage), q.* FROM people p JOIN people q ON p.k = q.k",
    "SELECT p.* EXCLUDE (wage), q.k FROM people p JOIN people q ON p.k = q.k",
    "SELECT p.* EXCLUDE (p.wage), q.k FROM people p JOIN people q ON p.k = q.k",
    "SELECT * EXCLUDE (wage) REPLACE (wage + 1 AS g) FROM people",
    "SELECT * REPLACE (people['wage'] AS g) RENAME (wage AS w) FROM people",
    "SELECT * RENAME (p.wage AS z) FROM people p JOIN people q ON p.k = q.k",
    "SELECT * REPLACE (0 AS wage) FROM people",
    "SELECT * LIKE 'w%' FROM people",
    "SELECT * NOT LIKE 'g%' FROM people",
    "SELECT COLUMNS(* EXCLUDE (p.wage)) FROM people p JOIN people q ON p.k = q.k",
    "SELECT COLUMNS(* EXCLUDE (wage)) FROM people",
    "SELECT COLUMNS(c -> c LIKE 'w%') FROM people",
    "SELECT COLUMNS([x FOR x IN (*) IF x LIKE 'w%']) FROM people",
    "SELECT COUNT(* EXCLUDE (wage)) FROM people",
    "SELECT k FROM (SELECT * EXCLUDE (p.wage) FROM people p JOIN people q USING (k))",
    "SELECT k, wage FROM"
    " (SELECT * EXCLUDE (p.wage) FROM people p JOIN people q USING (k))",
    "SELECT s.* EXCLUDE (people.wage) FROM (SELECT people FROM people) s",
    "FROM people p, (SELECT * EXCLUDE (p.wage) FROM dept) s",
]


@cache
def worlds() -> Any:
    """All worlds, each a schema of its own."""
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    for number, world in enumerate(WORLDS):
        connection.execute(f"CREATE SCHEMA w{number}")
        connection.execute(f"USE w{number}")
        for statement in tables(world):
            connection.execute(statement)
    return connection


def tables(wages: tuple[int, ...]) -> list[str]:
    """The statements that make the tables of a world."""
    rows = zip("abc", ROWS, wages, strict=True)
    people = ", ".join(str((wage, key, *row)) for key, row, wage in rows)
    return [
        f"CREATE TABLE people AS FROM (VALUES {people}) t(wage, k, g, h)",
        f"CREATE TABLE dept AS FROM (VALUES {str(DEPT)[1:-1]}) t(h, wage)",
        VIEW,
    ]


def answer(sql: str, number: int) -> Any:
    """What a statement answers in a world; None where that is an error."""
    connection = worlds()
    connection.execute(f"USE w{number}")
    sql = sql.replace("main.", f"w{number}.")
    try:
        rows = connection.execute(sql).fetchall()
    except duckdb.Error:
        return None
    shown = list(map(repr, rows))
    return shown if "ORDER BY" in sql else sorted(shown)


def told(sql: str) -> set[str]:
    """The keys of those whose wage follows from the answer."""
    truth = answer(sql, WORLDS.index(TRUTH))
    if truth is None:
        return set()
    every = range(len(WORLDS))
    alike = [WORLDS[number] for number in every if answer(sql, number) == truth]
    columns = zip(*alike, strict=True)
    pairs = zip("abc", columns, strict=True)
    return {key for key, wages in pairs if len(set(wages)) == 1}


def step(tmp_path: Path, sql: str, dialect: str = "duckdb") -> Any:
    """What is said after one statement."""
    path = duckdb_file(tmp_path / "people.duckdb", *tables(TRUTH))
    return ph.audit(str(path), [sql], POLICY | {"dialect": dialect}, ranges=0).steps[1]


def safe(found: Any) -> set[str]:
    """The keys of those whose wage is called safe."""
    safe = [one for one in found.findings if one.verdict == "safe"]
    return {str(one.fact.key) for one in safe}


@pytest.mark.parametrize("sql", sampled([*BY_ROW, *STARRED], 3))
def test_what_follows_from_whole_rows_is_not_safe(tmp_path: Path, sql: str) -> None:
    found = step(tmp_path, sql)
    if found.status != "unsupported":
        assert answer(sql, WORLDS.index(TRUTH)) is not None
    assert safe(found).isdisjoint(told(sql)), (found.status, found.reason)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * EXCLUDE (wage) FROM people JOIN dept USING (h)",
        "SELECT * EXCLUDE (wage) FROM people p JOIN people q ON p.k = q.k",
        "SELECT * EXCLUDE (people.wage) FROM people",
        'SELECT * EXCLUDE ("WAGE", g) FROM people',
        "SELECT p.* EXCLUDE (wage), q.k FROM people p JOIN people q ON p.k = q.k",
    ],
)
def test_what_is_left_out_of_every_table_is_not_read(tmp_path: Path, sql: str) -> None:
    assert told(sql) == set()
    assert step(tmp_path, sql).status == "silent"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT k FROM people ORDER BY g, LOWER(k) DESC",
        "SELECT k FROM people p ORDER BY p.h % 2, p.k",
        "SELECT k FROM people JOIN dept USING (h) ORDER BY h",
        "SELECT k, wage FROM people ORDER BY ALL",
        "SELECT h % 2, SUM(wage) FROM people GROUP BY h % 2",
        "SELECT g, COUNT(*) OVER (PARTITION BY g), k FROM people",
    ],
)
def test_what_is_public_is_answered(tmp_path: Path, sql: str) -> None:
    assert step(tmp_path, sql).status == "answered"


LEFT_OUT = [
    ("databricks", "SELECT * EXCEPT (q.wage) FROM people p JOIN people q ON p.k = q.k"),
    ("spark", "SELECT * EXCEPT (p.wage) FROM people p JOIN people q ON p.k = q.k"),
    ("databricks", "SELECT * EXCEPT (wage) FROM people p JOIN people q ON p.k = q.k"),
    ("databricks", "SELECT * EXCEPT (g.wage) FROM people"),
    ("databricks", "SELECT * EXCEPT (g.wage) FROM people g"),
    ("databricks", "SELECT * EXCEPT (dept.wage) FROM people JOIN dept USING (h)"),
    ("snowflake", "SELECT * EXCLUDE (dept.wage) FROM people JOIN dept USING (h)"),
    ("snowflake", "SELECT * EXCLUDE (wage) FROM people JOIN dept USING (h)"),
    ("snowflake", "SELECT * ILIKE '%w%' FROM people"),
    ("snowflake", "SELECT * RENAME (wage AS g2) FROM people"),
    ("bigquery", "SELECT * EXCEPT (g) REPLACE (wage + 1 AS h) FROM people"),
    ("redshift", "SELECT * EXCLUDE (p.wage) FROM people p JOIN people q ON p.k = q.k"),
]


@pytest.mark.parametrize(("dialect", "sql"), LEFT_OUT)
def test_what_one_table_leaves_out_another_may_show(
    tmp_path: Path, dialect: str, sql: str
) -> None:
    found = step(tmp_path, sql, dialect)
    assert found.status in ("bounded", "unsupported"), found.reason
    assert not safe(found)


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("bigquery", "SELECT * EXCEPT (wage) FROM people p JOIN people q ON p.k = q.k"),
        ("databricks", "SELECT * EXCEPT (p.wage) FROM people p"),
        ("databricks", "SELECT * EXCEPT (Wage) FROM people p"),
        (
            "snowflake",
            "SELECT p.* EXCLUDE (wage), d.h FROM people p JOIN dept d USING (h)",
        ),
    ],
)
def test_other_dialects_leave_out_sensitive_columns(
    tmp_path: Path, dialect: str, sql: str
) -> None:
    assert step(tmp_path, sql, dialect).status == "silent"


def test_a_name_in_capitals_that_are_not_of_ascii_is_another(tmp_path: Path) -> None:
    """DuckDB folds none of these: what is left out is the public column."""
    path = duckdb_file(
        tmp_path / "people.duckdb",
        "CREATE TABLE people AS SELECT 'a' AS k, 1 AS strasse, 2 AS \"straße\"",
    )
    policy = POLICY | {
        "public": ["strasse"],
        "sensitive": {"straße": {"from": 0, "to": 2}},
        "protect": {"straße": {"column": "straße"}},
        "external": [],
    }
    sql = "SELECT * EXCLUDE (strasse) FROM people"
    found = ph.audit(str(path), [sql], policy, ranges=0).steps[1]
    assert not safe(found)
