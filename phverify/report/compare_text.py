"""A comparison as lines of plain text."""

from __future__ import annotations

from phverify.comparison.result import Comparison, bound
from phverify.errors import printable
from phverify.report.verify_text import to_lines as to_text_lines
from phverify.words import grid, plural

Lines = list[str]

MARKS = {"implies": "IMPLIES", "separated": "SEPARATED", "undecided": "UNDECIDED"}


def to_lines(comparison: Comparison) -> Lines:
    """The comparison as text; the verdict is the first word, and its bound stands
    beside it.
    """
    lines = _direction(comparison)
    converse = comparison.converse
    if converse:
        both = both_line(comparison, converse)
        lines += ["", *_direction(converse), "", both]
    return [printable(line) for line in lines]


def both_line(comparison: Comparison, converse: Comparison) -> str:
    """Both directions in one line."""
    if comparison.equivalent == "separated":
        return "SEPARATED: not equivalent"
    if comparison.equivalent == "undecided":
        return "UNDECIDED"
    # an equivalence is proved for the values of both directions
    least = {**comparison.values, **converse.values}
    for name, many in comparison.values.items():
        least[name] = min(many, least[name])
    if least:
        return f"EQUIVALENT up to {bound(least)}"
    return "EQUIVALENT"


def _direction(comparison: Comparison) -> Lines:
    """What is known of one direction."""
    verdict = comparison.verdict
    mark = MARKS[verdict]
    up_to = f" up to {comparison.bound}" if comparison.bound else ""
    lines = [f"{mark}{up_to}  {comparison.first}  =>  {comparison.second}"]
    if verdict == "implies":
        lines += implied_lines(comparison)
        return lines
    if verdict == "separated":
        table = grid(comparison.table)
        why = _why(comparison)
        lines += [*separating_lines(comparison), "", *table, "", *why]
    else:
        lines.append(f"  {comparison.reason}")
        if comparison.searched:
            rows = plural(comparison.searched, "row")
            separates = f"separates the two, {bound_words(comparison)}."
            lines.append(f"  No table with at most {rows} {separates}")
    # where not all rules of the second are implied, some may be
    if comparison.proved:
        implied = ", ".join(comparison.proved)
        lines.append(f"  implied all the same: {implied}")
    return lines


def implied_lines(comparison: Comparison) -> Lines:
    """What an implication was proved for."""
    lines = ["  Every table that satisfies the first satisfies the second:"]
    if comparison.bound:
        lines.append(f"  any number of rows and classes, {bound_words(comparison)}.")
        more = ""
        if comparison.tried:
            more = f": neither proved nor refuted with {bound(comparison.tried)}"
        lines.append(f"  Of more values nothing is claimed{more}.")
    else:
        lines.append("  any number of rows, of classes and of values.")
    if comparison.vacuous:
        within = "within that bound " if comparison.bound else ""
        lines.append(f"  No table {within}satisfies the first at all.")
    return lines


def separating_lines(comparison: Comparison) -> Lines:
    """What the separating table is."""
    rows = plural(len(comparison.table), "row")
    # all smaller tables were searched: none separates the two
    if comparison.searched == len(comparison.table) - 1:
        return [
            f"  The smallest table with {bound_words(comparison)} has {rows}.",
            "  It satisfies the first and not the second:",
        ]
    bound = bound_words(comparison)
    least = f"  A smallest one has more than {comparison.searched} ({bound})."
    return [f"  This table ({rows}) satisfies the first and not the second.", least]


def bound_words(comparison: Comparison) -> str:
    """How many values the columns may have."""
    if not comparison.values:
        return "any number of values"
    limits = []
    for name, many in comparison.values.items():
        limits.append(f"at most {plural(many, 'value')} of {name}")
    return ", ".join(limits)


def _why(comparison: Comparison) -> Lines:
    """The rules of both sides with what ``verify`` says of them."""
    assert comparison.reports
    lines: Lines = []
    for report in comparison.reports:
        lines += _rules(to_text_lines(report))
    return [f"  {line}" for line in lines]


def _rules(lines: Lines) -> Lines:
    """What stands between the head and the tail of a report."""
    blanks = [number for number, line in enumerate(lines) if not line]
    first, last = blanks[0], blanks[-1]
    return [line for line in lines[first:last] if line]
