"""A comparison as plain data for JSON."""

from __future__ import annotations

from typing import Any

from phverify.comparison.result import Comparison


def to_json(found: Comparison) -> dict[str, Any]:
    """The comparison as plain data."""
    return {
        "verdict": found.verdict,
        "first": found.first,
        "second": found.second,
        "values": dict(found.values),
        "up_to": found.bound or None,
        "tried_values": dict(found.tried),
        "table": [dict(row) for row in found.table],
        "reports": (
            [report.to_dict() for report in found.reports] if found.reports else None
        ),
        "reason": found.reason,
        "searched_rows": found.searched,
        "proved": list(found.proved),
        "open": list(found.open),
        "vacuous": found.vacuous,
        "seconds": round(found.seconds, 6),
        "converse": to_json(found.converse) if found.converse else None,
    }
