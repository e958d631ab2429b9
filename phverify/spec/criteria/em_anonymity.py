"""(epsilon, m)-anonymity: not many numbers of a class lie close together."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from phverify.spec import syntax as s
from phverify.spec.criterion.base import (
    ATTRIBUTE,
    ClassCriterion,
    Column,
    Counterexample,
    Counts,
    Param,
    total,
)
from phverify.spec.criterion.formulas import at_most_share, in_class
from phverify.spec.criterion.present import present
from phverify.spec.signature import Signature
from phverify.spec.source import Label, Values
from phverify.spec.types import ValueType


@dataclass(frozen=True)
class EMAnonymity(ClassCriterion):
    """At most 1/m of the values of a class are within e of one of them.

    That is |x - y| <= e, in days for dates.  A missing cell is no number, and the
    definition does not say whether its row counts in the class: a column with missing
    cells is refused, since either answer may be the one that leaks.
    """

    f: str
    e: Fraction
    m: int
    numbers: tuple[tuple[Label, Fraction], ...] = ()
    name: ClassVar[str] = "em_anonymity"
    source: ClassVar[str] = "Li, Tao, Xiao 2008"
    params: ClassVar[tuple[Param, ...]] = (
        ATTRIBUTE,
        Param(
            "e",
            "number",
            "distance of close values",
            least=Fraction(0),
            stricter="larger",
        ),
        Param(
            "m",
            "whole",
            "one in m values may be close",
            least=Fraction(1),
            stricter="larger",
        ),
    )
    alone: ClassVar[bool] = True

    def prepared(self, column: Column) -> EMAnonymity:
        """The criterion with the numbers of its column.

        Raises ValueError for values without a distance, and for missing ones.
        """
        if column.kind.name not in ("integer", "decimal", "date"):
            types = '"integer", "decimal" or "date" under [types]'
            raise ValueError(
                f"em_anonymity needs numbers: give {self.f!r} the type {types}"
            )
        texts = present(column, "an order")
        numbers = tuple((text, _number(column.kind, text)) for text in texts)
        return replace(self, numbers=numbers)

    def structure(self) -> str:
        """The distances of numbers."""
        return "numbers"

    @cached_property
    def near(self) -> Mapping[Label, Values]:
        """For each value those within e of it, itself too."""
        # Quadratic in the different numbers of the column, whatever its rows.
        near = {}
        for value, number in self.numbers:
            near[value] = tuple(
                other
                for other, other_number in self.numbers
                if abs(number - other_number) <= self.e
            )
        return near

    def _instance(self, value: Label) -> s.Formula:
        """The value does not occur in the class, or few values are near it."""
        share = in_class(s.equals(self.f, value))
        # The definition asks only about values that occur in the class.
        absent = s.Compare(share, "=", s.number(0))

        close = s.among(self.f, self.near[value])
        few = at_most_share(close, Fraction(1, self.m))
        return s.disj(absent, few)

    def formula(self, signature: Signature) -> s.Formula:
        """Each value is absent, or few are near it."""
        instances = map(self._instance, self.near)
        return s.conj(*instances)

    def crowd(self, inside: Counts) -> tuple[Label, int]:
        """The value of a class with most values near it, and how many these are."""
        crowds = {}
        for value, count in inside.items():
            # A value that the class lacks is no centre of a crowd.
            if not count:
                continue
            near = self.near[value]
            counts = [inside.get(other, 0) for other in near]
            crowds[value] = sum(counts)
        value = max(crowds, key=crowds.__getitem__)
        return value, crowds[value]

    def holds(self, inside: Counts, whole: Counts) -> bool:
        """The largest crowd has at most 1/m of the rows."""
        _, crowd = self.crowd(inside)
        rows = total(inside)
        return crowd * self.m <= rows

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        """The largest crowd."""
        value, crowd = self.crowd(inside)
        rows = total(inside)
        shown = f"{crowd} of {rows} values are within {self.e} of {str(value)!r}"
        said = f"{shown}: more than 1/{self.m}"
        instance = self._instance(value)
        return Counterexample(instance, said, {"v": str(value)})

    @property
    def distance_bound(self) -> Fraction:
        """The distance e."""
        return self.e

    @property
    def reach(self) -> tuple[Fraction, ...]:
        """With m values far from one another it can hold."""
        return (Fraction(self.m),)

    def implies(self, other: ClassCriterion) -> bool:
        """Wider crowds hold closer ones, and a smaller share is below a larger one."""
        if not isinstance(other, EMAnonymity):
            return False
        wider = self.e >= other.e
        smaller_share = self.m >= other.m
        return wider and smaller_share


def _number(kind: ValueType, text: str) -> Fraction:
    """The value as a number: the day's number for a date."""
    canonical = kind.canonical(text)
    if kind.name == "date":
        # Distances of dates are numbers of days.
        day = datetime.date.fromisoformat(canonical)
        number = day.toordinal()
        return Fraction(number)
    return Fraction(kind.key(canonical))
