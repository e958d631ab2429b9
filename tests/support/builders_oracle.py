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
    kinds = [name for name in spec if name not in ("start", "at_least", "at_most")]
    try:
        if len(kinds) < len(spec) - ("start" in spec):
            found = coded(spec, values, kinds)
        else:
            found = MAKERS.get(kinds[0], texts)(spec, values)
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


def coded(
    spec: Mapping[str, Any], values: Sequence[str], kinds: Sequence[str]
) -> Lines:
    """Numbers and dates below a bound are one, from the other bound on another one, and
    those between them are what they are, then what the builder beside them makes.
    """
    dated = any("-" in str(spec[key])[1:] for key in spec if key.startswith("at_"))

    def meant(text: Any) -> Any:
        if dated:
            return datetime.date.fromisoformat(str(text).strip())
        return exact(text)

    low, high = (
        meant(spec[name]) if name in spec else None for name in ("at_least", "at_most")
    )
    write = str if dated else shown
    placed = []
    for text in set(values):
        # coded already: from an end upwards, or down from it
        if text.endswith("+") or text.startswith(">"):
            if high is None or meant(text.strip("+>=")) < high:
                raise Unbuilt
            placed.append((1, meant(text.strip("+>=")), text))
        elif text.startswith("<"):
            end = meant(text.strip("<="))
            if low is None or end > low or (end == low and "=" in text):
                raise Unbuilt
            placed.append((-1, end, text))
        else:
            number = meant(text)
            below = low is not None and number < low
            beyond = high is not None and number >= high
            placed.append((beyond - below, number, text))
    inside = [text for side, _, text in placed if side == 0]
    levels = len(spec[kinds[0]]) if kinds else 0
    rest = {}
    if kinds and inside:
        ends = {"low": low, "high": high} if kinds[0] != "dates" else {}
        made = MAKERS[kinds[0]]({**spec, **ends}, inside)
        rest = {line[0]: line[1:] for line in made}
    found: Lines = []
    for side, _, text in sorted(placed):
        if side == 0:
            found.append((text, text, *rest.get(text, ())))
        else:
            label = f"<{write(low)}" if side < 0 else f">={write(high)}"
            found.append((text, *[label] * (levels + 1)))
    return found


def numbers(spec: Mapping[str, Any], values: Sequence[str]) -> Lines:
    read = sorted((exact(value), value) for value in set(values))
    kind, start = next(
        (kind, exact(spec.get("start", 0)))
        for kind in ("intervals", "ranges", "round")
        if kind in spec
    )
    if kind == "ranges":
        sizes = [[exact(cut) for cut in level] for level in spec["ranges"]]
    else:
        sizes = [[exact(width)] for width in spec[kind]]
    ends = [spec[end] for end in ("low", "high") if spec.get(end) is not None]
    every = [number for number, _ in read] + list(itertools.chain(*sizes)) + ends
    whole = all(number == int(number) for number in every)
    if kind == "intervals":
        whole = whole and start == int(start)
    found = []
    for number, text in read:
        labels = [text]
        rounded = number
        for level, size in enumerate(sizes):
            if kind == "round":
                rounded = nearest(rounded, size[0])
                low, high = stands_for(rounded, [one[0] for one in sizes[: level + 1]])
                reach = named(spec, low, high, whole)
                if whole and reach != shown(rounded):
                    reach = f"({reach})"
                both = f"{shown(rounded)} {reach}"
                labels.append(reach if reach == shown(rounded) else both)
            elif kind == "intervals":
                steps = 0
                while start + steps * size[0] > number:
                    steps -= 1
                while start + (steps + 1) * size[0] <= number:
                    steps += 1
                low = start + steps * size[0]
                labels.append(named(spec, low, low + size[0], whole))
            else:
                lower = [cut for cut in size if cut <= number]
                higher = [cut for cut in size if cut > number]
                low = lower[-1] if lower else None
                labels.append(named(spec, low, higher[0] if higher else None, whole))
        found.append(tuple(labels))
    return found


def named(
    spec: Mapping[str, Any], low: Fraction | None, high: Fraction | None, whole: bool
) -> str:
    """A range, as far as it is between the bounds."""
    lows = [end for end in (low, spec.get("low")) if end is not None]
    highs = [end for end in (high, spec.get("high")) if end is not None]
    if not lows:
        return f"<{shown(min(highs))}"
    if not highs:
        return f">={shown(max(lows))}"
    first, end = max(lows), min(highs)
    if whole:
        # the whole numbers in it, by the first and the one after the last
        inside = [n for n in range(int(first) - 1, int(end) + 2) if first <= n < end]
        first, end = Fraction(inside[0]), Fraction(inside[-1] + 1)
    return span(first, end, whole)


def nearest(number: Fraction, step: Fraction) -> Fraction:
    """Of the multiples around a number the nearest; of two the larger one."""
    around = [(int(number / step) + k) * step for k in range(-2, 3)]
    least = min(abs(one - number) for one in around)
    return max(one for one in around if abs(one - number) == least)


def stands_for(
    rounded: Fraction, steps: Sequence[Fraction]
) -> tuple[Fraction, Fraction]:
    """From where to where numbers become a rounded one, each of them tried that the
    first step rounds up from a half.
    """
    middle = int(rounded / steps[0])
    reach = int(2 * steps[-1] / steps[0]) + 3
    starts = []
    for k in range(middle - reach, middle + reach):
        number = start = (k + Fraction(1, 2)) * steps[0]
        for step in steps:
            number = nearest(number, step)
        if number == rounded:
            starts.append(start)
    return min(starts), max(starts) + steps[0]


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


MAKERS = {
    "intervals": numbers,
    "ranges": numbers,
    "round": numbers,
    "dates": dates,
    "groups": groups,
}
