"""Hierarchies built from the values of a column, by what a policy says instead of naming a file.

Whatever the builder, two values with one label at a level have one label at the next, all paths are
equally long, and they meet at one root: ``*``, unless the last level has a single label anyway.
Labels do not depend on the order of the rows.
"""

from __future__ import annotations

import datetime
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

from phverify.errors import Defect, InputError, Problem, nearest
from phverify.exact import rational
from phverify.microdata.hierarchy import Hierarchy, flaws
from phverify.spec.types import ValueType

ROOT = "*"
MASK = "*"
UNITS = ("month", "quarter", "year", "decade")
SIDES = ("right", "left")
LONGEST = 64
"""Masking makes one level for each character: beyond this many it is refused."""
SHOWN = 5
"""Values of one kind that are listed."""

Labels = dict[str, tuple[str, ...]]
"""For each value, lowest first, its labels at the levels below the root."""
Grouping = tuple[tuple[str, tuple[str, ...]], ...]
"""The groups of one level: a label with its members."""


@dataclass(frozen=True)
class Builder(ABC):
    """How a hierarchy is built; ``kind`` is the name that a policy uses."""

    kind: ClassVar[str]

    @abstractmethod
    def labels(self, values: Sequence[str], where: str) -> Labels:
        """The labels of distinct values.  Raises InputError naming values that do not fit."""


def build(builder: Builder, values: Sequence[str], where: str) -> Hierarchy:
    """The hierarchy of a column whose labels other than missing are ``values``.

    ``where`` becomes the source of the hierarchy.  Raises InputError naming values that do not fit.
    """
    labels = builder.labels(tuple(dict.fromkeys(values)), where)
    if not labels:
        raise InputError(Problem(where, f"no cell has a value that {builder.kind} could generalize", "leave it out"))
    root = () if {path[-1:] for path in labels.values()} == {(ROOT,)} else (ROOT,)  # where missing cells join, too
    rows = [(value, *path, *root) for value, path in labels.items()]
    if problems := flaws(rows, where):
        raise Defect("\n".join(problem.text() for problem in problems))
    return Hierarchy(where, {row[0]: row for row in rows})


@dataclass(frozen=True)
class Intervals(Builder):
    """Numbers by ranges of equal width, counted from ``start``; each width is a multiple of the one before.

    Labels are ``20-24`` (``-5 to -1`` below 0) where all numbers are whole, else ``[0.5, 1)``.
    """

    kind = "intervals"
    widths: tuple[Fraction, ...]
    start: Fraction = Fraction(0)

    def labels(self, values: Sequence[str], where: str) -> Labels:
        numbers = _numbers(values, where)
        whole = _whole((self.start, *self.widths, *numbers.values()))
        return {v: tuple(self._label(number, width, whole) for width in self.widths) for v, number in numbers.items()}

    def _label(self, number: Fraction, width: Fraction, whole: bool) -> str:
        low = self.start + (number - self.start) // width * width
        return _range(low, low + width, whole)


@dataclass(frozen=True)
class Ranges(Builder):
    """Numbers by ranges between the cut points of each level, which are some of those of the level before.

    A cut point is the lowest number of its range: 18 and 30 make ``<18``, ``18-29`` and ``>=30`` where
    all numbers are whole, else ``<18``, ``[18, 30)`` and ``>=30``.
    """

    kind = "ranges"
    cuts: tuple[tuple[Fraction, ...], ...]

    def labels(self, values: Sequence[str], where: str) -> Labels:
        numbers = _numbers(values, where)
        whole = _whole((*(cut for level in self.cuts for cut in level), *numbers.values()))
        return {v: tuple(self._label(number, level, whole) for level in self.cuts) for v, number in numbers.items()}

    def _label(self, number: Fraction, cuts: tuple[Fraction, ...], whole: bool) -> str:
        above = bisect_right(cuts, number)
        if above == 0:
            return f"<{decimal(cuts[0])}"
        if above == len(cuts):
            return f">={decimal(cuts[-1])}"
        return _range(cuts[above - 1], cuts[above], whole)


@dataclass(frozen=True)
class Prefixes(Builder):
    """Texts by their first characters, fewer at each level: 3 and 2 make ``241**`` and ``24***`` of 24126.

    Labels are as long as the longest value, so that they do not tell how long a value is.
    """

    kind = "prefixes"
    kept: tuple[int, ...]

    def labels(self, values: Sequence[str], where: str) -> Labels:
        width = _longest(values)
        return {value: tuple(value[:k].ljust(width, MASK) for k in self.kept) for value in sorted(values)}


@dataclass(frozen=True)
class Masking(Builder):
    """Texts with one more character masked at each level, from the right or the left.

    Values are first filled up with masks to the length of the longest, on the side that is masked.
    """

    kind = "masking"
    side: str = "right"

    def labels(self, values: Sequence[str], where: str) -> Labels:
        width = _longest(values)
        if width > LONGEST:
            what = f"masking makes a level for each character, and the longest value has {width}"
            raise InputError(Problem(where, what, "name the lengths to keep, for example {prefixes = [3, 2, 1]}"))
        return {value: tuple(self._label(value, k, width) for k in range(width - 1, 0, -1)) for value in sorted(values)}

    def _label(self, value: str, kept: int, width: int) -> str:
        if self.side == "right":
            return value[:kept].ljust(width, MASK)
        return value.rjust(width, MASK)[width - kept :].rjust(width, MASK)


@dataclass(frozen=True)
class Dates(Builder):
    """ISO dates by month (``1956-03``), quarter (``1956-Q1``), year (``1956``) and decade (``1950s``)."""

    kind = "dates"
    units: tuple[str, ...]

    def labels(self, values: Sequence[str], where: str) -> Labels:
        days = _sorted(values, _day, _no_date, where)
        return {value: tuple(_period(day, unit) for unit in self.units) for value, day in days.items()}


@dataclass(frozen=True)
class Groups(Builder):
    """Values by groups that are written out: first groups of values, then groups of groups.

    Values of groups that do not occur in the column are lines of the hierarchy, too.
    """

    kind = "groups"
    levels: tuple[Grouping, ...]

    def labels(self, values: Sequence[str], where: str) -> Labels:
        parents = [{member: label for label, members in level for member in members} for level in self.levels]
        if absent := [value for value in values if value not in parents[0]]:
            raise InputError(
                Problem(
                    where, f"the value {value!r} is in no group", nearest(value, parents[0], "values in groups"), True
                )
                for value in absent[:SHOWN]
            )
        return {value: _chain(value, parents) for value in parents[0]}


BUILDERS: dict[str, type[Builder]] = {b.kind: b for b in (Intervals, Ranges, Prefixes, Masking, Dates, Groups)}


def decimal(number: Fraction) -> str:
    """The number as labels write it: ``1.5``, or ``1/3`` where the decimals do not end."""
    return ValueType("decimal").canonical(str(number))


def writable(number: Fraction) -> bool:
    """Whether the number has at most 300 digits above and below the line: labels are to be read."""
    return max(abs(number.numerator), number.denominator) < 10**300


@lru_cache(maxsize=4096)  # numbers come in order, so that neighbours share their labels
def _range(low: Fraction, high: Fraction, whole: bool) -> str:
    """``[low, high)`` as a label; among whole numbers by its first and last number."""
    if not whole:
        return f"[{decimal(low)}, {decimal(high)})"
    if high - low == 1:
        return str(low)
    return f"{low}{' to ' if low < 0 else '-'}{high - 1}"


def _whole(numbers: Iterable[Fraction]) -> bool:
    return all(number.denominator == 1 for number in numbers)


def _longest(values: Sequence[str]) -> int:
    return max(map(len, values), default=0)


def _chain(value: str, parents: Sequence[dict[str, str]]) -> tuple[str, ...]:
    path = [value]
    for level in parents:
        path.append(level[path[-1]])
    return tuple(path[1:])


def _sorted(
    values: Sequence[str], read: Callable[[str], Any], wrong: Callable[[str], str], where: str
) -> dict[str, Any]:
    """What the values denote, lowest first.  ``wrong`` gives the hint for a value that cannot be read."""
    found, problems = {}, []
    for value in values:
        try:
            found[value] = read(value)
        except ValueError as error:
            problems.append(Problem(where, f"the value {error}", wrong(value), True))
    if problems:
        raise InputError(problems[:SHOWN])
    return dict(sorted(found.items(), key=lambda item: (item[1], item[0])))


def _numbers(values: Sequence[str], where: str) -> dict[str, Fraction]:
    return _sorted(values, _number, _no_number, where)


def _number(text: str) -> Fraction:
    number = rational(text)
    if not writable(number):
        raise ValueError(f"{text!r} has more than 300 digits")
    return number


def _no_number(text: str) -> str:
    mended = text.strip().replace(",", ".")
    try:
        rational(mended)
    except ValueError:
        return "numbers are written as 12, -0.5 or 2/3; for other values use prefixes, masking or groups"
    return f"did you mean {mended!r}?"


def _day(text: str) -> datetime.date:
    try:
        return datetime.date.fromisoformat(text.strip())
    except ValueError:
        raise ValueError(f"{text!r} is no date") from None


def _no_date(text: str) -> str:
    mended = text.strip().replace("/", "-").replace(".", "-")[:10]
    try:
        datetime.date.fromisoformat(mended)
    except ValueError:
        return "dates are written as 1956-03-23"
    return f"did you mean {mended!r}?"


def _period(day: datetime.date, unit: str) -> str:
    year = f"{day.year:04d}"
    if unit == "month":
        return f"{year}-{day.month:02d}"
    if unit == "quarter":
        return f"{year}-Q{(day.month + 2) // 3}"
    return year if unit == "year" else f"{year[:3]}0s"
