"""What ``check`` found, as plain data for JSON."""

from __future__ import annotations

from typing import Any

from phverify.verbs.check_result import CheckResult


def to_json(found: CheckResult) -> dict[str, Any]:
    """The verdict, what was verified, what is wrong, and what is not as required."""
    return {
        "verdict": found.verdict,
        "verified": list(found.verified),
        "problem": found.problem,
        "unmet": list(found.unmet),
    }
