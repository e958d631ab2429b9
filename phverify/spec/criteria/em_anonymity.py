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
from phverify.spec.signature import Signature
from phverify.spec.source import Label, Values
from phverify.spec.types import ValueType


@dataclass(frozen=True)
class EMAnonymity(ClassCriterion):
    """In no class are more than 1/m of the values within e of one of them: |x - y| <=
    e, in days for dates.

    A missing cell is no number, and the definition does not say whether its row counts
    in the class: a column with missing cells is refused, since either answer may be the
    one that leaks.
    """

    f: str
    e: Fraction
    m: int
    numbers: tuple[tuple[Label, Fraction], ...] = ()
    name: ClassVar[str] = "em_anonymity"
    source: ClassVar[str] = "Li, Tao, Xiao 2008"
    params: ClassVar[tuple[Param, ...]] = (
        ATTRIBUTE,
        Param("e", "number", "distance of close values", least=Fraction(0)),
        Param("m", "whole", "one in m values may be close", least=Fraction(1)),
    )
    alone: ClassVar[bool] = True

    def prepared(self, column: Column) -> EMAnonymity:
        if column.kind.name not in ("integer", "decimal", "date"):
            hint = (
                f'give {self.f!r} the type "integer", "decimal" or "date" under [types]'
            )
            raise ValueError(f"em_anonymity needs numbers: {hint}")
        texts = column.texts("an order")
        return replace(
            self, numbers=tuple((text, _number(column.kind, text)) for text in texts)
        )

    def looks(self) -> str:
        return "numbers"

    @cached_property
    def near(self) -> Mapping[Label, Values]:
        """For each value those within e of it."""
        return {
            v: tuple(w for w, y in self.numbers if abs(x - y) <= self.e)
            for v, x in self.numbers
        }

    def _instance(self, value: Label, near: Values) -> s.Formula:
        """The value does not occur in the class, or few values are near it."""
        absent = s.Compare(
            s.likelihood("a1", s.equals(self.f, value)), "=", s.number(0)
        )
        few = s.Compare(
            s.likelihood("a1", s.among(self.f, near)),
            "<=",
            s.number(Fraction(1, self.m)),
        )
        return s.disj(absent, few)

    def formula(self, signature: Signature) -> s.Formula:
        return s.conj(
            *(self._instance(value, near) for value, near in self.near.items())
        )

    def crowd(self, inside: Counts) -> tuple[Label, int]:
        """The value of a class with most values near it, and how many these are."""
        crowds = {}
        for value, count in inside.items():
            if count:
                crowds[value] = sum(inside.get(other, 0) for other in self.near[value])
        value = max(crowds, key=crowds.__getitem__)
        return value, crowds[value]

    def holds(self, inside: Counts, whole: Counts) -> bool:
        return self.crowd(inside)[1] * self.m <= total(inside)

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        value, crowd = self.crowd(inside)
        said = (
            f"{crowd} of {total(inside)} values are within {self.e} of {value}: more"
            f" than 1/{self.m}"
        )
        return Counterexample(
            self._instance(value, self.near[value]), said, {"v": str(value)}
        )

    @property
    def distance_bound(self) -> Fraction:
        return self.e

    @property
    def reach(self) -> tuple[Fraction, ...]:
        return (Fraction(self.m),)

    def implies(self, other: ClassCriterion) -> bool:
        return (
            isinstance(other, EMAnonymity) and self.e >= other.e and self.m >= other.m
        )


def _number(kind: ValueType, text: str) -> Fraction:
    canonical = kind.canonical(text)
    if kind.name == "date":
        return Fraction(datetime.date.fromisoformat(canonical).toordinal())
    return Fraction(kind.key(canonical))
