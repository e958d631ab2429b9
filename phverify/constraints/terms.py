"""How constraints are built and read.  The one language of all questions to a solver;
``language`` has its parts.

The functions that build fold what is settled, so that it never reaches the solver: what
is certainly true *is* ``TRUE``, what is certainly false *is* ``FALSE``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

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
    "total",
    "unknowns",
    "value_of",
    "whole",
    "within",
    "within_node",
]

# Connectives


def constant(value: bool) -> Term:
    return TRUE if value else FALSE


def neg(term: Term) -> Term:
    match term:
        case TruthValue(value):
            return constant(not value)
        case Neg(body):
            return body
    return Neg(term)


def conj(parts: Iterable[Term]) -> Term:
    """The conjunction; stops at the first false part."""
    kept: list[Term] = []
    for part in parts:
        if part is FALSE:
            return FALSE
        if part is not TRUE:
            kept.append(part)
    return kept[0] if len(kept) == 1 else Conj(tuple(kept)) if kept else TRUE


def disj(parts: Iterable[Term]) -> Term:
    """The disjunction; stops at the first true part."""
    kept: list[Term] = []
    for part in parts:
        if part is TRUE:
            return TRUE
        if part is not FALSE:
            kept.append(part)
    return kept[0] if len(kept) == 1 else Disj(tuple(kept)) if kept else FALSE


def implies(left: Term, right: Term) -> Term:
    return disj((neg(left), right))


def iff(left: Term, right: Term) -> Term:
    return disj((conj((left, right)), conj((neg(left), neg(right)))))


# Sums


def number(name: str, sort: str = "Real", low: int | None = 0) -> LinearSum:
    """An unknown number as a sum."""
    return LinearSum(further=((1, Number(name, sort, low)),))


def total(
    parts: Iterable[tuple[int, Term, Variable | int]], start: int = 0
) -> LinearSum:
    """``start + sum c * [term] * x``, where x is a variable or an integer; settled
    terms are folded.
    """
    plain, counts, gated = [], [], []
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
    return total(((c, term, 1) for c, term in parts), start)


def added(sums: Iterable[LinearSum]) -> LinearSum:
    return joined((1, body) for body in sums)


def conditional(term: Term, body: LinearSum) -> LinearSum:
    """The sum where the term is true, else 0."""
    if isinstance(term, TruthValue):
        return body if term.value else ZERO
    if body.settled:
        return count([(body.constant, term)])
    return LinearSum(further=((1, Conditional(term, body)),))


def shared(body: LinearSum) -> LinearSum:
    """The sum as a part that is written once, however many sums have it."""
    return body if body.settled else LinearSum(further=((1, Shared(body)),))


def magnitude(body: LinearSum) -> LinearSum:
    """``|body|``."""
    return (
        LinearSum(abs(body.constant))
        if body.settled
        else LinearSum(further=((1, Magnitude(body)),))
    )


def bounds(body: LinearSum) -> tuple[int, int]:
    """An interval that holds a sum of bounded integers, from the ranges of its
    parts.
    """
    assert not body.further
    low = high = body.constant
    pairs = [(c * v.low, c * v.high) for c, v in body.plain]
    pairs += [(c, 0) for c, _ in body.counts]
    for c, _, v in body.gated:
        pairs.append((min(0, c * v.low, c * v.high), max(0, c * v.low, c * v.high)))
    for one, other in pairs:
        low += min(one, other)
        high += max(one, other)
    return low, high


# Comparisons


def within(body: LinearSum, low: int | None, high: int | None) -> Term:
    """``low <= body <= high`` for bounded integers; None is no bound."""
    least, most = bounds(body)
    bottom, top = least if low is None else low, most if high is None else high
    if bottom > top or bottom > most or top < least:
        return FALSE
    if bottom <= least and most <= top:
        return TRUE
    return Within(body, max(bottom, least), min(top, most))


def equal(body: LinearSum, value: int) -> Term:
    return within(body, value, value)


def compare(left: LinearSum | int, op: str, right: LinearSum | int) -> Term:
    """``left op right``; ``op`` is one of = != < <= > >=."""
    left, right = whole(left), whole(right)
    if op == "!=":
        return neg(compare(left, "=", right))
    if left.settled and right.settled:
        return constant(_holds(left.constant, op, right.constant))
    return SumComparison(left, op, right)


def at_least(body: LinearSum, bound: int = 0) -> Term:
    """``body >= bound``, a constant where that follows from what is known of bounded
    parts.
    """
    body = body - bound
    if not body.further:
        least, most = bounds(body)
        if least >= 0 or most < 0:
            return constant(least >= 0)
    return SumComparison(body, ">=", ZERO)


def _holds(left: int | Fraction, op: str, right: int | Fraction) -> bool:
    if op in (">=", ">"):
        return left > right or (op == ">=" and left == right)
    if op in ("<=", "<"):
        return left < right or (op == "<=" and left == right)
    return left == right


# Meaning

Assignment = Mapping[str, int]


def evaluate(
    term: Term, values: Mapping[str, int], known: dict[int, bool] | None = None
) -> bool:
    """The truth of a term where each unknown has its value (a flag 0 or 1)."""
    known = {} if known is None else known
    if id(term) not in known:
        known[id(term)] = _evaluate(term, values, known)
    return known[id(term)]


def _evaluate(term: Term, values: Mapping[str, int], known: dict[int, bool]) -> bool:
    match term:
        case TruthValue(value):
            return value
        case Flag(name):
            return values[name] == 1
        case Unknown(name):
            return values.get(name, 0) == 1
        case Neg(body):
            return not evaluate(body, values, known)
        case Conj(parts):
            return all(evaluate(part, values, known) for part in parts)
        case Disj(parts):
            return any(evaluate(part, values, known) for part in parts)
        case Within(body, low, high):
            return low <= value_of(body, values, known) <= high
        case SumComparison(left, op, right):
            return _holds(
                value_of(left, values, known), op, value_of(right, values, known)
            )
    raise TypeError(f"no term: {term!r}")


def value_of(
    body: LinearSum, values: Mapping[str, int], known: dict[int, bool] | None = None
) -> int:
    """The value of a sum."""
    known = {} if known is None else known
    found = body.constant + sum(c * values[v.name] for c, v in body.plain)
    found += sum(c for c, t in body.counts if evaluate(t, values, known))
    found += sum(
        c * values[v.name] for c, t, v in body.gated if evaluate(t, values, known)
    )
    return found + sum(c * _further(x, values, known) for c, x in body.further)


def _further(part: Further, values: Mapping[str, int], known: dict[int, bool]) -> int:
    match part:
        case Number(name):
            return values.get(name, 0)
        case Conditional(term, body):
            return value_of(body, values, known) if evaluate(term, values, known) else 0
        case Magnitude(body):
            return abs(value_of(body, values, known))
        case Shared(body):
            return value_of(body, values, known)


# What is in a term

Node = Term | LinearSum | Variable | Further


def within_node(node: Node) -> Sequence[Node]:
    """What a term, a sum or a part of a sum is made of, in the order in which it is
    written.
    """
    match node:
        case SumComparison(left, _, right):
            return left, right
        case LinearSum():
            found: list[Node] = [v for _, v in node.plain]
            found += [term for _, term in node.counts]
            for _, term, variable in node.gated:
                found += (term, variable)
            return [*found, *(part[1] for part in node.further)]
        case Conj(parts) | Disj(parts):
            return parts
        case Neg(body) | Magnitude(body) | Shared(body) | Within(body):
            return (body,)
        case Conditional(term, body):
            return term, body
    return ()


def nodes(terms: Sequence[Node]) -> Iterator[Node]:
    """The terms and all that is in them, each once, in the order of their first use."""
    seen: set[int] = set()
    waiting = list(reversed(terms))
    while waiting:
        node = waiting.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            waiting += reversed(within_node(node))


def children(term: Term) -> Iterator[Term]:
    """The terms directly inside a term."""
    for part in within_node(term):
        yield from (part,) if isinstance(part, Term) else _terms_of(part)


def _terms_of(part: Node) -> Iterator[Term]:
    """The terms that a sum counts."""
    for inner in within_node(part):
        yield from (inner,) if isinstance(inner, Term) else _terms_of(inner)


@dataclass(frozen=True)
class Unknowns:
    """What terms are about: variables and numbers by name, names of flags and of 0/1
    integers.
    """

    variables: dict[str, Variable]
    flags: frozenset[str]
    numbers: dict[str, Number]
    bits: tuple[str, ...]

    @property
    def names(self) -> frozenset[str]:
        return (
            self.flags
            | self.variables.keys()
            | self.numbers.keys()
            | frozenset(self.bits)
        )


def unknowns(terms: Sequence[Term]) -> Unknowns:
    """All unknowns of some terms, each once, in the order of their first use."""
    found: dict[Node, None] = {}
    for node in nodes(terms):
        if isinstance(node, Variable | Number | Flag | Unknown):
            found[node] = None
    return Unknowns(
        {node.name: node for node in found if isinstance(node, Variable)},
        frozenset(node.name for node in found if isinstance(node, Flag)),
        {node.name: node for node in found if isinstance(node, Number)},
        tuple(node.name for node in found if isinstance(node, Unknown)),
    )


def gated(terms: Sequence[Term]) -> bool:
    """Whether some sum has a part ``[term] * v``."""
    return any(isinstance(node, LinearSum) and node.gated for node in nodes(terms))
