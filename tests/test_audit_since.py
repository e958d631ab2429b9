"""Since when is a fact disclosed?  By a certain query where it was safe before it, by it
at the latest where that is not known; every report says which.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pandas as pd
import pytest
from support.pages import said
from support.small_audits import Small, Worlds, first_step
from support.so_many import FUZZ
from support.stopping import counted

import phverify
import phverify.verbs.audit as audited
from phverify.disclosure.classes import few, made_for
from phverify.disclosure.classes.history import ColumnHistory
from phverify.disclosure.decide import AuditJudge
from phverify.disclosure.result import UNDECIDED, AuditReport, FactFinding

pytest.importorskip("sqlglot")

ALL = "SELECT SUM(s) FROM t"
BUT_A = "SELECT SUM(s) FROM t WHERE id <> 'a'"
BUT_B = "SELECT SUM(s) FROM t WHERE id <> 'b'"
MEAN = "SELECT AVG(s) FROM t WHERE id IN ('c', 'd')"
POLICY: dict[str, Any] = {
    "table": "t",
    "key": "id",
    "public": [],
    "sensitive": {"s": {"from": 0, "to": 100}},
    "protect": {"cells": {"column": "s"}},
}
FRAME = pd.DataFrame({"id": list("abcdef"), "s": [10, 20, 30, 40, 50, 60]})


def by_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes for tables of any size, none of which is looked at one by one."""
    monkeypatch.setattr(audited, "FROM_ROWS", 1)
    monkeypatch.setattr(made_for, "FROM_ROWS", 1)
    monkeypatch.setattr(made_for, "ROWS_OF_RANGES", 0)
    monkeypatch.setattr(few, "FEW", 0)


def ended_after_the_last_level(monkeypatch: pytest.MonkeyPatch) -> None:
    """What holds after the whole log is judged, and not what held before."""
    level = ColumnHistory._level

    def stopped(self: ColumnHistory, number: int, waiting: Any) -> None:
        if number < self.levels:
            raise KeyboardInterrupt
        level(self, number, waiting)

    monkeypatch.setattr(ColumnHistory, "_level", stopped)


def checked(small: Small, worlds: Worlds, report: AuditReport) -> Iterator[bool]:
    """Whether each disclosure of each step is exact, once it is what it says."""
    for step in report.steps:
        for one in step.findings:
            if one.verdict == "disclosed":
                true = first_step(small, worlds, int(one.fact.key[1:]))
                assert true <= one.since <= step.number
                assert true == one.since or not one.exact
                assert one.since == max(one.core, default=0)
                yield one.exact


@pytest.mark.parametrize("classes", [True, False])
def test_whenever_a_run_is_stopped(
    classes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All worlds are the judge: of runs that Ctrl-C or the budget ends at any look at
    the clock.
    """
    if classes:
        by_classes(monkeypatch)
    exact: set[bool] = set()
    last, between = (40, 6) if classes else (240, 24)
    looks = range(1, last, 1 if FUZZ else between)
    for seed in range(40 if FUZZ else 4):
        small = Small(seed)
        worlds = small.worlds()
        for stops in looks:
            interrupted = (stops + seed) % 2
            # Before anything is decided Ctrl-C is nothing but that.
            with suppress(KeyboardInterrupt), counted(stops if interrupted else None):
                budget = 10**9 if interrupted else stops
                report = small.audit(budget=budget)
                exact.update(checked(small, worlds, report))
    assert True in exact


def test_what_only_the_end_of_a_log_was_judged_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    by_classes(monkeypatch)
    ended_after_the_last_level(monkeypatch)
    later = set()
    # Audits where a fact follows from more than sums, and before the last query.
    for seed in (10, 39, 45, 95, 192):
        small = Small(seed)
        worlds = small.worlds()
        report = small.audit()
        assert report.stopped and set(checked(small, worlds, report)) == {False}
        for one in report.disclosed:
            true = first_step(small, worlds, int(one.cells[0][0][1:]))
            later.add(one.since - true)
    assert later == {0, 1, 2}


def test_a_proof_says_from_where_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fact that follows from the first queries is not told at the last one."""
    by_classes(monkeypatch)
    ended_after_the_last_level(monkeypatch)
    report = Small(39).audit()
    assert len(report.steps) == 6
    told = {(one.since, one.exact) for one in report.disclosed}
    assert told == {(1, False), (3, False), (4, False)}
    assert_late(report, 1)


def assert_late(report: AuditReport, number: int) -> None:
    """Text, page, public page and JSON say that it is so by then at the latest."""
    text = str(report)
    assert f"DISCLOSED by query {number} at the latest: " in text
    assert "perhaps before this query" in text and "At the latest: it follows" in text
    page = said(report.to_html())
    assert f"Query {number} at the latest: " in page
    assert f"since query {number} at the latest" in page
    public = said(report.to_html(public=True))
    for shown in (page, public):
        assert f"The first was given away by query {number} at the latest." in shown
        assert "KNOWN BY NOW" in shown and "GIVES AWAY" not in shown.split("KNOWN")[1]
    plain = json.loads(json.dumps(report.to_dict()))
    told = {(one["since"], one["exact"]) for one in plain["disclosed"]}
    assert (number, False) in told
    assert (plain["first"], plain["first_exact"]) == (number, False)


def test_every_report_says_that_it_is_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    for road in (False, True):
        if road:
            by_classes(monkeypatch)
        report = phverify.audit(FRAME, [ALL, MEAN, BUT_A], POLICY, ranges=0)
        (one,) = report.disclosed
        assert (one.since, one.exact, report.first_exact) == (3, True, True)
        for shown in (str(report), report.to_html(), report.to_html(public=True)):
            assert "at the latest" not in shown and "KNOWN BY NOW" not in shown
        plain = report.to_dict()
        assert plain["disclosed"][0]["exact"] is plain["first_exact"] is True


def undecided_until(
    number: int, monkeypatch: pytest.MonkeyPatch, since: int = 0
) -> None:
    """Nothing is decided in time after the answers from one on until another one."""
    decide_all = AuditJudge.decide_all

    def slow(self: AuditJudge, facts: Any) -> list[FactFinding]:
        if since <= len(self.asked) < number:
            return [FactFinding(fact, UNDECIDED, "no time") for fact in facts]
        return decide_all(self, facts)

    monkeypatch.setattr(AuditJudge, "decide_all", slow)
    monkeypatch.setattr(AuditJudge, "known", lambda self, fact: None)
    monkeypatch.setattr(AuditJudge, "exchange", lambda self, needy, classes: None)


def test_found_later_than_it_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The steps in between are told as they are known to be in the end."""
    undecided_until(4, monkeypatch)
    report = phverify.audit(FRAME, [ALL, BUT_A, MEAN, ALL], POLICY, ranges=0)
    (one,) = report.disclosed
    assert (one.since, one.exact, report.first_exact) == (2, False, False)
    verdicts = [step.findings[0].verdict for step in report.steps]
    assert verdicts == ["undecided"] * 2 + ["disclosed"] * 3
    assert [step.distances[0].value for step in report.steps] == [None] * 2 + [0] * 3
    assert_late(report, 2)


def test_safe_before_it_and_found_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is known to be the first step where the one before it was decided."""
    undecided_until(4, monkeypatch, 2)
    report = phverify.audit(FRAME, [ALL, BUT_A, MEAN, ALL], POLICY, ranges=0)
    (one,) = report.disclosed
    assert (one.since, one.exact, report.first_exact) == (2, True, True)
    verdicts = [step.findings[0].verdict for step in report.steps]
    assert verdicts == ["safe"] * 2 + ["disclosed"] * 3


@pytest.mark.parametrize("classes", [True, False])
def test_a_statement_that_is_not_audited_may_have_told_it(
    classes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if classes:
        by_classes(monkeypatch)
    log = [ALL, BUT_A, "SELECT nothing FROM t", BUT_B]
    report = phverify.audit(FRAME, log, POLICY, ranges=0)
    told = [(one.cells[0][0], one.since, one.exact) for one in report.disclosed]
    assert told == [("a", 2, True), ("b", 4, False)]
    assert report.first_exact and "DISCLOSED by query 4 at the latest" in str(report)
    page = said(report.to_html())
    assert "given away by query 2." in page and "KNOWN BY NOW" in page


@pytest.mark.parametrize("classes", [True, False])
def test_a_sum_of_products_with_zeros_and_ones(
    classes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It tells of the rows with a one, and at once."""
    if classes:
        by_classes(monkeypatch)
    frame = FRAME.assign(a=[1, 0, 0, 0, 0, 0])
    log = ["SELECT SUM(a * s) FROM t", ALL]
    report = phverify.audit(frame, log, {**POLICY, "public": ["a"]}, ranges=0)
    assert [(one.since, one.exact) for one in report.disclosed] == [(1, True)]


@pytest.mark.parametrize("factor", [None, 2, -1])
def test_other_factors_are_neither_zero_nor_one(factor: int | None) -> None:
    """Even where the cell beside it is 0, and the sum the same."""
    factors = pd.array([1, factor, 0, 0, 0, 0], dtype="Int64")
    frame = FRAME.assign(a=factors, s=[10, 0, 30, 40, 50, 60])
    log = ["SELECT SUM(a * s) FROM t"]
    report = phverify.audit(frame, log, {**POLICY, "public": ["a"]}, ranges=0)
    assert report.steps[1].status == "bounded" and report.verdict == "undecided"
