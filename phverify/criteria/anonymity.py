"""Criteria on who is who: k-anonymity (Theorem 1) and (alpha, k)-anonymity (Wong et al. 2006)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

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
    total,
)
from phverify.exact import Bools, Ints
from phverify.spec import syntax as s
from phverify.spec.names import Signature

EVERYBODY = (s.Binder(s.Var("i"), "individuals"),)


def single_out(k: int) -> s.Formula:
    """``forall i: l_a1(i) <= 1/k``."""
    body = s.Compare(s.likelihood("a1", s.Nominal(s.Var("i"))), "<=", s.number(Fraction(1, k)))
    return s.Quantified(True, EVERYBODY, body)


def singled_out(size: int, k: int) -> Counterexample:
    body = s.Compare(s.likelihood("a1", s.Nominal(s.Var("i"))), "<=", s.number(Fraction(1, k)))
    rows = "1 row" if size == 1 else f"{size} rows"
    return Counterexample(body, f"the class has {rows}, fewer than {k}", {"i": "anyone in the class"})


@dataclass(frozen=True)
class KAnonymity(ClassCriterion):
    """Every class has at least k rows (Sweeney 2002; Theorem 1)."""

    k: int
    name: ClassVar[str] = "k_anonymity"
    source: ClassVar[str] = "Theorem 1"
    params: ClassVar[tuple[Param, ...]] = (Param("k", "whole", "rows in a class", least=Fraction(1)),)

    def formula(self, signature: Signature) -> s.Formula:
        return single_out(self.k)

    def holds(self, inside: Counts, whole: Counts) -> bool:
        return total(inside) >= self.k

    def safe(self, h: Histogram) -> Bools:
        return h.sizes >= self.k

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        return singled_out(total(inside), self.k)


@dataclass(frozen=True)
class AlphaKAnonymity(ClassCriterion):
    """Classes of at least k rows in which no value of f has a share above alpha."""

    f: str
    alpha: Fraction
    k: int
    name: ClassVar[str] = "alpha_k_anonymity"
    source: ClassVar[str] = "Wong, Li, Fu, Wang 2006"
    params: ClassVar[tuple[Param, ...]] = (
        Param("f", "attribute"),
        Param("alpha", "number", "largest share of a value", least=Fraction(0)),
        Param("k", "whole", "rows in a class", least=Fraction(1)),
    )

    def _frequent(self, value: s.Formula) -> s.Formula:
        return s.Compare(s.likelihood("a1", value), "<=", s.number(self.alpha))

    def formula(self, signature: Signature) -> s.Formula:
        return s.conj(single_out(self.k), every_value(self.f, self._frequent(is_v(self.f))))

    def holds(self, inside: Counts, whole: Counts) -> bool:
        n = total(inside)
        return n >= self.k and all(Fraction(count, n) <= self.alpha for count in inside.values())

    def safe(self, h: Histogram) -> Bools:
        return (h.sizes >= self.k) & h.all_cells(at_most(h.counts, self.alpha, h.cell_sizes))

    def badness(self, h: Histogram) -> Ints:
        frequent = ~h.all_cells(at_most(h.counts, self.alpha, h.cell_sizes))
        worst: Ints = frequent * h.rows - h.sizes
        return worst

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        value, count = max(inside.items(), key=lambda item: item[1])
        n = total(inside)
        if Fraction(count, n) <= self.alpha:
            return singled_out(n, self.k)
        return Counterexample(
            self._frequent(atom(self.f, value)), f"a value has the share {count}/{n} > {self.alpha}", {"v": str(value)}
        )
