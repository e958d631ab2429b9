"""(alpha, k)-anonymity: large classes in which no value is frequent."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from phverify.spec import syntax as s
from phverify.spec.criteria.k_anonymity import K, single_out, singled_out
from phverify.spec.criterion.base import (
    ATTRIBUTE,
    ClassCriterion,
    Condition,
    Counterexample,
    Counts,
    Param,
    Rows,
    every_value,
    is_v,
    reciprocal,
    total,
)
from phverify.spec.criterion.columns import Array, Histogram
from phverify.spec.criterion.lemma import Lemma, at_most, rows
from phverify.spec.signature import Signature
from phverify.spec.source import Values


@dataclass(frozen=True)
class AlphaKAnonymity(ClassCriterion):
    """Classes of at least k rows in which no value of f has a share above alpha."""

    f: str
    alpha: Fraction
    k: int
    name: ClassVar[str] = "alpha_k_anonymity"
    source: ClassVar[str] = "Wong, Li, Fu, Wang 2006"
    params: ClassVar[tuple[Param, ...]] = (
        ATTRIBUTE,
        Param("alpha", "number", "largest share of a value", least=Fraction(0)),
        K,
    )
    alone: ClassVar[bool] = True

    def _frequent(self, value: s.Formula) -> s.Formula:
        return s.Compare(s.likelihood("a1", value), "<=", s.number(self.alpha))

    def formula(self, signature: Signature) -> s.Formula:
        return s.conj(
            single_out(self.k), every_value(self.f, self._frequent(is_v(self.f)))
        )

    def holds(self, inside: Counts, whole: Counts) -> bool:
        n = total(inside)
        return n >= self.k and all(count <= self.alpha * n for count in inside.values())

    def _none_frequent(self, h: Histogram) -> Array:
        return h.all_cells(h.at_most(h.counts, self.alpha, h.cell_sizes))

    def columns(self, h: Histogram) -> Array:
        return (h.sizes >= self.k) & self._none_frequent(h)

    def badness(self, h: Histogram) -> Array:
        return ~self._none_frequent(h) * h.rows - h.sizes

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        value, count = max(inside.items(), key=lambda item: item[1])
        n = total(inside)
        if Fraction(count, n) <= self.alpha:
            return singled_out(n, self.k)
        said = f"a value has the share {count}/{n} > {self.alpha}"
        return Counterexample(
            self._frequent(s.equals(self.f, value)), said, {"v": str(value)}
        )

    def conditions(
        self, domain: Values, whole: Counts | None = None
    ) -> Iterator[Condition]:
        yield Rows(self.k)
        yield from (self._frequent(s.equals(self.f, value)) for value in domain)

    def lemma(self) -> Lemma:
        why = (
            f"for every value: n >= {self.k} and a <= {self.alpha} n, where a rows of n"
            " have it"
        )
        return Lemma(why, (rows(self.k), at_most("a", self.alpha, "n")))

    @property
    def frequent(self) -> int:
        return 1

    @property
    def reach(self) -> tuple[Fraction, ...]:
        return reciprocal(self.alpha)

    @property
    def least_values(self) -> int | None:
        """It takes so many shares of at most alpha to make 1; no number does with alpha
        = 0.
        """
        return math.ceil(1 / self.alpha) if self.alpha else None

    @property
    def telling(self) -> tuple[Fraction, ...]:
        return (self.alpha,)

    def implies(self, other: ClassCriterion) -> bool:
        """As far as shares go: what is said of the number of rows is looked at by
        itself.
        """
        return isinstance(other, AlphaKAnonymity) and self.alpha <= other.alpha
