"""Ctrl-C once a search has ended: while its answer is put together, explained or worded
it is told all the same; and a curve ends where its search was interrupted.
"""

from __future__ import annotations

import importlib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.interrupts_cases import (
    ALL,
    INPUTS,
    SEARCH,
    Patch,
    Run,
    files,
    modules,
    run,  # noqa: F401
    stop,
    stops_at,
)
from support.so_many import so_many
from support.stopping import stopped_at_line
from test_tradeoff_shared import PATHS, policy, table

import phverify as ph
from phverify.budget import Deadline
from phverify.generalization.loop import LeastSearch
from phverify.generalization.options import options
from phverify.microdata.read import read
from phverify.result import Result
from phverify.verbs import reasons
from phverify.verbs import search as searching
from phverify.verbs.prepared_search import prepared
from phverify.verbs.tradeoff_points import TradeoffSearch

answer = modules["generalization.answer"]
audit = importlib.import_module("phverify.cli.audit")
by_search = importlib.import_module("phverify.report.search_text")
by_curve = importlib.import_module("phverify.report.tradeoff_text")

VERIFY = ["verify", INPUTS[0], "--policy", INPUTS[1], "--json", "result.json"]
AUDIT = ["audit", "--demo", "bank", "--json", "result.json"]
CURVE = [*SEARCH, "--tradeoff", "k=2..3", "--json", "result.json"]
INIT = ["init", INPUTS[2], "--yes", "--output", "policy.toml", "--json", "result.json"]
LINT = ["lint", INPUTS[1], "--json", "result.json"]
NOT_WHOLE = "phverify: standard output: is not written whole: interrupted\n"
ASKED: list[tuple[list[str], Any, str]] = [
    ([*SEARCH, *ALL], by_search, "_tail"),
    (VERIFY, Result, "lines"),
    (AUDIT, audit, "to_lines"),
    (CURVE, by_curve, "_tail"),
    (INIT, Result, "lines"),
    (LINT, Result, "lines"),
]


# Words


@pytest.mark.parametrize(("words", "owner", "step"), ASKED)
def test_while_the_answer_is_worded(
    run: Run, monkeypatch: Patch, words: list[str], owner: Any, step: str
) -> None:
    """Files are there by then: whoever reads them is told what they are."""
    code, out, _ = run(*words)
    written = files()
    for name in written:
        Path(name).unlink()
    stops_at(monkeypatch, owner, step)
    again, told, said = run(*words)
    assert (again, said) == (code, "")
    # Nothing is said twice.
    assert told.splitlines()[0] == out.splitlines()[0]
    assert len(told.splitlines()) == len(out.splitlines())
    assert files() == written and "result.json" in written


def test_who_interrupts_twice_waits_for_nothing(run: Run, monkeypatch: Patch) -> None:
    monkeypatch.setattr(by_search, "_tail", stop)
    assert run(*SEARCH, *ALL) == (2, "", NOT_WHOLE)
    assert files() == {"out.csv", "result.json", "proof.json"}


# The answer, put together

STEPS = ["shared", "statistics", "proofs", "history", "standing", "result"]
STEPS += ["settled", "rewriting", "warnings"]


def found(rules: Any, rows: int = 14, **more: Any) -> ph.SearchResult:
    return ph.search(table(5, rows), policy(rules), PATHS, **more)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("objective", ["loss", "discernibility"])
def test_a_known_release_is_kept(monkeypatch: Patch, step: str, objective: str) -> None:
    plain = found({"k": "k_anonymity(2)"}, objective=objective)
    stops_at(monkeypatch, answer._Answering, step)
    stopped = found({"k": "k_anonymity(2)"}, objective=objective)
    assert (stopped.cost, stopped.levels) == (plain.cost, plain.levels)
    assert (stopped.verdict, stopped.reason) == ("undecided", "interrupted")
    # What has ended is not searched again.
    assert stopped.statistics.candidates == plain.statistics.candidates


@so_many(60, fuzz=2000)
@given(
    rule=st.sampled_from(["k_anonymity(3)", "l_diversity(f, 2)", "k_anonymity(40)"]),
    share=st.sampled_from(["0", "1/4"]),
    objective=st.sampled_from(["loss", "height", "discernibility"]),
    lists=st.booleans(),
    stops=st.integers(1, 260),
)
def test_at_any_line_nothing_wrong_is_said(
    rule: str, share: str, objective: str, lists: bool, stops: int
) -> None:
    how: dict[str, Any] = {"suppress": share, "objective": objective}
    if share == "0" or objective != "discernibility":
        how["all_minimal"] = lists
    plain = found({"r": rule}, **how)
    with stopped_at_line(answer, stops) as lines:
        try:
            stopped = found({"r": rule}, **how)
        except KeyboardInterrupt:
            # Before the first step, where nothing is known.
            assert lines.where.startswith("answered, ")
            return
    if not lines.where or stopped.verdict != "undecided":
        assert (stopped.verdict, stopped.cost) == (plain.verdict, plain.cost)
        return
    assert stopped.reason.startswith("interrupted")
    if stopped.bound is not None and plain.cost is not None:
        assert stopped.bound <= plain.cost
    unchecked = "before the released table was checked" in stopped.reason
    if unchecked or plain.cost is None:
        assert stopped.cost is None
    else:
        assert stopped.cost is not None and stopped.cost >= plain.cost


@pytest.mark.parametrize("name", ["missing_quasi", "mistakable"])
def test_cautions_come_before_anything_is_found(monkeypatch: Patch, name: str) -> None:
    told: list[str] = []
    monkeypatch.setattr(searching, name, stop)
    with pytest.raises(KeyboardInterrupt):
        found({"k": "k_anonymity(2)"}, space="subtrees", progress=told.append)
    assert told and not [step for step in told if "searching" in step]


# Its reasons


@pytest.mark.parametrize(
    ("name", "rule", "verdict"),
    [
        ("explained", "k_anonymity(3)", "optimal"),
        ("relaxed_rules", "k_anonymity(40)", "infeasible"),
    ],
)
def test_an_answer_stands_without_its_reasons(
    monkeypatch: Patch, name: str, rule: str, verdict: str
) -> None:
    plain = found({"k": rule}, explain=True)
    monkeypatch.setattr(reasons, name, stop)
    stopped = found({"k": rule}, explain=True)
    assert stopped.verdict == plain.verdict == verdict
    assert (stopped.cost, stopped.bound) == (plain.cost, plain.bound)
    assert stopped.warnings == (
        *plain.warnings,
        "interrupted: the answer is not explained",
    )
    assert stopped.explanation is None and not stopped.relaxed
    assert "warning: interrupted: the answer is not explained" in str(stopped)


# Searches that were stopped before


def test_who_interrupts_what_is_soon_seen_gets_no_list(monkeypatch: Patch) -> None:
    monkeypatch.setattr(LeastSearch, "look_soon", stop)
    monkeypatch.setattr(LeastSearch, "_next", lambda *given: pytest.fail("searched"))
    rules = {"t": "t_closeness(f, 1/2)"}
    stopped = found(rules, 24, suppress="1/4", all_minimal=True)
    assert (stopped.verdict, stopped.reason) == ("undecided", "interrupted")
    assert stopped.cost is not None and not stopped.minimal


def test_a_search_that_is_stopped_prices_nothing(monkeypatch: Patch) -> None:
    asked = policy({"k": "k_anonymity(2)"})
    chosen = options(asked, "levels", "discernibility", "1/4", None, False, None)
    coded = read(table(5, 14))
    search = prepared(asked, coded, PATHS, chosen, Deadline(), lambda step: None)
    search.look_at(search.space.top())
    search.stop(KeyboardInterrupt())
    monkeypatch.setattr(type(search), "_tried", lambda *given: pytest.fail("searched"))
    assert search.least() is search.best is not None
    assert search.stopped == "interrupted"


# Curves


def curve(rule: str, values: str, frame: pd.DataFrame, **more: Any) -> ph.Tradeoff:
    return ph.tradeoff(
        frame, policy({"k": rule}), PATHS, k=values, space="subtrees", **more
    )


def test_bounds_are_shared_and_releases_are_not_checked_again(
    monkeypatch: Patch,
) -> None:
    """Ctrl-C while a release of one point is checked for another one."""
    frame, last = table(5, 14), Fraction(20)
    plain = curve("k_anonymity(2)", "2..20", frame)
    checks: list[int] = []

    def checked(curve: TradeoffSearch, donor: int, place: int) -> bool:
        checks.append(place)
        if place == 1:
            raise KeyboardInterrupt
        return False

    monkeypatch.setattr(TradeoffSearch, "_satisfies", checked)
    stopped = curve("k_anonymity(2)", "2..20", frame)
    first, *missed, strictest = stopped.points
    assert (first.verdict, first.cost) == ("optimal", plain.points[0].cost)
    assert (strictest.value, strictest.verdict) == (last, "infeasible")
    for point in missed:
        assert (point.verdict, point.bound) == ("undecided", first.cost)
        assert point.reason == "not searched: interrupted"
    assert checks[-1] == 1


def test_a_curve_ends_at_a_point_that_loses_nothing(monkeypatch: Patch) -> None:
    """Its release is a least one, whoever interrupted the search."""
    row = {"p": "0", "q": "0", "r": "0", "f": "a"}
    frame = pd.DataFrame([row] * 3)
    stops_at(monkeypatch, LeastSearch, "_next")
    stopped = curve("k_anonymity(2)", "2,4,5", frame)
    first, *missed = stopped.points
    assert (first.verdict, first.cost) == ("optimal", 0)
    for point in missed:
        # By itself it is infeasible.
        assert point.verdict == "undecided"
        assert point.reason == "not searched: interrupted"


@pytest.mark.parametrize(
    ("owner", "step"), [(answer, "decided_anew"), (LeastSearch, "confirm")]
)
def test_a_curve_ends_after_a_search(monkeypatch: Patch, owner: Any, step: str) -> None:
    """While its release is checked, and while its bound is proved."""
    monkeypatch.setattr(owner, step, stop)
    begun: list[str] = []
    stopped = curve("k_anonymity(2)", "2..4", table(5, 14), progress=begun.append)
    assert [point.searched for point in stopped.points] == [True, False, False]
    assert stopped.points[0].reason.startswith("interrupted ")
    assert not [said for said in begun if said.startswith("k = 4")]
