"""Why the published criteria survive merging: each is a conjunction of instances of one short condition.

A class is seen through quantities that add up when two classes are merged: its rows ``n``, the rows ``a``
with some value, a constant of the table times ``n``.  If the condition on the quantities of two classes
carries over to their sums, whatever they are, then every instance does, and so does their conjunction.
Constants of the table need not be known, nor be rational: their products with ``n`` are unknowns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from phverify.constraints.smtlib import number
from phverify.criteria.anonymity import AlphaKAnonymity, KAnonymity
from phverify.criteria.base import ClassCriterion
from phverify.criteria.closeness import TCloseness
from phverify.criteria.disclosure import AverageBenefit, BetaLikeness, DeltaDisclosure, EnhancedBetaLikeness
from phverify.criteria.diversity import DistinctDiversity, EntropyDiversity, RecursiveDiversity

GOALS = ("merge", "upward")
TRIANGLE = """; the absolute value of a sum is at most the sum of the absolute values
(set-logic QF_LRA)
(declare-const a Real)
(declare-const b Real)
(define-fun size ((r Real)) Real (ite (>= r 0) r (- r)))
(assert (not (<= (size (+ a b)) (+ (size a) (size b)))))
(check-sat)
"""


@dataclass(frozen=True)
class Lemma:
    """A condition on quantities of a class, as SMT-LIB with a quantity's name in braces.

    ``facts`` hold in every class.  A merged class has the sum of each quantity of ``adding``, and at most
    the sum of each of ``shrinking``.  ``why`` says whose instances these are; ``needs`` are further texts
    that must be unsatisfiable.
    """

    adding: tuple[str, ...]
    condition: str
    why: str
    facts: str = "true"
    shrinking: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()

    def text(self, goal: str) -> str:
        """Unsatisfiable iff the condition is closed; for ``upward`` only the first class need meet it."""
        names = (*self.adding, *self.shrinking)
        first, second = ({q: f"{q}{k}" for q in names} for k in (1, 2))
        both = {q: f"{q}3" if q in self.shrinking else f"(+ {q}1 {q}2)" for q in names}
        unknowns = [*first.values(), *second.values(), *(both[q] for q in self.shrinking)]
        met = (first, second) if goal == "merge" else (first,)
        lines = [f"; {goal}-closed: a condition on quantities that add up", "(set-logic QF_LRA)"]
        lines += [f"(declare-const {name} Real)" for name in unknowns]
        lines += [f"(assert {self.facts.format(**values)})" for values in (first, second)]
        lines += [f"(assert (<= {q}3 (+ {q}1 {q}2)))" for q in self.shrinking]
        lines += [f"(assert {self.condition.format(**values)})" for values in met]
        return "\n".join([*lines, f"(assert (not {self.condition.format(**both)}))", "(check-sat)", ""])


def scaled(factor: Fraction | int, term: str) -> str:
    """The numerator of a factor times a term, to compare with ``over`` of the other side."""
    return f"(* {number(Fraction(factor).numerator)} {term})"


def over(factor: Fraction, term: str) -> str:
    return f"(* {number(factor.denominator)} {term})"


def k_anonymity(c: KAnonymity) -> Lemma:
    return Lemma(("n",), f"(>= {{n}} {c.k})", f"at least {c.k} rows", "(>= {n} 1)")


def alpha_k(c: AlphaKAnonymity) -> Lemma:
    share = f"(<= {over(c.alpha, '{a}')} {scaled(c.alpha, '{n}')})"
    why = f"for every value: n >= {c.k} and a <= {c.alpha} n, where a rows of n have it"
    return Lemma(("n", "a"), f"(and (>= {{n}} {c.k}) {share})", why, "(and (>= {n} 1) (<= 0 {a} {n}))")


def distinct(c: DistinctDiversity) -> Lemma:
    why = f"for every set of {c.l - 1} values: some row lies outside it"
    return Lemma(("n", "a"), "(> {a} 0)" if c.l > 1 else "true", why, "(and (>= {n} 1) (<= 0 {a} {n}))")


def recursive(c: RecursiveDiversity) -> Lemma:
    tail = f"(< {over(c.c, '{a}')} {scaled(c.c, '(- {n} {b})')})"
    why = f"for every value and every set of {c.l - 1} values: a < {c.c} (n - b), where a have the value, b the set"
    return Lemma(("n", "a", "b"), tail, why, "(and (>= {n} 1) (<= 0 {a} {n}) (<= 0 {b} {n}))")


def entropy(c: EntropyDiversity) -> Lemma:
    why = f"by Gibbs' inequality, for every distribution q: sum of n_v log(1/q_v) >= n log {c.l}; both sides add up"
    return Lemma(("a", "u"), "(>= {a} {u})", why)


def closeness(c: TCloseness) -> Lemma:
    why = f"n times the {c.distance} distance is a sum of absolute values of linear gaps, so it shrinks in mergers"
    return Lemma(("u",), "(<= {d} {u})", f"{why}; it is at most n t", shrinking=("d",), needs=(TRIANGLE,))


def delta(c: DeltaDisclosure) -> Lemma:
    bounds = "(and (< {a} {u}) (< {w} {a}))"
    why = "for every value: p n / 2^delta < a < p n 2^delta, where a rows of n have it"
    if c.absent == "ignored":
        return Lemma(("a", "u", "w"), f"(or (= {{a}} 0) {bounds})", f"{why}, or none", "(<= 0 {a})")
    return Lemma(("a", "u", "w"), bounds, why, "(<= 0 {a})")


def gain(c: BetaLikeness | EnhancedBetaLikeness | AverageBenefit) -> Lemma:
    return Lemma(("a", "u"), "(<= {a} {u})", "for every value: a <= r n, where a rows of n have it, r depends on p")


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
