"""A report of an audit as plain data, for JSON: a pure function."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

from phverify.disclosure.protected import ProtectedFact
from phverify.disclosure.result import (
    DISCLOSED,
    AuditReport,
    Change,
    Distance,
    FactFinding,
    Reconstruction,
    Remaining,
    Step,
)
from phverify.disclosure.stages import StageShare
from phverify.errors.redaction import hidden as without_quotes

ERROR = "the database reports an error: "
Json = dict[str, Any]
World = tuple[Change, ...]


def to_json(report: AuditReport, redact: bool = False) -> Json:
    """The report as plain data; cells and answers that JSON has no type for are texts.

    ``redact`` leaves out answers, second worlds, what cells may be, and values in
    facts.
    """
    database = {
        "source": report.source,
        "table": report.table,
        "rows": report.rows,
    }

    # The order of the names is part of the format.
    plain: Json = {
        "schema": "audit-1.json",
        "verdict": report.verdict,
        "first": report.first.number if report.first else None,
        "database": database,
        "public": list(report.public),
        "external": list(report.external),
        "domains": dict(report.domains),
        "steps": [_step(step, redact) for step in report.steps],
    }
    if report.reconstruction is not None:
        plain["reconstruction"] = _reconstruction(report.reconstruction, redact)
    return plain | {
        "solvers": list(report.solvers),
        "stages": [_stage(share) for share in report.stages],
        "complete": report.complete,
        "stopped": report.stopped or None,
    }


def _stage(share: StageShare) -> Json:
    return {
        "stage": share.stage,
        "verdicts": share.verdicts,
        "seconds": round(share.seconds, 6),
    }


def _step(step: Step, redact: bool) -> Json:
    """A step; what is told of cells beside its findings stands before ``seconds``."""
    # A world is named by its place, so that it is written once.
    worlds = {} if redact else _worlds(step)
    places = {name: place for place, name in enumerate(worlds)}
    findings = []
    for finding, distance in zip_longest(step.findings, step.distances):
        plain = _finding(finding, places, redact)
        if not redact:
            plain |= _distance(distance)
        findings.append(plain)

    plain = {
        "number": step.number,
        "line": step.line,
        "sql": step.sql,
        "status": step.status,
        "reason": unquoted(step.reason) if redact else step.reason,
        "findings": findings,
    }
    if not redact:
        plain["answer"] = [list(map(_cell, row)) for row in step.answer]
        plain["worlds"] = list(map(_world, worlds.values()))
        plain["remaining"] = list(map(_remaining, step.remaining))
    plain["seconds"] = round(step.seconds, 6)
    return plain


def _worlds(step: Step) -> dict[int, World]:
    """The second worlds of a step: one may refute many facts and is written once."""
    worlds: dict[int, World] = {}
    for finding in step.findings:
        for world in finding.worlds:
            worlds[id(world)] = world
    return worlds


def _world(world: World) -> list[list[Any]]:
    """A second world, as what differs from the data."""
    plain: list[list[Any]] = []
    for change in world:
        cells = map(_cell, (change.true, change.other))
        plain.append([change.key, change.column, *cells])
    return plain


def _finding(finding: FactFinding, places: Mapping[int, int], redact: bool) -> Json:
    """A finding; its worlds are places in the step's list."""
    disclosed = finding.verdict == DISCLOSED
    plain: Json = {
        "name": finding.fact.protected.name,
        "fact": hidden(finding.fact) if redact else finding.fact.text(),
        "verdict": finding.verdict,
        "stage": finding.stage,
        "reason": unquoted(finding.reason) if redact else finding.reason,
        # of what is safe or open a core would mean nothing
        "core": list(finding.core) if disclosed else None,
        "minimal": finding.minimal,
        "since": finding.since if disclosed else None,
        "solvers": list(finding.by),
    }
    if not redact:
        plain["worlds"] = [places[id(world)] for world in finding.worlds]
    return plain


def _distance(distance: Distance | None) -> Json:
    """How far the adversary is from a fact.

    An exact fraction as text, or null where it is not known.
    """
    if distance is None:
        return {}
    plain = {
        "value": None if distance.value is None else str(distance.value),
        "kind": distance.kind,
        "of": distance.of,
        "tight": distance.tight,
    }
    return {"distance": plain}


def _remaining(cell: Remaining) -> Json:
    """What a cell may be: listed values, or an interval, one of them null."""
    interval = None
    # low above high: the cell can only be missing
    if cell.values is None and cell.low <= cell.high:
        interval = list(map(_cell, cell.ends or (cell.low, cell.high)))
    return {
        "key": cell.key,
        "column": cell.column,
        "values": None if cell.values is None else list(map(_cell, cell.values)),
        "interval": interval,
        "missing": cell.missing,
        "tight": cell.tight,
    }


def _reconstruction(whole: Reconstruction, redact: bool) -> Json:
    """What is said of the table as a whole."""
    plain: Json = {
        "status": whole.status,
        "columns": list(whole.columns),
        "core": list(whole.core),
        "minimal": whole.minimal,
        "solvers": list(whole.by),
        "reason": unquoted(whole.reason) if redact else whole.reason,
    }
    if not redact:
        plain["rows"] = [list(map(_cell, row)) for row in whole.rows]
        plain["others"] = [list(map(_cell, row)) for row in whole.others]
        plain["keys"] = list(whole.keys)
    return plain


def _cell(value: Any) -> Any:
    """A value as JSON has it, a text where it has none."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    # dates and decimals: exact as text
    return str(value)


def hidden(fact: ProtectedFact) -> str:
    """A fact without values.

    Where it is protected in the rows where it is true, without the row, too: that it
    is protected there would say that it is true.
    """
    columns = " and ".join(dict.fromkeys(column for column, _ in fact.places))
    about = f"{fact.protected.name}: a fact about {columns}"
    formula = fact.protected.kind in ("fact", "formula", "person")
    if formula and fact.protected.keys is None:
        return about
    if fact.person:
        return f"{about} of {fact.person}"
    return f"{about} of {fact.key}"


def unquoted(reason: str) -> str:
    """A reason without what it quotes; of a database's error, its kind alone."""
    head, sign, error = reason.partition(ERROR)
    # a database quotes cells in its errors
    kind, _, _ = error.partition(":")
    return without_quotes(head) + sign + kind
