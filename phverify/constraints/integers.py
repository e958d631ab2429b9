"""Constraints over bounded integers, as data: the common language of Z3's text, CP-SAT and plain evaluation.

Built through ``neg``, ``conj``, ``disj``, ``within`` and ``total``, which fold what is settled.  Connectives are those
of ``smt.terms``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from phverify.constraints.terms import FALSE, TRUE, Conj, Constant, Disj, Neg, Term, conj, constant, disj, neg

__all__ = [
    "FALSE",
    "TRUE",
    "Assignment",
    "Conj",
    "Constant",
    "Disj",
    "Flag",
    "Neg",
    "Sum",
    "Term",
    "Unknowns",
    "Variable",
    "Within",
    "bounds",
    "children",
    "conj",
    "constant",
    "disj",
    "equal",
    "evaluate",
    "gated",
    "joined",
    "neg",
    "subterms",
    "total",
    "unknowns",
    "value_of",
    "within",
]


@dataclass(frozen=True, slots=True)
class Variable:
    """An unknown integer from ``low`` to ``high``; ``values``, sorted, lists all it may be where there are gaps."""

    name: str
    low: int
    high: int
    values: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Flag(Term):
    """A Boolean unknown."""

    name: str


@dataclass(frozen=True, eq=False, slots=True)
class Sum:
    """``constant + sum c * v + sum c * [term] + sum c * [term] * v``; [term] is 1 when true, else 0."""

    constant: int = 0
    plain: tuple[tuple[int, Variable], ...] = ()
    counts: tuple[tuple[int, Term], ...] = ()
    gated: tuple[tuple[int, Term, Variable], ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class Within(Term):
    """``low <= total <= high``."""

    total: Sum
    low: int
    high: int


def total(parts: Iterable[tuple[int, Term, Variable | int]], start: int = 0) -> Sum:
    """``start + sum c * [term] * x``, where x is a variable or an integer; settled terms are folded."""
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
    return Sum(start, tuple(plain), tuple(counts), tuple(gated))


def joined(sums: Iterable[tuple[int, Sum]]) -> Sum:
    """``sum factor * sum``."""
    sums = list(sums)
    return Sum(
        sum(f * s.constant for f, s in sums),
        tuple((f * c, v) for f, s in sums for c, v in s.plain),
        tuple((f * c, t) for f, s in sums for c, t in s.counts),
        tuple((f * c, t, v) for f, s in sums for c, t, v in s.gated),
    )


def bounds(body: Sum) -> tuple[int, int]:
    """An interval that holds the sum, from the ranges of its parts."""
    low = high = body.constant
    pairs = [(c * v.low, c * v.high) for c, v in body.plain]
    pairs += [(c, 0) for c, _ in body.counts]
    pairs += [p for c, _, v in body.gated for p in ((min(0, c * v.low, c * v.high), max(0, c * v.low, c * v.high)),)]
    for one, other in pairs:
        low += min(one, other)
        high += max(one, other)
    return low, high


def within(body: Sum, low: int | None, high: int | None) -> Term:
    """``low <= body <= high``; None is no bound."""
    least, most = bounds(body)
    bottom, top = least if low is None else low, most if high is None else high
    if bottom > top or bottom > most or top < least:
        return FALSE
    if bottom <= least and most <= top:
        return TRUE
    return Within(body, max(bottom, least), min(top, most))


def equal(body: Sum, value: int) -> Term:
    return within(body, value, value)


Assignment = Mapping[str, int]


def evaluate(term: Term, values: Assignment, known: dict[int, bool] | None = None) -> bool:
    """The truth of a term where each unknown has its value (a flag 0 or 1)."""
    known = {} if known is None else known
    if id(term) not in known:
        known[id(term)] = _evaluate(term, values, known)
    return known[id(term)]


def _evaluate(term: Term, values: Assignment, known: dict[int, bool]) -> bool:
    match term:
        case Constant(value):
            return value
        case Flag(name):
            return values[name] == 1
        case Neg(body):
            return not evaluate(body, values, known)
        case Conj(parts):
            return all(evaluate(part, values, known) for part in parts)
        case Disj(parts):
            return any(evaluate(part, values, known) for part in parts)
        case Within(body, low, high):
            return low <= value_of(body, values, known) <= high
    raise TypeError(f"no term: {term!r}")


def value_of(body: Sum, values: Assignment, known: dict[int, bool] | None = None) -> int:
    """The value of a sum."""
    known = {} if known is None else known
    found = body.constant + sum(c * values[v.name] for c, v in body.plain)
    found += sum(c for c, t in body.counts if evaluate(t, values, known))
    return found + sum(c * values[v.name] for c, t, v in body.gated if evaluate(t, values, known))


def children(term: Term) -> Iterator[Term]:
    """The terms directly inside a term."""
    match term:
        case Neg(body):
            yield body
        case Conj(parts) | Disj(parts):
            yield from parts
        case Within(body, _, _):
            yield from (t for _, t in body.counts)
            yield from (t for _, t, _ in body.gated)


@dataclass(frozen=True)
class Unknowns:
    """What terms are about: variables by name, and names of flags."""

    variables: dict[str, Variable]
    flags: frozenset[str]

    @property
    def names(self) -> frozenset[str]:
        return self.flags | self.variables.keys()


def unknowns(terms: Sequence[Term]) -> Unknowns:
    """All unknowns of some terms, each once, in the order of their first use."""
    variables: dict[str, Variable] = {}
    flags: dict[str, None] = {}
    for term in subterms(terms):
        if isinstance(term, Flag):
            flags[term.name] = None
        if isinstance(term, Within):
            variables |= {v.name: v for _, v in term.total.plain}
            variables |= {v.name: v for _, _, v in term.total.gated}
    return Unknowns(variables, frozenset(flags))


def gated(terms: Sequence[Term]) -> bool:
    """Whether some sum has a part ``[term] * v``."""
    return any(isinstance(term, Within) and term.total.gated for term in subterms(terms))


def subterms(terms: Sequence[Term]) -> Iterator[Term]:
    """The terms and all that is in them, each once, in the order of their first use."""
    seen: set[int] = set()
    waiting = list(reversed(terms))
    while waiting:
        term = waiting.pop()
        if id(term) not in seen:
            seen.add(id(term))
            yield term
            waiting += reversed(list(children(term)))
