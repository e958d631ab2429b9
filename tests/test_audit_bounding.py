"""Statements that are taken for more than they say: worlds with the same answers to what
they are taken for have the same answer to them, by enumeration.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from support.audit_run_cases import bank, last, policy  # noqa: F401
from support.bounding_cases import (
    DOMAINS,
    EXTERNAL,
    POLICY,
    SmallTable,
    modelled,
    statement,
)
from support.so_many import FUZZ

from phverify.budget import Deadline
from phverify.disclosure.log.silent import Silent
from phverify.disclosure.log.sources import Unsupported
from phverify.disclosure.policy_reader import load
from phverify.disclosure.result import DISCLOSED, SAFE
from phverify.disclosure.understanding import Understanding
from phverify.disclosure.understood import BOUNDED
from phverify.disclosure.worlds.opening import open_database
from phverify.disclosure.worlds.unknowns import read
from phverify.verbs.audit import audit
from phverify.verbs.auditor import Auditor

pytest.importorskip("sqlglot")
duckdb = pytest.importorskip("duckdb")

TABLES = 400 if FUZZ else 3
STATEMENTS = 14
LOGS = 400 if FUZZ else 6


def write(path: Path, table: SmallTable) -> None:
    with duckdb.connect(str(path)) as connection:
        table.fill(connection, "t", table.truth)
        connection.execute(EXTERNAL)


def understanding(path: Path, table: SmallTable) -> Understanding:
    write(path, table)
    settings = load(POLICY)
    source = open_database(path, "t")
    frame = read(source, settings)
    return Auditor(source, frame, [], Deadline(None), 8.0, 0.0).understanding


def answered(r: random.Random, table: SmallTable) -> str:
    """A random statement that has an answer in the truth."""
    while True:
        text = statement(r)
        if table.answer(text, table.truth) is not None:
            return text


@pytest.mark.parametrize("seed", range(TABLES))
def test_what_a_statement_is_taken_for_tells_at_least_as_much(
    tmp_path: Path, seed: int
) -> None:
    r = random.Random(seed)
    table = SmallTable(r)
    known = understanding(tmp_path / "t.duckdb", table)
    every = set(range(len(table.worlds)))
    for _ in range(STATEMENTS):
        text = answered(r, table)
        try:
            found = known.of(text, 1)
        except Silent:
            assert table.alike(text) == every, (seed, text)
            continue
        except Unsupported:
            continue
        left = every
        for part, _ in found.asked:
            left = table.alike(part, left)
        # What is bounded may leave fewer worlds than answer alike, and no other ones.
        same = table.alike(text, left if found.status == BOUNDED else every)
        assert left == same, (seed, text, found.says, found.asked)


@pytest.mark.parametrize("seed", range(LOGS))
def test_verdicts_agree_with_all_worlds(tmp_path: Path, seed: int) -> None:
    """DISCLOSED and SAFE are so by what was really answered."""
    r = random.Random(-seed - 1)
    table = SmallTable(r)
    write(tmp_path / "t.duckdb", table)
    log = [answered(r, table) if r.random() < 0.5 else modelled(r) for _ in range(4)]
    report = audit(tmp_path / "t.duckdb", log, POLICY, ranges=0.0)
    left = set(range(len(table.worlds)))
    for step in report.steps[1:]:
        left = table.alike(step.sql, left)
        for finding in step.findings:
            place = list(DOMAINS).index(finding.fact.column)
            row = int(finding.fact.key)
            values = {table.worlds[n][row][place] for n in left}
            if finding.verdict == DISCLOSED:
                assert len(values) == 1, (seed, step.sql, finding)
            elif finding.verdict == SAFE:
                assert len(values) > 1, (seed, step.sql, finding)
            else:
                assert any(one.status in OPEN for one in report.steps), (seed, step.sql)


OPEN = ("bounded", "unsupported")


# how it is said


LOG = [
    "SELECT SUM(balance) FROM accounts",
    "SELECT name, STDDEV(balance) OVER () FROM accounts WHERE name <> 'Jean'",
    "SELECT SUM(balance) FROM accounts WHERE name <> 'Jean'",
]


def test_what_follows_with_a_bounded_statement_alone_is_undecided(bank: Path) -> None:
    report = audit(bank, LOG[:2], policy())
    jean = last(report)
    said = "through line 2, which was taken for more than it says"
    assert (jean.verdict, jean.reason) == ("undecided", said)
    assert report.verdict == "undecided" and report.steps[2].status == "bounded"
    assert said in str(report) and "BOUNDED taken for more than it says" in str(report)
    # What is left is by the exact answers, and may be less.
    assert {cell.tight for cell in report.steps[2].remaining} == {False}


def test_what_follows_from_exact_ones_stays_disclosed(bank: Path) -> None:
    report = audit(bank, LOG, policy())
    jean = last(report)
    assert (jean.verdict, jean.core, jean.since) == ("disclosed", (1, 3), 3)
    assert last(report, "Ann").verdict == "undecided"


def test_what_is_safe_by_more_is_safe(bank: Path) -> None:
    log = ["SELECT branch, SUM(balance) * 1.0 / COUNT(*) FROM accounts GROUP BY 1"]
    report = audit(bank, log, policy())
    step = report.steps[1]
    apart = "its aggregates apart, COUNT(*), SUM(balance)"
    assert report.verdict == "safe"
    assert step.status == "answered" or apart in step.reason


def test_statements_that_cannot_be_bounded_still_taint(bank: Path) -> None:
    report = audit(bank, ["SELECT unmask(balance) FROM accounts"], policy())
    assert report.verdict == "unsupported"
    assert "the function 'unmask' is not known" in report.steps[1].reason


def test_through_several_lines(bank: Path) -> None:
    log = [
        "SELECT name, STDDEV(balance) OVER () FROM accounts WHERE name <> 'Jean'",
        "SELECT STDDEV(balance) FROM accounts WHERE name = 'Jean'",
    ]
    pair = {"formula": "balance[Jean] > balance[Ann]"}
    report = audit(bank, log, policy(pair=pair))
    finding = report.steps[-1].findings[0]
    assert finding.verdict == "undecided" and "through line" in finding.reason


def test_the_table_as_a_whole(bank: Path) -> None:
    rows = "SELECT STRING_AGG(balance::VARCHAR, ',') FROM accounts"
    report = audit(bank, [rows], policy(), reconstruct=True)
    whole = report.reconstruction
    assert whole is not None and whole.status == "undecided"
    assert "through line 1" in whole.reason
    exactly = "SELECT name, balance FROM accounts"
    whole = audit(bank, [rows, exactly], policy(), reconstruct=True).reconstruction
    assert whole is not None and (whole.status, whole.core) == ("determined", (2,))


def test_pages_and_json_say_it(bank: Path) -> None:
    report = audit(bank, LOG[:2], policy())
    page = report.to_html()
    assert "taken for more than it says" in page and "TAKEN FOR MORE" in page
    public = report.to_html(public=True)
    assert "not modelled: taken for more than it says" in public
    step = report.to_dict()["steps"][2]
    assert step["status"] == "bounded" and "taken for" in step["reason"]


def test_a_plan_is_bounded_by_what_it_reads(bank: Path) -> None:
    shown = "EXPLAIN ANALYZE SELECT name FROM accounts WHERE balance > 300"
    report = audit(bank, ["EXPLAIN SELECT branch FROM accounts", shown], policy())
    assert [step.status for step in report.steps[1:]] == ["silent", "bounded"]
    assert "balance of all rows" in report.steps[2].reason


def test_a_value_that_could_fail_keeps_all_rows(bank: Path) -> None:
    """That there was no error says something of the rows that are left out, too."""
    log = ["SELECT MODE(100 // balance) FROM accounts WHERE branch = 'N'"]
    report = audit(bank, log, policy())
    assert "balance of all rows" in report.steps[1].reason
    log = ["SELECT MODE(balance) FROM accounts WHERE branch = 'N'"]
    report = audit(bank, log, policy())
    assert "which rows its condition keeps" in report.steps[1].reason


def test_exact_answers_after_a_bounded_one_count_alone(bank: Path) -> None:
    """The first disclosure of each fact names exact queries only."""
    bounded = "SELECT MODE(balance) FROM accounts"
    log = [bounded, *LOG[::2], "SELECT name, balance FROM accounts WHERE name = 'Ann'"]
    report = audit(bank, log, policy())
    cores = {
        finding.fact.key: finding.core
        for finding in report.steps[-1].findings
        if finding.verdict == DISCLOSED
    }
    assert cores == {"Jean": (2, 3), "Ann": (4,)}


def test_a_macro_of_the_database_is_no_function(bank: Path) -> None:
    with duckdb.connect(str(bank)) as connection:
        connection.execute(
            "CREATE MACRO div0(a, b) AS (SELECT MAX(balance) FROM accounts) + a"
        )
    report = audit(bank, ["SELECT div0(COUNT(*), 1) FROM accounts"], policy())
    assert report.verdict == "unsupported"
    assert "a function 'div0' of its own" in report.steps[1].reason


STRANGE = [
    # the table by other names, or by none
    "SELECT * FROM (SELECT accounts FROM accounts) q",
    "SELECT x FROM accounts AS a (n, b, x)",
    "SELECT COUNT(*) FROM accounts NATURAL JOIN towns",
    "SELECT (SELECT balance) FROM accounts",
    "SELECT x.* FROM accounts a, LATERAL (SELECT a.balance) x",
    "SELECT 1 WHERE 420 IN (SELECT balance FROM accounts)",
    "WITH accounts AS (SELECT balance AS branch FROM accounts) SELECT * FROM accounts",
    "WITH q(branch) AS (SELECT balance FROM accounts) SELECT branch FROM q",
    "SELECT branch FROM accounts ORDER BY balance LIMIT 1",
    "SELECT branch FROM accounts LIMIT (SELECT MAX(balance) // 200 FROM accounts)",
    "SELECT COUNT(* EXCLUDE (name)) FROM accounts",
    "SELECT * REPLACE (balance // 2 AS branch) FROM accounts",
    "SELECT SUM(1) OVER w FROM accounts WINDOW w AS (ORDER BY balance RANGE 9 PRECEDING)",
]


@pytest.mark.parametrize("sql", STRANGE)
def test_what_reads_cells_is_never_public(sql: str, bank: Path) -> None:
    step = audit(bank, [sql], policy(), ranges=0.0).steps[1]
    assert step.status in ("answered", "bounded", "unsupported"), step.reason


SAYS = [
    # What is made of aggregates, and which rows they are over where order may say so.
    ("SELECT ROUND(SUM(balance) / 3, 1) FROM accounts", "apart, SUM(balance)"),
    (
        "SELECT branch, ROUND(SUM(balance) / 3) FROM accounts WHERE balance > 300"
        " GROUP BY branch LIMIT 1",
        "by branch, and which rows these are over",
    ),
    (
        "SELECT LOWER(branch), AVG(balance) / 2 FROM accounts GROUP BY 1",
        "apart, SUM(balance), COUNT(balance) by branch",
    ),
    ("SELECT LOWER(branch), MEDIAN(balance) / 2 FROM accounts GROUP BY 1", "how often"),
    # Histograms, not of what depends on the order of rows.
    ("SELECT BIT_XOR(balance) FROM accounts", "how often each balance occurs"),
    ("SELECT SUM(balance * balance) FROM accounts", "how often each balance occurs"),
    (
        "SELECT SUM(CASE balance WHEN 0.5 THEN 2 WHEN 320 THEN 4.0 END) FROM accounts",
        "how often each balance occurs",
    ),
    (
        "SELECT SUM(CASE balance WHEN 320 THEN 4.5 END) FROM accounts",
        "balance of all rows",
    ),
    ("SELECT SUM(SQRT(balance)) FROM accounts", "balance of all rows"),
    ("SELECT STDDEV(balance) FROM accounts", "balance of all rows"),
    ("SELECT BIT_XOR(balance) OVER () FROM accounts", "balance of all rows"),
    ("SELECT COUNT(DISTINCT (name, balance)) FROM accounts", "balance of all rows"),
    # Rows: all of them where another row may count.
    (
        "SELECT name, balance FROM accounts WHERE branch = 'N' LIMIT 9",
        "keeps, with their balance",
    ),
    (
        "SELECT a.name FROM accounts a JOIN towns t ON a.balance = t.lim AND"
        " a.balance > t.lim - 1 WHERE a.branch = 'N'",
        "balance of",
    ),
    (
        "SELECT t.town FROM towns t LEFT JOIN accounts a ON a.balance = t.lim WHERE"
        " a.branch IS NULL",
        "balance of all rows",
    ),
    (
        "SELECT MODE(b.balance) FROM accounts b WHERE b.balance > (SELECT"
        " AVG(a.balance) FROM accounts a WHERE a.branch <> b.branch)",
        "balance of all rows",
    ),
]


@pytest.mark.parametrize(("sql", "says"), SAYS)
def test_what_it_is_taken_for(sql: str, says: str, tmp_path: Path, bank: Path) -> None:
    with duckdb.connect(str(bank)) as connection:
        connection.execute("CREATE TABLE towns (town VARCHAR, lim INTEGER)")
        connection.execute("INSERT INTO towns VALUES ('N', 320), ('S', 150)")
    step = audit(bank, [sql], policy() | {"external": ["towns"]}, ranges=0.0).steps[1]
    assert step.status == "answered" or says in step.reason, step.reason
