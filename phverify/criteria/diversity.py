"""Criteria on values within a class: distinct, recursive and entropy l-diversity (Theorems 3 and 4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import ClassVar

import numpy as np

from phverify.criteria.base import (
    ClassCriterion,
    Counterexample,
    Counts,
    Histogram,
    Param,
    at_most,
    atom,
    every_value,
    is_v,
    total,
)
from phverify.exact import Bools, Ints, scaled_log
from phverify.spec import syntax as s
from phverify.spec.names import Signature

D = s.Chosen(s.Var("D"))
ATTRIBUTE = Param("f", "attribute")
L = Param("l", "whole", "well-represented values", least=Fraction(1))


def every_clause(f: str, length: int, body: s.Formula) -> s.Formula:
    """``forall D in clauses(f, length): body``."""
    return s.Quantified(True, (s.Binder(s.Var("D"), "clauses", f, length),), body)


@dataclass(frozen=True)
class DistinctDiversity(ClassCriterion):
    """At least l distinct values of f in every class (Definition 8.1, Theorem 3)."""

    f: str
    l: int  # noqa: E741
    name: ClassVar[str] = "l_diversity"
    source: ClassVar[str] = "Theorem 3"
    params: ClassVar[tuple[Param, ...]] = (ATTRIBUTE, L)

    def formula(self, signature: Signature) -> s.Formula:
        return every_clause(self.f, self.l - 1, s.Not(s.Box("a1", D))) if self.l > 1 else s.TRUE

    def holds(self, inside: Counts, whole: Counts) -> bool:
        return len(inside) >= self.l

    def safe(self, h: Histogram) -> Bools:
        return np.diff(h.starts) >= self.l

    def badness(self, h: Histogram) -> Ints:
        return h.rows * -np.diff(h.starts) + h.sizes

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        values = "1 distinct value" if len(inside) == 1 else f"{len(inside)} distinct values"
        return Counterexample(
            s.Not(s.Box("a1", s.among(self.f, tuple(inside)))), f"the class has {values}, fewer than {self.l}"
        )


@dataclass(frozen=True)
class RecursiveDiversity(ClassCriterion):
    """Recursive (c, l)-diversity: k1 < c (kl + ... + km) in every class (Definition 8.2, Theorem 4).

    Theorem 4 orders the values of the class.  The formula here is shorter and equivalent: the tail is what
    the likeliest clause of l - 1 values leaves, so that for every value v and every such clause D,
    l(v) < c (1 - l(D)).
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

    def _instance(self, value: s.Formula, clause: s.Formula) -> s.Formula:
        rest = s.times(self.c, s.minus(s.number(1), s.likelihood("a1", clause)))
        return s.Compare(s.likelihood("a1", value), "<", rest)

    def formula(self, signature: Signature) -> s.Formula:
        if self.l == 1:
            return every_value(self.f, self._instance(is_v(self.f), s.FALSE))
        return every_value(self.f, every_clause(self.f, self.l - 1, self._instance(is_v(self.f), D)))

    def holds(self, inside: Counts, whole: Counts) -> bool:
        k = sorted(inside.values(), reverse=True)
        return k[0] < self.c * sum(k[self.l - 1 :])

    def _parts(self, h: Histogram) -> tuple[Ints, Ints]:
        order = np.lexsort((-h.counts, h.cell_classes))
        ranked = h.counts[order]
        rank = np.arange(len(ranked)) - h.starts[:-1][h.cell_classes]
        tail: Ints = np.add.reduceat(np.where(rank >= self.l - 1, ranked, 0), h.starts[:-1])
        return ranked[h.starts[:-1]], tail

    def safe(self, h: Histogram) -> Bools:
        most, tail = self._parts(h)
        return at_most(most, self.c, tail, strict=True)

    def badness(self, h: Histogram) -> Ints:
        most, tail = self._parts(h)
        worst: Ints = most * h.rows // np.maximum(tail, 1) + (tail == 0) * h.rows**2
        return worst

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        ranked = sorted(inside, key=lambda v: -inside[v])
        k, tail = inside[ranked[0]], sum(inside[v] for v in ranked[self.l - 1 :])
        clause = s.among(self.f, tuple(ranked[: self.l - 1])) if self.l > 1 else s.FALSE
        said = (
            f"the most frequent value occurs {k} times, not below {self.c} * {tail} for the values from rank {self.l}"
        )
        return Counterexample(self._instance(atom(self.f, ranked[0]), clause), said, {"v": str(ranked[0])})


@dataclass(frozen=True)
class EntropyDiversity(ClassCriterion):
    """Entropy of f at least log l in every class; a tie satisfies it (Machanavajjhala et al. 2006).

    Decided as n^n >= l^n * prod n_i^n_i.  Entropy is not linear in likelihoods: the formula excludes,
    one by one, the histograms of low entropy that a class of the release could have.
    """

    f: str
    l: Fraction  # noqa: E741
    name: ClassVar[str] = "entropy_l_diversity"
    source: ClassVar[str] = "Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam 2006"
    params: ClassVar[tuple[Param, ...]] = (
        ATTRIBUTE,
        Param("l", "number", "effective number of values", least=Fraction(1)),
    )

    def formula(self, signature: Signature) -> s.Formula:
        domain = signature.attributes[self.f].domain
        bad = (
            s.Not(s.conj(*(self._share(v, k, n) for v, k in zip(domain, counts, strict=True))))
            for n in range(1, signature.rows + 1)
            for counts in compositions(n, len(domain))
            if not self.rich(counts)
        )
        return s.conj(*bad)

    def _share(self, value: str | None, count: int, n: int) -> s.Formula:
        return s.Compare(s.likelihood("a1", atom(self.f, value)), "=", s.number(Fraction(count, n)))

    def holds(self, inside: Counts, whole: Counts) -> bool:
        n, a, b = total(inside), self.l.numerator, self.l.denominator
        return bool((b * n) ** n >= a**n * prod(k**k for k in inside.values()))

    def rich(self, counts: tuple[int, ...]) -> bool:
        """The same for many rows: an enclosure of n ln n - sum n_i ln n_i - n ln l first, powers for near ties."""
        if sum(counts) <= 200:
            return self.holds(dict(zip(map(str, range(len(counts))), counts, strict=True)), {})
        n = sum(counts)
        factors = [(n, n), (n, self.l.denominator), (-n, self.l.numerator), *((-k, k) for k in counts if k > 1)]
        bounds = [(c, *scaled_log(x)) for c, x in factors]
        least = sum(c * (low if c > 0 else high) for c, low, high in bounds)
        most = sum(c * (high if c > 0 else low) for c, low, high in bounds)
        if least > 0 or most < 0:
            return least > 0
        return self.holds(dict(zip(map(str, range(len(counts))), counts, strict=True)), {})

    def safe(self, h: Histogram) -> Bools:
        order = np.lexsort((h.counts, h.cell_classes))
        ranked, known = h.counts[order], dict[bytes, bool]()
        result = np.full(h.classes, self.l <= 1)  # a single value has entropy 0
        several = np.flatnonzero(np.diff(h.starts) > 1)
        edges = zip(several.tolist(), h.starts[several].tolist(), h.starts[several + 1].tolist(), strict=True)
        for index, start, end in edges:
            key = ranked[start:end].tobytes()
            if key not in known:
                known[key] = self.rich(tuple(ranked[start:end].tolist()))
            result[index] = known[key]
        return result

    def badness(self, h: Histogram) -> Ints:
        shares = h.counts / h.cell_sizes
        worst: Ints = np.add.reduceat(shares * np.log(shares), h.starts[:-1])
        return worst

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        n, counts = total(inside), sorted(inside.values(), reverse=True)
        shown = " * ".join(f"{k}^{k}" for k in counts[:6]) + (" * .." if len(counts) > 6 else "")
        said = f"the entropy is below log {self.l}: {n}^{n} < ({self.l})^{n} * {shown}"
        return Counterexample(None, said)


def compositions(n: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to write n as an ordered sum of ``parts`` integers >= 0."""
    if parts == 1:
        yield (n,)
        return
    for first in range(n + 1):
        for rest in compositions(n - first, parts - 1):
            yield (first, *rest)
