"""What a released cell of one column says about the original value, as it is written
and as its masking is declared.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import chain

from phverify.linkage.candidates.neighbours import Ranked, means
from phverify.linkage.candidates.rounded_numbers import rounded
from phverify.microdata.hierarchy import Hierarchy
from phverify.microdata.table import CodedColumn, Label
from phverify.policy.masking import Masking, Noise
from phverify.spec.contained import LEVEL, CellMeaning
from phverify.spec.hierarchies import path_of
from phverify.spec.notation import (
    Interval,
    interval,
    is_date,
    members,
    number,
    runs,
)
from phverify.spec.types import ValueType

Ends = tuple[Fraction, Fraction]
"""The least and the greatest number of a range."""

_SEPARATED = re.compile(",| or |~")
_SIGNS = re.compile(r"[-–~+<>≥≤=\[({,;]|\.\.|to| or ")
"""What sets and intervals are written with: without one a text is neither."""


def _before_noise(noise: Noise, value: Fraction) -> list[Ends]:
    """The numbers that noise can have made this one of: one for each that it adds, or
    all between its bounds.
    """
    if noise.chances is None:
        lowest = value - noise.high
        highest = value - noise.low
        return [(lowest, highest)]

    ends: list[Ends] = []
    for added in noise.chances:
        before = value - added
        ends.append((before, before))
    return ends


class ReleasedCells:
    """The original values of one column by what a released cell may say; values are
    given by their codes.
    """

    def __init__(
        self,
        name: str,
        before: CodedColumn,
        after: CodedColumn,
        masking: Masking,
        kind: ValueType,
        hierarchy: Hierarchy | None,
        origin: str = "original",
    ) -> None:
        self.name = name
        self.before = before
        self.after = after
        self.masking = masking
        self.kind = kind
        self.hierarchy = hierarchy
        self.origin = origin
        self.values: Sequence[Label] = before.labels
        self.all = list(range(len(self.values)))

    @cached_property
    def named(self) -> dict[str, list[int]]:
        """What each text names: the value itself (in any spelling of its type), or all
        below a hierarchy's label.
        """
        paths = self.hierarchy.paths if self.hierarchy else {}
        codes: dict[str, list[int]] = {}
        for k, value in enumerate(self.values):
            if value is None:
                continue
            above = paths.get(value, ())
            texts = (value, self.canonical(value), *above)
            # a value that is written as its type writes it is one text, not two
            for text in dict.fromkeys(texts):
                named = codes.setdefault(text, [])
                named.append(k)

        return codes

    @cached_property
    def known(self) -> set[str]:
        """All texts that can be read though no value of the original may lie below
        them.
        """
        texts = set(self.named)
        if self.hierarchy:
            for path in self.hierarchy.paths.values():
                texts.update(path)
        return texts

    @cached_property
    def ordered(self) -> Mapping[bool, tuple[list[Fraction], list[int]]]:
        """The values that are dates (True), and those that are numbers, rising, with
        their codes.
        """
        numbers: list[tuple[Fraction, int]] = []
        for k, text in enumerate(self.values):
            value = number(text or "")
            if value is not None:
                numbers.append((value, k))

        sides: dict[bool, tuple[list[Fraction], list[int]]]
        sides = {True: ([], []), False: ([], [])}
        for value, k in sorted(numbers):
            values, codes = sides[is_date(self.values[k] or "")]
            values.append(value)
            codes.append(k)

        return sides

    @cached_property
    def above(self) -> set[str]:
        """The hierarchy's labels above its values: these name what lies below alone."""
        texts: set[str] = set()
        if self.hierarchy:
            for path in self.hierarchy.paths.values():
                texts.update(path[1:])
        return texts

    def canonical(self, text: str) -> str:
        """A value as its type writes it; what is none of the type stays as it is."""
        try:
            return self.kind.canonical(text)
        except ValueError:
            return text

    def sources(self, label: Label) -> list[int] | None:
        """The values that a released cell can come from, rising; None for a cell that
        says nothing.

        What is declared comes first: a table of chances, then marks of suppression,
        then the other maskings; what is written in a cell is read last.
        """
        masking = self.masking
        likely = self.likely(label)
        # a mark that the table makes of some values comes from these
        if (label or "") in masking.suppressed and not likely:
            return self.all
        if masking.table is not None:
            return likely or None
        # a pseudonym tells nothing of the value behind it
        if masking.pseudonyms:
            return self.all
        # with no bound on ranks any value may stand for any other
        if masking.swapping == 1:
            if label in self.occurring:
                return self.all
            return None
        if label is None:
            missing = [k for k in self.all if self.values[k] is None]
            return missing or self.all

        return self.read(label)

    def likely(self, label: Label) -> list[int]:
        """The values that the declared table makes this cell of; none without one."""
        likely: list[int] = []
        if self.masking.table is None:
            return likely
        for code, value in enumerate(self.values):
            if self.masking.chance(value, label):
                likely.append(code)
        return likely

    def read(self, label: str) -> list[int] | None:
        """The values that a cell which is not missing can come from by what stands in
        it.
        """
        ranges = self.ranges(label)
        if ranges is not None:
            parts = [self.within(part) for part in ranges]
            if parts:
                return sorted(set().union(*parts))
            return None
        if self.masking.intervals:
            written = interval(label)
            if written:
                itself = self.occurring.get(label, [])
                return sorted({*itself, *self.within(written)})

        return self.said(label)

    @cached_property
    def occurring(self) -> dict[Label, list[int]]:
        """The original values as texts, each with its own code."""
        return {value: [code] for code, value in enumerate(self.values)}

    def ranges(self, label: str) -> list[Interval] | None:
        """What a number released by a declared masking can come from; None where no
        such masking is declared.
        """
        masking = self.masking
        if masking.rounding is not None:
            multiple = rounded(label, masking)
            return [multiple] if multiple else []
        changes = (masking.noise, masking.microaggregation, masking.swapping)
        if changes == (None, None, None):
            return None
        value = number(label)
        if value is None:
            return []
        dates = is_date(label)
        ends = self.ends(value, dates)
        return [Interval(low, high, dates=dates) for low, high in ends]

    def ends(self, value: Fraction, dates: bool) -> Iterable[Ends]:
        """The least and greatest numbers that noise, microaggregation or swapping can
        have made this one of.
        """
        noise = self.masking.noise
        if noise is not None:
            return _before_noise(noise, value)
        ranked = self.ranked[dates]
        if self.masking.swapping is None:
            return ranked.averaged(value)

        return ranked.near(value, self.masking.swapping)

    @cached_property
    def ranked(self) -> Mapping[bool, Ranked]:
        """The numbers of the original records, dates (True) and others."""
        ranked: dict[bool, Ranked] = {}
        for dates in self.ordered:
            ranked[dates] = self.ranked_side(dates)
        return ranked

    def ranked_side(self, dates: bool) -> Ranked:
        """The dates, or the numbers, of all original records: each as often as it
        occurs.
        """
        counts = self.before.occurrences()
        numbers, codes_ = self.ordered[dates]
        every: list[Fraction] = []
        for value, code in zip(numbers, codes_, strict=True):
            every += [value] * counts[code]

        least = self.masking.microaggregation
        if least is None:
            return Ranked(every)
        # the means of dates are dates
        written: list[str] = []
        for text in self.after.labels:
            if text is not None and is_date(text) == dates:
                written.append(text)
        return means(every, least, written)

    def said(self, label: str) -> list[int] | None:
        """A value or a hierarchy's label; else a set of such; else an interval.

        Data may be coded already: a value may be a set or an interval besides.
        """
        for text in (label, self.canonical(label)):
            if text in self.named:
                return self.besides(label, self.named[text])

        if label in self.known:
            return []
        leveled = LEVEL.fullmatch(label)
        if leveled is not None and self.hierarchy:
            return self.at_level(leveled[1], int(leveled[2]))
        return self.written(label)

    def besides(self, label: str, named: list[int]) -> list[int]:
        """What a cell names, and what else is written in it."""
        if label in self.above or not _SIGNS.search(label):
            return named
        codes = {*named, *(self.written(label) or ())}
        # of a set without braces every value is a member
        for part in _SEPARATED.split(label):
            codes.update(self.named.get(part.strip(), ()))
        return sorted(codes)

    def written(self, label: str) -> list[int] | None:
        """The values of a set, or in an interval; None for a text that is neither."""
        inside = members(label) or self.meaning.listed(label)
        if inside is not None:
            return self.among(inside)
        written = interval(label)
        if written is None:
            return self.between(label)
        return self.within(written)

    def at_level(self, node: str, level: int) -> list[int] | None:
        """The values below a node that is called as one on another level is; None where
        there is no such node.
        """
        paths = self.hierarchy.paths if self.hierarchy else {}
        if all(path[level:][:1] != (node,) for path in paths.values()):
            return None
        return [
            code
            for code, value in enumerate(self.values)
            if path_of(value, paths)[level:][:1] == (node,)
        ]

    def among(self, inside: Iterable[str]) -> list[int] | None:
        """The values of the members of a set; None where they say nothing."""
        codes = set(chain.from_iterable(self.said(text) or [] for text in inside))
        return sorted(codes) or None

    @cached_property
    def meaning(self) -> CellMeaning:
        """What cells mean by themselves."""
        paths = self.hierarchy.paths if self.hierarchy else None
        return CellMeaning(self.kind, frozenset(self.values), paths)

    def between(self, label: str) -> list[int] | None:
        """The values between two of an order that is given; None for another cell, or
        one that can be read in several ways.
        """
        # most columns have no order, and texts are many
        readings = set(runs(label, self.kind.order)) if self.kind.order else set()
        if len(readings) != 1:
            return None
        (places,) = readings
        order = self.kind.order
        return [
            k
            for k, value in enumerate(self.values)
            if value in order and order.index(value) in places
        ]

    def within(self, range_: Interval) -> list[int]:
        """The values in an interval, rising."""
        numbers, codes = self.ordered[range_.dates]
        first, after = 0, len(numbers)
        # an end that is closed has the numbers that are equal to it inside
        if range_.low is not None:
            place = bisect_left if range_.low_closed else bisect_right
            first = place(numbers, range_.low)
        if range_.high is not None:
            place = bisect_right if range_.high_closed else bisect_left
            after = place(numbers, range_.high)

        inside = codes[first:after]
        return sorted(inside)
