"""Statements that failed: what their error says of the data, and logs of JSON lines."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from support.audit_dialects_cases import hr  # noqa: F401

from phverify.disclosure.result import SAFE, UNSUPPORTED
from phverify.errors import InputError
from phverify.verbs.audit import audit

pytest.importorskip("sqlglot")
from support.audit_dialects_cases import ALL, COUNT, PLAIN, POLICY, duckdb


def marked(sql: str, error: str) -> list[dict[str, str]]:
    return [{"sql": sql, "error": error}, {"sql": ALL}]


@cache
def said(sql: str) -> str:
    """What DuckDB says of a statement."""
    with duckdb.connect() as connection, pytest.raises(duckdb.Error) as error:
        connection.execute(
            "CREATE TABLE employees (emp_id INTEGER, region VARCHAR, salary INTEGER)"
        )
        connection.execute(sql)
    return str(error.value)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(* FROM employees",
        "SELECT SUM(wage) FROM employees",
        "SELECT COUNT(*) FROM elsewhere",
        "SELECT nosuch(salary) FROM employees",
        "SELECT COUNT(*) FROM employees e, employees f WHERE region = 'x'",
    ],
)
def test_what_duckdb_refuses_before_it_runs_said_nothing(sql: str, hr: Path) -> None:
    for prefix in ("", "duckdb.ParserException: "):
        report = audit(hr, marked(sql, prefix + said(sql)), POLICY, ranges=0)
        assert [step.status for step in report.steps[1:]] == [
            "failed",
            "answered",
        ] and report.verdict == SAFE


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        ("SELECT TOP 5 emp_id FROM employees", "Incorrect syntax near '5'."),
        ("SELECT TOP 5 emp_id FROM employees", 'near "5": syntax error'),
        (
            "SELECT emp_id FROM employees WHERE",
            "ERROR:  syntax error at end of input\nLINE 1: ..\n  ^",
        ),
        (
            "SELECT TOP 5 emp_id FROM employees",
            'syntax error at or near "5" at character 12',
        ),
        (
            "SELECT TOP 5 emp_id FROM employees",
            (
                "ERROR 1064 (42000): You have an error in your SQL syntax; check the"
                " manual that corresponds to your MySQL server version for the right"
                " syntax to use near '5 emp_id' at line 1"
            ),
        ),
    ],
)
def test_a_text_that_its_engine_could_not_read_said_nothing(
    sql: str, error: str, hr: Path
) -> None:
    report = audit(hr, marked(sql, error), POLICY, ranges=0)
    assert [step.status for step in report.steps[1:]] == [
        "failed",
        "answered",
    ] and report.verdict == SAFE


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        (ALL, "permission denied for table employees"),
        (ALL, "Incorrect syntax near 'SUM'."),  # here it can be read
        (
            "SELECT TOP 5 emp_id FROM employees WHERE 1/(salary-420) = 1",
            "Divide by zero error encountered.",
        ),
        (
            "SELECT TOP 5 emp_id FROM employees",
            "canceling statement due to statement timeout",
        ),
        ("SELECT TOP 5 emp_id FROM employees", "failed"),
        (
            "SELECT emp_id FROM employees WHERE salary::text::regclass = 3",
            'relation "420" does not exist',
        ),
        (
            "SELECT TOP 5 salary::text::jsonpath FROM employees",
            'syntax error at or near "4" of jsonpath input',
        ),
        (
            "SELECT TOP 5 query_to_xml('x' || salary) FROM employees",
            'syntax error at or near "x420"',
        ),
        (
            "SELECT TOP 5 to_tsquery(salary) FROM employees",
            'syntax error in tsquery: "4 2"',
        ),
        (
            "SELECT [salary] FROM t; SELECT TOP 5 x FROM employees",
            "Incorrect syntax near '5'.",
        ),
        ("SELECT nosuch(salary) FROM employees", "Binder Error: something else"),
        ("DELETE FROM employees", "Constraint Error: salary 420"),
        ("COMMIT", "duplicate key value"),
        (
            f"{COUNT} WHERE salary = 420 AND CAST('x' AS INTEGER) = 1",
            "Conversion Error: could not convert 'x'",
        ),
        (
            f"{COUNT} WHERE CAST(region AS INTEGER) = 1",
            "Conversion Error: Parser Error: 'north'",
        ),
        (
            f"/*! {PLAIN} */ SELECT TOP 5 emp_id FROM employees",
            "Incorrect syntax near '5'.",
        ),
        # other quotes hide the end of a statement that was answered
        *(
            (sql, 'near "SELEC": syntax error')
            for sql in (
                "SELECT emp_id, salary AS [it's] FROM employees; SELEC '",
                f"{PLAIN} a$$ ; SELEC b$$",
                f"{PLAIN} AS `it's` ; SELEC '",
                f"{PLAIN} AS [--] ; SELEC",
                f"{PLAIN} AS [/*] ; SELEC */",
                f"{PLAIN} # '\n; SELEC # '",
                f"{PLAIN}\nGO\nSELEC 1",
                f"{PLAIN}\\G\nSELEC 1",
                f"{PLAIN}\n/\nSELEC 1",
            )
        ),
        # what runs until it fails, on a condition about the data
        *(
            (sql, 'ERROR: syntax error at or near "SELEC"')
            for sql in (
                (
                    "DO $$ BEGIN IF EXISTS (SELECT 1 FROM employees WHERE salary=7)"
                    " THEN EXECUTE 'SELEC'; END IF; END $$"
                ),
                (
                    "IF EXISTS (SELECT 1 FROM employees WHERE salary > 5) EXEC"
                    " sp_executesql N'SELEC'"
                ),
                "EXEC check_salaries",
                "check_salaries",
                "CALL check_salaries",
                "PREPARE s FROM @x",
                "WHILE 1=1 EXEC x",
                f"{PLAIN} EXEC foo",
            )
        ),
    ],
)
def test_a_failure_that_may_depend_on_the_data_taints(
    sql: str, error: str, hr: Path
) -> None:
    report = audit(hr, marked(sql, error), POLICY, ranges=0)
    assert report.steps[1].status == "unsupported" and report.verdict == UNSUPPORTED
    assert "420" not in report.steps[1].reason


def test_a_client_cannot_call_its_own_statement_a_failure(hr: Path) -> None:
    """Comments are the client's words: whether a statement failed says an entry of its
    own.
    """
    for note in ("-- error: Incorrect syntax near '5'.", "/* failed */"):
        assert (
            audit(hr, [f"SELECT TOP 5 emp_id FROM employees {note}"], POLICY).verdict
            == UNSUPPORTED
        )


def test_a_log_of_json_lines(hr: Path, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    entries = [
        {"sql": f"{ALL};"},
        {"sql": "SELECT TOP 5 x FROM t", "error": "Incorrect syntax near '5'."},
    ]
    entries += [{"sql": f"{COUNT} WHERE salary > 1;\n{COUNT}", "error": None}]
    path.write_text("\n\n".join(map(json.dumps, entries)) + "\n", encoding="utf-8")
    steps = audit(hr, path, POLICY, ranges=0).steps[1:]
    assert [(s.line, s.status) for s in steps] == [
        (1, "answered"),
        (3, "failed"),
        (5, "answered"),
        (5, "answered"),
    ]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("{\n", "line 1: is no JSON object"),
        ('{"sql": "SELECT 1"}\n[1]\n', "line 2: is no JSON object"),
        ('{"sql": 3}', "line 1: 'sql' is a text"),
        ('{"sql": "SELECT 1", "error": true}', "line 1: 'error' is a text"),
        ('{"statemnt": "SELECT 1"}', "line 1: 'statemnt' is not read"),
        ('{"error": "x"}', "line 1: has no 'sql'"),
        ('{"sql": "SELECT 1", "params": [3]}', "line 1: 'params' is not read"),
        ('{"sql": "SELECT 1", "sql": "SELECT 2"}', "line 1: has 'sql' twice"),
        ('{"sql": ""}', "line 1: 'sql' holds no statement"),
        ("\n", "holds no statement"),
    ],
)
def test_json_lines_that_are_none(
    text: str, what: str, hr: Path, tmp_path: Path
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        audit(hr, path, POLICY)
    assert what in str(error.value)


@pytest.mark.parametrize(
    "text", ["", "\n ;;\n", "-- SELECT emp_id, salary FROM employees\n/* nothing */\n"]
)
def test_a_log_without_a_statement_is_an_error(
    text: str, hr: Path, tmp_path: Path
) -> None:
    path = tmp_path / "log.sql"
    path.write_text(text, encoding="utf-8")
    for log in (path, [text], [{"sql": text}]):
        with pytest.raises(InputError) as error:
            audit(hr, log, POLICY)
        assert "holds no statement" in str(error.value)
    with pytest.raises(InputError):
        audit(hr, [], POLICY)


def test_a_toml_file_is_no_log(hr: Path, tmp_path: Path) -> None:
    for name, text in (
        ("log.sql", 'table = "t"\n[sensitive]\nv = { from = 0, to = 1 }\n'),
        ("audit.toml", "-- x\n"),
    ):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError) as error:
            audit(hr, path, POLICY)
        assert "is a TOML file" in str(error.value) and "--policy" in str(error.value)
