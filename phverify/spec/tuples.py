"""Formulas as nested tuples: what is inside them, and variables replaced."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from phverify.spec import syntax as s
from phverify.spec.source import Refused

Formula = tuple[Any, ...]
Linear = tuple[Any, Any]
"""(terms, constant): terms are pairs of a coefficient and a quantity."""


def likelihoods(linear: Linear) -> Iterator[Formula]:
    """All likelihood terms of a sum, those inside ``abs`` too."""
    for _, quantity in linear[0]:
        if quantity[0] == "abs":
            yield from likelihoods(quantity[1])
        else:
            yield quantity


def children(f: Formula) -> Iterator[Formula]:
    """The formulas right below, those inside likelihoods too."""
    match f:
        case ("not", body) | ("some" | "every" | "at", _, body) | ("forall" | "exists", _, body):
            yield body
        case ("and" | "or", parts):
            yield from parts
        case ("implies" | "iff", left, right):
            yield from (left, right)
        case ("compare", left, _, right):
            yield from (term[2] for side in (left, right) for term in likelihoods(side))


def below(f: Formula) -> Iterator[Formula]:
    """The formula and everything inside it."""
    yield f
    for child in children(f):
        yield from below(child)


def alike(f: Formula) -> bool:
    """Whether a formula that names nobody has one truth value in a class: no descriptor stands outside the operators.

    Agents cannot tell the rows of a class apart.
    """
    if f[0] in ("compare", "some", "every", "criterion"):
        return True
    return f[0] != "is" and all(map(alike, children(f)))


def substitute(f: Formula, values: Mapping[str, Any]) -> Formula:
    """The formula with variables replaced; every variable is bound once in it, so nothing is captured.

    An individual is ("person", k) or ("row", k) or ("var", x); a value a label; an agent its name; a clause a formula.
    """
    if not values:
        return f

    def put(item: Any) -> Any:
        return values.get(item[1], item) if type(item) is tuple and item[:1] == ("var",) else item

    def inside(linear: Linear) -> Linear:
        return tuple((c, quantity(q)) for c, q in linear[0]), linear[1]

    def quantity(q: Formula) -> Formula:
        return ("abs", inside(q[1])) if q[0] == "abs" else ("l", put(q[1]), substitute(q[2], values))

    match f:
        case ("is", column, op, operands):
            return ("is", column, op, tuple(map(put, operands)))
        case ("who", name):
            return ("who", put(name))
        case ("clause", name):
            chosen: Formula = values.get(name, f)
            return chosen
        case ("not", body):
            return ("not", substitute(body, values))
        case ("and" | "or", parts):
            return (f[0], tuple(substitute(part, values) for part in parts))
        case ("implies" | "iff", left, right):
            return (f[0], substitute(left, values), substitute(right, values))
        case ("some" | "every" | "at", who, body):
            return (f[0], put(who), substitute(body, values))
        case ("forall" | "exists", binders, body):
            return (f[0], binders, substitute(body, values))
        case ("compare", left, op, right):
            return ("compare", inside(left), op, inside(right))
    return f


def told(node: s.Formula) -> Formula:
    """What a criterion says of a class, as nested tuples.  Raises Refused for a formula about individuals."""
    match node:
        case s.Truth(value):
            return ("true",) if value else ("false",)
        case s.Descriptor(column, op, values):
            return ("is", column, op, tuple(("var", v.name) if isinstance(v, s.Var) else v.text for v in values))
        case s.Chosen(var):
            return ("clause", var.name)
        case s.Not(body):
            return ("not", told(body))
        case s.And(parts) | s.Or(parts):
            return ("and" if isinstance(node, s.And) else "or", tuple(map(told, parts)))
        case s.Implies(left, right) | s.Iff(left, right):
            return ("implies" if isinstance(node, s.Implies) else "iff", told(left), told(right))
        case s.Diamond(agent, body) | s.Box(agent, body):
            return ("some" if isinstance(node, s.Diamond) else "every", agent, told(body))
        case s.Compare(left, op, right):
            return ("compare", _sum(left), op, _sum(right))
        case s.Quantified(universal, binders, body):
            bound = tuple((b.var.name, b.sort, b.attribute, b.length) for b in binders)
            return ("forall" if universal else "exists", bound, told(body))
    raise Refused(f"a criterion about individuals is not written out: {node!r}")


def _sum(linear: s.Linear) -> Linear:
    return tuple((factor, _quantity(quantity)) for factor, quantity in linear.terms), linear.constant


def _quantity(quantity: s.Likelihood | s.Abs) -> Formula:
    if isinstance(quantity, s.Abs):
        return ("abs", _sum(quantity.body))
    return ("l", quantity.agent, told(quantity.body))
