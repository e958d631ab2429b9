"""An audited log as a transition system with tags: Example 2 as such, undecided steps,
the picture.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from support.dltts_cases import BALANCES

from phverify.disclosure.dltts import trace
from phverify.disclosure.dltts.knowledge import TRUE, Atom
from phverify.disclosure.dltts.schedulers import violation
from phverify.disclosure.dltts.system import VIOLATION
from phverify.disclosure.result import AuditReport, Remaining
from phverify.verbs.audit import audit

pytest.importorskip("sqlglot")
F = Fraction


@pytest.fixture
def bank_log(tmp_path: Path) -> AuditReport:
    """Example 2 as a log over a database: the two sums, and a query after that."""
    path = tmp_path / "bank.duckdb"
    connection = pytest.importorskip("duckdb").connect(str(path))
    connection.execute("CREATE TABLE accounts (name VARCHAR, balance INTEGER)")
    connection.executemany("INSERT INTO accounts VALUES (?, ?)", list(BALANCES.items()))
    connection.close()
    protect = {
        "rich": {"fact": "balance >= 420", "keys": ["Jean"]},
        "near": {"column": "balance", "keys": ["Paul"]},
    }
    policy = {
        "table": "accounts",
        "key": "name",
        "sensitive": {"balance": {"from": 0, "to": 1000}},
        "protect": protect,
    }
    sums = [
        "SELECT SUM(balance) FROM accounts",
        "SELECT SUM(balance) FROM accounts WHERE name <> 'Jean'",
    ]
    return audit(path, [*sums, "SELECT MAX(balance) FROM accounts"], policy)


def test_example_2_as_an_audited_log(bank_log: AuditReport) -> None:
    """The same states as by hand: open, open, violated; nothing is asked after the
    violation.
    """
    found = trace.system(bank_log)
    assert [(s.name, s.status) for s in found.states.values()] == [
        ("start", "open"),
        ("after query 1", "open"),
        ("after query 2", "violated"),
    ]
    assert violation(found).least == violation(found).most == 1
    two = found.states["after query 2"]
    first = trace.QueryAnswer("answer", (1, 1580))
    second = trace.QueryAnswer("answer", (2, 1160))
    assert two.tag == {TRUE, first, second}
    assert {
        Atom("balance[Jean] >= 420"),
        Atom("balance", ("Jean", 420)),
    } <= two.saturated
    assert [m.action for m in two.moves] == [VIOLATION]
    far = trace.distances(bank_log)
    assert far == {
        "start": F(420, 1001),
        "after query 1": F(420, 1001),
        "after query 2": 0,
        "after query 3": 0,
    }
    rich, paul = (finding.fact for finding in bank_log.steps[0].findings)
    assert trace.distances(bank_log, rich) == far
    assert trace.distances(bank_log, paul)["after query 3"] == F(420, 421)


def test_one_fact_of_a_log(bank_log: AuditReport) -> None:
    """Of Paul nothing follows: all four states are there, and none is violated."""
    paul = bank_log.steps[0].findings[1].fact
    found = trace.system(bank_log, paul)
    assert [s.status for s in found.states.values()] == ["open"] * 4 and violation(
        found
    ).most == 0
    assert trace.secret(paul) == Atom("balance", ("Paul", 270))


def test_a_cell_that_has_one_value_left_is_known() -> None:
    """A missing cell is one of the values that may be left."""
    for cell, known in (
        (Remaining("Ann", "balance", 3, 3), (3,)),
        (Remaining("Ann", "balance", 3, 4), ()),
        (Remaining("Ann", "balance", 3, 3, missing=True), ()),
        (Remaining("Ann", "balance", 1, 0, missing=True), (None,)),
        (Remaining("Ann", "illness", values=("flu",)), ("flu",)),
        (Remaining("Ann", "illness", values=("flu",), missing=True), ()),
        (Remaining("Ann", "illness", values=(), missing=True), (None,)),
    ):
        assert trace._known(cell) == (
            Atom(cell.column, ("Ann", known[0])) if known else None
        )


def test_a_log_that_is_not_decided(bank_log: AuditReport) -> None:
    """An undecided state may be violated or not: the probability of violation is from 0
    to 1.
    """
    steps = [
        replace(s, findings=tuple(replace(f, verdict="undecided") for f in s.findings))
        for s in bank_log.steps
    ]
    found = trace.system(replace(bank_log, steps=steps))
    assert {s.status for s in found.states.values()} == {"undecided"} and len(
        found.states
    ) == 4
    assert (violation(found).least, violation(found).most) == (0, 1)


def test_the_picture_of_a_log(bank_log: AuditReport) -> None:
    text = bank_log.dltts().dot()
    assert "answer(1, 1580)" in text and "distance 60/143" in text
    assert "SECRET: balance[Jean] >= 420" in text and "so: balance(Jean, 420)" in text
    assert 'label="query 1: SELECT SUM(balance) FROM accounts"' in text
    assert "violated\\ndistance 0" in text
