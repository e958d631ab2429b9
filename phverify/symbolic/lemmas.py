"""Why the published criteria survive merging: each is a conjunction of instances of one short condition.

A class is seen through quantities that add up when two classes are merged: its rows ``n``, the rows ``a``
with some value, a constant of the table times ``n``.  If the condition on the quantities of two classes
carries over to their sums, whatever they are, then every instance does, and so does their conjunction.
Constants of the table need not be known, nor be rational: their products with ``n`` are unknowns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from phverify.constraints import terms as t
from phverify.constraints.smtlib import script
from phverify.criteria.anonymity import AlphaKAnonymity, KAnonymity
from phverify.criteria.base import ClassCriterion
from phverify.criteria.closeness import TCloseness
from phverify.criteria.disclosure import AverageBenefit, BetaLikeness, DeltaDisclosure, EnhancedBetaLikeness
from phverify.criteria.diversity import DistinctDiversity, EntropyDiversity, RecursiveDiversity
from phverify.symbolic.sums import share

GOALS = ("merge", "upward")
Condition = Callable[..., t.Term]
"""What is said of some quantities, given in their order."""


def always(*quantities: t.Sum) -> t.Term:
    """No condition."""
    return t.TRUE


def triangle() -> str:
    """The absolute value of a sum is at most the sum of the absolute values."""
    a, b = t.number("a", low=None), t.number("b", low=None)
    holds = t.compare(t.magnitude(a + b), "<=", t.magnitude(a) + t.magnitude(b))
    return script([t.neg(holds)], "the absolute value of a sum is at most the sum of the absolute values")


TRIANGLE = triangle()


@dataclass(frozen=True)
class Lemma:
    """A condition on quantities of a class, which are given in the order of their names.

    ``facts`` hold in every class.  A merged class has the sum of each quantity of ``adding``, and at most
    the sum of each of ``shrinking``.  ``why`` says whose instances these are; ``needs`` are further texts
    that must be unsatisfiable.
    """

    adding: tuple[str, ...]
    condition: Condition
    why: str
    facts: Condition = always
    shrinking: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()

    def text(self, goal: str) -> str:
        """Unsatisfiable iff the condition is closed; for ``upward`` only the first class need meet it."""
        first, second = (self.quantities(k) for k in (1, 2))
        sums = [one + other for one, other in zip(first, second, strict=True)]
        both = [*sums[: len(self.adding)], *self.quantities(3)[len(self.adding) :]]
        shrunk = [t.compare(one, "<=", most) for one, most in zip(both, sums, strict=True)][len(self.adding) :]
        met = [first, second] if goal == "merge" else [first]
        claims = [self.facts(*first), self.facts(*second), *shrunk, *(self.condition(*one) for one in met)]
        said = [claim for claim in claims if claim is not t.TRUE]
        title = f"{goal}-closed: a condition on quantities that add up"
        return script([*said, t.neg(self.condition(*both))], title)

    def quantities(self, k: int) -> list[t.Sum]:
        """The quantities of class number k."""
        return [t.number(f"{q}{k}", low=None) for q in (*self.adding, *self.shrinking)]


def counted(n: t.Sum, *parts: t.Sum) -> t.Term:
    """A class of n rows, and some of them."""
    between = [t.conj((t.compare(part, ">=", 0), t.compare(part, "<=", n))) for part in parts]
    return t.conj([t.compare(n, ">=", 1), *between])


def k_anonymity(c: KAnonymity) -> Lemma:
    return Lemma(("n",), lambda n: t.compare(n, ">=", c.k), f"at least {c.k} rows", counted)


def alpha_k(c: AlphaKAnonymity) -> Lemma:
    def condition(n: t.Sum, a: t.Sum) -> t.Term:
        return t.conj((t.compare(n, ">=", c.k), share(a, "<=", c.alpha, n)))

    why = f"for every value: n >= {c.k} and a <= {c.alpha} n, where a rows of n have it"
    return Lemma(("n", "a"), condition, why, counted)


def distinct(c: DistinctDiversity) -> Lemma:
    def condition(n: t.Sum, a: t.Sum) -> t.Term:
        return t.compare(a, ">", 0) if c.l > 1 else t.TRUE

    why = f"for every set of {c.l - 1} values: some row lies outside it"
    return Lemma(("n", "a"), condition, why, counted)


def recursive(c: RecursiveDiversity) -> Lemma:
    why = f"for every value and every set of {c.l - 1} values: a < {c.c} (n - b), where a have the value, b the set"
    return Lemma(("n", "a", "b"), lambda n, a, b: share(a, "<", c.c, n - b), why, counted)


def entropy(c: EntropyDiversity) -> Lemma:
    why = f"by Gibbs' inequality, for every distribution q: sum of n_v log(1/q_v) >= n log {c.l}; both sides add up"
    return Lemma(("a", "u"), lambda a, u: t.compare(a, ">=", u), why)


def closeness(c: TCloseness) -> Lemma:
    why = f"n times the {c.distance} distance is a sum of absolute values of linear gaps, so it shrinks in mergers"
    said = f"{why}; it is at most n t"
    return Lemma(("u",), lambda u, d: t.compare(d, "<=", u), said, shrinking=("d",), needs=(TRIANGLE,))


def delta(c: DeltaDisclosure) -> Lemma:
    def between(a: t.Sum, u: t.Sum, w: t.Sum) -> t.Term:
        return t.conj((t.compare(a, "<", u), t.compare(w, "<", a)))

    def ignoring(a: t.Sum, u: t.Sum, w: t.Sum) -> t.Term:
        return t.disj((t.compare(a, "=", 0), between(a, u, w)))

    def facts(a: t.Sum, u: t.Sum, w: t.Sum) -> t.Term:
        return t.compare(a, ">=", 0)

    why = "for every value: p n / 2^delta < a < p n 2^delta, where a rows of n have it"
    if c.absent == "ignored":
        return Lemma(("a", "u", "w"), ignoring, f"{why}, or none", facts)
    return Lemma(("a", "u", "w"), between, why, facts)


def gain(c: BetaLikeness | EnhancedBetaLikeness | AverageBenefit) -> Lemma:
    why = "for every value: a <= r n, where a rows of n have it, r depends on p"
    return Lemma(("a", "u"), lambda a, u: t.compare(a, "<=", u), why)


LEMMAS: Mapping[type[ClassCriterion], Callable[[Any], Lemma]] = {
    KAnonymity: k_anonymity,
    AlphaKAnonymity: alpha_k,
    DistinctDiversity: distinct,
    RecursiveDiversity: recursive,
    EntropyDiversity: entropy,
    TCloseness: closeness,
    DeltaDisclosure: delta,
    BetaLikeness: gain,
    EnhancedBetaLikeness: gain,
    AverageBenefit: gain,
}
"""By exact class: a subclass may mean something else."""


def lemma(criterion: ClassCriterion) -> Lemma | None:
    """The lemma behind a criterion; None for one that has none."""
    found = LEMMAS.get(type(criterion))
    return found(criterion) if found else None
