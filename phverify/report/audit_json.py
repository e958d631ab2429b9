"""A report of an audit as plain data, for JSON: a pure function."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

from phverify.disclosure.protected import Fact
from phverify.disclosure.result import (
    DISCLOSED,
    AuditReport,
    Distance,
    Finding,
    Reconstruction,
    Remaining,
    Step,
)
from phverify.errors import hidden as without_quotes

ERROR = "the database reports an error: "
Json = dict[str, Any]


def to_json(report: AuditReport, redact: bool = False) -> Json:
    """The report as plain data; cells and answers that JSON has no type for are texts.

    ``redact`` leaves out answers, second worlds, what cells may be, and values in
    facts.
    """
    found = report.reconstruction
    return {
        "verdict": report.verdict,
        "first": report.first.number if report.first else None,
        "database": {
            "source": report.source,
            "table": report.table,
            "rows": report.rows,
        },
        "public": list(report.public),
        "external": list(report.external),
        "domains": dict(report.domains),
        "steps": [_step(step, redact) for step in report.steps],
        **({} if found is None else {"reconstruction": _reconstruction(found, redact)}),
        "solvers": list(report.solvers),
        "stages": [
            {"stage": s.stage, "verdicts": s.verdicts, "seconds": round(s.seconds, 6)}
            for s in report.stages
        ],
        "complete": report.complete,
        "stopped": report.stopped or None,
    }


def _step(step: Step, redact: bool) -> Json:
    """A step; one second world may refute many facts and is written once, as what
    differs from the data.
    """
    worlds = (
        {}
        if redact
        else {id(world): world for finding in step.findings for world in finding.worlds}
    )
    places = {name: place for place, name in enumerate(worlds)}
    told = {
        "answer": [[_cell(value) for value in row] for row in step.answer],
        "worlds": [
            [[c.key, c.column, c.true, c.other] for c in world]
            for world in worlds.values()
        ],
        "remaining": [_remaining(cell) for cell in step.remaining],
    }
    return {
        "number": step.number,
        "line": step.line,
        "sql": step.sql,
        "status": step.status,
        "reason": unquoted(step.reason) if redact else step.reason,
        "findings": [
            {
                **_finding(finding, places, redact),
                **({} if redact else _distance(distance)),
            }
            for finding, distance in zip_longest(step.findings, step.distances)
        ],
        **({} if redact else told),
        "seconds": round(step.seconds, 6),
    }


def _finding(finding: Finding, places: Mapping[int, int], redact: bool) -> Json:
    """A finding; its worlds are places in the step's list."""
    disclosed = finding.verdict == DISCLOSED
    return {
        "name": finding.fact.protected.name,
        "fact": hidden(finding.fact) if redact else finding.fact.text(),
        "verdict": finding.verdict,
        "stage": finding.stage,
        "reason": unquoted(finding.reason) if redact else finding.reason,
        "core": list(finding.core) if disclosed else None,
        "minimal": finding.minimal,
        "since": finding.since if disclosed else None,
        "solvers": list(finding.by),
        **(
            {}
            if redact
            else {"worlds": [places[id(world)] for world in finding.worlds]}
        ),
    }


def _distance(found: Distance | None) -> Json:
    """How far the adversary is from a fact: an exact fraction as text, or null where it
    is not known.
    """
    if found is None:
        return {}
    value = None if found.value is None else str(found.value)
    return {
        "distance": {
            "value": value,
            "kind": found.kind,
            "of": found.of,
            "tight": found.tight,
        }
    }


def _remaining(cell: Remaining) -> Json:
    return {
        "key": cell.key,
        "column": cell.column,
        "values": None if cell.values is None else list(cell.values),
        "interval": (
            [cell.low, cell.high]
            if cell.values is None and cell.low <= cell.high
            else None
        ),
        "missing": cell.missing,
        "tight": cell.tight,
    }


def _reconstruction(found: Reconstruction, redact: bool) -> Json:
    told = {
        "rows": list(map(list, found.rows)),
        "others": list(map(list, found.others)),
        "keys": list(found.keys),
    }
    return {
        "status": found.status,
        "columns": list(found.columns),
        "core": list(found.core),
        "minimal": found.minimal,
        "solvers": list(found.by),
        "reason": unquoted(found.reason) if redact else found.reason,
        **({} if redact else told),
    }


def _cell(value: Any) -> Any:
    return (
        value
        if value is None or isinstance(value, (bool, int, float, str))
        else str(value)
    )


def hidden(fact: Fact) -> str:
    """A fact without values: where it is protected in the rows where it is true,
    without the row, too.
    """
    columns = " and ".join(dict.fromkeys(column for column, _ in fact.places))
    anywhere = (
        fact.protected.kind in ("fact", "formula") and fact.protected.keys is None
    )
    return f"{fact.protected.name}: a fact about {columns}" + (
        "" if anywhere else f" of {fact.key}"
    )


def unquoted(reason: str) -> str:
    """A reason without what it quotes; of what the database says of an error, its kind
    alone.
    """
    head, sign, error = reason.partition(ERROR)
    return without_quotes(head) + sign + error.partition(":")[0]
