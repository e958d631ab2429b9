"""How constraints are built.  The one language of all questions to a solver.

``language`` has its parts, ``meaning`` evaluates them, ``inside`` walks through them;
all of it can be had from here.

The functions that build fold what is settled, so that it never reaches the solver: what
is certainly true *is* ``TRUE``, what is certainly false *is* ``FALSE``.
"""

from __future__ import annotations

from collections.abc import Iterable

from phverify.constraints.inside import (
    Node,
    Unknowns,
    children,
    gated,
    nodes,
    surveyed,
    unknowns,
    unknowns_among,
    within_node,
)
from phverify.constraints.language import (
    FALSE,
    TRUE,
    ZERO,
    Conditional,
    Conj,
    Disj,
    Flag,
    Further,
    LinearSum,
    Magnitude,
    Neg,
    Number,
    Shared,
    SumComparison,
    Term,
    TruthValue,
    Unknown,
    Variable,
    Within,
    joined,
    whole,
)
from phverify.constraints.meaning import (
    Assignment,
    comparison_holds,
    evaluate,
    value_of,
)

__all__ = [
    "FALSE",
    "TRUE",
    "ZERO",
    "Assignment",
    "Conditional",
    "Conj",
    "Disj",
    "Flag",
    "Further",
    "LinearSum",
    "Magnitude",
    "Neg",
    "Node",
    "Number",
    "Shared",
    "SumComparison",
    "Term",
    "TruthValue",
    "Unknown",
    "Unknowns",
    "Variable",
    "Within",
    "added",
    "at_least",
    "bounds",
    "children",
    "compare",
    "conditional",
    "conj",
    "constant",
    "count",
    "disj",
    "equal",
    "evaluate",
    "gated",
    "iff",
    "implies",
    "joined",
    "magnitude",
    "neg",
    "nodes",
    "number",
    "shared",
    "surveyed",
    "total",
    "unknowns",
    "unknowns_among",
    "value_of",
    "whole",
    "within",
    "within_node",
]

# Connectives


def constant(value: bool) -> Term:
    """``TRUE`` or ``FALSE``, the one object of each."""
    return TRUE if value else FALSE


def neg(term: Term) -> Term:
    """The negation; of a negation, what is negated."""
    match term:
        case TruthValue(value):
            return constant(not value)
        case Neg(body):
            return body
    return Neg(term)


def conj(parts: Iterable[Term]) -> Term:
    """The conjunction; stops at the first false part."""
    left: list[Term] = []
    for part in parts:
        if part is FALSE:
            return FALSE
        if part is not TRUE:
            left.append(part)
    if len(left) == 1:
        return left[0]
    if left:
        return Conj(tuple(left))
    return TRUE


def disj(parts: Iterable[Term]) -> Term:
    """The disjunction; stops at the first true part."""
    left: list[Term] = []
    for part in parts:
        if part is TRUE:
            return TRUE
        if part is not FALSE:
            left.append(part)
    if len(left) == 1:
        return left[0]
    if left:
        return Disj(tuple(left))
    return FALSE


def implies(left: Term, right: Term) -> Term:
    """The right one, if the left one."""
    return disj((neg(left), right))


def iff(left: Term, right: Term) -> Term:
    """Both or none."""
    both = conj((left, right))
    neither = conj((neg(left), neg(right)))
    return disj((both, neither))


# Sums


def number(name: str, sort: str = "Real", low: int | None = 0) -> LinearSum:
    """An unknown number as a sum."""
    unknown = Number(name, sort, low)
    return LinearSum(further=((1, unknown),))


def total(
    parts: Iterable[tuple[int, Term, Variable | int]], start: int = 0
) -> LinearSum:
    """``start + sum c * [term] * x``, where x is a variable or an integer; settled
    terms are folded.
    """
    plain = []
    counts = []
    gated = []
    for c, term, x in parts:
        if term is FALSE or c == 0:
            continue
        if isinstance(x, int):
            if term is TRUE:
                start += c * x
            elif x:
                counts.append((c * x, term))
        elif term is TRUE:
            plain.append((c, x))
        else:
            gated.append((c, term, x))
    return LinearSum(start, tuple(plain), tuple(counts), tuple(gated))


def count(parts: Iterable[tuple[int, Term]], start: int = 0) -> LinearSum:
    """``start + sum c * [term]``."""
    units = ((coefficient, term, 1) for coefficient, term in parts)
    return total(units, start)


def added(sums: Iterable[LinearSum]) -> LinearSum:
    """The sum of sums."""
    return joined((1, body) for body in sums)


def conditional(term: Term, body: LinearSum) -> LinearSum:
    """The sum where the term is true, else 0."""
    if isinstance(term, TruthValue):
        return body if term.value else ZERO
    if body.settled:
        return count([(body.constant, term)])
    part = Conditional(term, body)
    return LinearSum(further=((1, part),))


def shared(body: LinearSum) -> LinearSum:
    """The sum as a part that is written once, however many sums have it."""
    if body.settled:
        return body
    return LinearSum(further=((1, Shared(body)),))


def magnitude(body: LinearSum) -> LinearSum:
    """``|body|``."""
    if body.settled:
        return LinearSum(abs(body.constant))
    part = Magnitude(body)
    return LinearSum(further=((1, part),))


def bounds(body: LinearSum) -> tuple[int, int]:
    """An interval that holds a sum of bounded integers, from the ranges of its
    parts.
    """
    assert not body.further
    low = high = body.constant
    for c, variable in body.plain:
        ends = c * variable.low, c * variable.high
        low += min(ends)
        high += max(ends)
    for c, _ in body.counts:
        low += min(c, 0)
        high += max(c, 0)
    for c, _, variable in body.gated:  # 0 where the term is false
        ends = c * variable.low, c * variable.high
        low += min(0, *ends)
        high += max(0, *ends)
    return low, high


# Comparisons


def within(body: LinearSum, low: int | None, high: int | None) -> Term:
    """``low <= body <= high`` for bounded integers; None is no bound."""
    least, most = bounds(body)
    bottom = least if low is None else low
    top = most if high is None else high
    # the asked interval is empty, or out of the reach of the parts
    if bottom > top or bottom > most or top < least:
        return FALSE
    # the parts cannot leave the asked interval
    if bottom <= least and most <= top:
        return TRUE
    return Within(body, max(bottom, least), min(top, most))


def equal(body: LinearSum, value: int) -> Term:
    """``body = value``, for bounded integers."""
    return within(body, value, value)


def compare(left: LinearSum | int, op: str, right: LinearSum | int) -> Term:
    """``left op right``; ``op`` is one of = != < <= > >=."""
    left, right = whole(left), whole(right)
    if op == "!=":
        return neg(compare(left, "=", right))
    if left.settled and right.settled:
        return constant(comparison_holds(left.constant, op, right.constant))
    return SumComparison(left, op, right)


def at_least(body: LinearSum, bound: int = 0) -> Term:
    """``body >= bound``, a constant where that follows from what is known of bounded
    parts.
    """
    body = body - bound
    # Further parts have no bounds that are known here: those are left to the solver.
    if not body.further:
        least, most = bounds(body)
        if least >= 0 or most < 0:
            return constant(least >= 0)
    return SumComparison(body, ">=", ZERO)
