"""Definition 4 over a symbolic class: the truth of a formula as a condition on unknown
counts.

A frame has *kinds* of worlds, not worlds: all worlds of a kind have one value of the
attribute ``f`` and hold the same people, and how many there are is unknown.  The cases
are those of ``phverify.spec.semantics``, in its order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from phverify.spec import syntax as s
from phverify.spec.schemas import expand
from phverify.spec.signature import Attribute, Signature
from phverify.spec.types import TEXT
from theorems.term import (
    ONE,
    ZERO,
    Lin,
    atom,
    compare,
    conj,
    disj,
    implies,
    ite,
    neg,
    size,
    total,
)


@dataclass(frozen=True)
class Kind:
    """Worlds of one class with one value of f (its number in the domain) and the same
    people.
    """

    value: int = 0
    people: tuple[int, ...] = ()
    cell: int = 0


@dataclass(frozen=True)
class Frame:
    """Kinds of worlds, and for each agent the weight of a kind in the cell of a world
    of some kind.

    Weights are numbers of worlds, or with ``shares`` the probabilities themselves (then
    each cell weighs 1). ``inside`` are the kinds at whose worlds a formula is asked;
    ``chosen`` gives the extensions of formula variables, a Boolean text for each value;
    ``symbols`` stand for constants: ``Fraction`` -> its symbol, or the symbol of its
    reciprocal.  ``products`` keep a symbol's products with atoms linear: an unknown for
    each.
    """

    kinds: tuple[Kind, ...]
    spaces: Mapping[str, Mapping[Kind, tuple[tuple[Kind, Lin], ...]]]
    inside: tuple[Kind, ...]
    shares: bool = False
    chosen: Mapping[str, Sequence[str]] = field(default_factory=dict)
    symbols: Mapping[Fraction, str] = field(default_factory=dict)
    reciprocals: Mapping[Fraction, str] = field(default_factory=dict)
    products: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    known: dict[tuple[s.Formula, Kind], str] = field(default_factory=dict)
    """Truths of what is the same throughout a class, by the first kind of the class."""

    def space(self, agent: s.Agent, kind: Kind) -> tuple[tuple[Kind, Lin], ...]:
        """What the agent takes for possible at a world of this kind, with weights."""
        return self.spaces[str(agent)][kind]

    def home(self, person: int) -> Sequence[Kind]:
        """The kinds of worlds where a person can be: exactly one world of exactly one
        of them.
        """
        return [kind for kind in self.kinds if person in kind.people]


def present(weight: Lin) -> str:
    """Whether there are worlds of a kind."""
    return compare(weight, ">")


def signature(m: int, persons: int = 1, rows: int = 0) -> Signature:
    """One attribute f with the values 0 to m - 1."""
    attribute = Attribute("f", TEXT, tuple(map(str, range(m))))
    return Signature({"f": attribute}, ("a0", "a1"), rows or persons, (), persons)


def valid(formula: s.Formula, frame: Frame, m: int, persons: int = 1) -> str:
    """The formula is true at every world of the kinds inside: schemas are written out
    first.
    """
    written = expand(formula, signature(m, persons))
    found: dict[str, list[str]] = {}
    for kind in frame.inside:
        weights = dict(frame.space("a1", kind))
        found.setdefault(truth(written, frame, kind), []).append(present(weights[kind]))
    if len(found) == 1:  # no class is empty
        return next(iter(found))
    return conj(implies(disj(places), body) for body, places in found.items())


def truth(formula: s.Formula, frame: Frame, kind: Kind) -> str:
    """M, w |= phi for the worlds w of a kind."""

    def here(body: s.Formula) -> str:
        return truth(body, frame, kind)

    match formula:
        case s.Truth(value):
            return "true" if value else "false"
        case s.Descriptor(_, _, operands):
            named = [v.text for v in operands if isinstance(v, s.Value)]
            return (
                "true"
                if (str(kind.value) in named) != (formula.op == "!=")
                else "false"
            )
        case s.Chosen(var):
            return frame.chosen[var.name][kind.value]
        case s.Nominal(s.Person(index)):
            return "true" if index in kind.people else "false"
        case s.Not(body):
            return neg(here(body))
        case s.And(parts):
            return conj(map(here, parts))
        case s.Or(parts):
            return disj(map(here, parts))
        case s.Implies(left, right):
            return implies(here(left), here(right))
        case s.Diamond() | s.Box() | s.Compare():
            key = formula, frame.space("a1", kind)[0][0]
            if key not in frame.known:
                frame.known[key] = throughout(formula, frame, kind)
            return frame.known[key]
        case s.At(s.Person(index), body):
            places = [
                (place, dict(frame.space("a1", place))[place])
                for place in frame.home(index)
            ]
            return conj(
                implies(present(weight), truth(body, frame, place))
                for place, weight in places
            )
    raise TypeError(f"no symbolic truth for {type(formula).__name__}")


def throughout(formula: s.Formula, frame: Frame, kind: Kind) -> str:
    """The same for what no agent distinguishes: it is true at all worlds of a class or
    at none.
    """
    match formula:
        case s.Diamond(agent, body):
            cell = frame.space(agent, kind)
            return disj(
                conj((present(weight), truth(body, frame, other)))
                for other, weight in cell
            )
        case s.Box(agent, body):
            cell = frame.space(agent, kind)
            return conj(
                implies(present(weight), truth(body, frame, other))
                for other, weight in cell
            )
        case s.Compare(left, op, right):
            return comparison(left, op, right, frame, kind)
    raise TypeError(f"no symbolic truth for {type(formula).__name__}")


def comparison(
    left: s.Linear, op: str, right: s.Linear, frame: Frame, kind: Kind
) -> str:
    """A linear likelihood formula, multiplied by the size of the cell and by the
    symbolic denominator, if any.
    """
    agents = sorted(
        {str(term.agent) for side in (left, right) for term in s.likelihoods(side)}
    )
    sizes = (
        {total(w for _, w in frame.space(agent, kind)) for agent in agents}
        if not frame.shares
        else {ONE}
    )
    if len(sizes) > 1:
        raise TypeError("likelihoods of several agents need shares for weights")
    (unit,) = sizes or {ONE}
    below = [
        frame.reciprocals[c]
        for c in (left.constant, right.constant)
        if c in frame.reciprocals
    ]
    scale = Scale(unit, frame, below[0] if below else "")
    return compare(scale.side(left, kind) - scale.side(right, kind), op)


@dataclass(frozen=True)
class Scale:
    """What both sides of a comparison are multiplied by: the size of the cell, and a
    symbol.
    """

    unit: Lin
    frame: Frame
    symbol: str

    def side(self, linear: s.Linear, kind: Kind) -> Lin:
        """The value of one side, scaled."""
        terms = [self.times(c, self.weight(q, kind)) for c, q in linear.terms]
        return total([*terms, self.times(linear.constant, self.unit)])

    def weight(self, quantity: s.Likelihood | s.Abs, kind: Kind) -> Lin:
        if isinstance(quantity, s.Abs):
            return atom(size(self.side(quantity.body, kind).text))
        parts = []
        for other, measure in self.frame.space(quantity.agent, kind):
            test = truth(quantity.body, self.frame, other)
            parts.append(
                measure
                if test == "true"
                else ZERO
                if test == "false"
                else atom(ite(test, measure.text, "0"))
            )
        return total(parts)

    def times(self, factor: Fraction, body: Lin) -> Lin:
        """A constant times a sum times the symbol; the constant may itself stand for a
        symbol or its reciprocal.
        """
        if factor in self.frame.reciprocals:
            return body
        body = self.product(self.symbol, body) if self.symbol else body
        for sign in (1, -1):
            if sign * factor in self.frame.symbols:
                return self.product(self.frame.symbols[sign * factor], body) * sign
        return body * factor

    def product(self, symbol: str, body: Lin) -> Lin:
        """A symbol times a sum: linear where the sum is a number, or where there are
        unknowns for the products.
        """
        if known := self.frame.products.get(symbol):
            return total(
                [
                    *(atom(known[a]) * c for a, c in body.terms),
                    atom(symbol) * body.constant,
                ]
            )
        return (
            atom(f"(* {symbol} {body.text})")
            if body.terms
            else atom(symbol) * body.constant
        )
