"""Recursive (c, l)-diversity: the most frequent value is not too frequent beside the
rare ones (Theorem 4).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import ClassVar

from phverify.spec import syntax as s
from phverify.spec.criteria.l_diversity import L
from phverify.spec.criterion.base import (
    ATTRIBUTE,
    CLAUSE,
    ClassCriterion,
    Condition,
    Counterexample,
    Counts,
    Param,
    TooLong,
    every_clause,
    every_value,
    is_v,
    reciprocal,
)
from phverify.spec.criterion.columns import Array, Histogram
from phverify.spec.criterion.lemma import Inequality, Lemma
from phverify.spec.signature import Signature
from phverify.spec.source import Values
from phverify.spec.wording import many

MOST = 3000
"""So many instances are written out."""


@dataclass(frozen=True)
class RecursiveDiversity(ClassCriterion):
    """Recursive (c, l)-diversity: k1 < c (kl + ... + km) in every class (Definition
    8.2, Theorem 4).

    Theorem 4 orders the values of the class.  The formula here is shorter and
    equivalent: the tail is what the likeliest clause of l - 1 values leaves, so that
    for every value v and every such clause D, l(v) < c (1 - l(D)).
    """

    f: str
    c: Fraction
    l: int  # noqa: E741
    name: ClassVar[str] = "recursive_l_diversity"
    source: ClassVar[str] = "Theorem 4"
    params: ClassVar[tuple[Param, ...]] = (
        ATTRIBUTE,
        Param("c", "number", "factor", least=Fraction(0), strict=True),
        L,
    )
    alone: ClassVar[bool] = True

    def _instance(self, value: s.Formula, clause: s.Formula) -> s.Formula:
        rest = s.times(self.c, s.minus(s.number(1), s.likelihood("a1", clause)))
        return s.Compare(s.likelihood("a1", value), "<", rest)

    def formula(self, signature: Signature) -> s.Formula:
        if self.l == 1:
            return every_value(self.f, self._instance(is_v(self.f), s.FALSE))
        return every_value(
            self.f,
            every_clause(self.f, self.l - 1, self._instance(is_v(self.f), CLAUSE)),
        )

    def holds(self, inside: Counts, whole: Counts) -> bool:
        ranked = sorted(inside.values(), reverse=True)
        return ranked[0] < self.c * sum(ranked[self.l - 1 :])

    def columns(self, h: Histogram) -> Array:
        most, tail = h.ranked(self.l - 1)
        return h.at_most(most, self.c, tail, strict=True)

    def badness(self, h: Histogram) -> Array:
        most, tail = h.ranked(self.l - 1)
        return most * h.rows // tail.clip(1) + (tail == 0) * h.rows**2

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        ranked = sorted(inside, key=lambda v: -inside[v])
        k, tail = inside[ranked[0]], sum(inside[v] for v in ranked[self.l - 1 :])
        clause = s.among(self.f, tuple(ranked[: self.l - 1])) if self.l > 1 else s.FALSE
        said = (
            f"the most frequent value occurs {k} times, not below {self.c} * {tail} for"
            f" the values from rank {self.l}"
        )
        return Counterexample(
            self._instance(s.equals(self.f, ranked[0]), clause),
            said,
            {"v": str(ranked[0])},
        )

    def conditions(
        self, domain: Values, whole: Counts | None = None
    ) -> Iterator[Condition]:
        """The sets of l - 1 values, and the values in them: the instances of the most
        frequent ones decide.
        """
        size = min(self.l - 1, len(domain))
        if comb(len(domain), size) * max(size, 1) > MOST:
            raise TooLong(f"recursive diversity has more than {MOST} instances here")
        values = [s.equals(self.f, value) for value in domain]
        for chosen in combinations(values, size):
            yield from (
                self._instance(value, s.disj(*chosen)) for value in chosen or values
            )

    def lemma(self) -> Lemma:
        why = (
            f"for every value and every set of {many(self.l - 1, 'value')}: a <"
            f" {self.c} (n - b)"
        )
        tail = Inequality(
            ((self.c, "n"), (Fraction(-1), "a"), (-self.c, "b")), strict=True
        )
        return Lemma(f"{why}, where a have the value, b the set", (tail,))

    @property
    def frequent(self) -> int:
        return self.l - 1

    @property
    def reach(self) -> tuple[Fraction, ...]:
        return Fraction(self.l), *(x + self.l for x in reciprocal(self.c))

    @property
    def least_values(self) -> int:
        return self.l

    @property
    def telling(self) -> tuple[Fraction, ...]:
        """With l = 2 a largest share of a fails from a >= c (1 - a) on."""
        return (self.c / (1 + self.c),) if self.l == 2 else ()

    def implies(self, other: ClassCriterion) -> bool:
        return (
            isinstance(other, RecursiveDiversity)
            and self.c <= other.c
            and self.l >= other.l
        )
