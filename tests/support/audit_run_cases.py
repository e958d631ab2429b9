"""What the tests of audit run have in common."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from phverify.disclosure.result import AuditReport, FactFinding
from phverify.verbs.audit import audit
from support.made_once import duckdb_file

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
    return duckdb_file(
        tmp_path / "bank.duckdb",
        "CREATE TABLE accounts (name VARCHAR, branch VARCHAR, balance INTEGER)",
        ("INSERT INTO accounts VALUES (?, ?, ?)", BANK),
    )


def last(report: AuditReport, key: str = "Jean") -> FactFinding:
    return next(f for f in report.steps[-1].findings if f.fact.key == key)


def audited(
    tmp_path: Path, rows: str, log: list[str], domain: dict[str, Any], **protect: Any
) -> AuditReport:
    path = duckdb_file(
        tmp_path / "small.duckdb",
        "CREATE TABLE t (id INTEGER, g VARCHAR, v INTEGER)",
        f"INSERT INTO t VALUES {rows}",
    )
    data = {
        "table": "t",
        "key": "id",
        "public": ["g"],
        "sensitive": {"v": domain},
        "protect": protect or {"c": {"column": "v"}},
    }
    return audit(path, log, data)
