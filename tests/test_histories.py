"""Query histories of databases and warehouses: the same log, however it is kept."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.histories_cases import (
    ACCOUNTS,
    ALL,
    BUT_JEAN,
    NO_COLUMN,
    POLICY,
    SENT,
    TEXTS,
    WAGE,
    Sent,
    csv_text,
    csvlog,
    written,
)
from support.so_many import so_many

from phverify.disclosure.histories.read import Asked, read_log
from phverify.disclosure.histories.settings import LogColumns
from phverify.errors import InputError
from phverify.report.audit_json import to_json
from phverify.verbs.audit import audit

pytest.importorskip("sqlglot")
duckdb = pytest.importorskip("duckdb")
NAMES = [*TEXTS, "jobs.parquet", "plain.parquet"]


@pytest.fixture
def accounts(tmp_path: Path) -> Path:
    path = tmp_path / "accounts.csv"
    path.write_text(ACCOUNTS, encoding="utf-8")
    return path


def told(report: Any) -> Any:
    """A report without its lines, times, notes and errors."""
    plain = to_json(report)
    steps = []
    for step in plain["steps"]:
        left = {name: step[name] for name in step if name not in ("line", "seconds")}
        steps.append(left)
    return {"verdict": plain["verdict"], "first": plain["first"], "steps": steps}


@pytest.fixture(scope="module")
def as_sql(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The report of the log as SQL, without the statement that failed."""
    folder = tmp_path_factory.mktemp("sql")
    table = folder / "accounts.csv"
    table.write_text(ACCOUNTS, encoding="utf-8")
    log: list[Any] = [one.text for one in SENT]
    log[2] = {"sql": WAGE, "error": NO_COLUMN.said, "code": NO_COLUMN.state}
    return told(audit(table, log, POLICY, ranges=0))


@pytest.mark.parametrize("name", NAMES)
def test_the_same_log_has_the_same_report(
    name: str, accounts: Path, tmp_path: Path, as_sql: Any
) -> None:
    log = written(tmp_path, name, SENT)
    report = audit(accounts, log, POLICY, ranges=0)
    assert told(report) == as_sql
    assert report.verdict == "disclosed" and report.steps[3].status == "failed"


text = st.text("abc'\"\n;-, $%\\é", max_size=12)


@so_many(12)
@given(st.lists(text, min_size=1, max_size=4))
def test_any_text_comes_out_of_a_history_as_it_went_in(
    tmp_path_factory: pytest.TempPathFactory, names: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("log")
    sent = []
    for name in names:
        quoted = name.replace("'", "''")
        sent.append(Sent(f"SELECT '{quoted}' AS x"))
    for name in TEXTS:
        found = read_log(written(folder, name, sent)).statements
        assert [one.text for one in found] == [one.text for one in sent], name


@pytest.mark.parametrize("name", NAMES)
def test_users_who_could_pool_their_answers(name: str, tmp_path: Path) -> None:
    log = written(tmp_path, name, SENT)
    one = read_log(log, Asked(users=("bob",)))
    assert [found.text for found in one.statements] == [BUT_JEAN]
    assert any("4 statements of ann" in note for note in one.notes)
    both = read_log(log, Asked(users=("bob", "ann")))
    assert len(both.statements) == 5
    with pytest.raises(InputError, match="did you mean 'bob'"):
        read_log(log, Asked(users=("bop",)))


def test_what_others_may_have_written_stays() -> None:
    log: list[Any] = [{"sql": ALL, "user": "ann"}]
    log += [{"sql": "UPDATE accounts SET balance = 0", "user": "etl"}]
    log += [{"sql": "WITH a AS (DELETE FROM accounts) SELECT 1", "user": "etl"}]
    log += [{"sql": "SELECT 'an update', \"insert\"", "user": "etl"}]
    log += [{"sql": "SELECT 2"}]
    read = read_log([{"user": None, **one} for one in log], Asked(users=("ann",)))
    assert [one.user for one in read.statements] == ["ann", "etl", "etl", None]
    assert any("1 statement of etl" in note for note in read.notes)
    assert any("without a user" in note for note in read.notes)
    with pytest.raises(InputError, match="does not say who sent"):
        read_log([ALL], Asked(users=("ann",)))


def test_a_write_of_another_user_taints(accounts: Path) -> None:
    log = [{"sql": ALL, "user": "ann"}]
    log += [{"sql": "UPDATE accounts SET balance = 0", "user": "etl"}]
    report = audit(accounts, log, POLICY, ranges=0, users=["ann"])
    assert report.verdict == "unsupported" and report.steps[2].status == "refused"


@pytest.mark.parametrize(
    ("dialect", "sql", "stays"),
    [
        ("", "SET default_collation = 'nocase'", True),
        ("duckdb", "RESET default_null_order", True),
        ("duckdb", "SET SESSION default_collation = 'nocase'", False),
        ("duckdb", "SET GLOBAL default_collation = 'nocase'", True),
        ("mysql", "SET GLOBAL sql_mode = 'ANSI'", True),
        ("mysql", "SET autocommit = 1, @@global.sql_mode = 'ANSI'", True),
        ("mysql", "set persist sql_mode = 'ANSI'", True),
        ("mysql", "SET /*!50000 GLOBAL */ sql_mode = 'ANSI'", True),
        ("mysql", "SET sql_mode = 'GLOBAL'", False),
        ("postgres", "SET search_path = other", False),
        ("postgres", "RESET CLUSTER SETTING x", True),
        ("postgres", "ALTER SYSTEM SET x = 1", True),
        ("postgres", "ALTER ROLE ann SET search_path = other", True),
        ("postgres", "ALTER DATABASE d SET search_path = other", True),
    ],
)
def test_settings_of_others_that_may_be_of_all_stay(
    dialect: str, sql: str, stays: bool
) -> None:
    log = [{"sql": ALL, "user": "ann"}, {"sql": sql, "user": "bob"}]
    read = read_log(log, Asked(users=("ann",), dialect=dialect))
    assert ("bob" in [one.user for one in read.statements]) == stays
    failed = [log[0], {"sql": sql, "user": "bob", "error": "denied"}]
    if sql.upper().startswith("SET G"):
        read = read_log(failed, Asked(users=("ann",), dialect=dialect))
        assert len(read.statements) == 1


def test_a_setting_of_another_user_taints(accounts: Path) -> None:
    log = [{"sql": "SET GLOBAL default_collation = 'nocase'", "user": "bob"}]
    log += [{"sql": ALL, "user": "ann"}]
    policy = POLICY | {"dialect": "postgres"}
    report = audit(accounts, log, policy, ranges=0, users=["ann"])
    assert report.verdict == report.steps[1].status == "unsupported"


@pytest.mark.parametrize(
    ("times", "order", "note"),
    [
        (["2026-01-01 10:00:02", "2026-01-01 10:00:01.5", None], "123", "without a"),
        (["2026-01-01 10:00:02", "2026-01-01 10:00:01.5"], "21", ""),
        (["2026-01-01T10:00:00+01:00", "2026-01-01 09:00:00 UTC"], "12", "same time"),
        (["2026-01-01T10:00:00+01:00", "2026-01-01 08:59:59Z"], "21", ""),
        (["2026-01-01 10:00 CET", "2026-01-01 09:00 CET"], "21", ""),
        (["2026-01-01 10:00 CET", "2026-01-01 09:00 CEST"], "12", "several zones"),
        ([1764064801001, 1764064801000], "21", ""),
        (["1764064801.25", "1.7640648E9"], "21", ""),
        (["10 o'clock", "9 o'clock"], "12", "without a time that is understood"),
        (["2026-01-01 10:00:00", 1764064801], "12", "several zones"),
        # which zone the first one is of is not known
        (["2026-01-01 10:00", "2026-01-01 09:00Z"], "12", "UTC, none that is said"),
        ([datetime(2026, 1, 2), datetime(2026, 1, 1, tzinfo=UTC)], "12", "none that"),
        ([datetime(2026, 1, 2), datetime(2026, 1, 1)], "21", ""),
    ],
)
def test_statements_are_read_in_the_order_of_their_times(
    times: list[Any], order: str, note: str
) -> None:
    log = [{"sql": f"SELECT {n}", "time": time} for n, time in enumerate(times, 1)]
    read = read_log(log)
    assert "".join(one.text[-1] for one in read.statements) == order
    assert bool(read.notes) == bool(note) and note in "".join(read.notes)


@pytest.mark.parametrize(
    ("first", "second", "order", "note"),
    [
        ("TIMESTAMPTZ '2026-01-02 10:00+02'", "'2026-01-02 07:59:59+00'", "21", ""),
        (
            "TIMESTAMP_NS '2026-01-02 10:00:00.000000002'",
            "'2026-01-02 10:00'",
            "21",
            "",
        ),
        ("TIMESTAMP '2026-01-02 10:00'", "'2026-01-01 10:00'", "21", ""),
        ("TIMESTAMPTZ 'infinity'", "'2026-01-01 10:00'", "12", "without a time"),
    ],
)
def test_times_of_parquet(
    first: str, second: str, order: str, note: str, tmp_path: Path
) -> None:
    rows = f"('SELECT 1', {first}), ('SELECT 2', {second})"
    path = tmp_path / "log.parquet"
    duckdb.sql(f"COPY (FROM (VALUES {rows}) AS v(sql, time)) TO '{path}'")
    read = read_log(path)
    assert "".join(one.text[-1] for one in read.statements) == order
    assert bool(read.notes) == bool(note) and note in "".join(read.notes)


def test_columns_of_other_names(accounts: Path, tmp_path: Path) -> None:
    rows = [["stmt", "who", "rc", "host"], [ALL, "ann", "0", "h"]]
    rows += [[BUT_JEAN, "bob", "17", "h"]]
    log = tmp_path / "log.csv"
    log.write_text(csv_text(rows), encoding="utf-8")
    with pytest.raises(InputError, match="'stmt' is not read"):
        audit(accounts, log, POLICY)
    mapping = {"text": "stmt", "user": "who", "status": "rc", "ok": ["0"]}
    report = audit(accounts, log, POLICY | {"log": mapping}, ranges=0)
    assert [step.status for step in report.steps[1:]] == ["answered", "unsupported"]
    # what is said on the command line goes before
    both = LogColumns({"text": "stmt", "status": "rc"}, ("0", "17"))
    report = audit(accounts, log, POLICY | {"log": mapping}, ranges=0, columns=both)
    assert [step.status for step in report.steps[1:]] == ["answered", "answered"]
    with pytest.raises(InputError, match=r"no column 'stnt'.*\n.*did you mean 'stmt'"):
        audit(accounts, log, POLICY | {"log": mapping | {"text": "stnt"}})


@pytest.mark.parametrize(
    ("entries", "what"),
    [
        ({"txt": "a"}, "unknown entry 'txt'"),
        ({"text": 3}, "is the name of a column, not 3"),
    ],
)
def test_a_section_log_that_is_none(entries: Any, what: str, accounts: Path) -> None:
    with pytest.raises(InputError, match=what):
        audit(accounts, [ALL], POLICY | {"log": entries})


def test_jobs_that_move_data_taint(accounts: Path, tmp_path: Path) -> None:
    jobs = [{"query": ALL, "creation_time": "2026-01-01 10:00:00", "job_type": "QUERY"}]
    jobs += [{"creation_time": "2026-01-01 11:00:00", "job_type": "LOAD"}]
    log = tmp_path / "jobs.json"
    log.write_text(json.dumps(jobs), encoding="utf-8")
    report = audit(accounts, log, POLICY, ranges=0)
    assert report.steps[2].status == "unsupported" and report.verdict == "unsupported"


JOB = {"query": ALL, "creation_time": "2026-01-01 10:00:00"}
OPEN = [
    JOB | {"state": "RUNNING"},
    JOB | {"state": "PENDING"},
    {"QUERY_TEXT": ALL, "EXECUTION_STATUS": "RUNNING"},
    {"QUERY_TEXT": ALL, "EXECUTION_STATUS": "queued"},
    {"QUERY_TEXT": ALL, "EXECUTION_STATUS": None},
    {"sql": ALL, "status": "running"},
    {"sql": ALL, "status": "0"},
    {"sql": ALL, "status": ""},
]
ENDED = [
    JOB | {"state": "DONE"},
    JOB | {"state": None},
    {"QUERY_TEXT": ALL, "EXECUTION_STATUS": "SUCCESS"},
    {"sql": ALL, "status": "Finished"},
    {"sql": ALL, "status": "running", "answer": [[1580]]},
]


def test_what_had_not_ended_may_have_told_anything(
    accounts: Path, tmp_path: Path
) -> None:
    log = tmp_path / "h.json"
    for entry in OPEN:
        log.write_text(json.dumps([entry]), encoding="utf-8")
        step = audit(accounts, log, POLICY, ranges=0).steps[1]
        assert step.status == "unsupported", entry
        assert "does not say that it was answered" in step.reason
    for entry in ENDED:
        log.write_text(json.dumps([entry]), encoding="utf-8")
        step = audit(accounts, log, POLICY, ranges=0).steps[1]
        assert step.status == "answered", (entry, step.reason)


def test_what_reads_public_data_told_nothing_however_it_ended(
    accounts: Path, tmp_path: Path
) -> None:
    reads = "SELECT COUNT(*) FROM INFORMATION_SCHEMA.TABLES"
    log = tmp_path / "h.json"
    jobs = [JOB | {"state": "DONE"}, JOB | {"state": "RUNNING", "query": reads}]
    log.write_text(json.dumps(jobs), encoding="utf-8")
    report = audit(accounts, log, POLICY | {"dialect": "bigquery"}, ranges=0)
    assert [step.status for step in report.steps[1:]] == ["answered", "silent"]


def test_a_statement_that_snowflake_cut_taints(tmp_path: Path, accounts: Path) -> None:
    log = tmp_path / "h.csv"
    long = ALL + " " * 100_000
    log.write_text(
        csv_text([["QUERY_TEXT", "EXECUTION_STATUS"], [long, "SUCCESS"]]), "utf-8"
    )
    assert audit(accounts, log, POLICY, ranges=0).verdict == "unsupported"


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        (
            "a.csv",
            "sql,user\nSELECT 1\n",
            "line 2: has 1 cells, and the header names 2",
        ),
        ("a.csv", 'sql\n"SELECT 1', "is no CSV"),
        ("a.csv", "sql,text\na,b\n", "has both 'sql' and 'text'"),
        ("a.csv", "sql\n", "holds no statement"),
        ("a.json", "[1]", "record 1: is no JSON object"),
        ("a.json", "[{]", "is no JSON"),
        ("a.parquet", "sql", "is no Parquet file"),
        ("a.csv", csvlog(SENT).replace("LOG", "PROTOKOLL"), "lc_messages = 'C'"),
        ("a.csv", csvlog(SENT) + "a,b\n", "has 2 cells, and a csvlog has 23 to 26"),
    ],
)
def test_histories_that_are_none(
    name: str, content: str, what: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_log(path)
    assert what in str(error.value)
