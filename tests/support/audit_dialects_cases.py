"""What the tests of audit dialects have in common."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlglot")


duckdb = pytest.importorskip("duckdb")


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
