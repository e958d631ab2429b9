"""Sensitive columns in two tables: an audit of each with the other one external is sound,
by enumeration of all worlds of both; and two tables with one key are views of one table.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from phverify.disclosure.result import AuditReport
from phverify.errors import InputError
from phverify.verbs.audit import audit

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("sqlglot")

BITS = {"values": [0, 1]}
PATIENTS: dict[str, Any] = {
    "table": "patients",
    "key": "id",
    "external": ["visits"],
    "sensitive": {"income": BITS},
    "protect": {"income": {"column": "income"}},
}
VISITS: dict[str, Any] = {
    "table": "visits",
    "key": "visit",
    "public": ["patient"],
    "external": ["patients"],
    "sensitive": {"ill": BITS},
    "protect": {"ill": {"column": "ill"}},
}
WHOSE = ("p", "p", "q")
TRUE = (1, 0, 1, 0, 0)
"""Incomes of p and q, and what the three visits were for."""
LOGS = [
    ["SELECT SUM(income) FROM patients JOIN visits ON patient = id WHERE ill = 1"],
    ["SELECT SUM(income) FROM patients", "SELECT SUM(ill) FROM visits"],
    ["SELECT ill, SUM(income) FROM visits JOIN patients ON patient = id GROUP BY ill"],
    ["SELECT COUNT(*) FROM visits JOIN patients ON patient = id WHERE ill <> income"],
    ["SELECT id, (SELECT MAX(ill) FROM visits WHERE patient = id) FROM patients"],
]


def fill(connection: Any, world: tuple[int, ...]) -> None:
    incomes, ills = world[:2], world[2:]
    rows = list(zip("pq", incomes, strict=True))
    events = list(zip((1, 2, 3), WHOSE, ills, strict=True))
    for name, cells, columns in (
        ("patients", rows, "id, income"),
        ("visits", events, "visit, patient, ill"),
    ):
        values = ", ".join(map(str, cells))
        connection.execute(
            f"CREATE OR REPLACE TABLE {name} AS FROM (VALUES {values}) AS v({columns})"
        )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    target = tmp_path / "clinic.duckdb"
    with duckdb.connect(str(target)) as connection:
        fill(connection, TRUE)
    return target


def possible(log: list[str]) -> list[tuple[int, ...]]:
    """The worlds with the answers of the true one."""
    answers: dict[tuple[int, ...], str] = {}
    with duckdb.connect() as connection:
        for world in itertools.product([0, 1], repeat=len(TRUE)):
            fill(connection, world)
            said = [sorted(connection.execute(one).fetchall()) for one in log]
            answers[world] = repr(said)
    return [world for world, said in answers.items() if said == answers[TRUE]]


def safe(report: AuditReport) -> list[bool]:
    return [one.verdict == "safe" for one in report.steps[-1].findings]


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log[0][:30])
def test_what_is_safe_for_each_table_is_safe(path: Path, log: list[str]) -> None:
    found = [safe(audit(path, log, policy)) for policy in (PATIENTS, VISITS)]
    left = possible(log)
    for place, said in enumerate([*found[0], *found[1]]):
        open_ = len({world[place] for world in left}) > 1
        assert open_ or not said, place


def test_something_is_safe(path: Path) -> None:
    assert True in safe(audit(path, LOGS[3], VISITS))


@pytest.mark.parametrize("name", ["income", "patients.income"])
def test_a_sensitive_column_of_another_table_says_what_to_do(
    path: Path, name: str
) -> None:
    policy = {**VISITS, "sensitive": {"ill": BITS, name: BITS}}
    with pytest.raises(InputError, match="each table by itself, the other one in"):
        audit(path, [], policy)


def test_two_tables_with_one_key_are_views_of_one(tmp_path: Path) -> None:
    target = tmp_path / "people.duckdb"
    with duckdb.connect(str(target)) as connection:
        fill(connection, TRUE)
        connection.execute(
            "CREATE TABLE classes AS SELECT id, 1 AS class FROM patients"
        )
        connection.execute(
            "CREATE TABLE people AS SELECT * FROM patients JOIN classes USING (id)"
        )
        connection.execute("DROP TABLE patients; DROP TABLE classes")
    policy = {
        "table": "people",
        "key": "id",
        "sensitive": {"income": BITS, "class": BITS},
        "views": {
            "patients": "SELECT id, income FROM people",
            "classes": "SELECT id, class FROM people",
        },
        "protect": {"income": {"column": "income"}, "class": {"column": "class"}},
    }
    log = ["SELECT SUM(income) FROM patients", "SELECT SUM(class) FROM classes"]
    report = audit(target, log, policy)
    assert [step.status for step in report.steps[1:]] == ["answered", "answered"]
    assert safe(report) == [True, True, False, False]
