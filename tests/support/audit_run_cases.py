"""What the tests of audit run have in common."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from phverify.disclosure.result import AuditReport, FactFinding
from phverify.verbs.audit import audit

pytest.importorskip("sqlglot")


duckdb = pytest.importorskip("duckdb")


BANK = [
    ("Ann", "N", 320),
    ("Bob", "S", 270),
    ("Jean", "N", 420),
    ("Kim", "S", 150),
    ("Lou", "S", 420),
]


ALL, BUT_JEAN = (
    "SELECT SUM(balance) FROM accounts",
    "SELECT SUM(balance) FROM accounts WHERE name <> 'Jean'",
)


def policy(**protect: Any) -> dict[str, Any]:
    return {
        "table": "accounts",
        "key": "name",
        "public": ["branch"],
        "sensitive": {"balance": {"from": 0, "to": 1000}},
        "protect": protect or {"cells": {"column": "balance"}},
    }


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    path = tmp_path / "bank.duckdb"
    connection = duckdb.connect(str(path))
    connection.execute(
        "CREATE TABLE accounts (name VARCHAR, branch VARCHAR, balance INTEGER)"
    )
    connection.executemany("INSERT INTO accounts VALUES (?, ?, ?)", BANK)
    connection.close()
    return path


def last(report: AuditReport, key: str = "Jean") -> FactFinding:
    return next(f for f in report.steps[-1].findings if f.fact.key == key)


def audited(
    tmp_path: Path, rows: str, log: list[str], domain: dict[str, Any], **protect: Any
) -> AuditReport:
    path = tmp_path / "small.duckdb"
    connection = duckdb.connect(str(path))
    connection.execute("CREATE TABLE t (id INTEGER, g VARCHAR, v INTEGER)")
    connection.execute(f"INSERT INTO t VALUES {rows}")
    connection.close()
    data = {
        "table": "t",
        "key": "id",
        "public": ["g"],
        "sensitive": {"v": domain},
        "protect": protect or {"c": {"column": "v"}},
    }
    return audit(path, log, data)
