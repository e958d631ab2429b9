"""Constraints as data: Boolean terms over 0/1 unknowns and integer sums of them.

Built through ``neg``, ``conj``, ``disj`` and ``at_least``, which fold constants, so that what grounding
settled never reaches the solver.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, eq=False, slots=True)
class Term:
    """Base of Boolean terms, compared by identity so that shared parts stay shared."""


@dataclass(frozen=True, eq=False, slots=True)
class Constant(Term):
    value: bool


@dataclass(frozen=True, slots=True)
class Unknown(Term):
    """A 0/1 integer unknown, read as true when it is 1."""

    name: str


@dataclass(frozen=True, eq=False, slots=True)
class Neg(Term):
    body: Term


@dataclass(frozen=True, eq=False, slots=True)
class Conj(Term):
    parts: tuple[Term, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Disj(Term):
    parts: tuple[Term, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Sum:
    """``constant + sum of coefficient * [term] + sum of coefficient * |sum|``; [term] is 1 when true, else 0."""

    parts: tuple[tuple[int, Term], ...] = ()
    constant: int = 0
    magnitudes: tuple[tuple[int, Sum], ...] = ()

    @property
    def settled(self) -> bool:
        return not self.parts and not self.magnitudes


@dataclass(frozen=True, eq=False, slots=True)
class AtLeast(Term):
    """``total >= 0``."""

    total: Sum


TRUE, FALSE = Constant(True), Constant(False)


def constant(value: bool) -> Term:
    return TRUE if value else FALSE


def neg(term: Term) -> Term:
    match term:
        case Constant(value):
            return FALSE if value else TRUE
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


def iff(left: Term, right: Term) -> Term:
    return disj((conj((left, right)), conj((neg(left), neg(right)))))


def total(parts: Iterable[tuple[int, Term]], start: int = 0) -> Sum:
    """A sum with constants folded."""
    kept: list[tuple[int, Term]] = []
    for coefficient, term in parts:
        if isinstance(term, Constant):
            start += coefficient if term.value else 0
        elif coefficient:
            kept.append((coefficient, term))
    return Sum(tuple(kept), start)


def scaled(factor: int, body: Sum) -> Sum:
    parts = tuple((factor * c, t) for c, t in body.parts)
    return Sum(parts, factor * body.constant, tuple((factor * c, inner) for c, inner in body.magnitudes))


def added(sums: Iterable[Sum]) -> Sum:
    sums = list(sums)
    parts = tuple(part for body in sums for part in body.parts)
    return Sum(parts, sum(body.constant for body in sums), tuple(m for body in sums for m in body.magnitudes))


def magnitude(coefficient: int, body: Sum) -> Sum:
    """``coefficient * |body|``."""
    if body.settled:
        return Sum((), coefficient * abs(body.constant))
    return Sum((), 0, ((coefficient, body),))


def at_least(body: Sum, bound: int = 0) -> Term:
    """``body >= bound``, a constant where that follows from the unknowns being 0 or 1."""
    body = Sum(body.parts, body.constant - bound, body.magnitudes)
    if not body.magnitudes:
        if body.constant + sum(c for c, _ in body.parts if c < 0) >= 0:
            return TRUE
        if body.constant + sum(c for c, _ in body.parts if c > 0) < 0:
            return FALSE
    return AtLeast(body)


Assignment = Mapping[str, int]


def evaluate(term: Term, values: Assignment, known: dict[int, bool] | None = None) -> bool:
    """The truth of a term under an assignment of its unknowns."""
    known = {} if known is None else known
    if id(term) not in known:
        known[id(term)] = _evaluate(term, values, known)
    return known[id(term)]


def _evaluate(term: Term, values: Assignment, known: dict[int, bool]) -> bool:
    match term:
        case Constant(value):
            return value
        case Unknown(name):
            return values.get(name, 0) == 1
        case Neg(body):
            return not evaluate(body, values, known)
        case Conj(parts):
            return all(evaluate(part, values, known) for part in parts)
        case Disj(parts):
            return any(evaluate(part, values, known) for part in parts)
        case AtLeast(body):
            return _value(body, values, known) >= 0
    raise TypeError(f"no term: {term!r}")


def _value(body: Sum, values: Assignment, known: dict[int, bool]) -> int:
    chosen = sum(c for c, t in body.parts if evaluate(t, values, known))
    return body.constant + chosen + sum(c * abs(_value(m, values, known)) for c, m in body.magnitudes)
