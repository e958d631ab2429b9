"""Who proposes candidates: the cheapest one that meets all clauses learned so far.

Over level vectors this is a table with one entry for each vector, from which every
clause strikes a box; in spaces too large for that, a weighted hitting set for a solver.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Protocol

import numpy as np

from phverify.budget import Deadline
from phverify.constraints.hitting import HittingSet, cheapest
from phverify.exact import Bools, Ints, ints
from phverify.generalization.space import CodedSpace
from phverify.spec.least import vectors
from phverify.spec.schemes import Clause
from phverify.spec.spaces import Cost

VECTORS = 2_000_000
"""Level vectors of which a table is kept."""
FEW = 100_000
"""Of so many it is counted for each how many are finer, whenever one is chosen."""


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


def master(space: CodedSpace, cost: Cost) -> Master:
    """A table of level vectors where that is possible, else a hitting set."""
    few = 0 < vectors(space) <= VECTORS
    return Grid(space, cost) if few else Hitting(space, cost)


def tied(space: CodedSpace, cost: Cost) -> list[int]:
    """Weights by which the cheapest candidate is found, of several the one that
    generalizes least.
    """
    # Fewer decisions than the scale: they settle ties, and outweigh no unit of cost.
    scale = space.decisions + 1
    weights = [weight * scale for weight in cost.weights]
    for decision in range(space.decisions):
        weights[decision] += 1
    return weights


@dataclass(eq=False)
class Grid:
    """All level vectors at once."""

    space: CodedSpace
    cost: Cost

    def __post_init__(self) -> None:
        self.shape = tuple(scheme.decisions + 1 for scheme in self.space.schemes)
        self.alive: Bools = np.ones(self.shape, dtype=bool)
        # Only those before what was accepted are still to be proposed.
        self.open = self.alive.copy()
        weights = tied(self.space, self.cost)
        limit = sum(weights) + 1
        totals = ints(np.zeros(self.shape, dtype=np.int64), limit)
        for k, (start, end) in enumerate(pairwise(self.space.starts)):
            steps = np.array([0, *weights[start:end]], dtype=object)
            along = ints(steps, limit).cumsum()
            axes = [1] * len(self.shape)
            axes[k] = -1
            totals = totals + along.reshape(axes)
        self.places: list[tuple[int, int]] = []
        for k, scheme in enumerate(self.space.schemes):
            # The unknown of a level says that the column is at it or above.
            self.places += [(k, level + 1) for level in range(scheme.decisions)]
        self.left: Ints = np.argsort(totals, axis=None, kind="stable")
        # The place of each vector in the order of cost.
        self.ranks: Ints = np.empty(self.shape, dtype=np.int64)
        self.ranks.reshape(-1)[self.left] = np.arange(len(self.left))
        self.totals: Ints = totals.reshape(-1)
        # How many vectors each one has below, itself among them.
        below = np.ones((), dtype=np.int64)
        for many in self.shape:
            below = np.multiply.outer(below, np.arange(1, many + 1))
        self.below: Ints = below.reshape(-1)
        self.lower = 0

    def learn(self, clauses: Iterable[Clause]) -> None:
        """Strike the vectors at which some clause is false."""
        for clause in clauses:
            self.strike(clause)

    def strike(self, clause: Clause) -> bool:
        """Strike the vectors at which a clause is false; whether one of them was still
        to be proposed.
        """
        box = self.struck(clause)
        found = bool(self.open[box].any())
        self.open[box] = False
        self.alive[box] = False
        return found

    def struck(self, clause: Clause) -> tuple[slice, ...]:
        """The vectors at which all literals are false: a box."""
        low = [0] * len(self.shape)
        high = list(self.shape)
        for literal in clause:
            k, level = self.places[abs(literal) - 1]
            if literal > 0:
                high[k] = min(high[k], level)
            else:
                low[k] = max(low[k], level)
        return tuple(map(slice, low, high))

    def propose(self, deadline: Deadline) -> Bools | None:
        """The cheapest vector left; None when all are struck."""
        if self._remaining():
            return self._at(self.left[0])
        return None

    def probe(self, deadline: Deadline) -> Bools | None:
        """A vector that fails excludes everything finer, one that fits everything
        dearer.
        """
        if not self._remaining():
            return None
        chosen = self.choice(self.left)
        return self._at(self.left[chosen])

    def choice(self, vectors: Ints) -> int:
        """Which of some vectors, the cheapest first, to look at: its place among them.

        About a quarter of them cost less: cheap ones fail for more reasons at once.  Of
        the tenths before and after that place the one with most below.
        """
        quarter, tenth = len(vectors) // 4, len(vectors) // 10
        first = quarter - tenth
        near = vectors[first : quarter + tenth + 1]
        return first + int(self.below[near].argmax())

    def soon(
        self, known: Bools | None, fits: Callable[[Bools], bool], deadline: Deadline
    ) -> None:
        """Ask of few vectors that cost less than a known one whether they fit, as if
        nothing finer did than what does not; then leave only what costs less than the
        cheapest that fits.  Raises BudgetExceeded.
        """
        own = copy.copy(self)
        own.alive = self.alive.copy()
        own.open = self.open.copy()
        if known is not None:
            own.accept(known)
        while (candidate := own.middle(deadline)) is not None:
            if fits(candidate):
                own.accept(candidate)
                self.accept(candidate)
            else:
                own.strike(self.space.beyond(candidate.tolist()))

    def middle(self, deadline: Deadline) -> Bools | None:
        """The vector of which it says most whether it fits, where what is finer than
        one that fails fails, too: as many as possible are struck in either case.

        Raises BudgetExceeded.
        """
        deadline.check()
        many = self._remaining()
        if not many or len(self.totals) > FEW:
            return self.probe(deadline)
        finer = self.open.astype(np.int64)
        for axis in range(finer.ndim):
            np.add.accumulate(finer, axis=axis, out=finer)
        dearer = np.arange(many, 0, -1)
        least = np.minimum(finer.reshape(-1)[self.left], dearer)
        return self._at(self.left[least.argmax()])

    def accept(self, candidate: Bools) -> bool:
        """Leave only what stands before the candidate in the order of cost."""
        levels = self.space.level_vector(candidate)
        self.open &= self.ranks < self.ranks[levels]
        return False

    def reopen(self) -> None:
        """Propose all vectors that meet the clauses, however dear: a list of minimal
        ones is about more than what is cheaper than one that fits.
        """
        self.open = self.alive.copy()
        self.left = np.argsort(self.totals, kind="stable")

    def _remaining(self) -> int:
        """How many vectors are left, cheapest first."""
        self.left = self.left[self.open.reshape(-1)[self.left]]
        if len(self.left):
            cheapest = int(self.totals[self.left[0]])
            self.lower = cheapest // (self.space.decisions + 1)  # see ``tied``
        return len(self.left)

    def costing(self, total: int, most: int) -> Iterator[Bools]:
        """The vectors of one cost that meet all clauses, so many at most: those that
        generalize least come first.
        """
        alive = self.alive.reshape(-1)
        scale = self.space.decisions + 1  # see ``tied``
        places = np.flatnonzero(alive & (self.totals // scale == total))
        order = np.argsort(self.totals[places], kind="stable")
        for place in places[order[:most]]:
            yield self._at(place)

    def _at(self, vector: int) -> Bools:
        """The level vector that has this number."""
        levels = np.unravel_index(vector, self.shape)
        return self.space.vector([int(level) for level in levels])


def constraints_of(space: CodedSpace, deadline: Deadline) -> list[Clause]:
    """The constraints of a space, which keeps them for all its searches.

    Raises BudgetExceeded: those of many values take long.
    """
    kept = vars(space)
    if "constraints" not in kept:
        collected = []
        for clause in space.each_constraint():
            deadline.check()
            collected.append(clause)
        # As the cached property would do by itself.
        kept["constraints"] = collected
    return space.constraints


@dataclass(eq=False)
class Hitting:
    """A weighted hitting set."""

    space: CodedSpace
    cost: Cost
    clauses: list[Clause] = field(default_factory=list)
    lower: int = 0

    def __post_init__(self) -> None:
        self.weights = tied(self.space, self.cost)

    def learn(self, clauses: Iterable[Clause]) -> None:
        """Add the clauses to the next question."""
        self.clauses += clauses

    def propose(self, deadline: Deadline) -> Bools | None:
        """The cheapest hitting set of all clauses.  Raises BudgetExceeded."""
        # Not before they are needed: something may be found meanwhile.
        clauses = [*constraints_of(self.space, deadline), *self.clauses]
        solution = cheapest(HittingSet(self.weights, clauses), deadline)
        if solution is None:
            return None
        # The unknowns behind the decisions serve the cost alone.
        candidate = np.array(solution[: self.space.decisions], dtype=bool)
        self.lower = self.space.total(candidate, self.cost)
        return candidate

    def probe(self, deadline: Deadline) -> Bools | None:
        """The same: each question takes a solver, and the cheapest bounds the cost."""
        return self.propose(deadline)

    def accept(self, candidate: Bools) -> bool:
        """A cheapest candidate that fits is the answer."""
        return True


def ways_up(clauses: list[Clause], candidate: Bools) -> list[int]:
    """The unknowns that would make some of the clauses true."""
    ways = []
    for clause in clauses:
        positive = [literal - 1 for literal in clause if literal > 0]
        false = [unknown for unknown in positive if not candidate[unknown]]
        ways += false
    return ways
