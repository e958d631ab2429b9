"""Audits by hand: the worked examples, what SQL means in the corners, and what is said
about bad input.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from support.audit_run_cases import bank  # noqa: F401

from phverify.disclosure.policy_reader import load
from phverify.disclosure.result import AuditReport
from phverify.errors import InputError
from phverify.verbs.audit import audit

pytest.importorskip("sqlglot")
from support.audit_run_cases import ALL, BANK, BUT_JEAN, audited, duckdb, last, policy


def test_two_sums_give_jean_away(bank: Path) -> None:
    report = audit(
        bank, [ALL, BUT_JEAN], policy(rich={"fact": "balance >= 420", "keys": ["Jean"]})
    )
    assert [step.answer for step in report.steps[1:]] == [((1580,),), ((1160,),)]
    assert [step.worst() for step in report.steps] == ["safe", "safe", "disclosed"]
    finding = last(report)
    assert finding.core == (1, 2) and finding.minimal and finding.since == 2
    assert finding.stage == "row space" and finding.by == (
        "row space, checked in fractions",
    )
    assert (report.steps[2].remaining[0].low, report.steps[2].remaining[0].high) == (
        420,
        420,
    )


def test_a_published_minimum_gives_the_threshold_away(bank: Path) -> None:
    log = ["SELECT MIN(balance) FROM accounts WHERE branch = 'N' AND name = 'Jean'"]
    report = audit(bank, log, policy(rich={"fact": "balance >= 420", "keys": ["Jean"]}))
    assert last(report).verdict == "disclosed" and last(report).core == (1,)


def test_the_core_leaves_out_what_is_not_needed(bank: Path) -> None:
    log = [
        "SELECT MAX(balance) FROM accounts",
        ALL,
        "SELECT COUNT(*) FROM accounts WHERE balance > 1",
        BUT_JEAN,
    ]
    assert last(audit(bank, log, policy())).core == (2, 4)


def test_first_stops_at_the_first_disclosure(bank: Path) -> None:
    report = audit(bank, [ALL, BUT_JEAN, ALL, ALL], policy(), first=True)
    assert (
        report.first is not None
        and report.first.number == 2
        and len(report.steps) == 3
        and not report.complete
    )
    assert audit(bank, [ALL], policy(), first=True).complete


def test_bounds_and_integrality_disclose(bank: Path) -> None:
    """A sum at its maximum says everything, and no linear algebra sees it."""
    data = policy() | {"sensitive": {"balance": {"from": 0, "to": 420}}}
    report = audit(
        bank, ["SELECT SUM(balance) FROM accounts WHERE name IN ('Jean', 'Lou')"], data
    )
    assert {
        f.fact.key for f in report.steps[-1].findings if f.verdict == "disclosed"
    } == {"Jean", "Lou"}


def test_how_many_values_are_left(bank: Path) -> None:
    log = [
        "SELECT COUNT(*) FROM accounts WHERE name = 'Jean' AND balance BETWEEN 418"
        " AND 420"
    ]
    kept = [
        last(audit(bank, log, policy(k={"column": "balance", "left": k}))).verdict
        for k in (2, 3, 4)
    ]
    assert kept == ["safe", "safe", "disclosed"]


@pytest.mark.parametrize(("amount", "verdict"), [(1, "safe"), (2, "disclosed")])
def test_a_cell_that_is_missing_leaves_one_value(
    tmp_path: Path, amount: int, verdict: str
) -> None:
    log = ["SELECT COUNT(*) FROM t WHERE v IS NULL"]
    few = {"column": "v", "left": amount}
    domain = {"from": 0, "to": 9, "null": True}
    report = audited(tmp_path, "(1, 'x', NULL)", log, domain, few=few)
    assert verdicts(report) == verdict


@pytest.mark.parametrize(("amount", "verdict"), [(1, "safe"), (2, "disclosed")])
def test_within(bank: Path, amount: int, verdict: str) -> None:
    log = [
        "SELECT COUNT(*) FROM accounts WHERE name = 'Jean' AND balance >= 418 AND"
        " balance < 423"
    ]
    assert (
        last(
            audit(bank, log, policy(near={"column": "balance", "within": amount}))
        ).verdict
        == verdict
    )


def test_a_domain_may_give_it_away_before_the_first_query(bank: Path) -> None:
    report = audit(
        bank, ["BEGIN"], policy(low={"fact": "balance <= 1000", "keys": ["Ann"]})
    )
    assert report.verdict == "disclosed" and report.steps[0].findings[0].core == ()


def verdicts(report: AuditReport) -> str:
    return " ".join(f.verdict for f in report.steps[-1].findings)


def test_an_absent_group_says_that_its_count_is_zero(tmp_path: Path) -> None:
    log = ["SELECT g, COUNT(*) FROM t WHERE v > 0 GROUP BY g"]
    report = audited(tmp_path, "(1, 'x', 1), (2, 'y', 0)", log, {"from": 0, "to": 1})
    assert verdicts(report) == "disclosed disclosed"


def test_a_group_that_is_shown_has_a_row(tmp_path: Path) -> None:
    log = ["SELECT g, SUM(v) FROM t WHERE v IS NULL GROUP BY g"]
    report = audited(
        tmp_path, "(1, 'x', NULL), (2, 'y', 0)", log, {"from": 0, "to": 1, "null": True}
    )
    assert verdicts(report) == "disclosed safe"


def test_a_null_sum_says_that_all_cells_are_missing(tmp_path: Path) -> None:
    log = ["SELECT SUM(v) FROM t WHERE g = 'x'"]
    report = audited(
        tmp_path,
        "(1, 'x', NULL), (2, 'x', NULL), (3, 'y', 1)",
        log,
        {"from": 0, "to": 3, "null": True},
    )
    assert verdicts(report) == "disclosed disclosed safe"
    assert report.steps[-1].remaining[0].text() == "missing"


def test_a_row_that_is_not_shown_says_something(tmp_path: Path) -> None:
    log = ["SELECT id FROM t WHERE v > 0"]
    report = audited(
        tmp_path, "(1, 'x', 1), (2, 'y', 0), (3, 'y', 2)", log, {"from": 0, "to": 2}
    )
    assert verdicts(report) == "safe disclosed safe"


def test_not_in_with_null_keeps_no_row(tmp_path: Path) -> None:
    log = ["SELECT COUNT(*) FROM t WHERE v NOT IN (1, NULL)"]
    assert (
        verdicts(
            audited(tmp_path, "(1, 'x', 2), (2, 'y', 0)", log, {"from": 0, "to": 2})
        )
        == "safe safe"
    )


def test_a_mean_of_thirds_is_taken_as_the_double_it_is(tmp_path: Path) -> None:
    """2/3 is no double: a mean taken as exact would contradict the data."""
    log = ["SELECT AVG(v) FROM t"]
    report = audited(
        tmp_path, "(1, 'x', 1), (2, 'x', 1), (3, 'x', 0)", log, {"from": 0, "to": 1}
    )
    assert verdicts(report) == "safe safe safe"


def test_a_number_or_a_text_may_stand_for_a_condition(tmp_path: Path) -> None:
    log = ["SELECT COUNT(*) FROM t WHERE id - 1 AND v > 0"]  # the second row only
    report = audited(tmp_path, "(1, 'x', 0), (2, 'y', 1)", log, {"from": 0, "to": 1})
    assert verdicts(report) == "safe disclosed"


@pytest.mark.parametrize(
    ("where", "expected"), [("v", "disclosed safe"), ("NOT v", "disclosed safe")]
)
def test_booleans(tmp_path: Path, where: str, expected: str) -> None:
    path = tmp_path / "flags.duckdb"
    connection = duckdb.connect(str(path))
    connection.execute(
        "CREATE TABLE t AS SELECT * FROM (VALUES (1, true), (2, false)) r(id, v)"
    )
    connection.close()
    domain = {"v": {"values": [True, False]}}
    data = {
        "table": "t",
        "key": "id",
        "sensitive": domain,
        "protect": {"c": {"column": "v"}},
    }
    report = audit(path, [f"SELECT COUNT(*) FROM t WHERE {where} AND id = 1"], data)
    assert verdicts(report) == expected


@pytest.mark.parametrize(
    ("statement", "status", "reason"),
    [
        ("DELETE FROM accounts", "refused", "would write"),
        ("INSERT INTO accounts VALUES ('x', 'y', 1)", "refused", "would write"),
        ("SELECT SUM(DISTINCT balance) FROM accounts", "outside", "DISTINCT"),
        (
            "SELECT SUM(balance) FROM accounts HAVING MEDIAN(balance) > 3",
            "outside",
            "HAVING",
        ),
        ("SELECT name, balance FROM accounts LIMIT 1", "outside", "LIMIT"),
        (
            "SELECT a.name FROM accounts a JOIN accounts b ON a.balance = b.balance",
            "outside",
            "already",
        ),
        (
            "SELECT COUNT(*) FROM accounts a RIGHT JOIN accounts b ON a.name = b.name",
            "outside",
            "JOIN",
        ),
        (
            "SELECT COUNT(*) FROM accounts WHERE balance > '3'",
            "outside",
            "comparison of",
        ),
        (
            "SELECT COUNT(*) FROM accounts WHERE balance > 4.2e2",
            "outside",
            "outside",
        ),
        (
            "SELECT COUNT(*) FROM accounts WHERE balance > 1.00000000000000001",
            "outside",
            "outside",
        ),
        ("SELECT COUNT(*) FROM accounts WHERE random() > 0.5", "outside", "RANDOM"),
        (
            (
                "SELECT COUNT(*) FROM accounts WHERE balance > (SELECT AVG(balance)"
                " FROM accounts)"
            ),
            "outside",
            "outside",
        ),
        ("SELECT SUM(balance) OVER () FROM accounts", "outside", "outside"),
        ("SELECT name FROM accounts ORDER BY balance", "outside", "ORDER BY"),
        ("SELECT COUNT(*) FROM accounts UNION SELECT 1", "outside", "UNION"),
        ("SELECT COUNT(nothing) FROM accounts", "outside", "nothing"),
        ("SELECT COUNT(*) FROM elsewhere", "outside", "elsewhere"),
        ("SELECT COUNT(* FROM accounts", "outside", "syntax"),
    ],
)
def test_what_is_not_audited(
    bank: Path, statement: str, status: str, reason: str
) -> None:
    report = audit(bank, [statement, ALL], policy())
    step = report.steps[1]
    # What is bounded says why it is not modelled, and what is public needs no reason.
    outside = ("unsupported", "bounded", "silent")
    assert step.status in (outside if status == "outside" else (status,))
    assert step.status == "silent" or reason.lower() in step.reason.lower()
    if step.status in ("unsupported", "refused"):
        assert report.verdict == "unsupported"
    assert report.steps[2].status == "answered"


def test_a_disclosure_stays_one_after_an_unsupported_query(bank: Path) -> None:
    report = audit(
        bank, ["SELECT unmask(balance) FROM accounts", ALL, BUT_JEAN], policy()
    )
    assert last(report).verdict == "disclosed" and last(report).core == (2, 3)
    assert (
        last(report, "Ann").verdict == "unsupported"
        and "query 1" in last(report, "Ann").reason
    )


def test_after_a_query_that_is_not_audited_no_world_and_no_distance_is_known(
    bank: Path,
) -> None:
    report = audit(bank, [ALL, "SELECT unmask(balance) FROM accounts", ALL], policy())
    before, *after = report.steps[1:]
    assert all(finding.worlds for finding in before.findings)
    assert all(one.tight for one in before.remaining)
    for step in after:
        assert {finding.verdict for finding in step.findings} == {"unsupported"}
        assert not any(finding.worlds for finding in step.findings)
        assert not any(one.tight for one in step.remaining)
        assert {far.value for far in step.distances} == {None}


def test_the_line_of_a_syntax_error_is_shown(bank: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.sql"
    log.write_text(
        f"-- a log; with a comment\n{ALL};\n\nSELECT COUNT(*)\nFROM accounts WHERE"
        f" (;\n{BUT_JEAN};\n"
    )
    report = audit(bank, log, policy())
    assert [(s.line, s.status) for s in report.steps[1:]] == [
        (2, "answered"),
        (5, "unsupported"),
        (6, "answered"),
    ]
    assert report.verdict == "disclosed"


def test_nothing_is_written(bank: Path) -> None:
    before = bank.read_bytes()
    audit(
        bank,
        ["DROP TABLE accounts", "COPY accounts TO 'x.csv'", "ATTACH 'x.duckdb'"],
        policy(),
    )
    assert (
        bank.read_bytes() == before
        and not Path("x.csv").exists()
        and not Path("x.duckdb").exists()
    )


def test_csv_parquet_and_sqlite(bank: Path, tmp_path: Path) -> None:
    connection = duckdb.connect(str(bank), read_only=True)
    connection.execute(f"COPY accounts TO '{tmp_path / 'bank.csv'}'")
    connection.execute(f"COPY accounts TO '{tmp_path / 'bank.parquet'}'")
    connection.close()
    file = sqlite3.connect(tmp_path / "bank.sqlite")
    file.execute("CREATE TABLE accounts (name TEXT, branch TEXT, balance INTEGER)")
    file.executemany("INSERT INTO accounts VALUES (?, ?, ?)", BANK)
    file.commit()
    file.close()
    for name in ("bank.csv", "bank.parquet", "bank.sqlite"):
        report = audit(tmp_path / name, [ALL, BUT_JEAN], policy())
        assert last(report).core == (1, 2) and last(report, "Ann").verdict == "safe"


def complaint(*given: Any) -> str:
    with pytest.raises(InputError) as caught:
        audit(*given)
    return str(caught.value)


def test_bad_input_is_explained(bank: Path, tmp_path: Path) -> None:
    assert "no such file" in complaint(bank.with_name("other.duckdb"), [], policy())
    (tmp_path / "text.duckdb").write_text("no database")
    assert "is no DuckDB" in complaint(tmp_path / "text.duckdb", [], policy())
    assert "did you mean 'accounts'" in complaint(
        bank, [], policy() | {"table": "acounts"}
    )
    assert "did you mean 'branch'" in complaint(
        bank, [], policy() | {"public": ["brach"]}
    )
    assert "'Ann' is '320'" in complaint(
        bank, [], policy() | {"sensitive": {"balance": {"from": 0, "to": 300}}}
    )
    false = policy(rich={"fact": "balance >= 421", "keys": ["Jean"]})
    assert "is false in the data: the cell is '420'" in complaint(bank, [], false)
    assert "did you mean 'Jean'" in complaint(
        bank, [], policy(x={"column": "balance", "keys": ["Jen"]})
    )
    assert "did you mean 'balance'" in complaint(
        bank, [], policy(x={"column": "balanse"})
    )
    assert "must name each row once, and has 'N' twice" in complaint(
        bank, [], policy() | {"key": "branch", "public": []}
    )
    texts = policy() | {"sensitive": {"balance": {"values": ["a"]}}}
    assert "the domain is of texts and the column is INTEGER" in complaint(
        bank, [], texts
    )


@pytest.mark.parametrize("column", ["name", "branch"])
def test_a_column_has_one_role(bank: Path, column: str) -> None:
    """The key is public, whether it is listed or not."""
    texts = policy() | {"sensitive": {column: {"values": ["a"]}}}
    assert f"the column '{column}' is public already" in complaint(bank, [], texts)


def test_all_problems_of_a_policy_come_at_once() -> None:
    with pytest.raises(InputError) as caught:
        load(
            {
                "tabel": "x",
                "key": 3,
                "sensitive": {"a": {"from": 2, "to": 1}},
                "protect": {"p": {"fact": "a ~ 3"}},
            }
        )
    assert len(caught.value.problems) >= 5
