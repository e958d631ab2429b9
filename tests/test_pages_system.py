"""The transition system of a log on the page of its audit: what is drawn is the log's
run, also where a part of it is left out.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.pages import check_page, said
from test_pages_audit import ALL, BUT_ANN, EVIL, POLICY, STRANGE, people

import phverify as ph
import phverify.report.audit_system as audit_system
from phverify.report.audit_html import to_page
from phverify.report.html import page_file
from phverify.report.page import DataTable, Drawing, Page, PageBlock


@pytest.fixture
def table(tmp_path: Path) -> str:
    return people(tmp_path, "Ann", "Bob", "Eve")


def blocks(page: Page) -> tuple[PageBlock, ...]:
    for section in page.sections:
        if section.title == audit_system.TITLE:
            return section.blocks
    raise AssertionError("there is no system")


def drawn(page: Page) -> tuple[Drawing, DataTable]:
    _, drawing, numbers, *_ = blocks(page)
    assert isinstance(drawing, Drawing) and isinstance(numbers, DataTable)
    return drawing, numbers


def test_the_run_is_drawn_with_its_numbers(table: str) -> None:
    report = ph.audit(table, [ALL, BUT_ANN, ALL], POLICY, ranges=5.0)
    drawing, numbers = drawn(to_page(report))
    assert "SECRET: pay(Ann, 300)" in drawing.svg and "query 2: SELECT" in drawing.svg
    assert drawing.alternative == (
        "A run of 3 states: 2 open and 1 violated. The last one, after query 2, is"
        " violated."
    )
    # what comes after a violation is not asked any more
    assert [row[:4] for row in numbers.rows] == [
        ("start", "open", "0", "0"),
        ("after query 1", "open", "1", "0"),
        ("after query 2", "violated", "2", "1"),
    ]
    assert [row[-1] for row in numbers.rows] == ["1", "1", "1"]
    distances = report.dltts().distances
    assert (
        [row[4] for row in numbers.rows][-1] == "0" == str(distances["after query 2"])
    )
    check_page(report.to_html())


def test_a_long_log_is_drawn_in_few_states(table: str) -> None:
    others = [f"SELECT MAX(pay) FROM people WHERE pay >= {k}" for k in range(20)]
    log = [*others[:9], ALL, *others[9:], BUT_ANN]
    report = ph.audit(table, log, POLICY)
    assert report.first is not None and report.first.number == 22
    core = report.steps[-1].findings[0].core
    drawing, numbers = drawn(to_page(report))
    names = [row[0] for row in numbers.rows]
    assert names == ["start", *(f"after query {number}" for number in core)]
    assert f"{23 - len(names)} states between them left out" in numbers.more
    assert "A run of 23 states: 22 open and 1 violated." in drawing.alternative
    assert f"{len(names)} of them are drawn" in drawing.alternative
    # its boxes count all answers, and its arrows all queries
    for row, number in zip(numbers.rows, (0, *core), strict=True):
        assert row[2] == str(number)
    gaps = [core[0], *(b - a for a, b in itertools.pairwise(core))]
    for gap in gaps:
        if gap > 1:
            assert f">{gap} queries, the last one: query" in drawing.svg
    assert drawing.svg.count("<rect") == len(names) + 2  # fail has two lines


def test_nothing_is_called_safe_behind_what_was_not_audited(table: str) -> None:
    report = ph.audit(table, [ALL, STRANGE, *[ALL] * 14], POLICY)
    drawing, numbers = drawn(to_page(report))
    assert "2 open and 15 undecided" in drawing.alternative
    assert [row[0] for row in numbers.rows] == ["start", "after query 16"]
    assert numbers.rows[-1][1] == "undecided"
    assert "undecided: it is not known whether" in said(report.to_html())


def test_who_may_not_read_it_is_told_so(tmp_path: Path) -> None:
    table = people(tmp_path, EVIL, "Bob")
    report = ph.audit(table, [ALL, BUT_ANN.replace("Ann", "Bob")], POLICY)
    assert report.verdict == "disclosed"
    page = report.to_html()
    check_page(page)
    assert "<script" not in page and "\u202e" not in page
    (remark,) = blocks(to_page(report, public=True))
    assert "Left out: states quote answers and protected facts" in said(
        page_file(to_page(report, public=True))
    )
    assert not isinstance(remark, Drawing)
    redacted, numbers = drawn(to_page(report, redact=True))
    assert "300" not in redacted.svg
    assert not any("distance" in column.title for column in numbers.columns)


def test_no_system_is_made_of_too_much(
    table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = ph.audit(table, [ALL], POLICY)
    monkeypatch.setattr(audit_system, "LARGEST", 5)

    def made(*_: Any, **__: Any) -> Any:
        raise AssertionError("it was made")

    monkeypatch.setattr(audit_system, "traced", made)
    assert "--dltts FILE.json writes it" in said(report.to_html())
    fewer = replace(report, steps=report.steps[:1])
    with pytest.raises(AssertionError, match="it was made"):
        to_page(fewer)


def test_a_table_that_follows_as_a_whole_is_not_a_state(table: str) -> None:
    log = [
        f"SELECT SUM(pay) FROM people WHERE name = '{who}'" for who in ("Ann", "Bob")
    ]
    hidden = {**POLICY, "protect": {"rich": {"column": "pay", "keys": ["Eve"]}}}
    whole = ph.audit(table, [*log, ALL], hidden, reconstruct=True)
    assert whole.reconstruction is not None
    assert whole.reconstruction.status == "determined"
    told = "states are about single protected facts"
    assert told in said(whole.to_html())
    part = ph.audit(table, log, hidden, reconstruct=True)
    assert told not in said(part.to_html())
