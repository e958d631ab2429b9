"""A question as a 0/1 linear system.

Unknowns are 0 or 1, and sums of them must be >= 0.  Boolean terms are literals: ``v``
says that unknown v is 1, ``-v`` that it is 0; unknown 1 is the constant true.  A
compound term gets an unknown of its own, tied to its parts by linear constraints, so
that a solution of the system is a solution of the question and the other way round.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

Literal = int
TRUE, FALSE = 1, -1
# A long chain of exclusive ors has so many compound terms at least.
CHAINED = 21


@dataclass(frozen=True, eq=False)
class Sum:
    """``constant + sum of coefficient * unknown``, by unknown."""

    parts: Mapping[int, int] = field(default_factory=dict)
    constant: int = 0

    @property
    def least(self) -> int:
        """Its least value over unknowns that are 0 or 1."""
        coefficients = self.parts.values()
        negative = [c for c in coefficients if c < 0]
        return self.constant + sum(negative)

    @property
    def most(self) -> int:
        """Its largest value over unknowns that are 0 or 1."""
        coefficients = self.parts.values()
        positive = [c for c in coefficients if c > 0]
        return self.constant + sum(positive)

    def times(self, factor: int) -> Sum:
        """``factor * sum``."""
        if not factor:
            return Sum()
        parts = {v: factor * c for v, c in self.parts.items()}
        return Sum(parts, factor * self.constant)

    def plus(self, constant: int) -> Sum:
        """``sum + constant``."""
        return Sum(self.parts, self.constant + constant)

    def negated(self) -> Sum:
        """What is >= 0 exactly when this is < 0: all values are integers."""
        return self.times(-1).plus(-1)


def total(terms: Iterable[tuple[int, Literal]], constant: int = 0) -> Sum:
    """``constant + sum of coefficient * [literal]``.

    [literal] is 1 when it is true, else 0.
    """
    parts: dict[int, int] = {}
    for coefficient, literal in terms:
        if literal < 0:
            # [not v] = 1 - [v]
            constant += coefficient
            coefficient, literal = -coefficient, -literal
        if literal == TRUE:
            constant += coefficient
        else:
            parts[literal] = parts.get(literal, 0) + coefficient
    nonzero = {v: c for v, c in parts.items() if c}
    return Sum(nonzero, constant)


def added(sums: Iterable[Sum]) -> Sum:
    """The sum of sums."""
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
    """Makes unknowns and compound terms.

    Equal terms are made once, constants are folded.  ``values`` are sums that are 1
    where a term is true and else 0, wherever what is asserted of all placements holds.
    """

    names: list[str] = field(default_factory=lambda: ["", "true"])
    definitions: dict[int, Definition] = field(default_factory=dict)
    values: dict[int, Sum] = field(default_factory=dict)
    _known: dict[object, Literal] = field(default_factory=dict)

    def unknown(self, name: str) -> Literal:
        """The literal that says that the unknown of this name is 1."""
        return self._made(name, None, name)

    def conj(self, parts: Iterable[Literal]) -> Literal:
        """All of the parts are true."""
        literals = set(parts) - {TRUE}
        # Something and its opposite cannot both be true.
        if FALSE in literals or any(-literal in literals for literal in literals):
            return FALSE
        if not literals:
            return TRUE
        if len(literals) == 1:
            return literals.pop()
        definition = tuple(sorted(literals))
        return self._made(definition, definition)

    def disj(self, parts: Iterable[Literal]) -> Literal:
        """One of the parts is true."""
        opposites = (-part for part in parts)
        none = self.conj(opposites)
        return -none

    def at_least(self, body: Sum) -> Literal:
        """``body >= 0``."""
        if body.least >= 0:
            return TRUE
        if body.most < 0:
            return FALSE
        if len(body.parts) == 1:
            # Neither always nor never: it takes the one unknown's better value.
            ((unknown, coefficient),) = body.parts.items()
            if coefficient > 0:
                return unknown
            return -unknown
        key = frozenset(body.parts.items()), body.constant
        return self._made(key, body)

    def one_of(self, alternatives: Iterable[Literal]) -> Literal:
        """One of the alternatives is true, of which never two are."""
        # Two are never true: their sum is 0 or 1, the truth of ``some``.
        value = total((1, literal) for literal in alternatives)
        at_least_one = value.plus(-1)
        some = self.at_least(at_least_one)
        # A constant has a value of its own.
        if some > TRUE:
            self.values[some] = value
        return some

    def value(self, literal: Literal) -> Sum:
        """1 where a literal is true, else 0: over the unknowns of a term, where these
        are known to add up to it.
        """
        value = self.values.get(abs(literal))
        if value is None:
            return total([(1, literal)])
        if literal > 0:
            return value
        return value.times(-1).plus(1)

    def _made(
        self, key: object, definition: Definition | None, name: str = ""
    ) -> Literal:
        # Two terms that say the same share an unknown: systems stay small.
        if key not in self._known:
            made = len(self.names)
            self._known[key] = made
            self.names.append(name)
            if definition is not None:
                self.definitions[made] = definition
        return self._known[key]


Constraint = tuple[tuple[tuple[int, int], ...], int]
"""Coefficients and unknowns, and a constant."""


@dataclass(frozen=True)
class System:
    """Constraints ``sum of coefficient * x[v] + constant >= 0``.

    The unknowns x[0], x[1], .. are 0 or 1; ``names`` are their names, "" for those that
    stand for compound terms.
    """

    constraints: tuple[Constraint, ...]
    names: tuple[str, ...]

    @property
    def digest(self) -> str:
        """SHA-256 of the constraints: what a proof is about."""
        text = repr(self.constraints)
        content = text.encode()
        return hashlib.sha256(content).hexdigest()


def system(terms: Terms, asserted: Iterable[Literal]) -> System | None:
    """The system that has a solution iff all asserted terms can be true.

    None when one of them is false.
    """
    literals = tuple(asserted)
    if FALSE in literals:
        return None
    writer = _SystemWriter(terms)
    for literal in literals:
        writer.demand(literal)
    return writer.finished()


@dataclass(eq=False)
class _SystemWriter:
    """Collects the constraints of asserted terms and of the compound terms below them.

    Unknowns are numbered anew, as they are met.
    """

    terms: Terms
    constraints: dict[Constraint, None] = field(default_factory=dict)
    numbers: dict[int, int] = field(default_factory=dict)
    waiting: list[int] = field(default_factory=list)

    def finished(self) -> System:
        """The system, with the terms tied that its constraints speak of."""
        # Tying a term may bring up further ones.
        while self.waiting:
            self.tie(self.waiting.pop())
        # They were numbered in this order.
        names = tuple(map(self.terms.names.__getitem__, self.numbers))
        return System(tuple(self.constraints), names)

    def demand(self, literal: Literal) -> None:
        """The literal is true; a compound term is taken apart."""
        if literal == TRUE:
            return
        body = self.terms.definitions.get(abs(literal))
        if isinstance(body, Sum):
            self.require(body if literal > 0 else body.negated())
        # A plain unknown, with nothing below it, or one that is counted.
        elif body is None or self.parity(abs(literal)):
            self.require(total([(1, literal)], -1))
        elif literal < 0:
            # Not all of them: one of the opposites.
            opposites = ((1, -part) for part in body)
            self.require(total(opposites, -1))
        else:
            for part in body:
                self.demand(part)

    def tie(self, unknown: int) -> None:
        """The unknown of a compound term is 1 exactly when the term is true."""
        body = self.terms.definitions[unknown]
        if isinstance(body, Sum):
            # With 1 it says body >= 0, with 0 that body is at least its least value,
            # which is no bound; the other way round for body < 0.
            outside = body.negated()
            slack_at_0 = total([(body.least, unknown)], -body.least)
            slack_at_1 = total([(-outside.least, unknown)])
            self.require(added([body, slack_at_0]))
            self.require(added([outside, slack_at_1]))
            return
        ties = self.parity(unknown)
        if not ties:
            ties = [total([(1, part), (-1, unknown)]) for part in body]
            opposites = [(-1, part) for part in body]
            ties.append(total([(1, unknown), *opposites], len(body) - 1))
        for tied in ties:
            self.require(tied)

    def parity(self, unknown: int) -> list[Sum]:
        """What ties an unknown that is the parity of many terms; else nothing."""
        # Loaded where there are terms enough for a long chain.
        if len(self.terms.definitions) < CHAINED:
            return []
        from phverify.spec.parities import parity

        return parity(self.terms, unknown)

    def require(self, body: Sum) -> None:
        """``body >= 0``, unless it always is."""
        if body.least >= 0:
            return
        # Sorted, so that equal sums are one constraint.
        in_order = sorted(body.parts.items())
        parts = tuple((c, self.number(unknown)) for unknown, c in in_order)
        self.constraints[parts, body.constant] = None

    def number(self, unknown: int) -> int:
        """The number of an unknown in the system; a compound term is tied later."""
        if unknown not in self.numbers:
            self.numbers[unknown] = len(self.numbers)
            if unknown in self.terms.definitions:
                self.waiting.append(unknown)
        return self.numbers[unknown]
