"""How one attribute may be generalized: a family of partitions of its values, described by 0/1 unknowns.

Every unknown is oriented so that true means more general.  A *block* is a set of values that some partition of
the family makes one; blocks have numbers.  Clauses are written as in DIMACS: ``v + 1`` says that unknown v is
true, ``-(v + 1)`` that it is false.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from phverify.exact import Bools, Ints
from phverify.microdata.table import Label

Clause = tuple[int, ...]
Measure = Sequence[Fraction]
"""For each node of a hierarchy, what a cell at that node costs."""


class NoLevels(ValueError):
    """The objective counts levels of a hierarchy, and the scheme has none."""


@dataclass(frozen=True, eq=False)
class Scheme(ABC):
    """The partitions of one attribute's values that a search may choose from.

    The first ``decisions`` unknowns determine the partition; further ones (``size`` in all) serve its cost.
    """

    name: str
    values: tuple[Label, ...]
    kind: ClassVar[str]

    @property
    @abstractmethod
    def decisions(self) -> int:
        """How many unknowns determine the partition."""

    @property
    def size(self) -> int:
        """How many unknowns there are, those that serve the cost too."""
        return self.decisions

    @abstractmethod
    def constraints(self) -> list[Clause]:
        """Clauses that hold for exactly the partitions of the family."""

    @abstractmethod
    def blocks(self, truth: Bools) -> Ints:
        """The block of each value under a partition."""

    @abstractmethod
    def label(self, block: int) -> Label:
        """What the release shows for a block."""

    @abstractmethod
    def members(self, block: int) -> tuple[int, ...]:
        """The codes of a block's values."""

    @abstractmethod
    def valid(self, block: int) -> bool:
        """Whether this number is a block of the family."""

    @abstractmethod
    def wider(self, block: int, truth: Bools) -> tuple[int, ...]:
        """The smallest blocks larger than this one that are unions of blocks of a partition, as this one is."""

    @abstractmethod
    def cut(self, block: int) -> Clause:
        """Unknowns of which one is true iff the partition does not keep the block apart from everything else."""

    @abstractmethod
    def avoided(self, block: int) -> Clause:
        """A clause that holds iff the block is no block of the partition."""

    @abstractmethod
    def raised(self, truth: Bools, unknown: int) -> Bools:
        """The finest partition that is coarser and has the unknown true."""

    @abstractmethod
    def beyond(self, truth: Bools) -> list[int]:
        """Unknowns of which one is true iff a partition is not at least as fine as this one."""

    @abstractmethod
    def costs(self, measure: Measure, counts: Ints) -> list[Fraction]:
        """For each unknown, what making it true costs in all records; ``counts`` says how often a value occurs."""

    def extended(self, truth: Bools) -> Bools:
        """The truth of all unknowns that follows from the decisions."""
        return truth

    def top(self) -> Bools:
        """The most general partition."""
        return np.ones(self.decisions, dtype=bool)

    def bottom(self) -> Bools:
        """The partition that generalizes nothing."""
        return np.zeros(self.decisions, dtype=bool)


def joined(values: Sequence[Label]) -> str:
    return " or ".join("(missing)" if value is None else value for value in values)
