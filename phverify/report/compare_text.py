"""A comparison as lines of plain text."""

from __future__ import annotations

from phverify.comparison.result import Comparison, bound
from phverify.errors import printable
from phverify.report.verify_text import to_lines as to_text_lines
from phverify.words import grid, plural

Lines = list[str]

MARKS = {"implies": "IMPLIES", "separated": "SEPARATED", "undecided": "UNDECIDED"}


def to_lines(found: Comparison) -> Lines:
    """The comparison as text; the verdict is the first word, and its bound stands
    beside it.
    """
    lines = _direction(found)
    converse = found.converse
    if converse:
        both = _both(found, converse)
        lines += ["", *_direction(converse), "", both]
    return [printable(line) for line in lines]


def _both(found: Comparison, converse: Comparison) -> str:
    """Both directions in one line."""
    if found.equivalent == "separated":
        return "SEPARATED: not equivalent"
    if found.equivalent == "undecided":
        return "UNDECIDED"
    # an equivalence is proved for the values of both directions
    least = {**found.values, **converse.values}
    for name, many in found.values.items():
        least[name] = min(many, least[name])
    if least:
        return f"EQUIVALENT up to {bound(least)}"
    return "EQUIVALENT"


def _direction(found: Comparison) -> Lines:
    """What is known of one direction."""
    verdict = found.verdict
    mark = MARKS[verdict]
    up_to = f" up to {found.bound}" if found.bound else ""
    lines = [f"{mark}{up_to}  {found.first}  =>  {found.second}"]
    if verdict == "implies":
        lines += _implied(found)
        return lines
    if verdict == "separated":
        table = grid(found.table)
        why = _why(found)
        lines += [*_table(found), "", *table, "", *why]
    else:
        lines.append(f"  {found.reason}")
        if found.searched:
            rows = plural(found.searched, "row")
            separates = f"separates the two, {_bound(found)}."
            lines.append(f"  No table with at most {rows} {separates}")
    # where not all rules of the second are implied, some may be
    if found.proved:
        implied = ", ".join(found.proved)
        lines.append(f"  implied all the same: {implied}")
    return lines


def _implied(found: Comparison) -> Lines:
    """What an implication was proved for."""
    lines = ["  Every table that satisfies the first satisfies the second:"]
    if found.bound:
        lines.append(f"  any number of rows and classes, {_bound(found)}.")
        more = ""
        if found.tried:
            more = f": neither proved nor refuted with {bound(found.tried)}"
        lines.append(f"  Of more values nothing is claimed{more}.")
    else:
        lines.append("  any number of rows, of classes and of values.")
    if found.vacuous:
        within = "within that bound " if found.bound else ""
        lines.append(f"  No table {within}satisfies the first at all.")
    return lines


def _table(found: Comparison) -> Lines:
    """What the separating table is."""
    rows = plural(len(found.table), "row")
    if found.searched == len(found.table) - 1:
        return [
            f"  The smallest table with {_bound(found)} has {rows}.",
            "  It satisfies the first and not the second:",
        ]
    least = f"  A smallest one has more than {found.searched} ({_bound(found)})."
    return [f"  This table ({rows}) satisfies the first and not the second.", least]


def _bound(found: Comparison) -> str:
    """How many values the columns may have."""
    if not found.values:
        return "any number of values"
    limits = []
    for name, many in found.values.items():
        limits.append(f"at most {plural(many, 'value')} of {name}")
    return ", ".join(limits)


def _why(found: Comparison) -> Lines:
    """The rules of both sides with what ``verify`` says of them."""
    assert found.reports
    lines: Lines = []
    for report in found.reports:
        lines += _rules(to_text_lines(report))
    return [f"  {line}" for line in lines]


def _rules(lines: Lines) -> Lines:
    """What stands between the head and the tail of a report."""
    blanks = [number for number, line in enumerate(lines) if not line]
    first, last = blanks[0], blanks[-1]
    return [line for line in lines[first:last] if line]
