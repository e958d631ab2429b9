"""The privacy loss of a mechanism as plain data for JSON."""

from __future__ import annotations

from typing import Any

from phverify.mechanisms.result import MechanismReport


def to_json(report: MechanismReport) -> dict[str, Any]:
    """The report as plain data: numbers as exact texts."""
    loaded = report.loaded
    return {
        "schema": "mechanism-1.json",
        "mechanism": loaded.source,
        "inputs": [str(value) for value in loaded.mechanism.inputs],
        "outputs": [str(output) for output in loaded.mechanism.outputs],
        "pairs": _pairs(report),
        "least_epsilon": _least(report),
        "forced_by": _forced(report),
        "epsilon": None if report.bound is None else str(report.bound),
        "verdict": report.verdict,
        "breach": None if report.breach is None else str(report.breach),
        "reason": report.reason,
    }


def _pairs(report: MechanismReport) -> str | list[list[str]]:
    """The pairs that were compared, each with its distance."""
    adjacency = report.loaded.adjacency
    if adjacency is None:
        return "all"
    pairs = []
    for (first, second), distance in adjacency.distances.items():
        pairs.append([str(first), str(second), str(distance)])
    return pairs


def _least(report: MechanismReport) -> dict[str, Any] | None:
    """The least epsilon, exactly where it has a closed form, and its enclosure."""
    least = report.least
    if least is None:
        return None
    if not least.finite:
        return {"finite": False, "exact": None, "low": None, "high": None}
    low, high = least.decimals()
    exact = None if least.exact is None else str(least.exact)
    return {"finite": True, "exact": exact, "low": low, "high": high}


def _forced(report: MechanismReport) -> dict[str, Any] | None:
    """The pair of inputs and the output that force the least epsilon."""
    forced = report.forced_by
    if report.least is None or forced is None:
        return None
    least = report.least
    return {
        "inputs": [str(least.first), str(least.second)],
        "output": str(least.output),
        "probabilities": [str(probability) for probability in forced],
        "distance": str(report.distance),
    }
