"""Logs that other engines, templates or clients wrote: what is not understood is never
harmless.

Each statement stands alone in a log.  In its own engine it may have answered with
everything, or it hides a part of itself; whatever it is, the audit must not end in
SAFE.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.evidence_oracle import cases

from phverify.cli.main import main
from phverify.disclosure.result import SAFE, UNSUPPORTED
from phverify.errors import InputError
from phverify.verbs.audit import audit

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("sqlglot")

ROWS = [
    (1, "north", 320),
    (2, "south", 270),
    (3, "north", 420),
    (4, "south", 150),
    (5, "South", 420),
]
POLICY: dict[str, Any] = {
    "table": "employees",
    "key": "emp_id",
    "public": ["region"],
    "sensitive": {"salary": {"from": 0, "to": 1000}},
    "protect": {"cells": {"column": "salary"}},
}
ALL = "SELECT SUM(salary) FROM employees"
PLAIN = "SELECT emp_id, salary FROM employees"
COUNT = "SELECT COUNT(*) FROM employees"

DIALECTS = [
    # SQL Server
    "SELECT TOP 5 emp_id, salary FROM employees",
    "SELECT TOP (5) PERCENT emp_id, salary FROM employees",
    "SELECT [emp_id], [salary] FROM [employees]",
    f"{PLAIN} WITH (NOLOCK)",
    f"{PLAIN} (NOLOCK)",
    f"{PLAIN} OPTION (MAXDOP 1)",
    f"{PLAIN} FOR JSON AUTO",
    f"{PLAIN} FOR XML PATH",
    "SELECT emp_id, salary FROM hr.dbo.employees",
    "SELECT emp_id, salary FROM hr..employees",
    "SELECT emp_id, salary INTO #copy FROM employees",
    "SELECT emp_id, CONVERT(int, salary) FROM employees",
    f"EXEC sp_executesql N'{PLAIN}'",
    f"{COUNT}\nGO\n{PLAIN}\nGO",
    "DECLARE @n int = 5",
    f"IF 1 = 1 {PLAIN}",
    "PRINT 'hello'",
    # MySQL
    "SELECT `emp_id`, `salary` FROM `employees`",
    f"{PLAIN} LIMIT 0, 1000",
    f"{PLAIN} LOCK IN SHARE MODE",
    f"{PLAIN} INTO OUTFILE '/tmp/x'",
    f"{PLAIN} PROCEDURE ANALYSE()",
    "SELECT STRAIGHT_JOIN emp_id, salary FROM employees",
    "SELECT SQL_NO_CACHE emp_id, salary FROM employees",
    "SELECT emp_id, GROUP_CONCAT(salary SEPARATOR ',') FROM employees GROUP BY emp_id",
    f"{PLAIN} USE INDEX (a)",
    f"{PLAIN} # everything",
    "SHOW TABLES",
    "HANDLER employees READ FIRST",
    "CALL everything()",
    "DELIMITER //",
    "TABLE employees",
    # PostgreSQL
    f"{PLAIN} FOR UPDATE",
    f"{PLAIN} FOR SHARE SKIP LOCKED",
    f"{PLAIN} FETCH FIRST 5 ROWS ONLY",
    "SELECT DISTINCT ON (region) emp_id, salary FROM employees",
    "SELECT emp_id, salary::text FROM ONLY employees",
    "SELECT * FROM pg_catalog.pg_stats",
    "SELECT * FROM pg_stats WHERE tablename = 'employees'",
    "SELECT query_to_xml('SELECT * FROM employees', true, true, '')",
    "SELECT row_to_json(e) FROM employees e",
    "SELECT * FROM information_schema.columns",
    "SELECT xmlagg(x) FROM employees",
    "\\copy employees TO 'x.csv'",
    "DECLARE c CURSOR FOR SELECT * FROM employees",
    "FETCH ALL FROM c",
    "DO $$ BEGIN PERFORM 1; END $$",
    "LISTEN salaries",
    "VALUES (1)",
    "SELECT 1",
    # BigQuery, Snowflake, Oracle, Hive
    "SELECT emp_id, salary FROM `project.data.employees`",
    "SELECT * EXCEPT (region) FROM employees",
    "SELECT AS STRUCT emp_id, salary FROM employees",
    (
        "SELECT emp_id, salary FROM employees QUALIFY ROW_NUMBER() OVER (ORDER BY"
        " salary) = 1"
    ),
    "SELECT emp_id, salary FROM employees TABLESAMPLE SYSTEM (10 PERCENT)",
    "SELECT emp_id, salary FROM employees FOR SYSTEM_TIME AS OF CURRENT_TIMESTAMP",
    "SELECT $1, $2 FROM @stage/employees.csv",
    "SELECT emp_id, salary FROM employees WHERE ROWNUM <= 10",
    (
        "SELECT emp_id, salary FROM employees START WITH emp_id = 1 CONNECT BY PRIOR"
        " emp_id = 2"
    ),
    "SELECT emp_id, salary FROM employees e, LATERAL FLATTEN(input => e.region)",
    "SELECT emp_id, salary FROM employees LATERAL VIEW explode(region) t AS x",
    "SELECT emp_id, salary FROM employees MINUS SELECT 1, 2 FROM dual",
    "SELECT emp_id, DECODE(salary, 1, 2) FROM employees",
    # templates and bind parameters
    "SELECT emp_id, salary FROM {{ ref('employees') }}",
    (
        "SELECT emp_id, salary FROM {{ source('hr', 'employees') }} {% if full %} WHERE"
        " 1 = 1 {% endif %}"
    ),
    f"{COUNT} {{# , salary #}}",
    f"{COUNT} WHERE region = '{{{{ var(\"region\") }}}}'",
    f"{COUNT} WHERE region = '${{region}}' AND salary > 3",
    f"{COUNT} WHERE region = '#{{region}}' AND salary > 3",
    f"{COUNT} WHERE region = '%(region)s' AND salary > 3",
    f"{COUNT} WHERE region = '%s' AND salary > 3",
    f"{COUNT} WHERE region = '{{region}}' AND salary > 3",
    f"{COUNT} WHERE region = ':region' AND salary > 3",
    f"{COUNT} WHERE region = '?' AND salary > 3",
    *(
        f"{PLAIN} WHERE region = {sign}"
        for sign in (":region", "@region", "%(region)s", "%s", "?", "$1", ":1")
    ),
    *(
        f"{COUNT} WHERE salary > {sign}"
        for sign in (":least", "@least", "?", "$1", "$least", "${least}", "#{least}")
    ),
    f"{COUNT} HAVING COUNT(*) > ?",
    f"{PLAIN} LIMIT ?",
    f"{PLAIN} WHERE region = &region",
    # what a comment or a quote hides from one engine and not from another
    f"/*! {PLAIN} */",
    f"/*!50000 {PLAIN} */",
    f"/*M!100100 {PLAIN} */",
    f"/*! {PLAIN}; */ {COUNT}",
    "SELECT COUNT(*) /*! , SUM(salary) */ FROM employees",
    "SELECT /*+ SET_VAR(sql_mode='ANSI') */ COUNT(*) FROM employees",
    f"/* /* */ {PLAIN}; -- */",
    f"{COUNT} /* /* */ , employees */",
    f"{COUNT} WHERE salary > 5--1",
    f"{COUNT} WHERE region = 'a\\'' OR salary > 3 OR region = 'b'",
    f"{COUNT}\0 WHERE salary > 300",
    # several statements in a line, unfinished ones, and texts that are none
    f"{COUNT}; {PLAIN} WHERE",
    f"{COUNT} {PLAIN}",
    f"{COUNT};; ; SELECT TOP 5 * FROM employees;;",
    "SELECT emp_id, salary FROM employees WHERE",
    "SELECT emp_id, salary FROM",
    "SELECT emp_id, salary,",
    "SELECT",
    "SELECT emp_id, salary FROM employees WHERE region = 'north",
    "SELECT (emp_id, salary FROM employees",
    "emp_id,salary\n1,320",
    "2026-01-01 10:00:00 LOG: statement: SELECT emp_id, salary FROM employees",
    "it's",
    "-",
    # what is not here, and may have been there
    "SELECT emp_id, salary FROM analytics.employees",
    "SELECT emp_id, salary FROM main.employees",
    'SELECT emp_id, salary FROM "analytics"."employees"',
    "SELECT emp_id, salary FROM staff",
    "SELECT emp_id, wage FROM employees",
    "SELECT SUM(wage) FROM employees",
    "SELECT emp_id, decrypt(salary) FROM employees",
    "SELECT emp_id, salary FROM read_parquet('employees.parquet')",
    "SELECT SUM(salary, region) FROM employees",
    "SELECT COUNT(*) FROM employees e, employees f WHERE region = 'north'",
]


def database(folder: Path) -> Path:
    path = folder / "hr.duckdb"
    if not path.exists():
        with duckdb.connect(str(path)) as connection:
            connection.execute(
                "CREATE TABLE employees (emp_id INTEGER, region VARCHAR, salary"
                " INTEGER)"
            )
            connection.executemany("INSERT INTO employees VALUES (?, ?, ?)", ROWS)
    return path


@pytest.fixture(scope="module")
def hr(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return database(tmp_path_factory.mktemp("hr"))


def sqlite(
    folder: Path,
    table: str = "CREATE TABLE employees (emp_id INTEGER, region TEXT, salary INTEGER)",
) -> Path:
    path = folder / "hr.sqlite"
    file = sqlite3.connect(path)
    file.execute(table)
    file.executemany("INSERT INTO employees VALUES (?, ?, ?)", ROWS)
    file.commit()
    file.close()
    return path


@pytest.mark.parametrize("statement", DIALECTS)
def test_what_is_not_understood_is_never_safe(hr: Path, statement: str) -> None:
    report = audit(hr, [statement], POLICY, ranges=0)
    assert report.verdict != SAFE
    assert SAFE not in {finding.verdict for finding in report.steps[-1].findings}


@pytest.mark.parametrize("statement", DIALECTS)
def test_nor_is_it_in_a_file(hr: Path, statement: str, tmp_path: Path) -> None:
    """As a file is split, with a harmless statement after it."""
    log = tmp_path / "log.sql"
    log.write_text(f"{statement};\n{ALL};\n", encoding="utf-8", newline="")
    assert audit(hr, log, POLICY, ranges=0).verdict != SAFE


@pytest.mark.parametrize("kind", ["csv", "parquet", "sqlite"])
def test_nor_is_it_with_a_database_of_another_kind(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"hr.{kind}"
    if kind == "sqlite":
        path = sqlite(tmp_path)
    else:
        with duckdb.connect(str(database(tmp_path)), read_only=True) as connection:
            connection.execute(f"COPY employees TO '{path}'")
    for statement in DIALECTS[::5]:
        assert audit(path, [statement], POLICY, ranges=0).verdict != SAFE, statement


def test_from_the_command_line(
    hr: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "audit.toml").write_text(
        'table = "employees"\nkey = "emp_id"\npublic = ["region"]\n[sensitive]\nsalary'
        ' = { from = 0, to = 1000 }\n[protect]\ncells = { column = "salary" }\n'
    )
    (tmp_path / "log.sql").write_text("SELECT TOP 5 emp_id, salary FROM employees;\n")
    given = ["--database", str(hr), "--policy", str(tmp_path / "audit.toml")]
    assert main(["audit", *given, "--log", str(tmp_path / "log.sql")]) == 3
    out = capsys.readouterr().out
    assert "UNSUPPORTED: 5 facts after the last query" in out and "SAFE" not in out
    assert main(["audit", *given, "--log", str(tmp_path / "audit.toml")]) == 2
    assert "is a TOML file" in capsys.readouterr().err


@pytest.mark.parametrize(
    "hole",
    ["$(region)", "#region#", "&region.", "{$region}", "x{0}y", "prefix_$r", "no-%s-x", "%region%", "?1", "<region>",
     "[[region]]", "~region~", "!region!", "***", "[REDACTED]", "<redacted>", "XXX"],
)  # fmt: skip
def test_a_text_that_was_filled_in_or_blotted_out_taints(hole: str, hr: Path) -> None:
    sql = f"{PLAIN} WHERE region = '{hole}'"
    report = audit(hr, [sql, ALL], POLICY, ranges=0)
    assert report.steps[1].status == "unsupported" and report.verdict != SAFE
    assert "may be" in report.steps[1].reason or "template" in report.steps[1].reason


def test_a_pattern_is_no_template(hr: Path) -> None:
    report = audit(hr, [f"{COUNT} WHERE region LIKE '%north%'"], POLICY, ranges=0)
    assert report.steps[1].status == "answered"


@pytest.mark.parametrize("odd", ["\0", "\v", "\f", "\x85", "\u2028"])
def test_a_comment_that_may_end_taints(odd: str, hr: Path) -> None:
    assert audit(hr, [f"{COUNT}; --{odd}{PLAIN};"], POLICY, ranges=0).verdict != SAFE


# a log says that a statement failed


def marked(sql: str, error: str) -> list[dict[str, str]]:
    return [{"sql": sql, "error": error}, {"sql": ALL}]


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
        ('{"query": "SELECT 1"}', "line 1: 'query' is not read"),
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


# SQLite answered what stands in the log of its file


def test_like_is_as_sqlite_reads_it(tmp_path: Path) -> None:
    """'south' is like 'SOUTH' there, so that the sum is over three people and not over
    none.
    """
    path = sqlite(tmp_path)
    like = "SELECT SUM(salary) FROM employees WHERE region LIKE {}"
    for pattern in ("'SOUTH'", "'south'", "'s%'"):
        step = audit(path, [like.format(pattern)], POLICY, ranges=0).steps[1]
        assert step.status == "unsupported" and "SQLite" in step.reason
    step = audit(path, [like.format("'%o%th'")], POLICY, ranges=0).steps[1]
    assert step.status == "answered" and step.answer == ((1580,),)


@pytest.mark.parametrize(
    "where",
    [
        "upper(region) = 'NORTH' AND salary > 1 AND region ILIKE 'n%'",
        "emp_id = '1.0'",
        "emp_id < '10'",
        "lower(region) || 'x' = 'northx'",
    ],
)
def test_sqlite_answers_by_itself_or_it_taints(where: str, tmp_path: Path) -> None:
    path, sql = sqlite(tmp_path), f"SELECT COUNT(*) FROM employees WHERE {where}"
    step = audit(path, [sql], POLICY, ranges=0).steps[1]
    if step.status == "answered":
        with sqlite3.connect(path) as file:
            assert tuple(file.execute(sql).fetchall()) == step.answer


@pytest.mark.parametrize(
    "column", ["region TEXT COLLATE NOCASE", "region TEXT collate rtrim"]
)
def test_a_collation_of_sqlite_is_no_comparison_by_bytes(
    column: str, tmp_path: Path
) -> None:
    path = sqlite(
        tmp_path, f"CREATE TABLE employees (emp_id INTEGER, {column}, salary INTEGER)"
    )
    with pytest.raises(InputError) as error:
        audit(path, [ALL], POLICY)
    assert "COLLATE" in str(error.value)


# random logs

NOISE = [
    "TOP 5",
    "[x]",
    "`x`",
    ":p",
    "@p",
    "?",
    "%s",
    "%(p)s",
    "{{ p }}",
    "'{{ p }}'",
    "'?'",
    "/*! , salary */",
]
NOISE += [
    "/*+ X */",
    "/* /* */",
    "WITH (NOLOCK)",
    "FOR UPDATE",
    "LIMIT 0, 9",
    "hr.",
    "(",
    ")",
    "'",
    '"',
    ";",
    "--1",
    "# x",
]
NOISE += [
    "$p",
    "${p}",
    "\\",
    "\0",
    "GO",
    "OPTION",
    "/* x */",
    "-- x\n",
    "",
    "FROM",
    "WHERE",
    ",",
    "nothing",
    "/*",
    "*/",
]
WORDS = [
    [
        "SELECT",
        "COUNT(*)",
        "FROM",
        "employees",
        "WHERE",
        "region",
        "=",
        "'north'",
        "AND",
        "salary",
        ">",
        "300",
    ],
    [
        "SELECT",
        "region",
        ",",
        "SUM(salary)",
        "FROM",
        "employees",
        "GROUP",
        "BY",
        "region",
    ],
    [
        "SELECT",
        "emp_id",
        ",",
        "region",
        "FROM",
        "employees",
        "WHERE",
        "salary",
        ">=",
        "0",
    ],
]


@given(
    words=st.sampled_from(WORDS),
    noise=st.lists(st.tuples(st.integers(0, 12), st.sampled_from(NOISE)), max_size=3),
)
@cases(60)
def test_safe_is_only_what_duckdb_answered(
    words: list[str],
    noise: list[tuple[int, str]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """A log of one text, whatever stands in it: safe means that DuckDB answered each
    statement, and that nothing of the text is left out.
    """
    path = database(tmp_path_factory.getbasetemp())
    text = list(words)
    for place, token in noise:
        text.insert(min(place, len(text)), token)
    try:
        report = audit(path, [" ".join(text)], POLICY, ranges=0)
    except InputError:
        return
    if report.verdict != SAFE:
        return
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE employees (emp_id INTEGER, region VARCHAR, salary INTEGER)"
    )
    connection.executemany("INSERT INTO employees VALUES (?, ?, ?)", ROWS)
    answers = [connection.execute(step.sql).fetchall() for step in report.steps[1:]]
    assert [sorted(found) for found in answers] == [
        sorted(step.answer) for step in report.steps[1:]
    ]
    assert {step.status for step in report.steps} == {"answered"}
    harmless = {"", ";", "/* x */", "-- x\n", "# x", "nothing", "GO", "OPTION"}
    assert {token for _, token in noise} <= harmless | {
        "FROM",
        "WHERE",
        ",",
        "(",
        ")",
        "'",
        '"',
    }


LIKES = [
    "region LIKE 'n%'",
    "region LIKE 'N%'",
    "region = 'South'",
    "region NOT LIKE '%O%'",
    "upper(region) = 'É'",
]
LIKES += [
    "lower(region) LIKE 'é'",
    "emp_id = '2'",
    "emp_id < '10'",
    "region < 'a'",
    "length(region) > 4",
    "region = 1",
]
LIKES += [
    "region IS NULL",
    "emp_id % 2 = 1",
    "trim(region) = 'x'",
    "region IN ('x', 'X')",
    "NOT region = NULL",
]


@given(
    regions=st.lists(
        st.sampled_from(["north", "North", "x", " x", "é", "É", "1", "01", "", None]),
        min_size=1,
        max_size=5,
    ),
    where=st.lists(st.sampled_from(LIKES), min_size=1, max_size=2),
)
@cases(40)
def test_what_is_audited_of_sqlite_is_what_sqlite_answered(
    regions: list[str | None],
    where: list[str],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path_factory.mktemp("drawn") / "hr.sqlite"
    sql = f"SELECT COUNT(*), SUM(salary) FROM employees WHERE {' OR '.join(where)}"
    with closing(sqlite3.connect(path)) as file:
        file.execute(
            "CREATE TABLE employees (emp_id INTEGER, region TEXT, salary INTEGER)"
        )
        file.executemany(
            "INSERT INTO employees VALUES (?, ?, 7)", list(enumerate(regions))
        )
        file.commit()
        answer = tuple(file.execute(sql).fetchall())
    step = audit(path, [sql], POLICY, ranges=0).steps[1]
    assert step.status == "unsupported" or step.answer == answer
