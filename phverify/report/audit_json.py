"""A report of an audit as plain data, for JSON: a pure function."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain, zip_longest
from typing import Any

from phverify.disclosure.protected import ProtectedFact
from phverify.disclosure.result import (
    DISCLOSED,
    AuditReport,
    Distance,
    FactFinding,
    Reconstruction,
    Remaining,
    SecondWorld,
    Step,
    name_of_world,
)
from phverify.disclosure.stages import StageShare
from phverify.errors.redaction import hidden as without_quotes

ERROR = "the database reports an error: "
Json = dict[str, Any]


def to_json(report: AuditReport, redact: bool = False) -> Json:
    """The report as plain data; cells and answers that JSON has no type for are texts.

    ``redact`` leaves out answers, second worlds, what cells may be, and values in
    facts.
    """
    plain: Json = made(in_parts(report, redact))
    return plain


def made(part: Any) -> Any:
    """A part with its iterators as lists, made in their order."""
    if isinstance(part, dict):
        pairs = part.items()
        return {name: made(value) for name, value in pairs}
    if isinstance(part, Iterator):
        return [made(one) for one in part]
    return part


def in_parts(report: AuditReport, redact: bool = False) -> Json:
    """The same, where long lists are iterators: each item is made when it is asked for.

    They are to be gone through once, in the order of the document: what a finding
    says of worlds and of the step before is known by then.
    """
    database = {
        "source": report.source,
        "table": report.table,
        "rows": report.rows,
    }

    said = _Said(report, redact)
    # The order of the names is part of the format.
    plain: Json = {
        "schema": "audit-1.json",
        "verdict": report.verdict,
        "first": report.first.number if report.first else None,
        "first_exact": report.first_exact,
        "database": database,
        "public": list(report.public),
        "external": list(report.external),
        "domains": dict(report.domains),
        "notes": list(report.notes),
        "facts": (_fact(fact, redact) for fact in said.places),
        "disclosed": said.disclosed(report),
        "steps": map(said.step, report.steps),
    }
    if not redact:
        plain["worlds"] = said.different()
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


class _Said:
    """The steps of a report, each thing said once: facts and worlds by their places,
    findings and cells where they are not as after the step before.
    """

    def __init__(self, report: AuditReport, redact: bool) -> None:
        self.redact = redact
        self.places: dict[ProtectedFact, int] = {}
        for one in chain.from_iterable(step.findings for step in report.steps):
            self.places.setdefault(one.fact, len(self.places))
        self.worlds: dict[object, SecondWorld] = {}
        self.numbers: dict[object, int] = {}
        self.findings: dict[int, str] = {}
        self.cells: dict[tuple[str, str], str] = {}

    def disclosed(self, report: AuditReport) -> Iterator[Json]:
        """What follows, with the queries that it follows from."""
        last = report.steps[-1].findings
        facts = (one.fact for one in last if one.verdict == DISCLOSED)
        for fact, one in zip(facts, report.disclosed, strict=True):
            plain: Json = {
                "fact": self.places[fact],
                "since": one.since,
                "exact": one.exact,
                "queries": [{"query": q, "line": line} for q, line in one.queries],
                "minimal": one.minimal,
                "solvers": list(one.by),
                "combination": [
                    {"query": query, "times": str(factor)}
                    for query, factor in one.combination
                ],
            }
            if not self.redact:
                plain["value"] = _cell(one.value)
            yield plain

    def step(self, step: Step) -> Json:
        """A step; what is told of cells stands before ``seconds``."""
        said: Json = {
            "number": step.number,
            "line": step.line,
            "sql": step.sql,
            "status": step.status,
            "reason": unquoted(step.reason) if self.redact else step.reason,
            "findings": self.news(step),
        }
        if not self.redact:
            said["answer"] = (list(map(_cell, row)) for row in step.answer)
            said["remaining"] = self.remaining(step)
        said["seconds"] = round(step.seconds, 6)
        return said

    def news(self, step: Step) -> Iterator[Json]:
        """The findings of a step that are not as they were."""
        pairs = zip_longest(step.findings, step.distances)
        for finding, distance in pairs:
            plain = _finding(finding, self.redact)
            if not self.redact:
                worlds = map(self.world, finding.worlds)
                plain["worlds"] = list(worlds)
                plain |= _distance(distance)
            place = self.places[finding.fact]
            # A world that was found in one step is known in the next: no news.
            news = repr({**plain, "stage": ""})
            if self.findings.get(place) != news:
                self.findings[place] = news
                yield {"fact": place, **plain}

    def world(self, world: SecondWorld) -> int:
        """The place of a world: one may refute many facts, after many steps."""
        # kept, so that no other object has its name
        name = name_of_world(world)
        self.worlds[name] = world
        return self.numbers.setdefault(name, len(self.numbers))

    def different(self) -> Iterator[list[list[Any]]]:
        """The worlds that steps have named by now."""
        yield from map(_world, self.worlds.values())

    def remaining(self, step: Step) -> Iterator[Json]:
        """What cells may be, where that is news."""
        for cell in step.remaining:
            place = cell.key, cell.column
            plain = _remaining(cell)
            news = repr(plain)
            if self.cells.get(place) != news:
                self.cells[place] = news
                yield plain


def _fact(fact: ProtectedFact, redact: bool) -> Json:
    """A protected fact; redacted, without values and cells."""
    plain: Json = {
        "name": fact.protected.name,
        "fact": hidden(fact) if redact else fact.text(),
    }
    if not redact:
        plain["cells"] = [list(names) for names in fact.names]
    return plain


def _world(world: SecondWorld) -> list[list[Any]]:
    """A second world, as what differs from the data."""
    plain: list[list[Any]] = []
    for change in world:
        cells = map(_cell, (change.true, change.other))
        plain.append([change.key, change.column, *cells])
    return plain


def _finding(finding: FactFinding, redact: bool) -> Json:
    """A finding; of what is disclosed the rest stands with ``disclosed``."""
    plain: Json = {"verdict": finding.verdict, "stage": finding.stage}
    reason = finding.reason
    if redact:
        reason = unquoted(reason)
    if reason:
        plain["reason"] = reason
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
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    # dates, decimals, infinity and what is no number: exact as text
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
