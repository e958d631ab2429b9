"""PH(@) as data (Definition 1, with its abbreviations): frozen nodes, compared without
their spans.

Names come in two forms.  The parser leaves what the user wrote (``Name``); ``names``
replaces it by what it stands for (``Person``, ``Row``).  ``Var`` is bound by a
quantifier schema.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any


@dataclass(frozen=True, slots=True)
class Span:
    """Where a node stands in the text: offsets of its first and last character."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Name:
    """A nominal as written; ``quoted`` names are values of the identifier column."""

    text: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Var:
    """A variable bound by a quantifier schema."""

    name: str


@dataclass(frozen=True, slots=True)
class Person:
    """Individual number ``index`` (from 0): an element of U."""

    index: int
    text: str = field(compare=False, default="")


@dataclass(frozen=True, slots=True)
class Row:
    """The pseudonym of row ``index`` (from 0): an element of U'."""

    index: int


@dataclass(frozen=True, slots=True)
class Value:
    """A value of an attribute; ``text is None`` is a missing cell."""

    text: str | None


Reference = Name | Var | Person | Row
Operand = Value | Var
Agent = str | Var


@dataclass(frozen=True, slots=True)
class Formula:
    """Base of all formulas."""

    span: Span | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Truth(Formula):
    value: bool


@dataclass(frozen=True, slots=True)
class Descriptor(Formula):
    """``attribute op values``; ``op`` is one of = != < <= > >= in (only ``in`` has
    several values).
    """

    attribute: str
    op: str
    values: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Nominal(Formula):
    """True at exactly one world."""

    name: Reference


@dataclass(frozen=True, slots=True)
class Chosen(Formula):
    """A formula variable: the clause that a schema over clauses chooses."""

    var: Var


@dataclass(frozen=True, slots=True)
class Not(Formula):
    body: Formula


@dataclass(frozen=True, slots=True)
class And(Formula):
    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or(Formula):
    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Implies(Formula):
    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Iff(Formula):
    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Diamond(Formula):
    """``<a> phi``: true at some world that agent a takes for possible."""

    agent: Agent
    body: Formula


@dataclass(frozen=True, slots=True)
class Box(Formula):
    """``[a] phi``: true at every world that agent a takes for possible."""

    agent: Agent
    body: Formula


@dataclass(frozen=True, slots=True)
class At(Formula):
    """``@i phi``: phi is true where i is."""

    name: Reference
    body: Formula


@dataclass(frozen=True, slots=True)
class Likelihood:
    """``l_a(phi)``, the probability that agent a gives to phi."""

    agent: Agent
    body: Formula


@dataclass(frozen=True, slots=True)
class Abs:
    """``abs(sum)``; an abbreviation, since a sum is either >= 0 or < 0."""

    body: Linear


@dataclass(frozen=True, slots=True)
class Linear:
    """``r1 q1 + ... + rk qk + constant`` with rational coefficients."""

    terms: tuple[tuple[Fraction, Likelihood | Abs], ...]
    constant: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True)
class Compare(Formula):
    """A linear likelihood formula; ``op`` is one of = != < <= > >=."""

    left: Linear
    op: str
    right: Linear


@dataclass(frozen=True, slots=True)
class Binder:
    """A schema variable and its range.

    ``sort`` is individuals, values (of ``attribute``), clauses (of ``attribute``, at
    most ``length`` values) or agents.
    """

    var: Var
    sort: str
    attribute: str = ""
    length: int = 0


@dataclass(frozen=True, slots=True)
class Quantified(Formula):
    """A schema: the conjunction (``forall``) or disjunction (``exists``) of its
    instances.
    """

    universal: bool
    binders: tuple[Binder, ...]
    body: Formula


@dataclass(frozen=True, slots=True)
class NeverKnown(Formula):
    """``never_known(phi)``: phi is not true in all models that satisfy the assumptions.

    It speaks of all models at once, so that it stands at the top of a rule only, below
    ``forall`` and ``&``.
    """

    body: Formula


@dataclass(frozen=True, slots=True)
class Criterion(Formula):
    """A published criterion by name; stands for its theorem's formula."""

    name: str
    args: tuple[str, ...] = ()
    named: tuple[tuple[str, str], ...] = ()


TRUE, FALSE = Truth(True), Truth(False)


def conj(*parts: Formula) -> Formula:
    return parts[0] if len(parts) == 1 else And(tuple(parts)) if parts else TRUE


def disj(*parts: Formula) -> Formula:
    return parts[0] if len(parts) == 1 else Or(tuple(parts)) if parts else FALSE


def number(value: Fraction | int) -> Linear:
    return Linear((), Fraction(value))


def likelihood(agent: Agent, body: Formula, coefficient: Fraction | int = 1) -> Linear:
    return Linear(((Fraction(coefficient), Likelihood(agent, body)),))


def plus(*sums: Linear) -> Linear:
    """The sum of linear expressions."""
    return Linear(
        tuple(t for s in sums for t in s.terms),
        sum((s.constant for s in sums), Fraction(0)),
    )


def minus(left: Linear, right: Linear) -> Linear:
    return plus(left, times(-1, right))


def times(factor: Fraction | int, body: Linear) -> Linear:
    f = Fraction(factor)
    return Linear(tuple((f * c, q) for c, q in body.terms), f * body.constant)


def equals(attribute: str, value: str | None) -> Descriptor:
    return Descriptor(attribute, "=", (Value(value),))


def among(attribute: str, values: tuple[str | None, ...]) -> Descriptor:
    return Descriptor(attribute, "in", tuple(Value(v) for v in values))


Formulas = tuple[Formula, ...]
Binders = tuple[Binder, ...]


def texts(descriptor: Descriptor) -> list[str | None]:
    """The values that a descriptor names.  Raises TypeError for a variable: write
    schemas out first.
    """
    if any(isinstance(v, Var) for v in descriptor.values):
        raise TypeError(f"{descriptor} has a variable for a value")
    return [v.text for v in descriptor.values if isinstance(v, Value)]


def children(formula: Formula) -> Iterator[Formula]:
    """The formulas right below, those inside likelihoods too."""
    match formula:
        case (
            Not(body)
            | Diamond(_, body)
            | Box(_, body)
            | At(_, body)
            | Quantified(_, _, body)
            | NeverKnown(body)
        ):
            yield body
        case And(parts) | Or(parts):
            yield from parts
        case Implies(left, right) | Iff(left, right):
            yield left
            yield right
        case Compare(left, _, right):
            yield from _inside(left)
            yield from _inside(right)


def _inside(linear: Linear) -> Iterator[Formula]:
    for _, quantity in linear.terms:
        match quantity:
            case Likelihood(_, body):
                yield body
            case Abs(body):
                yield from _inside(body)


def subformulas(formula: Formula) -> Iterator[Formula]:
    """The formula and everything below it."""
    yield formula
    for child in children(formula):
        yield from subformulas(child)


def likelihoods(linear: Linear) -> Iterator[Likelihood]:
    """All likelihood terms, those inside ``abs`` too."""
    for _, quantity in linear.terms:
        if isinstance(quantity, Likelihood):
            yield quantity
        else:
            yield from likelihoods(quantity.body)


def map_linear(linear: Linear, change: Callable[[Likelihood], Likelihood]) -> Linear:
    """The same sum over changed likelihoods."""
    return Linear(
        tuple(
            (
                c,
                (
                    change(q)
                    if isinstance(q, Likelihood)
                    else Abs(map_linear(q.body, change))
                ),
            )
            for c, q in linear.terms
        ),
        linear.constant,
    )


def rebuild(formula: Formula, change: Callable[[Formula], Formula]) -> Formula:
    """The formula with ``change`` applied to everything right below it."""
    match formula:
        case (
            Not(body)
            | Diamond(_, body)
            | Box(_, body)
            | At(_, body)
            | Quantified(_, _, body)
            | NeverKnown(body)
        ):
            return replace(formula, body=change(body))
        case And(parts) | Or(parts):
            return replace(formula, parts=tuple(map(change, parts)))
        case Implies(left, right) | Iff(left, right):
            return replace(formula, left=change(left), right=change(right))
        case Compare(left, op, right):

            def inside(term: Likelihood) -> Likelihood:
                return Likelihood(term.agent, change(term.body))

            return Compare(
                map_linear(left, inside),
                op,
                map_linear(right, inside),
                span=formula.span,
            )
    return formula


def substitute(
    formula: Formula, values: dict[str, Reference | Operand | str | Formula]
) -> Formula:
    """The formula with free variables replaced: persons, values, agents or clauses by
    variable name.
    """
    if not values:
        return formula

    def get(item: Any) -> Any:
        return values.get(item.name, item) if isinstance(item, Var) else item

    match formula:
        case Nominal(name):
            return replace(formula, name=get(name))
        case Chosen(var):
            chosen = values.get(var.name, formula)
            return chosen if isinstance(chosen, Formula) else formula
        case Descriptor(_, _, operands):
            return replace(formula, values=tuple(get(v) for v in operands))
        case Quantified(_, binders, _):
            bound = {binder.var.name for binder in binders}
            values = {
                name: value for name, value in values.items() if name not in bound
            }
        case At(name):
            formula = replace(formula, name=get(name))
        case Diamond(agent) | Box(agent):
            formula = replace(formula, agent=get(agent))
        case Compare(left, op, right):

            def inside(term: Likelihood) -> Likelihood:
                return Likelihood(get(term.agent), term.body)

            formula = Compare(
                map_linear(left, inside),
                op,
                map_linear(right, inside),
                span=formula.span,
            )
    return rebuild(formula, lambda child: substitute(child, values))


__all__ = [
    name
    for name in dir()
    if not name.startswith("_") and name not in ("annotations", "fields")
]
