"""A report as JSON: exact numbers as text, nothing rounded."""

from __future__ import annotations

from collections.abc import Iterable
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
    release: dict[str, Any] = {
        "rows": report.rows,
        "classes": report.classes,
        "source": report.release,
        "suppressed": list(report.suppressed),
    }
    if report.files:
        files = [{"file": file, "rows": rows} for file, rows in report.files]
        release["files"] = files
    data = {
        "schema": "verify-1.json",
        "verdict": report.verdict,
        "release": release,
        "individuals": report.individuals,
        "assumptions": list(report.assumptions),
        "sanitization": _sanitized(report),
        "rules": [_rule(rule, report) for rule in report.rules],
        "warnings": list(report.warnings),
        "notes": list(report.notes),
        "encoding": report.encoding,
        "solver": report.solver,
        "version": report.version,
    }
    if report.failing_rows is not None:
        data["failing_rows"] = _failing_rows(report.failing_rows, report)
    if report.portrait is not None:
        from phverify.report.measure_json import portrait_json

        data["portrait"] = portrait_json(report.portrait)
    if report.utility is not None:
        from phverify.report.compare_data_json import to_json as compared

        data["utility"] = compared(report.utility)
    return data


def _rule(rule: RuleResult, report: Report) -> dict[str, Any]:
    data: dict[str, Any] = {
        "name": rule.name,
        "formula": rule.formula,
        "promise": rule.promise,
        "criteria": list(rule.criteria),
        "speaks_of": list(rule.threats),
        "verdict": rule.verdict,
        "witness": _witness(rule.witness, report) if rule.witness else None,
        "seconds": round(rule.seconds, 6),
    }
    if rule.unknown:
        data["not_known"] = [_unknown(one, report) for one in rule.unknown]
    if rule.verdict == "undecided":
        data["reason"] = rule.reason
        # for whoever wants to ask another solver
        data["query"] = rule.query
    return data


def _unknown(unknown: NotKnown, report: Report) -> dict[str, Any]:
    true_if = unknown.true_if
    named = [*unknown.false_if.values(), *(true_if or {}).values()]
    return {
        "formula": unknown.formula,
        "false_if": dict(unknown.false_if),
        "true_if": None if true_if is None else dict(true_if),
        **_in_files(named, report),
    }


def _in_files(records: Iterable[str], report: Report) -> dict[str, Any]:
    """Where records stand, in a release of several files."""
    places = {}
    for record in dict.fromkeys(records):
        place = report.in_file(record)
        if place is not None:
            places[record] = {"file": place.file, "row": place.row}
    return {"records": places} if places else {}


def _witness(witness: Witness, report: Report) -> dict[str, Any]:
    failing = None
    if witness.failing:
        failing = {
            "classes": witness.failing.classes,
            "rows": witness.failing.rows,
            "exact": witness.failing.exact,
        }
    named = [witness.world, *witness.assignment.values()]
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
        **_in_files(named, report),
    }


def _fact(fact: Fact) -> dict[str, Any]:
    return {
        "text": fact.text,
        "values": dict(fact.values),
        "holds": fact.holds,
    }


def _failing_rows(
    failing: FailingRows | FailingElsewhere, report: Report
) -> dict[str, Any]:
    """As ``--failing`` writes them: rows and classes count from 1."""
    rows = []
    for one in failing.rows:
        # as formulas name rows: from d1
        told: dict[str, Any] = {"row": f"d{one.row + 1}"}
        place = report.in_file(told["row"])
        if place is not None:
            told |= {"file": place.file, "row_in_file": place.row}
        told["class"] = one.cls + 1
        told["breaks"] = list(one.rules)
        told["cells"] = dict(one.cells)
        rows.append(told)
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
