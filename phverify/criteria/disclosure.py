"""Criteria on what is learned: class shares against table shares, value by value.

delta-disclosure (Theorem 6), basic and enhanced beta-likeness (Cao and Karras 2012), and the average benefit.
Write p for the share of a value in the table and q for its share in the class.
"""

from __future__ import annotations

import itertools
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from phverify.criteria.base import (
    ClassCriterion,
    Counterexample,
    Counts,
    Histogram,
    Param,
    at_most,
    atom,
    every_value,
    is_v,
    product,
    total,
)
from phverify.criteria.diversity import ATTRIBUTE
from phverify.exact import Bools, Ints, compare_minus_log, compare_power2, largest_at_most, log_enclosure
from phverify.microdata.table import Label
from phverify.spec import syntax as s
from phverify.spec.names import Signature

DIGITS = 12


def ratio_at_most(a: str, b: str, factor: Fraction, value: s.Formula, op: str = "<=") -> s.Formula:
    """``l_a(value) <= factor * l_b(value)``."""
    return s.Compare(s.likelihood(a, value), op, s.likelihood(b, value, factor))


def shares(inside: Counts, whole: Counts, value: Label) -> tuple[Fraction, Fraction]:
    """(p, q): the share of a value in the table and in the class."""
    return Fraction(whole[value], total(whole)), Fraction(inside.get(value, 0), total(inside))


@dataclass(frozen=True)
class ValueCriterion(ClassCriterion):
    """A criterion that must hold for every value of f that occurs in the table."""

    f: str

    @abstractmethod
    def fine(self, p: Fraction, q: Fraction) -> bool:
        """Whether a value with these shares is fine."""

    @abstractmethod
    def instance(self, value: Label, p: Fraction, rows: int) -> s.Formula:
        """The formula for one value with share p in a table of so many rows."""

    @abstractmethod
    def said(self, p: Fraction, q: Fraction) -> str:
        """What is wrong with these shares."""

    def holds(self, inside: Counts, whole: Counts) -> bool:
        return all(self.fine(*shares(inside, whole, value)) for value in whole)

    def badness(self, h: Histogram) -> Ints:
        ratio = (h.counts / h.cell_sizes) / (h.cell_whole / h.rows)
        worst: Ints = np.maximum.reduceat(ratio, h.starts[:-1])
        return worst

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        bad = {v: shares(inside, whole, v) for v in whole}
        value = max((v for v in bad if not self.fine(*bad[v])), key=lambda v: bad[v][1] / bad[v][0])
        p, q = bad[value]
        return Counterexample(self.instance(value, p, total(whole)), self.said(p, q), {"v": str(value)})


@dataclass(frozen=True)
class DeltaDisclosure(ValueCriterion):
    """|log2(q / p)| < delta for every value (Brickell and Shmatikov 2008; Theorem 6).

    A class without some value has log 0 and violates it; ``absent="ignored"`` is the reading of tools that
    look only at the values of the class.
    """

    delta: Fraction
    absent: str = "violates"
    name: ClassVar[str] = "delta_disclosure"
    source: ClassVar[str] = "Theorem 6"
    params: ClassVar[tuple[Param, ...]] = (
        ATTRIBUTE,
        Param("delta", "number", "bound on |log2(q/p)|", least=Fraction(0), strict=True),
        Param("absent", "choice", default="violates", choices=("violates", "ignored")),
    )

    def _reach(self, rows: int) -> Fraction:
        """The largest ratio below 2^delta that shares in a table of so many rows can have."""
        return largest_at_most(lambda x: x == 0 or compare_power2(x, self.delta) < 0, rows**2, rows)

    def _bounds(self, value: s.Formula, rows: int) -> s.Formula:
        if self.delta.denominator == 1 and self.delta <= 64:
            up = ratio_at_most("a1", "a0", Fraction(2) ** int(self.delta), value, "<")
            down = ratio_at_most("a0", "a1", Fraction(2) ** int(self.delta), value, "<")
        else:
            up = ratio_at_most("a1", "a0", self._reach(rows), value)
            down = ratio_at_most("a0", "a1", self._reach(rows), value)
        if self.absent == "ignored":
            down = s.disj(s.Compare(s.likelihood("a1", value), "=", s.number(0)), down)
        return s.conj(up, down)

    def formula(self, signature: Signature) -> s.Formula:
        return every_value(self.f, self._bounds(is_v(self.f), signature.rows))

    def instance(self, value: Label, p: Fraction, rows: int) -> s.Formula:
        return self._bounds(atom(self.f, value), rows)

    def fine(self, p: Fraction, q: Fraction) -> bool:
        if q == 0:
            return self.absent == "ignored"
        return compare_power2(q / p, self.delta) < 0 < compare_power2(q / p, -self.delta)

    def said(self, p: Fraction, q: Fraction) -> str:
        if q == 0:
            return f"a value with share {p} in the table is absent from the class: log 0"
        return f"shares {q} in the class and {p} in the table: |log2({q / p})| >= {self.delta}"

    def safe(self, h: Histogram) -> Bools:
        reach = self._reach(h.rows)
        q, p = product(h.counts, np.array([h.rows])), product(h.cell_sizes, h.cell_whole)
        good = h.all_cells(at_most(q, reach, p) & at_most(p, reach, q))
        return good if self.absent == "ignored" else good & (np.diff(h.starts) == len(h.labels))

    def badness(self, h: Histogram) -> Ints:
        missing = len(h.labels) - np.diff(h.starts) if self.absent == "violates" else 0
        return super().badness(h) + missing * h.rows

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        absent = [v for v in whole if not inside.get(v, 0)]
        if absent and self.absent == "violates":
            value = max(absent, key=lambda v: whole[v])
            p, q = shares(inside, whole, value)
            return Counterexample(self.instance(value, p, total(whole)), self.said(p, q), {"v": str(value)})
        return super().counterexample(inside, whole)


@dataclass(frozen=True)
class BetaLikeness(ValueCriterion):
    """(q - p) / p <= beta for every value: basic beta-likeness."""

    beta: Fraction
    name: ClassVar[str] = "beta_likeness"
    source: ClassVar[str] = "Cao and Karras 2012"
    params: ClassVar[tuple[Param, ...]] = (ATTRIBUTE, Param("beta", "number", "relative gain", least=Fraction(0)))

    def formula(self, signature: Signature) -> s.Formula:
        return every_value(self.f, ratio_at_most("a1", "a0", 1 + self.beta, is_v(self.f)))

    def instance(self, value: Label, p: Fraction, rows: int) -> s.Formula:
        return ratio_at_most("a1", "a0", 1 + self.beta, atom(self.f, value))

    def fine(self, p: Fraction, q: Fraction) -> bool:
        return (q - p) / p <= self.beta

    def said(self, p: Fraction, q: Fraction) -> str:
        return f"the relative gain q/p - 1 of the share {p} to {q} is {(q - p) / p} > {self.beta}"

    def safe(self, h: Histogram) -> Bools:
        q, p = product(h.counts, np.array([h.rows])), product(h.cell_sizes, h.cell_whole)
        return h.all_cells(at_most(q, 1 + self.beta, p))


@dataclass(frozen=True)
class EnhancedBetaLikeness(ValueCriterion):
    """(q - p) / p <= min(beta, -ln p) for every value: enhanced beta-likeness.

    -ln p is irrational for p < 1, so that it is compared through enclosures that shrink until they decide.
    """

    beta: Fraction
    name: ClassVar[str] = "enhanced_beta_likeness"
    source: ClassVar[str] = "Cao and Karras 2012"
    params: ClassVar[tuple[Param, ...]] = (ATTRIBUTE, Param("beta", "number", "relative gain", least=Fraction(0)))

    def _below(self, gain: Fraction, p: Fraction) -> bool:
        return gain <= self.beta and compare_minus_log(gain, p) <= 0

    def _reach(self, p: Fraction, rows: int) -> Fraction:
        """The largest ratio q/p that is allowed and that a table of so many rows can have."""
        return largest_at_most(lambda x: x <= 1 or self._below(x - 1, p), rows**2, rows)

    def formula(self, signature: Signature) -> s.Formula:
        value, n = is_v(self.f), signature.rows
        cases = []
        for k in range(1, n + 1):
            here = s.Compare(s.likelihood("a0", value), "=", s.number(Fraction(k, n)))
            cases.append(s.Implies(here, ratio_at_most("a1", "a0", self._reach(Fraction(k, n), n), value)))
        return every_value(self.f, s.conj(*cases))

    def instance(self, value: Label, p: Fraction, rows: int) -> s.Formula:
        return ratio_at_most("a1", "a0", self._reach(p, rows), atom(self.f, value))

    def fine(self, p: Fraction, q: Fraction) -> bool:
        return self._below((q - p) / p, p)

    def said(self, p: Fraction, q: Fraction) -> str:
        gain = (q - p) / p
        bound = f"{self.beta}" if gain > self.beta else f"-ln {p}"
        return f"the relative gain q/p - 1 of the share {p} to {q} is {gain} > {bound}"

    def safe(self, h: Histogram) -> Bools:
        q, p = product(h.counts, np.array([h.rows])), product(h.cell_sizes, h.cell_whole)
        good = np.empty(len(h.counts), dtype=bool)
        order = np.argsort(h.values, kind="stable")
        edges = np.searchsorted(h.values[order], np.arange(len(h.labels) + 1))
        for value, (first, last) in enumerate(itertools.pairwise(edges.tolist())):
            cells = order[first:last]
            good[cells] = self._fine_cells(Fraction(int(h.whole[value]), h.rows), q[cells], p[cells])
        return h.all_cells(good)

    def _fine_cells(self, share: Fraction, q: Ints, p: Ints) -> Bools:
        """Cells of one value: decided by the ends of an enclosure, and between them one by one."""
        if compare_minus_log(self.beta, share) <= 0:
            return at_most(q, 1 + self.beta, p)
        low, high = log_enclosure(share.denominator, share.numerator, DIGITS)
        good, bad = at_most(q, 1 + low, p), ~at_most(q, 1 + high, p)
        for cell in np.flatnonzero(~good & ~bad).tolist():
            good[cell] = self._below(Fraction(int(q[cell]), int(p[cell])) - 1, share)
        return good


@dataclass(frozen=True)
class AverageBenefit(ValueCriterion):
    """q - p <= b for every value: what a bet on the value gains, on average over the people of a class.

    The paper only cites the average benefit, which its sources state for attributes with two values; this is
    our reading of it for any number of values.  With two values it bounds |q - p|.
    """

    b: Fraction
    name: ClassVar[str] = "average_benefit"
    source: ClassVar[str] = "Section 4.4, after Wang, Liau, Hsu 2004"
    params: ClassVar[tuple[Param, ...]] = (ATTRIBUTE, Param("b", "number", "gain in probability", least=Fraction(0)))

    def _bound(self, value: s.Formula) -> s.Formula:
        gain = s.minus(s.likelihood("a1", value), s.likelihood("a0", value))
        return s.Compare(gain, "<=", s.number(self.b))

    def formula(self, signature: Signature) -> s.Formula:
        return every_value(self.f, self._bound(is_v(self.f)))

    def instance(self, value: Label, p: Fraction, rows: int) -> s.Formula:
        return self._bound(atom(self.f, value))

    def fine(self, p: Fraction, q: Fraction) -> bool:
        return q - p <= self.b

    def said(self, p: Fraction, q: Fraction) -> str:
        return f"the gain {q} - {p} = {q - p} > {self.b}"

    def safe(self, h: Histogram) -> Bools:
        q, p = product(h.counts, np.array([h.rows])), product(h.cell_sizes, h.cell_whole)
        return h.all_cells(at_most(np.maximum(q - p, 0), self.b, product(h.cell_sizes, np.array([h.rows]))))

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        value = max(whole, key=lambda v: shares(inside, whole, v)[1] - shares(inside, whole, v)[0])
        p, q = shares(inside, whole, value)
        return Counterexample(self.instance(value, p, total(whole)), self.said(p, q), {"v": str(value)})
