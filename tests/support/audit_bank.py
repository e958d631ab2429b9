"""A bank of five accounts, audited through the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from phverify.cli.main import main
from support.made_once import duckdb_file

pytest.importorskip("sqlglot")
duckdb = pytest.importorskip("duckdb")

ROWS = [
    ("Ann", "north", 320),
    ("Bob", "south", 270),
    ("Jean", "north", 420),
    ("Kim", "south", 150),
]
ROWS += [("Lou", "south", 420)]
POLICY = """
table = "accounts"
key = "name"
public = ["branch"]
[sensitive]
balance = { from = 0, to = 1000 }
[protect]
"""
CELLS = 'cells = { column = "balance" }\n'
ALL, BUT_JEAN = (
    "SELECT SUM(balance) FROM accounts",
    "SELECT SUM(balance) FROM accounts WHERE name <> 'Jean'",
)
COUNT = "SELECT COUNT(*) FROM accounts WHERE balance > 1"


Run = Callable[..., tuple[int, str, str]]


def auditor(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Run:
    """Audit a log against the bank; returns the exit code, standard output and standard
    error.
    """
    monkeypatch.chdir(folder)
    duckdb_file(
        folder / "bank.duckdb",
        "CREATE TABLE accounts (name VARCHAR, branch VARCHAR, balance INTEGER)",
        ("INSERT INTO accounts VALUES (?, ?, ?)", ROWS),
    )

    def audited(
        log: str,
        *more: str,
        policy: str = POLICY + CELLS,
        database: str = "bank.duckdb",
    ) -> Any:
        Path("queries.sql").write_text(log, encoding="utf-8")
        Path("audit.toml").write_text(policy, encoding="utf-8")
        code = main(
            [
                "audit",
                "--database",
                database,
                "--log",
                "queries.sql",
                "--policy",
                "audit.toml",
                *more,
            ]
        )
        return (code, *capsys.readouterr())

    return audited
