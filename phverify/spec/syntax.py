"""PH(@) as data (Definition 1, with its abbreviations): frozen nodes, compared without
their spans.

Names come in two forms.  The parser leaves what the user wrote (``Name``); ``names``
replaces it by what it stands for (``Person``, ``Row``).  ``Var`` is bound by a
quantifier schema.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
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
    """``true`` or ``false``."""

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
    """``~phi``."""

    body: Formula


@dataclass(frozen=True, slots=True)
class And(Formula):
    """``phi & psi & ..``; true where there are no parts."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or(Formula):
    """``phi | psi | ..``; false where there are no parts."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Implies(Formula):
    """``phi -> psi``."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Iff(Formula):
    """``phi <-> psi``."""

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


OVER_ONE = (Not, Diamond, Box, At, Quantified, NeverKnown)
"""What has one formula right below it."""
TRUE, FALSE = Truth(True), Truth(False)


def conj(*parts: Formula) -> Formula:
    """All of these: true where there are none, a single one as it is."""
    if len(parts) == 1:
        return parts[0]
    if parts:
        return And(tuple(parts))
    return TRUE


def disj(*parts: Formula) -> Formula:
    """One of these: false where there are none, a single one as it is."""
    if len(parts) == 1:
        return parts[0]
    if parts:
        return Or(tuple(parts))
    return FALSE


def number(value: Fraction | int) -> Linear:
    """A number as a sum."""
    return Linear((), Fraction(value))


def likelihood(agent: Agent, body: Formula, coefficient: Fraction | int = 1) -> Linear:
    """``coefficient * l_agent(body)``."""
    term = Likelihood(agent, body)
    return Linear(((Fraction(coefficient), term),))


def plus(*sums: Linear) -> Linear:
    """The sum of linear expressions."""
    terms = [term for linear in sums for term in linear.terms]
    constant = sum((linear.constant for linear in sums), Fraction(0))
    return Linear(tuple(terms), constant)


def minus(left: Linear, right: Linear) -> Linear:
    """``left - right``."""
    opposite = times(-1, right)
    return plus(left, opposite)


def times(factor: Fraction | int, body: Linear) -> Linear:
    """A linear expression with all its coefficients multiplied."""
    by = Fraction(factor)
    terms = [(by * coefficient, term) for coefficient, term in body.terms]
    return Linear(tuple(terms), by * body.constant)


def equals(attribute: str, value: str | None) -> Descriptor:
    """``attribute = value``."""
    operand = Value(value)
    return Descriptor(attribute, "=", (operand,))


def among(attribute: str, values: tuple[str | None, ...]) -> Descriptor:
    """``attribute in {values}``."""
    return Descriptor(attribute, "in", tuple(map(Value, values)))


RELATIONS: Mapping[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "!=": operator.ne,
    "=": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
}
"""What the signs of comparisons and descriptors mean."""
Formulas = tuple[Formula, ...]
Binders = tuple[Binder, ...]


def texts(descriptor: Descriptor) -> list[str | None]:
    """The values that a descriptor names.  Raises TypeError for a variable: write
    schemas out first.
    """
    values = [value for value in descriptor.values if isinstance(value, Value)]
    if len(values) < len(descriptor.values):
        raise TypeError(f"{descriptor} has a variable for a value")
    return [value.text for value in values]


def children(formula: Formula) -> Iterator[Formula]:
    """The formulas right below, those inside likelihoods too."""
    if isinstance(formula, OVER_ONE):
        yield formula.body
    match formula:
        case And(parts) | Or(parts):
            yield from parts
        case Implies(left, right) | Iff(left, right):
            yield left
            yield right
        case Compare(left, _, right):
            for term in (*likelihoods(left), *likelihoods(right)):
                yield term.body


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


def map_linear(
    linear: Linear, change: Callable[[Likelihood], Likelihood | Fraction]
) -> Linear:
    """The sum with its likelihoods replaced: by others, or by numbers."""
    terms: list[tuple[Fraction, Likelihood | Abs]] = []
    constant = linear.constant
    for coefficient, quantity in linear.terms:
        if isinstance(quantity, Abs):
            terms.append((coefficient, Abs(map_linear(quantity.body, change))))
            continue
        replacement = change(quantity)
        if isinstance(replacement, Fraction):
            # A likelihood that is known is a number like any other.
            constant += coefficient * replacement
        else:
            terms.append((coefficient, replacement))
    return Linear(tuple(terms), constant)


def map_sides(
    formula: Compare, change: Callable[[Likelihood], Likelihood | Fraction]
) -> Compare:
    """The same comparison over changed likelihoods."""
    left = map_linear(formula.left, change)
    right = map_linear(formula.right, change)
    return Compare(left, formula.op, right, span=formula.span)


def rebuild(formula: Formula, change: Callable[[Formula], Formula]) -> Formula:
    """The formula with ``change`` applied to everything right below it."""
    if isinstance(formula, OVER_ONE):
        return replace(formula, body=change(formula.body))
    match formula:
        case And(parts) | Or(parts):
            return replace(formula, parts=tuple(map(change, parts)))
        case Implies(left, right) | Iff(left, right):
            return replace(formula, left=change(left), right=change(right))
        case Compare():
            return map_sides(
                formula, lambda term: Likelihood(term.agent, change(term.body))
            )
    return formula


Substitution = Mapping[str, Reference | Operand | str | Formula]
"""What stands for each variable: a person, a value, an agent or a clause."""


def substitute(formula: Formula, values: Substitution) -> Formula:
    """The formula with free variables replaced: persons, values, agents or clauses by
    variable name.
    """
    if not values:
        return formula
    match formula:
        case Chosen(var):
            chosen = values.get(var.name, formula)
            if isinstance(chosen, Formula):
                return chosen
            return formula
        case Quantified(_, binders, _):
            # Below, these names are the schema's own variables.
            own = {binder.var.name for binder in binders}
            values = {name: item for name, item in values.items() if name not in own}
        case _:
            formula = _substitute_names(formula, values)
    return rebuild(formula, lambda child: substitute(child, values))


def _substitute_names(formula: Formula, values: Substitution) -> Formula:
    """The formula with the variables replaced that it names itself, not those below."""

    def replaced(item: Any) -> Any:
        if isinstance(item, Var):
            return values.get(item.name, item)
        return item

    match formula:
        case Nominal(name) | At(name):
            return replace(formula, name=replaced(name))
        case Descriptor(_, _, operands):
            return replace(formula, values=tuple(map(replaced, operands)))
        case Diamond(agent) | Box(agent):
            return replace(formula, agent=replaced(agent))
        case Compare():
            return map_sides(
                formula, lambda term: Likelihood(replaced(term.agent), term.body)
            )
    return formula
