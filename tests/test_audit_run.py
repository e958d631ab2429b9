"""Audits by hand: the worked examples, what SQL means in the corners, and what is said
about bad input.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from phverify.budget import Deadline
from phverify.constraints import cpsat
from phverify.disclosure.log.statements import read_log
from phverify.disclosure.policy_reader import load
from phverify.disclosure.pool import Pool
from phverify.disclosure.protected import facts
from phverify.disclosure.reconstruct import reconstruction
from phverify.disclosure.result import AuditReport, Finding
from phverify.disclosure.solving import ask as solving
from phverify.disclosure.worlds.database import open_database
from phverify.disclosure.worlds.unknowns import read
from phverify.errors import Defect, InputError
from phverify.report.audit_text import to_lines
from phverify.verbs.audit import Auditor, audit

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


def last(report: AuditReport, key: str = "Jean") -> Finding:
    return next(f for f in report.steps[-1].findings if f.fact.key == key)


# the bank of the paper (example 2)


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


# SQL in the corners


def audited(
    tmp_path: Path, rows: str, log: list[str], domain: dict[str, Any]
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
        "protect": {"c": {"column": "v"}},
    }
    return audit(path, log, data)


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


# statements that are not audited


@pytest.mark.parametrize(
    ("statement", "status", "reason"),
    [
        ("DELETE FROM accounts", "refused", "would write"),
        ("INSERT INTO accounts VALUES ('x', 'y', 1)", "refused", "would write"),
        ("SELECT SUM(DISTINCT balance) FROM accounts", "unsupported", "DISTINCT"),
        ("SELECT balance FROM accounts", "unsupported", "key"),
        (
            "SELECT SUM(balance) FROM accounts HAVING MEDIAN(balance) > 3",
            "unsupported",
            "HAVING",
        ),
        ("SELECT name, balance FROM accounts LIMIT 1", "unsupported", "LIMIT"),
        (
            "SELECT balance, COUNT(*) FROM accounts GROUP BY balance",
            "unsupported",
            "sensitive",
        ),
        (
            "SELECT a.name FROM accounts a JOIN accounts b ON a.balance = b.balance",
            "unsupported",
            "already",
        ),
        (
            "SELECT COUNT(*) FROM accounts a RIGHT JOIN accounts b ON a.name = b.name",
            "unsupported",
            "JOIN",
        ),
        (
            "SELECT COUNT(*) FROM accounts WHERE balance * 2 > 3",
            "unsupported",
            "outside",
        ),
        (
            "SELECT COUNT(*) FROM accounts WHERE balance > '3'",
            "unsupported",
            "comparison of",
        ),
        (
            "SELECT COUNT(*) FROM accounts WHERE balance > 4.2e2",
            "unsupported",
            "outside",
        ),
        (
            "SELECT COUNT(*) FROM accounts WHERE balance > 1.00000000000000001",
            "unsupported",
            "outside",
        ),
        ("SELECT COUNT(*) FROM accounts WHERE random() > 0.5", "unsupported", "RANDOM"),
        (
            (
                "SELECT COUNT(*) FROM accounts WHERE balance > (SELECT AVG(balance)"
                " FROM accounts)"
            ),
            "unsupported",
            "outside",
        ),
        (
            "SELECT SUM(balance) FILTER (WHERE balance * 2 > 3) FROM accounts",
            "unsupported",
            "outside",
        ),
        ("SELECT SUM(balance) OVER () FROM accounts", "unsupported", "outside"),
        ("SELECT name FROM accounts ORDER BY balance", "unsupported", "ORDER BY"),
        ("WITH a AS (SELECT 1) SELECT COUNT(*) FROM accounts", "unsupported", "WITH"),
        ("SELECT DISTINCT name, balance FROM accounts", "unsupported", "DISTINCT"),
        ("SELECT COUNT(*) FROM accounts UNION SELECT 1", "unsupported", "UNION"),
        ("SELECT COUNT(*) AS balance FROM accounts", "unsupported", "alias"),
        ("SELECT COUNT(nothing) FROM accounts", "unsupported", "nothing"),
        ("SELECT COUNT(*) FROM elsewhere", "unsupported", "elsewhere"),
        ("SELECT COUNT(* FROM accounts", "unsupported", "syntax"),
    ],
)
def test_what_is_not_audited(
    bank: Path, statement: str, status: str, reason: str
) -> None:
    report = audit(bank, [statement, ALL], policy())
    step = report.steps[1]
    assert step.status == status and reason.lower() in step.reason.lower()
    assert report.verdict == "unsupported"
    assert report.steps[2].status == "answered"


def test_a_disclosure_stays_one_after_an_unsupported_query(bank: Path) -> None:
    report = audit(
        bank, ["SELECT SUM(DISTINCT balance) FROM accounts", ALL, BUT_JEAN], policy()
    )
    assert last(report).verdict == "disclosed" and last(report).core == (2, 3)
    assert (
        last(report, "Ann").verdict == "unsupported"
        and "query 1" in last(report, "Ann").reason
    )


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


# databases of other kinds


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


# bad input


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


# the census block


CENSUS = [
    (8, "F", "B", "S"),
    (18, "M", "W", "S"),
    (24, "F", "W", "S"),
    (30, "M", "W", "M"),
    (36, "F", "B", "M"),
]
CENSUS += [(66, "F", "B", "M"), (84, "M", "B", "M")]
GROUPS = [
    "TRUE",
    "sex = 'F'",
    "sex = 'M'",
    "race = 'B'",
    "race = 'W'",
    "married = 'M'",
    "race = 'B' AND sex = 'F'",
]
PUBLISHED = [
    (7, 30, 38),
    (4, 30, 33.5),
    (3, 30, 44),
    (4, 51, 48.5),
    (3, 24, 24),
    (4, 51, 54),
    (3, 36, 110 / 3),
]


def census(tmp_path: Path, log: list[str]) -> Auditor:
    """The auditor of the seven people after a log."""
    path = tmp_path / "census.duckdb"
    connection = duckdb.connect(str(path))
    connection.execute(
        "CREATE TABLE people (id INTEGER, age INTEGER, sex VARCHAR, race VARCHAR,"
        " married VARCHAR)"
    )
    connection.executemany(
        "INSERT INTO people VALUES (?, ?, ?, ?, ?)",
        [(k, *row) for k, row in enumerate(CENSUS)],
    )
    connection.close()
    sensitive = {
        "age": {"from": 0, "to": 125},
        "sex": {"values": ["F", "M"]},
        "race": {"values": ["B", "W"]},
    }
    sensitive |= {"married": {"values": ["M", "S"]}}
    data = {
        "table": "people",
        "key": "id",
        "sensitive": sensitive,
        "protect": {"ages": {"column": "age"}},
    }
    settings = load(data)
    source = open_database(path, "people")
    frame = read(source, settings)
    auditor = Auditor(source, frame, facts(settings, frame), Deadline(), 10, 0)
    for statement in read_log(log):
        assert auditor.learned(statement).status == "answered"
    return auditor


STATISTICS = [
    f"SELECT COUNT(*), MEDIAN(age), AVG(age) FROM people WHERE {group}"
    for group in GROUPS
]
ADULTS = "SELECT COUNT(*) FROM people WHERE married = 'M' AND age < 15"


def test_seven_statistics_determine_everyone(tmp_path: Path) -> None:
    auditor = census(tmp_path, [*STATISTICS, ADULTS])
    assert [answer[0] for _, answer in auditor.pool.asked[:7]] == PUBLISHED
    found = reconstruction(
        auditor.frame, auditor.judge.asked, auditor.classes, "age", Deadline(60)
    )
    assert found == ("determined", None)


@pytest.mark.parametrize("left_out", [5, 6])
def test_without_the_married_or_the_black_females_they_do_not(
    tmp_path: Path, left_out: int
) -> None:
    auditor = census(
        tmp_path, [*STATISTICS[:left_out], *STATISTICS[left_out + 1 :], ADULTS]
    )
    status, world = reconstruction(
        auditor.frame, auditor.judge.asked, auditor.classes, "age", Deadline(60)
    )
    assert status == "open" and world is not None
    auditor.pool.adopt(world)  # replayed: the same answers
    assert Counter(zip(*world.values(), strict=True)) != Counter(CENSUS)


# the report, and machines with one solver


def test_the_report_says_who_and_why(bank: Path) -> None:
    report = audit(bank, [ALL, "DROP TABLE accounts", BUT_JEAN], policy())
    lines = "\n".join(to_lines(report))
    assert "the adversary knows: name (which names each row), branch" in lines
    assert "unknown: balance, one of 0..1000" in lines
    assert (
        "DISCLOSED by query 3: the balance of Jean = 420 follows from queries 1 and 3"
        in lines
    )
    assert (
        "REFUSED DROP would write" in lines
        and "UNSUPPORTED 4 facts: query 2 (line 2) is not audited" in lines
    )
    plain = json.loads(json.dumps(report.to_dict()))
    jean = next(
        f for f in plain["steps"][3]["findings"] if f["fact"] == "the balance of Jean"
    )
    assert (plain["verdict"], plain["first"], jean["core"], jean["since"]) == (
        "disclosed",
        3,
        [1, 3],
        3,
    )
    ann = next(
        f for f in plain["steps"][1]["findings"] if f["fact"] == "the balance of Ann"
    )
    assert any(
        change[:3] == ["Ann", "balance", 320]
        for change in plain["steps"][1]["worlds"][ann["worlds"][0]]
    )


def test_a_second_world_is_shown_with_what_differs(bank: Path) -> None:
    finding = last(audit(bank, [ALL], policy()))
    (world,) = finding.worlds
    assert sum(c.other - c.true for c in world) == 0 and any(
        c.key == "Jean" for c in world
    )


SOLVED = ["SELECT MAX(balance) FROM accounts WHERE name IN ('Ann', 'Jean')"]
SOLVED += ["SELECT COUNT(*) FROM accounts WHERE name = 'Ann' AND balance > 400"]
"""Gives Jean away, and not by linear statements."""


def test_what_is_not_linear_takes_two_solvers(bank: Path) -> None:
    finding = last(audit(bank, SOLVED, policy()))
    assert (finding.verdict, finding.core, finding.stage) == (
        "disclosed",
        (1, 2),
        "CP-SAT",
    )
    assert finding.by == ("CP-SAT", "Z3")


def test_bounds_give_away_what_the_row_space_does_not(bank: Path) -> None:
    """Two balances that add up to the largest that they may be."""
    log = ["SELECT SUM(balance) FROM accounts WHERE name IN ('Ann', 'Jean')"]
    domain = {"sensitive": {"balance": {"from": 0, "to": 420}}}
    rich = policy(rich={"fact": "balance >= 320", "keys": ["Jean"]}) | domain
    finding = next(
        f
        for f in audit(bank, log, rich).steps[1].findings
        if f.fact.protected.name == "rich"
    )
    assert (finding.verdict, finding.stage) == ("disclosed", "LP bounds")
    assert finding.by == ("LP bounds, checked in fractions",)


def test_without_cp_sat(bank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpsat, "available", lambda: False)
    report = audit(
        bank,
        [ALL, *SOLVED, "SELECT MEDIAN(balance) FROM accounts WHERE branch = 'S'"],
        policy(),
        ranges=60,
    )
    assert last(report).verdict == "disclosed" and set(last(report).by) == {
        "Z3",
        "cvc5",
    }
    left = {r.key: (r.low, r.high, r.tight) for r in report.steps[-1].remaining}
    assert left["Jean"] == (420, 420, True) and left["Ann"] == (0, 400, True)


def test_without_a_second_solver_nothing_is_called_disclosed(
    bank: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cpsat, "available", lambda: False)
    monkeypatch.setattr(solving.second, "available", lambda: False)
    report = audit(bank, SOLVED, policy())
    assert (
        last(report).verdict == "undecided"
        and "no second solver" in last(report).reason
    )


def test_no_time_is_undecided(bank: Path) -> None:
    assert last(audit(bank, SOLVED, policy(), budget=1e-9)).verdict == "undecided"


def test_solvers_that_contradict_are_a_defect(
    bank: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        solving, "z3_ask", lambda terms, deadline: solving.Outcome("sat", by=("Z3",))
    )
    with pytest.raises(Defect, match="CP-SAT says unsat and Z3 says sat"):
        audit(bank, SOLVED, policy())


def test_a_world_with_other_answers_is_a_defect(bank: Path) -> None:
    settings = load(policy())
    source = open_database(bank, "accounts")
    pool = Pool(read(source, settings))
    pool.learn(ALL, source.execute(ALL))
    with pytest.raises(Defect, match="instead of"):
        pool.adopt({"balance": (320, 270, 421, 150, 420)})
