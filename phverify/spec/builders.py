"""Hierarchies that a policy asks to be built from the values of a column.

A builder gives each value its labels below the root, lowest level first; where their
last label is not ``*`` for all of them, that is added as the root.  Labels do not
depend on the order of the rows.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

from phverify.spec.decimals import fraction
from phverify.spec.source import Paths, Plain, Refused, shortened, writable

if TYPE_CHECKING:
    from phverify.spec.coding import CodingBounds

Labels = dict[str, tuple[str, ...]]
"""By value its labels below the root, in the order of the hierarchy."""
Grouping = tuple[tuple[str, str], ...]
"""The groups of one level: each member with its group."""
ROOT = "*"
MASK = "*"
UNITS = ("month", "quarter", "year", "decade")
SIDES = ("right", "left")
BOUNDS = ("at_least", "at_most")
"""Top and bottom coding: alone, or before the levels of numbers or dates."""
LONGEST = 64
"""Masking makes one level for each character: beyond this many it is refused."""


@dataclass(frozen=True)
class Builder:
    """How a hierarchy is built; ``kind`` is the name that a policy uses, ``levels``
    what it says level by level.

    - ``intervals``: numbers by ranges of equal width, counted from ``start``, wider at
      each level
    - ``ranges``: numbers by ranges between cut points, which are some of those of the
      level before
    - ``round``: numbers by the nearest multiple of a step, then of multiples of it
    - ``prefixes``: texts by their first characters, fewer at each level
    - ``masking``: texts with one more character masked at each level, on one side
    - ``dates``: ISO dates by month, quarter, year and decade
    - ``groups``: values by groups that are written out (pairs of member and label),
      then groups of groups
    - ``coding``: numbers or dates by ``bounds`` alone

    With ``bounds`` the first level is top and bottom coding.
    """

    kind: str
    levels: tuple[Any, ...]
    start: tuple[Fraction, ...] = ()
    bounds: CodingBounds | None = None

    def labels(self, values: Iterable[str]) -> Labels:
        """The labels of values.  Raises ValueError when one of them does not fit."""
        distinct = sorted(set(values))
        if self.bounds is not None:
            from phverify.spec.coding import coded

            return coded(distinct, self.bounds, self)
        make = MADE.get(self.kind)
        if make is None:
            from phverify.spec.ranges import maker

            make = maker(self.kind)
        return make(distinct, self.levels, *self.start)


def builder(spec: Any) -> Builder:
    """The builder that a policy describes.  Raises ValueError when it describes
    none.
    """
    try:
        if any(name in spec for name in BOUNDS):
            from phverify.spec.coding import bounded

            return bounded(spec)
        (kind,) = [key for key in spec if key != "start"]
        # What masking takes is one word, the side; all others take a list.
        given = [spec[kind]] if kind == "masking" else _items(spec[kind])
        levels = tuple(map(READ[kind], given))
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise ValueError(
            f"names no builder, or several, or says nothing that it takes: {error}"
        ) from None
    if kind == "intervals":
        start = _figure(spec.get("start", 0))
        return Builder(kind, levels, (start,))
    if "start" in spec:
        raise ValueError("names a start, which belongs to intervals")
    return Builder(kind, levels, ())


def built(builder: Builder, values: Iterable[str], column: str) -> Paths:
    """The hierarchy of some values.  Raises Refused when the builder does not fit
    them.
    """
    try:
        labels = builder.labels(values)
    except (ValueError, LookupError, ArithmeticError) as error:
        raise Refused(
            f"no hierarchy of {column!r} can be built by {builder.kind}:"
            f" {shortened(str(error))}"
        ) from None
    if not labels:
        raise Refused(f"there is no value of {column!r} to build a hierarchy of")
    return rooted(labels)


def rooted(labels: Labels) -> dict[str, tuple[str, ...]]:
    """The paths of a hierarchy with one root, where missing cells join, too."""
    # Slices: a value may have no label at all.
    last = {path[-1:] for path in labels.values()}
    root = () if last == {(ROOT,)} else (ROOT,)
    return {value: (value, *path, *root) for value, path in labels.items()}


Meaning = TypeVar("Meaning")
Level = TypeVar("Level")


def by_level(
    values: Mapping[str, Meaning],
    levels: Iterable[Level],
    label: Callable[[Meaning, Level], str],
) -> Labels:
    """The labels of each value, level by level; ``values`` says what each denotes."""
    several = tuple(levels)
    labels = {}
    for text, meaning in values.items():
        upwards = [label(meaning, level) for level in several]
        labels[text] = tuple(upwards)
    return labels


def in_order(values: Sequence[str], read: Callable[[str], Any]) -> dict[str, Any]:
    """What the values denote, lowest first."""
    meant = [(read(text), text) for text in values]
    return {text: meaning for meaning, text in sorted(meant)}


# Texts, dates, words


def prefixes(values: Sequence[str], kept: Sequence[int]) -> Labels:
    """The first characters, filled up to the length of the longest value: labels do not
    tell how long a value is.
    """
    width = max(map(len, values), default=0)

    def label(value: str, first: int) -> str:
        return value[:first].ljust(width, MASK)

    own = {value: value for value in sorted(values)}
    return by_level(own, kept, label)


def masking(values: Sequence[str], sides: Sequence[str]) -> Labels:
    """One more character masked at each level, on the right or on the left; values are
    filled up on that side first.
    """
    width = max(map(len, values), default=0)
    if width > LONGEST:
        raise ValueError(
            "masking makes a level for each character, and the longest value has"
            f" {width}"
        )

    def label(value: str, kept: int) -> str:
        if sides[0] == "right":
            start = value[:kept]
            return start.ljust(width, MASK)
        # Short values are filled first, so that their last characters stay last.
        filled = value.rjust(width, MASK)
        end = filled[width - kept :]
        return end.rjust(width, MASK)

    own = {value: value for value in sorted(values)}
    return by_level(own, range(width - 1, 0, -1), label)


def dates(values: Sequence[str], units: Sequence[str]) -> Labels:
    """Months (``1956-03``), quarters (``1956-Q1``), years and decades (``1950s``)."""
    days = in_order(values, lambda text: datetime.date.fromisoformat(text.strip()))
    return by_level(days, units, _period)


def _period(day: datetime.date, unit: str) -> str:
    year = f"{day.year:04d}"
    match unit:
        case "month":
            return f"{year}-{day.month:02d}"
        case "quarter":
            return f"{year}-Q{(day.month + 2) // 3}"
        case "year":
            return year
    return f"{year[:3]}0s"


def groups(values: Sequence[str], written: Sequence[Grouping]) -> Labels:
    """Groups that are written out, level by level: by member its group.  Members that
    do not occur are lines, too.
    """
    levels = list(map(dict, written))
    # Members of the first level's groups are values, those of later ones groups.
    lowest = levels[0]
    absent = [value for value in values if value not in lowest]
    if absent:
        raise ValueError(f"{absent[0]!r} is in no group")
    labels: Labels = {}
    for value in lowest:
        path = [value]
        for level in levels:
            below = path[-1]
            path.append(level[below])
        labels[value] = tuple(path[1:])
    return labels


MADE: Mapping[str, Callable[..., Labels]] = {
    "prefixes": prefixes,
    "masking": masking,
    "dates": dates,
    "groups": groups,
}


# What a policy says


def _items(content: Any) -> Sequence[Any]:
    """A list that is not empty."""
    if not isinstance(content, list | tuple) or not content:
        raise ValueError("something is no list, or empty")
    return content


def _figure(item: Any) -> Fraction:
    """A number of the policy."""
    number = fraction(item)
    if number is None or not writable(number):
        raise ValueError("a number is none, or has more than 300 digits")
    return number


def _cuts(level: Any) -> tuple[Fraction, ...]:
    cuts = tuple(map(_figure, _items(level)))
    rising = sorted(set(cuts))
    if list(cuts) != rising:
        raise ValueError("cut points do not increase")
    return cuts


def _kept(item: Any) -> int:
    count = _figure(item)
    if count < 1 or count.denominator > 1:
        raise ValueError("it keeps whole numbers of characters, from 1")
    return int(count)


def _one_of(known: tuple[str, ...], word: Any) -> str:
    if word not in known:
        raise ValueError(f"{word!r} is none of {', '.join(known)}")
    return str(word)


def _members(level: Plain) -> Grouping:
    pairs = []
    for label, members in level.items():
        pairs += [(member, str(label)) for member in _items(members)]
    group_of = dict(pairs)
    twice = len(group_of) < len(pairs)
    if twice:
        raise ValueError("a value stands in two groups")
    return tuple(pairs)


READ: Mapping[str, Callable[[Any], Any]] = {
    "intervals": _figure,
    "ranges": _cuts,
    "round": _figure,
    "prefixes": _kept,
    "masking": lambda side: _one_of(SIDES, side),
    "dates": lambda unit: _one_of(UNITS, unit),
    "groups": _members,
}
"""By builder how a policy's line for one level is read."""
