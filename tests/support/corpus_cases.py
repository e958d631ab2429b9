"""A corpus of statements as tools and people write them, and what happens to each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb

from phverify.disclosure.log.sources import Unsupported
from phverify.disclosure.understanding import Understanding
from phverify.disclosure.understood import ANSWERED

CORPUS = Path(__file__).parents[1] / "corpus" / "audit.jsonl"
COLUMNS = {
    "id": "INTEGER",
    "name": "VARCHAR",
    "region": "VARCHAR",
    "dept": "VARCHAR",
    "hired": "DATE",
    "active": "BOOLEAN",
    "age": "INTEGER",
    "salary": "INTEGER",
    "bonus": "INTEGER",
    "illness": "VARCHAR",
}
ROWS = [
    (1, "Ann", "N", "it", "2020-01-03", True, 31, 10, 0, "flu"),
    (2, "Bob", "N", "it", "2020-02-07", True, 44, 20, 5, "none"),
    (3, "Jean", "S", "law", "2021-05-01", False, 29, 30, 0, "none"),
    (4, "Kim", "S", "law", "2021-06-09", True, 52, 20, 5, "flu"),
    (5, "Lou", "N", "law", "2022-11-30", True, 38, 30, 5, "none"),
    (6, "Max", "S", "it", "2022-12-24", False, 61, 10, 0, "none"),
]
OTHERS = [(10, 5, "none"), (30, 0, "flu"), (20, 0, "none")]
"""Sensitive cells of other worlds, taken in turn."""
POLICY: dict[str, Any] = {
    "table": "employees",
    "key": "id",
    "public": ["name", "region", "dept", "hired", "active", "age"],
    "external": ["departments"],
    "sensitive": {
        "salary": {"from": 0, "to": 50},
        "bonus": {"from": 0, "to": 10},
        "illness": {"values": ["flu", "none"]},
    },
    "protect": {"pay": {"column": "salary"}, "ill": {"column": "illness"}},
}
RANKS = {"refused": 0, "bounded": 1, "exact": 2, "public": 2}


def corpus() -> list[dict[str, str]]:
    """The entries: dialect, tool, sql, fate, and a part of what is said."""
    lines = CORPUS.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def fill(connection: Any, turn: int | None = None) -> None:
    """Make the tables of the corpus, in the truth or in another world."""
    declared = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    connection.execute(f"CREATE OR REPLACE TABLE employees ({declared})")
    for place, row in enumerate(ROWS):
        cells = row[7:] if turn is None else OTHERS[(place + turn) % len(OTHERS)]
        marks = ", ".join("?" for _ in row)
        connection.execute(
            f"INSERT INTO employees VALUES ({marks})", [*row[:7], *cells]
        )
    connection.execute(
        "CREATE OR REPLACE TABLE departments AS SELECT * FROM (VALUES ('it', 'tech'),"
        " ('law', 'staff')) AS v(dept, area)"
    )


def fate(understanding: Understanding, entry: dict[str, str]) -> tuple[str, str]:
    """What happens to a statement of the understanding's dialect, and what is said of
    it.
    """
    try:
        found = understanding.of(entry["sql"], 1)
    except Unsupported as error:
        kind = "public" if error.status == "silent" else "refused"
        return kind, str(error)
    return ("exact" if found.status == ANSWERED else "bounded"), found.says


def answers_alike(text: str) -> bool:
    """Whether a statement of DuckDB's dialect answers alike in some worlds."""
    with duckdb.connect(":memory:", config={"threads": "1"}) as connection:
        found = []
        # now() is the time when a transaction began
        connection.begin()
        for turn in (None, 0, 1, 2):
            fill(connection, turn)
            found.append(sorted(map(str, connection.execute(text).fetchall())))
    return all(answer == found[0] for answer in found)
