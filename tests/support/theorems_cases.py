"""What the tests of theorems have in common."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st
from theorems import definitions as d
from theorems import frames, literal, walk

from phverify.spec import syntax as s
from phverify.spec.criteria.alpha_k_anonymity import AlphaKAnonymity
from phverify.spec.criteria.average_benefit import AverageBenefit
from phverify.spec.criteria.beta_likeness import BetaLikeness
from phverify.spec.criteria.delta_disclosure import DeltaDisclosure
from phverify.spec.criteria.k_anonymity import KAnonymity
from phverify.spec.criteria.l_diversity import DistinctDiversity
from phverify.spec.criteria.recursive_l_diversity import RecursiveDiversity
from phverify.spec.criteria.t_closeness import TCloseness
from phverify.spec.criterion.base import ClassCriterion


def value(tree: Any, known: Mapping[str, Any]) -> Any:
    """The value of an SMT-LIB term, exactly."""
    if isinstance(tree, str):
        return (
            {"true": True, "false": False}[tree]
            if tree in ("true", "false")
            else known.get(tree) or _number(tree, known)
        )
    op, *rest = tree
    if op == "ite":
        return value(rest[1 if value(rest[0], known) else 2], known)
    values = [value(x, known) for x in rest]
    pairs = list(itertools.pairwise(values))
    match op:
        case "and" | "or" | "not" | "=>":
            return {
                "and": all,
                "or": any,
                "not": lambda v: not v[0],
                "=>": lambda v: not v[0] or v[1],
            }[op](values)
        case "+":
            return sum(values)
        case "*":
            return values[0] * values[1]
        case "-":
            return -values[0] if len(values) == 1 else values[0] - sum(values[1:])
        case "/":
            return Fraction(values[0]) / values[1]
    return all(
        {"=": a == b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op]
        for a, b in pairs
    )


def _number(text: str, known: Mapping[str, Any]) -> Any:
    return known[text] if text in known else Fraction(text)


def logs(inside: Sequence[int], whole: Sequence[int], delta: int) -> dict[str, Any]:
    """Numbers that are to delta as log2 of the ratios are."""
    known: dict[str, Any] = {"delta": delta, "r": 2**delta, "s": Fraction(1, 2**delta)}
    for v, (k, every) in enumerate(zip(inside, whole, strict=True)):
        ratio = Fraction(k * sum(whole), sum(inside) * every)
        steps = [(-delta, Fraction(1, 2**delta)), (delta, Fraction(2**delta))]
        known[f"log{v}"] = (
            sum(
                2 * delta if ratio > bound else delta if ratio == bound else 0
                for _, bound in steps
            )
            - 2 * delta
        )
    return known


Sides = tuple[ClassCriterion, str, str, dict[str, Any]]
"""A criterion, its definition and its formula as texts, and what else is known."""


@st.composite
def sides(draw: st.DrawFn, inside: Sequence[int], whole: Sequence[int]) -> Sides:
    m, k, l = (
        len(inside),
        draw(st.integers(1, 4)),
        draw(st.integers(1, 4)),
    )
    x, delta = draw(st.fractions(0, 2, max_denominator=6)), draw(st.integers(1, 2))
    shares, c = frames.shares(m, {frames.SYMBOL: "t"}), x or Fraction(1)

    def by(frame: walk.Frame, criterion: ClassCriterion) -> str:
        return walk.valid(criterion.formula(walk.signature(m)), frame, m)

    def alike(
        criterion: ClassCriterion, definition: str, frame: walk.Frame, **more: Any
    ) -> Sides:
        return criterion, definition, by(frame, criterion), more

    def literally(
        criterion: ClassCriterion,
        definition: str,
        formula: s.Formula,
        frame: walk.Frame,
        **more: Any,
    ) -> Sides:
        return criterion, definition, walk.valid(formula, frame, m), more

    inhabited, anyone = frames.inhabited(m, {}), frames.classes(1, {frames.SYMBOL: "k"})
    one, rec, tail = (
        literal.theorem_1(frames.SYMBOL, 1),
        RecursiveDiversity("f", c, l),
        d.recursive(m, l),
    )
    here, near, ratios = (
        {"n0": sum(inside), "k": k},
        d.close(m, "t"),
        logs(inside, whole, delta),
    )
    ways: list[Callable[[], Sides]] = [
        lambda: literally(KAnonymity(k), d.k_anonymous("n", "k"), one, anyone, **here),
        lambda: alike(KAnonymity(k), d.k_anonymous("n", str(k)), inhabited),
        lambda: alike(AlphaKAnonymity("f", x, k), d.alpha_k(m, x, k), inhabited),
        lambda: alike(DistinctDiversity("f", l), d.distinct(m, l), frames.counts(m)),
        lambda: alike(rec, tail, frames.shares(m), c=c),
        lambda: literally(
            rec, tail, literal.theorem_4(m, frames.SYMBOL, l), frames.multiplied(m), c=c
        ),
        lambda: alike(TCloseness("f", x), near, shares, t=x),
        lambda: literally(
            TCloseness("f", x), near, literal.theorem_5(m, frames.SYMBOL), shares, t=x
        ),
        lambda: alike(
            DeltaDisclosure("f", Fraction(delta)), d.disclosing(m), shares, **ratios
        ),
        lambda: alike(
            DeltaDisclosure("f", Fraction(delta), "ignored"),
            d.disclosing(m, absent=True),
            shares,
            **ratios,
        ),
        lambda: alike(BetaLikeness("f", x), d.beta_like(m, x), shares),
        lambda: alike(AverageBenefit("f", x), d.beneficial(m, "b"), shares, b=x),
    ]
    return draw(st.sampled_from(ways))()
