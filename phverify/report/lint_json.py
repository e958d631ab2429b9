"""What ``lint`` found, as plain data for JSON."""

from __future__ import annotations

from typing import Any

from phverify.comparison.findings import Lint


def to_json(lint: Lint) -> dict[str, Any]:
    """The findings as plain data."""
    findings = [
        {**vars(f), "rules": list(f.rules), "evidence": list(f.evidence)}
        for f in lint.findings
    ]
    return {
        "schema": "lint-1.json",
        "verdict": lint.verdict,
        "policy": lint.policy,
        "rules": lint.rules,
        "findings": findings,
        "aside": list(lint.aside),
    }
