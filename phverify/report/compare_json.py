"""A comparison as plain data for JSON."""

from __future__ import annotations

from typing import Any

from phverify.comparison.result import Comparison


def to_json(comparison: Comparison) -> dict[str, Any]:
    """The comparison as plain data."""
    return {
        "schema": "compare-1.json",
        "verdict": comparison.verdict,
        "first": comparison.first,
        "second": comparison.second,
        "values": dict(comparison.values),
        # "" is no bound at all
        "up_to": comparison.bound or None,
        "tried_values": dict(comparison.tried),
        "table": [dict(row) for row in comparison.table],
        "reports": (
            [report.to_dict() for report in comparison.reports]
            if comparison.reports
            else None
        ),
        "reason": comparison.reason,
        "searched_rows": comparison.searched,
        "proved": list(comparison.proved),
        "open": list(comparison.open),
        "vacuous": comparison.vacuous,
        "seconds": round(comparison.seconds, 6),
        "converse": to_json(comparison.converse) if comparison.converse else None,
    }
