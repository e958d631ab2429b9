"""A report as JSON: exact numbers as text, nothing rounded."""

from __future__ import annotations

from typing import Any

from phverify.verification.failing_elsewhere import FailingElsewhere
from phverify.verification.result import (
    Fact,
    FailingRows,
    NotKnown,
    Report,
    RuleResult,
    TupleCounts,
    Witness,
)


def to_json(report: Report) -> dict[str, Any]:
    """The report as plain data: verdict, release, rules, version, and what the proof
    covers.
    """
    data = {
        "verdict": report.verdict,
        "release": {
            "rows": report.rows,
            "classes": report.classes,
            "source": report.release,
            "suppressed": list(report.suppressed),
        },
        "individuals": report.individuals,
        "assumptions": list(report.assumptions),
        "sanitization": _sanitized(report),
        "rules": [_rule(rule) for rule in report.rules],
        "warnings": list(report.warnings),
        "notes": list(report.notes),
        "encoding": report.encoding,
        "solver": report.solver,
        "version": report.version,
    }
    if report.failing_rows is not None:
        data["failing_rows"] = _failing_rows(report.failing_rows)
    return data


def _rule(rule: RuleResult) -> dict[str, Any]:
    data: dict[str, Any] = {
        "name": rule.name,
        "formula": rule.formula,
        "verdict": rule.verdict,
        "witness": _witness(rule.witness) if rule.witness else None,
        "seconds": round(rule.seconds, 6),
    }
    if rule.unknown:
        data["not_known"] = [_unknown(one) for one in rule.unknown]
    if rule.verdict == "undecided":
        data["reason"] = rule.reason
        # for whoever wants to ask another solver
        data["query"] = rule.query
    return data


def _unknown(unknown: NotKnown) -> dict[str, Any]:
    true_if = unknown.true_if
    return {
        "formula": unknown.formula,
        "false_if": dict(unknown.false_if),
        "true_if": None if true_if is None else dict(true_if),
    }


def _witness(witness: Witness) -> dict[str, Any]:
    failing = None
    if witness.failing:
        failing = {
            "classes": witness.failing.classes,
            "rows": witness.failing.rows,
            "exact": witness.failing.exact,
        }
    return {
        "world": witness.world,
        "assignment": dict(witness.assignment),
        "class": dict(witness.cls),
        "rows": witness.rows,
        "instance": witness.instance,
        "bindings": dict(witness.bindings),
        "statement": witness.statement,
        "numbers": [_fact(fact) for fact in witness.facts],
        "failing": failing,
    }


def _fact(fact: Fact) -> dict[str, Any]:
    return {
        "text": fact.text,
        "values": dict(fact.values),
        "holds": fact.holds,
    }


def _failing_rows(failing: FailingRows | FailingElsewhere) -> dict[str, Any]:
    """As ``--failing`` writes them: rows and classes count from 1."""
    rows = []
    for one in failing.rows:
        rows.append(
            {
                # as formulas name rows: from d1
                "row": f"d{one.row + 1}",
                "class": one.cls + 1,
                "breaks": list(one.rules),
                "cells": dict(one.cells),
            }
        )
    return {"listed": dict(failing.extents), "rows": rows}


def _sanitized(report: Report) -> dict[str, Any] | None:
    sanitized = report.sanitized
    if sanitized is None:
        return None
    mappings = {}
    for name, mapping in sanitized.mappings.items():
        # pairs, not an object: a missing cell is null, which is no key
        mappings[name] = [[before, after] for before, after in mapping.items()]
    data = {
        # a release that is not truthful is refused before
        "truthful": True,
        "proper": sanitized.proper,
        "trivial": sanitized.trivial,
        "same_order": sanitized.same_order,
        "rows_by": sanitized.by,
        "only": sanitized.certain,
        "mappings": mappings,
        "sizes": {name: list(sizes) for name, sizes in sanitized.sizes.items()},
    }
    if sanitized.tupled is not None:
        data["tuples"] = _tuples(sanitized.tupled)
    return data


def _tuples(counts: TupleCounts) -> dict[str, Any]:
    """Recoding by tuples; rows count from 1."""
    alike = None
    if counts.alike is not None:
        alike = [row + 1 for row in counts.alike]
    said = {
        "before": counts.before,
        "after": counts.after,
        "function": counts.alike is None,
        "torn": counts.torn,
        "alike": alike,
    }
    if counts.withheld:
        said["withheld"] = counts.withheld
    return said
