"""Average benefit: what a bet on a value gains."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from phverify.spec import syntax as s
from phverify.spec.criteria.beta_likeness import GAIN
from phverify.spec.criterion.base import (
    ATTRIBUTE,
    REFERENCE,
    ClassCriterion,
    Counterexample,
    Counts,
    Param,
)
from phverify.spec.criterion.formulas import every_value, in_class, in_table, is_v
from phverify.spec.criterion.lemma import Lemma
from phverify.spec.criterion.shares import shares
from phverify.spec.criterion.value import Bound, Mix, ValueCriterion
from phverify.spec.signature import Signature
from phverify.spec.source import Label

if TYPE_CHECKING:
    from phverify.spec.criterion.columns import Array, Histogram


@dataclass(frozen=True)
class AverageBenefit(ValueCriterion):
    """q - p <= b for every value: what a bet on it gains, on average over a class.

    The paper only cites the average benefit, which its sources state for attributes
    with two values; this is our reading of it for any number of values.  With two
    values it bounds |q - p|.
    """

    b: Fraction
    name: ClassVar[str] = "average_benefit"
    source: ClassVar[str] = "Section 4.4, after Wang, Liau, Hsu 2004"
    params: ClassVar[tuple[Param, ...]] = (
        ATTRIBUTE,
        Param(
            "b", "number", "gain in probability", least=Fraction(0), stricter="smaller"
        ),
        REFERENCE,
    )

    def _bound(self, value: s.Formula) -> s.Formula:
        """``l_a1(value) - l_a0(value) <= b``."""
        gain = s.minus(in_class(value), in_table(value))
        bound = s.number(self.b)
        return s.Compare(gain, "<=", bound)

    def formula(self, signature: Signature) -> s.Formula:
        """No value gains more than b."""
        bound = self._bound(is_v(self.f))
        return every_value(self.f, bound)

    def instance(self, value: Label, p: Fraction, rows: int) -> s.Formula:
        """The value gains at most b."""
        has_value = s.equals(self.f, value)
        return self._bound(has_value)

    def fine(self, p: Fraction, q: Fraction) -> bool:
        """A gain of at most b."""
        gain = q - p
        return gain <= self.b

    def bounds(self) -> tuple[Bound, ...]:
        """q <= p + b."""
        bound = Mix(Fraction(1), self.b)
        return (bound,)

    def said(self, p: Fraction, q: Fraction) -> str:
        """The gain."""
        gain = q - p
        shown = f"the gain {q} - {p} = {gain}"
        return f"{shown} > {self.b}"

    def columns(self, histogram: Histogram) -> Array:
        """For each class whether no value of it gains more than b.

        Values that the class lacks lose.
        """
        q, p = histogram.shares
        # b is not negative: a loss is fine, however large.
        gain = (q - p).clip(0)
        # Shares are times the rows of class and table, and so is the share 1.
        one = histogram.product(histogram.cell_sizes, histogram.rows)
        fine = histogram.at_most(gain, self.b, one)
        return histogram.all_cells(fine)

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        """The value that gains most."""
        # Whatever is not fine gains more than what is.
        gains = {}
        for value in whole:
            p, q = shares(inside, whole, value)
            gains[value] = q - p
        return self.broken(max(gains, key=gains.__getitem__), inside, whole)

    def lemma(self) -> Lemma:
        """Of every value the rows add up, and so do p n + b n."""
        return GAIN

    def together(self) -> ValueCriterion | None:
        """Gains of several values add up, so that only a bound of 0 stays."""
        return None if self.b else self

    def implies(self, other: ClassCriterion) -> bool:
        """A smaller gain implies a larger one."""
        if not isinstance(other, AverageBenefit):
            return False
        return self.b <= other.b
