"""Precision, recall and calibration of a method's links, as lines of text and as JSON: pure functions."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from phverify.linkage.methods.links import decimal_text
from phverify.linkage.methods.matches import LONG, Bin, Count, Level, Matches
from phverify.report.risk_text import aligned, amount, decimal, percent

Data = dict[str, Any]


def match_lines(found: Matches) -> Iterator[str]:
    """The threshold curve and the calibration; levels that change nothing are left out."""
    if not found.calibration:
        return
    yield ""
    yield "Links by their numbers, all of them, and one to one (every record once at most):"
    levels = [level for k, level in enumerate(found.curve) if k == 0 or level.every != found.curve[k - 1].every]
    head = ["number", "links", "correct", "precision", "recall", "one to one", "correct", "precision", "recall"]
    yield from aligned([head, *map(_level, levels)], "right")
    yield "Calibration: what the links with such numbers are given on average, and the share of them that is correct:"
    yield from aligned([["number", "links", "given", "correct"], *map(_bin, found.calibration)], "right")


def _level(level: Level) -> list[str]:
    bound = f">= {decimal(level.threshold, 4)}" if level.threshold else "all"
    return [bound, *_count(level.every), *_count(level.single)]


def _count(count: Count) -> list[str]:
    precision = "-" if count.precision is None else percent(count.precision)
    return [f"{count.links:,}", amount(count.correct), precision, percent(count.recall)]


def _bin(found: Bin) -> list[str]:
    numbers = f"{decimal(found.low)} to {decimal(found.high)}"
    return [numbers, f"{found.links:,}", percent(found.stated), percent(found.correct)]


def match_data(found: Matches) -> Data:
    """The same, all of it, as exact fractions."""
    return {
        "curve": [
            {"threshold": str(level.threshold), "all": _counted(level.every), "one_to_one": _counted(level.single)}
            for level in found.curve
        ],
        "calibration": [
            {
                "from": str(found.low),
                "to": str(found.high),
                "links": found.links,
                "given": exact(found.stated),
                "correct": exact(found.correct),
            }
            for found in found.calibration
        ],
    }


def _counted(count: Count) -> Data:
    return {
        "links": count.links,
        "correct": exact(count.correct),
        "precision": None if count.precision is None else exact(count.precision),
        "recall": exact(count.recall),
    }


def exact(value: Fraction) -> str:
    """A number as a fraction; one with hundreds of digits is rounded, and says so."""
    long = max(abs(value.numerator), value.denominator) > LONG
    return f"about {decimal_text(value, 20)}" if long else str(value)
