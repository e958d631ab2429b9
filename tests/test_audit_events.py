"""Event tables: what is protected is the person's, and each verdict is that of all
worlds.
"""

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

ILL = ["flu", "HIV"]
COSTS = [0.0, 1.5, 3.0]
LINES: dict[str, tuple[str, str]] = {
    "hiv": ("d = 'HIV'", "bool_or(d = 'HIV')"),
    "dear": ("sum(c) >= 3", "sum(c) >= 3"),
    "double": ("2 * sum(c) + 0.5 < 7", "2 * sum(c) + 0.5 < 7"),
    "either": ("sum(c) = 3 or d = 'HIV'", "sum(c) = 3 OR bool_or(d = 'HIV')"),
    "both": ("d = 'HIV' and c > 1", "bool_or(d = 'HIV' AND c > 1)"),
    "most": ("2 * c > sum(c)", "2 * max(c) > sum(c)"),
    "none": ("not (d = 'HIV')", "bool_or(NOT d = 'HIV')"),
}
"""Lines about a person, and the same in SQL over the person's rows."""
STATEMENTS = [
    "SELECT COUNT(*) FROM t WHERE d = 'HIV'",
    "SELECT p, COUNT(*) FROM t WHERE d = 'HIV' GROUP BY p",
    "SELECT COUNT(DISTINCT p) FROM t WHERE d = 'HIV'",
    "SELECT p, SUM(c) FROM t GROUP BY p",
    "SELECT SUM(c) FROM t WHERE p = 7",
    "SELECT MAX(c), COUNT(DISTINCT p) FROM t WHERE d = 'flu'",
    "SELECT g, SUM(c), COUNT(*) FROM t GROUP BY g",
    "SELECT COUNT(*) FROM t WHERE c > 1 AND p = 7",
    "SELECT p, n, d FROM t WHERE c = 3",
    "SELECT p, MAX(c) FROM t WHERE g = 'x' GROUP BY p HAVING MAX(c) > 1",
]


@dataclass(frozen=True)
class EventCase:
    """A table t of events: persons p, the number n of an event, a public g, and the
    sensitive d and c.
    """

    rows: tuple[tuple[Any, ...], ...]
    log: tuple[str, ...]
    columns: tuple[str, ...] = ("p", "n", "g", "d", "c")
    types: tuple[str, ...] = ("INTEGER", "INTEGER", "VARCHAR", "VARCHAR", "DOUBLE")

    @classmethod
    def random(cls, seed: int) -> EventCase:
        r = random.Random(seed)
        keys = sorted(r.sample([(7, 1), (7, 2), (7, 3), (8, 1), (8, 2), (9, 1)], 3))
        rows = [(*key, r.choice("xy"), r.choice(ILL), r.choice(COSTS)) for key in keys]
        return cls(tuple(rows), tuple(r.sample(STATEMENTS, 4)))

    def worlds(self) -> list[tuple[tuple[Any, ...], ...]]:
        found = []
        one_row = list(itertools.product(ILL, COSTS))
        for cells in itertools.product(one_row, repeat=len(self.rows)):
            pairs = zip(self.rows, cells, strict=True)
            found.append(tuple([(*row[:3], *filled) for row, filled in pairs]))
        return found


def policy(**protect: Any) -> dict[str, Any]:
    return {
        "table": "t",
        "key": ["p", "n"],
        "public": ["g"],
        "person": "p",
        "sensitive": {"d": {"values": ILL}, "c": {"from": 0, "to": 3, "step": 1.5}},
        "protect": protect,
    }


def database(path: Any, rows: Any, case: Any = EventCase) -> Any:
    with duckdb.connect(str(path)) as connection:
        pairs = map(" ".join, zip(case.columns, case.types, strict=True))
        connection.execute(f"CREATE TABLE t ({', '.join(pairs)})")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", list(rows))
    return path


def holding(worlds: AllWorlds, sql: str) -> dict[tuple[int, int], Any]:
    """What something is of each person in each world."""
    rows = worlds.connection.execute(f"SELECT w, p, {sql} FROM every GROUP BY w, p")
    return {(world, person): value for world, person, value in rows.fetchall()}


@so_many(15)
@given(st.integers(0, 10**9))
def test_every_verdict_is_that_of_all_worlds(tmp_path_factory: Any, seed: int) -> None:
    case = EventCase.random(seed)
    worlds = AllWorlds(case)  # type: ignore[arg-type]
    lines: dict[str, Any] = {
        name: {"person": text} for name, (text, _) in LINES.items()
    }
    lines |= {"total": {"total": "c"}, "near": {"total": "c", "within": 2}}
    path = database(tmp_path_factory.mktemp("events") / "d.duckdb", case.rows, case)
    report = ph.audit(path, list(case.log), policy(**lines), each=60, ranges=0)
    sums = holding(worlds, "sum(c)")
    truths = {name: holding(worlds, sql) for name, (_, sql) in LINES.items()}
    for far, name in ((0, "total"), (2, "near")):
        truths[name] = {
            (w, person): abs(value - sums[worlds.truth, person]) <= far
            for (w, person), value in sums.items()
        }
    persons = sorted({row[0] for row in case.rows})
    for step in report.steps:
        if step.number:
            assert step.status == "answered", (step.sql, step.reason)
            worlds.ask(step.sql)
        found = {}
        for finding in step.findings:
            person = int(finding.fact.person.removeprefix("p "))
            found[finding.fact.protected.name, person] = finding.verdict
        expected = {}
        for name, truth in truths.items():
            for person in persons:
                if truth[worlds.truth, person]:
                    known = all(truth[w, person] for w in worlds.alive)
                    expected[name, person] = "disclosed" if known else "safe"
        assert found == expected, (seed, step.sql)


ROWS = [(7, 1, "x", "HIV", 1.5), (7, 2, "x", "flu", 3.0), (8, 1, "y", "flu", 0.0)]


def test_how_facts_about_persons_are_told(tmp_path: Any) -> None:
    path = database(tmp_path / "d.duckdb", ROWS)
    lines = {
        "hiv": {"person": "d = 'HIV'", "keys": [7]},
        "spent": {"total": "c", "keys": [7]},
        "near": {"total": "c", "within": 1.5, "keys": ["8"]},
    }
    log = ["SELECT SUM(c) FROM t WHERE p = 7", "SELECT COUNT(*) FROM t WHERE d = 'HIV'"]
    report = ph.audit(path, log, policy(**lines))
    facts = [finding.fact.text() for finding in report.steps[-1].findings]
    assert facts == [
        "of p 7: d = 'HIV'",
        "the total c of p 7",
        "the total c of p 8 up to 1.5",
    ]
    assert "the total c of p 7 = 4.5 follows from query 1" in str(report)


@pytest.mark.parametrize(
    ("lines", "more", "message"),
    [
        ({"a": {"person": "d = 'HIV'", "keys": [9]}}, {}, "no row has the p '9'"),
        ({"a": {"person": "d = 'HIV'", "keys": [8]}}, {}, "is false in the data"),
        ({"a": {"person": "sum(d) > 1"}}, {}, "sum needs a column of numbers"),
        ({"a": {"total": "d"}}, {}, "total needs a column of numbers"),
        ({"a": {"total": "c", "column": "c"}}, {}, "leave column out"),
        ({"a": {"fact": "sum(c) > 1"}}, {}, "a sum is over the rows of a person"),
        ({"a": {"person": 3}}, {}, "sum(cost) >= 1000 or diagnosis = 'HIV'"),
        (
            {"a": {"total": "c"}},
            {"person": None},
            "no column says whose event a row is",
        ),
        ({"a": {"total": "c"}}, {"person": "q"}, "there is no column 'q'"),
        ({"a": {"total": "c"}}, {"person": "d"}, "the column 'd' is public already"),
        (
            {"a": {"total": "c"}},
            {"sensitive": {"c": {"from": 0, "to": 3, "step": 1.5, "null": True}}},
            "total needs a column where no cell may be missing",
        ),
    ],
)
def test_what_is_no_fact_about_a_person(
    tmp_path: Any, lines: Any, more: Any, message: str
) -> None:
    path = database(tmp_path / "d.duckdb", ROWS)
    rules = {**policy(**lines), **more}
    rules = {name: value for name, value in rules.items() if value is not None}
    with pytest.raises(InputError) as raised:
        ph.audit(path, [STATEMENTS[0]], rules)
    assert message in str(raised.value)
