"""Joins with public tables: how often each row occurs is public, and so is what stands
beside it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.made_once import duckdb_file

from phverify.disclosure.policy_reader import load
from phverify.disclosure.result import AuditReport
from phverify.errors import InputError
from phverify.verbs.audit import audit

pytest.importorskip("sqlglot")
duckdb = pytest.importorskip("duckdb")

ROWS = [("Ann", "N", 3), ("Bob", "S", 5), ("Jean", "S", 7), ("Kim", None, 1)]
TOWNS = [("N", "north", 2), ("S", "south", 6), ("S", "coast", 6)]


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    return duckdb_file(
        tmp_path / "bank.duckdb",
        "CREATE TABLE accounts (name VARCHAR, town VARCHAR, balance INTEGER)",
        ("INSERT INTO accounts VALUES (?, ?, ?)", ROWS),
        "CREATE TABLE towns (town VARCHAR, region VARCHAR, lim INTEGER)",
        ("INSERT INTO towns VALUES (?, ?, ?)", TOWNS),
    )


def policy(external: Any = ("towns",)) -> dict[str, Any]:
    sensitive = {"balance": {"from": 0, "to": 20}}
    cells = {"cells": {"column": "balance"}}
    own = {
        "table": "accounts",
        "key": "name",
        "public": ["town"],
        "sensitive": sensitive,
        "protect": cells,
    }
    return own | {
        "external": list(external) if isinstance(external, tuple) else external
    }


def left(report: AuditReport) -> dict[str, str]:
    return {one.key: one.text() for one in report.steps[-1].remaining}


def answered(bank: Path, *log: str) -> AuditReport:
    report = audit(bank, list(log), policy(), ranges=60)
    assert [(step.status, step.reason) for step in report.steps] == [
        ("answered", "")
    ] * (len(log) + 1)
    return report


def test_a_row_counts_as_often_as_it_occurs(bank: Path) -> None:
    """The two of the south occur twice: 3 + 2 * (5 + 7) = 27."""
    report = answered(
        bank, "SELECT SUM(balance) FROM accounts a JOIN towns t ON a.town = t.town"
    )
    assert report.steps[1].answer == ((27,),)
    report = answered(
        bank,
        "SELECT SUM(balance) FROM accounts a JOIN towns t ON a.town = t.town",
        "SELECT SUM(balance) FROM accounts JOIN towns USING (town) WHERE name <> 'Ann'",
    )
    assert left(report)["Ann"] == "3..3" and left(report)["Kim"] == "0..20"


def test_a_left_join_keeps_the_rows_without_a_partner(bank: Path) -> None:
    whole = "SELECT SUM(balance) FROM accounts LEFT JOIN towns USING (town)"
    inner = "SELECT SUM(balance) FROM accounts JOIN towns USING (town)"
    assert left(answered(bank, whole, inner))["Kim"] == "1..1"


def test_groups_and_conditions_on_external_columns(bank: Path) -> None:
    log = (
        "SELECT region, COUNT(*) FROM accounts a, towns t WHERE a.town = t.town AND"
        " balance > lim GROUP BY region"
    )
    report = answered(bank, log)
    assert sorted(report.steps[1].answer) == [("coast", 1), ("north", 1), ("south", 1)]
    assert left(report)["Ann"] == "3..20"


def test_rows_are_shown_once_for_each_partner(bank: Path) -> None:
    report = answered(
        bank,
        "SELECT name, region FROM accounts a JOIN towns t ON a.town = t.town AND"
        " balance > lim",
    )
    assert left(report) == {
        "Ann": "3..20",
        "Bob": "0..6",
        "Jean": "7..20",
        "Kim": "0..20",
    }


def test_a_join_on_a_sensitive_column(bank: Path) -> None:
    report = answered(bank, "SELECT name FROM accounts JOIN towns ON balance = lim")
    assert report.steps[1].answer == () and "Jean" in left(report)


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("SELECT COUNT(*) FROM towns LEFT JOIN accounts ON TRUE", "left side"),
        (
            "SELECT COUNT(*) FROM accounts a RIGHT JOIN towns t ON a.town = t.town",
            "inner or a left",
        ),
        ("SELECT COUNT(*) FROM accounts NATURAL JOIN towns", "inner or a left"),
        (
            "SELECT COUNT(*) FROM accounts a SEMI JOIN towns t ON a.town = t.town",
            "inner or a left",
        ),
        (
            "SELECT COUNT(*) FROM accounts a LEFT JOIN towns t ON a.balance = t.lim",
            "LEFT JOIN on a sensitive",
        ),
        ("SELECT * FROM accounts JOIN towns USING (town)", "SELECT *"),
        ("SELECT COUNT(*) FROM towns", "only queries about 'accounts'"),
        (
            "SELECT COUNT(*) FROM accounts a JOIN accounts b ON a.name = b.name",
            "already",
        ),
    ],
)
def test_what_is_not_audited(bank: Path, statement: str, reason: str) -> None:
    step = audit(bank, [statement], policy()).steps[1]
    assert step.status in ("unsupported", "bounded", "silent")
    assert step.status == "silent" or reason in step.reason


@pytest.mark.parametrize(
    "tables",
    ["accounts JOIN limits", "limits JOIN accounts", "accounts LEFT JOIN limits"],
)
def test_using_a_sensitive_column_is_not_audited(bank: Path, tables: str) -> None:
    with duckdb.connect(str(bank)) as connection:
        connection.execute("CREATE TABLE limits AS SELECT 5 AS balance")
    step = audit(
        bank, [f"SELECT COUNT(*) FROM {tables} USING (balance)"], policy(("limits",))
    ).steps[1]
    assert (
        step.status in ("unsupported", "bounded")
        and "USING a sensitive column (balance)" in step.reason
    )


def test_a_name_of_two_tables_is_refused_as_the_database_does(bank: Path) -> None:
    step = audit(
        bank, ["SELECT COUNT(*) FROM accounts a, towns t WHERE town = 'N'"], policy()
    ).steps[1]
    assert step.status == "unsupported" and "may be a column of" in step.reason


def test_a_join_of_an_undeclared_table_is_not_audited(bank: Path) -> None:
    step = audit(
        bank, ["SELECT COUNT(*) FROM accounts JOIN towns USING (town)"], policy(())
    ).steps[1]
    assert step.status == "unsupported" and "'accounts'" in step.reason


def test_external_tables_in_files(bank: Path, tmp_path: Path) -> None:
    (tmp_path / "areas.csv").write_text("area,town\nA,N\nA,S\n")
    log = [
        "SELECT area, SUM(balance) FROM accounts JOIN areas USING (town) GROUP BY area"
    ]
    text = (
        "table = 'accounts'\nkey = 'name'\npublic = ['town']\n[external]\nareas = {"
        " file = 'areas.csv' }\n"
    )
    text += (
        "[sensitive]\nbalance = { from = 0, to = 20 }\n[protect]\ncells = { column ="
        " 'balance' }\n"
    )
    (tmp_path / "audit.toml").write_text(text)
    before = bank.read_bytes()
    report = audit(bank, log, tmp_path / "audit.toml")
    assert (
        report.steps[1].answer == (("A", 15),)
        and report.verdict == "safe"
        and bank.read_bytes() == before
    )


def test_a_collation_is_refused(bank: Path) -> None:
    with duckdb.connect(str(bank)) as connection:
        connection.execute(
            "ALTER TABLE accounts ADD COLUMN note VARCHAR COLLATE NOCASE"
        )
    with pytest.raises(InputError, match="COLLATE"):
        audit(bank, [], policy())


@pytest.mark.parametrize(
    ("external", "complaint"),
    [
        (("town",), "did you mean 'towns'"),
        (("accounts",), "is the audited table"),
        ({"towns": {"file": "x.csv"}}, "a table of this name already"),
        ({"areas": {"file": "nowhere.csv"}}, "no such file"),
        ({"areas": {"file": "areas.db"}}, "no CSV or Parquet"),
        ({"areas": 3}, "is {} or { file = .. }"),
        ("towns", "a list of tables or a section"),
    ],
)
def test_bad_entries_are_explained(bank: Path, external: Any, complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        audit(bank, [], load(policy(external)))
    assert complaint in str(caught.value)
