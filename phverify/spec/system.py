"""A question as a 0/1 linear system: unknowns that are 0 or 1, and sums of them that
must be >= 0.

Boolean terms are literals: ``v`` says that unknown v is 1, ``-v`` that it is 0; unknown
1 is the constant true. A compound term gets an unknown of its own, tied to its parts by
linear constraints, so that a solution of the system is a solution of the question and
the other way round.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

Literal = int
TRUE, FALSE = 1, -1


@dataclass(frozen=True, eq=False)
class Sum:
    """``constant + sum of coefficient * unknown``, by unknown."""

    parts: Mapping[int, int] = field(default_factory=dict)
    constant: int = 0

    @property
    def least(self) -> int:
        """Its least value over unknowns that are 0 or 1."""
        return self.constant + sum(c for c in self.parts.values() if c < 0)

    @property
    def most(self) -> int:
        return self.constant + sum(c for c in self.parts.values() if c > 0)

    def times(self, factor: int) -> Sum:
        return Sum(
            {v: factor * c for v, c in self.parts.items()} if factor else {},
            factor * self.constant,
        )

    def plus(self, constant: int) -> Sum:
        return Sum(self.parts, self.constant + constant)

    def negated(self) -> Sum:
        """What is >= 0 exactly when this is < 0: all values are integers."""
        return self.times(-1).plus(-1)


def total(terms: Iterable[tuple[int, Literal]], constant: int = 0) -> Sum:
    """``constant + sum of coefficient * [literal]``, where [literal] is 1 when it is
    true, else 0.
    """
    parts: dict[int, int] = {}
    for coefficient, literal in terms:
        if literal < 0:  # [not v] = 1 - [v]
            constant, coefficient, literal = (
                constant + coefficient,
                -coefficient,
                -literal,
            )
        if literal == TRUE:
            constant += coefficient
        else:
            parts[literal] = parts.get(literal, 0) + coefficient
    return Sum({v: c for v, c in parts.items() if c}, constant)


def added(sums: Iterable[Sum]) -> Sum:
    terms: list[tuple[int, Literal]] = []
    constant = 0
    for one in sums:
        terms += [(c, v) for v, c in one.parts.items()]
        constant += one.constant
    return total(terms, constant)


Definition = tuple[Literal, ...] | Sum
"""All of these literals, or that a sum is at least 0."""


@dataclass(eq=False)
class Terms:
    """Makes unknowns and compound terms; equal terms are made once, constants are
    folded.

    ``values`` are sums that are 1 where a term is true and else 0, wherever what is
    asserted of all placements holds.
    """

    names: list[str] = field(default_factory=lambda: ["", "true"])
    definitions: dict[int, Definition] = field(default_factory=dict)
    values: dict[int, Sum] = field(default_factory=dict)
    _known: dict[object, Literal] = field(default_factory=dict)

    def unknown(self, name: str) -> Literal:
        return self._made(name, None, name)

    def conj(self, parts: Iterable[Literal]) -> Literal:
        """All of the parts are true."""
        kept = set(parts) - {TRUE}
        if FALSE in kept or any(-p in kept for p in kept):
            return FALSE
        if len(kept) < 2:
            return kept.pop() if kept else TRUE
        parts = tuple(sorted(kept))
        return self._made(parts, parts)

    def disj(self, parts: Iterable[Literal]) -> Literal:
        return -self.conj(-p for p in parts)

    def at_least(self, body: Sum) -> Literal:
        """``body >= 0``."""
        if body.least >= 0:
            return TRUE
        if body.most < 0:
            return FALSE
        if (
            len(body.parts) == 1
        ):  # neither always nor never: it takes the one unknown's better value
            ((unknown, coefficient),) = body.parts.items()
            return unknown if coefficient > 0 else -unknown
        return self._made((frozenset(body.parts.items()), body.constant), body)

    def one_of(self, alternatives: Iterable[Literal]) -> Literal:
        """One of the alternatives is true, of which never two are."""
        value = total((1, literal) for literal in alternatives)
        found = self.at_least(value.plus(-1))
        if found > TRUE:
            self.values[found] = value
        return found

    def value(self, literal: Literal) -> Sum:
        """1 where a literal is true, else 0: over the unknowns of a term, where these
        are known to add up to it.
        """
        value = self.values.get(abs(literal))
        if value is None:
            return total([(1, literal)])
        return value if literal > 0 else value.times(-1).plus(1)

    def _made(
        self, key: object, definition: Definition | None, name: str = ""
    ) -> Literal:
        if key not in self._known:
            self._known[key] = len(self.names)
            if definition is not None:
                self.definitions[len(self.names)] = definition
            self.names.append(name)
        return self._known[key]


Constraint = tuple[tuple[tuple[int, int], ...], int]
"""Coefficients and unknowns, and a constant."""


@dataclass(frozen=True)
class System:
    """Constraints ``sum of coefficient * x[v] + constant >= 0`` over unknowns x[0], ..,
    each 0 or 1.

    ``names`` are the unknowns' names, "" for those that stand for compound terms.
    """

    constraints: tuple[Constraint, ...]
    names: tuple[str, ...]

    @property
    def digest(self) -> str:
        """SHA-256 of the constraints: what a proof is about."""
        return hashlib.sha256(repr(self.constraints).encode()).hexdigest()


def system(terms: Terms, asserted: Iterable[Literal]) -> System | None:
    """The system that has a solution iff all asserted terms can be true; None when one
    of them is false.
    """
    writer, asserted = _Writer(terms), tuple(asserted)
    if FALSE in asserted:
        return None
    for literal in asserted:
        writer.demand(literal)
    return writer.finished()


@dataclass(eq=False)
class _Writer:
    """Collects the constraints of asserted terms and of the compound terms below them;
    unknowns are numbered anew.
    """

    terms: Terms
    constraints: dict[Constraint, None] = field(default_factory=dict)
    numbers: dict[int, int] = field(default_factory=dict)
    waiting: list[int] = field(default_factory=list)

    def finished(self) -> System:
        while self.waiting:
            self.tie(self.waiting.pop())
        names = sorted(self.numbers, key=self.numbers.__getitem__)
        return System(
            tuple(self.constraints), tuple(self.terms.names[v] for v in names)
        )

    def demand(self, literal: Literal) -> None:
        """The literal is true; a compound term is taken apart."""
        if literal == TRUE:
            return
        body = self.terms.definitions.get(abs(literal))
        if isinstance(body, Sum):
            self.say(body if literal > 0 else body.negated())
        elif body is None:
            self.say(total([(1, literal)], -1))
        elif literal < 0:
            self.say(total(((1, -p) for p in body), -1))
        else:
            for part in body:
                self.demand(part)

    def tie(self, unknown: int) -> None:
        """The unknown of a compound term is 1 exactly when the term is true."""
        body = self.terms.definitions[unknown]
        if isinstance(body, Sum):
            outside = body.negated()
            self.say(added([body, total([(body.least, unknown)], -body.least)]))
            self.say(added([outside, total([(-outside.least, unknown)])]))
            return
        for part in body:
            self.say(total([(1, part), (-1, unknown)]))
        self.say(total([(1, unknown), *((-1, p) for p in body)], len(body) - 1))

    def say(self, body: Sum) -> None:
        """``body >= 0``, unless it always is."""
        if body.least >= 0:
            return
        parts = tuple((c, self.number(v)) for v, c in sorted(body.parts.items()))
        self.constraints[parts, body.constant] = None

    def number(self, unknown: int) -> int:
        if unknown not in self.numbers:
            self.numbers[unknown] = len(self.numbers)
            if unknown in self.terms.definitions:
                self.waiting.append(unknown)
        return self.numbers[unknown]
