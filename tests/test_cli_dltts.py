"""``phverify audit --dltts``: the log as a transition system, against brute force; what
pictures show; what cannot be written.
"""

from __future__ import annotations

import json
import re
import stat
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.audit_bank import ALL, BUT_JEAN, CELLS, COUNT, POLICY, Run, auditor
from support.one_fixture import ONE_FIXTURE
from support.so_many import so_many

from phverify.disclosure.dltts import picture
from phverify.disclosure.result import FactFinding, Step
from phverify.verbs.audit import audit

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("sqlglot")
LEAK = f"{ALL};\n{COUNT};\n{BUT_JEAN};\n{ALL};\n"


@pytest.fixture
def run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Run:
    return auditor(tmp_path, capsys, monkeypatch)


# the states again, by listing all worlds

KEYS = ("Ann", "Bob", "Cem")
HIGHEST = 3
World = tuple[int, ...]
Question = tuple[str, Callable[[World], Any]]


def above(world: World, bound: int) -> int:
    return sum(value > bound for value in world)


QUESTIONS: list[Question] = [
    ("SELECT SUM(n) FROM t", sum),
    ("SELECT MAX(n) FROM t", max),
    ("SELECT MIN(n) FROM t", min),
    ("SELECT SUM(n) FROM t WHERE name <> 'Ann'", lambda world: world[1] + world[2]),
    ("SELECT MAX(n) FROM t WHERE name <> 'Cem'", lambda world: max(world[:2])),
    ("SELECT COUNT(*) FROM t WHERE n > 1", lambda world: above(world, 1)),
    ("SELECT COUNT(*) FROM t WHERE n > 2", lambda world: above(world, 2)),
    ("SELECT SUM(n) FROM t WHERE name = 'Bob'", lambda world: world[1]),
    ("SET threads = 1", lambda world: None),  # says nothing: no formula is added
]


def rebuilt(data: World, asked: list[Question]) -> list[dict[str, Any]]:
    """The states of a log over a table whose cells are all protected."""
    worlds = list(product(range(HIGHEST + 1), repeat=len(data)))
    tag, states = {"true"}, []
    for number in range(len(asked) + 1):
        if number:
            answer = asked[number - 1][1]
            worlds = [world for world in worlds if answer(world) == answer(data)]
            if answer(data) is not None:
                tag = tag | {f"answer({number}, {answer(data)})"}
        known = {
            f"n({key}, {value})"
            for place, (key, value) in enumerate(zip(KEYS, data, strict=True))
            if len({world[place] for world in worlds}) == 1
        }
        state = {
            "name": f"after query {number}" if number else "start",
            "status": "violated" if known else "open",
            "tag": sorted(tag),
            "follows": sorted(known - tag),
            "secrets": sorted(known),
            "probability": "1",
        }
        states.append(state)
        if known:
            break
    return states


@settings(
    so_many(40),
    suppress_health_check=ONE_FIXTURE,
)
@given(
    st.tuples(*[st.integers(0, HIGHEST)] * len(KEYS)),
    st.lists(st.sampled_from(QUESTIONS), min_size=1, max_size=5),
)
def test_the_states_are_those_of_all_worlds(
    tmp_path: Path, data: World, asked: list[Question]
) -> None:
    table = tmp_path / "t.csv"
    rows = [f"{key},{value}" for key, value in zip(KEYS, data, strict=True)]
    table.write_text("\n".join(["name,n", *rows, ""]), encoding="utf-8")
    policy = {
        "table": "t",
        "key": "name",
        "sensitive": {"n": {"from": 0, "to": HIGHEST}},
        "protect": {"cells": {"column": "n"}},
    }
    report = audit(table, [sql for sql, _ in asked], policy, ranges=60)
    found = report.dltts().to_dict()
    expected = rebuilt(data, asked)
    states = [{name: state[name] for name in expected[0]} for state in found["states"]]
    assert states == expected
    names = [state["name"] for state in expected]
    violated = expected[-1]["status"] == "violated"
    moves = [state["moves"] for state in found["states"]]
    for number, (there, after) in enumerate(zip(moves, names[1:], strict=False), 1):
        (move,) = there
        assert move["action"] == f"query {number}: {asked[number - 1][0]}"
        assert move["branches"] == [{"state": after, "probability": "1"}]
    assert [move["action"] for move in moves[-1]] == ["violation"] * violated
    assert found["violation"]["least"] == found["violation"]["most"] == str(+violated)
    assert (found["violation"]["run"] is not None) == violated


# what is written

SVG = "{http://www.w3.org/2000/svg}"


def test_the_file_s_ending_says_what_is_written(run: Run) -> None:
    for name in ("log.svg", "log.dot", "log.json"):
        code, out, err = run(LEAK, "--dltts", name)
        assert (code, err) == (1, "")
        said = "4 states, a protected fact follows with probability 1"
        assert f"  the transition system is written to {name}: {said}\n" in out
        assert stat.S_IMODE(Path(name).stat().st_mode) == 0o600
    report = audit("bank.duckdb", "queries.sql", "audit.toml")
    log = report.dltts()
    assert Path("log.svg").read_text(encoding="utf-8") == log.svg() == log._repr_svg_()
    assert Path("log.dot").read_text(encoding="utf-8") == log.dot()
    assert json.loads(Path("log.json").read_text(encoding="utf-8")) == log.to_dict()


def test_a_picture_names_queries_answers_and_secrets(run: Run) -> None:
    run(LEAK, "--dltts", "log.svg")
    root = ElementTree.parse("log.svg").getroot()
    words = [element.text for element in root.iter(f"{SVG}text")]
    assert words[:3] == [f"query 1: {ALL}", f"query 2: {COUNT}", f"query 3: {BUT_JEAN}"]
    assert {"answer(3, 1160)", "SECRET: balance(Jean, 420)", "violated"} <= set(words)
    assert words.count("as before: 1 formula") == 1  # the sum, after query 2
    assert "after query 4" not in words  # nothing is asked after the violation
    assert len(list(root.iter(f"{SVG}rect"))) == 6  # four states, and *fail* twice
    width = float(root.attrib["width"])
    for element in root.iter(f"{SVG}text"):
        letters = len(element.text or "") * 7.2
        assert float(element.attrib["x"]) + letters <= width


def test_redacted_files_have_no_value_of_a_cell(run: Run) -> None:
    policy = f"{POLICY}{CELLS}rich = {{ fact = 'balance >= 400' }}\n"
    for name in ("log.svg", "log.dot", "log.json"):
        run(LEAK, "--redact", "--dltts", name, policy=policy)
        text = Path(name).read_text(encoding="utf-8")
        text = re.sub(' (x|y|d|width|height|viewBox)="[^"]*"', "", text)
        assert not re.search(r"\b(1580|1160|420|320|270|150|400)\b", text)
        assert "cells: a fact about balance of Jean" in text
        assert "rich: a fact about balance" in text
        assert "answer(3, (hidden))" in text and "distance" not in text.replace(
            '"distance": null', ""
        )


def test_undecided_steps(run: Run) -> None:
    unread = f"{ALL};\nSELECT TOP 5 balance FROM accounts;\n"
    code, out, _ = run(unread, "--dltts", "log.dot")
    assert code == 3
    assert "3 states, a protected fact follows with probability 0 to 1" in out
    text = Path("log.dot").read_text(encoding="utf-8")
    assert "answer(2, (not audited))\\nundecided" in text


def test_what_is_decided_at_a_silent_statement(run: Run) -> None:
    """It is so of the answers before it: they are the same."""
    run(f"{ALL};\n{BUT_JEAN};\nBEGIN;\n")
    report = audit("bank.duckdb", "queries.sql", "audit.toml")
    assert [step.status for step in report.steps[2:]] == ["answered", "silent"]
    late = replace(report.steps[2], findings=undecided(report.steps[2]))
    report = replace(report, steps=[*report.steps[:2], late, report.steps[3]])
    assert report.dltts().violation.least == 1
    later = replace(report.steps[3], findings=undecided(report.steps[3]))
    report = replace(report, steps=[*report.steps[:3], later])
    found = report.dltts()
    assert (found.violation.least, found.violation.most) == (0, 1)


def undecided(step: Step) -> tuple[FactFinding, ...]:
    return tuple(replace(finding, verdict="undecided") for finding in step.findings)


def test_statements_that_read_like_the_oracle_or_break_lines(run: Run) -> None:
    """A statement named as the oracle's move is one of the log; marks of control and
    of direction are spelt out.
    """
    strange = f"violation;\n{ALL};\nSELECT '\x01\x1b[31m\u202e <b>&' FROM accounts;\n"
    for name in ("log.svg", "log.dot"):
        assert run(strange, "--dltts", name)[0] == 3
        text = Path(name).read_text(encoding="utf-8")
        assert "query 1: violation" in text
        assert "\x1b" not in text and "\u202e" not in text
    assert ElementTree.parse("log.svg").getroot().tag == f"{SVG}svg"


def test_too_many_states_for_a_picture(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert picture.MOST == 200
    monkeypatch.setattr(picture, "MOST", 20)
    log = f"{COUNT};\n" * 20
    code, out, err = run(log, "--ranges", "0", "--dltts", "log.svg")
    assert code == 2 and "SAFE: 5 facts" in out
    assert "21 states are too many for a picture of at most 20" in err
    assert "JSON" in err and not Path("log.svg").exists()
    assert run(log, "--ranges", "0", "--dltts", "log.json")[0] == 0
    found = json.loads(Path("log.json").read_text(encoding="utf-8"))
    assert len(found["states"]) == 21


def test_a_box_shows_some_of_many_formulas(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    rows = [f"p{number:02d},{number}" for number in range(20)]
    table.write_text("\n".join(["name,n", *rows, ""]), encoding="utf-8")
    policy = {
        "table": "t",
        "key": "name",
        "sensitive": {"n": {"from": 0, "to": 99}},
        "protect": {"all": {"column": "n"}},
    }
    text = audit(table, ["SELECT name, n FROM t"], policy, ranges=60).dltts().dot()
    assert "SECRET: n(p00, 0)" in text and "SECRET: 12 more" in text
    assert "so: " not in text  # a secret is marked as one, and not said again
    assert "answer(1, (p00, 0), (p01, 1)" in text and "...\\n" in text


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("log.png", "'log.png' ends in .png"),
        ("log", "'log' has no ending"),
        ("nowhere/log.svg", "the folder nowhere does not exist"),
        ("-", "only --json writes to standard output"),
        ("queries.sql", "is an input"),
    ],
)
def test_files_that_cannot_be_written(run: Run, name: str, said: str) -> None:
    code, out, err = run(LEAK, "--dltts", name)
    assert (code, out) == (2, "") and said in err and "--dltts" in err
    assert ".svg is a picture" in err or "log." not in name or "/" in name


def test_the_report_and_the_system_are_two_files(run: Run) -> None:
    code, _, err = run(LEAK, "--dltts", "log.json", "--json", "log.json")
    assert code == 2 and "log.json is where --json goes, too" in err
    assert run(LEAK, "--dltts", "log.json", "--json", "-")[0] == 1
    assert Path("log.json").is_file()
