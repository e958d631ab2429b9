"""A criterion's lemma as a question to a solver: does its condition on quantities carry over to their sums?

Constants of the table need not be known, nor be rational: their products with the rows of a class are unknowns.
"""

from __future__ import annotations

from fractions import Fraction

from phverify.constraints.smtlib import number
from phverify.spec.criteria.lemma import Inequality, Lemma

GOALS = ("merge", "upward")
TRIANGLE = """; the absolute value of a sum is at most the sum of the absolute values
(set-logic QF_LRA)
(declare-const a Real)
(declare-const b Real)
(define-fun size ((r Real)) Real (ite (>= r 0) r (- r)))
(assert (not (<= (size (+ a b)) (+ (size a) (size b)))))
(check-sat)
"""


def texts(lemma: Lemma, goal: str) -> tuple[str, ...]:
    """All unsatisfiable only if the condition is closed."""
    return (*needs(lemma), text(lemma, goal))


def needs(lemma: Lemma) -> tuple[str, ...]:
    """A sum of absolute values is at most the sum of those of the parts."""
    return (TRIANGLE,) if "d" in lemma.quantities else ()


def text(lemma: Lemma, goal: str) -> str:
    """Unsatisfiable iff the condition is closed; for ``upward`` only the first class need meet it."""
    shrinking = [q for q in lemma.quantities if q == "d"]
    first, second = ({q: f"{q}{k}" for q in lemma.quantities} for k in (1, 2))
    both = {q: f"{q}3" if q in shrinking else f"(+ {q}1 {q}2)" for q in lemma.quantities}
    unknowns = [*first.values(), *second.values(), *(both[q] for q in shrinking)]
    met = (first, second) if goal == "merge" else (first,)
    lines = [f"; {goal}-closed: a condition on quantities that add up", "(set-logic QF_LRA)"]
    lines += [f"(declare-const {name} Real)" for name in unknowns]
    lines += [f"(assert {fact})" for values in (first, second) for fact in facts(values)]
    lines += [f"(assert (<= {q}3 (+ {q}1 {q}2)))" for q in shrinking]
    lines += [f"(assert {condition(lemma, values)})" for values in met]
    return "\n".join([*lines, f"(assert (not {condition(lemma, both)}))", "(check-sat)", ""])


def facts(values: dict[str, str]) -> list[str]:
    """What holds of the quantities of any class."""
    rows = values.get("n")
    found = [f"(>= {rows} 1)"] if rows else []
    for q in ("a", "b"):
        if q in values:
            found.append(f"(<= 0 {values[q]} {rows})" if rows else f"(<= 0 {values[q]})")
    return found


def condition(lemma: Lemma, values: dict[str, str]) -> str:
    """The condition of quantities."""
    said = [_inequality(one, values) for one in lemma.conditions]
    joined = f"(and {' '.join(said)})" if len(said) > 1 else said[0] if said else "true"
    return f"(or (= {values[lemma.absent]} 0) {joined})" if lemma.absent else joined


def _inequality(condition: Inequality, values: dict[str, str]) -> str:
    """In whole numbers, what is subtracted on the other side."""
    clear = condition.clear()
    left = [_times(factor * clear, values[q]) for factor, q in condition.terms if factor > 0]
    right = [_times(-factor * clear, values[q]) for factor, q in condition.terms if factor < 0]
    right += [number(condition.bound * clear)] if condition.bound or not right else []
    return f"({'>' if condition.strict else '>='} {_sum(left)} {_sum(right)})"


def _times(factor: Fraction, name: str) -> str:
    return name if factor == 1 else f"(* {number(int(factor))} {name})"


def _sum(said: list[str]) -> str:
    return f"(+ {' '.join(said)})" if len(said) > 1 else said[0] if said else "0"
