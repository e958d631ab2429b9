"""delta-disclosure: no value becomes much likelier or much less likely (Theorem 6)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from phverify.spec import syntax as s
from phverify.spec.criterion.base import (
    ATTRIBUTE,
    ClassCriterion,
    Counterexample,
    Counts,
    Param,
    every_value,
    is_v,
)
from phverify.spec.criterion.columns import Array, Histogram
from phverify.spec.criterion.lemma import Lemma, at_most
from phverify.spec.criterion.value import (
    Bound,
    ValueCriterion,
    WithinPower,
    ratio_at_most,
)
from phverify.spec.logarithms import compare_power2, largest_at_most
from phverify.spec.signature import Signature
from phverify.spec.source import Label


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
            "delta", "number", "bound on |log2(q/p)|", least=Fraction(0), strict=True
        ),
        Param("absent", "choice", default="violates", choices=("violates", "ignored")),
    )

    @property
    def _ignored(self) -> bool:
        return self.absent == "ignored"

    def _reach(self, rows: int) -> Fraction:
        """The largest ratio below 2^delta that shares in a table of so many rows can
        have.
        """
        return largest_at_most(
            lambda x: x == 0 or compare_power2(x, self.delta) < 0, rows**2, rows
        )

    def _bounds(self, value: s.Formula, rows: int) -> s.Formula:
        if self.delta.denominator == 1 and self.delta <= 64:
            up = ratio_at_most("a1", "a0", Fraction(2) ** int(self.delta), value, "<")
            down = ratio_at_most("a0", "a1", Fraction(2) ** int(self.delta), value, "<")
        else:
            reach = self._reach(rows)
            up = ratio_at_most("a1", "a0", reach, value)
            down = ratio_at_most("a0", "a1", reach, value)
        if self._ignored:
            down = s.disj(s.Compare(s.likelihood("a1", value), "=", s.number(0)), down)
        return s.conj(up, down)

    def formula(self, signature: Signature) -> s.Formula:
        return every_value(self.f, self._bounds(is_v(self.f), signature.rows))

    def instance(self, value: Label, p: Fraction, rows: int) -> s.Formula:
        return self._bounds(s.equals(self.f, value), rows)

    def fine(self, p: Fraction, q: Fraction) -> bool:
        if q == 0:
            return self._ignored
        return (
            compare_power2(q / p, self.delta) < 0
            and compare_power2(p / q, self.delta) < 0
        )

    def bounds(self) -> tuple[Bound, ...]:
        return (WithinPower(self.delta, self._ignored),)

    def said(self, p: Fraction, q: Fraction) -> str:
        if q == 0:
            return (
                f"a value with share {p} in the table is absent from the class: log 0"
            )
        return (
            f"shares {q} in the class and {p} in the table: |log2({q / p})| >="
            f" {self.delta}"
        )

    def columns(self, h: Histogram) -> Array:
        reach = self._reach(h.rows)
        q, p = h.shares
        good = h.all_cells(h.at_most(q, reach, p) & h.at_most(p, reach, q))
        return good if self._ignored else good & (h.distinct == len(h.labels))

    def badness(self, h: Histogram) -> Array:
        missing = 0 if self._ignored else len(h.labels) - h.distinct
        return super().badness(h) + missing * h.rows

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        absent = [v for v in whole if not inside.get(v, 0)]
        if absent and not self._ignored:
            return self.broken(max(absent, key=lambda v: whole[v]), inside, whole)
        return super().counterexample(inside, whole)

    def lemma(self) -> Lemma:
        bounds = (at_most("a", 1, "u", strict=True), at_most("w", 1, "a", strict=True))
        why = (
            "for every value: p n / 2^delta < a < p n 2^delta, where a rows of n"
            " have it"
        )
        return (
            Lemma(f"{why}, or none", bounds, absent="a")
            if self._ignored
            else Lemma(why, bounds)
        )

    def together(self) -> ValueCriterion | None:
        return None if self._ignored else self

    def implies(self, other: ClassCriterion) -> bool:
        alike = isinstance(other, DeltaDisclosure) and self.absent in (
            "violates",
            other.absent,
        )
        return (
            alike and isinstance(other, DeltaDisclosure) and self.delta <= other.delta
        )
