"""The reference semantics: Definition 4, clause by clause, exact and plain.  It is the judge.

A set of worlds is an integer whose bit w stands for world w, so that ``&``, ``|`` and ``^`` are the
set operations and truth sets are exact at any size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from phverify.spec import syntax as s

Worlds = int
"""A set of worlds as bits."""


@dataclass(frozen=True)
class Point:
    """Worlds at which an agent has the same successors and the same probability space.

    ``space`` is W_{w,a} and ``measure`` gives mu_{w,a} of its subsets.
    """

    worlds: Worlds
    successors: Worlds
    space: Worlds
    measure: Callable[[Worlds], Fraction]


class Model(Protocol):
    """A PH(@) model (Definition 3) over worlds 0 to size - 1."""

    @property
    def size(self) -> int: ...
    def world(self, name: s.Reference) -> int:
        """pi(i): the world of a nominal."""

    def extension(self, descriptor: s.Descriptor) -> Worlds:
        """pi(p): the worlds where a descriptor holds."""

    def points(self, agent: str, among: Worlds) -> Iterator[Point]:
        """The given worlds, grouped by what the agent knows there."""

    def criterion(self, node: s.Criterion, among: Worlds) -> Worlds:
        """Where a criterion holds by its own definition (models of a release only)."""


def everything(model: Model) -> Worlds:
    return (1 << model.size) - 1


def true_in(model: Model, formula: s.Formula) -> bool:
    """M |= phi: true at every world."""
    return truth_set(model, formula, everything(model)) == everything(model)


def holds(model: Model, world: int, formula: s.Formula) -> bool:
    """M, w |= phi."""
    return truth_set(model, formula, 1 << world) != 0


def truth_set(model: Model, formula: s.Formula, among: Worlds) -> Worlds:
    """The worlds of ``among`` where the formula is true.  Quantifiers must be written out first."""
    match formula:
        case s.Truth(value):
            return among if value else 0
        case s.Descriptor():
            return among & model.extension(formula)
        case s.Nominal(name):
            return among & 1 << model.world(name)
        case s.Not(body):
            return among ^ truth_set(model, body, among)
        case s.And(parts):
            for part in parts:
                among = truth_set(model, part, among)
            return among
        case s.Or(parts):
            rest = among
            for part in parts:
                rest ^= truth_set(model, part, rest)
            return among ^ rest
        case s.Implies(left, right):
            return truth_set(model, s.Or((s.Not(left), right)), among)
        case s.Iff(left, right):
            return among ^ truth_set(model, left, among) ^ truth_set(model, right, among)
        case s.Diamond(str(agent), body):
            return _collect(model, agent, among, lambda p: truth_set(model, body, p.successors) != 0)
        case s.Box(str(agent), body):
            return _collect(model, agent, among, lambda p: truth_set(model, body, p.successors) == p.successors)
        case s.At(name, body):
            return among if holds(model, model.world(name), body) else 0
        case s.Compare(left, op, right):
            difference = s.minus(left, right)
            return _where(model, difference, lambda value: compare(value, op), among)
        case s.Criterion():
            return model.criterion(formula, among)
    raise TypeError(f"write out {type(formula).__name__} before asking for its truth")


def _collect(model: Model, agent: str, among: Worlds, test: Callable[[Point], bool]) -> Worlds:
    return sum(point.worlds for point in model.points(agent, among) if test(point))


def compare(value: Fraction, op: str) -> bool:
    """``value op 0``."""
    return {"=": value == 0, "!=": value != 0, "<": value < 0, "<=": value <= 0, ">": value > 0, ">=": value >= 0}[op]


def _where(model: Model, linear: s.Linear, test: Callable[[Fraction], bool], among: Worlds) -> Worlds:
    """The worlds where the value of the sum passes the test; splits them by what each agent knows there."""
    agents = sorted({str(term.agent) for term in s.likelihoods(linear)})
    blocks = [among]
    for agent in agents:
        blocks = [point.worlds for block in blocks for point in model.points(agent, block)]
    return sum(block for block in blocks if test(value_at(model, linear, block)))


def value_at(model: Model, linear: s.Linear, block: Worlds) -> Fraction:
    """The value of a sum at worlds that no agent in it distinguishes."""
    total = linear.constant
    for coefficient, quantity in linear.terms:
        if isinstance(quantity, s.Abs):
            total += coefficient * abs(value_at(model, quantity.body, block))
        else:
            total += coefficient * likelihood_at(model, quantity, block)
    return total


def likelihood_at(model: Model, term: s.Likelihood, block: Worlds) -> Fraction:
    """mu_{w,a}(|phi| intersected with W_{w,a}) for the worlds w of the block."""
    point = next(model.points(str(term.agent), block))
    return point.measure(truth_set(model, term.body, point.space))
