"""What a released cell could have been where it is no generalization."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from fractions import Fraction

from phverify.spec.contained import ALL, CellMeaning
from phverify.spec.decimals import decimal
from phverify.spec.notation import Interval, interval, members
from phverify.spec.source import Label


def numeric(meaning: CellMeaning, *labels: Label) -> bool:
    """Whether these cells of a column of numbers are all numbers."""
    if not meaning.ranged or meaning.kind.order or meaning.dates:
        return False
    return all(label and meaning.figure(label) is not None for label in labels)


def nearest_cell(meaning: CellMeaning, label: Label, value: Label) -> str:
    """What a cell could have been instead, near to what it is."""
    if label is None:
        return f"a cell that is suppressed is written {ALL}"
    if meaning.paths is not None:
        listed = ", ".join(map(_quoted, dict.fromkeys(meaning.above(value))))
        return f"the hierarchy has {listed}"
    if value is None:
        return f"what holds a missing cell is the missing cell, or {ALL}"
    strange = [one for one in members(label) or () if one not in meaning.stripped]
    if strange:
        return f"{strange[0]!r} is no value of the original"
    listed_values = meaning.listed(label)
    if listed_values is not None:
        return f"the set would be {_braces([*sorted(listed_values), value])}"
    if "," in label and meaning.stripped.keys() >= set(label.split(",")):
        parts = label.split(",")
        return f"a set is written {_braces(parts)}, a range {parts[0]}..{parts[-1]}"
    written = interval(label)
    meant = meaning.figure(value) if meaning.ranged and not meaning.kind.order else None
    if written is not None and meant is not None and written.dates == meaning.dates:
        return f"a range that contains it is {_widened(meaning, written, meant)}"
    if numeric(meaning, label, value):
        return (
            "a number in place of others, such as a median, is no generalization of"
            " them; without --original the release is verified as it is"
        )
    return _forms(meaning, value)


def _forms(meaning: CellMeaning, value: str) -> str:
    """How a cell that holds a value may be written."""
    if meaning.ranged:
        return (
            "a range that contains it is written LOW..HIGH, LOW-HIGH or [LOW,"
            f" HIGH), a set {_braces([value, '..'])}; other labels are those of a"
            " hierarchy"
        )
    return (
        f"a set that contains it is written {_braces([value, '..'])}; ranges are"
        " those of an ordered type, and other labels those of a hierarchy"
    )


def _widened(meaning: CellMeaning, written: Interval, meant: Fraction) -> str:
    """A range that holds what an interval holds, and a value beside it."""
    low = meant if written.low is None else min(written.low, meant)
    high = meant if written.high is None else max(written.high, meant)
    if meaning.dates:
        days = [datetime.date.fromordinal(int(end)) for end in (low, high)]
        return "..".join(map(str, days))
    return "..".join(map(decimal, (low, high)))


def _quoted(label: Label) -> str:
    return "(missing)" if label is None else repr(label)


def _braces(parts: Iterable[str]) -> str:
    """A set, as it is written."""
    return f"{{{', '.join(parts)}}}"
