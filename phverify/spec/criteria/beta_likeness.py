"""Basic beta-likeness: how much likelier a value may become (Cao and Karras 2012)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from phverify.spec import syntax as s
from phverify.spec.criterion.base import (
    ATTRIBUTE,
    REFERENCE,
    ClassCriterion,
    Param,
)
from phverify.spec.criterion.formulas import every_value, is_v, ratio_at_most
from phverify.spec.criterion.lemma import Lemma, at_most
from phverify.spec.criterion.value import Bound, Mix, ValueCriterion
from phverify.spec.signature import Signature
from phverify.spec.source import Label

if TYPE_CHECKING:
    from phverify.spec.criterion.columns import Array, Histogram

BETA = Param("beta", "number", "relative gain", least=Fraction(0), stricter="smaller")
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
    params: ClassVar[tuple[Param, ...]] = (ATTRIBUTE, BETA, REFERENCE)

    def _bound(self, value: s.Formula) -> s.Formula:
        """``l_a1(value) <= (1 + beta) l_a0(value)``."""
        return ratio_at_most("a1", "a0", 1 + self.beta, value)

    def formula(self, signature: Signature) -> s.Formula:
        """No value becomes more than 1 + beta times as likely."""
        bound = self._bound(is_v(self.f))
        return every_value(self.f, bound)

    def instance(self, value: Label, p: Fraction, rows: int) -> s.Formula:
        """The value becomes at most 1 + beta times as likely."""
        has_value = s.equals(self.f, value)
        return self._bound(has_value)

    def fine(self, p: Fraction, q: Fraction) -> bool:
        """A relative gain of at most beta."""
        gain = (q - p) / p
        return gain <= self.beta

    def bounds(self) -> tuple[Bound, ...]:
        """q <= (1 + beta) p."""
        factor = 1 + self.beta
        return (Mix(factor),)

    def said(self, p: Fraction, q: Fraction) -> str:
        """The relative gain."""
        gain = (q - p) / p
        shown = f"the relative gain q/p - 1 of the share {p} to {q}"
        return f"{shown} is {gain} > {self.beta}"

    def columns(self, histogram: Histogram) -> Array:
        """For each class whether no value of it gains too much."""
        # Values that the class lacks have no cell: they lose, which is fine.
        q, p = histogram.shares
        fine = histogram.at_most(q, 1 + self.beta, p)
        return histogram.all_cells(fine)

    def lemma(self) -> Lemma:
        """Of every value the rows add up, and so do (1 + beta) p n."""
        return GAIN

    def together(self) -> ValueCriterion:
        """Shares of several values add up, and so do the bounds on them."""
        return self

    def implies(self, other: ClassCriterion) -> bool:
        """A smaller gain implies a larger one."""
        if not isinstance(other, BetaLikeness):
            return False
        return self.beta <= other.beta
