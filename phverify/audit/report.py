"""A report of an audit as text and as plain data: pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from phverify.audit.result import DISCLOSED, SAFE, VERDICTS, AuditReport, Finding, Step
from phverify.report.text import plural, printable

SHOWN = 8
"""Up to so many facts of a step are shown one by one."""


def to_lines(report: AuditReport) -> list[str]:
    """The report as text, verdicts first word of their lines."""
    return [printable(line) for line in (*_head(report), *_steps(report), *_tail(report))]


def _head(report: AuditReport) -> Iterator[str]:
    yield f"{report.source}, {report.table}: {plural(report.rows, 'row')}"
    yield f"  the adversary knows: {', '.join(report.public)}"
    for name, domain in report.domains:
        yield f"  unknown: {name}, one of {domain}"
    yield ""


def _steps(report: AuditReport) -> Iterator[str]:
    told: set[Any] = set()
    for step in report.steps:
        new = [f for f in step.findings if f.verdict == DISCLOSED and f.fact not in told]
        told.update(f.fact for f in new)
        if step.number or new:
            yield from _step(step, new)


def _step(step: Step, new: Sequence[Finding]) -> Iterator[str]:
    where = f"query {step.number}, line {step.line}" if step.number else "before the first query"
    yield f"{where}: {' '.join(step.sql.split())}".rstrip(": ")
    if step.status != "answered":
        yield f"  {step.status.upper()} {step.reason}"
    for finding in new[:SHOWN]:
        yield f"  DISCLOSED {finding.fact.text()}: {because(finding)}"
    if len(new) > SHOWN:
        yield f"  DISCLOSED and {len(new) - SHOWN} more"
    open_ = [f for f in step.findings if f.verdict != DISCLOSED]
    for verdict in VERDICTS[1:]:
        yield from _group(verdict, [f for f in open_ if f.verdict == verdict], step)


def _group(verdict: str, findings: Sequence[Finding], step: Step) -> Iterator[str]:
    if not findings:
        return
    left = {(r.key, r.column): r for r in step.remaining}
    reasons = Counter(f.reason for f in findings if f.reason)
    said = f": {reasons.most_common(1)[0][0]}" if reasons else ""
    yield f"  {verdict.upper()} {plural(len(findings), 'fact')}{said}"
    for finding in findings[: SHOWN if verdict != SAFE or len(findings) <= SHOWN else 3]:
        cell = left.get((finding.fact.key, finding.fact.column))
        shown = f"; it may be {cell.text()}" if cell else ""
        world = f"; otherwise if {changed(finding)}" if finding.worlds else ""
        yield f"    {finding.fact.text()}{shown}{world}"


def because(finding: Finding) -> str:
    """From which queries a disclosed fact follows, and who says so."""
    if not finding.core:
        return "it follows from the declared domains alone"
    numbers = [str(number) for number in finding.core]
    several = f"queries {', '.join(numbers[:-1])} and {numbers[-1]}" if len(numbers) > 1 else f"query {numbers[0]}"
    enough = "" if finding.minimal else " (fewer may be enough)"
    return f"it follows from {several}{enough} [{' and '.join(finding.by)}]"


def changed(finding: Finding) -> str:
    """What is otherwise in a second world, the protected cell first."""
    here = (finding.fact.key, finding.fact.column)
    changes = sorted(finding.worlds[0], key=lambda c: (c.key, c.column) != here)
    shown = [f"{c.column} of {c.key} is {'missing' if c.other is None else c.other}" for c in changes[:3]]
    return ", ".join(shown) + (f", and {plural(len(changes) - 3, 'more cell')}" if len(changes) > 3 else "")


def _tail(report: AuditReport) -> Iterator[str]:
    yield ""
    first = report.first
    if first is not None:
        where = f"query {first.number}, line {first.line}," if first.number else "the domains, before any query,"
        yield f"DISCLOSED: {where} first gave a protected fact away"
    else:
        count = len(report.steps[-1].findings)
        yield f"{report.verdict.upper()} after {plural(len(report.steps) - 1, 'query')}: {plural(count, 'fact')}"
    if not report.complete:
        yield "  the rest of the log was not audited (--first)"


def to_dict(report: AuditReport) -> dict[str, Any]:
    """The report as plain data; cells and answers that JSON has no type for are texts."""
    return {
        "verdict": report.verdict,
        "first": report.first.number if report.first else None,
        "database": {"source": report.source, "table": report.table, "rows": report.rows},
        "public": list(report.public),
        "domains": dict(report.domains),
        "steps": [_plain(step) for step in report.steps],
        "solvers": list(report.solvers),
        "complete": report.complete,
    }


def _plain(step: Step) -> dict[str, Any]:
    """A step; one second world may refute many facts and is written once, as what differs from the data."""
    worlds = {id(world): world for finding in step.findings for world in finding.worlds}
    places = {name: place for place, name in enumerate(worlds)}
    return {
        "number": step.number,
        "line": step.line,
        "sql": step.sql,
        "status": step.status,
        "reason": step.reason,
        "answer": [[_cell(value) for value in row] for row in step.answer],
        "worlds": [[[c.key, c.column, c.true, c.other] for c in world] for world in worlds.values()],
        "findings": [_finding(finding, places) for finding in step.findings],
        "remaining": [
            {
                "key": r.key,
                "column": r.column,
                "values": None if r.values is None else list(r.values),
                "interval": [r.low, r.high] if r.values is None and r.low <= r.high else None,
                "missing": r.missing,
                "tight": r.tight,
            }
            for r in step.remaining
        ],
        "seconds": round(step.seconds, 6),
    }


def _finding(finding: Finding, places: Mapping[int, int]) -> dict[str, Any]:
    """A finding; its worlds are places in the step's list."""
    return {
        "name": finding.fact.protected.name,
        "fact": finding.fact.text(),
        "verdict": finding.verdict,
        "reason": finding.reason,
        "core": list(finding.core) if finding.verdict == DISCLOSED else None,
        "minimal": finding.minimal,
        "since": finding.since if finding.verdict == DISCLOSED else None,
        "solvers": list(finding.by),
        "worlds": [places[id(world)] for world in finding.worlds],
    }


def _cell(value: Any) -> Any:
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
