"""What is made of other formulas by not, and, or; and what these do to truths, to
constraints and to formulas.

Conditions of SQL, facts about cells and formulas of transition systems differ in their
leaves alone.  ``fold`` is the one walk over what is made of them; a ``Carrier`` says
what the connectives are among the values that leaves have.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from phverify.constraints import terms as t

V = TypeVar("V")


@dataclass(frozen=True)
class Proposition:
    """Base of all formulas; what is none of the three below is a leaf."""


@dataclass(frozen=True)
class Negation(Proposition):
    """What is so where ``body`` is not."""

    body: Proposition

    def __str__(self) -> str:
        return f"not {self.body}"


@dataclass(frozen=True)
class AllOf(Proposition):
    """All of the parts; of nothing: true."""

    parts: tuple[Proposition, ...]

    def __str__(self) -> str:
        if not self.parts:
            return "true"
        return f"({' and '.join(map(str, self.parts))})"


@dataclass(frozen=True)
class AnyOf(Proposition):
    """One of the parts; of nothing: false."""

    parts: tuple[Proposition, ...]

    def __str__(self) -> str:
        if not self.parts:
            return "false"
        return f"({' or '.join(map(str, self.parts))})"


@dataclass(frozen=True)
class Connectives(Generic[V]):
    """The connectives on some values."""

    negated: Callable[[V], V]
    every: Callable[[Iterable[V]], V]
    some: Callable[[Iterable[V]], V]


def fold(formula: Proposition, leaf: Callable[[Any], V], carrier: Connectives[V]) -> V:
    """The value of a formula by those of its leaves."""
    match formula:
        case Negation(body):
            return carrier.negated(fold(body, leaf, carrier))
        case AllOf(parts):
            values = (fold(part, leaf, carrier) for part in parts)
            return carrier.every(values)
        case AnyOf(parts):
            values = (fold(part, leaf, carrier) for part in parts)
            return carrier.some(values)
    return leaf(formula)


def parts(formula: Proposition) -> tuple[Proposition, ...]:
    """The formulas directly inside a formula."""
    match formula:
        case Negation(body):
            return (body,)
        case AllOf(several) | AnyOf(several):
            return several
    return ()


def leaves(formula: Proposition | None) -> Iterator[Any]:
    """The leaves of a formula, in their order; of none there are none."""
    if formula is None:
        return
    if not isinstance(formula, (Negation, AllOf, AnyOf)):
        yield formula
    for part in parts(formula):
        yield from leaves(part)


# truths: True, False, or None where that is unknown

Truth = bool | None


def negated(value: Truth) -> Truth:
    """The other truth; of unknown: unknown."""
    if value is None:
        return None
    return not value


def every(values: Iterable[Truth]) -> Truth:
    """False where one is false, else unknown where one is unknown."""
    unknown = False
    for value in values:
        if value is False:
            return False
        unknown = unknown or value is None
    return None if unknown else True


def some(values: Iterable[Truth]) -> Truth:
    """True where one is true, else unknown where one is unknown."""
    # De Morgan: one is true where the opposites are not all true.
    opposites = map(negated, values)
    return negated(every(opposites))


TRUTHS = Connectives(negated, every, some)

# constraints: when something is true, and when it is false; where neither holds it is
# unknown

Both = tuple[t.Term, t.Term]


def swapped(both: Both) -> Both:
    """When the opposite is true, and when it is false."""
    true, false = both
    return false, true


def every_both(several: Iterable[Both]) -> Both:
    """True where all are true, false where one is false."""
    trues, falses = [], []
    for true, false in several:
        trues.append(true)
        falses.append(false)
    all_true = t.conj(trues)
    one_false = t.disj(falses)
    return all_true, one_false


def some_both(several: Iterable[Both]) -> Both:
    """True where one is true, false where all are false."""
    opposites = map(swapped, several)
    return swapped(every_both(opposites))


BOTH = Connectives(swapped, every_both, some_both)


def where(there: Iterable[t.Term], term: t.Term) -> Both:
    """What a term says, unknown where some of ``there`` is not so."""
    known = list(there)
    true = t.conj((*known, term))
    false = t.conj((*known, t.neg(term)))
    return true, false


# formulas again, with other leaves

FORMULAS: Connectives[Proposition] = Connectives(
    Negation,
    lambda several: AllOf(tuple(several)),
    lambda several: AnyOf(tuple(several)),
)

# what comparisons are

OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def ordered(value: Any) -> Any:
    """A value as comparisons order it: texts by their bytes."""
    if isinstance(value, str):
        return value.encode()
    return value
