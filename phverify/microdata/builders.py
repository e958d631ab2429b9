"""Hierarchies built from the values of a column, by what a policy says instead of naming a file.

What each builder makes stands in ``phverify.spec.builders``; here is which values do not fit one, and how to mend them.
Whatever the builder, two values with one label at a level have one label at the next, all paths are
equally long, and they meet at one root: ``*``, unless the last level has a single label anyway.
"""

from __future__ import annotations

import datetime
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import ClassVar

from phverify.errors import Defect, InputError, Problem, nearest
from phverify.exact import rational
from phverify.microdata.hierarchy import Hierarchy, flaws
from phverify.spec import builders as spec
from phverify.spec.builders import Labels, writable

SHOWN = 5
"""Values of one kind that are listed."""
Grouping = tuple[tuple[str, tuple[str, ...]], ...]
"""The groups of one level: a label with its members."""


@dataclass(frozen=True)
class Builder(ABC):
    """How a hierarchy is built; ``kind`` is the name that a policy uses."""

    kind: ClassVar[str]

    @abstractmethod
    def labels(self, values: Sequence[str]) -> Labels:
        """The labels of distinct values.  Raises ValueError when one of them does not fit."""

    @abstractmethod
    def unfit(self, values: Sequence[str], where: str) -> Iterator[Problem]:
        """The values that do not fit."""


def build(builder: Builder, values: Sequence[str], where: str) -> Hierarchy:
    """The hierarchy of a column whose labels other than missing are ``values``.

    ``where`` becomes the source of the hierarchy.  Raises InputError naming values that do not fit.
    """
    distinct = tuple(dict.fromkeys(values))
    try:
        labels = builder.labels(distinct)
    except ValueError:
        raise InputError(islice(builder.unfit(distinct, where), SHOWN)) from None
    if not labels:
        raise InputError(Problem(where, f"no cell has a value that {builder.kind} could generalize", "leave it out"))
    paths = spec.rooted(labels)
    if problems := flaws(list(paths.values()), where):
        raise Defect("\n".join(problem.text() for problem in problems))
    return Hierarchy(where, paths)


class _OfNumbers(Builder):
    def unfit(self, values: Sequence[str], where: str) -> Iterator[Problem]:
        for value in values:
            try:
                if not writable(rational(value)):
                    raise ValueError(f"{value!r} has more than 300 digits")
            except ValueError as error:
                yield Problem(where, f"the value {error}", _no_number(value), True)


@dataclass(frozen=True)
class Intervals(_OfNumbers):
    """Numbers by ranges of equal width, counted from ``start``; each width is a multiple of the one before.

    Labels are ``20-24`` (``-5 to -1`` below 0) where all numbers are whole, else ``[0.5, 1)``.
    """

    kind = "intervals"
    widths: tuple[Fraction, ...]
    start: Fraction = Fraction(0)

    def labels(self, values: Sequence[str]) -> Labels:
        return spec.intervals(values, self.widths, self.start)


@dataclass(frozen=True)
class Ranges(_OfNumbers):
    """Numbers by ranges between the cut points of each level, which are some of those of the level before.

    A cut point is the lowest number of its range: 18 and 30 make ``<18``, ``18-29`` and ``>=30`` where
    all numbers are whole, else ``<18``, ``[18, 30)`` and ``>=30``.
    """

    kind = "ranges"
    cuts: tuple[tuple[Fraction, ...], ...]

    def labels(self, values: Sequence[str]) -> Labels:
        return spec.ranges(values, self.cuts)


@dataclass(frozen=True)
class Prefixes(Builder):
    """Texts by their first characters, fewer at each level: 3 and 2 make ``241**`` and ``24***`` of 24126."""

    kind = "prefixes"
    kept: tuple[int, ...]

    def labels(self, values: Sequence[str]) -> Labels:
        return spec.prefixes(values, self.kept)

    def unfit(self, values: Sequence[str], where: str) -> Iterator[Problem]:
        yield from ()


@dataclass(frozen=True)
class Masking(Builder):
    """Texts with one more character masked at each level, from the right or the left."""

    kind = "masking"
    side: str = "right"

    def labels(self, values: Sequence[str]) -> Labels:
        return spec.masking(values, self.side)

    def unfit(self, values: Sequence[str], where: str) -> Iterator[Problem]:
        what = f"masking makes a level for each character, and the longest value has {max(map(len, values))}"
        yield Problem(where, what, "name the lengths to keep, for example {prefixes = [3, 2, 1]}")


@dataclass(frozen=True)
class Dates(Builder):
    """ISO dates by month (``1956-03``), quarter (``1956-Q1``), year (``1956``) and decade (``1950s``)."""

    kind = "dates"
    units: tuple[str, ...]

    def labels(self, values: Sequence[str]) -> Labels:
        return spec.dates(values, self.units)

    def unfit(self, values: Sequence[str], where: str) -> Iterator[Problem]:
        for value in values:
            if not _is_date(value.strip()):
                yield Problem(where, f"the value {value!r} is no date", _no_date(value), True)


@dataclass(frozen=True)
class Groups(Builder):
    """Values by groups that are written out: first groups of values, then groups of groups.

    Values of groups that do not occur in the column are lines of the hierarchy, too.
    """

    kind = "groups"
    levels: tuple[Grouping, ...]

    @property
    def parents(self) -> list[dict[str, str]]:
        """For each level the group of each member."""
        return [{member: label for label, members in level for member in members} for level in self.levels]

    def labels(self, values: Sequence[str]) -> Labels:
        return spec.groups(values, self.parents)

    def unfit(self, values: Sequence[str], where: str) -> Iterator[Problem]:
        known = self.parents[0]
        for value in values:
            if value not in known:
                hint = nearest(value, known, "values in groups")
                yield Problem(where, f"the value {value!r} is in no group", hint, True)


BUILDERS: dict[str, type[Builder]] = {b.kind: b for b in (Intervals, Ranges, Prefixes, Masking, Dates, Groups)}


def _no_number(text: str) -> str:
    mended = text.strip().replace(",", ".")
    try:
        rational(mended)
    except ValueError:
        return "numbers are written as 12, -0.5 or 2/3; for other values use prefixes, masking or groups"
    return f"did you mean {mended!r}?"


def _is_date(text: str) -> bool:
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _no_date(text: str) -> str:
    mended = text.strip().replace("/", "-").replace(".", "-")[:10]
    return f"did you mean {mended!r}?" if _is_date(mended) else "dates are written as 1956-03-23"
