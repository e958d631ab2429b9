"""What is wrong with the bounds of a builder: top and bottom coding that makes no sense
is said, each with the nearest that does.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from phverify.spec.builders import BOUNDS
from phverify.spec.coding import BOUNDED, CODING, CUT_OFF, coding_bound
from phverify.spec.decimals import decimal, fraction
from phverify.spec.source import Plain, writable

EXAMPLE = "age = {at_least = 18, at_most = 90, intervals = [5, 10]}"
Complaint = tuple[str, str]
"""What is wrong, and a hint."""


def wrong_bounds(entry: Plain, kind: str) -> Iterator[Complaint]:
    """What is wrong with the bounds beside a builder of a kind, or alone."""
    named = [name for name in BOUNDS if name in entry]
    if named and kind not in (*BOUNDED, CODING):
        what = f"{named[0]} is for numbers and dates, and {kind} takes texts"
        listed = ", ".join(BOUNDED)
        yield what, f"it stands alone, or beside one of {listed}"
        return
    read: dict[str, tuple[Fraction, bool]] = {}
    for name in named:
        try:
            read[name] = coding_bound(entry[name])
        except ValueError:
            yield _unread(name, entry[name])
    for name, (bound, dated) in read.items():
        yield from _of_another_kind(name, bound, dated, kind)
        if kind == "ranges":
            yield from _beyond(name, bound, entry[kind])
    if len(read) == len(BOUNDS):
        yield from _turned(entry, read)


def _unread(name: str, said: Any) -> Complaint:
    # To Python true is a number.
    counted = isinstance(said, int | Fraction)
    if counted and not isinstance(said, bool):
        return f"{name}: the number has more than 300 digits", EXAMPLE
    what = f"{name}: {said!r} is no number, and no date"
    return what, "bounds are written as 90, 0.5 or '1/3', or as 1956-03-23"


def _of_another_kind(
    name: str, bound: Fraction, dated: bool, kind: str
) -> Iterator[Complaint]:
    if kind == "dates" and not dated:
        number = decimal(bound)
        what = f"{name}: {number} is no date, and dates reads dates"
        hint = f"for example: {name} = 1956-03-23"
        yield what, hint
    if kind in CUT_OFF and dated:
        what = f"{name} is a date, and {kind} reads numbers"
        yield what, "beside dates stand dates"


def _beyond(name: str, bound: Fraction, levels: Any) -> Iterator[Complaint]:
    """Cut points where all values are coded."""
    listed = [level for level in levels if isinstance(level, list | tuple)]
    cuts = [fraction(cut) for level in listed for cut in level]
    for cut in dict.fromkeys(cuts):
        if cut is None or not writable(cut):
            continue  # complained of with the ranges
        outside = cut < bound if name == "at_least" else cut > bound
        if outside:
            what = f"the cut point {decimal(cut)} lies beyond {name} = {decimal(bound)}"
            yield what, "values there are one: leave the cut point out"


def _turned(
    entry: Plain, read: dict[str, tuple[Fraction, bool]]
) -> Iterator[Complaint]:
    low, high = (read[name] for name in BOUNDS)
    said = f"at_least = {entry['at_least']}", f"at_most = {entry['at_most']}"
    if low[1] != high[1]:
        yield f"{said[0]} and {said[1]}: one is a date, the other a number", EXAMPLE
    elif low[0] >= high[0]:
        what = f"{said[0]} is not below {said[1]}: no value would be kept"
        turned = low[0] > high[0]
        hint = "exchange them" if turned else "leave one of the two out"
        yield what, f"{hint}; for example: {EXAMPLE}"
