"""Logs that other engines, templates or clients wrote: what is not understood is never
harmless.

Each statement stands alone in a log.  In its own engine it may have answered with
everything, or it hides a part of itself; whatever it is, the audit must not end in
SAFE.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.audit_dialects_cases import hr  # noqa: F401
from support.so_many import sampled

from phverify.cli.main import main
from phverify.disclosure.result import SAFE
from phverify.verbs.audit import audit

pytest.importorskip("sqlglot")
from support.audit_dialects_cases import (
    ALL,
    COUNT,
    PLAIN,
    POLICY,
    database,
    duckdb,
    sqlite,
)

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
    "SELECT xmlagg(x) FROM employees",
    "\\copy employees TO 'x.csv'",
    "DECLARE c CURSOR FOR SELECT * FROM employees",
    "FETCH ALL FROM c",
    "DO $$ BEGIN PERFORM 1; END $$",
    "LISTEN salaries",
    # BigQuery, Snowflake, Oracle, Hive
    "SELECT emp_id, salary FROM `project.data.employees`",
    "SELECT * EXCEPT (region) FROM employees",
    "SELECT COUNT(* EXCLUDE (region)) FROM employees",
    "SELECT COUNT(* REPLACE (NULL AS salary)) FROM employees",
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
        for sign in (":least", "@least", "%s", "${least}", "#{least}")
    ),
    f"{COUNT} HAVING COUNT(*) > :least",
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
    "SELECT salary",
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


@pytest.mark.parametrize("statement", sampled(DIALECTS, 2))
def test_what_is_not_understood_is_never_safe(hr: Path, statement: str) -> None:
    report = audit(hr, [statement], POLICY, ranges=0)
    assert report.verdict != SAFE
    assert SAFE not in {finding.verdict for finding in report.steps[-1].findings}


@pytest.mark.parametrize("statement", sampled(DIALECTS, 5, start=1))
def test_nor_is_it_in_a_file(hr: Path, statement: str, tmp_path: Path) -> None:
    """As a file is split, with a harmless statement after it; all of them in ``make
    fuzz``.
    """
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
    for statement in sampled(DIALECTS, 13):
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
