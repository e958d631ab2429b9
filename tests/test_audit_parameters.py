"""Statements whose values are not in the log: what they are taken for tells at least as
much as they do with any values, by enumeration of all worlds of a small table.
"""

from __future__ import annotations

import itertools
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from support.histories_cases import csv_text, entry

from phverify.verbs.audit import audit

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("sqlglot")
pandas = pytest.importorskip("pandas")

PUBLIC = [("a", "x", 1), ("b", "x", 2), ("c", "y", 1), ("d", "y", 2)]
CELLS = [0, 1, 2]
POLICY: dict[str, Any] = {
    "table": "t",
    "key": "id",
    "public": ["g", "h"],
    "sensitive": {"s": {"values": CELLS}},
    "protect": {"cells": {"column": "s"}},
}
STATEMENTS = [
    "SELECT SUM(s) FROM t WHERE g = $1",
    "SELECT h, SUM(s) AS n FROM t WHERE g = $1 OR h = 2 GROUP BY h ORDER BY n",
    "SELECT COUNT(*) FROM t WHERE g = $1 AND s > 0",
    "SELECT MEDIAN(s) FROM t WHERE h <= $1",
    "SELECT COUNT(DISTINCT s) FROM t WHERE g IN ($1, 'z')",
    "SELECT id, s FROM t WHERE h BETWEEN $1 AND 2 AND g = 'x'",
    "SELECT h, SUM(s) FROM t WHERE g = $1 GROUP BY 1 HAVING SUM(s) > 1 LIMIT 1",
    "SELECT SUM(s) / COUNT(*) FROM t WHERE NOT (g = $1 AND h = 1)",
    "SELECT DISTINCT s FROM t WHERE id = $1 ORDER BY s",
    "SELECT h, SUM(s) FROM t WHERE g = $1 GROUP BY ROLLUP (h) ORDER BY h",
    "SELECT stddev(s) FROM t WHERE g = $1",
    # elsewhere than in conditions on public columns
    "SELECT COUNT(*) FROM t WHERE s > $1",
    "SELECT COUNT(*) FROM t WHERE g = $1 AND s > $1",
    "SELECT g, COUNT(*) FROM t WHERE s IN ($1, 2) OR s BETWEEN 0 AND $1 GROUP BY g",
    "SELECT SUM(s) + $1, $1 FROM t",
    "SELECT s AS g, COUNT(*) FROM t WHERE g = $1 GROUP BY s ORDER BY s",
    "SELECT SUM(s) FROM t WHERE g = (SELECT MAX(g) FROM t WHERE h = $1 AND s > 0)",
    "SELECT SUM(a.s) FROM t a JOIN t b USING (id) WHERE a.g = $1",
    "SELECT id, s FROM t ORDER BY id LIMIT $1",
    "SELECT SUM(s) FROM t LIMIT $1",
    "SELECT g, SUM(s) FROM t GROUP BY g HAVING SUM(s) > $1 ORDER BY g",
    "SELECT h + $1, SUM(s) FROM t GROUP BY 1 ORDER BY 2",
    "SELECT h + $1, SUM(s) FROM t GROUP BY h + $1 ORDER BY 2",
    "SELECT SUM(CASE WHEN g = $1 THEN s ELSE 0 END) FROM t",
    "SELECT SUM(s) FILTER (WHERE h = $1) FROM t WHERE g <> $1",
    "SELECT SUM(n) FROM (SELECT g, SUM(s) AS n FROM t WHERE g = $1 GROUP BY g) q",
    "WITH q AS (SELECT * FROM t WHERE g = $1) SELECT SUM(s) FROM q",
    "SELECT id, SUM(s) OVER (PARTITION BY g) FROM t WHERE g = $1 ORDER BY id",
    "SELECT SUM(s) FROM t WHERE g = $1 UNION ALL SELECT SUM(s) FROM t WHERE h = 1",
    "SELECT SUM(s) FROM t WHERE $1 = 1 OR g = 'x'",
    "SELECT g, SUM(s) FROM t WHERE h = $1 GROUP BY g HAVING MAX(s) < $1 ORDER BY g",
    "SELECT (SELECT SUM(s) FROM t WHERE g = $1) - (SELECT SUM(s) FROM t)",
    "SELECT MAX(s * $1) FROM t WHERE h = 1",
    "SELECT g, (SELECT SUM(u.s) FROM t u WHERE t.g = $1) FROM t ORDER BY id",
    "SELECT SUM(s) FROM t WHERE EXISTS (SELECT 1 FROM t u WHERE u.s > t.s + $1)",
]
VALUES = ["'x'", "'a'", "1", "2", "NULL"]
REFUSED = [
    "SELECT SUM(s) FROM t WHERE secret($1)",
    "SELECT SUM(s) FROM t WHERE g = @@rowcount",
]
MISTAKEN = [
    # a column, by its place, as an absolute value, as the end of a slice, by an alias
    ("snowflake", "SELECT COUNT(*) FROM t WHERE $4 = 1", "$4 may be a column"),
    ("snowflake", "SELECT SUM(s) FROM t WHERE $3 = 1", "$3 may be a column"),
    ("postgres", "SELECT COUNT(*) FROM t WHERE h = @s", "@s is the absolute value"),
    ("postgres", "SELECT SUM(s) FROM t WHERE 1 = @ h", "@ is the absolute value"),
    ("redshift", "SELECT COUNT(*) FROM t WHERE h = @s", "@s is the absolute value"),
    ("duckdb", "SELECT SUM(s) FROM t WHERE h = @h", "@h is the absolute value"),
    ("duckdb", "SELECT SUM(s) FROM t WHERE g = @region", "@region is the absolute"),
    ("duckdb", "SELECT COUNT(*) FROM t WHERE len(g[:s]) = 1", "$s may be a name"),
    ("duckdb", "SELECT SUM(s) FROM t WHERE len(g[:h]) = 1", "$h may be a name"),
    (
        "postgres",
        "SELECT COUNT(*) FROM t WHERE (ARRAY[1])[:s] IS NULL",
        "may be a name",
    ),
    ("duckdb", "SELECT 'n': s FROM t", ""),
    ("mysql", "SELECT h :s FROM t", "may be a name"),
    # DuckDB has no such parameter: another engine may have meant another thing
    ("duckdb", "SELECT SUM(s) FROM t WHERE g = :region", ":region stands for a value"),
    ("duckdb", "SELECT SUM(s) FROM t WHERE g = %s AND h = %s", "%s stands for a value"),
]
SPELLED = [
    ("duckdb", "SELECT SUM(s) FROM t WHERE g = $region", "$region"),
    ("trino", "SELECT SUM(s) FROM t WHERE g = %s AND h = %s", "?"),
    ("postgres", "SELECT SUM(s) FROM t WHERE g = %s", ""),
    ("mysql", "SELECT SUM(s) FROM t WHERE g IN (%s, %s)", "?"),
    ("bigquery", "SELECT SUM(s) FROM t WHERE g = @region LIMIT @n", "@n"),
    ("tsql", "SELECT SUM(s) FROM t WHERE g = @region", "@region"),
    ("snowflake", "SELECT SUM(s) FROM t WHERE g = :1 LIMIT ?", ""),
]


def frame() -> Any:
    rows = [(*row, cell) for row, cell in zip(PUBLIC, (1, 2, 0, 1), strict=True)]
    return pandas.DataFrame(rows, columns=["id", "g", "h", "s"])


def parts_of(text: str) -> tuple[str, list[str]]:
    """The status of a statement, and what it is taken for."""
    status, parts, _ = understood(text)
    return status, parts


@cache
def reader(dialect: str) -> Any:
    """What reads statements of a dialect."""
    from phverify.budget import Deadline
    from phverify.disclosure.policy_reader import load
    from phverify.disclosure.worlds.opening import open_database
    from phverify.disclosure.worlds.unknowns import read
    from phverify.verbs.auditor import Auditor

    source = open_database(frame(), "t")
    shape = read(source, load({**POLICY, "dialect": dialect}))
    return Auditor(source, shape, [], Deadline(None), 8.0, 0.0).understanding


def understood(text: str, dialect: str = "duckdb") -> tuple[str, list[str], str]:
    """The status of a statement, what it is taken for, and why."""
    from phverify.disclosure.log.sources import Unsupported

    try:
        found = reader(dialect).of(text, 1)
    except Unsupported as error:
        return error.status, [], str(error)
    return found.status, [part for part, _ in found.asked], found.says


@pytest.fixture(scope="module")
def worlds() -> Any:
    """All worlds, as schemas of one database."""
    with duckdb.connect() as connection:
        names = []
        for cells in itertools.product(CELLS, repeat=len(PUBLIC)):
            name = "w" + "".join(map(str, cells))
            rows = [(*row, cell) for row, cell in zip(PUBLIC, cells, strict=True)]
            connection.execute(f"CREATE SCHEMA {name}")
            values = ", ".join(map(str, rows))
            connection.execute(
                f"CREATE TABLE {name}.t AS FROM (VALUES {values}) AS v(id, g, h, s)"
            )
            names.append(name)
        yield connection, names


@pytest.mark.parametrize("text", STATEMENTS)
def test_any_values_tell_no_more(worlds: Any, text: str) -> None:
    status, parts = parts_of(text)
    assert status == "bounded" and parts
    connection, names = worlds
    told: dict[str, set[str]] = {}
    filled = [text.replace("$1", value) for value in VALUES]
    # of a median few worlds differ
    step = 1 if "MEDIAN" in text else 8
    for name in names[::step]:
        connection.execute(f"USE {name}")
        known = repr([sorted(_answer(connection, part)) for part in parts])
        said = repr([_answer(connection, one) for one in filled])
        told.setdefault(known, set()).add(said)
    assert all(len(said) == 1 for said in told.values())
    # and it does not stand for what tells nothing
    assert len(told) > 1


def _answer(connection: Any, text: str) -> list[str]:
    try:
        return [repr(row) for row in connection.execute(text).fetchall()]
    except (duckdb.ConversionException, duckdb.BinderException):
        return ["no answer"]


@pytest.mark.parametrize("text", REFUSED)
def test_what_may_read_anything_is_refused(text: str) -> None:
    assert parts_of(text) == ("unsupported", [])


@pytest.mark.parametrize(("dialect", "text", "why"), MISTAKEN)
def test_what_may_be_a_column_is_no_value(dialect: str, text: str, why: str) -> None:
    status, parts, said = understood(text, dialect=dialect)
    assert (status, parts) == ("unsupported", []) and why in said


@pytest.mark.parametrize(("dialect", "text", "mark"), SPELLED)
def test_values_are_marked_in_many_ways(dialect: str, text: str, mark: str) -> None:
    status, _, said = understood(text, dialect=dialect)
    assert status == "bounded"
    assert f"{mark} is not in the log with its type" in said and "sqlglot" not in said


@pytest.mark.parametrize(
    "text",
    [
        "SELECT g FROM t WHERE h = ?",
        "SELECT $a",
        "SELECT g, COUNT(*) FROM t GROUP BY 1 LIMIT $n",
    ],
)
def test_public_data_by_any_value_says_nothing(text: str) -> None:
    assert parts_of(text) == ("silent", [])


def test_a_kept_answer_is_not_compared_without_its_values() -> None:
    log = [{"sql": "SELECT SUM(s) FROM t WHERE g = ?", "answer": [[3]]}]
    report = audit(frame(), log, POLICY, ranges=0)
    assert report.steps[1].status == "unsupported"
    assert "the value of ? is not in the log" in report.steps[1].reason
    assert "its kept answer cannot be compared" in report.steps[1].reason


@pytest.mark.parametrize(
    ("text", "value", "status"),
    [
        ("SELECT SUM(s) FROM t WHERE h IN ($1, 3)", "1", "answered"),
        ("SELECT SUM(s) FROM t WHERE h BETWEEN $1 AND 2", "1", "answered"),
        ("SELECT g, SUM(s) FROM t GROUP BY g HAVING COUNT(*) > $1", "1", "answered"),
        ("SELECT SUM(CASE WHEN g = $1 THEN s END) FROM t", "x", "answered"),
        # of which type it is does not stand beside it
        ("SELECT $1, SUM(s) FROM t", "x", "bounded"),
        ("SELECT g, SUM(s) FROM t GROUP BY g, $1", "x", "bounded"),
        ("SELECT SUM(s) FROM t WHERE lower(g) = lower($1)", "x", "bounded"),
        ("SELECT SUM(s) FROM t WHERE g = $2", "x", "unsupported"),
    ],
)
def test_values_in_postgres_s_log(
    text: str, value: str, status: str, tmp_path: Path
) -> None:
    log = tmp_path / "log.csv"
    row = entry(1, "ann", "LOG", "00000", f"execute <unnamed>: {text}")
    row[14] = f"parameters: $1 = '{value}'"
    log.write_text(csv_text([row]), encoding="utf-8")
    report = audit(frame(), log, {**POLICY, "dialect": "postgres"}, ranges=0)
    assert report.steps[1].status == status, report.steps[1].reason
    typeless = "the value of $1 is not in the log with its type"
    assert (typeless in report.steps[1].reason) == (status == "bounded")


def test_what_follows_through_it_is_undecided() -> None:
    log = ["SELECT AVG(s) FROM t WHERE id = ?", "SELECT COUNT(*) FROM t WHERE g = :g"]
    policy = {**POLICY, "dialect": "mysql"}
    report = audit(frame(), log, policy, ranges=0)
    statuses = [step.status for step in report.steps[1:]]
    assert (report.verdict, statuses) == ("undecided", ["bounded", "silent"])
    assert "whatever values were filled in" in report.steps[1].reason
