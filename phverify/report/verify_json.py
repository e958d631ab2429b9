"""A report as JSON: exact numbers as text, nothing rounded."""

from __future__ import annotations

from typing import Any

from phverify.verification.result import Report, RuleResult, Witness


def to_json(report: Report) -> dict[str, Any]:
    """The report as plain data: verdict, release, rules, version, and what the proof
    covers.
    """
    return {
        "verdict": report.verdict,
        "release": {
            "rows": report.rows,
            "classes": report.classes,
            "source": report.release,
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


def _rule(rule: RuleResult) -> dict[str, Any]:
    result: dict[str, Any] = {
        "name": rule.name,
        "formula": rule.formula,
        "verdict": rule.verdict,
        "witness": _witness(rule.witness) if rule.witness else None,
        "seconds": round(rule.seconds, 6),
    }
    if rule.unknown:
        result["not_known"] = [
            {
                "formula": one.formula,
                "false_if": dict(one.false_if),
                "true_if": None if one.true_if is None else dict(one.true_if),
            }
            for one in rule.unknown
        ]
    if rule.verdict == "undecided":
        result |= {"reason": rule.reason, "query": rule.query}
    return result


def _witness(witness: Witness) -> dict[str, Any]:
    failing = witness.failing
    return {
        "world": witness.world,
        "assignment": dict(witness.assignment),
        "class": dict(witness.cls),
        "rows": witness.rows,
        "instance": witness.instance,
        "bindings": dict(witness.bindings),
        "statement": witness.statement,
        "numbers": [
            {"text": f.text, "values": dict(f.values), "holds": f.holds}
            for f in witness.facts
        ],
        "failing": (
            {"classes": failing.classes, "rows": failing.rows, "exact": failing.exact}
            if failing
            else None
        ),
    }


def _sanitized(report: Report) -> dict[str, Any] | None:
    found = report.sanitized
    if found is None:
        return None
    mappings = {
        name: [[before, after] for before, after in m.items()]
        for name, m in found.mappings.items()
    }
    kinds = {"truthful": True, "proper": found.proper, "trivial": found.trivial}
    return {
        **kinds,
        "same_order": found.same_order,
        "rows_by": found.by,
        "only": found.certain,
        "mappings": mappings,
    }
