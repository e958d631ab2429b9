"""Hierarchies that a policy describes, by README's words: shares nothing with phverify.

A builder makes lines ``value, label, .., *``; numbers and dates from the lowest, texts
in their own order, groups as they are written.
"""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

Lines = list[tuple[str, ...]]


class Unbuilt(Exception):
    """The builder does not fit the values, or is none."""


def lines(spec: Mapping[str, Any], values: Sequence[str]) -> Lines:
    """The lines of a hierarchy, the value first.  Raises Unbuilt."""
    (kind,) = (name for name in spec if name != "start")
    try:
        found = MAKERS.get(kind, texts)(spec, values)
    except (ValueError, KeyError, ZeroDivisionError):
        raise Unbuilt from None
    if not found:
        raise Unbuilt
    alone = all(len(line) > 1 and line[-1] == "*" for line in found)
    return found if alone else [(*line, "*") for line in found]


def exact(text: Any) -> Fraction:
    return Fraction(str(text).strip())


def shown(number: Fraction) -> str:
    """Decimals where they end, else a fraction."""
    for places in range(20):
        scaled = number * 10**places
        if scaled.denominator == 1:
            digits = str(abs(scaled.numerator)).rjust(places + 1, "0")
            sign = "-" if number < 0 else ""
            return sign + (
                f"{digits[:-places]}.{digits[-places:]}" if places else digits
            )
    return str(number)


def span(low: Fraction, high: Fraction, whole: bool) -> str:
    """From one number to below another; whole numbers by the first and the last of
    them.
    """
    if whole:
        inside = list(range(int(low), int(high)))
        joint = " to " if inside[0] < 0 else "-"
        return str(inside[0]) if len(inside) == 1 else f"{inside[0]}{joint}{inside[-1]}"
    return f"[{shown(low)}, {shown(high)})"


def numbers(spec: Mapping[str, Any], values: Sequence[str]) -> Lines:
    read = sorted((exact(value), value) for value in set(values))
    start = exact(spec.get("start", 0))
    levels = (
        [[exact(cut) for cut in level] for level in spec["ranges"]]
        if "ranges" in spec
        else []
    )
    widths = [exact(width) for width in spec.get("intervals", ())]
    every = [
        *(number for number, _ in read),
        *widths,
        *itertools.chain(*levels),
        *([start] if widths else []),
    ]
    whole = all(number == int(number) for number in every)
    found = []
    for number, text in read:
        labels = [text]
        for width in widths:
            steps = 0
            while start + steps * width > number:
                steps -= 1
            while start + (steps + 1) * width <= number:
                steps += 1
            labels.append(
                span(start + steps * width, start + (steps + 1) * width, whole)
            )
        for cuts in levels:
            lower, higher = (
                [cut for cut in cuts if cut <= number],
                [cut for cut in cuts if cut > number],
            )
            if not lower:
                labels.append(f"<{shown(higher[0])}")
            else:
                labels.append(
                    span(lower[-1], higher[0], whole)
                    if higher
                    else f">={shown(lower[-1])}"
                )
        found.append(tuple(labels))
    return found


def texts(spec: Mapping[str, Any], values: Sequence[str]) -> Lines:
    longest = max((len(value) for value in values), default=0)
    found = []
    for value in sorted(set(values)):
        if "prefixes" in spec:
            kept = [
                [c if k < count else "*" for k, c in enumerate(value)]
                for count in spec["prefixes"]
            ]
            labels = ["".join(label) + "*" * (longest - len(value)) for label in kept]
        else:
            if longest > 64:
                raise Unbuilt
            filling = "*" * (longest - len(value))
            full = value + filling if spec["masking"] == "right" else filling + value
            labels = []
            for masked in range(1, longest):
                mask = "*" * masked
                labels.append(
                    full[:-masked] + mask
                    if spec["masking"] == "right"
                    else mask + full[masked:]
                )
        found.append((value, *labels))
    return found


def dates(spec: Mapping[str, Any], values: Sequence[str]) -> Lines:
    found = []
    for day, value in sorted(
        (datetime.date.fromisoformat(value.strip()), value) for value in set(values)
    ):
        iso = day.isoformat()
        forms = {
            "month": iso[:7],
            "quarter": (
                f"{iso[:4]}-Q{[1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4][day.month - 1]}"
            ),
            "year": iso[:4],
            "decade": f"{iso[:3]}0s",
        }
        found.append((value, *(forms[unit] for unit in spec["dates"])))
    return found


def groups(spec: Mapping[str, Any], values: Sequence[str]) -> Lines:
    found: Lines = [
        (member,) for members in spec["groups"][0].values() for member in members
    ]
    if not set(values) <= {line[0] for line in found}:
        raise Unbuilt
    for level in spec["groups"]:
        above = {
            member: label for label, members in level.items() for member in members
        }
        found = [(*line, above[line[-1]]) for line in found]
    return found


MAKERS = {"intervals": numbers, "ranges": numbers, "dates": dates, "groups": groups}
