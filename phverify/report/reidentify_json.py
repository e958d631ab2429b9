"""What ``reidentify`` found as plain data: exact numbers as text, records by their
names.
"""

from __future__ import annotations

from typing import Any

from phverify.linkage.candidates.attackers import AttackPoint
from phverify.linkage.methods.record_names import RecordNames
from phverify.linkage.methods.soundness import Judgement, Unsound
from phverify.linkage.result import Reidentification
from phverify.linkage.risk.figures import Figures
from phverify.linkage.risk.outcomes import AttackerRisk, LinkOutcome, Outcomes
from phverify.linkage.risk.uniques import Uniques
from phverify.report.matches_text import exact, plain

Data = dict[str, Any]


def to_json(found: Reidentification) -> Data:
    """The verdict on a method, or the risk of a release."""
    return _method(found.method, found) if found.method else _risk(found)


def _risk(found: Reidentification) -> Data:
    """The risk of a release; where it is redacted no record is named."""
    report = found.risk
    assert report is not None
    before, after = report.linkage.sources
    return {
        "original": {"source": before, "records": report.originals},
        "release": {"source": after, "records": report.released},
        "truth": report.linkage.truth.by,
        "notes": list(report.notes),
        "undeclared": list(report.linkage.inferred),
        "thresholds": list(map(str, report.thresholds)),
        "population": report.population or None,
        "attackers": [_attacker(risk) for risk in report.attackers],
        "subsets": (
            None
            if report.curve is None
            else [_point(point) for point in report.curve.points]
        ),
        "singled_out": (
            {"linkage": _uniques(report.uniques, found.released, found.redact)}
            if report.uniques
            else {}
        ),
    }


def _attacker(found: AttackerRisk) -> Data:
    """Each released record's outcome is ``outcomes[of_record[row]]``."""
    return {
        "name": found.agent.name,
        "knows": list(found.agent.knows),
        **_overall(found.outcomes),
        "at_or_above": {str(share.threshold): share.records for share in found.shares},
        "figures": _figures(found.figures),
        "outcomes": list(map(_outcome, found.outcomes.items)),
        "of_record": found.of_record.tolist(),
    }


def _outcome(found: LinkOutcome) -> Data:
    return {
        "candidates": found.size,
        "highest": str(found.highest),
        "true": str(found.own),
        "nonspecificity": f"1 ln({found.spread})" if found.spread > 1 else "0",
        "records": found.records,
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
        "sdcMicro": {
            "expected": str(found.expected),
            "global_risk": str(found.overall),
        },
    }


def _point(point: AttackPoint) -> Data:
    return {"knows": list(point.attributes), **_overall(point.outcomes)}


def _uniques(found: Uniques, names: RecordNames, redact: bool) -> Data:
    combinations = []
    for exposure in found.found:
        one: Data = {
            "attributes": list(exposure.attributes),
            "records": len(exposure.rows),
        }
        who: Data = (
            {} if redact else {"who": list(map(names.say, exposure.rows.tolist()))}
        )
        combinations.append(one | who)
    return {
        "complete": found.complete,
        "searched": found.searched,
        "combinations": combinations,
    }


def _method(judged: Judgement, found: Reidentification) -> Data:
    """The verdict on a linkage method; where it is redacted no record is named."""
    unsound = [] if found.redact else judged.unsound
    undecided = [] if found.redact else judged.undecided
    return {
        "verdict": judged.verdict,
        "method": judged.source,
        "answers": "belief functions" if judged.sets else "probabilities",
        "truth": found.truth,
        "undeclared": list(found.inferred),
        "judged": judged.judged,
        "not_judged": judged.silent,
        "normalized": judged.normalized,
        "pairwise": judged.reading.pairwise,
        "match_threshold": (
            None
            if judged.reading.match_threshold is None
            else exact(judged.reading.match_threshold)
        ),
        "no_match": judged.unmatched,
        "expected_correct": {
            "drawn": exact(judged.correct),
            "likeliest": exact(judged.first),
        },
        "links": plain(judged.matches) if judged.matches else None,
        "unsound_records": len(judged.unsound),
        "undecided_records": len(judged.undecided),
        "unsound": [_unsound(item, found) for item in unsound],
        "undecided": list(map(found.released.say, undecided)),
    }


def _unsound(item: Unsound, found: Reidentification) -> Data:
    why = type(item.witness).__name__.lower()
    return {
        "record": found.released.say(item.record),
        "why": why,
        **plain(item.witness, found.original.say),
    }
