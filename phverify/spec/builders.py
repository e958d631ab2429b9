"""Hierarchies that a policy asks to be built from the values of a column, built again.

A builder gives each value its labels below the root, lowest level first; where their last label is not ``*`` for all
of them, that is added as the root.  Whether the result is a hierarchy is examined like that of a file.
"""

from __future__ import annotations

import datetime
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from phverify.spec.source import Refused, number, rational, shortened
from phverify.spec.types import decimal

Paths = Mapping[str, tuple[str, ...]]
Labels = dict[str, tuple[str, ...]]
"""By value its labels below the root, in the order of the hierarchy."""
ROOT = "*"
UNITS = ("month", "quarter", "year", "decade")


def built(spec: Mapping[str, Any], values: Iterable[str], column: str) -> Paths:
    """The hierarchy of some values by what a policy says.  Raises Refused when it says nothing that fits them."""
    kinds = [kind for kind in spec if kind in BUILDERS]
    if len(kinds) != 1 or not set(spec) <= {kinds[0], *(("start",) if kinds == ["intervals"] else ())}:
        raise Refused(f"the policy names no builder of a hierarchy for {column!r}, or several")
    try:
        labels = BUILDERS[kinds[0]](spec, sorted(set(values)))
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError) as error:
        raise Refused(f"no hierarchy of {column!r} can be built by {kinds[0]}: {shortened(str(error))}") from None
    if not labels:
        raise Refused(f"there is no value of {column!r} to build a hierarchy of")
    root = () if {path[-1:] for path in labels.values()} == {(ROOT,)} else (ROOT,)
    return {value: (value, *path, *root) for value, path in labels.items()}


def _in_order(values: Sequence[str], read: Callable[[str], Any]) -> dict[str, Any]:
    """What the values denote, lowest first."""
    found = {value: read(value) for value in values}
    return dict(sorted(found.items(), key=lambda item: (item[1], item[0])))


def _figure(item: Any) -> Fraction:
    """A number of the policy."""
    if isinstance(item, bool):
        raise ValueError(f"{item} is no number")
    return number(item) if isinstance(item, str) else Fraction(item)


def _range(low: Fraction, high: Fraction, whole: bool) -> str:
    """The numbers from ``low`` to below ``high``; among whole numbers by the first and the last one."""
    if not whole:
        return f"[{decimal(low)}, {decimal(high)})"
    if high - low == 1:
        return str(low)
    return f"{low}{' to ' if low < 0 else '-'}{high - 1}"


def _whole(numbers: Iterable[Fraction]) -> bool:
    return all(one.denominator == 1 for one in numbers)


def _intervals(spec: Mapping[str, Any], values: Sequence[str]) -> Labels:
    """Ranges of equal width from ``start``, wider at each level."""
    widths, start = [_figure(width) for width in spec["intervals"]], _figure(spec.get("start", 0))
    numbers = _in_order(values, rational)
    whole = _whole((start, *widths, *numbers.values()))

    def label(value: Fraction, width: Fraction) -> str:
        low = start + (value - start) // width * width
        return _range(low, low + width, whole)

    return {text: tuple(label(value, width) for width in widths) for text, value in numbers.items()}


def _ranges(spec: Mapping[str, Any], values: Sequence[str]) -> Labels:
    """Ranges between cut points, each the lowest number of its range."""
    levels = [[_figure(cut) for cut in level] for level in spec["ranges"]]
    if any(level != sorted(set(level)) for level in levels):
        raise ValueError("cut points do not increase")
    numbers = _in_order(values, rational)
    whole = _whole((*(cut for level in levels for cut in level), *numbers.values()))

    def label(value: Fraction, cuts: Sequence[Fraction]) -> str:
        above = bisect_right(cuts, value)
        if above == 0:
            return f"<{decimal(cuts[0])}"
        return f">={decimal(cuts[-1])}" if above == len(cuts) else _range(cuts[above - 1], cuts[above], whole)

    return {text: tuple(label(value, level) for level in levels) for text, value in numbers.items()}


def _prefixes(spec: Mapping[str, Any], values: Sequence[str]) -> Labels:
    """The first characters, filled up to the length of the longest value."""
    kept = [_figure(count) for count in spec["prefixes"]]
    if not _whole(kept) or min(kept) < 1:
        raise ValueError("it keeps whole numbers of characters, from 1")
    width = max(map(len, values), default=0)
    return {value: tuple(value[: int(k)].ljust(width, "*") for k in kept) for value in values}


def _masking(spec: Mapping[str, Any], values: Sequence[str]) -> Labels:
    """One more character masked at each level, on the right or on the left."""
    width = max(map(len, values), default=0)
    if spec["masking"] == "right":
        return {v: tuple(v[:k].ljust(width, "*") for k in range(width - 1, 0, -1)) for v in values}
    if spec["masking"] != "left":
        raise ValueError("it masks from the right or from the left")
    filled = {value: value.rjust(width, "*") for value in values}
    return {
        v: tuple(full[width - k :].rjust(width, "*") for k in range(width - 1, 0, -1)) for v, full in filled.items()
    }


def _dates(spec: Mapping[str, Any], values: Sequence[str]) -> Labels:
    """Months, quarters, years, decades."""
    units = [UNITS[UNITS.index(unit)] for unit in spec["dates"]]
    days = _in_order(values, lambda text: datetime.date.fromisoformat(text.strip()))
    return {text: tuple(_period(day, unit) for unit in units) for text, day in days.items()}


def _period(day: datetime.date, unit: str) -> str:
    year = f"{day.year:04d}"
    quarter, decade = (day.month + 2) // 3, year[:3]
    return {"month": f"{year}-{day.month:02d}", "quarter": f"{year}-Q{quarter}", "year": year, "decade": f"{decade}0s"}[
        unit
    ]


def _groups(spec: Mapping[str, Any], values: Sequence[str]) -> Labels:
    """Groups that are written out, level by level; values of theirs that do not occur are lines, too."""
    parents: list[dict[str, str]] = []
    for level in spec["groups"]:
        pairs = [(member, label) for label, members in level.items() for member in members]
        if len(dict(pairs)) < len(pairs) or any(not isinstance(members, list) for members in level.values()):
            raise ValueError("a value stands in two groups, or a group is no list")
        parents.append(dict(pairs))
    if absent := [value for value in values if value not in parents[0]]:
        raise ValueError(f"{absent[0]!r} is in no group")
    labels: Labels = {}
    for value in parents[0]:
        path = [value]
        for groups in parents:
            path.append(groups[path[-1]])
        labels[value] = tuple(path[1:])
    return labels


BUILDERS: Mapping[str, Callable[[Mapping[str, Any], Sequence[str]], Labels]] = {
    "intervals": _intervals,
    "ranges": _ranges,
    "prefixes": _prefixes,
    "masking": _masking,
    "dates": _dates,
    "groups": _groups,
}
