"""Enhanced beta-likeness: a frequent value may gain less (Cao and Karras 2012)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from phverify.spec import syntax as s
from phverify.spec.criteria.beta_likeness import BETA, GAIN, BetaLikeness
from phverify.spec.criterion.base import (
    ATTRIBUTE,
    REFERENCE,
    ClassCriterion,
    Param,
)
from phverify.spec.criterion.formulas import (
    every_value,
    in_table,
    is_v,
    ratio_at_most,
)
from phverify.spec.criterion.lemma import Lemma
from phverify.spec.criterion.value import Bound, Mix, ValueCriterion, WithinLog
from phverify.spec.logarithms import compare_minus_log, largest_at_most, log_enclosure
from phverify.spec.signature import Signature
from phverify.spec.source import Label

if TYPE_CHECKING:
    from phverify.spec.criterion.columns import Array, Histogram

DIGITS = 12
"""Of the enclosure that decides most cells at once."""


@dataclass(frozen=True)
class EnhancedBetaLikeness(ValueCriterion):
    """(q - p) / p <= min(beta, -ln p) for every value: enhanced beta-likeness.

    -ln p is irrational for p < 1, so that it is compared through enclosures that shrink
    until they decide.
    """

    beta: Fraction
    name: ClassVar[str] = "enhanced_beta_likeness"
    source: ClassVar[str] = "Cao and Karras 2012"
    params: ClassVar[tuple[Param, ...]] = (ATTRIBUTE, BETA, REFERENCE)
    logarithmic: ClassVar[bool] = True

    def _allowed(self, gain: Fraction, p: Fraction) -> bool:
        """Whether a relative gain is at most beta and -ln p."""
        if gain > self.beta:
            return False
        # -ln p is never negative: a loss needs no logarithm.
        return gain <= 0 or compare_minus_log(gain, p) <= 0

    def _largest_ratio(self, p: Fraction, rows: int) -> Fraction:
        """The largest allowed q / p that a table of so many rows can have."""

        def allowed(ratio: Fraction) -> bool:
            gain = ratio - 1
            return self._allowed(gain, p)

        return largest_at_most(allowed, rows**2, rows)

    def _bound(self, value: s.Formula, p: Fraction, rows: int) -> s.Formula:
        """The bound on a value with the share p."""
        ratio = self._largest_ratio(p, rows)
        return ratio_at_most("a1", "a0", ratio, value)

    def formula(self, signature: Signature) -> s.Formula:
        """For each share that a value can have in the table, its bound."""
        value, rows = is_v(self.f), signature.rows
        # The bound depends on p, which a formula cannot compute: a case for each share.
        cases = []
        for count in range(1, rows + 1):
            p = Fraction(count, rows)
            has_share = s.Compare(in_table(value), "=", s.number(p))
            bound = self._bound(value, p, rows)
            cases.append(s.Implies(has_share, bound))
        return every_value(self.f, s.conj(*cases))

    def instance(self, value: Label, p: Fraction, rows: int) -> s.Formula:
        """The bound on one value."""
        has_value = s.equals(self.f, value)
        return self._bound(has_value, p, rows)

    def fine(self, p: Fraction, q: Fraction) -> bool:
        """A relative gain of at most beta and -ln p."""
        gain = (q - p) / p
        return self._allowed(gain, p)

    def bounds(self) -> tuple[Bound, ...]:
        """q <= (1 + beta) p, and q / p - 1 <= -ln p."""
        by_beta = Mix(1 + self.beta)
        by_log = WithinLog()
        return by_beta, by_log

    def said(self, p: Fraction, q: Fraction) -> str:
        """The relative gain, and which of the bounds it breaks."""
        gain = (q - p) / p
        bound = f"{self.beta}" if gain > self.beta else f"-ln {p}"
        shown = f"the relative gain q/p - 1 of the share {p} to {q}"
        return f"{shown} is {gain} > {bound}"

    def columns(self, histogram: Histogram) -> Array:
        """For each class whether no value of it gains too much."""

        def fine_cells(share: Fraction, q: Array, p: Array) -> Array:
            return self._fine_cells(histogram, share, q, p)

        return histogram.all_cells(histogram.by_value(fine_cells))

    def _fine_cells(
        self, histogram: Histogram, share: Fraction, q: Array, p: Array
    ) -> Array:
        """Which cells of one value are fine.

        They are decided by the ends of an enclosure of -ln p, and those between the
        ends one by one.
        """
        # Where beta is the smaller bound no logarithm is needed.
        if compare_minus_log(self.beta, share) <= 0:
            return histogram.at_most(q, 1 + self.beta, p)
        low, high = log_enclosure(share.denominator, share.numerator, DIGITS)
        good = histogram.at_most(q, 1 + low, p)
        bad = ~histogram.at_most(q, 1 + high, p)
        undecided = ~good & ~bad

        # Gains between the ends of the enclosure: few, if any.
        for cell in undecided.nonzero()[0].tolist():
            gain = Fraction(int(q[cell]), int(p[cell])) - 1
            good[cell] = self._allowed(gain, share)
        return good

    def lemma(self) -> Lemma:
        """Of every value the rows add up, and so do the bounds p n (1 + ..)."""
        return GAIN

    def together(self) -> ValueCriterion:
        """The bound -ln p falls with p, and that by beta stays."""
        return BetaLikeness(self.f, self.beta)

    def implies(self, other: ClassCriterion) -> bool:
        """A smaller gain implies a larger one."""
        if not isinstance(other, EnhancedBetaLikeness):
            return False
        return self.beta <= other.beta
