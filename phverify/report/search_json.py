"""A search result as plain data for JSON."""

from __future__ import annotations

from typing import Any

from phverify.generalization.result import Proof, SearchResult
from phverify.generalization.standing import Standing
from phverify.microdata.table import Label
from phverify.report.search_reasons import (
    candidate_json,
    explanation_json,
    relaxed_json,
)


def to_json(result: SearchResult, redact: bool = False) -> dict[str, Any]:
    """The result as plain data: exact numbers as text, no rows of the release.

    ``redact`` leaves out which value becomes which.
    """
    mapping: dict[str, list[list[Label]]] = {}
    sizes: dict[str, list[int]] = {}
    for name, images in result.mapping.items():
        sizes[name] = [len(images), len(set(images.values()))]
        if not redact:
            mapping[name] = [list(pair) for pair in images.items()]
    return {
        "schema": "search-1.json",
        "verdict": result.verdict,
        "space": result.space,
        "objective": result.objective,
        "charged": result.charged,
        "schemes": dict(result.schemes),
        "rows": result.rows,
        "sample": None if result.sample is None else result.sample.said(),
        "cost": None if result.cost is None else str(result.cost),
        "bound": None if result.bound is None else str(result.bound),
        "tuples_estimate": result.tuples_estimate,
        "levels": result.levels,
        "mapping": mapping,
        "sizes": sizes,
        "withheld": result.suppressed,
        "fewest_withheld": result.fewest_withheld,
        "may_be_withheld": result.budget,
        "minimal": list(result.minimal),
        "candidates": [candidate_json(one) for one in result.candidates],
        "explanation": explanation_json(result, redact),
        "relaxed": [relaxed_json(one) for one in result.relaxed],
        "history": [_standing(one) for one in result.history],
        "reason": result.reason,
        "notes": list(result.notes),
        "warnings": list(result.warnings),
        "closures": [_closure(proof) for proof in result.proofs],
        "checks": None if result.checks is None else result.checks.to_dict(),
        "statistics": {
            "candidates": result.statistics.candidates,
            "clauses": result.statistics.clauses,
            "seconds": round(result.statistics.seconds, 6),
            "bound_by": list(result.statistics.solvers),
        },
    }


def _standing(one: Standing) -> list[Any]:
    cost = None if one.cost is None else str(one.cost)
    return [round(one.seconds, 3), cost, str(one.bound)]


def _closure(proof: Proof) -> dict[str, Any]:
    said = {
        "rule": proof.rule,
        "formula": proof.formula,
        "merge_closed": proof.merge,
        "upward_closed": proof.upward,
    }
    return said | {"how": proof.how, "queries": len(proof.queries)}
