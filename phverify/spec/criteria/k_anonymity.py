"""k-anonymity: nobody is told from fewer than k - 1 others (Theorem 1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from phverify.spec import syntax as s
from phverify.spec.criterion.base import (
    ClassCriterion,
    Condition,
    Counterexample,
    Counts,
    Param,
    Rows,
    total,
)
from phverify.spec.criterion.columns import Array, Histogram
from phverify.spec.criterion.lemma import Lemma, rows
from phverify.spec.signature import Signature
from phverify.spec.source import Values
from phverify.spec.wording import many

K = Param("k", "whole", "rows in a class", least=Fraction(1))
EVERYBODY = (s.Binder(s.Var("i"), "individuals"),)


def unlikely(k: int) -> s.Formula:
    """``l_a1(i) <= 1/k``."""
    return s.Compare(
        s.likelihood("a1", s.Nominal(s.Var("i"))), "<=", s.number(Fraction(1, k))
    )


def single_out(k: int) -> s.Formula:
    """``forall i: l_a1(i) <= 1/k``."""
    return s.Quantified(True, EVERYBODY, unlikely(k))


def singled_out(size: int, k: int) -> Counterexample:
    counted = "1 row" if size == 1 else f"{size} rows"
    return Counterexample(
        unlikely(k),
        f"the class has {counted}, fewer than {k}",
        {"i": "anyone in the class"},
    )


@dataclass(frozen=True)
class KAnonymity(ClassCriterion):
    """Every class has at least k rows (Sweeney 2002; Theorem 1)."""

    k: int
    name: ClassVar[str] = "k_anonymity"
    source: ClassVar[str] = "Theorem 1"
    params: ClassVar[tuple[Param, ...]] = (K,)
    alone: ClassVar[bool] = True

    def formula(self, signature: Signature) -> s.Formula:
        return single_out(self.k)

    def holds(self, inside: Counts, whole: Counts) -> bool:
        return total(inside) >= self.k

    def columns(self, h: Histogram) -> Array:
        return h.sizes >= self.k

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        return singled_out(total(inside), self.k)

    def conditions(
        self, domain: Values, whole: Counts | None = None
    ) -> Iterator[Condition]:
        yield Rows(self.k)

    def lemma(self) -> Lemma:
        return Lemma(f"at least {many(self.k, 'row')}", (rows(self.k),))
