"""The page of an audit: how knowledge grew, which queries are guilty, and what nobody but
the owner is told.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.pages import check_page, read_page, said

import phverify as ph
from phverify.cli.main import main
from phverify.report.audit_html import to_page
from phverify.report.audit_knowledge import STEPS, marked_steps
from phverify.report.html import page_file
from phverify.report.page import Timeline

EVIL = "<script>\u202e&'"
POLICY: dict[str, Any] = {
    "table": "people",
    "key": "name",
    "public": ["town"],
    "sensitive": {"pay": {"from": 0, "to": 1000}},
    "protect": {"pays": {"column": "pay"}},
}
ALL = "SELECT SUM(pay) FROM people"
BUT_ANN = "SELECT SUM(pay) FROM people WHERE name <> 'Ann'"
STRANGE = "SELECT unmask(pay) FROM people"


def people(folder: Path, *names: str) -> str:
    """A table of some people, the first with 300, the others with 100 each."""
    lines = ["name,town,pay"]
    for number, name in enumerate(names):
        quoted = '"' + name.replace('"', '""') + '"'
        lines.append(f"{quoted},here,{100 if number else 300}")
    path = folder / "people.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture
def table(tmp_path: Path) -> str:
    return people(tmp_path, "Ann", "Bob", "Eve")


def events(report: ph.AuditReport, public: bool = False) -> dict[str, str]:
    """The steps of the timeline by their titles, each with its mark."""
    for section in to_page(report, public).sections:
        for block in section.blocks:
            if isinstance(block, Timeline):
                return {one.title.split(",")[0]: one.word for one in block.events}
    raise AssertionError("there is no timeline")


def test_guilty_queries_are_marked(table: str) -> None:
    middle = "SELECT MAX(pay) FROM people"
    report = ph.audit(table, [ALL, middle, BUT_ANN, ALL], POLICY)
    marks = {
        "Before the first query": "",
        "Query 1": "TAKES PART",
        "Query 2": "",
        "Query 3": "GIVES AWAY",
        "Query 4": "",
    }
    assert report.first is not None and report.first.number == 3
    assert events(report) == marks == events(report, public=True)
    text = said(report.to_html())
    assert "DISCLOSED Whoever has these answers knows a protected fact" in text
    assert (
        "The first was given away by query 3. Of 3 protected facts 1 are known" in text
    )
    assert "Query 3: the pay of Ann = 300" in text
    assert f"Query 1 is asked: {ALL} -> 500" in text


def test_knowledge_shrinks_step_by_step(table: str) -> None:
    report = ph.audit(table, [ALL, BUT_ANN], POLICY, ranges=5.0)
    elements = read_page(report.to_html())
    cells = [one.text for one in elements if one.tag in ("th", "td")]
    start = [at for at, text in enumerate(cells) if text == "the pay of Ann"]
    # the table of what is left begins with the fact of which most is known
    row = cells[start[0] : start[0] + 4]
    assert row[1].startswith("at most 1,001: 0..1000") or row[1].startswith("1,001: ")
    assert row[2:] == ["501: 0..500", "1: 300"]


def test_what_was_not_audited_taints(table: str) -> None:
    report = ph.audit(table, [ALL, STRANGE], POLICY)
    assert report.verdict == "unsupported"
    assert events(report)["Query 2"] == "NOT AUDITED"
    text = said(report.to_html())
    assert "UNSUPPORTED A statement of the log may have had an answer" in text
    assert "3 facts would be called safe if these statements had told nothing" in text
    assert STRANGE in text
    assert STRANGE not in said(report.to_html(public=True))


def test_safe_and_nothing_protected(table: str) -> None:
    text = said(ph.audit(table, [ALL], POLICY).to_html())
    assert "SAFE No protected fact follows from the answers" in text
    assert "GIVES AWAY </" not in text and "What was given away" not in text
    nobody = {**POLICY, "protect": {"rich": {"fact": "pay >= 999"}}}
    text = said(ph.audit(table, [ALL], nobody).to_html())
    assert "No fact is protected in this table." in text


def test_a_run_that_was_stopped_calls_nothing_safe(table: str) -> None:
    whole = ph.audit(table, [ALL], POLICY)
    cut = replace(whole, complete=False, stopped="the budget ran out", asked=9)
    assert cut.verdict == "undecided"
    text = said(cut.to_html())
    assert "UNDECIDED It is not known whether a protected fact follows" in text
    assert "After query 1, the last one that was audited: 3 safe" in text
    assert "had the same answers by then; the rest is not known" in text
    assert "has the same answers" not in text.split("What this covers")[0]
    assert "Not the whole log" in said(cut.to_html(public=True))


def test_the_whole_table(tmp_path: Path) -> None:
    table = people(tmp_path, "Ann")
    report = ph.audit(table, [ALL], POLICY, reconstruct=True)
    text = said(report.to_html())
    assert "all 1 row follow from query 1" in text
    assert events(report)["Query 1"] == "GIVES AWAY"
    public = said(report.to_html(public=True))
    assert "every row follows from query 1" in public and "300" not in public


def test_many_steps_are_shortened(table: str) -> None:
    report = ph.audit(table, [ALL, BUT_ANN], POLICY)
    steps = list(report.steps) * STEPS
    shown = marked_steps(steps, {2})
    assert len(shown) == STEPS and shown[2].number == 2
    assert marked_steps(report.steps, {2}) == list(report.steps)


def test_texts_of_an_audit_stay_texts(tmp_path: Path) -> None:
    table = people(tmp_path, EVIL, "Bob", "Eve")
    literal = EVIL.replace("'", "''")
    others = f"{ALL} WHERE name IN ('Bob', 'Eve')"
    strange = f"{STRANGE} WHERE name <> '{literal}'"
    report = ph.audit(table, [ALL, others, strange], POLICY)
    assert report.verdict == "disclosed"
    for page in (report.to_html(), report.to_html(public=True)):
        check_page(page)
        assert "<script" not in page and "\u202e" not in page
    check_page(report._repr_html_(), fragment=True)
    text = said(report.to_html())
    assert "the pay of <script>\\u202e&' = 300" in text
    assert "name <> '<script>\\u202e&''" in text


SECRET = "zq"
DIGITS = "77"
"""In every value of the table that is a number, and in the ends of its domain."""


def secret_audit(folder: Path) -> ph.AuditReport:
    """An audit in which every name, value, literal and path has a secret."""
    place = folder / f"{SECRET}-folder"
    place.mkdir()
    path = place / "people.csv"
    lines = ["name,town,pay"]
    lines += [f"{SECRET}{who},{SECRET}town,{DIGITS}0{who}" for who in range(4)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    rich = {"fact": f"pay >= {DIGITS}00", "keys": [f"{SECRET}0"]}
    policy = {
        **POLICY,
        "sensitive": {"pay": {"from": 1, "to": int(f"{DIGITS}99")}},
        "protect": {"pays": {"column": "pay"}, f"{SECRET}rich": rich},
    }
    but = f"{ALL} WHERE name <> '{SECRET}0' AND town = '{SECRET}town'"
    strange = f"SELECT unmask(pay) FROM people WHERE pay > {DIGITS}01"
    return ph.audit(str(path), [ALL, but, strange], policy, reconstruct=True)


def test_everybody_is_told_nothing_of_the_data(tmp_path: Path) -> None:
    report = secret_audit(tmp_path)
    assert report.verdict == "disclosed"
    page = report.to_html(public=True)
    check_page(page)
    text = said(page)
    assert SECRET not in page.lower() and DIGITS not in text
    assert "Public" in text and "GIVES AWAY" in text
    # the same page for its owner has all of them
    internal = said(report.to_html())
    assert SECRET in internal and f"{DIGITS}00" in internal


def test_what_was_not_understood_is_not_counted_as_audited(table: str) -> None:
    report = ph.audit(table, [ALL, STRANGE], POLICY)
    assert report.asked == 2
    for public in (False, True):
        text = said(page_file(to_page(report, public)))
        assert re.search(r"Of these answered and audited\s*1\D", text)


def test_redacted_pages_have_no_cell(tmp_path: Path) -> None:
    report = secret_audit(tmp_path)
    text = said(page_file(to_page(report, redact=True)))
    assert "What is left for" not in text and "How many values are left" not in text
    for who in range(4):
        assert f"= {DIGITS}0{who}" not in text
    assert "-> " not in text


def test_the_command_writes_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "page.html"
    assert main(["audit", "--demo", "bank", "--html", str(target)]) == 1
    assert f"the page is written to {target}" in capsys.readouterr().out
    page = target.read_text(encoding="utf-8")
    check_page(page)
    assert "-> 1580" in said(page)
    assert main(["audit", "--demo", "bank", "--html", str(target), "--redact"]) == 1
    assert "1580" not in said(target.read_text(encoding="utf-8"))
    assert main(["audit", "--demo", "bank", "--html", str(target), "--public"]) == 1
    assert "Jean" not in said(target.read_text(encoding="utf-8"))
