"""delta-disclosure: no value becomes much likelier or much less likely (Theorem 6)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from phverify.spec import syntax as s
from phverify.spec.criterion.base import (
    ATTRIBUTE,
    REFERENCE,
    ClassCriterion,
    Counterexample,
    Counts,
    Param,
)
from phverify.spec.criterion.formulas import (
    every_value,
    in_class,
    is_v,
    ratio_at_most,
)
from phverify.spec.criterion.lemma import Lemma, at_most
from phverify.spec.criterion.value import Bound, ValueCriterion, WithinPower
from phverify.spec.logarithms import compare_power2, largest_at_most
from phverify.spec.signature import Signature
from phverify.spec.source import Label

if TYPE_CHECKING:
    from phverify.spec.criterion.columns import Array, Histogram

DIGITS = 4
"""Binary digits of the rows that ratios are looked for."""
LARGEST_EXPONENT = 64
"""Powers of two up to here are written out."""


@dataclass(frozen=True)
class DeltaDisclosure(ValueCriterion):
    """|log2(q / p)| < delta for every value (Brickell and Shmatikov 2008; Theorem 6).

    A class without some value has log 0 and violates it; ``absent="ignored"`` is the
    reading of tools that look only at the values of the class.
    """

    delta: Fraction
    absent: str = "violates"
    name: ClassVar[str] = "delta_disclosure"
    source: ClassVar[str] = "Theorem 6"
    params: ClassVar[tuple[Param, ...]] = (
        ATTRIBUTE,
        Param(
            "delta",
            "number",
            "bound on |log2(q/p)|",
            least=Fraction(0),
            strict=True,
            stricter="smaller",
        ),
        Param("absent", "choice", default="violates", choices=("violates", "ignored")),
        REFERENCE,
    )

    @property
    def _ignored(self) -> bool:
        return self.absent == "ignored"

    def _below(self, ratio: Fraction) -> bool:
        """Whether a ratio of shares is below 2^delta, by integer powers."""
        sign = compare_power2(ratio, self.delta)
        return sign < 0

    def _largest_ratio(self, rows: int) -> Fraction:
        """The largest ratio below 2^delta of two shares in a table of so many rows."""
        return _largest_ratio(self.delta, rows)

    def _bounds(self, value: s.Formula, rows: int) -> s.Formula:
        """Neither share is 2^delta times the other, which may be irrational."""
        written_out = self.delta.denominator == 1 and self.delta <= LARGEST_EXPONENT
        if written_out:
            ratio = Fraction(2) ** int(self.delta)
            op = "<"
        else:
            # 2^delta is irrational, or long: the largest ratio below it that two
            # shares of such a table can have takes its place.
            ratio = self._largest_ratio(rows)
            op = "<="
        up = ratio_at_most("a1", "a0", ratio, value, op)
        down = ratio_at_most("a0", "a1", ratio, value, op)
        if self._ignored:
            share = in_class(value)
            absent = s.Compare(share, "=", s.number(0))
            down = s.disj(absent, down)
        return s.conj(up, down)

    def formula(self, signature: Signature) -> s.Formula:
        """No value becomes 2^delta times as likely, or as unlikely."""
        bounds = self._bounds(is_v(self.f), signature.rows)
        return every_value(self.f, bounds)

    def instance(self, value: Label, p: Fraction, rows: int) -> s.Formula:
        """The two bounds for one value."""
        has_value = s.equals(self.f, value)
        return self._bounds(has_value, rows)

    def fine(self, p: Fraction, q: Fraction) -> bool:
        """q / p and p / q are below 2^delta; what an absent value is, is a choice."""
        if q == 0:
            return self._ignored
        if not self._below(q / p):
            return False
        return self._below(p / q)

    def bounds(self) -> tuple[Bound, ...]:
        """The two shares are within 2^delta of each other."""
        bound = WithinPower(self.delta, self._ignored)
        return (bound,)

    def said(self, p: Fraction, q: Fraction) -> str:
        """The two shares and their ratio."""
        if q == 0:
            absent = f"a value with share {p} in the table is absent from the class"
            return f"{absent}: log 0"
        ratio = q / p
        shown = f"shares {q} in the class and {p} in the table"
        return f"{shown}: |log2({ratio})| >= {self.delta}"

    def columns(self, histogram: Histogram) -> Array:
        """For each class whether its values are fine, and none is absent."""
        # Of all classes at once: their shares are fractions with at most these rows.
        ratio = self._largest_ratio(_rounded_up(histogram.rows))
        q, p = histogram.shares
        up = histogram.at_most(q, ratio, p)
        down = histogram.at_most(p, ratio, q)
        fine = up & down
        good = histogram.all_cells(fine)
        if self._ignored:
            return good
        # A value that a class lacks has no cell there.
        values = len(histogram.labels)
        none_absent = histogram.distinct == values
        return good & none_absent

    def badness(self, histogram: Histogram) -> Array:
        """Classes that lack most values first, then by the largest q / p."""
        ratios = super().badness(histogram)
        if self._ignored:
            return ratios
        missing = len(histogram.labels) - histogram.distinct
        # q / p is at most the rows of the table: missing values weigh more.
        return ratios + missing * histogram.rows

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        """The most frequent value that is absent, or that with the largest q / p."""
        absent = [value for value in whole if not inside.get(value, 0)]
        if absent and not self._ignored:
            frequent = max(absent, key=whole.__getitem__)
            return self.broken(frequent, inside, whole)
        return super().counterexample(inside, whole)

    def lemma(self) -> Lemma:
        """Of every value the rows add up, and so do both bounds on them."""
        # u is p n 2^delta and w is p n / 2^delta.
        up = at_most("a", 1, "u", strict=True)
        down = at_most("w", 1, "a", strict=True)
        bounds = "p n / 2^delta < a < p n 2^delta"
        why = f"for every value: {bounds}, where a rows of n have it"
        if self._ignored:
            return Lemma(f"{why}, or none", (up, down), absent="a")
        return Lemma(why, (up, down))

    def together(self) -> ValueCriterion | None:
        """Both bounds add up; values of which some are absent say nothing."""
        return None if self._ignored else self

    def implies(self, other: ClassCriterion) -> bool:
        """A smaller delta implies a larger one.

        The reading in which absent values violate implies that which ignores them.
        """
        if not isinstance(other, DeltaDisclosure):
            return False
        if self.absent not in ("violates", other.absent):
            return False
        return self.delta <= other.delta


@lru_cache(maxsize=64)
def _largest_ratio(delta: Fraction, rows: int) -> Fraction:
    """The largest ratio below 2^delta of two shares in a table of so many rows."""

    def below(ratio: Fraction) -> bool:
        # 0 has no logarithm, and is below every power.
        if ratio == 0:
            return True
        return compare_power2(ratio, delta) < 0

    return largest_at_most(below, rows**2, rows)


def _rounded_up(rows: int) -> int:
    """A little more rows: the ratio of a larger table does for a smaller one, and
    tables that differ in a few withheld records need it once.
    """
    step = 1 << max(rows.bit_length() - DIGITS, 0)
    return -(-rows // step) * step
