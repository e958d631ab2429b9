"""The one fold over the syntax of PH(@): Definition 4's cases, for whatever a truth
value may be.

A *carrier* says what truth values are (sets of worlds, columns of cells, constraints,
..), how they are negated and joined, and what the atoms and operators of the logic are.
A *place* is where a formula is looked at: a world, a kind of worlds, a class.  What a
carrier does not know it refuses.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Generic, TypeVar

from phverify.spec import syntax as s

Truth = TypeVar("Truth")
Place = TypeVar("Place")


class Carrier(ABC, Generic[Truth, Place]):
    """What formulas mean in one kind of truth values; ``truth`` is asked for every
    subformula.
    """

    def truth(self, formula: s.Formula, place: Place) -> Truth:
        """The truth of a formula at a place.  A carrier that remembers overrides it."""
        return fold(self, formula, place)

    @abstractmethod
    def constant(self, value: bool, place: Place) -> Truth:
        """True, or false."""

    @abstractmethod
    def negation(self, truth: Truth, place: Place) -> Truth:
        """True where it is not."""

    @abstractmethod
    def conjunction(self, truths: Iterator[Truth], place: Place) -> Truth:
        """True where all are; it may stop asking for more of them."""

    def disjunction(self, truths: Iterator[Truth], place: Place) -> Truth:
        """True where one of them is."""
        none = self.conjunction((self.negation(one, place) for one in truths), place)
        return self.negation(none, place)

    def implication(self, sides: Iterator[Truth], place: Place) -> Truth:
        """True where the second side is if the first is; it need not ask for the
        second.
        """
        return self.disjunction(self._implied(sides, place), place)

    def _implied(self, sides: Iterator[Truth], place: Place) -> Iterator[Truth]:
        yield self.negation(next(sides), place)
        yield from sides

    def same(self, left: Truth, right: Truth, place: Place) -> Truth:
        """True where both or none is."""
        negated = (self.negation(left, place), self.negation(right, place))
        neither = self.conjunction(iter(negated), place)
        both = self.conjunction(iter((left, right)), place)
        return self.disjunction(iter((both, neither)), place)

    def descriptor(self, formula: s.Descriptor, place: Place) -> Truth:
        """``attribute op values``."""
        return self.other(formula, place)

    def nominal(self, formula: s.Nominal, place: Place) -> Truth:
        """An individual or a record: true where it is."""
        return self.other(formula, place)

    def chosen(self, formula: s.Chosen, place: Place) -> Truth:
        """The clause that a schema over clauses chooses."""
        return self.other(formula, place)

    def somewhere(
        self, formula: s.Diamond | s.Box, agent: str, wanted: bool, place: Place
    ) -> Truth:
        """The body of ``<agent> body`` or ``[agent] body`` has the wanted truth at some
        world of the agent's cell.
        """
        return self.other(formula, place)

    def everywhere(self, formula: s.Box, agent: str, place: Place) -> Truth:
        """``[agent] body``."""
        broken = self.somewhere(formula, agent, False, place)
        return self.negation(broken, place)

    def at(self, formula: s.At, place: Place) -> Truth:
        """``@i body``."""
        return self.other(formula, place)

    def compare(self, formula: s.Compare, difference: s.Linear, place: Place) -> Truth:
        """``difference op 0``, where the difference is that of both sides."""
        return self.other(formula, place)

    def schema(self, formula: s.Quantified, place: Place) -> Truth:
        """``forall`` or ``exists``, for carriers that need not write it out."""
        return self.other(formula, place)

    def criterion(self, formula: s.Criterion, place: Place) -> Truth:
        """A criterion that is decided by its definition, not by its formula."""
        return self.other(formula, place)

    def other(self, formula: s.Formula, place: Place) -> Truth:
        """A formula that the carrier has no meaning for, or one of its own."""
        raise TypeError(f"no meaning here: {formula!r}")


def fold(carrier: Carrier[Truth, Place], formula: s.Formula, place: Place) -> Truth:
    """The truth of a formula at a place, from that of its parts."""
    # the parts are asked for one by one: a carrier may stop at the first that decides
    match formula:
        case s.Truth(value):
            return carrier.constant(value, place)
        case s.Descriptor():
            return carrier.descriptor(formula, place)
        case s.Nominal():
            return carrier.nominal(formula, place)
        case s.Not(body):
            return carrier.negation(carrier.truth(body, place), place)
        case s.And(parts):
            truths = (carrier.truth(part, place) for part in parts)
            return carrier.conjunction(truths, place)
        case s.Or(parts):
            truths = (carrier.truth(part, place) for part in parts)
            return carrier.disjunction(truths, place)
        case s.Implies(left, right):
            sides = (carrier.truth(side, place) for side in (left, right))
            return carrier.implication(sides, place)
        case s.Iff(left, right):
            first = carrier.truth(left, place)
            second = carrier.truth(right, place)
            return carrier.same(first, second, place)
    return _fold_operator(carrier, formula, place)


def _fold_operator(
    carrier: Carrier[Truth, Place], formula: s.Formula, place: Place
) -> Truth:
    """What speaks of agents, of other places or of many instances."""
    match formula:
        case s.Chosen():
            return carrier.chosen(formula, place)
        case s.Diamond(str(agent)):
            return carrier.somewhere(formula, agent, True, place)
        case s.Box(str(agent)):
            return carrier.everywhere(formula, agent, place)
        case s.At():
            return carrier.at(formula, place)
        case s.Compare(left, _, right):
            return carrier.compare(formula, s.minus(left, right), place)
        case s.Quantified():
            return carrier.schema(formula, place)
        case s.Criterion():
            return carrier.criterion(formula, place)
    return carrier.other(formula, place)
