"""A release by tuples as lines of plain text."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from phverify.errors import printable
from phverify.recoding.result import RecodingResult
from phverify.report.search_text import SCALE, amount
from phverify.report.verify_text import to_lines as report_lines
from phverify.rounded import below, in_places
from phverify.spec.splits import Splits
from phverify.words import percent, plural

Lines = Iterator[str]
HOW = {
    **SCALE,
    "entropy": "bits that a cell leaves open, on average; 0 is the table unchanged",
    "class-size": "records of the table for each class",
    "discernibility": (
        "squares of class sizes, added up; a withheld record counts as the whole table"
    ),
}
"""How to read a cost."""


def to_lines(result: RecodingResult, source: str = "") -> list[str]:
    """The result, its verdict first word of the last paragraph."""
    lines = [*_head(result, source), *_release(result), *_tail(result)]
    return [printable(line) for line in lines]


def _head(result: RecodingResult, source: str) -> Lines:
    where = f"{source}: " if source else ""
    columns = plural(len(result.nodes), "quasi-identifier")
    apart = ", boxes disjoint" if result.disjoint else ""
    yield (
        f"{where}{plural(result.rows, 'record')}, {plural(result.tuples, 'tuple')} of"
        f" {columns}; space tuples, objective {result.objective}{apart}"
    )
    yield from (f"  note: {note}" for note in result.notes)
    yield from (f"  warning: {warning}" for warning in result.warnings)
    if result.budget:
        yield f"  at most {plural(result.budget, 'record')} may be withheld"
    for name, what in result.nodes.items():
        yield f"  {name}: {what}"
    beside = ""
    if result.cuts:
        cuts = plural(result.cuts, "cut")
        beside = f"; and on {cuts}: of three tuples at most one class has two"
    yield f"  the bound rests on: {result.necessary.said()}{beside}"
    yield ""


def _release(result: RecodingResult) -> Lines:
    """What is released, in the measures of the field."""
    measures = result.measures
    if measures is None:
        return
    withheld = f"; {plural(result.suppressed, 'record')} withheld"
    yield (
        f"  {plural(result.classes, 'class')}, {float(measures.average_class):.2f}"
        f" records each on average{withheld}"
    )
    if result.publish == "median":
        yield (
            "  medians are shown in place of ranges: records that show the same are one"
            " class, and what cells lose is counted by the ranges"
        )
    cells = result.rows * len(result.nodes)
    yield f"  {result.stars:,} of {cells:,} cells are *"
    yield f"  loss {in_places(measures.loss)}"
    if measures.precision is not None:
        yield f"  precision {in_places(measures.precision)}"
    yield f"  discernibility {measures.discernibility:,}"
    yield f"  non-uniform entropy {float(measures.entropy):.4f} bits a cell"
    if result.splits is not None and result.splits.reasons:
        yield f"  {about_splits(result.splits)}"
    yield ""


def about_splits(splits: Splits) -> str:
    """Why no class can be split, as far as that is decided."""
    # What is not decided comes first: no sum of the others settles it.
    if splits.left:
        return _undecided(splits)
    one = "it" if splits.tried == 1 else "one of them"
    if not splits.tried:
        each = "it" if splits.small == 1 else "each"
        why = f"{each} is too small for two"
    elif not splits.small:
        why = f"every way to split {one} breaks a rule"
    else:
        verb = "is" if splits.small == 1 else "are"
        why = (
            f"{plural(splits.small, 'class')} {verb} too small for two, and every way"
            f" to split {_others(splits.tried)} breaks a rule"
        )
    return f"no class can be split: {why}"


def _undecided(splits: Splits) -> str:
    """Which classes could perhaps be split."""
    known = splits.small + splits.tried
    why = "it has" if splits.left == 1 else "they have"
    why = f"is not decided: {why} too many tuples"
    if known:
        cannot = f"{plural(known, 'class')} cannot be split"
        return f"{cannot}; whether {_others(splits.left)} can {why}"
    one = "the class" if splits.left == 1 else f"one of the {splits.left:,} classes"
    return f"whether {one} can be split {why}"


def _others(count: int) -> str:
    return "the other one" if count == 1 else f"one of the other {count:,}"


def _tail(result: RecodingResult) -> Lines:
    if result.cost is None:
        yield from _nothing(result)
        return
    checks = result.checks
    assert checks is not None and result.gap is not None
    yield (
        f"PROVED for the release: {plural(len(checks.rules), 'rule')} on"
        f" {plural(checks.rows, 'row')}"
    )
    yield f"  {result.objective} {amount(result.cost)}; {HOW[result.objective]}"
    if result.gap == 0:
        yield "  No release by tuples is below it: this one is the best there is."
    else:
        gap = percent(result.gap)
        yield (
            f"  No release by tuples is below {below(result.bound)}: at most {gap} of"
            " this one's cost can be saved."
        )
    if not result.reached:
        assert result.wanted is not None
        yield f"UNDECIDED: the gap of {asked(result.wanted)} was not reached"
    if result.reason:
        yield f"  ({result.reason})"


def _nothing(result: RecodingResult) -> Lines:
    if result.verdict == "infeasible":
        yield from report_lines(result.checks) if result.checks else ()
        yield f"INFEASIBLE: {result.reason}"
        return
    yield f"UNDECIDED: {result.reason}; no release was found that satisfies the policy"


def asked(share: Fraction) -> str:
    """A share as somebody wrote it, in percent."""
    return f"{float(share * 100):.12g}%"
