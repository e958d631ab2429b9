"""Entropy l-diversity: a class is as mixed as l equally frequent values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, comb, prod
from typing import TYPE_CHECKING, ClassVar

from phverify.spec import syntax as s
from phverify.spec.criterion.base import (
    ATTRIBUTE,
    ClassCriterion,
    Condition,
    Counterexample,
    Counts,
    Param,
    TooLong,
    total,
)
from phverify.spec.criterion.even import EvenCriterion
from phverify.spec.criterion.formulas import in_class
from phverify.spec.logarithms import log_sign, scaled_log
from phverify.spec.signature import Signature
from phverify.spec.source import Values

if TYPE_CHECKING:
    from phverify.spec.criterion.columns import Array, Histogram
    from phverify.spec.criterion.lemma import Lemma

FEW = 200
"""For classes of more rows, bounds on logarithms are tried before powers."""
SHOWN = 6
"""So many counts of a class are shown."""


@dataclass(frozen=True)
class EntropyDiversity(EvenCriterion):
    """Entropy of f at least log l in every class; a tie satisfies it.

    (Machanavajjhala et al. 2006.)  Decided as n^n >= l^n * prod n_i^n_i.  Entropy is
    not linear in likelihoods: the formula excludes, one by one, the histograms of low
    entropy that a class of the release could have.
    """

    f: str
    l: Fraction  # noqa: E741
    name: ClassVar[str] = "entropy_l_diversity"
    source: ClassVar[str] = "Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam 2006"
    params: ClassVar[tuple[Param, ...]] = (
        ATTRIBUTE,
        Param(
            "l",
            "number",
            "effective number of values",
            least=Fraction(1),
            stricter="larger",
        ),
    )
    alone: ClassVar[bool] = True

    @property
    def effective(self) -> Fraction:
        """l equally frequent values just satisfy it."""
        return self.l

    def formula(self, signature: Signature) -> s.Formula:
        """The class has none of the histograms of low entropy."""
        attribute = signature.attributes[self.f]
        domain = attribute.domain
        values = len(domain)
        excluded = []
        # A class may be the whole table.
        for rows in range(1, signature.rows + 1):
            for counts in compositions(rows, values):
                if self.rich(counts):
                    continue
                histogram = self._has_counts(domain, counts)
                excluded.append(s.Not(histogram))
        return s.conj(*excluded)

    def _has_counts(self, domain: Values, counts: tuple[int, ...]) -> s.Formula:
        """The values have the shares of such counts."""
        rows = sum(counts)
        parts = []
        for value, count in zip(domain, counts, strict=True):
            share = in_class(s.equals(self.f, value))
            parts.append(s.Compare(share, "=", s.number(Fraction(count, rows))))
        return s.conj(*parts)

    def histograms(self, rows: int, values: int) -> int:
        """The histograms of at most so many rows."""
        return comb(rows + values, values)

    def holds(self, inside: Counts, whole: Counts) -> bool:
        """n^n >= l^n * (product of k^k over the counts k)."""
        counts = tuple(inside.values())
        return self.rich(counts)

    def rich(self, counts: tuple[int, ...]) -> bool:
        """Whether n^n >= l^n * (product of k^k over the counts k).

        For many rows by bounds on logarithms first; where these do not tell, whether it
        is a tie is seen from common factors, never from huge powers.
        """
        n = sum(counts)
        if n > FEW:
            factors = self._factors(counts)
            # Few classes are so close to a tie that the bounds do not tell.
            least, most = _bounds(factors)
            if least > 0 or most < 0:
                return least > 0
            exact = [(Fraction(factor), Fraction(number)) for factor, number in factors]
            return log_sign(exact) >= 0
        # With l = a / b both sides times b^n are whole.
        a = self.l.numerator
        b = self.l.denominator
        left = (b * n) ** n
        right = a**n * prod(k**k for k in counts)
        return bool(left >= right)

    def _factors(self, counts: tuple[int, ...]) -> list[tuple[int, int]]:
        """n ln n - n ln l - (sum of k ln k), as factors of logarithms of numbers."""
        n = sum(counts)
        factors = [(n, n), (n, self.l.denominator), (-n, self.l.numerator)]
        # A count of 1 adds 1 ln 1 = 0, one of 0 adds nothing by convention.
        return factors + [(-k, k) for k in counts if k > 1]

    def columns(self, histogram: Histogram) -> Array:
        """For each class whether its counts are even enough."""
        return histogram.by_counts(self.rich)

    def badness(self, histogram: Histogram) -> Array:
        """The least entropy first."""
        return histogram.disorder()

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        """The two powers, which show that the entropy is low."""
        n = total(inside)
        counts = sorted(inside.values(), reverse=True)
        powers = [f"{count}^{count}" for count in counts[:SHOWN]]
        if len(counts) > SHOWN:
            powers.append("..")
        shown = " * ".join(powers)
        said = f"the entropy is below log {self.l}: {n}^{n} < ({self.l})^{n} * {shown}"
        return Counterexample(None, said)

    def conditions(
        self, domain: Values, whole: Counts | None = None
    ) -> Iterator[Condition]:
        """Raises TooLong."""
        raise TooLong("entropy is not linear: below a connective it is not looked at")

    def lemma(self) -> Lemma:
        """Gibbs' inequality makes it linear: both sides add up."""
        from phverify.spec.criterion.lemma import Lemma, at_most

        gibbs = "by Gibbs' inequality, for every distribution q"
        bound = f"sum of n_v log(1/q_v) >= n log {self.l}"
        why = f"{gibbs}: {bound}; both sides add up"
        condition = at_most("u", 1, "a")
        return Lemma(why, (condition,))

    def structure(self) -> str:
        """Nothing: the formula names values, but all histograms alike."""
        return ""

    @property
    def reach(self) -> tuple[Fraction, ...]:
        """With l values it can hold."""
        return (self.l,)

    @property
    def least_values(self) -> int:
        """Fewer than l values have an entropy below log l."""
        return ceil(self.l)

    @property
    def telling(self) -> tuple[Fraction, ...]:
        """The share of each of l equally frequent values."""
        share = 1 / self.l
        # There is no part of a value: l is rounded up.
        share_of_whole = Fraction(1, self.least_values)
        return share, share_of_whole

    def implies(self, other: ClassCriterion) -> bool:
        """A larger l implies a smaller one."""
        if not isinstance(other, EntropyDiversity):
            return False
        return self.l >= other.l


def compositions(n: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to write n as an ordered sum of ``parts`` integers >= 0."""
    if parts == 1:
        yield (n,)
        return
    for first in range(n + 1):
        for rest in compositions(n - first, parts - 1):
            yield (first, *rest)


def _bounds(factors: Iterable[tuple[int, int]]) -> tuple[int, int]:
    """Bounds on a sum of logarithms times factors, scaled."""
    least = most = 0
    for factor, number in factors:
        low, high = scaled_log(number)
        # A negative factor turns the ends of an enclosure around.
        if factor < 0:
            low, high = high, low
        least += factor * low
        most += factor * high
    return least, most
