"""What ``reidentify`` found as plain data: exact numbers as text, records by their
names.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from phverify.linkage.candidates.attackers import AttackPoint
from phverify.linkage.methods.record_names import RecordNames
from phverify.linkage.methods.soundness import Judgement
from phverify.linkage.methods.unsound import Unsound
from phverify.linkage.result import Reidentification
from phverify.linkage.risk.figures import Figures
from phverify.linkage.risk.outcomes import AttackerRisk, LinkOutcome, Outcomes
from phverify.linkage.risk.uniques import Uniques
from phverify.report.matches_text import exact, plain

Data = dict[str, Any]


def to_json(result: Reidentification) -> Data:
    """The verdict on a method, or the risk of a release."""
    if result.method:
        return _method(result.method, result)
    return _risk(result)


def _risk(result: Reidentification) -> Data:
    """The risk of a release; where it is redacted no record is named."""
    report = result.risk
    # without a method the risk was asked for
    assert report is not None
    before, after = report.linkage.sources
    subsets = None
    if report.curve is not None:
        subsets = [_point(point) for point in report.curve.points]
    singled_out: Data = {}
    if report.uniques:
        names = None if result.redact else result.released
        singled_out = {"linkage": _uniques(report.uniques, names)}

    return {
        "schema": "reidentify-1.json",
        "original": {"source": before, "records": report.originals},
        "release": {"source": after, "records": report.released},
        "truth": report.linkage.truth.by,
        "notes": list(report.notes),
        "undeclared": list(report.linkage.inferred),
        "thresholds": list(map(str, report.thresholds)),
        "population": report.population or None,
        "attackers": [_attacker(risk, result.redact) for risk in report.attackers],
        "subsets": subsets,
        "singled_out": singled_out,
    }


def _attacker(risk: AttackerRisk, redact: bool) -> Data:
    """Each released record's outcome is ``outcomes[of_record[row]]``; where it is
    redacted, which record has which is left out.
    """
    data: Data = {
        "name": risk.agent.name,
        "knows": list(risk.agent.knows),
        **_overall(risk.outcomes),
        "at_or_above": {str(share.threshold): share.records for share in risk.shares},
        "figures": _figures(risk.figures),
        "outcomes": list(map(_outcome, risk.outcomes.items)),
    }
    if not redact:
        data["of_record"] = risk.of_record.tolist()

    return data


def _outcome(outcome: LinkOutcome) -> Data:
    return {
        "candidates": outcome.size,
        "highest": str(outcome.highest),
        "true": str(outcome.own),
        # exact, hence as text: a logarithm is no fraction
        "nonspecificity": f"1 ln({outcome.spread})" if outcome.spread > 1 else "0",
        "records": outcome.records,
    }


def _overall(outcomes: Outcomes) -> Data:
    return {
        "records": outcomes.records,
        "fewest_candidates": outcomes.smallest,
        "highest": str(outcomes.highest),
        "singled_out": outcomes.singled_out,
        "expected_correct": str(outcomes.expected),
        # a sum of many logarithms: rounded, for display
        "nonspecificity": float(outcomes.nonspecificity),
    }


def _figures(figures: Figures) -> Data:
    return {
        "prosecutor": plain(figures.prosecutor, text=str),
        "journalist": plain(figures.journalist, text=str),
        "marketer": str(figures.marketer),
        "records": figures.records,
        "sdcMicro": {
            "expected": str(figures.expected),
            "global_risk": str(figures.overall),
        },
    }


def _point(point: AttackPoint) -> Data:
    return {"knows": list(point.attributes), **_overall(point.outcomes)}


def _uniques(some: Uniques, names: RecordNames | None) -> Data:
    """The combinations that single records out, and which: these where there are
    names.
    """
    combinations = []
    for exposure in some.found:
        one: Data = {
            "attributes": list(exposure.attributes),
            "records": exposure.records,
        }
        if names is not None:
            one["who"] = names.say_all(exposure.rows)
        combinations.append(one)

    return {
        "complete": some.complete,
        "searched": some.searched,
        "combinations": combinations,
    }


def _method(judged: Judgement, result: Reidentification) -> Data:
    """The verdict on a linkage method; where it is redacted no record is named."""
    threshold = judged.reading.match_threshold
    data: Data = {
        "schema": "reidentify-method-1.json",
        "verdict": judged.verdict,
        "method": judged.source,
        "answers": "belief functions" if judged.sets else "probabilities",
        "truth": result.truth,
        "undeclared": list(result.inferred),
        "judged": judged.judged,
        "not_judged": judged.silent,
        "normalized": judged.normalized,
        "pairwise": judged.reading.pairwise,
        "match_threshold": None if threshold is None else exact(threshold),
        "no_match": judged.unmatched,
        "expected_correct": {
            "drawn": exact(judged.correct),
            "likeliest": exact(judged.first),
        },
        "links": plain(judged.matches) if judged.matches else None,
        "unsound_records": len(judged.unsound),
        "undecided_records": len(judged.undecided),
    }
    if result.redact:
        reasons = Counter(_reason(item) for item in judged.unsound)
        return data | {"unsound": [], "reasons": dict(reasons), "undecided": []}
    data["unsound"] = [_unsound(item, result) for item in judged.unsound]
    data["undecided"] = list(map(result.released.say, judged.undecided))
    return data


def _unsound(item: Unsound, result: Reidentification) -> Data:
    """A record whose answer is unsound, and the fields of what shows it."""
    return {
        "record": result.released.say(item.record),
        "why": _reason(item),
        **plain(item.witness, result.original.say),
    }


def _reason(item: Unsound) -> str:
    """What kind of witness there is against an answer."""
    kind = type(item.witness)
    return kind.__name__.lower()
