"""k-anonymity: nobody is told from fewer than k - 1 others (Theorem 1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

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
from phverify.spec.signature import Signature
from phverify.spec.source import Values
from phverify.spec.wording import many

if TYPE_CHECKING:
    from phverify.spec.criterion.columns import Array, Histogram
    from phverify.spec.criterion.lemma import Lemma

K = Param("k", "whole", "rows in a class", least=Fraction(1), stricter="larger")
ANYBODY = s.Var("i")
EVERYBODY = (s.Binder(ANYBODY, "individuals"),)


def unlikely(k: int) -> s.Formula:
    """``l_a1(i) <= 1/k``."""
    from phverify.spec.criterion.formulas import at_most_share

    # In a class of n rows a1 takes anyone in it to be at each with 1/n.
    person = s.Nominal(ANYBODY)
    share = Fraction(1, k)
    return at_most_share(person, share)


def single_out(k: int) -> s.Formula:
    """``forall i: l_a1(i) <= 1/k``."""
    body = unlikely(k)
    return s.Quantified(True, EVERYBODY, body)


def singled_out(size: int, k: int) -> Counterexample:
    """The counterexample for a class of so many rows, fewer than k."""
    counted = many(size, "row")
    said = f"the class has {counted}, fewer than {k}"
    bound = unlikely(k)
    anybody = {"i": "anyone in the class"}
    return Counterexample(bound, said, anybody)


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
        size = total(inside)
        return size >= self.k

    def columns(self, histogram: Histogram) -> Array:
        """For each class whether it has at least k rows."""
        return histogram.sizes >= self.k

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        """The rows that there are."""
        size = total(inside)
        return singled_out(size, self.k)

    def conditions(
        self, domain: Values, whole: Counts | None = None
    ) -> Iterator[Condition]:
        """At least k rows."""
        yield Rows(self.k)

    def lemma(self) -> Lemma:
        """The rows of two classes add up."""
        from phverify.spec.criterion.lemma import Lemma, rows

        counted = many(self.k, "row")
        why = f"at least {counted}"
        condition = rows(self.k)
        return Lemma(why, (condition,))

    def least_records(self, whole: Counts) -> int:
        """The k records that it asks for."""
        return self.k
