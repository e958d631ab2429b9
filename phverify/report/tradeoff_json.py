"""A tradeoff as plain data for JSON: exact numbers as text."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from phverify.verbs.tradeoff_result import PointUtility, Tradeoff, TradeoffPoint


def to_json(result: Tradeoff) -> dict[str, Any]:
    """The points from the least strict number to the strictest."""
    return {
        "schema": "tradeoff-1.json",
        "verdict": result.verdict,
        "parameter": result.parameter,
        "rule": result.rule,
        "space": result.space,
        "objective": result.objective,
        "charged": result.charged,
        "rows": result.rows,
        "sample": None if result.sample is None else result.sample.said(),
        "gap_asked": _text(result.wanted),
        # a bound for one number holds for each stricter one
        "bounds_exchanged": True,
        "points": [_point(point) for point in result.points],
        "notes": list(result.notes),
        "warnings": list(result.warnings),
        "seconds": round(result.seconds, 3),
    }


def _point(point: TradeoffPoint) -> dict[str, Any]:
    return {
        "value": str(point.value),
        "verdict": point.verdict,
        "cost": _text(point.cost),
        "bound": _text(point.bound),
        "gap": _text(point.gap),
        "classes": point.classes,
        "withheld": point.suppressed,
        "utility": _utility(point.utility),
        "release_of": _text(point.taken),
        "searched": point.searched,
        "reason": point.reason,
        "seconds": round(point.seconds, 3),
    }


def _utility(utility: PointUtility | None) -> dict[str, Any] | None:
    if utility is None:
        return None
    return {
        "loss": _text(utility.loss),
        "precision": _text(utility.precision),
        "discernibility": utility.discernibility,
        "average_class": str(utility.average_class),
    }


def _text(value: Fraction | None) -> str | None:
    return None if value is None else str(value)
