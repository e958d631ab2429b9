"""Precision, recall and calibration of a method's links, as lines of text and as JSON:
pure functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

from phverify.linkage.methods.matches import LONG, Bin, Count, Level, Matches
from phverify.linkage.methods.number_text import decimal_text
from phverify.report.risk_text import aligned, amount, at_least, decimal, percent

Data = dict[str, Any]


def match_lines(matches: Matches) -> Iterator[str]:
    """The threshold curve and the calibration; levels that change nothing are left
    out.
    """
    # without a link there are no figures
    if not matches.calibration:
        return
    yield ""
    yield (
        "Links by their numbers, all of them, and one to one (every record once at"
        " most):"
    )
    levels = telling_levels(matches)
    figures = ["correct", "precision", "recall"]
    head = ["number", "links", *figures, "one to one", *figures]
    yield from aligned([head, *map(level_cells, levels)], "right")
    yield (
        "Calibration: what the links with such numbers are given on average, and the"
        " share of them that is correct:"
    )
    bins = map(bin_cells, matches.calibration)
    yield from aligned([["number", "links", "given", "correct"], *bins], "right")


def telling_levels(matches: Matches) -> list[Level]:
    """The thresholds that change the links."""
    levels: list[Level] = []
    for level in matches.curve:
        # a threshold that leaves out no link says nothing new
        if not levels or level.every != levels[-1].every:
            levels.append(level)
    return levels


def level_cells(level: Level) -> list[str]:
    """A threshold with its figures as cells."""
    bound = "all"
    if level.threshold:
        bound = at_least(level.threshold)
    every = _count(level.every)
    single = _count(level.single)
    return [bound, *every, *single]


def _count(count: Count) -> list[str]:
    """The figures of some links as cells."""
    precision = "-"
    if count.precision is not None:
        precision = percent(count.precision)
    links = f"{count.links:,}"
    correct = amount(count.correct)
    recall = percent(count.recall)
    return [links, correct, precision, recall]


def bin_cells(part: Bin) -> list[str]:
    """A part of the numbers with its figures as cells."""
    low = decimal(part.low)
    high = decimal(part.high)
    links = f"{part.links:,}"
    stated = percent(part.stated)
    correct = percent(part.correct)
    return [f"{low} to {high}", links, stated, correct]


NAMES = {
    "every": "all",
    "single": "one_to_one",
    "low": "from",
    "high": "to",
    "stated": "given",
}
"""What fields are called in JSON where not by their names."""


def plain(
    result: Any,
    say: Callable[[int], Any] = int,
    text: Callable[[Fraction], str] | None = None,
) -> Any:
    """Results as plain data: fields by their names, whole numbers as ``say`` says them,
    fractions as ``text`` does.
    """
    if is_dataclass(result):
        names = [field.name for field in fields(result)]
        return {
            NAMES.get(name, name): plain(getattr(result, name), say, text)
            for name in names
        }
    match result:
        case tuple():
            return [plain(item, say, text) for item in result]
        case Mapping():
            return {
                # keys may be numbers of records, too
                plain(key, say, text): plain(value, say, text)
                for key, value in result.items()
            }
        case Fraction():
            return (text or exact)(result)
        case int():
            return say(result)
    return result


def exact(value: Fraction) -> str:
    """A number as a fraction; one with hundreds of digits is rounded, and says so."""
    long = max(abs(value.numerator), value.denominator) > LONG
    if long:
        return f"about {decimal_text(value, 20)}"
    return str(value)
