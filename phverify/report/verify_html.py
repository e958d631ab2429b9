"""A report as an HTML fragment for notebooks; every text from the data is escaped."""

from __future__ import annotations

from html import escape

from phverify.report.verify_text import MARKS
from phverify.verification.result import Report, RuleResult, Witness
from phverify.words import cell, plural

COLOURS = {"proved": "#1a7f37", "refuted": "#cf222e", "undecided": "#9a6700"}


def to_html(report: Report) -> str:
    """A heading and one table row for each rule."""
    sizes = f"{plural(report.rows, 'row')}, {plural(report.classes, 'class')}"
    head = (
        f"<p><b>{_verdict(report.verdict)}</b> {escape(report.release)} ({sizes})</p>"
    )
    warnings = "".join(
        f"<p>Warning: {escape(warning)}</p>" for warning in report.warnings
    )
    rows = "".join(_rule(rule) for rule in report.rules)
    titles = "<tr><th>rule</th><th>verdict</th><th>formula</th><th>witness</th></tr>"
    return f"<div>{head}{warnings}<table>{titles}{rows}</table></div>"


def _verdict(status: str) -> str:
    return f'<span style="color:{COLOURS[status]}">{MARKS[status]}</span>'


def _rule(rule: RuleResult) -> str:
    shown = _witness(rule.witness) if rule.witness else escape(rule.reason)
    cells = (
        escape(rule.name),
        _verdict(rule.verdict),
        f"<code>{escape(rule.formula)}</code>",
        shown,
    )
    return (
        "<tr>"
        + "".join(f'<td style="text-align:left">{cell}</td>' for cell in cells)
        + "</tr>"
    )


def _witness(witness: Witness) -> str:
    where = ", ".join(f"{name} = {cell(value)}" for name, value in witness.cls.items())
    lines = [
        f"class {where}",
        witness.statement,
        *(fact.text for fact in witness.facts),
    ]
    placed = ", ".join(f"{name} is {row}" for name, row in witness.assignment.items())
    return "<br>".join(escape(line) for line in [*lines, placed] if line)
