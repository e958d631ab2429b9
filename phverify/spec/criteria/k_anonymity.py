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
from phverify.spec.criterion.formulas import at_most_share
from phverify.spec.criterion.lemma import Lemma, rows
from phverify.spec.signature import Signature
from phverify.spec.source import Values
from phverify.spec.wording import many

K = Param("k", "whole", "rows in a class", least=Fraction(1))
EVERYBODY = (s.Binder(s.Var("i"), "individuals"),)


def unlikely(k: int) -> s.Formula:
    """``l_a1(i) <= 1/k``."""
    # In a class of n rows a1 takes anyone in it to be at each with 1/n.
    person = s.Nominal(s.Var("i"))
    return at_most_share(person, Fraction(1, k))


def single_out(k: int) -> s.Formula:
    """``forall i: l_a1(i) <= 1/k``."""
    return s.Quantified(True, EVERYBODY, unlikely(k))


def singled_out(size: int, k: int) -> Counterexample:
    """The counterexample for a class of so many rows, fewer than k."""
    counted = "1 row" if size == 1 else f"{size} rows"
    said = f"the class has {counted}, fewer than {k}"
    return Counterexample(unlikely(k), said, {"i": "anyone in the class"})


@dataclass(frozen=True)
class KAnonymity(ClassCriterion):
    """Every class has at least k rows (Sweeney 2002; Theorem 1)."""

    k: int
    name: ClassVar[str] = "k_anonymity"
    source: ClassVar[str] = "Theorem 1"
    params: ClassVar[tuple[Param, ...]] = (K,)
    alone: ClassVar[bool] = True

    def formula(self, signature: Signature) -> s.Formula:
        """Nobody is at any row with a probability above 1/k."""
        return single_out(self.k)

    def holds(self, inside: Counts, whole: Counts) -> bool:
        """At least k rows."""
        return total(inside) >= self.k

    def columns(self, histogram: Histogram) -> Array:
        """For each class whether it has at least k rows."""
        return histogram.sizes >= self.k

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        """The rows that there are."""
        return singled_out(total(inside), self.k)

    def conditions(
        self, domain: Values, whole: Counts | None = None
    ) -> Iterator[Condition]:
        """At least k rows."""
        yield Rows(self.k)

    def lemma(self) -> Lemma:
        """The rows of two classes add up."""
        why = f"at least {many(self.k, 'row')}"
        return Lemma(why, (rows(self.k),))

    def least_records(self, whole: Counts) -> int:
        """The k records that it asks for."""
        return self.k
