"""A report as an HTML fragment for notebooks; every text from the data is escaped."""

from __future__ import annotations

from html import escape

from phverify.errors import printable
from phverify.report.rounded import rounded
from phverify.report.verify_text import MARKS, class_text, failing_counts, record_text
from phverify.verification.result import Report, RuleResult, Witness
from phverify.words import plural

COLOURS = {"proved": "#1a7f37", "refuted": "#cf222e", "undecided": "#9a6700"}
TITLES = ("rule", "verdict", "classes that fail", "formula", "witness")
# Notebook templates set tables in a proportional font, in which formulas do not align.
MONOSPACE = "font-family: monospace; text-align: left"


def to_html(report: Report) -> str:
    """A heading and one table row for each rule."""
    rows = plural(report.rows, "row")
    classes = plural(report.classes, "class")
    release = _text(report.release)
    verdict = _verdict(report.verdict)
    parts = [f"<p><b>{verdict}</b> {release} ({rows}, {classes})</p>"]
    for warning in report.warnings:
        text = _text(warning)
        parts.append(f"<p>Warning: {text}</p>")

    titles = "".join(f"<th>{title}</th>" for title in TITLES)
    parts.append(f'<table style="{MONOSPACE}"><tr>{titles}</tr>')
    for rule in report.rules:
        row = _rule(report, rule)
        parts.append(row)
    parts.append("</table>")
    content = "".join(parts)
    return f"<div>{content}</div>"


def _text(text: str) -> str:
    return escape(printable(text))


def _verdict(status: str) -> str:
    colour = COLOURS[status]
    mark = MARKS[status]
    return f'<span style="color:{colour}">{mark}</span>'


def _rule(report: Report, rule: RuleResult) -> str:
    """A rule's row of the table."""
    name = _text(rule.name)
    escaped = _text(rule.formula)
    formula = f"<code>{escaped}</code>"
    verdict = _verdict(rule.verdict)
    classes, _ = failing_counts(report, rule)
    shown = _text(rule.reason)
    if rule.witness:
        shown = _witness(rule.witness, report)
    cells = (name, verdict, classes, formula, shown)
    # Each cell by itself: some templates set a style for td.
    tagged = [f'<td style="{MONOSPACE}">{cell}</td>' for cell in cells]
    row = "".join(tagged)
    return f"<tr>{row}</tr>"


def _witness(witness: Witness, report: Report) -> str:
    """The leak, line by line."""
    place = class_text(witness, report.suppressed)
    lines = [f"class {place}"]
    if witness.statement:
        statement = rounded(witness.statement)
        lines.append(statement)
    lines.append(witness.instance)
    for fact in witness.facts:
        text = rounded(fact.text)
        lines.append(text)
    if witness.assignment:
        placed = []
        for name, record in witness.assignment.items():
            placed.append(f"{name} is {record_text(record, report)}")
        listed = ", ".join(placed)
        lines.append(listed)
    escaped = map(_text, lines)
    return "<br>".join(escaped)
