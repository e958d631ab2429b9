"""What ``reidentify`` found as plain data: exact numbers as text, records by their names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phverify.linkage.candidates.attackers import Point
from phverify.linkage.methods.links import Names
from phverify.linkage.methods.soundness import Judgement, Unsound
from phverify.linkage.result import Reidentification
from phverify.linkage.risk.assess import RiskReport
from phverify.linkage.risk.figures import Figures
from phverify.linkage.risk.measures import AttackerRisk, Outcomes
from phverify.linkage.risk.uniques import Uniques
from phverify.report.matches_text import exact, plain

Data = dict[str, Any]


def to_json(found: Reidentification) -> Data:
    """The verdict on a method, or the risk of a release."""
    names = found.released, found.original, found.redact
    if found.method is not None:
        return method(found.method, found.truth, *names, found.inferred)
    assert found.risk is not None
    return risk(found.risk, *names)


def risk(report: RiskReport, released: Names, original: Names, redact: bool = False) -> Data:
    """The risk of a release; with ``redact`` no record is named."""
    before, after = report.linkage.sources
    return {
        "original": {"source": before, "records": report.originals},
        "release": {"source": after, "records": report.released},
        "truth": report.linkage.truth.by,
        "notes": list(report.notes),
        "undeclared": list(report.linkage.inferred),
        "thresholds": list(map(str, report.thresholds)),
        "population": report.population or None,
        "attackers": [_attacker(found) for found in report.attackers],
        "subsets": None if report.curve is None else [_point(point) for point in report.curve.points],
        "singled_out": {
            where: _uniques(found, None if redact else original if where == "original" else released)
            for where, found in report.uniques.items()
        },
    }


def _attacker(found: AttackerRisk) -> Data:
    """Each released record's outcome is ``outcomes[of_record[row]]``."""
    return {
        "name": found.agent.name,
        "knows": list(found.agent.knows),
        **_overall(found.outcomes),
        "at_or_above": {str(share.threshold): share.records for share in found.shares},
        "figures": _figures(found.figures),
        "outcomes": [
            {
                "candidates": item.size,
                "highest": str(item.highest),
                "true": str(item.own),
                "nonspecificity": f"1 ln({item.spread})" if item.spread > 1 else "0",
                "records": item.records,
            }
            for item in found.outcomes.items
        ],
        "of_record": found.of_record.tolist(),
    }


def _overall(found: Outcomes) -> Data:
    return {
        "records": found.records,
        "fewest_candidates": found.smallest,
        "highest": str(found.highest),
        "singled_out": found.singled_out,
        "expected_correct": str(found.expected),
        "nonspecificity": float(found.nonspecificity),
    }


def _figures(found: Figures) -> Data:
    return {
        "prosecutor": plain(found.prosecutor, text=str),
        "journalist": plain(found.journalist, text=str),
        "marketer": str(found.marketer),
        "records": found.records,
        "sdcMicro": {"expected": str(found.expected), "global_risk": str(found.overall)},
    }


def _point(point: Point) -> Data:
    return {"knows": list(point.attributes), **_overall(point.outcomes)}


def _uniques(found: Uniques, names: Names | None) -> Data:
    combinations = []
    for exposure in found.found:
        one: Data = {"attributes": list(exposure.attributes), "records": len(exposure.rows)}
        combinations.append(one if names is None else one | {"who": [names.say(k) for k in exposure.rows.tolist()]})
    return {"complete": found.complete, "searched": found.searched, "combinations": combinations}


def method(
    found: Judgement,
    truth: str,
    released: Names,
    original: Names,
    redact: bool = False,
    inferred: Sequence[str] = (),
) -> Data:
    """The verdict on a linkage method; with ``redact`` no record is named."""
    return {
        "verdict": found.verdict,
        "method": found.source,
        "answers": "belief functions" if found.sets else "probabilities",
        "truth": truth,
        "undeclared": list(inferred),
        "judged": found.judged,
        "not_judged": found.silent,
        "normalized": found.normalized,
        "pairwise": found.reading.pairwise,
        "match_threshold": None if found.reading.match_threshold is None else exact(found.reading.match_threshold),
        "no_match": found.unmatched,
        "expected_correct": {"drawn": exact(found.correct), "likeliest": exact(found.first)},
        "links": plain(found.matches) if found.matches else None,
        "unsound_records": len(found.unsound),
        "undecided_records": len(found.undecided),
        "unsound": [] if redact else [_unsound(item, released, original) for item in found.unsound],
        "undecided": [] if redact else list(map(released.say, found.undecided)),
    }


def _unsound(item: Unsound, released: Names, original: Names) -> Data:
    why = type(item.witness).__name__.lower()
    return {"record": released.say(item.record), "why": why, **plain(item.witness, original.say)}
