"""What a released cell could have been where it is no generalization."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from fractions import Fraction

from phverify.errors.near import close, nearest
from phverify.microdata.grouped_digits import grouped_hint
from phverify.spec.contained import ALL, CellMeaning
from phverify.spec.decimals import decimal
from phverify.spec.notation import Interval, cuts, interval, members
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
    slip = _slip(meaning, label)
    if slip:
        return slip
    if meaning.paths is not None:
        listed = ", ".join(map(_quoted, dict.fromkeys(meaning.above(value))))
        return f"the hierarchy has {listed}"
    if value is None:
        return f"what holds a missing cell is the missing cell, or {ALL}"
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


def _slip(meaning: CellMeaning, label: str) -> str:
    """A hint where a number or a member of a set is not written as one, else ""."""
    grouped = _grouped(meaning, label)
    stranger = _stranger(meaning, label)
    if grouped or stranger is None:
        return grouped
    return _strange(meaning, stranger)


def _grouped(meaning: CellMeaning, label: str) -> str:
    """A hint where a number, or an end of a range, may be written in groups of three
    digits, else "".
    """
    # What is read as it stands is told otherwise.
    read = meaning.figure(label) is not None or interval(label) is not None
    if read or not meaning.ranged or meaning.kind.order:
        return ""
    if hint := grouped_hint(label):
        return hint
    for ends in cuts(label):
        hints = [grouped_hint(end) for end in ends]
        if all(hints):
            return f"of {ends[0].strip()!r}, {hints[0]}"
    return ""


def _stranger(meaning: CellMeaning, label: str) -> str | None:
    """A member of a set that is no value; None without one."""
    known = meaning.stripped
    parts = meaning.parts(label)
    strange = [part for part in parts if part not in known]
    # Values that differ in blanks alone, or hold quotes, are in no set.
    if not strange or not known or label in meaning.named:
        return None
    # ``Smith, J`` may be a name: a set is known by its braces, or by other members.
    if members(label) is None and len(strange) == len(parts):
        return None
    return strange[0]


def _strange(meaning: CellMeaning, member: str) -> str:
    """What a set could have in place of what is no value."""
    if member in meaning.named:
        return f"{member!r} is a label of the hierarchy, and a set has values"
    parts = re.split(r"[;|/]| or ", member)
    if meaning.stripped.keys() >= {part.strip() for part in parts}:
        written = _braces(part.strip() for part in parts)
        return f"a set is written {written}"
    near = nearest(member, sorted(meaning.leaves), "its values")
    if any("," in one for one in close(member, meaning.leaves)):
        near += " (a member with a comma stands in double quotes)"
    return f"{member!r} is no value of the original; {near}"


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
    first, last = (_end(meaning, end) for end in (low, high))
    if written.low is None:
        return f"<={last}"
    if written.high is None:
        return f">={first}"
    return f"{first}..{last}"


def _end(meaning: CellMeaning, end: Fraction) -> str:
    """An end of a range, as values are written."""
    if meaning.dates:
        return datetime.date.fromordinal(int(end)).isoformat()
    return decimal(end)


def _quoted(label: Label) -> str:
    return "(missing)" if label is None else repr(label)


def _braces(parts: Iterable[str]) -> str:
    """A set, as it is written."""
    return f"{{{', '.join(parts)}}}"
