"""What an adversary tried on audits: each of these gave a wrong verdict, or a defect,
once.
"""

from __future__ import annotations

import sqlite3
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("duckdb")
pytest.importorskip("sqlglot")

from support.made_once import duckdb_file

from phverify.disclosure.log.statements import split
from phverify.disclosure.result import DISCLOSED, SAFE, UNSUPPORTED
from phverify.disclosure.worlds.copies import Copies
from phverify.disclosure.worlds.database import Content
from phverify.errors import InputError
from phverify.verbs.audit import audit

POLICY: dict[str, Any] = {
    "table": "t",
    "key": "id",
    "public": ["g"],
    "sensitive": {"s": {"from": 0, "to": 5}},
    "protect": {"cells": {"column": "s"}},
}
TABLE = [
    "CREATE TABLE t (s INTEGER, id INTEGER, g VARCHAR)",
    "INSERT INTO t VALUES (1, 1, 'x'), (2, 2, 'x'), (0, 3, 'y')",
]


def made(folder: Path, *statements: str) -> Path:
    return duckdb_file(folder / "t.duckdb", *(statements or TABLE))


@pytest.mark.parametrize(
    ("sql", "left"),
    [
        ("SELECT SUM(id) FROM t WHERE s = 1", [{1}, {0, 2, 3, 4, 5}, {0, 2, 3, 4, 5}]),
        ("SELECT COUNT(*) FROM t WHERE s > id", [{0, 1}, {0, 1, 2}, {0, 1, 2, 3}]),
        ("SELECT id, SUM(s) FROM t GROUP BY id", [{1}, {2}, {0}]),
        ("SELECT MAX(id) FROM t WHERE s > 0", [set(range(6)), {1, 2, 3, 4, 5}, {0}]),
        (
            "SELECT id, COUNT(*) FROM t WHERE s = 1 GROUP BY id",
            [{1}, {0, 2, 3, 4, 5}, {0, 2, 3, 4, 5}],
        ),
        ("SELECT * FROM t", [{1}, {2}, {0}]),
        ("SELECT COUNT(id) FROM t WHERE s > 4", [{0, 1, 2, 3, 4}] * 3),
    ],
)
def test_the_key_tells_rows_apart_wherever_it_stands(
    sql: str, left: list[set[int]], tmp_path: Path
) -> None:
    step = audit(made(tmp_path), [sql], POLICY, ranges=60).steps[1]
    assert [set(cell.values or ()) for cell in step.remaining] == left
    assert [finding.verdict for finding in step.findings] == [
        DISCLOSED if len(v) == 1 else SAFE for v in left
    ]


@pytest.mark.parametrize(
    "sql",
    [
        "PRAGMA storage_info('t')",
        "EXECUTE earlier",
        "USE main",
        "SELECT nosuch(s) FROM t",
        "SELECT getvariable('s') FROM t",
    ],
)
def test_what_is_no_select_may_have_said_anything(sql: str, tmp_path: Path) -> None:
    step = audit(made(tmp_path), [sql], POLICY, ranges=0).steps[1]
    assert step.status == "unsupported" and {
        finding.verdict for finding in step.findings
    } == {UNSUPPORTED}


def test_no_statement_has_an_effect(tmp_path: Path) -> None:
    """EXPLAIN, which finds out whether a statement fails whatever the data, would
    execute what follows ANALYZE.
    """
    log = [
        "ANALYZE CREATE TEMP TABLE t AS SELECT 5 AS s, 1 AS id, 'x' AS g",
        "ANALYZE SET default_collation = 'NOCASE'",
    ]
    report = audit(
        made(tmp_path),
        [*log, "SELECT SUM(s) FROM t", "SELECT COUNT(*) FROM t WHERE g = 'X'"],
        POLICY,
    )
    assert [step.answer for step in report.steps[3:]] == [((3,),), ((0,),)]


@pytest.mark.parametrize(
    ("more", "changes", "said"),
    [
        (["CREATE VIEW v AS SELECT * FROM t"], {"table": "v"}, "view"),
        (["CREATE MACRO median(x) AS max(x)"], {}, "median"),
        (["CREATE TABLE e (c VARCHAR COLLATE NOCASE)"], {"external": ["e"]}, "COLLATE"),
        (["CREATE TABLE e (c INTEGER[])"], {"external": ["e"]}, "INTEGER[]"),
        (
            ["ALTER TABLE t ADD COLUMN d TIMESTAMP_NS"],
            {"public": ["d"]},
            "TIMESTAMP_NS",
        ),
        (
            ["ALTER TABLE t ADD COLUMN d MAP(INTEGER, INTEGER)"],
            {"public": ["d"]},
            "MAP",
        ),
        (["ALTER TABLE t ALTER id TYPE DOUBLE"], {}, "DOUBLE"),
        (["ALTER TABLE t ALTER s TYPE UHUGEINT"], {}, "UHUGEINT"),
        (
            ["CREATE SCHEMA other", "CREATE TABLE other.u AS SELECT * FROM t"],
            {"table": "u"},
            "no table",
        ),
    ],
)
def test_what_cannot_be_audited_is_bad_input(
    more: list[str], changes: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as error:
        audit(made(tmp_path, *TABLE, *more), [], POLICY | changes)
    assert said in str(error.value)


def test_sqlite_keeps_any_value_in_any_column(tmp_path: Path) -> None:
    """1.5 in a column of integers is no 2."""
    path = tmp_path / "t.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (id INTEGER, g TEXT, s INTEGER)")
        connection.execute("INSERT INTO t VALUES (1, 'x', 1.5)")
    with pytest.raises(InputError) as error:
        audit(path, [], POLICY)
    assert "VARCHAR" in str(error.value)


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        (
            "SELECT 1 /* /* */ ; */ + 2; SELECT 3",
            ["SELECT 1 /* /* */ ; */ + 2", "SELECT 3"],
        ),
        ("SELECT 1 -- one\r; SELECT 2", ["SELECT 1 -- one", "SELECT 2"]),
        ("SELECT '\r;'", ["SELECT '\r;'"]),
    ],
)
def test_statements_end_where_the_database_ends_them(
    text: str, statements: list[str]
) -> None:
    assert [statement.text for statement in split(text)] == statements


def test_a_file_is_no_pattern(tmp_path: Path) -> None:
    """DuckDB takes brackets and stars for a pattern of several files, and parts of a
    path for columns.
    """
    folder = tmp_path / "g=z"
    folder.mkdir()
    (folder / "t[1].csv").write_text("id,g,s\n1,x,3\n2,y,4\n")
    (folder / "t1.csv").write_text("id,g,s\n1,x,5\n2,y,5\n")
    report = audit(folder / "t[1].csv", ["SELECT SUM(s) FROM t"], POLICY)
    assert report.steps[1].answer == ((7,),)


def test_columns_that_differ_in_the_case_of_an_accent_are_two(tmp_path: Path) -> None:
    table = [
        "CREATE TABLE t (id INTEGER, g VARCHAR, é INTEGER, É INTEGER)",
        "INSERT INTO t VALUES (1, 'x', 1, 1)",
    ]
    policy = POLICY | {
        "public": ["g", "é"],
        "sensitive": {"É": {"from": 0, "to": 5}},
        "protect": {"e": {"column": "É"}},
    }
    step = audit(made(tmp_path, *table), ["SELECT SUM(É) FROM t"], policy).steps[1]
    assert step.findings[0].verdict == DISCLOSED


@pytest.mark.parametrize(
    ("sql", "dialect"),
    [
        ('SELECT * EXCLUDE ("é") FROM t', ""),
        ('SELECT x."é" FROM (SELECT É AS "é", é AS "É" FROM t) x', ""),
        ("SELECT AVG(É) / 2 + AVG(é * é) FROM t", ""),
        ("SELECT SUM(é) FROM t", "mysql"),
    ],
)
def test_names_that_are_alike_are_not_mistaken(
    tmp_path: Path, sql: str, dialect: str
) -> None:
    """What shows the one column was taken for a statement about the other."""
    table = [
        "CREATE TABLE t (id INTEGER, g VARCHAR, é INTEGER, É INTEGER)",
        "INSERT INTO t VALUES (1, 'x', 1, 1)",
    ]
    policy = POLICY | {
        "public": ["g", "é"],
        "sensitive": {"É": {"from": 0, "to": 5}},
        "protect": {"e": {"column": "É"}},
        "dialect": dialect or "duckdb",
    }
    report = audit(made(tmp_path, *table), [sql], policy)
    assert "two names for DuckDB" in report.steps[1].reason
    assert report.verdict == "unsupported"


def test_a_statement_that_only_sqlite_answers_is_bounded(tmp_path: Path) -> None:
    """The log may have been answered by SQLite: what DuckDB refuses is not taken for
    unanswered.
    """
    path = tmp_path / "t.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (id INTEGER, s INTEGER)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(1, 3), (2, 4)])
    policy = {
        "table": "t",
        "key": "id",
        "sensitive": {"s": {"from": 0, "to": 9}},
        "protect": {"s": {"column": "s"}},
    }
    report = audit(path, ["SELECT total(s) FROM t WHERE id = 1"], policy)
    assert report.steps[-1].status == "bounded" and report.verdict == "undecided"


def test_a_median_outside_the_range_of_its_helper_is_no_median(tmp_path: Path) -> None:
    """A world beside the data, where the lower median is none that goes with the
    answer, was taken for one of it.
    """
    table = [TABLE[0], "INSERT INTO t VALUES (1, 1, 'x'), (NULL, 2, 'y'), (1, 3, 'z')"]
    policy = POLICY | {"sensitive": {"s": {"from": 0, "to": 1, "null": True}}}
    log = ["SELECT g, MEDIAN(s) FROM t WHERE g <> 'y' GROUP BY g"]
    step = audit(made(tmp_path, *table), log, policy, ranges=60).steps[1]
    assert [finding.verdict for finding in step.findings] == [
        DISCLOSED,
        SAFE,
        DISCLOSED,
    ]


def test_a_query_is_executed_in_the_world_that_is_meant() -> None:
    """Statements are parsed once: each execution has to find the tables of its own
    world.
    """
    but_two = "SELECT SUM(v) FROM t WHERE id <> 2"
    content = Content({"id": "INTEGER", "v": "INTEGER"}, {"id": [1, 2, 3]})
    copies = Copies("t", content, {}, ExitStack())
    first, second = (copies.add({"v": cells}) for cells in ([1, 2, 3], [10, 20, 30]))
    for _ in range(2):
        assert copies.execute(first, [but_two]) == [[(4,)]]
        assert copies.execute(second, [but_two]) == [[(40,)]]
    copies.drop(first)
    assert copies.execute(second, [but_two]) == [[(40,)]]
