"""Keys of several columns: each verdict is that of all worlds."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.audit_kinds import AllWorlds
from support.so_many import so_many

import phverify as ph
from phverify.errors import InputError

VALUES = [0, 1, None]
TOWNS = [("A", "north"), ("B", "south"), ("B", "coast")]
STATEMENTS = [
    "SELECT SUM(s), COUNT(s) FROM t",
    "SELECT h, SUM(s) FROM t GROUP BY h",
    "SELECT n, COUNT(s) FROM t GROUP BY n",
    "SELECT h, n, s FROM t WHERE s >= {0}",
    "SELECT n, s, h FROM t WHERE g = 'x'",
    "SELECT COUNT(DISTINCT h) FROM t WHERE s = {0}",
    "SELECT COUNT(DISTINCT h) FILTER (WHERE s IS NULL), MAX(n) FROM t",
    "SELECT MAX(n) FROM t WHERE s = {0}",
    "SELECT COUNT(n), COUNT(h) FROM t WHERE s < 1 OR h = 'B'",
    "SELECT h, n FROM t WHERE s = {0} AND n = 1",
    "SELECT r, SUM(s) FROM t JOIN towns ON h = town GROUP BY r",
    "SELECT h, n, r, s FROM t JOIN towns ON h = town WHERE s = {0}",
    "SELECT COUNT(*) FROM t LEFT JOIN towns ON h = town AND n = 2 WHERE s = {0}",
    "SELECT h, s FROM t",
    "SELECT s FROM t WHERE n = 1",
    "SELECT s, COUNT(*) FROM t GROUP BY 1",
    "SELECT DISTINCT h, s FROM t",
    "WITH v AS (SELECT * FROM t) SELECT h, SUM(s) FROM v GROUP BY 1",
    "SELECT n, h, s + 1 AS more FROM t",
    "SELECT h, CASE WHEN s = {0} THEN 1 ELSE 0 END AS low FROM t",
    "SELECT h, n, SUM(s) OVER (PARTITION BY h) AS sums FROM t",
    "SELECT COUNT(*) FROM t WHERE h IN (SELECT town FROM towns WHERE r = 'north') AND s = {0}",
    "SELECT h, n, s FROM t WHERE n < 2 ORDER BY g",
    "SELECT n FROM t WHERE s = {0} ORDER BY n",
]


@dataclass(frozen=True)
class KeyCase:
    """A table t with the key h and n, a public g, and a sensitive s."""

    rows: tuple[tuple[Any, ...], ...]
    log: tuple[str, ...]
    columns: tuple[str, ...] = ("h", "n", "g", "s")
    types: tuple[str, ...] = ("VARCHAR", "INTEGER", "VARCHAR", "INTEGER")

    @classmethod
    def random(cls, seed: int) -> KeyCase:
        r = random.Random(seed)
        keys = r.sample([("A", 1), ("A", 2), ("B", 1), ("B", 2)], 3)
        rows = [(*key, r.choice("xy"), r.choice(VALUES)) for key in keys]
        log = [text.format(r.choice([0, 1])) for text in r.sample(STATEMENTS, 4)]
        # Rows are audited in the order of their keys.
        return cls(tuple(sorted(rows, key=lambda row: row[:2])), tuple(log))

    def worlds(self) -> list[tuple[tuple[Any, ...], ...]]:
        found = []
        for cells in itertools.product(VALUES, repeat=len(self.rows)):
            pairs = zip(self.rows, cells, strict=True)
            found.append(tuple([(*row[:3], cell) for row, cell in pairs]))
        return found


POLICY = {
    "table": "t",
    "key": ["h", "n"],
    "public": ["g"],
    "external": ["towns"],
    "sensitive": {"s": {"from": 0, "to": 1, "null": True}},
    "protect": {"cells": {"column": "s"}},
}


def database(path: Any, rows: Any) -> Any:
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE t (h VARCHAR, n INTEGER, g VARCHAR, s INTEGER)"
        )
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", list(rows))
        connection.execute("CREATE TABLE towns (town VARCHAR, r VARCHAR)")
        connection.executemany("INSERT INTO towns VALUES (?, ?)", TOWNS)
    return path


@so_many(20)
@given(st.integers(0, 10**9))
def test_every_verdict_is_that_of_all_worlds(tmp_path_factory: Any, seed: int) -> None:
    case = KeyCase.random(seed)
    worlds = AllWorlds(case)  # type: ignore[arg-type]
    worlds.connection.execute("CREATE TABLE towns (town VARCHAR, r VARCHAR)")
    worlds.connection.executemany("INSERT INTO towns VALUES (?, ?)", TOWNS)
    path = database(tmp_path_factory.mktemp("keys") / "d.duckdb", case.rows)
    report = ph.audit(path, list(case.log), POLICY, each=60, ranges=0)
    for step in report.steps:
        if step.number:
            assert step.status == "answered", (step.sql, step.reason)
            worlds.ask(step.sql)
        for finding in step.findings:
            row = finding.fact.rows[0]
            expected = "disclosed" if worlds.disclosed({"column": "s"}, row) else "safe"
            assert finding.verdict == expected, (seed, step.sql, row)


ROWS = [("A", 1, "x", 0), ("A", 2, "x", 1), ("B", 1, "y", 1)]


def test_rows_are_named_by_all_columns_of_the_key(tmp_path: Any) -> None:
    protect = {
        "one": {"fact": "s = 0", "keys": [["A", 1]]},
        "two": {"formula": "s['A, 1'] < s['B, 1']"},
    }
    path = database(tmp_path / "d.duckdb", ROWS)
    log = [
        "SELECT h, s FROM t ORDER BY n",
        "SELECT SUM(s) FROM t WHERE h = 'A' AND n = 1",
    ]
    report = ph.audit(path, log, POLICY | {"protect": protect})
    why = "rows are audited when their key 'h' and 'n' is shown with them"
    assert why in report.steps[1].reason and report.steps[1].status == "bounded"
    facts = [finding.fact.text() for finding in report.steps[-1].findings]
    assert facts == ["s['A, 1'] = 0", "s['A, 1'] < s['B, 1']"]
    assert report.steps[-1].findings[0].verdict == "disclosed"
    assert "h and n (which name each row), g" in str(report)


@pytest.mark.parametrize(
    ("rows", "key", "message"),
    [
        ([*ROWS, ("A", 1, "y", 0)], ["h", "n"], "has 'A, 1' twice"),
        ([*ROWS, ("A", None, "y", 0)], ["h", "n"], "has a missing value"),
        (ROWS, ["h", "nn"], "there is no column 'nn'"),
        (ROWS, [], 'for example: key = ["hospital", "number"]'),
        (ROWS, ["h", "h"], "is a list of different columns"),
        (
            [("A", 1, "x, y", 0), ("A", 1, "y", 0)],
            ["n", "h", "g"],
            None,
        ),
        ([("A, 1", 1, "y", 0), ("A", 1, "1, y", 0)], ["h", "g"], "both written"),
    ],
)
def test_what_names_no_row(tmp_path: Any, rows: Any, key: Any, message: Any) -> None:
    path = database(tmp_path / "d.duckdb", rows)
    policy = POLICY | {"key": key, "public": []}
    if message is None:
        assert ph.audit(path, ["SELECT SUM(s) FROM t"], policy).steps
        return
    with pytest.raises(InputError) as raised:
        ph.audit(path, ["SELECT SUM(s) FROM t"], policy)
    assert message in str(raised.value)
