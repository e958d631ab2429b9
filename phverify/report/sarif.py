"""A gate in the format of static analysis (SARIF 2.1.0, OASIS 2020), which code hosts
show beside the lines of the policy.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from phverify.report.gate import Gate, GateCase
from phverify.version import __version__

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
    "sarif-schema-2.1.0.json"
)
LEVELS = {"failed": "error", "open": "warning"}


def to_sarif(gate: Gate, source: str, lines: Mapping[str, int]) -> dict[str, Any]:
    """The cases that did not pass, as one run.

    ``source`` is the file in which they are shown, the policy, and ``lines`` are the
    lines of its rules, from 1.
    """
    kinds = {case.kind: case.about for case in gate.cases}
    rules = [
        {"id": kind, "shortDescription": {"text": about}}
        for kind, about in sorted(kinds.items())
    ]
    shown = [case for case in gate.cases if case.status in LEVELS]
    run = {
        "tool": {
            "driver": {"name": "phverify", "version": __version__, "rules": rules}
        },
        "automationDetails": {"id": f"phverify/{gate.verb}/"},
        "results": [_result(case, source, lines) for case in shown],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(case: GateCase, source: str, lines: Mapping[str, int]) -> dict[str, Any]:
    """A case that failed or is open, at the first rule that it is about."""
    known = [lines[rule] for rule in case.rules if rule in lines]
    place = {
        "artifactLocation": {"uri": _uri(source)},
        "region": {"startLine": known[0] if known else 1},
    }
    return {
        "ruleId": case.kind,
        "level": LEVELS[case.status],
        "message": {"text": case.message},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"phverify/v1": case.fingerprint},
    }


def _uri(source: str) -> str:
    """A path as a reference; a relative one stays relative."""
    path = Path(source)
    if path.is_absolute():
        return path.as_uri()
    return quote(path.as_posix())
