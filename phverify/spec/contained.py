"""Whether a released cell surely contains the original one.

A cell may be the value itself, a label of its hierarchy, a range of an ordered type (or
of numbers, where there is no hierarchy), a set, or ``*``.  What may be read in several
ways contains a value only if it does so in all of them: a text that occurs as a value
or as a label is that, and no range.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from phverify.spec.data import Label, Paths
from phverify.spec.hierarchies import path_of
from phverify.spec.notation import (
    cuts,
    interval,
    is_date,
    members,
    number,
    runs,
)
from phverify.spec.source import Values
from phverify.spec.types import ValueType

ALL = "*"
"""The cell that says nothing."""
LEVEL = re.compile(r"(.*) \(level (\d{1,3})\)", re.ASCII | re.DOTALL)
"""What a search writes for a node that is called as a lower one (see ``sides``)."""
UNSURE = re.compile(r"[+-]?\d+,\d+|[+-]?\d{1,3}(,\d{3})+", re.ASCII)
"""What may be members of a set, or one number: ``1,5``, ``1,100,200``."""


@dataclass(frozen=True, eq=False)
class CellMeaning:
    """What released cells of one quasi-identifier mean.

    ``values`` are those that occur in the original, ``paths`` its hierarchy.
    """

    kind: ValueType
    values: frozenset[Label]
    paths: Paths | None = None

    def contains(self, label: Label, value: Label) -> bool:
        """Whether a released cell surely contains an original value."""
        if label == value:
            return True
        if label is None:
            return False
        if label in self.named:
            return label in self.above(value)
        leveled = LEVEL.fullmatch(label)
        if leveled is not None and self.paths is not None:
            return self.above(value)[int(leveled[2]) :][:1] == (leveled[1],)
        if label == ALL:
            return True
        if value is None:
            # A missing cell is no number, and in no set.
            return False
        listed = self.listed(label)
        if listed is not None:
            return value in listed
        return self.ranged and self.between(label, value)

    # Values and labels

    @cached_property
    def leaves(self) -> frozenset[str]:
        """The values that are known: of the original, its hierarchy and its type."""
        known = (*self.values, *(self.paths or {}), *self.kind.order)
        return frozenset(one for one in known if one)

    @cached_property
    def named(self) -> frozenset[str]:
        """Every text that is a value, or a label of the hierarchy."""
        labels = set(self.leaves)
        for path in (self.paths or {}).values():
            labels.update(path)
        return frozenset(labels)

    def above(self, value: Label) -> Values:
        """The value, and what it may become along the hierarchy."""
        if self.paths is None:
            return (value,)
        return path_of(value, self.paths)

    # Sets

    def listed(self, label: str) -> frozenset[str] | None:
        """The members of a set; None where a cell is surely none.

        All members must be values: ``Smith, J`` is a set only if both are.
        """
        inside = self.parts(label)
        if not inside or not all(member in self.stripped for member in inside):
            return None
        quoted = '"' in label and members(label) is not None
        if not quoted and self._separating:
            # A value that holds a comma may be two members, or one.
            return None
        return frozenset(self.stripped[member] for member in inside)

    def parts(self, label: str) -> list[str]:
        """The members of what is written as a set, whatever they are; none where a cell
        is written otherwise.
        """
        inside = members(label)
        if inside is None:
            inside = self._separated(label) or []
        return [member.strip() for member in inside]

    def _separated(self, label: str) -> list[str] | None:
        """The parts of ``a,b``, ``a or b``, and ``a~b`` where that is no range."""
        parts = re.split(r",| or ", label)
        if len(parts) == 1 and not self.ranged:
            parts = label.split("~")
        if len(parts) == 1:
            return None
        numbers = [part for part in parts if number(part) is not None]
        if len(parts) == len(numbers) == 2 and " or " not in label:
            # 20,29 may also be a range, or a number with a decimal comma.
            return None
        if any(map(UNSURE.fullmatch, label.split(" or "))):
            return None
        return parts

    @cached_property
    def stripped(self) -> dict[str, str]:
        """The values by their texts without blanks around; none where two are alike."""
        stripped = {value.strip(): value for value in self.leaves}
        if len(stripped) < len(self.leaves) or any('"' in one for one in stripped):
            return {}
        return stripped

    @cached_property
    def _separating(self) -> bool:
        """Whether some value holds what stands between the members of a set."""
        return any(map(_separates, self.leaves))

    # Ranges

    @cached_property
    def ranged(self) -> bool:
        """Whether there are ranges: of an ordered type, or of numbers alone."""
        if self.kind.ordered:
            return True
        texts = [value for value in self.values if value is not None]
        plain = all(number(text) is not None for text in texts)
        one_kind = len(set(map(is_date, texts))) == 1
        return self.paths is None and plain and one_kind

    def between(self, label: str, value: str) -> bool:
        """Whether a value lies in a range."""
        if self.kind.order:
            readings = list(runs(label, self.kind.order))
            if not readings or value not in self.kind.order:
                return False
            place = self.kind.order.index(value)
            return all(place in reading for reading in readings)
        meant = self.figure(value)
        if meant is None:
            return False
        single = self.figure(label)
        if single is None and is_date(label) == self.dates:
            single = number(label)
        if single is not None:
            # The same number, spelled otherwise.
            return single == meant
        written = interval(label)
        if written is None:
            return self._between_typed(label, meant)
        return written.dates == self.dates and written.holds(meant)

    def _between_typed(self, label: str, meant: Fraction) -> bool:
        """Whether a number lies between ends that are written as the type has them,
        ``1/3..1/2``.
        """
        if not self.kind.ordered:
            return False
        readings = set()
        for texts in cuts(label):
            low, high = map(self.figure, texts)
            if low is not None and high is not None:
                readings.add((low, high))
        inside = [low <= meant <= high for low, high in readings]
        return bool(inside) and all(inside)

    @cached_property
    def dates(self) -> bool:
        """Whether the values are dates."""
        if self.kind.ordered:
            return self.kind.name == "date"
        return any(is_date(value) for value in self.values if value is not None)

    def figure(self, text: str) -> Fraction | None:
        """The number that a value is, or that of its day; None for anything else."""
        if not self.kind.ordered:
            if is_date(text) != self.dates:
                return None
            return number(text)
        try:
            canonical = self.kind.canonical(text)
        except ValueError:
            return None
        if self.dates:
            return number(canonical)
        return Fraction(self.kind.key(canonical))


def _separates(value: str) -> bool:
    """Whether a value holds what stands between the members of a set."""
    return any(sign in value for sign in (",", " or ", "~"))
