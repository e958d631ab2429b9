"""Databases of SQLite: what is audited is what SQLite answered."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.so_many import so_many

from phverify.disclosure.result import SAFE
from phverify.errors import InputError
from phverify.verbs.audit import audit

pytest.importorskip("sqlglot")
from support.audit_dialects_cases import ALL, POLICY, ROWS, database, duckdb, sqlite


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
@so_many(30)
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
@so_many(20)
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


@pytest.mark.parametrize("kind", ["VIRTUAL", "STORED"])
def test_generated_columns_are_read_in_their_place_and_refused(
    kind: str, tmp_path: Path
) -> None:
    """Cells of ``twice`` follow from salaries, which the worlds that are looked at do
    not know.
    """
    path = tmp_path / "staff.db"
    with closing(sqlite3.connect(path)) as file:
        file.execute(
            "CREATE TABLE employees(emp_id TEXT, twice INTEGER GENERATED ALWAYS AS"
            f" (salary * 2) {kind}, salary INTEGER, region TEXT)"
        )
        rows = [("a", 10, "north"), ("b", 20, "north"), ("c", 30, "south")]
        file.executemany(
            "INSERT INTO employees(emp_id, salary, region) VALUES (?, ?, ?)", rows
        )
        file.commit()
    from phverify.disclosure.worlds.opening import open_database

    cells = open_database(path, "employees").content("employees").cells
    assert cells["salary"] == [10, 20, 30] and cells["twice"] == [20, 40, 60]
    with pytest.raises(InputError, match="generated column"):
        audit(path, ["SELECT COUNT(*) FROM employees"], POLICY, ranges=0)


def test_a_quotient_is_not_read_as_duckdbs(tmp_path: Path) -> None:
    """SQLite's quotient of integers is one: 3 / 2 is 1 there, and 1.5 in DuckDB."""
    path = tmp_path / "t.db"
    with closing(sqlite3.connect(path)) as file:
        file.execute("CREATE TABLE t (k TEXT, wage INTEGER)")
        file.executemany("INSERT INTO t VALUES (?, ?)", [("a", 1), ("b", 2)])
        file.commit()
    policy = {
        "table": "t",
        "key": "k",
        "sensitive": {"wage": {"from": 0, "to": 3}},
        "protect": {"wage": {"column": "wage"}},
    }
    sql = "SELECT k FROM t WHERE wage / 2 > 1"
    step = audit(str(path), [sql], policy, ranges=0).steps[1]
    assert step.status == "bounded" and "--dialect sqlite" in step.reason
