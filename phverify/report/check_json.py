"""What ``check`` found, as plain data for JSON."""

from __future__ import annotations

from typing import Any

from phverify.verbs.check_result import CheckResult


def to_json(result: CheckResult) -> dict[str, Any]:
    """The verdict, what was verified, what is wrong, and what is not as required."""
    return {
        "schema": "check-1.json",
        "verdict": result.verdict,
        "verified": list(result.verified),
        "problem": result.problem,
        "unmet": list(result.unmet),
    }
