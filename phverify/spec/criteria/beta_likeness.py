"""Basic beta-likeness: how much likelier a value may become (Cao and Karras 2012)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from phverify.spec import syntax as s
from phverify.spec.criterion.base import (
    ATTRIBUTE,
    ClassCriterion,
    Param,
    every_value,
    is_v,
)
from phverify.spec.criterion.columns import Array, Histogram
from phverify.spec.criterion.lemma import Lemma, at_most
from phverify.spec.criterion.value import Bound, Mix, ValueCriterion, ratio_at_most
from phverify.spec.signature import Signature
from phverify.spec.source import Label

BETA = Param("beta", "number", "relative gain", least=Fraction(0))
GAIN = Lemma(
    "for every value: a <= r n, where a rows of n have it, r depends on p",
    (at_most("a", 1, "u"),),
)


@dataclass(frozen=True)
class BetaLikeness(ValueCriterion):
    """(q - p) / p <= beta for every value: basic beta-likeness."""

    beta: Fraction
    name: ClassVar[str] = "beta_likeness"
    source: ClassVar[str] = "Cao and Karras 2012"
    params: ClassVar[tuple[Param, ...]] = (ATTRIBUTE, BETA)

    def formula(self, signature: Signature) -> s.Formula:
        return every_value(
            self.f, ratio_at_most("a1", "a0", 1 + self.beta, is_v(self.f))
        )

    def instance(self, value: Label, p: Fraction, rows: int) -> s.Formula:
        return ratio_at_most("a1", "a0", 1 + self.beta, s.equals(self.f, value))

    def fine(self, p: Fraction, q: Fraction) -> bool:
        return (q - p) / p <= self.beta

    def bounds(self) -> tuple[Bound, ...]:
        return (Mix(1 + self.beta),)

    def said(self, p: Fraction, q: Fraction) -> str:
        return (
            f"the relative gain q/p - 1 of the share {p} to {q} is {(q - p) / p} >"
            f" {self.beta}"
        )

    def columns(self, h: Histogram) -> Array:
        q, p = h.shares
        return h.all_cells(h.at_most(q, 1 + self.beta, p))

    def lemma(self) -> Lemma:
        return GAIN

    def together(self) -> ValueCriterion:
        return self

    def implies(self, other: ClassCriterion) -> bool:
        return isinstance(other, BetaLikeness) and self.beta <= other.beta
