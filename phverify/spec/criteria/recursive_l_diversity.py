"""Recursive (c, l)-diversity: no value is too frequent beside rare ones (Theorem 4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, ClassVar

from phverify.spec import syntax as s
from phverify.spec.criteria.l_diversity import L
from phverify.spec.criterion.base import (
    ATTRIBUTE,
    ClassCriterion,
    Condition,
    Counterexample,
    Counts,
    Param,
    TooLong,
)
from phverify.spec.criterion.formulas import (
    CLAUSE,
    every_clause,
    every_value,
    in_class,
    is_v,
)
from phverify.spec.criterion.shares import reciprocal
from phverify.spec.signature import Signature
from phverify.spec.source import Values
from phverify.spec.wording import many

if TYPE_CHECKING:
    from phverify.spec.criterion.columns import Array, Histogram
    from phverify.spec.criterion.lemma import Lemma

MOST = 3000
"""So many instances are written out."""


@dataclass(frozen=True)
class RecursiveDiversity(ClassCriterion):
    """k1 < c (kl + ... + km) in every class (Definition 8.2, Theorem 4).

    k1 >= ... >= km are the counts of a class.  Theorem 4 orders its values.  The
    formula here is shorter and equivalent: the tail is what the likeliest clause of
    l - 1 values leaves, so that for every value v and every such clause D, l(v) < c (1
    - l(D)).
    """

    f: str
    c: Fraction
    l: int  # noqa: E741
    name: ClassVar[str] = "recursive_l_diversity"
    source: ClassVar[str] = "Theorem 4"
    params: ClassVar[tuple[Param, ...]] = (
        ATTRIBUTE,
        Param(
            "c", "number", "factor", least=Fraction(0), strict=True, stricter="smaller"
        ),
        L,
    )
    alone: ClassVar[bool] = True

    def _instance(self, value: s.Formula, clause: s.Formula) -> s.Formula:
        """``l_a1(value) < c (1 - l_a1(clause))``."""
        tail = s.minus(s.number(1), in_class(clause))
        bound = s.times(self.c, tail)
        share = in_class(value)
        return s.Compare(share, "<", bound)

    def formula(self, signature: Signature) -> s.Formula:
        """For every value and every clause of l - 1 values, their instance."""
        value = is_v(self.f)
        if self.l == 1:
            # The clause of no values leaves the whole class for a tail.
            return every_value(self.f, self._instance(value, s.FALSE))
        instance = self._instance(value, CLAUSE)
        return every_value(self.f, every_clause(self.f, self.l - 1, instance))

    def holds(self, inside: Counts, whole: Counts) -> bool:
        """The largest count is below c times the sum from rank l on."""
        counts = inside.values()
        ranked = sorted(counts, reverse=True)
        most = ranked[0]
        leading = self.l - 1
        tail = sum(ranked[leading:])
        bound = self.c * tail
        return most < bound

    def columns(self, histogram: Histogram) -> Array:
        """For each class whether its most frequent value is below c times its tail."""
        leading = self.l - 1
        most, tail = histogram.ranked(leading)
        return histogram.at_most(most, self.c, tail, strict=True)

    def badness(self, histogram: Histogram) -> Array:
        """Classes without a tail first, then by the quotient with it."""
        most, tail = histogram.ranked(self.l - 1)
        rows = histogram.rows
        quotient = most * rows // tail.clip(1)
        # No quotient is larger than rows**2: without a tail is worst.
        no_tail = (tail == 0) * rows**2
        return quotient + no_tail

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        """The most frequent value, and the clause of the l - 1 most frequent ones."""
        ranked = sorted(inside, key=lambda value: -inside[value])
        # Ties between values do not matter: the sums are the same.
        leading = ranked[: self.l - 1]
        rare = ranked[self.l - 1 :]
        clause = s.among(self.f, tuple(leading)) if leading else s.FALSE
        tail = sum(inside[value] for value in rare)

        first = ranked[0]
        frequency = f"the count of the most frequent value is {inside[first]}"
        bound = f"not below {self.c} * {tail} for the values from rank {self.l}"
        instance = self._instance(s.equals(self.f, first), clause)
        said = f"{frequency}, {bound}"
        return Counterexample(instance, said, {"v": str(first)})

    def conditions(
        self, domain: Values, whole: Counts | None = None
    ) -> Iterator[Condition]:
        """The sets of l - 1 values, each with the values in it.

        The instances of the most frequent values decide, and these are among their set.
        Raises TooLong for more than ``MOST`` instances.
        """
        size = min(self.l - 1, len(domain))
        if comb(len(domain), size) * max(size, 1) > MOST:
            raise TooLong(f"recursive diversity has more than {MOST} instances here")
        values = [s.equals(self.f, value) for value in domain]
        for chosen in combinations(values, size):
            clause = s.disj(*chosen)
            # With l = 1 the clause is empty, and each value is compared with all rows.
            for value in chosen or values:
                yield self._instance(value, clause)

    def lemma(self) -> Lemma:
        """Rows add up, with a value and in a set of values."""
        from phverify.spec.criterion.lemma import Inequality, Lemma

        every = f"for every value and every set of {many(self.l - 1, 'value')}"
        bound = f"a < {self.c} (n - b), where a have the value, b the set"
        # c n - a - c b > 0
        terms = (self.c, "n"), (Fraction(-1), "a"), (-self.c, "b")
        condition = Inequality(terms, strict=True)
        return Lemma(f"{every}: {bound}", (condition,))

    @property
    def frequent(self) -> int:
        """The l - 1 most frequent values decide it."""
        return self.l - 1

    @property
    def reach(self) -> tuple[Fraction, ...]:
        """l values, or as many more as make the tail c times as long."""
        values = Fraction(self.l)
        longer = [factor + values for factor in reciprocal(self.c)]
        return values, *longer

    @property
    def least_values(self) -> int:
        """With fewer than l values there is no tail."""
        return self.l

    @property
    def telling(self) -> tuple[Fraction, ...]:
        """With l = 2 a largest share of a fails from a >= c (1 - a) on."""
        if self.l != 2:
            return ()
        return (self.c / (1 + self.c),)

    def implies(self, other: ClassCriterion) -> bool:
        """A smaller factor of a shorter tail implies a larger one of a longer tail."""
        if not isinstance(other, RecursiveDiversity):
            return False
        smaller_factor = self.c <= other.c
        shorter_tail = self.l >= other.l
        return smaller_factor and shorter_tail
