"""Entropy l-diversity: the values of a class are as mixed as l equally frequent
ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, comb, prod
from typing import ClassVar

from phverify.spec import syntax as s
from phverify.spec.criterion.base import (
    ATTRIBUTE,
    ClassCriterion,
    Condition,
    Counterexample,
    Counts,
    EvenCriterion,
    Param,
    TooLong,
    total,
)
from phverify.spec.criterion.columns import Array, Histogram
from phverify.spec.criterion.lemma import Lemma, at_most
from phverify.spec.logarithms import log_sign, scaled_log
from phverify.spec.signature import Signature
from phverify.spec.source import Label, Values

FEW = 200
"""For classes of more rows, bounds on logarithms are looked at before powers."""


@dataclass(frozen=True)
class EntropyDiversity(EvenCriterion):
    """Entropy of f at least log l in every class; a tie satisfies it (Machanavajjhala
    et al. 2006).

    Decided as n^n >= l^n * prod n_i^n_i.  Entropy is not linear in likelihoods: the
    formula excludes, one by one, the histograms of low entropy that a class of the
    release could have.
    """

    f: str
    l: Fraction  # noqa: E741
    name: ClassVar[str] = "entropy_l_diversity"
    source: ClassVar[str] = "Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam 2006"
    params: ClassVar[tuple[Param, ...]] = (
        ATTRIBUTE,
        Param("l", "number", "effective number of values", least=Fraction(1)),
    )
    alone: ClassVar[bool] = True

    @property
    def effective(self) -> Fraction:
        return self.l

    def formula(self, signature: Signature) -> s.Formula:
        domain = signature.attributes[self.f].domain
        bad = (
            s.Not(
                s.conj(
                    *(self._share(v, k, n) for v, k in zip(domain, counts, strict=True))
                )
            )
            for n in range(1, signature.rows + 1)
            for counts in compositions(n, len(domain))
            if not self.rich(counts)
        )
        return s.conj(*bad)

    def _share(self, value: Label, count: int, n: int) -> s.Formula:
        return s.Compare(
            s.likelihood("a1", s.equals(self.f, value)),
            "=",
            s.number(Fraction(count, n)),
        )

    def histograms(self, rows: int, values: int) -> int:
        return comb(rows + values, values)

    def holds(self, inside: Counts, whole: Counts) -> bool:
        return self.rich(tuple(inside.values()))

    def rich(self, counts: tuple[int, ...]) -> bool:
        """Whether n^n >= l^n * (product of k^k over the counts k).

        For many rows by bounds on n ln n - n ln l - (sum of k ln k); where these do not
        tell, whether it is 0 is seen from common factors, never from huge powers.
        """
        n, a, b = sum(counts), self.l.numerator, self.l.denominator
        if n <= FEW:
            return bool((b * n) ** n >= a**n * prod(k**k for k in counts))
        factors = [(n, n), (n, b), (-n, a), *((-k, k) for k in counts if k > 1)]
        least = most = 0
        for c, x in factors:
            low, high = scaled_log(x)
            least += c * (low if c > 0 else high)
            most += c * (high if c > 0 else low)
        if least > 0 or most < 0:
            return least > 0
        return log_sign((Fraction(c), Fraction(x)) for c, x in factors) >= 0

    def columns(self, h: Histogram) -> Array:
        return h.by_counts(self.rich)

    def badness(self, h: Histogram) -> Array:
        return h.disorder()

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        n, counts = total(inside), sorted(inside.values(), reverse=True)
        shown = " * ".join(f"{k}^{k}" for k in counts[:6]) + (
            " * .." if len(counts) > 6 else ""
        )
        said = f"the entropy is below log {self.l}: {n}^{n} < ({self.l})^{n} * {shown}"
        return Counterexample(None, said)

    def conditions(
        self, domain: Values, whole: Counts | None = None
    ) -> Iterator[Condition]:
        raise TooLong("entropy is not linear: below a connective it is not looked at")

    def lemma(self) -> Lemma:
        why = (
            "by Gibbs' inequality, for every distribution q: sum of n_v log(1/q_v) >="
            f" n log {self.l}"
        )
        return Lemma(f"{why}; both sides add up", (at_most("u", 1, "a"),))

    def looks(self) -> str:
        return ""

    @property
    def reach(self) -> tuple[Fraction, ...]:
        return (self.l,)

    @property
    def least_values(self) -> int:
        return ceil(self.l)

    @property
    def telling(self) -> tuple[Fraction, ...]:
        return 1 / self.l, Fraction(1, ceil(self.l))

    def implies(self, other: ClassCriterion) -> bool:
        return isinstance(other, EntropyDiversity) and self.l >= other.l


def compositions(n: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to write n as an ordered sum of ``parts`` integers >= 0."""
    if parts == 1:
        yield (n,)
        return
    for first in range(n + 1):
        for rest in compositions(n - first, parts - 1):
            yield (first, *rest)
