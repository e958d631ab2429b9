"""What servers show of themselves: settings say nothing, and what shows statements of
others, pages or bytes is never taken for nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from phverify.disclosure.histories.read import read_log
from phverify.errors import InputError
from phverify.verbs.audit import audit

pytest.importorskip("sqlglot")
duckdb = pytest.importorskip("duckdb")

FRAME = pd.DataFrame({"id": [1, 2], "town": ["a", "b"], "pay": [10, 20]})
POLICY: dict[str, Any] = {
    "table": "t",
    "key": "id",
    "public": ["town"],
    "sensitive": {"pay": {"from": 0, "to": 100}},
    "protect": {"pays": {"column": "pay"}},
}


def told(text: str, dialect: str) -> tuple[str, str, str]:
    """What is said of a statement, and the verdict after it."""
    report = audit(FRAME, [text], {**POLICY, "dialect": dialect}, ranges=0)
    return report.steps[1].status, report.steps[1].reason, report.verdict


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("tsql", "SELECT @@VERSION"),
        ("tsql", "SELECT @@SPID AS 'spid', @@SERVERNAME"),
        ("mysql", "select @@version_comment limit 1"),
        ("mysql", "SELECT @@session.auto_increment_increment AS a, @@sql_mode AS b"),
        ("mysql", "/* a driver */ SELECT @@transaction_isolation"),
        ("snowflake", "SHOW TERSE TABLES"),
        ("snowflake", "SHOW SCHEMAS"),
        ("postgres", "ANALYZE t"),
        ("postgres", "VACUUM verbose_log"),
        ("mysql", "SELECT VERSION(), @@version_comment, @@global.read_only"),
        ("mysql", "SHOW COLLATION"),
        ("mysql", "SHOW CHARACTER SET LIKE 'utf8%'"),
        ("mysql", "SHOW SESSION VARIABLES WHERE Variable_name = 'sql_mode'"),
        ("mysql", "SHOW VARIABLES LIKE 'aurora\\_version'"),
        ("tsql", "SET ARITHABORT ON"),
        ("postgres", "BEGIN ISOLATION LEVEL READ COMMITTED"),
        ("postgres", "START TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"),
        ("postgres", "BEGIN ISOLATION LEVEL SERIALIZABLE, READ ONLY, DEFERRABLE"),
        ("postgres", "SET extra_float_digits = 3"),
        ("postgres", "SET DATESTYLE TO 'ISO'"),
        ("postgres", "DISCARD ALL"),
        ("postgres", "SELECT pg_is_in_recovery()"),
        ("postgres", "SELECT t.oid, typarray FROM pg_type t WHERE typname = 'hstore'"),
        ("bigquery", "SELECT table_name FROM hr.INFORMATION_SCHEMA.TABLES"),
        ("bigquery", "SELECT column_name FROM `p.hr.INFORMATION_SCHEMA.COLUMNS`"),
        ("sqlite", 'PRAGMA main.table_info("t")'),
        ("sqlite", "PRAGMA foreign_key_list('t')"),
        ("sqlite", "PRAGMA foreign_keys=ON"),
    ],
)
def test_how_a_server_is_set_says_nothing(dialect: str, text: str) -> None:
    status, _, verdict = told(text, dialect)
    assert (status, verdict) == ("silent", "safe")


@pytest.mark.parametrize(
    ("dialect", "text", "why"),
    [
        ("tsql", "SELECT @@ROWCOUNT", "is not in the log"),
        ("tsql", "SET ARITHABORT OFF", "a setting"),
        ("postgres", "SET extra_float_digits = 0", "a setting"),
        ("postgres", "SET datestyle = 'ISO, DMY'", "a setting"),
        ("mysql", "SHOW WARNINGS", "statistics"),
        ("mysql", "DESC TABLE t", "plan"),
        ("postgres", 'SELECT table_name FROM "information_schema.columns"', ""),
        ("mysql", "SHOW VARIABLES LIKE '\\warning_count'", ""),
        ("mysql", "SHOW VARIABLES LIKE '\u1e81arning_count'", ""),
        ("mysql", "SHOW VARIABLES", "statistics"),
        ("mysql", "SHOW VARIABLES LIKE '%count'", "statistics"),
        ("mysql", "show variables like 'Warning_count'", "statistics"),
        ("mysql", "SHOW VARIABLES WHERE variable_name = '_rror_count'", "statistics"),
        ("mysql", "SHOW INDEX FROM t", "statistics"),
        ("bigquery", "SELECT total_rows FROM hr.INFORMATION_SCHEMA.TABLE_STORAGE", ""),
        ("mysql", "SELECT @@warning_count", "may"),
        ("mysql", "SELECT @@version, @@identity", "may"),
        ("postgres", "ANALYZE VERBOSE", ""),
        ("postgres", "ANALYZE VERBOSE t", ""),
        ("postgres", "VACUUM VERBOSE", "pages"),
        ("postgres", "VACUUM verbose t", "pages"),
        ("postgres", "SELECT query FROM pg_stat_activity", "statements of others"),
        ("duckdb", "SELECT * FROM pg_stat_statements", "statements of others"),
        (
            "bigquery",
            "SELECT query FROM `region-eu`.INFORMATION_SCHEMA.JOBS",
            "statements of others",
        ),
        (
            "snowflake",
            "SELECT COUNT(*) FROM snowflake.account_usage.query_history",
            "statements of others",
        ),
        (
            "mysql",
            "SELECT * FROM information_schema.processlist",
            "statements of others",
        ),
    ],
)
def test_what_it_shows_of_others_or_of_sizes_taints(
    dialect: str, text: str, why: str
) -> None:
    status, reason, verdict = told(text, dialect)
    assert (status, verdict) == ("unsupported", "unsupported")
    assert why in reason and "nor is it bounded: pg" not in reason


def test_a_table_of_ones_own_may_be_called_so() -> None:
    policy = {**POLICY, "table": "jobs"}
    report = audit(FRAME, ["SELECT SUM(pay) FROM jobs"], policy, ranges=0)
    assert report.steps[1].status == "answered"


@pytest.mark.parametrize("name", ["jobs", "prod.public.jobs", "threads", "a.slow_log"])
def test_a_table_of_others_that_is_called_so_has_the_usual_hint(name: str) -> None:
    status, reason, _ = told(f"SELECT COUNT(*) FROM {name}", "duckdb")
    assert status == "unsupported" and "statements of others" not in reason


@pytest.mark.parametrize("text", ["SHOW TABLES", "show tables in schema hr"])
def test_bytes_of_tables_are_bounded_by_all_cells(text: str) -> None:
    status, reason, verdict = told(text, "snowflake")
    assert (status, verdict) == ("bounded", "undecided")
    assert "pay" in reason and "TERSE" in reason


def test_a_name_for_a_table_that_is_nowhere() -> None:
    names = {"prod.hr.staff": "tt", "prod.staff": "T", "v": "held"}
    with pytest.raises(InputError) as raised:
        audit(FRAME, ["SELECT 1"], {**POLICY, "names": names})
    said = str(raised.value)
    assert "'prod.hr.staff' is 'tt', and there is no such table" in said
    assert "did you mean 't'?" in said
    assert "'v' is 'held'" in said and "prod.staff'" not in said


def test_names_may_be_of_views_and_of_tables_without_a_role(tmp_path: Path) -> None:
    path = tmp_path / "t.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS id, 'a' AS town, 10 AS pay")
        connection.execute("CREATE TABLE other AS SELECT 1 AS x")
        connection.execute("CREATE VIEW held AS SELECT id, pay FROM t")
    names = {"a.b": "held", "a.c": "Other", "a.d": "seen", "a.e": "towns"}
    (tmp_path / "towns.csv").write_text("town\na\n", encoding="utf-8")
    more = {"names": names, "views": {"seen": "SELECT id FROM t"}}
    external = {"towns": {"file": str(tmp_path / "towns.csv")}}
    log = ["SELECT SUM(pay) FROM a.b"]
    report = audit(path, log, {**POLICY, **more, "external": external}, ranges=0)
    assert report.steps[1].answer == ((10,),)


def test_names_may_be_of_views_of_sqlite(tmp_path: Path) -> None:
    import sqlite3

    path = tmp_path / "t.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (id INTEGER, town TEXT, pay INTEGER)")
        connection.execute("INSERT INTO t VALUES (1, 'a', 10)")
        connection.execute("CREATE VIEW held AS SELECT id, pay FROM t")
    connection.close()
    policy = {**POLICY, "names": {"a.b": "held"}}
    assert audit(path, ["SELECT 1"], policy, ranges=0).verdict == "safe"


def test_a_number_of_an_error_may_be_a_double(tmp_path: Path) -> None:
    rows = {
        "QUERY_TEXT": ["SELECT SUM(pay) FROM t", "SELECT SUM(payy) FROM t"],
        "EXECUTION_STATUS": ["SUCCESS", "FAIL"],
        "ERROR_CODE": [None, 904.0],
        "ERROR_MESSAGE": [None, "SQL compilation error: invalid identifier 'PAYY'"],
    }
    path = tmp_path / "log.parquet"
    frame = pd.DataFrame(rows)
    with duckdb.connect() as connection:
        connection.register("frame", frame)
        connection.execute(f"COPY frame TO '{path}' (FORMAT parquet)")
    assert [one.code for one in read_log(path).statements] == ["", "000904"]
    report = audit(FRAME, path, {**POLICY, "dialect": "snowflake"}, ranges=0)
    assert [step.status for step in report.steps[1:]] == ["answered", "failed"]


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("tsql", "SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED\nSELECT pay FROM t"),
        ("tsql", "SET TRANSACTION ISOLATION LEVEL SNAPSHOT EXEC shown"),
        ("tsql", "DESCRIBE [a--], pay\n]"),
        ("mysql", "SELECT @@port AS `x -- `, (SELECT MAX(pay) FROM t WHERE id = 1)"),
        ("mysql", "SHOW COLUMNS FROM `t--` WHERE (SELECT MAX(pay) FROM t) > 5"),
        ("mysql", "SELECT @@port --@@port + (SELECT MAX(pay) FROM t)"),
        ("mysql", "PREPARE q FROM 'SELECT 1' # '\n; SELECT pay FROM t; # '"),
        ("mysql", "PREPARE q FROM 'SELECT 1' `$$`; SELECT pay FROM t; # $$`"),
        ("mysql", "PREPARE q FROM @a, pay"),
        ("postgres", "PREPARE a AS SELECT 1 \\g\nSELECT pay FROM t"),
        ("mysql", "PREPARE a FROM 'SELECT 1' \\G SELECT pay FROM t"),
    ],
)
def test_nothing_hides_behind_what_says_nothing(dialect: str, text: str) -> None:
    status, _, verdict = told(text, dialect)
    assert status != "silent" and verdict != "safe"


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("tsql", "SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED -- of a driver"),
        ("mysql", "/* a driver's */ SHOW COLUMNS FROM `my_db`.`t`"),
        ("mysql", "SHOW VARIABLES LIKE 'aurora\\_version'"),
        ("mysql", "PREPARE q FROM 'SELECT SUM(pay) FROM t'"),
        ("postgres", "PREPARE q(int) AS SELECT SUM(pay) FROM t WHERE id = $1"),
        ("trino", "PREPARE q FROM SELECT SUM(pay) FROM t"),
        ("tsql", "DESCRIBE [t]"),
    ],
)
def test_what_drivers_write_says_nothing(dialect: str, text: str) -> None:
    assert told(text, dialect)[0] == "silent"


@pytest.mark.parametrize("text", ["SHOW TABLES", "SHOW TABLES LIKE 'a\nb' IN SCHEMA s"])
def test_bytes_of_tables_follow_from_all_cells(text: str) -> None:
    status, _, verdict = told(text, "snowflake")
    assert (status, verdict) == ("bounded", "undecided")
