"""What ``check`` found, as plain data for JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from phverify.verbs.check_result import CheckResult


def to_json(result: CheckResult) -> dict[str, Any]:
    """The verdict, what was verified, what is wrong, what is not as required, and the
    files."""
    return {
        "verdict": result.verdict,
        "verified": list(result.verified),
        "problem": result.problem,
        "unmet": list(result.unmet),
        "kind": result.kind or None,
        "files": [asdict(one) for one in result.files],
    }
