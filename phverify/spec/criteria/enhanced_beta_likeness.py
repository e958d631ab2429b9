"""Enhanced beta-likeness: a frequent value may gain less (Cao and Karras 2012)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from phverify.spec import syntax as s
from phverify.spec.criteria.beta_likeness import BETA, GAIN, BetaLikeness
from phverify.spec.criterion.base import (
    ATTRIBUTE,
    ClassCriterion,
    Param,
    every_value,
    is_v,
)
from phverify.spec.criterion.columns import Array, Histogram
from phverify.spec.criterion.lemma import Lemma
from phverify.spec.criterion.value import (
    Bound,
    Mix,
    ValueCriterion,
    WithinLog,
    ratio_at_most,
)
from phverify.spec.logarithms import compare_minus_log, largest_at_most, log_enclosure
from phverify.spec.signature import Signature
from phverify.spec.source import Label

DIGITS = 12


@dataclass(frozen=True)
class EnhancedBetaLikeness(ValueCriterion):
    """(q - p) / p <= min(beta, -ln p) for every value: enhanced beta-likeness.

    -ln p is irrational for p < 1, so that it is compared through enclosures that shrink
    until they decide.
    """

    beta: Fraction
    name: ClassVar[str] = "enhanced_beta_likeness"
    source: ClassVar[str] = "Cao and Karras 2012"
    params: ClassVar[tuple[Param, ...]] = (ATTRIBUTE, BETA)
    logarithmic: ClassVar[bool] = True

    def _below(self, gain: Fraction, p: Fraction) -> bool:
        return gain <= self.beta and (gain <= 0 or compare_minus_log(gain, p) <= 0)

    def _reach(self, p: Fraction, rows: int) -> Fraction:
        """The largest ratio q/p that is allowed and that a table of so many rows can
        have.
        """
        return largest_at_most(lambda x: x <= 1 or self._below(x - 1, p), rows**2, rows)

    def formula(self, signature: Signature) -> s.Formula:
        value, n = is_v(self.f), signature.rows
        cases = []
        for k in range(1, n + 1):
            here = s.Compare(s.likelihood("a0", value), "=", s.number(Fraction(k, n)))
            cases.append(
                s.Implies(
                    here,
                    ratio_at_most("a1", "a0", self._reach(Fraction(k, n), n), value),
                )
            )
        return every_value(self.f, s.conj(*cases))

    def instance(self, value: Label, p: Fraction, rows: int) -> s.Formula:
        return ratio_at_most("a1", "a0", self._reach(p, rows), s.equals(self.f, value))

    def fine(self, p: Fraction, q: Fraction) -> bool:
        return self._below((q - p) / p, p)

    def bounds(self) -> tuple[Bound, ...]:
        return Mix(1 + self.beta), WithinLog()

    def said(self, p: Fraction, q: Fraction) -> str:
        gain = (q - p) / p
        bound = f"{self.beta}" if gain > self.beta else f"-ln {p}"
        return f"the relative gain q/p - 1 of the share {p} to {q} is {gain} > {bound}"

    def columns(self, h: Histogram) -> Array:
        return h.all_cells(
            h.by_value(lambda share, q, p: self._fine_cells(h, share, q, p))
        )

    def _fine_cells(self, h: Histogram, share: Fraction, q: Array, p: Array) -> Array:
        """Cells of one value: decided by the ends of an enclosure, and between them one
        by one.
        """
        if compare_minus_log(self.beta, share) <= 0:
            return h.at_most(q, 1 + self.beta, p)
        low, high = log_enclosure(share.denominator, share.numerator, DIGITS)
        good, bad = h.at_most(q, 1 + low, p), ~h.at_most(q, 1 + high, p)
        for cell in (~good & ~bad).nonzero()[0].tolist():
            good[cell] = self._below(Fraction(int(q[cell]), int(p[cell])) - 1, share)
        return good

    def lemma(self) -> Lemma:
        return GAIN

    def together(self) -> ValueCriterion:
        """The bound -ln p falls with p, and that by beta stays."""
        return BetaLikeness(self.f, self.beta)

    def implies(self, other: ClassCriterion) -> bool:
        return isinstance(other, EnhancedBetaLikeness) and self.beta <= other.beta
