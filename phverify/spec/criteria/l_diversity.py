"""Distinct l-diversity: l values in every class (Theorem 3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from phverify.spec import syntax as s
from phverify.spec.criterion.base import (
    ATTRIBUTE,
    CLAUSE,
    ClassCriterion,
    Condition,
    Counterexample,
    Counts,
    Param,
    Several,
    every_clause,
)
from phverify.spec.criterion.columns import Array, Histogram
from phverify.spec.criterion.lemma import Inequality, Lemma
from phverify.spec.signature import Signature
from phverify.spec.source import Values
from phverify.spec.wording import many

FEW = 5
L = Param("l", "whole", "well-represented values", least=Fraction(1))


@dataclass(frozen=True)
class DistinctDiversity(ClassCriterion):
    """At least l distinct values of f in every class (Definition 8.1, Theorem 3)."""

    f: str
    l: int  # noqa: E741
    name: ClassVar[str] = "l_diversity"
    source: ClassVar[str] = "Theorem 3"
    params: ClassVar[tuple[Param, ...]] = (ATTRIBUTE, L)
    alone: ClassVar[bool] = True

    def formula(self, signature: Signature) -> s.Formula:
        return (
            every_clause(self.f, self.l - 1, s.Not(s.Box("a1", CLAUSE)))
            if self.l > 1
            else s.TRUE
        )

    def holds(self, inside: Counts, whole: Counts) -> bool:
        return sum(count > 0 for count in inside.values()) >= self.l

    def columns(self, h: Histogram) -> Array:
        return h.distinct >= self.l

    def badness(self, h: Histogram) -> Array:
        return h.rows * -h.distinct + h.sizes

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        values = (
            "1 distinct value" if len(inside) == 1 else f"{len(inside)} distinct values"
        )
        covered = s.Box("a1", s.among(self.f, tuple(inside)))
        return Counterexample(
            s.Not(covered), f"the class has {values}, fewer than {self.l}"
        )

    def conditions(
        self, domain: Values, whole: Counts | None = None
    ) -> Iterator[Condition]:
        yield Several(self.l)

    def lemma(self) -> Lemma:
        outside = Inequality(((Fraction(1), "a"),), strict=True)
        why = f"for every set of {many(self.l - 1, 'value')}: some row lies outside it"
        return Lemma(why, (outside,) if self.l > 1 else ())

    @property
    def frequent(self) -> int:
        """Where it fails l - 1 values are all there are; it is decided without them, so
        a large l asks for none.
        """
        return self.l - 1 if self.l - 1 <= FEW else 1

    @property
    def reach(self) -> tuple[Fraction, ...]:
        return (Fraction(self.l),)

    @property
    def least_values(self) -> int:
        return self.l
