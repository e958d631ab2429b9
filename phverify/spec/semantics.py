"""The reference semantics: Definition 4, clause by clause, exact and plain.

It is the judge.

A set of worlds is an integer whose bit w stands for world w, so that ``&``, ``|`` and
``^`` are the set operations and truth sets are exact at any size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from phverify.spec import syntax as s
from phverify.spec.fold import Carrier

Worlds = int
"""A set of worlds as bits."""


@dataclass(frozen=True)
class Viewpoint:
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
    def size(self) -> int:
        """The number of worlds."""

    def world(self, name: s.Reference) -> int:
        """pi(i): the world of a nominal."""

    def extension(self, descriptor: s.Descriptor) -> Worlds:
        """pi(p): the worlds where a descriptor holds."""

    def viewpoints(self, agent: str, among: Worlds) -> Iterator[Viewpoint]:
        """The given worlds, grouped by what the agent knows there."""

    def criterion(self, node: s.Criterion, among: Worlds) -> Worlds:
        """Where a criterion holds by its own definition (models of a release only)."""


def everything(model: Model) -> Worlds:
    """All worlds of a model."""
    return (1 << model.size) - 1


def true_in(model: Model, formula: s.Formula) -> bool:
    """M |= phi: true at every world."""
    worlds = everything(model)
    true = truth_set(model, formula, worlds)
    return true == worlds


def holds(model: Model, world: int, formula: s.Formula) -> bool:
    """M, w |= phi."""
    here = 1 << world
    true = truth_set(model, formula, here)
    return true != 0


def truth_set(model: Model, formula: s.Formula, among: Worlds) -> Worlds:
    """The worlds of ``among`` where the formula is true.

    Quantifiers must be written out first.
    """
    truths = _TruthSets(model)
    return truths.truth(formula, among)


@dataclass(frozen=True)
class _TruthSets(Carrier[Worlds, Worlds]):
    """Definition 4: truth is a set of worlds, out of those that are asked for."""

    model: Model

    def constant(self, value: bool, among: Worlds) -> Worlds:
        return among if value else 0

    def negation(self, truth: Worlds, among: Worlds) -> Worlds:
        # Truth is within ``among``: what differs from it is the rest.
        return among ^ truth

    def conjunction(self, truths: Iterator[Worlds], among: Worlds) -> Worlds:
        for truth in truths:
            among &= truth
            # No world is left to ask the other parts about.
            if not among:
                break
        return among

    def descriptor(self, formula: s.Descriptor, among: Worlds) -> Worlds:
        return among & self.model.extension(formula)

    def nominal(self, formula: s.Nominal, among: Worlds) -> Worlds:
        world = self.model.world(formula.name)
        return among & 1 << world

    def somewhere(
        self, formula: s.Diamond | s.Box, agent: str, wanted: bool, among: Worlds
    ) -> Worlds:
        # ``[a]`` fails where the opposite is possible.
        body = formula.body if wanted else s.Not(formula.body)
        somewhere = 0
        for view in self.model.viewpoints(agent, among):
            # Not empty: at a world that the agent holds for possible it is true.
            if self.truth(body, view.successors):
                somewhere |= view.worlds
        return somewhere

    def at(self, formula: s.At, among: Worlds) -> Worlds:
        # It is about one world: the same is said at all of them.
        world = self.model.world(formula.name)
        if holds(self.model, world, formula.body):
            return among
        return 0

    def compare(
        self, formula: s.Compare, difference: s.Linear, among: Worlds
    ) -> Worlds:
        def test(value: Fraction) -> bool:
            return s.RELATIONS[formula.op](value, 0)

        return _where(self.model, difference, test, among)

    def criterion(self, formula: s.Criterion, among: Worlds) -> Worlds:
        return self.model.criterion(formula, among)


def _where(
    model: Model, linear: s.Linear, test: Callable[[Fraction], bool], among: Worlds
) -> Worlds:
    """The worlds where the value of the sum passes the test.

    They are split by what each agent knows there: in a block the value is the same.
    """
    agents = sorted({str(term.agent) for term in s.likelihoods(linear)})
    blocks = [among]
    for agent in agents:
        blocks = [
            view.worlds for block in blocks for view in model.viewpoints(agent, block)
        ]
    # Blocks share no world: their sum as integers is their union.
    return sum(block for block in blocks if test(value_at(model, linear, block)))


def value_at(model: Model, linear: s.Linear, block: Worlds) -> Fraction:
    """The value of a sum at worlds that no agent in it distinguishes."""
    total = linear.constant
    for coefficient, quantity in linear.terms:
        if isinstance(quantity, s.Abs):
            # The agents inside have split the worlds as well.
            total += coefficient * abs(value_at(model, quantity.body, block))
        else:
            total += coefficient * likelihood_at(model, quantity, block)
    return total


def likelihood_at(model: Model, term: s.Likelihood, block: Worlds) -> Fraction:
    """mu_{w,a}(|phi| intersected with W_{w,a}) for the worlds w of the block."""
    # A block lies in one view of the agent: the first is the only one.
    view = next(model.viewpoints(str(term.agent), block))
    # Only worlds of the space have a probability there.
    event = truth_set(model, term.body, view.space)
    return view.measure(event)
