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
        return self.negation(
            self.conjunction((self.negation(truth, place) for truth in truths), place),
            place,
        )

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
        neither = self.conjunction(
            iter((self.negation(left, place), self.negation(right, place))), place
        )
        return self.disjunction(
            iter((self.conjunction(iter((left, right)), place), neither)), place
        )

    def descriptor(self, formula: s.Descriptor, place: Place) -> Truth:
        return self.other(formula, place)

    def nominal(self, formula: s.Nominal, place: Place) -> Truth:
        return self.other(formula, place)

    def chosen(self, formula: s.Chosen, place: Place) -> Truth:
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
        return self.negation(self.somewhere(formula, agent, False, place), place)

    def at(self, formula: s.At, place: Place) -> Truth:
        return self.other(formula, place)

    def compare(self, formula: s.Compare, difference: s.Linear, place: Place) -> Truth:
        """``difference op 0``, where the difference is that of both sides."""
        return self.other(formula, place)

    def schema(self, formula: s.Quantified, place: Place) -> Truth:
        return self.other(formula, place)

    def criterion(self, formula: s.Criterion, place: Place) -> Truth:
        return self.other(formula, place)

    def other(self, formula: s.Formula, place: Place) -> Truth:
        """A formula that the carrier has no meaning for, or one of its own."""
        raise TypeError(f"no meaning here: {formula!r}")


def fold(carrier: Carrier[Truth, Place], formula: s.Formula, place: Place) -> Truth:
    """The truth of a formula at a place, from that of its parts."""
    match formula:
        case s.Truth(value):
            return carrier.constant(value, place)
        case s.Descriptor():
            return carrier.descriptor(formula, place)
        case s.Nominal():
            return carrier.nominal(formula, place)
        case s.Chosen():
            return carrier.chosen(formula, place)
        case s.Not(body):
            return carrier.negation(carrier.truth(body, place), place)
        case s.And(parts):
            return carrier.conjunction(
                (carrier.truth(part, place) for part in parts), place
            )
        case s.Or(parts):
            return carrier.disjunction(
                (carrier.truth(part, place) for part in parts), place
            )
        case s.Implies(left, right):
            return carrier.implication(
                (carrier.truth(side, place) for side in (left, right)), place
            )
        case s.Iff(left, right):
            return carrier.same(
                carrier.truth(left, place), carrier.truth(right, place), place
            )
        case s.Diamond(str(agent)):
            return carrier.somewhere(formula, agent, True, place)
        case s.Box(str(agent)):
            return carrier.everywhere(formula, agent, place)
        case s.At():
            return carrier.at(formula, place)
        case s.Compare(left_side, _, right_side):
            return carrier.compare(formula, s.minus(left_side, right_side), place)
        case s.Quantified():
            return carrier.schema(formula, place)
        case s.Criterion():
            return carrier.criterion(formula, place)
    return carrier.other(formula, place)
