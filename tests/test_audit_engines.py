"""What real engines answer, and where they fail, in all worlds of a tiny table: what a
statement is taken for is never less than what its answer says.

A statement is read exactly where the worlds that its reading keeps are those that answer
as the true one, and bounded where they are among them.  What makes a row fail is an
answer, too.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest
from support import postgres_server
from support.failing_statements import statement
from support.real_worlds import (
    DuckdbWorlds,
    Engine,
    PostgresWorlds,
    SqliteWorlds,
    TinyTable,
    alike,
    drawn,
    made,
)
from support.so_many import FUZZ

import phverify as ph
from phverify.budget import Deadline
from phverify.disclosure.log.sources import Unsupported
from phverify.disclosure.policy_reader import load
from phverify.disclosure.understanding import Understanding
from phverify.disclosure.understood import ANSWERED
from phverify.disclosure.worlds.opening import open_database
from phverify.disclosure.worlds.unknowns import read
from phverify.verbs.auditor import Auditor

pytest.importorskip("sqlglot")
needed = pytest.mark.skipif(
    bool(postgres_server.missing()), reason=postgres_server.missing()
)
TABLES = 40 if FUZZ else 2
STATEMENTS = 100 if FUZZ else 25


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with postgres_server.server() as place:
        yield place


def understanding(where: Path | str, table: TinyTable, dialect: str) -> Understanding:
    policy = table.policy | ({"dialect": dialect} if dialect else {})
    settings = load(policy)
    source = open_database(where, "t", ["e"])
    frame = read(source, settings)
    return Auditor(source, frame, [], Deadline(None), 8.0, 0.0).understanding


def kept(found: Any, by: Understanding, table: TinyTable) -> set[int]:
    """The worlds that what was understood keeps."""
    frame = by.frame
    inside = set()
    for number, world in enumerate(table.worlds):
        columns = {}
        for place, name in enumerate(("wage", "ill")):
            cells = [row[place] for row in world]
            coding = frame.codings[name]
            columns[name] = tuple(cells if coding.plain else map(coding.inward, cells))
        if not found.effect.broken(frame.assignment(columns)):
            inside.add(number)
    return inside


def check(sql: str, worlds: Engine, by: Understanding, table: TinyTable) -> str:
    """What is wrong with how a statement is understood; how it was, where nothing is."""
    answers = worlds.answers(sql)
    if answers[table.truth].startswith("!"):
        return "failed"
    same = set(alike([answers], table.truth))
    try:
        found = by.of(sql, 1)
    except Unsupported as error:
        if error.status == "silent":
            assert len(same) == len(answers), sql
        return error.status
    inside = kept(found, by, table)
    assert table.truth in inside
    assert inside <= same, f"{sql} tells more than {found.says or 'itself'}"
    if found.status == ANSWERED:
        assert inside == same, f"{sql} tells less"
    return found.status


def agree(worlds: Engine, by: Understanding, table: TinyTable, grammar: str) -> None:
    for number in range(STATEMENTS):
        sql = statement(table.seed * 1000 + number, grammar)
        check(sql, worlds, by, table)


def file_of(folder: Path, table: TinyTable, ending: str) -> Path:
    path = folder / f"t.{ending}"
    if ending == "sqlite":
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(made(table))
    else:
        with duckdb.connect(str(path)) as connection:
            connection.execute(made(table))
    return path


@needed
@pytest.mark.parametrize("seed", range(TABLES))
@pytest.mark.parametrize("kept_in", ["duckdb", "server", "server, no dialect"])
def test_what_postgres_answers(
    tmp_path: Path, url: str, seed: int, kept_in: str
) -> None:
    import psycopg

    table = drawn(seed, 2)
    with psycopg.connect(url, autocommit=True) as connection:
        worlds = PostgresWorlds(connection, table)
        where: Path | str = url
        if kept_in == "duckdb":
            where = file_of(tmp_path, table, "duckdb")
        else:
            connection.execute(f"DROP TABLE IF EXISTS t, e; {made(table)}")  # type: ignore[call-overload]
        dialect = "" if "no" in kept_in else "postgres"
        by = understanding(where, table, dialect)
        agree(worlds, by, table, "postgres")
        if by.source.server is not None:
            by.source.server.statements.close()


@pytest.mark.parametrize("seed", range(TABLES))
@pytest.mark.parametrize("ending", ["duckdb", "sqlite"])
def test_what_files_answer(tmp_path: Path, seed: int, ending: str) -> None:
    table = drawn(seed, 2)
    where = file_of(tmp_path, table, ending)
    if ending == "duckdb":
        agree(DuckdbWorlds(table), understanding(where, table, ""), table, "")
        return
    worlds = SqliteWorlds(table)
    for dialect in ("", "sqlite"):
        agree(worlds, understanding(where, table, dialect), table, "sqlite")


PLAIN = (("k0", "a", 2147483647, 0, "1999-12-31"), ("k1", "b", 2, 1, "2020-02-29"))


@needed
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT k FROM t WHERE 2147483646 + wage = 0",
        "SELECT k, COUNT(n) FROM t JOIN e ON g = g2 WHERE (wage + 2147483646 <= 0 OR n"
        " <> 0) GROUP BY k",
        "SELECT COUNT(*) FILTER (WHERE k > 'k0' AND wage IN (5, 10 / wage)) FROM t",
        "SELECT g, AVG(+h) FROM t WHERE 10 / (wage - 1) < 0 AND k = 'k0' AND wage <> 0"
        " GROUP BY g",
        "SELECT COUNT(*) FROM t WHERE substr(ill, 1, wage - 1) = 'f'",
    ],
)
def test_what_the_server_cannot_compute_for_some_cells(url: str, sql: str) -> None:
    """Though no dialect is said: DuckDB has an answer in all worlds."""
    import psycopg

    table = TinyTable(PLAIN, truth=21)
    with psycopg.connect(url, autocommit=True) as connection:
        worlds = PostgresWorlds(connection, table)
        connection.execute(f"DROP TABLE IF EXISTS t, e; {made(table)}")  # type: ignore[call-overload]
        by = understanding(url, table, "")
        assert check(sql, worlds, by, table) != ANSWERED
        assert by.source.server is not None
        by.source.server.statements.close()


def test_what_sqlite_divides_otherwise(tmp_path: Path) -> None:
    table = TinyTable(PLAIN, truth=21)
    by = understanding(file_of(tmp_path, table, "sqlite"), table, "")
    sql = "SELECT COUNT(n) FILTER (WHERE 10 / (wage - 1) = 10 AND k > 'k0') + 1 FROM t"
    assert check(sql, SqliteWorlds(table), by, table) != ANSWERED


JOINED = "SELECT k FROM t JOIN e ON g = g2 WHERE (wage < h OR {})"


@pytest.mark.parametrize(
    ("condition", "exact"),
    [
        ("h // n > 0", False),
        ("h // z > 0", False),
        ("h > z", True),
        ("g = g2", True),
        ("h // 2 > 0", True),
    ],
)
def test_a_join_leaves_out_no_row_that_fails(
    tmp_path: Path, condition: str, exact: bool
) -> None:
    """DuckDB filters a table before it is joined: k1 has no partner, and was not
    asked for 1 // 0 as its wage is small.
    """
    rows = ("k0", "a", -3, 2, "1999-12-31"), ("k1", "0", 1, 0, "2020-01-31")
    table = TinyTable(rows, truth=12)
    by = understanding(file_of(tmp_path, table, "duckdb"), table, "")
    sql = JOINED.format(condition)
    found = check(sql, DuckdbWorlds(table), by, table)
    assert (found == ANSWERED) == exact


@pytest.mark.parametrize("dialect", ["tsql", "postgres"])
@pytest.mark.parametrize(
    ("key", "may_fail"),
    [
        ("10 / n", True),
        ("CAST(g AS INT)", True),
        ("n", False),
        ("CASE WHEN n > 0 THEN 'a' ELSE 'b' END", False),
    ],
)
def test_groups_that_may_fail_leave_no_row_out(
    tmp_path: Path, dialect: str, key: str, may_fail: bool
) -> None:
    """What they are made of may be worked out before rows are left out."""
    table = TinyTable(PLAIN, truth=21)
    policy = table.policy | {"dialect": dialect}
    path = file_of(tmp_path, table, "duckdb")
    sql = f"SELECT {key}, ROUND(AVG(wage), 1) FROM t WHERE wage > 0 GROUP BY {key}"
    said = ph.audit(str(path), [sql], policy, ranges=0).steps[1].reason
    assert ("how often each wage" in said) == may_fail
    assert ("aggregates apart" in said) != may_fail


@pytest.mark.parametrize(
    "sql",
    [
        "EXPLAIN (ANALYZE) SELECT SUM(wage) FROM t",
        "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT SUM(wage) FROM t",
        "EXPLAIN VERBOSE SELECT SUM(wage) FROM t",
        "EXPLAIN QUERY PLAN SELECT SUM(wage) FROM main.t",
        "EXPLAIN FORMAT=JSON SELECT SUM(wage) FROM t",
        "EXPLAIN(SELECT SUM(wage) FROM t)",
        "SUMMARIZE main.t",
        'SUMMARIZE main."t"',
    ],
)
def test_plans_and_summaries_are_bounded(tmp_path: Path, sql: str) -> None:
    table = TinyTable(PLAIN, truth=21)
    path = file_of(tmp_path, table, "duckdb")
    step = ph.audit(str(path), [sql], table.policy, ranges=0).steps[1]
    assert step.status == "bounded" and "wage of all rows" in step.reason
