"""Who proposes candidates: the cheapest one that meets all clauses learned so far.

Over level vectors this is a table with one entry for each vector, from which every
clause strikes a box; in spaces too large for that, a weighted hitting set for a solver.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Protocol

import numpy as np

from phverify.budget import Deadline
from phverify.constraints.hitting import HittingSet, cheapest
from phverify.exact import Bools, Ints, ints
from phverify.generalization.space import Space
from phverify.spec.least import vectors
from phverify.spec.schemes import Clause
from phverify.spec.spaces import Cost

VECTORS = 2_000_000
"""Level vectors of which a table is kept."""


class Master(Protocol):
    """Proposes candidates.  ``lower`` is a proven lower bound in units of 1 /
    denominator.
    """

    lower: int

    def learn(self, clauses: Iterable[Clause]) -> None:
        """Propose only what meets these clauses, too."""

    def propose(self, deadline: Deadline) -> Bools | None:
        """A cheapest candidate that meets all clauses; None when there is none.  Raises
        BudgetExceeded.
        """

    def probe(self, deadline: Deadline) -> Bools | None:
        """A candidate to learn from: it meets all clauses and is cheaper than all that
        were accepted.
        """

    def accept(self, candidate: Bools) -> bool:
        """A candidate that fits; whether nothing cheaper is left to probe."""


def master(space: Space, cost: Cost, withholding: bool) -> Master:
    """A table of level vectors where that is possible, else a hitting set."""
    few = 0 < vectors(space) <= VECTORS
    return Grid(space, cost, 1 if withholding else 3) if few else Hitting(space, cost)


def tied(space: Space, cost: Cost) -> list[int]:
    """Weights by which the cheapest candidate is found, of several the one that
    generalizes least.
    """
    scale = space.decisions + 1
    return [w * scale + (u < space.decisions) for u, w in enumerate(cost.weights)]


@dataclass(eq=False)
class Grid:
    """All level vectors at once."""

    space: Space
    cost: Cost
    quarters: int = 3
    """Where among the vectors left, by cost, to probe: dear ones where boxes are
    learned, cheap ones where cuts are.
    """

    def __post_init__(self) -> None:
        self.shape = tuple(scheme.decisions + 1 for scheme in self.space.schemes)
        self.alive: Bools = np.ones(self.shape, dtype=bool)
        weights = tied(self.space, self.cost)
        totals = ints(np.zeros(self.shape, dtype=np.int64), sum(weights) + 1)
        for k, (a, b) in enumerate(pairwise(self.space.starts)):
            along = ints(
                np.array([0, *weights[a:b]], dtype=object), sum(weights) + 1
            ).cumsum()
            totals = totals + along.reshape(
                [-1 if j == k else 1 for j in range(len(self.shape))]
            )
        self.left: Ints = np.argsort(totals, axis=None, kind="stable")
        self.totals: Ints = totals.reshape(-1)
        self.lower = 0

    def learn(self, clauses: Iterable[Clause]) -> None:
        for clause in clauses:
            self.alive[self._broken(clause)] = False

    def _broken(self, clause: Clause) -> tuple[slice, ...]:
        """The vectors at which all literals are false: a box."""
        low, high = [0] * len(self.shape), list(self.shape)
        for literal in clause:
            unknown = abs(literal) - 1
            k = int(np.searchsorted(self.space.starts, unknown, side="right")) - 1
            level = unknown - self.space.starts[k] + 1
            if literal > 0:
                high[k] = min(high[k], level)
            else:
                low[k] = max(low[k], level)
        return tuple(map(slice, low, high))

    def propose(self, deadline: Deadline) -> Bools | None:
        return self._vector(0) if self._remaining() else None

    def probe(self, deadline: Deadline) -> Bools | None:
        """A vector that fails excludes everything finer, one that fits everything
        dearer.
        """
        many = self._remaining()
        return self._vector(many * self.quarters // 4) if many else None

    def accept(self, candidate: Bools) -> bool:
        flat = np.ravel_multi_index(
            tuple(map(int, map(np.sum, self.space.each(candidate)))), self.shape
        )
        self.left = self.left[: int(np.flatnonzero(self.left == flat)[0])]
        return False

    def _remaining(self) -> int:
        """How many vectors are left, cheapest first."""
        self.left = self.left[self.alive.reshape(-1)[self.left]]
        if len(self.left):
            self.lower = int(self.totals[self.left[0]]) // (self.space.decisions + 1)
        return len(self.left)

    def _vector(self, place: int) -> Bools:
        return self.space.vector(
            [int(n) for n in np.unravel_index(self.left[place], self.shape)]
        )


@dataclass(eq=False)
class Hitting:
    """A weighted hitting set."""

    space: Space
    cost: Cost
    clauses: list[Clause] = field(default_factory=list)
    lower: int = 0

    def __post_init__(self) -> None:
        self.clauses += self.space.constraints
        self.weights = tied(self.space, self.cost)

    def learn(self, clauses: Iterable[Clause]) -> None:
        self.clauses += clauses

    def propose(self, deadline: Deadline) -> Bools | None:
        found = cheapest(HittingSet(self.weights, self.clauses), deadline)
        if found is None:
            return None
        candidate = np.array(found[: self.space.decisions], dtype=bool)
        self.lower = self.space.total(candidate, self.cost)
        return candidate

    def probe(self, deadline: Deadline) -> Bools | None:
        return self.propose(deadline)

    def accept(self, candidate: Bools) -> bool:
        return True
