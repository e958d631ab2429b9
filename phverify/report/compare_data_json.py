"""What a release is still good for, as plain data for JSON: exact texts."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from phverify.utility.result import (
    ClassSizes,
    ColumnUtility,
    DataComparison,
    Learned,
)


def to_json(result: DataComparison) -> dict[str, Any]:
    """The comparison as plain data; redacted, without the values of the tables."""
    hidden = result.redacted
    return {
        "schema": "compare-data-1.json",
        "original": {"source": result.original, "rows": result.rows},
        "release": {"source": result.release, "rows": result.released},
        "withheld": result.withheld,
        "quasi": list(result.quasi),
        "sanitization": result.explained or None,
        "departures": [problem.text(hidden) for problem in result.departures],
        "loss": _text(result.loss),
        "loss_with_withheld": _text(result.loss_with_withheld),
        "precision": _text(result.precision),
        "classes": {"before": _sizes(result.before), "after": _sizes(result.after)},
        "columns": [_column(one, hidden) for one in result.columns],
        "pairs": [
            {"columns": [pair.first, pair.second], "distance": str(pair.distance)}
            for pair in result.pairs
        ],
        "correlations": [
            {
                "columns": [one.first, one.second],
                "pearson": [one.pearson_before, one.pearson_after],
                "spearman": [one.spearman_before, one.spearman_after],
            }
            for one in result.correlations
        ],
        "classifier": _learned(result.learned),
        "notes": list(result.notes),
        "version": result.version,
    }


def _column(column: ColumnUtility, hidden: bool) -> dict[str, Any]:
    shares = []
    for one in () if hidden else column.shares:
        shares.append([one.value, str(one.before), str(one.after)])
    return {
        "name": column.name,
        "role": column.role or None,
        "changed": column.changed,
        "loss": _text(column.loss),
        "precision": _text(column.precision),
        "distance": str(column.distance),
        "shares": shares,
        "unread": column.unread,
    }


def _sizes(sizes: ClassSizes | None) -> dict[str, Any] | None:
    if sizes is None:
        return None
    return {
        "number": sizes.number,
        "least": sizes.least,
        "median": str(sizes.median),
        "mean": str(sizes.mean),
        "largest": sizes.most,
        "discernibility": sizes.discernibility,
    }


def _learned(found: Learned | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "target": found.target,
        "features": list(found.features),
        "folds": found.folds,
        "records": found.records,
        "wrong": {
            "original": found.original,
            "release": found.release,
            "majority": found.majority,
        },
    }


def _text(value: Fraction | None) -> str | None:
    if value is None:
        return None
    return str(value)
