"""(alpha, k)-anonymity: large classes in which no value is frequent."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

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
    total,
)
from phverify.spec.criterion.formulas import at_most_share, every_value, is_v
from phverify.spec.criterion.shares import reciprocal
from phverify.spec.signature import Signature
from phverify.spec.source import Label, Values

if TYPE_CHECKING:
    from phverify.spec.criterion.columns import Array, Histogram
    from phverify.spec.criterion.lemma import Lemma


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
        Param(
            "alpha",
            "number",
            "largest share of a value",
            least=Fraction(0),
            stricter="smaller",
        ),
        K,
    )
    alone: ClassVar[bool] = True

    def _infrequent(self, value: Label) -> s.Formula:
        has_value = s.equals(self.f, value)
        return at_most_share(has_value, self.alpha)

    def formula(self, signature: Signature) -> s.Formula:
        """Nobody and no value is too likely."""
        infrequent = at_most_share(is_v(self.f), self.alpha)
        large = single_out(self.k)
        return s.conj(large, every_value(self.f, infrequent))

    def holds(self, inside: Counts, whole: Counts) -> bool:
        """At least k rows, of which no value has more than alpha."""
        n = total(inside)
        if n < self.k:
            return False
        most = self.alpha * n
        return all(count <= most for count in inside.values())

    def _none_frequent(self, histogram: Histogram) -> Array:
        """For each class whether no value has a share above alpha."""
        infrequent = histogram.at_most(
            histogram.counts, self.alpha, histogram.cell_sizes
        )
        return histogram.all_cells(infrequent)

    def columns(self, histogram: Histogram) -> Array:
        """For each class whether it is large and no value is frequent."""
        large = histogram.sizes >= self.k
        return large & self._none_frequent(histogram)

    def badness(self, histogram: Histogram) -> Array:
        """Classes with a frequent value first, small ones before large ones."""
        # No class is larger than the table: sizes only break ties.
        frequent = ~self._none_frequent(histogram)
        return frequent * histogram.rows - histogram.sizes

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        """The most frequent value, or that the class is small."""
        value = max(inside, key=inside.__getitem__)
        count, n = inside[value], total(inside)
        # If the most frequent value is fine all are: then the class is too small.
        if Fraction(count, n) <= self.alpha:
            return singled_out(n, self.k)

        said = f"a value has the share {count}/{n} > {self.alpha}"
        return Counterexample(self._infrequent(value), said, {"v": str(value)})

    def conditions(
        self, domain: Values, whole: Counts | None = None
    ) -> Iterator[Condition]:
        """At least k rows, and no value of the domain is frequent."""
        yield Rows(self.k)
        yield from map(self._infrequent, domain)

    def lemma(self) -> Lemma:
        """Rows add up, those with a value as well."""
        from phverify.spec.criterion.lemma import Lemma, at_most, rows

        large = f"n >= {self.k}"
        infrequent = f"a <= {self.alpha} n, where a rows of n have it"
        return Lemma(
            f"for every value: {large} and {infrequent}",
            (rows(self.k), at_most("a", self.alpha, "n")),
        )

    @property
    def frequent(self) -> int:
        """The most frequent value decides it."""
        return 1

    @property
    def reach(self) -> tuple[Fraction, ...]:
        """With 1/alpha values the shares can be small enough."""
        return reciprocal(self.alpha)

    @property
    def least_values(self) -> int | None:
        """So many shares of at most alpha make 1; no number does with alpha = 0."""
        if not self.alpha:
            return None
        return math.ceil(1 / self.alpha)

    def least_records(self, whole: Counts) -> int:
        """The k records that it asks for, and one for each value."""
        return max(self.k, self.least_values or 1)

    @property
    def telling(self) -> tuple[Fraction, ...]:
        """The bound on shares."""
        return (self.alpha,)

    def implies(self, other: ClassCriterion) -> bool:
        """Whether a smaller share implies a larger one.

        What is said of the number of rows is examined by itself.
        """
        if not isinstance(other, AlphaKAnonymity):
            return False
        return self.alpha <= other.alpha
