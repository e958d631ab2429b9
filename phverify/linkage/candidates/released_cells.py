"""What a released cell of one column says about the original value, as it is written
and as its masking is declared.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import chain

import numpy as np

from phverify.errors import nearest
from phverify.linkage.candidates.neighbours import Ranked, means
from phverify.linkage.candidates.notation import (
    Interval,
    interval,
    is_date,
    members,
    number,
    rounded,
)
from phverify.microdata.hierarchy import Hierarchy
from phverify.microdata.table import Column, Label
from phverify.policy.masking import Masking
from phverify.spec.types import ValueType


class ReleasedCells:
    """The original values of one column by what a released cell may say; values are
    given by their codes.
    """

    def __init__(
        self,
        name: str,
        before: Column,
        after: Column,
        masking: Masking,
        kind: ValueType,
        hierarchy: Hierarchy | None,
        origin: str = "original",
    ) -> None:
        self.name, self.before, self.after, self.masking, self.kind = (
            name,
            before,
            after,
            masking,
            kind,
        )
        self.values: Sequence[Label] = before.labels
        self.hierarchy, self.origin = hierarchy, origin
        self.all = list(range(len(self.values)))

    @cached_property
    def named(self) -> dict[str, list[int]]:
        """What each text names: the value itself (in any spelling of its type), or all
        below a hierarchy's label.
        """
        paths: Mapping[str, tuple[str, ...]] = (
            self.hierarchy.paths if self.hierarchy else {}
        )
        found: dict[str, list[int]] = {}
        for k, value in enumerate(self.values):
            if value is not None:
                for text in dict.fromkeys(
                    (value, self.canonical(value), *paths.get(value, ()))
                ):
                    found.setdefault(text, []).append(k)
        return found

    @cached_property
    def known(self) -> set[str]:
        """All texts that can be read though no value of the original may lie below
        them.
        """
        paths = self.hierarchy.paths.values() if self.hierarchy else ()
        return set(self.named) | set(chain.from_iterable(paths))

    @cached_property
    def ordered(self) -> Mapping[bool, tuple[list[Fraction], list[int]]]:
        """The values that are dates (True), and those that are numbers, rising, with
        their codes.
        """
        read = [
            (value, k)
            for k, text in enumerate(self.values)
            if (value := number(text or "")) is not None
        ]
        found: dict[bool, tuple[list[Fraction], list[int]]] = {
            True: ([], []),
            False: ([], []),
        }
        for value, k in sorted(read):
            values, codes = found[is_date(self.values[k] or "")]
            values.append(value)
            codes.append(k)
        return found

    def canonical(self, text: str) -> str:
        try:
            return self.kind.canonical(text)
        except ValueError:
            return text

    def sources(self, label: Label) -> list[int] | None:
        """The values that a released cell can come from, rising; None for a cell that
        says nothing.
        """
        masking, table = self.masking, self.masking.table
        rows = (
            []
            if table is None
            else [k for k in self.all if masking.chance(self.values[k], label)]
        )
        if (label or "") in masking.suppressed and not rows:
            return self.all
        if table is not None:
            return rows or None
        if masking.pseudonyms:
            return self.all
        if masking.swapping == 1:
            return self.all if label in self.occurring else None
        if label is None:
            return [k for k in self.all if self.values[k] is None] or self.all
        if (ranges := self.ranges(label)) is not None:
            parts = [self.within(part) for part in ranges]
            return sorted(set().union(*parts)) if parts else None
        if masking.intervals and (found := interval(label)):
            return self.within(found)
        return self.said(label)

    @cached_property
    def occurring(self) -> set[Label]:
        return set(self.values)

    def ranges(self, label: str) -> list[Interval] | None:
        """What a number released by a declared masking can come from; None where no
        such masking is declared.
        """
        masking, value, dates = self.masking, number(label), is_date(label)
        if masking.rounding is not None:
            found = rounded(label, masking)
            return [found] if found else []
        if (masking.noise, masking.microaggregation, masking.swapping) == (
            None,
            None,
            None,
        ):
            return None
        if value is None:
            return []
        ends: Iterable[tuple[Fraction, Fraction]]
        if (noise := masking.noise) is None:
            ranked = self.ranked[dates]
            ends = (
                ranked.averaged(value)
                if masking.swapping is None
                else ranked.near(value, masking.swapping)
            )
        elif noise.chances is None:
            ends = [(value - noise.high, value - noise.low)]
        else:
            ends = [(value - added, value - added) for added in noise.chances]
        return [Interval(low, high, dates=dates) for low, high in ends]

    @cached_property
    def ranked(self) -> Mapping[bool, Ranked]:
        """The numbers of the original records, dates (True) and others."""
        held = np.bincount(self.before.codes, minlength=len(self.values)).tolist()
        found = {}
        for dates, (values, codes) in self.ordered.items():
            every = [
                value
                for value, code in zip(values, codes, strict=True)
                for _ in range(held[code])
            ]
            shown = [
                text
                for text in self.after.labels
                if text is not None and is_date(text) == dates
            ]
            least = self.masking.microaggregation
            found[dates] = (
                Ranked(every) if least is None else means(every, least, shown)
            )
        return found

    def said(self, label: str) -> list[int] | None:
        """A value or a hierarchy's label; else a set of such; else an interval."""
        for text in (label, self.canonical(label)):
            if text in self.named:
                return self.named[text]
        if label in self.known:
            return []
        inside = members(label)
        if inside is not None:
            parts = [self.said(member) or [] for member in inside]
            return sorted({k for part in parts for k in part}) if any(parts) else None
        found = interval(label)
        return None if found is None else self.within(found)

    def within(self, found: Interval) -> list[int]:
        numbers, codes = self.ordered[found.dates]
        low, high = 0, len(numbers)
        if found.low is not None:
            low = (bisect_left if found.low_closed else bisect_right)(
                numbers, found.low
            )
        if found.high is not None:
            high = (bisect_right if found.high_closed else bisect_left)(
                numbers, found.high
            )
        return sorted(codes[low:high])

    def unread(self, label: Label) -> tuple[str, str, bool]:
        """Why a released cell says nothing, a hint, and whether that quotes the
        data.
        """
        if label is None:
            hint = (
                f"where it means suppression, write [masking] {self.name} ="
                ' {suppressed = ["*", ""]}'
            )
            return "the cell is missing, and no original value is", hint, False
        why, hint = self._why(label)
        return f"{label!r} {why}", hint, True

    def _why(self, label: str) -> tuple[str, str]:
        masking, least = self.masking, self.masking.microaggregation
        hint = "say how the column was masked under [masking]"
        if masking.table is not None:
            made = sorted({image for row in masking.table.values() for image in row})
            return (
                "is nothing that the table of [masking] makes of a value that occurs",
                nearest(label, made, "it makes"),
            )
        if masking.rounding is not None:
            return f"is no multiple of {masking.rounding}", hint
        if masking.noise is not None:
            return "is no number, and noise is added to numbers", hint
        if least is not None:
            what = (
                f"is the mean of no group of {least} to {2 * least - 1} neighbours in"
                f" this column of the {self.origin}"
            )
            return (
                what,
                (
                    "groups over several columns are no neighbours in each; bounds hold"
                    " for them: {noise = 10}"
                ),
            )
        if masking.swapping is not None:
            return (
                (
                    f"is no {'value' if masking.swapping == 1 else 'number or date'} of"
                    f" the {self.origin}"
                ),
                hint,
            )
        below = " or label of its hierarchy" if self.hierarchy else ""
        what = (
            f"is no value of the {self.origin}{below}, no interval, no set {{a, b}} and"
            " no mark of suppression"
        )
        return what, nearest(label, sorted(self.known), "values and labels")
