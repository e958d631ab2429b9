"""The language of constraints as data: Boolean terms over sums of unknowns.

A *term* is true or false: connectives over Boolean unknowns and comparisons of sums.  A
*sum* is linear in variables, with parts that count only where a term is true.  All
coefficients are integers: fractions are cleared before.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, eq=False, slots=True)
class Term:
    """Base of Boolean terms, compared by identity so that shared parts stay shared."""


@dataclass(frozen=True, eq=False, slots=True)
class TruthValue(Term):
    """True or false, whatever the unknowns are: there is one object of each."""

    value: bool


@dataclass(frozen=True, slots=True)
class Flag(Term):
    """A Boolean unknown."""

    name: str


@dataclass(frozen=True, slots=True)
class Unknown(Term):
    """A 0/1 integer unknown, read as true when it is 1: sums of such keep pigeonholes
    linear.
    """

    name: str


@dataclass(frozen=True, eq=False, slots=True)
class Neg(Term):
    """The body is false."""

    body: Term


@dataclass(frozen=True, eq=False, slots=True)
class Conj(Term):
    """All parts are true."""

    parts: tuple[Term, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Disj(Term):
    """One of the parts is true."""

    parts: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Variable:
    """An unknown integer from ``low`` to ``high``; ``values``, sorted, lists all it may
    be where there are gaps.
    """

    name: str
    low: int
    high: int
    values: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Number:
    """An unknown that need not be bounded, nor whole; ``sort`` is Int or Real."""

    name: str
    sort: str = "Real"
    low: int | None = 0
    high: int | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Conditional:
    """``body`` where the term is true, else 0."""

    term: Term
    body: LinearSum


@dataclass(frozen=True, eq=False, slots=True)
class Magnitude:
    """``|body|``."""

    body: LinearSum


@dataclass(frozen=True, eq=False, slots=True)
class Shared:
    """``body``, which many sums have as a part and which is written once."""

    body: LinearSum


Further = Number | Conditional | Magnitude | Shared


@dataclass(frozen=True, eq=False, slots=True)
class LinearSum:
    """``constant + sum c * v + sum c * [term] + sum c * [term] * v + sum c * x``;
    [term] is 1 when true, else 0.

    Variables v are bounded integers; what is bounded by nothing known, or is no such
    product, is a further x.
    """

    constant: int = 0
    plain: tuple[tuple[int, Variable], ...] = ()
    counts: tuple[tuple[int, Term], ...] = ()
    gated: tuple[tuple[int, Term, Variable], ...] = ()
    further: tuple[tuple[int, Further], ...] = ()

    @property
    def settled(self) -> bool:
        """Whether it is its constant."""
        return not (self.plain or self.counts or self.gated or self.further)

    def __add__(self, other: LinearSum | int) -> LinearSum:
        parts = (1, self), (1, whole(other))
        return joined(parts)

    def __sub__(self, other: LinearSum | int) -> LinearSum:
        parts = (1, self), (-1, whole(other))
        return joined(parts)

    def __rmul__(self, factor: int) -> LinearSum:
        return joined(((factor, self),))


@dataclass(frozen=True, eq=False, slots=True)
class Within(Term):
    """``low <= total <= high``, for a sum of bounded integers."""

    total: LinearSum
    low: int
    high: int


@dataclass(frozen=True, eq=False, slots=True)
class SumComparison(Term):
    """``left op right``; ``op`` is one of >= > = <= <."""

    left: LinearSum
    op: str
    right: LinearSum


TRUE, FALSE = TruthValue(True), TruthValue(False)
ZERO = LinearSum()


def whole(value: LinearSum | int) -> LinearSum:
    """An integer as a sum."""
    if isinstance(value, int):
        return LinearSum(value)
    return value


def joined(sums: Iterable[tuple[int, LinearSum]]) -> LinearSum:
    """``sum factor * sum``."""
    # A factor of 0 would keep unknowns in a sum that does not depend on them.
    sums = [(factor, body) for factor, body in sums if factor]
    return LinearSum(
        sum(f * s.constant for f, s in sums),
        tuple((f * c, v) for f, s in sums for c, v in s.plain),
        tuple((f * c, t) for f, s in sums for c, t in s.counts),
        tuple((f * c, t, v) for f, s in sums for c, t, v in s.gated),
        tuple((f * c, x) for f, s in sums for c, x in s.further),
    )
