"""Why a release is not finer, its rivals, and how far rules have to give way: in words,
and as plain data.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from phverify.generalization.alternatives import MinimalCandidate, RelaxedRule
from phverify.generalization.explanation import Explanation, FinerStep
from phverify.generalization.result import SearchResult
from phverify.report.verify_text import class_text
from phverify.rounded import figure, in_places, rounded
from phverify.spec.decimals import decimal
from phverify.verification.result import Failing
from phverify.words import cell, plural

SHOWN = 3
"""So many steps of one column are told."""
NAMED = 4
"""So many values are named of those that are released instead of one."""
STEPS = {
    "levels": "one level finer",
    "subtrees": "one node opened",
    "intervals": "an interval cut in two",
    "partitions": "a group split in two",
}
"""What a finer step is, by the scheme of the column."""

# In words


def reasons_title(explanation: Explanation) -> str:
    """What the steps together tell: why nothing is finer only where each fails."""
    steps = chain.from_iterable(explanation.steps.values())
    if any(step.outcome == "satisfies" for step in steps):
        return "What becomes of the release when a column is finer"
    return "Why no column is finer"


def column_reasons(result: SearchResult, name: str) -> list[str]:
    """What becomes of the release when a column is finer: a sentence a step.

    None where nothing is finer.
    """
    explanation = result.explanation
    assert explanation is not None
    steps = explanation.steps[name]
    scheme = STEPS[result.schemes[name]]
    told = []
    for step in steps[:SHOWN]:
        instead = _instead(step)
        outcome = _outcome(result, step, explanation)
        told.append(f"{scheme}{instead}: {outcome}")
    others = steps[SHOWN:]
    if others:
        ways = explanation.ways[name]
        told.append(_others(others, ways))
    return told


def _instead(step: FinerStep) -> str:
    """What is released then, and what is released now."""
    if not step.after:
        return ""
    shown = ", ".join(map(cell, step.after[:NAMED]))
    more = ", .." if len(step.after) > NAMED else ""
    return f" ({shown}{more} instead of {cell(step.before)})"


def _outcome(result: SearchResult, step: FinerStep, explanation: Explanation) -> str:
    if step.outcome == "undecided":
        return f"undecided, {step.reason}"
    if step.outcome == "satisfies":
        return _kept(result, step)
    said = f"breaks {step.rule}" if step.rule else "breaks the policy"
    witness = step.witness
    if witness is not None:
        # the column itself is what changed: it is shown in any case
        hidden = tuple(n for n in explanation.suppressed if n != step.column)
        rows = plural(witness.rows, "record")
        said += f" in the class {class_text(witness, hidden)} ({rows})"
        if witness.statement:
            said += f": {rounded(witness.statement)}"
        if witness.failing is not None:
            said += f"; {_failing(witness.failing)}"
    if step.withheld:
        records = plural(step.withheld, "record")
        if result.suppressed:
            records += " in all"
        said += f"; {records} would have to be withheld, and {result.budget:,} may be"
    elif result.budget:
        most = plural(result.budget, "record")
        said += f"; withholding {most} at most does not mend it"
    return said


def _kept(result: SearchResult, step: FinerStep) -> str:
    """What a finer release costs that keeps every rule: withheld records may count."""
    said = "keeps every rule, too"
    if step.withheld:
        said += f", without {plural(step.withheld, 'record')}"
    assert step.cost is not None
    cost = figure(step.cost, in_places(step.cost))
    said += f": {result.objective} {cost}"
    if result.verdict != "optimal":
        said += "; a search with more time may find it"
    return said


def _failing(failing: Failing) -> str:
    """How many classes break the rule."""
    least = "" if failing.exact else "at least "
    classes, rows = plural(failing.classes, "class"), plural(failing.rows, "record")
    verb = "fails" if failing.classes == 1 else "fail"
    return f"{least}{classes} with {rows} {verb}"


def _others(steps: tuple[FinerStep, ...], ways: int) -> str:
    """What becomes of the steps that are not told one by one."""
    counts = []
    for outcome, words in (
        ("breaks", "more break a rule"),
        ("satisfies", "more keep every rule"),
        ("undecided", "more are undecided"),
    ):
        number = sum(step.outcome == outcome for step in steps)
        if number:
            counts.append(f"{number} {words}")
    unseen = ways - len(steps) - SHOWN
    if unseen:
        counts.append(f"{unseen:,} were not looked at")
    return f"of {ways:,} ways to make it finer, {', '.join(counts)}"


def relaxed_reason(one: RelaxedRule) -> str:
    """How far a rule has to give way, in a sentence."""
    name = one.parameter
    if one.works is None:
        if one.reason:
            return f"{one.rule}: no {name} that works is known ({one.reason})"
        return f"{one.rule}: no {name} does, as long as the other rules are kept"
    works = decimal(one.works)
    fails = decimal(one.fails)
    best = "smallest" if name == "t" else "largest"
    fine = "" if one.whole else " in steps of 0.001"
    if one.reason:
        return (
            f"{one.rule}: {name} = {works} does, {fails} does not; what is between"
            f" them is open ({one.reason})"
        )
    return f"{one.rule}: {name} = {works} is the {best}{fine}; {fails} does not do"


def risk_text(one: MinimalCandidate) -> tuple[str, str]:
    """The highest and the average prosecutor risk of a candidate."""
    risk = one.risk
    highest = str(risk.highest)
    return highest, in_places(risk.average)


# As plain data


def explanation_json(result: SearchResult, redact: bool) -> dict[str, Any] | None:
    """The steps by column; ``redact`` leaves out what values become."""
    explanation = result.explanation
    if explanation is None:
        return None
    columns = {}
    for name, steps in explanation.steps.items():
        listed = [_step_json(step, redact) for step in steps]
        columns[name] = {"ways": explanation.ways[name], "steps": listed}
    return columns


def _step_json(step: FinerStep, redact: bool) -> dict[str, Any]:
    witness = step.witness
    broken = None
    if witness is not None:
        failing = witness.failing
        broken = {
            "values": dict(witness.cls),
            "rows": witness.rows,
            "statement": witness.statement,
            "failing_classes": None if failing is None else failing.classes,
            "failing_rows": None if failing is None else failing.rows,
            "exact": failing is not None and failing.exact,
        }
    return {
        "outcome": step.outcome,
        "before": None if redact else step.before,
        "after": [] if redact else list(step.after),
        "rule": step.rule,
        "class": broken,
        "withheld": step.withheld,
        "cost": None if step.cost is None else str(step.cost),
        "reason": step.reason,
    }


def candidate_json(one: MinimalCandidate) -> dict[str, Any]:
    """A minimal candidate with what it costs and risks."""
    return {
        "levels": dict(one.levels),
        "cost": str(one.cost),
        "withheld": one.withheld,
        "classes": one.classes,
        "highest_risk": str(one.risk.highest),
        "average_risk": str(one.risk.average),
    }


def relaxed_json(one: RelaxedRule) -> dict[str, Any]:
    """How far a rule has to give way."""
    return {
        "rule": one.rule,
        "criterion": one.criterion,
        "parameter": one.parameter,
        "asked": str(one.asked),
        "works": None if one.works is None else str(one.works),
        "fails": str(one.fails),
        "reason": one.reason,
    }
