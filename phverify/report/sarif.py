"""A gate in the format of static analysis (SARIF 2.1.0, OASIS 2020), which code hosts
show beside the lines of the policy.
"""

from __future__ import annotations

import os
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
WARNING = "verify/warning"


def to_sarif(gate: Gate, source: str, lines: Mapping[str, int]) -> dict[str, Any]:
    """The cases that did not pass, and warnings as notes, as one run.

    ``source`` is the file in which they are shown, the policy, and ``lines`` are the
    lines of its rules, from 1.  A run without an answer says that it failed: what it
    does not tell is not mended.
    """
    kinds = {case.kind: case.about for case in gate.cases}
    if gate.warnings:
        kinds[WARNING] = "what to know before publishing; it changes no verdict"
    rules = [
        {"id": kind, "shortDescription": {"text": about}}
        for kind, about in sorted(kinds.items())
    ]
    shown = [case for case in gate.cases if case.status in LEVELS]
    results = [_result(case, source, lines) for case in shown]
    notes = [_note(warning, source) for warning in gate.warnings]
    parts = [quote(one, safe="") for one in gate.about]
    about = "/".join(parts)
    run = {
        "tool": {
            "driver": {"name": "phverify", "version": __version__, "rules": rules}
        },
        # Runs about other releases and policies are no later state of this one.
        "automationDetails": {"id": f"phverify/{gate.verb}/{about}/"},
        "invocations": [{"executionSuccessful": not gate.failed}],
        "results": [*results, *notes],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(case: GateCase, source: str, lines: Mapping[str, int]) -> dict[str, Any]:
    """A case that failed or is open, at the first rule that it is about."""
    known = [lines[rule] for rule in case.rules if rule in lines]
    return {
        "ruleId": case.kind,
        "level": LEVELS[case.status],
        "message": {"text": case.message},
        "locations": [_place(source, known[0] if known else 1)],
        "partialFingerprints": {"phverify/v1": case.fingerprint},
    }


def _note(warning: str, source: str) -> dict[str, Any]:
    return {
        "ruleId": WARNING,
        "level": "note",
        "message": {"text": warning},
        "locations": [_place(source, 1)],
    }


def _place(source: str, line: int) -> dict[str, Any]:
    artifact = {"artifactLocation": {"uri": _uri(source)}}
    return {"physicalLocation": {**artifact, "region": {"startLine": line}}}


def _uri(source: str) -> str:
    """A path as a reference; a relative one stays relative."""
    path = Path(source)
    if path.is_absolute():
        return path.as_uri()
    # The bytes of a name that is no text are told, too.
    return quote(os.fsencode(path.as_posix()))
