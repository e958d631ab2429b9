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
        return constant(_holds(left.constant, op, right.constant))
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
    # by identity: terms share parts, and unfolded they may be exponentially many
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
    value = body.constant
    for c, variable in body.plain:
        value += c * values[variable.name]
    for c, term in body.counts:
        if evaluate(term, values, known):
            value += c
    for c, term, variable in body.gated:
        if evaluate(term, values, known):
            value += c * values[variable.name]
    for c, part in body.further:
        value += c * _further(part, values, known)
    return value


def _further(part: Further, values: Mapping[str, int], known: dict[int, bool]) -> int:
    match part:
        case Number(name):
            return values.get(name, 0)
        case Conditional(term, body):
            if evaluate(term, values, known):
                return value_of(body, values, known)
            return 0
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
            parts: list[Node] = [variable for _, variable in node.plain]
            parts += [term for _, term in node.counts]
            for _, term, variable in node.gated:
                parts += (term, variable)
            parts += [part for _, part in node.further]
            return parts
        case Conj() | Disj():
            return node.parts
        case Neg(body) | Magnitude(body) | Shared(body) | Within(body):
            return (body,)
        case Conditional(term, body):
            return term, body
    return ()


def nodes(terms: Sequence[Node]) -> Iterator[Node]:
    """The terms and all that is in them, each once, in the order of their first use."""
    listed, _ = surveyed(terms)
    return iter(listed)


def surveyed(terms: Sequence[Node]) -> tuple[list[Node], set[int]]:
    """The terms and all that is in them, each once, in the order of their first use;
    and the ids of what is in them more than once.
    """
    listed: list[Node] = []
    seen: set[int] = set()
    used: set[int] = set()
    repeated: set[int] = set()
    waiting = list(reversed(terms))
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        listed.append(node)
        inside = within_node(node)
        for part in inside:
            if id(part) in used:
                repeated.add(id(part))
            used.add(id(part))
        # the last one in is the first one out: reversed, parts come as they are written
        waiting += reversed(inside)
    return listed, repeated


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
        """The names of all of them."""
        integers = frozenset(self.variables) | frozenset(self.bits)
        return self.flags | integers | frozenset(self.numbers)


def unknowns(terms: Sequence[Term]) -> Unknowns:
    """All unknowns of some terms, each once, in the order of their first use."""
    return unknowns_among(nodes(terms))


def unknowns_among(nodes: Iterable[Node]) -> Unknowns:
    """The unknowns among the nodes of terms, each once, in their order."""
    variables: dict[str, Variable] = {}
    numbers: dict[str, Number] = {}
    flags: set[str] = set()
    bits: dict[str, None] = {}
    for node in nodes:
        match node:
            case Variable(name):
                variables[name] = node
            case Number(name):
                numbers[name] = node
            case Flag(name):
                flags.add(name)
            case Unknown(name):
                bits[name] = None
    return Unknowns(variables, frozenset(flags), numbers, tuple(bits))


def gated(terms: Sequence[Term]) -> bool:
    """Whether some sum has a part ``[term] * v``."""
    sums = (node for node in nodes(terms) if isinstance(node, LinearSum))
    return any(node.gated for node in sums)
