"""A report as lines of plain text; the terminal adds colour to the verdict words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from phverify.errors import printable
from phverify.rounded import rounded
from phverify.verification.result import (
    Failing,
    NotKnown,
    Report,
    RuleResult,
    Sanitized,
    TupleCounts,
    Witness,
)
from phverify.words import cell, plural

MARKS = {"proved": "PROVED", "refuted": "REFUTED", "undecided": "UNDECIDED"}
ROWS = {
    "identifier": "rows paired by the identifier column",
    "policy": "rows in the same order, as the policy says",
    "order": "the rows fit in the same order",
    "matching": "rows matched whatever their order",
}
"""How it is known which rows of release and original belong together."""
SHOWN = 12
"""So many placed individuals are named."""


def to_lines(report: Report, classes: bool = True) -> list[str]:
    """The report, verdicts first word of their lines.

    Without ``classes`` the one of a witness is named by its record, and no
    quasi-identifier is told.
    """
    rules = _rules(report, classes)
    lines = [*_head(report), *_summary(report), *rules, *_tail(report)]
    if report.utility is not None:
        from phverify.report.compare_data_text import to_lines as compared

        lines += ["", *compared(report.utility)]
    return [printable(line) for line in lines]


def _head(report: Report) -> Iterator[str]:
    """What was read, and on what terms it was decided."""
    rows = plural(report.rows, "row")
    classes = plural(report.classes, "class")
    individuals = plural(report.individuals, "individual")
    yield f"{report.release}: {rows}, {classes}, {individuals}"
    if report.suppressed:
        yield f"  suppressed throughout: {', '.join(report.suppressed)}"
    for note in report.notes:
        yield f"  note: {note}"
    for warning in report.warnings:
        yield f"  warning: {warning}"
    if report.sanitized:
        yield from _sanitized(report.sanitized)
    for assumption in report.assumptions:
        yield f"  assumed (and possible): {assumption}"
    yield ""


def _sanitized(sanitized: Sanitized) -> Iterator[str]:
    """What was done to the original table."""
    kind = "proper" if sanitized.proper else "not proper (it merges no classes)"
    if sanitized.trivial:
        kind = "trivial"
    if sanitized.tupled is not None:
        yield from _tupled(sanitized.tupled, kind, ROWS[sanitized.by])
        if sanitized.tupled.alike is None and not sanitized.certain:
            yield (
                "    who is withheld could be told otherwise: no rule depends on it,"
                " but who is shown in which row does"
            )
        return
    yield f"  sanitization of the original: truthful, {kind}; {ROWS[sanitized.by]}"
    # who is shown where depends on the mapping that is meant, no verdict does
    if not sanitized.certain:
        yield (
            "    one of the mappings that may explain it: no rule depends on which is"
            " meant, but who is shown in which row does"
        )
    yield from _mapped(sanitized)


def _mapped(sanitized: Sanitized) -> Iterator[str]:
    """What the values of each column became, a few of each; redacted, how many."""
    for name, mapping in sanitized.mappings.items():
        changed = []
        for before, after in mapping.items():
            if before != after:
                changed.append(f"{cell(before)} -> {cell(after)}")
        shown = "; ".join(changed[:3]) or "unchanged"
        more = len(changed) - 3
        if more > 0:
            shown += f"; and {more} more"
        yield f"    {name}: {shown}"
    if not sanitized.mappings:  # redacted
        for name, (many, few) in sanitized.sizes.items():
            values = plural(many, "value")
            yield f"    {name}: {values} -> {few:,}"


def _tupled(counts: TupleCounts, kind: str, rows: str) -> Iterator[str]:
    """How tuples were recoded."""
    if counts.alike is not None:
        # tuples that are alike have two images
        kind = "no function"
    # Where records are withheld tuples tell who: they need not be recoded.
    read = "read by tuples" if counts.withheld else "recoded by tuples"
    yield f"  sanitization of the original: truthful, {read}, {kind}; {rows}"
    yield (
        f"    {plural(counts.before, 'tuple')} of quasi-identifier values ->"
        f" {counts.after:,}"
    )
    if counts.withheld:
        yield f"    {plural(counts.withheld, 'record')} of the original withheld"
    if counts.alike is not None:
        first, second = counts.alike
        differently = "or not, or differently" if counts.withheld else "differently"
        torn = plural(counts.torn, "row")
        yield (
            f"    alike and released {differently}: rows {first + 1} and {second + 1}"
            f" of the original, {torn} in all; no rule depends on who of them is in"
            " which class, but who is shown in which row does"
        )


def _summary(report: Report) -> Iterator[str]:
    """A line for each rule, where there are several: what is read first."""
    if len(report.rules) < 2:
        return
    table = [("rule", "verdict", "classes that fail", "rows in them")]
    for rule in report.rules:
        name = printable(rule.name)  # before its width is taken
        classes, rows = failing_counts(report, rule)
        table.append((name, rule.verdict, classes, rows))
    columns = zip(*table, strict=True)
    widths = [max(map(len, column)) for column in columns]
    for row in table:
        pairs = zip(row, widths, strict=True)
        cells = [text.ljust(width) for text, width in pairs]
        line = "  ".join(cells)
        yield f"  {line}".rstrip()
    yield ""


def failing_counts(report: Report, rule: RuleResult) -> tuple[str, str]:
    """How many classes break a rule, and how many rows are in them, in words."""
    if rule.verdict == "proved":
        return "none", "none"
    failing = rule.witness.failing if rule.witness else None
    if failing is None:
        # without a leak nothing was counted
        if rule.witness is None:
            return ("not known", "")
        return ("not counted", "")
    least = "" if failing.exact else "at least "
    return (
        f"{least}{failing.classes:,} of {report.classes:,}",
        f"{least}{failing.rows:,} of {report.rows:,}",
    )


def _rules(report: Report, classes: bool) -> Iterator[str]:
    """Each rule with its witness, or why it is open."""
    for rule in report.rules:
        yield f"{MARKS[rule.verdict]}  {rule.name}: {rule.formula}"
        if rule.witness:
            yield from _witness(rule.witness, report, classes)
        for unknown in rule.unknown:
            yield _unknown(unknown, report)
        if rule.verdict == "undecided":
            yield f"    {rule.reason}"
        yield ""


def _unknown(unknown: NotKnown, report: Report) -> str:
    """Two placements that leave a formula open."""
    false_if = places_text(unknown.false_if, report)
    false = f"is false if {false_if}"
    true = ""
    if unknown.true_if is not None:
        true_if = places_text(unknown.true_if, report)
        true = f", true if {true_if}"
    return f"    not known: {unknown.formula} {false}{true}"


def places_text(assignment: Mapping[str, str], report: Report) -> str:
    """Who is where, at most a dozen of them."""
    if not assignment:
        return "everyone is as the assumptions leave it"
    placed = []
    for name in [*assignment][:SHOWN]:
        record = record_text(assignment[name], report)
        placed.append(f"{name} is {record}")
    shown = ", ".join(placed)
    more = len(assignment) - SHOWN
    if more > 0:
        shown += f", and {more} more"
    return shown


def record_text(record: str, report: Report) -> str:
    """A record, with its file and the row there where the release is several files."""
    place = report.in_file(record)
    if place is None:
        return record
    names = {Path(file).name for file, _ in report.files}
    file = place.file
    # Files of one name are told apart by their paths.
    if len(names) == len(report.files):
        file = Path(file).name
    return f"{record} (row {place.row:,} of {file})"


def _witness(witness: Witness, report: Report, classes: bool) -> Iterator[str]:
    """The leak: where, what is false there, by which numbers, and who is where then."""
    where = f"that of {record_text(witness.world, report)}"
    if classes:
        where = class_text(witness, report.suppressed)
    rows = plural(witness.rows, "row")
    yield f"    class: {where} ({rows})"
    if witness.statement:
        yield f"    {rounded(witness.statement)}"
    world = record_text(witness.world, report)
    yield f"    false at {world}: {witness.instance}"
    for fact in witness.facts:
        yield f"    {rounded(fact.text)}"
    if witness.assignment:
        yield f"    if {places_text(witness.assignment, report)}"
    # not every leak is one of classes: then there is nothing to count
    if witness.failing:
        yield f"    {_failing(witness.failing)}"


def class_text(witness: Witness, suppressed: tuple[str, ...]) -> str:
    """The witness's class by its quasi-identifiers.

    What is * in every class says nothing.
    """
    values = []
    for name, value in witness.cls.items():
        if name not in suppressed:
            shown = cell(value)
            values.append(f"{name} = {shown}")
    # one class of all rows has no value to tell
    return ", ".join(values) or "everyone"


def _failing(failing: Failing) -> str:
    classes = plural(failing.classes, "class")
    rows = plural(failing.rows, "row")
    verb = "fail"
    if failing.classes == 1:
        verb = "fails"
    start = "at least"
    if failing.exact:
        start = "in all:"
    return f"{start} {classes} with {rows} {verb}"


def _tail(report: Report) -> Iterator[str]:
    """The verdict on all rules, and what a proof covers."""
    made = f"({report.solver}, {report.encoding})"
    yield f"{MARKS[report.verdict]}: {report.counted()}  {made}"
    # what follows says what a proof covers: a leak needs no such words
    if report.verdict != "proved":
        return
    assumed = len(report.assumptions)
    given = ""
    if assumed:
        if assumed == 1:
            hold = "the assumption holds"
        else:
            hold = f"the {assumed} assumptions hold"
        given = f", and in which {hold},"
    rows = plural(report.rows, "row")
    classes = plural(report.classes, "class")
    yield (
        f"  No assignment of the {report.individuals:,} individuals to the {rows} of"
        f" the {classes}"
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
