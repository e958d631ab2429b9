"""Audits of a census, second worlds, and verdicts that take two solvers."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from support.audit_run_cases import bank  # noqa: F401

from phverify.budget import Deadline
from phverify.constraints import cpsat
from phverify.disclosure.histories.read import read_log
from phverify.disclosure.policy_reader import load
from phverify.disclosure.pool import Pool
from phverify.disclosure.protected import facts
from phverify.disclosure.reconstruct import reconstruction
from phverify.disclosure.solving import ask as solving
from phverify.disclosure.worlds.opening import open_database
from phverify.disclosure.worlds.unknowns import read
from phverify.errors import Defect
from phverify.report.audit_text import to_lines
from phverify.verbs.audit import audit
from phverify.verbs.auditor import Auditor

pytest.importorskip("sqlglot")
from support.audit_run_cases import ALL, BUT_JEAN, duckdb, last, policy

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
    for statement in read_log(log).statements:
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


def test_the_report_says_who_and_why(bank: Path) -> None:
    report = audit(bank, [ALL, "DROP TABLE accounts", BUT_JEAN], policy())
    lines = "\n".join(to_lines(report))
    assert "the adversary knows: name (which names each row), branch" in lines
    assert "unknown: balance, one of 0..1000" in lines
    assert (
        "DISCLOSED by query 3 at the latest: the balance of Jean = 420 follows from"
        " queries 1 and 3" in lines
    )
    assert (
        "REFUSED DROP would write" in lines
        and "UNSUPPORTED 4 facts: query 2 (line 2) is not audited" in lines
    )
    plain = json.loads(json.dumps(report.to_dict()))
    facts = [fact["cells"] for fact in plain["facts"]]
    assert (plain["verdict"], plain["first"]) == ("disclosed", 3)
    assert not plain["first_exact"]
    [jean] = plain["disclosed"]
    assert facts[jean["fact"]] == [["Jean", "balance"]] and jean["value"] == 420
    assert jean["since"] == 3 and jean["queries"] == [
        {"query": 1, "line": 1},
        {"query": 3, "line": 3},
    ]
    assert jean["combination"] == [
        {"query": 1, "times": "1"},
        {"query": 3, "times": "-1"},
    ]
    (found,) = report.disclosed
    assert (found.cells, found.value) == ((("Jean", "balance"),), 420)
    assert dict(found.combination) == {1: 1, 3: -1}
    place = facts.index([["Ann", "balance"]])
    # the world may be one of before the first query, and is no news then
    told = [*plain["steps"][0]["findings"], *plain["steps"][1]["findings"]]
    ann = [finding for finding in told if finding["fact"] == place][-1]
    assert any(
        change[:3] == ["Ann", "balance", 320]
        for change in plain["worlds"][ann["worlds"][0]]
    )


def test_json_says_each_thing_once(bank: Path) -> None:
    """What is as it was is not said again, and the text of a fact stands once."""
    log = [ALL, "SELECT COUNT(*) FROM accounts", ALL, BUT_JEAN, ALL]
    plain = audit(bank, log, policy()).to_dict()
    assert json.dumps(plain).count("the balance of Ann") == 1
    said = [len(step["findings"]) for step in plain["steps"]]
    assert said[0] == 5 and said[5] == 0 and sum(said) < 20
    assert not plain["steps"][5]["remaining"]
    worlds = [json.dumps(world) for world in plain["worlds"]]
    assert len(set(worlds)) == len(worlds)


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
        solving,
        "z3_ask",
        lambda terms, deadline: solving.SolverOutcome("sat", by=("Z3",)),
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
