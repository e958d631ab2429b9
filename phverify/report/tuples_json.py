"""A release by tuples as plain data for JSON."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from phverify.recoding.result import RecodingResult, Standing
from phverify.spec.splits import Splits


def to_json(result: RecodingResult, redact: bool = False) -> dict[str, Any]:
    """The result as plain data: exact numbers as text, no rows of the release."""
    measures = result.measures
    shown = None
    if measures is not None:
        shown = {
            "loss": str(measures.loss),
            "precision": _text(measures.precision),
            "discernibility": measures.discernibility,
            "average_class": str(measures.average_class),
            "entropy": str(measures.entropy),
        }
    return {
        "schema": "tuples-1.json",
        "verdict": result.verdict,
        "space": "tuples",
        "objective": result.objective,
        "rows": result.rows,
        "sample": None if result.sample is None else result.sample.said(),
        "tuples": result.tuples,
        "nodes": dict(result.nodes),
        "disjoint": result.disjoint,
        "publish": result.publish,
        "cost": _text(result.cost),
        "bound": str(result.bound),
        "gap": _text(result.gap),
        "gap_asked": _text(result.wanted),
        "gap_reached": result.reached,
        "classes": result.classes,
        "withheld": result.suppressed,
        "may_be_withheld": result.budget,
        "stars": result.stars,
        "measures": shown,
        "cuts": result.cuts,
        "necessary": result.necessary.said(),
        "splits": _splits(result.splits),
        "history": [_standing(one) for one in result.history],
        "reason": result.reason,
        "notes": list(result.notes),
        "warnings": list(result.warnings),
        "checks": None if result.checks is None else result.checks.to_dict(),
        "seconds": round(result.seconds, 3),
    }


def _splits(splits: Splits | None) -> dict[str, int] | None:
    if splits is None:
        return None
    return {"small": splits.small, "tried": splits.tried, "left": splits.left}


def _standing(one: Standing) -> list[Any]:
    return [round(one.seconds, 3), _text(one.cost), str(one.bound)]


def _text(value: Fraction | None) -> str | None:
    return None if value is None else str(value)
