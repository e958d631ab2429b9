"""How one column may be generalized, as 0/1 unknowns: along a hierarchy or without one.

Every unknown is true for more general.  A *block* is a set of values that the release
shows as one; blocks have numbers.  Clauses are written as in DIMACS: ``v + 1`` says
that unknown v is true, ``-(v + 1)`` that it is false.  Each clause of a scheme says
that some unknowns together imply another one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from phverify.spec.data import Label
from phverify.spec.source import Values

Numbers = tuple[int, ...]
Records = Sequence[int]
"""How many records have each value."""
Costs = Iterator[tuple[int, Fraction]]
"""Unknowns, and what making them true costs."""

Clause = Numbers
Clauses = Iterator[Clause]
Truth = Sequence[bool]


@dataclass(frozen=True, eq=False)
class Scheme(ABC):
    """The partitions of a column's values that may be chosen from; the first
    ``decisions`` unknowns determine one.
    """

    name: str
    values: Values
    kind: ClassVar[str]

    @property
    @abstractmethod
    def decisions(self) -> int:
        """How many unknowns determine a partition."""

    @property
    def size(self) -> int:
        """All unknowns, those that serve the cost alone too."""
        return self.decisions

    @abstractmethod
    def constraints(self) -> Clauses:
        """Clauses that hold for exactly the partitions."""

    @abstractmethod
    def blocks(self, truth: Truth) -> list[int]:
        """The block of each value."""

    @abstractmethod
    def label(self, block: int) -> Label:
        """What the release shows for a block."""

    @abstractmethod
    def members(self, block: int) -> Numbers:
        """The numbers of a block's values."""

    @abstractmethod
    def valid(self, block: int) -> bool:
        """Whether this number is a block of some partition."""

    @abstractmethod
    def cut(self, block: int) -> Clause:
        """Unknowns of which one is true iff the partition does not keep the block apart
        from the other values.
        """

    @abstractmethod
    def inner(self, block: int) -> Clause:
        """Unknowns all of which are true, and none of ``cut``, iff the block is one of
        the partition.
        """

    @abstractmethod
    def costs(self, objective: str, records: Records) -> Costs:
        """Unknowns, and what making them true costs; ``records`` have each value.

        Raises Refused when the objective counts levels and there are none.
        """

    def solution(self, truth: Truth) -> list[bool]:
        """The truth of all unknowns."""
        return list(truth)

    def beyond(self, truth: Truth) -> Clause:
        """Unknowns of which one is true iff a partition is not at least as fine as this
        one: the lowest false ones.
        """
        # Clauses of two: the first unknown is true only where the second one is.
        decided = (
            clause
            for clause in self.constraints()
            if len(clause) == 2 and -clause[0] <= self.decisions
        )
        # Where the second one is false the first one says nothing more.
        higher = {-above for above, below in decided if not truth[below - 1]}
        return tuple(
            u for u, true in enumerate(truth, start=1) if not true and u not in higher
        )

    def images(self, truth: Truth) -> list[Label]:
        """What the release shows for each value."""
        blocks = self.blocks(truth)
        shown = self.shown(blocks)
        return [shown[block] for block in blocks]

    def shown(self, blocks: Sequence[int]) -> dict[int, Label]:
        """What the release shows for the blocks of a partition; blocks of one name are
        told apart.
        """
        numbers = sorted(set(blocks))
        labels = [self.label(block) for block in numbers]
        # Again, where something else is called ``x (group 1)``.
        while len(set(labels)) < len(labels):
            labels = [
                f"{one} (group {k + 1})" if labels.count(one) > 1 else one
                for k, one in enumerate(labels)
            ]
        return dict(zip(numbers, labels, strict=True))
