"""Ground formulas, tags, and what an adversary with a tag knows: saturation by worlds.

The paper's procedure C closes a tag under a fragment of SQL, together with public
databases.  We define it by its meaning: Mod(tag) is the set of worlds in which the tag
and all public formulas are true, and *deduced* is what is true in all of them.
``FiniteWorlds`` lists the worlds; anything that answers ``consistent`` and
``saturated`` will do.  Paper: Anantharaman, Frittella, Nguyen 2022, section 2.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeVar

from phverify.disclosure.connectives import (
    TRUTHS,
    AllOf,
    Negation,
    Proposition,
    fold,
)
from phverify.errors import BudgetExceeded

W = TypeVar("W")


@dataclass(frozen=True)
class Atom(Proposition):
    """A ground atom, such as a data tuple.

    ``Atom("patient", ("John", 46, "M", "#", "CoVid"))``; an argument may be a tuple.
    """

    predicate: str
    arguments: tuple[Hashable, ...] = ()

    def __str__(self) -> str:
        if not self.arguments:
            return self.predicate
        arguments = map(_shown, self.arguments)
        listed = ", ".join(arguments)
        return f"{self.predicate}({listed})"


def _shown(argument: object) -> str:
    """A value without quotes; a tuple of values in brackets."""
    if isinstance(argument, tuple):
        return f"({', '.join(map(_shown, argument))})"
    if argument is None:
        return "missing"
    return str(argument)


Tag = frozenset[Proposition]
"""What an adversary has been told: a finite set of ground formulas, all taken to be
true.
"""

TRUE = AllOf(())
Status = Literal["open", "violated", "near", "impossible", "undecided"]


class Knowledge(Protocol):
    """The saturation procedure C with its public databases, by meaning."""

    def consistent(self, tag: Iterable[Proposition]) -> bool:
        """Whether some world satisfies the tag and everything public.

        Raises BudgetExceeded where that is open.
        """

    def saturated(self, tag: Tag) -> Tag:
        """The tag with what it lets the adversary deduce; finite."""


@dataclass(frozen=True)
class FiniteWorlds(Generic[W]):
    """Knowledge over listed worlds.

    ``truth(world, atom)`` says which atoms are true in a world, ``public`` (the paper's
    Ext) holds in all worlds that count, and ``vocabulary`` lists the formulas that
    saturation adds where they are deduced.
    """

    worlds: tuple[W, ...]
    truth: Callable[[W, Atom], bool]
    public: Tag = frozenset()
    vocabulary: tuple[Proposition, ...] = ()

    def holds(self, world: W, formula: Proposition) -> bool:
        """Whether a formula is true in a world."""

        def leaf(atom: Atom) -> bool:
            return self.truth(world, atom)

        truth = fold(formula, leaf, TRUTHS)
        return truth is True

    def models(self, tag: Iterable[Proposition]) -> tuple[W, ...]:
        """Mod(tag): the worlds consistent with the tag and everything public."""
        known = AllOf((*self.public, *tag))
        models = []
        for world in self.worlds:
            if self.holds(world, known):
                models.append(world)
        return tuple(models)

    def consistent(self, tag: Iterable[Proposition]) -> bool:
        """Whether Mod(tag) has a world."""
        worlds = self.models(tag)
        return bool(worlds)

    def deduced(self, tag: Iterable[Proposition], formula: Proposition) -> bool:
        """Whether the formula is true in all of Mod(tag).

        Everything is, where there is no world.
        """
        # A world of the tag in which the formula is not true would refute it.
        denied = Negation(formula)
        counterexamples = (*tag, denied)
        return not self.consistent(counterexamples)

    def saturated(self, tag: Tag) -> Tag:
        """The tag with every formula of the vocabulary that it lets deduce."""
        return tag | {
            formula for formula in self.vocabulary if self.deduced(tag, formula)
        }


def judged(knowledge: Knowledge, tag: Tag, policy: Iterable[Proposition]) -> Status:
    """The oracle's first role: is the policy violated by what the tag lets deduce?

    The policy lists the secrets t; it is violated when the tag with all ``not t`` is
    inconsistent, that is when every world left contains a secret (not necessarily the
    same one).  A tag that no world satisfies at all is *impossible*: no such answers
    exist, and nothing was violated.  Where the knowledge does not decide, the state is
    *undecided*.
    """
    try:
        # First: in no world at all every policy would count as violated.
        if not knowledge.consistent(tag):
            return "impossible"
        denied = map(Negation, policy)
        if knowledge.consistent((*tag, *denied)):
            return "open"
        return "violated"
    except BudgetExceeded:
        return "undecided"
