"""Distinct l-diversity: l values in every class (Theorem 3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from phverify.spec import syntax as s
from phverify.spec.criterion.base import (
    ATTRIBUTE,
    ClassCriterion,
    Condition,
    Counterexample,
    Counts,
    Param,
    Several,
)
from phverify.spec.criterion.formulas import CLAUSE, every_clause
from phverify.spec.signature import Signature
from phverify.spec.source import Values
from phverify.spec.wording import many

if TYPE_CHECKING:
    from phverify.spec.criterion.columns import Array, Histogram
    from phverify.spec.criterion.lemma import Lemma

FEW = 5
L = Param("l", "whole", "well-represented values", least=Fraction(1), stricter="larger")


@dataclass(frozen=True)
class DistinctDiversity(ClassCriterion):
    """At least l distinct values of f in every class (Definition 8.1, Theorem 3)."""

    f: str
    l: int  # noqa: E741
    name: ClassVar[str] = "l_diversity"
    source: ClassVar[str] = "Theorem 3"
    params: ClassVar[tuple[Param, ...]] = (ATTRIBUTE, L)
    alone: ClassVar[bool] = True

    def formula(self, signature: Signature) -> s.Formula:
        """No l - 1 values cover the class."""
        # Every class has a value, and there are no clauses of none.
        if self.l == 1:
            return s.TRUE
        covered = s.Box("a1", CLAUSE)
        uncovered = s.Not(covered)
        fewer = self.l - 1
        return every_clause(self.f, fewer, uncovered)

    def holds(self, inside: Counts, whole: Counts) -> bool:
        """At least l values with a row."""
        counts = inside.values()
        present = [count for count in counts if count > 0]
        return len(present) >= self.l

    def columns(self, histogram: Histogram) -> Array:
        """For each class whether it has at least l values."""
        return histogram.distinct >= self.l

    def badness(self, histogram: Histogram) -> Array:
        """Few values are worst, and among classes with as many a large one."""
        # No class is larger than the table: sizes only break ties.
        few_values = -histogram.distinct
        by_values = histogram.rows * few_values
        return by_values + histogram.sizes

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        """The values that there are: they cover the class."""
        counted = many(len(inside), "distinct value")
        said = f"the class has {counted}, fewer than {self.l}"
        # a1 knows which few values it can be.
        values = tuple(inside)
        one_of_them = s.among(self.f, values)
        covered = s.Box("a1", one_of_them)
        uncovered = s.Not(covered)
        return Counterexample(uncovered, said)

    def conditions(
        self, domain: Values, whole: Counts | None = None
    ) -> Iterator[Condition]:
        """At least l values."""
        yield Several(self.l)

    def lemma(self) -> Lemma:
        """A row outside a set of values stays outside when classes are merged."""
        from phverify.spec.criterion.lemma import Inequality, Lemma

        fewer = self.l - 1
        counted = many(fewer, "value")
        why = f"for every set of {counted}: some row lies outside it"
        if fewer == 0:
            return Lemma(why, ())
        # a > 0, where a rows lie outside.
        rows_outside = (Fraction(1), "a")
        condition = Inequality((rows_outside,), strict=True)
        return Lemma(why, (condition,))

    @property
    def frequent(self) -> int:
        """Where it fails, l - 1 values are all there are.

        It is decided without them, so that a large l asks for one value only.
        """
        others = self.l - 1
        if others <= FEW:
            return others
        return 1

    @property
    def reach(self) -> tuple[Fraction, ...]:
        """With l values it can hold."""
        return (Fraction(self.l),)

    @property
    def least_values(self) -> int:
        """The l values that it asks for."""
        return self.l
