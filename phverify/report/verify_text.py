"""A report as lines of plain text; the terminal adds colour to the verdict words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from phverify.errors import printable
from phverify.verification.result import Report, Sanitized, Witness
from phverify.words import cell, plural

MARKS = {"proved": "PROVED", "refuted": "REFUTED", "undecided": "UNDECIDED"}


def to_lines(report: Report) -> list[str]:
    """The report, verdicts first word of their lines."""
    return [
        printable(line) for line in (*_head(report), *_rules(report), *_tail(report))
    ]


def _head(report: Report) -> Iterator[str]:
    sizes = ", ".join(
        (
            plural(report.rows, "row"),
            plural(report.classes, "class"),
            plural(report.individuals, "individual"),
        )
    )
    yield f"{report.release}: {sizes}"
    yield from (f"  note: {note}" for note in report.notes)
    yield from (f"  warning: {warning}" for warning in report.warnings)
    if report.sanitized:
        yield from _sanitized(report.sanitized)
    for assumption in report.assumptions:
        yield f"  assumed (and possible): {assumption}"
    yield ""


ROWS = {
    "identifier": "rows paired by the identifier column",
    "policy": "rows in the same order, as the policy says",
    "order": "the rows fit in the same order",
    "matching": "rows reordered",
}


def _sanitized(found: Sanitized) -> Iterator[str]:
    kind = (
        "trivial"
        if found.trivial
        else "proper"
        if found.proper
        else "not proper (it merges no classes)"
    )
    yield f"  sanitization of the original: truthful, {kind}; {ROWS[found.by]}"
    if not found.certain:
        yield (
            "    one of the mappings that may explain it: no rule depends on which is"
            " meant, who is shown where does"
        )
    for name, mapping in found.mappings.items():
        changed = [f"{cell(a)} -> {cell(b)}" for a, b in mapping.items() if a != b]
        shown = "; ".join(changed[:3]) + (
            f"; and {len(changed) - 3} more" if len(changed) > 3 else ""
        )
        yield f"    {name}: {shown or 'unchanged'}"


def _rules(report: Report) -> Iterator[str]:
    for rule in report.rules:
        yield f"{MARKS[rule.verdict]}  {rule.name}: {rule.formula}"
        if rule.witness:
            yield from _witness(rule.witness)
        for found in rule.unknown:
            true = (
                "" if found.true_if is None else f", true if {_places(found.true_if)}"
            )
            yield (
                f"    not known: {found.formula} is false if"
                f" {_places(found.false_if)}{true}"
            )
        if rule.verdict == "undecided":
            yield f"    {rule.reason}"
        yield ""


def _places(assignment: Mapping[str, str]) -> str:
    """Who is where, at most a dozen of them."""
    placed = [f"{name} is {row}" for name, row in assignment.items()]
    more = f", and {len(placed) - 12} more" if len(placed) > 12 else ""
    return ", ".join(placed[:12]) + more or "everyone is as the assumptions leave it"


def _witness(witness: Witness) -> Iterator[str]:
    values = ", ".join(f"{name} = {cell(value)}" for name, value in witness.cls.items())
    yield f"    class: {values or 'everyone'} ({plural(witness.rows, 'row')})"
    if witness.statement:
        yield f"    {witness.statement}"
    yield f"    false at {witness.world}: {witness.instance}"
    for fact in witness.facts:
        yield f"    {fact.text}"
    if witness.assignment:
        yield f"    if {_places(witness.assignment)}"
    if witness.failing:
        failing = (
            f"{plural(witness.failing.classes, 'class')} with"
            f" {plural(witness.failing.rows, 'row')}"
        )
        verb = "fails" if witness.failing.classes == 1 else "fail"
        start = "in all:" if witness.failing.exact else "at least"
        yield f"    {start} {failing} {verb}"


def _tail(report: Report) -> Iterator[str]:
    counts = {
        status: sum(rule.verdict == status for rule in report.rules) for status in MARKS
    }
    said = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
    yield (
        f"{MARKS[report.verdict]}: {plural(len(report.rules), 'rule')}, {said} "
        f" ({report.solver}, {report.encoding})"
    )
    if report.verdict == "proved":
        many = len(report.assumptions)
        held = "the assumption holds" if many == 1 else f"the {many} assumptions hold"
        given = f", and in which {held}," if many else ""
        rows, classes = plural(report.rows, "row"), plural(report.classes, "class")
        yield (
            f"  No assignment of the {report.individuals:,} individuals to the {rows}"
            f" of the {classes}"
        )
        yield (
            f"  that the release leaves possible{given} breaks a rule: each negation is"
            " unsatisfiable."
        )
        if any("never_known(" in rule.formula for rule in report.rules):
            yield (
                "  What never_known asks about is false in one of these assignments: it"
                " does not follow."
            )
