"""PostgreSQL's own logs: which statement failed, and the values of parameters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest
from support.histories_cases import (
    ACCOUNTS,
    ALL,
    BUT_JEAN,
    POLICY,
    WAGE,
    csv_text,
    entry,
)

from phverify.disclosure.histories.parameters import NUMBER, OTHER, TEXT, filled
from phverify.disclosure.histories.read import read_log
from phverify.disclosure.log.statements import Statement
from phverify.verbs.audit import audit

pytest.importorskip("sqlglot")
NO_RIGHT = ("ERROR", "42501", "permission denied for table accounts")
SENT = ("LOG", "00000", f"statement: {ALL}")
RUN = ("LOG", "00000", f"execute <unnamed>: {ALL}")
DONE = ("LOG", "00000", "duration: 0.412 ms")


def read(tmp_path: Path, *rows: list[Any]) -> list[Statement]:
    path = tmp_path / "postgresql.csv"
    path.write_text(csv_text(rows), encoding="utf-8")
    return list(read_log(path).statements)


def errors(tmp_path: Path, *rows: list[Any]) -> list[str]:
    """The SQLSTATE of each statement, nothing where it was answered."""
    return [one.code for one in read(tmp_path, *rows)]


def failed(number: int, text: str = ALL, **other: str) -> list[Any]:
    return entry(number, "ann", *NO_RIGHT, query=text, **other)


def test_an_error_is_that_of_the_entry_before_it(tmp_path: Path) -> None:
    sent = entry(1, "ann", *SENT)
    assert errors(tmp_path, sent, failed(1)) == ["42501"]
    # what stands between in other sessions, and what is about no statement
    other = entry(2, "bob", *SENT)
    note = entry(1, "ann", "WARNING", "01000", "there is no transaction in progress")
    assert errors(tmp_path, sent, other, note, failed(1)) == ["42501", ""]


def test_an_error_that_may_be_another_is_a_statement_of_its_own(tmp_path: Path) -> None:
    sent = entry(1, "ann", *SENT)
    own = ["", "42501"]
    # the statement before had ended; another text, session or transaction
    assert errors(tmp_path, sent, entry(1, "ann", *DONE), failed(1)) == own
    assert errors(tmp_path, sent, failed(1, WAGE)) == own
    assert errors(tmp_path, sent, failed(1, session="x.1")) == own
    assert errors(tmp_path, sent, failed(1, vxid="3/99")) == own
    # logged after it had been answered
    after = entry(1, "ann", "LOG", "00000", f"duration: 0.4 ms  statement: {ALL}")
    assert errors(tmp_path, after, failed(1)) == own
    # two errors: the second one is of a statement that was not logged
    assert errors(tmp_path, sent, failed(1), failed(1)) == ["42501", "42501"]


def test_an_error_without_its_statement_is_not_passed_over(tmp_path: Path) -> None:
    sent = entry(1, "ann", *SENT)
    error = entry(1, "ann", *NO_RIGHT)
    [one] = read(tmp_path, sent, error)
    assert "log_min_error_statement" in one.unread
    [one] = read(tmp_path, sent, entry(2, "ann", *NO_RIGHT))
    assert not one.unread


def test_an_execute_that_was_cancelled_may_be_the_next_one(tmp_path: Path) -> None:
    run = entry(1, "ann", *RUN)
    stop = entry(1, "ann", "ERROR", "57014", "canceling statement", query=ALL)
    assert errors(tmp_path, run, stop) == ["", "57014"]
    assert errors(tmp_path, run, failed(1)) == ["42501"]


def test_what_prepares_a_statement_is_no_answer(tmp_path: Path) -> None:
    rows = []
    for kind in ("parse", "bind", "execute"):
        text = f"duration: 0.1 ms  {kind} <unnamed>: {ALL}"
        rows.append(entry(1, "ann", "LOG", "00000", text))
    fetch = f"execute fetch from S_1/C_2: {ALL}"
    rows.append(entry(2, "ann", "LOG", "00000", fetch))
    for text in ("checkpoint complete: wrote 3", "disconnection: session time: 0:00"):
        rows.append(entry(3, "ann", "LOG", "00000", text))
    rows.append(entry(4, "ann", "FATAL", "28P01", "password authentication failed"))
    assert [one.text for one in read(tmp_path, *rows)] == [ALL, ALL]


@pytest.mark.parametrize(
    ("severity", "failure", "messages", "detail"),
    [
        (
            *("LOG", "FEHLER"),
            "Anweisung: S|Dauer: 0.412 ms|Dauer: 0.412 ms  Anweisung: S"
            "|Dauer: 0.412 ms  Parsen <unnamed>: S|Dauer: 1.2 ms  Binden a/b: S"
            "|Dauer: 0.412 ms  Ausführen <unnamed>: S|Ausführen Fetch von S_1/C_2: S",
            "Parameter",
        ),
        (
            *("LOG", "ERREUR"),
            "instruction : S|durée : 0.412 ms|durée : 0.412 ms, instruction : S"
            "|durée : 0.412 ms, analyse <unnamed> : S|durée : 1.2 ms, lien a/b : S"
            "|durée : 0.412 ms  exécute <unnamed>: S|exécute fetch à partir de S_1: S",
            "paramètres ",
        ),
        (
            *("СООБЩЕНИЕ", "ОШИБКА"),
            "оператор: S|продолжительность: 0.412 мс"
            "|продолжительность: 0.412 мс, оператор: S"
            "|продолжительность: 0.412 мс, разбор <unnamed>: S"
            "|продолжительность: 1.2 мс, сообщение Bind a/b: S"
            "|продолжительность: 0.4 мс  выполнение <unnamed>: S|выборка из S_1: S",
            "параметры",
        ),
        (
            *("日志", "错误"),
            "语句: S|执行时间: 0.412 ms|执行时间: 0.412 ms 语句: S"
            "|执行时间: 0.412 ms  解析 <unnamed>: S|执行时间: 0.412 ms 绑定a/b: S"
            "|执行时间: 0.412 ms 执行<unnamed>: S|执行FETCH操作 S_1/C_2: S",
            "参数",
        ),
        (
            *("로그", "오류"),
            "명령 구문: S|실행시간: 0.412 ms|실행시간: 0.412 ms  명령 구문: S"
            "|실행시간: 0.412 ms  <unnamed> 구문분석: S|실행시간: 0.412 ms  a/b 접속: S"
            "|수행시간: 0.412 ms  쿼리실행 <unnamed>: S|자료뽑기 S_1: S",
            "매개 변수",
        ),
    ],
)
def test_logs_in_other_languages(
    severity: str, failure: str, messages: str, detail: str, tmp_path: Path
) -> None:
    rows = [
        entry(1, "ann", severity, "00000", one.replace("S", ALL, 1))
        for one in messages.replace("S_1", "s_1").split("|")
    ]
    found = read(tmp_path, *rows)
    assert [one.text for one in found] == [ALL] * 4
    assert not any(one.unread for one in found)
    sent, ended = rows[:2]
    error = entry(1, "ann", failure, "42501", "?", query=ALL)
    assert errors(tmp_path, sent, error) == ["42501"]
    assert errors(tmp_path, sent, ended, error) == ["", "42501"]
    executed = [*rows[5][:14], f"{detail}: $1 = 'x'", *rows[5][15:]]
    [one] = read(tmp_path, executed)
    assert one.parameters == {"1": "x"}


@pytest.mark.parametrize(
    "message",
    [
        f"komut: {ALL}",
        f"durata: 0.412 ms  comando: /* x */ {ALL}",
        f"execute a name: {ALL}",
        "příkaz：WITH x AS (SELECT 1) SELECT * FROM x",
    ],
)
def test_words_that_are_not_known_are_not_passed_over(
    message: str, tmp_path: Path
) -> None:
    [one] = read(tmp_path, entry(1, "ann", "LOG", "00000", message))
    assert "lc_messages = 'C'" in one.unread
    # of what no client sent
    server = entry(1, "", "LOG", "00000", "redo: start")
    assert read(tmp_path, entry(1, "ann", *SENT), server)[0].text == ALL


def test_what_pgaudit_alone_logs_is_not_passed_over(tmp_path: Path) -> None:
    def audited(text: str) -> list[Any]:
        message = f'AUDIT: SESSION,1,1,READ,SELECT,TABLE,public.a,"{text}",<none>'
        return entry(1, "ann", "LOG", "00000", message)

    named = ALL.replace("accounts", '"accounts"')
    sent = entry(1, "ann", "LOG", "00000", f"statement: {named};\n{ALL}")
    quoted = audited(named.replace('"', '""'))
    more = audited("<previously logged>")
    assert len(read(tmp_path, quoted, sent, audited(ALL), more)) == 2
    # what somebody else has sent is no entry of hers
    others = entry(2, "bob", "LOG", "00000", f"statement: {BUT_JEAN}")
    assert len(read(tmp_path, others, audited(BUT_JEAN))) == 2
    first, last = read(tmp_path, entry(1, "ann", *SENT), audited(BUT_JEAN))
    assert not first.unread and "log_statement = 'all'" in last.unread


def test_a_log_of_debugging(tmp_path: Path) -> None:
    rows = [entry(1, "ann", "DEBUG", "00000", "StartTransaction(1)")]
    assert len(read(tmp_path, *rows, entry(1, "ann", *SENT))) == 1


def test_a_plan_of_auto_explain_is_not_passed_over(tmp_path: Path) -> None:
    plan = f"duration: 3.9 ms  plan:\nQuery Text: {ALL}\nAggregate"
    [one] = read(tmp_path, entry(1, "ann", "LOG", "00000", plan))
    assert "log_statement = 'all'" in one.unread


@pytest.mark.parametrize(
    ("detail", "values"),
    [
        ("parameters: $1 = '5', $2 = NULL", {"1": "5", "2": None}),
        ("Parameters: $1 = 'it''s, $2 = ''x'''", {"1": "it's, $2 = 'x'"}),
        ("parameters: $1 = ''", {"1": ""}),
    ],
)
def test_values_of_parameters(
    detail: str, values: dict[str, str | None], tmp_path: Path
) -> None:
    [one] = read(tmp_path, entry(1, "ann", *RUN, detail=detail))
    assert one.parameters == values and not one.unread


@pytest.mark.parametrize("detail", ["parameters: $1 = 'abc...'", "parameters: $1 = 5"])
def test_values_that_are_not_known(detail: str, tmp_path: Path) -> None:
    [one] = read(tmp_path, entry(1, "ann", *RUN, detail=detail))
    assert one.unread


def kind(name: str) -> str | None:
    return {"b": NUMBER, "n": TEXT, "d": OTHER}.get(name)


def put(text: str, *values: str | None) -> str:
    """A statement of PostgreSQL's log with its values, or why it has none."""
    named = {str(number): value for number, value in enumerate(values, 1)}
    one = filled(Statement(text, 1, parameters=named, typed=False), kind)
    return one.unread or one.text.removeprefix("SELECT SUM(b) FROM t WHERE ")


FROM = "SELECT SUM(b) FROM t WHERE "


@pytest.mark.parametrize(
    ("condition", "values", "found"),
    [
        ("b > $1 AND n <> $2", ("5", "Jean"), "b > 5 AND n <> 'Jean'"),
        ("b>-$1", ("-5",), "b>-(-5)"),
        ("b BETWEEN $1 AND $2", ("1", "2.50"), "b BETWEEN 1 AND 2.50"),
        ("n IN ($2, '$1', $1)", ("5", "it's"), "n IN ('it''s', '$1', '5')"),
        ("n = '$1' /* $1 */ AND $1 < b", ("7",), "n = '$1' /* $1 */ AND 7 < b"),
        ("b = $1 OR n = $2", (None, None), "b = NULL OR n = NULL"),
        ("d >= $1", ("2026-01-01",), "d >= '2026-01-01'"),
        ("b = $1::int", ("5",), "b = '5'::int"),
        ("b > 1 HAVING SUM(b) > $1", ("3",), "b > 1 HAVING SUM(b) > 3"),
        ("b > 1 LIMIT $1", ("3",), "b > 1 LIMIT 3"),
    ],
)
def test_a_value_is_written_as_what_stands_beside_it(
    condition: str, values: tuple[str | None, ...], found: str
) -> None:
    assert put(FROM + condition, *values) == found


@pytest.mark.parametrize(
    ("condition", "values", "why"),
    [
        ("b > $1", ("5 OR 1 = 1",), "stands beside a number, and is none"),
        # of which type they are is not known: they are left open
        ("$1 = $2", ("1", "1"), ""),
        ("b = $1 OR n = $1", ("1",), ""),
        ("lower($1) = n", ("x",), ""),
        ("b = $1", (), ""),
        ("b = $1 AND n = $2", ("1",), "$2 has no value"),
        ("b = 1", ("1",), "has a value, and no place"),
        ("b = a$1", ("1",), "has a value, and no place"),
        ("b = = $1", ("1",), "not understood where"),
    ],
)
def test_a_value_without_a_place_is_not_read(
    condition: str, values: tuple[str, ...], why: str
) -> None:
    found = put(FROM + condition, *values)
    assert why in found and (why or found == condition)


@pytest.mark.parametrize(
    ("text", "values", "found"),
    [
        ("a = ? AND b = ? AND c = '?'", [5, "x'y"], "a = 5 AND b = 'x''y' AND c = '?'"),
        ("a = :x AND b = @y::int", {"x": -1, "@y": True}, "a = (-1) AND b = TRUE::int"),
        ("a = ?", ["0.10"], "a = '0.10'"),
        ("a = ?", [0.1], "a = 0.1"),
        ("a = ?", [[1]], "a parameter of the type list is not read"),
        ("a = ?", [1, 2], "the parameter 2 has a value, and no place in it"),
    ],
)
def test_typed_values_of_other_histories(text: str, values: Any, found: str) -> None:
    [one] = read_log([{"sql": text, "parameters": values}]).statements
    one = filled(one, kind)
    assert (one.unread or one.text) == found


def test_a_log_with_parameters_is_audited(tmp_path: Path) -> None:
    table = tmp_path / "accounts.csv"
    table.write_text(ACCOUNTS, encoding="utf-8")
    path = tmp_path / "log.csv"
    asked = "execute S_1: SELECT SUM(balance) FROM accounts WHERE name <> $1"
    rows = [entry(1, "ann", *SENT)]
    rows.append(entry(2, "ann", "LOG", "00000", asked, "parameters: $1 = 'Jean'"))
    path.write_text(csv_text(rows), encoding="utf-8")
    report = audit(table, path, POLICY, ranges=0)
    assert report.verdict == "disclosed" and report.steps[2].answer == ((1160,),)
    assert report.steps[2].sql.endswith("name <> 'Jean'")
    # without its value it is taken for more than it says
    rows[1][14] = ""
    path.write_text(csv_text(rows), encoding="utf-8")
    report = audit(table, path, POLICY, ranges=0)
    assert (report.verdict, report.steps[2].status) == ("undecided", "bounded")


JOIN = "SELECT SUM(balance) FROM accounts, generate_series(1, 9)"


@pytest.mark.parametrize(
    ("text", "state", "nothing"),
    [
        (WAGE, "42703", True),
        (ALL, "42501", True),
        (ALL, "25P02", True),
        (f"{ALL} WHERE name = $1", "42501", True),
        ("SELECT DATE_TRUNC('day', d) FROM x GROUP BY 1", "42P01", True),
        (ALL, "57014", True),
        (ALL, "53200", True),
        # a part of the answer may have been sent
        ("SELECT name, balance FROM accounts", "57014", False),
        ("SELECT branch, SUM(balance) FROM accounts GROUP BY branch", "57014", False),
        # how long it takes may depend on what cells are
        (JOIN, "57014", False),
        (f"{ALL} WHERE balance > 4 AND pg_sleep(9) IS NULL", "57014", False),
        (f"{ALL} WHERE 1 / (balance - 420) = 1", "22012", False),
        (f"{ALL} WHERE balance::text::regclass = 3", "42P01", False),
        ("SELECT query_to_xml('x' || balance) FROM accounts", "42601", False),
        (f"{ALL}; SELECT x FROM accounts", "42703", False),
        (ALL, "40001", False),
        (ALL, "XX000", False),
        ("DO $$ BEGIN RAISE syntax_error; END $$", "42601", False),
    ],
)
def test_what_a_failure_told_by_its_sqlstate(
    text: str, state: str, nothing: bool, tmp_path: Path
) -> None:
    table = tmp_path / "accounts.duckdb"
    with duckdb.connect(str(table)) as connection:
        (tmp_path / "a.csv").write_text(ACCOUNTS, encoding="utf-8")
        connection.execute(f"CREATE TABLE accounts AS FROM '{tmp_path / 'a.csv'}'")
    log = [{"sql": text, "error": "it failed", "code": state}]
    step = audit(table, log, POLICY, ranges=0).steps[1]
    assert step.status == ("failed" if nothing else "unsupported")


@pytest.mark.parametrize(
    ("code", "said", "nothing"),
    [
        ("002003", "SQL compilation error:\nObject 'X' does not exist", True),
        ("2003", "SQL compilation error:\nObject 'X' does not exist", True),
        ("002003", "Division by zero", False),
        ("100038", "Numeric value 'x' is not recognized", False),
        ("000604", "SQL execution canceled", True),
        ("invalidQuery", "Syntax error: Expected end of input at [1:8]", True),
        ("invalidQuery", "division by zero: 1 / 0", False),
        ("accessDenied", "Access Denied: Table p:d.accounts", True),
        ("stopped", "Job execution was cancelled: User requested", True),
        ("backendError", "An internal error occurred", False),
        ("", "its status is 'failed'", False),
    ],
)
def test_what_a_failure_told_by_the_words_of_warehouses(
    code: str, said: str, nothing: bool, tmp_path: Path
) -> None:
    table = tmp_path / "accounts.csv"
    table.write_text(ACCOUNTS, encoding="utf-8")
    log = [{"sql": ALL, "error": said, "code": code}]
    step = audit(table, log, POLICY, ranges=0).steps[1]
    assert step.status == ("failed" if nothing else "unsupported")
