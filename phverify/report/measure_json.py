"""What was measured of a release as plain data for JSON."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from phverify.measurement.result import (
    ColumnCounts,
    MeasuredCriterion,
    Measurement,
    Portrait,
)
from phverify.measurement.threshold import Threshold
from phverify.report.thresholds import log2_enclosure


def to_json(measurement: Measurement) -> dict[str, Any]:
    """The measurement as plain data: numbers as exact texts."""
    return {
        "schema": "measure-1.json",
        "release": measurement.release,
        "rows": measurement.rows,
        "classes": measurement.classes,
        "measured": [_criterion(one) for one in measurement.measured],
        "warnings": list(measurement.warnings),
        "version": measurement.version,
    }


def _criterion(one: MeasuredCriterion) -> dict[str, Any]:
    forced = None
    if one.cls is not None:
        forced = {"class": dict(one.cls.values), "rows": one.cls.rows}
    asked = []
    for rule in one.asked:
        asked.append({"rule": rule.rule, "asks": rule.asked, "kept": rule.kept})
    return {
        "criterion": one.criterion,
        "name": one.name,
        "column": one.column or None,
        "threshold": None if one.threshold is None else threshold_json(one.threshold),
        "forced_by": forced,
        "rules": asked,
        "unmeasured": one.unmeasured or None,
    }


def portrait_json(portrait: Portrait) -> dict[str, Any]:
    """The classes of a release, by their sizes, the worst of them, and how strict
    criteria could be.
    """
    worst = []
    for view in portrait.worst:
        seen = {"class": dict(view.cls.values), "rows": view.cls.rows, "why": view.why}
        worst.append({**seen, "columns": [_column(one) for one in view.columns]})
    return {
        "sizes": [vars(one) for one in portrait.sizes],
        "worst": worst,
        "measured": [_criterion(one) for one in portrait.measured],
    }


def _column(counts: ColumnCounts) -> dict[str, Any]:
    """The values of a column in a class, each with its rows there and in all."""
    values = [[one.value, one.inside, one.whole] for one in counts.values]
    return {
        "column": counts.column,
        "rows": counts.rows,
        "values": values,
        "others": counts.others,
    }


def threshold_json(threshold: Threshold) -> dict[str, Any]:
    """A threshold; ``value`` is exact, of a logarithm the number below ``log2``."""
    low, high = _text(threshold.low), _text(threshold.high)
    if threshold.logarithm and threshold.value is not None:
        low, high = log2_enclosure(threshold.value)
    return {
        "parameter": threshold.parameter,
        "strictest": "largest" if threshold.most else "smallest",
        "value": None if threshold.logarithm else _text(threshold.value),
        "log2_of": _text(threshold.value) if threshold.logarithm else None,
        "attained": threshold.attained,
        "low": low,
        "high": high,
        "reason": threshold.why,
    }


def _text(value: Fraction | None) -> str | None:
    if value is None:
        return None
    return str(value)
