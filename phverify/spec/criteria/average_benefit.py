"""Average benefit: what a bet on a value gains."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from phverify.spec import syntax as s
from phverify.spec.criteria.beta_likeness import GAIN
from phverify.spec.criterion.base import (
    ATTRIBUTE,
    ClassCriterion,
    Counterexample,
    Counts,
    Param,
    every_value,
    is_v,
    shares,
)
from phverify.spec.criterion.columns import Array, Histogram
from phverify.spec.criterion.lemma import Lemma
from phverify.spec.criterion.value import Bound, Mix, ValueCriterion
from phverify.spec.signature import Signature
from phverify.spec.source import Label


@dataclass(frozen=True)
class AverageBenefit(ValueCriterion):
    """q - p <= b for every value: what a bet on the value gains, on average over the
    people of a class.

    The paper only cites the average benefit, which its sources state for attributes
    with two values; this is our reading of it for any number of values.  With two
    values it bounds |q - p|.
    """

    b: Fraction
    name: ClassVar[str] = "average_benefit"
    source: ClassVar[str] = "Section 4.4, after Wang, Liau, Hsu 2004"
    params: ClassVar[tuple[Param, ...]] = (
        ATTRIBUTE,
        Param("b", "number", "gain in probability", least=Fraction(0)),
    )

    def _bound(self, value: s.Formula) -> s.Formula:
        gain = s.minus(s.likelihood("a1", value), s.likelihood("a0", value))
        return s.Compare(gain, "<=", s.number(self.b))

    def formula(self, signature: Signature) -> s.Formula:
        return every_value(self.f, self._bound(is_v(self.f)))

    def instance(self, value: Label, p: Fraction, rows: int) -> s.Formula:
        return self._bound(s.equals(self.f, value))

    def fine(self, p: Fraction, q: Fraction) -> bool:
        return q - p <= self.b

    def bounds(self) -> tuple[Bound, ...]:
        return (Mix(Fraction(1), self.b),)

    def said(self, p: Fraction, q: Fraction) -> str:
        return f"the gain {q} - {p} = {q - p} > {self.b}"

    def columns(self, h: Histogram) -> Array:
        q, p = h.shares
        return h.all_cells(
            h.at_most((q - p).clip(0), self.b, h.product(h.cell_sizes, h.rows))
        )

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        value = max(
            whole,
            key=lambda v: shares(inside, whole, v)[1] - shares(inside, whole, v)[0],
        )
        return self.broken(value, inside, whole)

    def lemma(self) -> Lemma:
        return GAIN

    def together(self) -> ValueCriterion | None:
        """Gains of several values add up, so that only a bound of 0 stays."""
        return None if self.b else self

    def implies(self, other: ClassCriterion) -> bool:
        return isinstance(other, AverageBenefit) and self.b <= other.b
