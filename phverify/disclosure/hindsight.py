"""What a later step shows of earlier ones: a fact that follows from some queries did so
from the last of them on, even where that was not found in time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from phverify.disclosure.measure import measured
from phverify.disclosure.policy import AuditPolicy
from phverify.disclosure.protected import ProtectedFact
from phverify.disclosure.result import (
    DISCLOSED,
    UNDECIDED,
    Distance,
    FactFinding,
    Remaining,
    Step,
)

Found = Mapping[ProtectedFact, FactFinding]


def in_hindsight(steps: Sequence[Step], policy: AuditPolicy) -> list[Step]:
    """The steps of one audit, each fact disclosed from the query on that completes
    those from which it follows.
    """
    known = {}
    for one in steps[-1].findings:
        if one.verdict == DISCLOSED:
            known[one.fact] = one
    return [_seen(step, known, policy) for step in steps]


def _seen(step: Step, known: Found, policy: AuditPolicy) -> Step:
    """A step with all that followed by then."""
    late = {
        place: known[one.fact]
        for place, one in enumerate(step.findings)
        if one.verdict == UNDECIDED and one.fact in known
    }
    findings = list(step.findings)
    distances = list(step.distances)
    for place, found in late.items():
        if found.since > step.number:
            continue
        findings[place] = found
        # A step that was stopped has none.
        if distances:
            distances[place] = _distance(found, step.remaining, policy)
    return replace(step, findings=tuple(findings), distances=tuple(distances))


def _distance(
    finding: FactFinding, remaining: Sequence[Remaining], policy: AuditPolicy
) -> Distance:
    """How far what was known at a step is from a fact that followed by then."""
    fact = finding.fact
    cells = {}
    for cell in remaining:
        place = cell.key, cell.column
        cells[place] = cell
    left = [cells[name] for name in fact.names]
    return measured(fact, finding.verdict, left, policy)
