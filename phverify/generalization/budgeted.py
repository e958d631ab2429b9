"""Candidates where records may be withheld: along one column shortest paths that lose
few enough records, in branches for the cuts of the other hierarchies.

The cheapest branch comes first, of those that cost the same the one that withholds
fewest records.  What is proposed satisfies the policy.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from phverify.budget import Deadline
from phverify.errors import Defect
from phverify.exact import Bools, Ints, ints
from phverify.generalization.block_losses import BlockLosses
from phverify.generalization.master import tied
from phverify.generalization.refute import Refuter
from phverify.generalization.space import CodedSpace
from phverify.spec.bitset import Bits, members
from phverify.spec.budgeted import BudgetedPaths, LineBlock, LineBranch, line_of
from phverify.spec.schemes import Clause
from phverify.spec.spaces import Cost

BUDGETED = "shortest paths that lose few enough records"
"""What confirms a bound, in words."""
LONGEST = 2000
"""Of more values no table of all blocks is made."""
MOST = 50_000_000
"""Of more values times records that may be withheld no paths are looked for."""


class CandidateRank(NamedTuple):
    """What candidates are compared by: what they cost, then the records that they
    withhold, then how much they generalize.
    """

    cost: int
    withheld: int
    decisions: int


class CheapestPath(NamedTuple):
    """A path: its length, the records that it loses, and the decisions it makes."""

    length: int
    lost: int
    decisions: Bits


@dataclass(frozen=True, eq=False)
class BranchPaths:
    """The cheapest paths with the same decisions beside the line.

    ``certain`` bounds all that is finer beside the line; ``own`` is a candidate.
    """

    certain: CheapestPath | None
    own: CheapestPath | None


@dataclass(eq=False)
class Budgeted:
    """Proposes what is better than all that it has proposed, until nothing is."""

    space: CodedSpace
    paths: BudgetedPaths
    losses: BlockLosses
    scale: int
    """So many units of weight are one of cost: the rest settles ties."""
    lower: int = 0
    best: CandidateRank | None = None
    waiting: list[tuple[CandidateRank, int, LineBranch, BranchPaths | None]] = field(
        default_factory=list
    )
    """Branches with lower bounds, as a heap; numbers settle ties."""
    numbered: int = 0
    proposed: bool = False
    """Whether the last candidate was proposed, and not accepted."""

    def __post_init__(self) -> None:
        everything = self.paths.whole
        nothing_known = CandidateRank(0, 0, 0)
        self._wait(nothing_known, everything, None)

    def learn(self, clauses: Iterable[Clause]) -> None:
        """Nothing: what is lost of blocks says all of it."""

    def propose(self, deadline: Deadline) -> Bools | None:
        """A candidate that is better than those before; None where the last one is
        proved to be the best.  Raises BudgetExceeded.
        """
        if self.proposed:
            raise Defect("a candidate fails that loses few enough records")
        while self.waiting:
            deadline.check()
            bound, _, branch, paths = self.waiting[0]
            if self.best is not None and self.best <= bound:
                break
            self.lower = bound.cost
            if paths is None:
                candidate = self._looked_at(branch)
                if candidate is not None:
                    return candidate
                continue
            heapq.heappop(self.waiting)
            for part in self.paths.divided(branch):
                same = part.possible == branch.possible
                self._bounded(part, paths, known=same)
        self.waiting.clear()
        if self.best is not None:
            self.lower = self.best.cost
        return None

    def probe(self, deadline: Deadline) -> Bools | None:
        """The same."""
        return self.propose(deadline)

    def accept(self, candidate: Bools) -> bool:
        """Something better may be left."""
        self.proposed = False
        return False

    def shows(self, weights: Sequence[int], bound: int, deadline: Deadline) -> bool:
        """Whether branches one after the other, as the checker looks at them, show that
        nothing costs less by these weights.  Raises BudgetExceeded.
        """
        found = line_of(self.space, weights)
        assert found is not None
        orders, line = found
        most = self.paths.budget
        each = deadline.check
        paths = BudgetedPaths(orders, line, most, self.losses)
        branches = paths.branches(bound, each)
        return branches is not None

    # Branches

    def _wait(
        self, bound: CandidateRank, branch: LineBranch, paths: BranchPaths | None
    ) -> None:
        self.numbered += 1
        heapq.heappush(self.waiting, (bound, self.numbered, branch, paths))

    def _looked_at(self, branch: LineBranch) -> Bools | None:
        """The first branch with its own paths; its own candidate, where that is better
        than all before.
        """
        heapq.heappop(self.waiting)
        paths = self._paths(branch.possible)
        self._bounded(branch, paths, known=True)
        own = paths.own
        if own is None:
            return None
        standing = self._standing(branch.possible, own)
        if self.best is not None and self.best <= standing:
            return None
        self.best = standing
        self.proposed = True
        candidate = self.space.bottom()
        candidate[list(members(branch.possible | own.decisions))] = True
        return candidate

    def _bounded(self, branch: LineBranch, paths: BranchPaths, known: bool) -> None:
        """Let a branch wait, if there may be something in it: ``paths`` are its own
        where they are ``known``, else those of a branch that it is a part of.
        """
        decided = branch.true == branch.possible
        settled = known and decided
        path = paths.own if settled else paths.certain
        if path is None:
            return
        bound = self._standing(branch.true, path)
        own = paths if known else None
        self._wait(bound, branch, own)

    def _standing(self, beside: Bits, path: CheapestPath) -> CandidateRank:
        orders = self.paths.orders
        price = orders.price(beside)
        total = price + path.length
        cost, decisions = divmod(total, self.scale)
        return CandidateRank(cost, path.lost, decisions)

    # Paths

    def _paths(self, beside: Bits) -> BranchPaths:
        """The cheapest paths with these decisions beside the line."""
        table = self.losses.table(beside)
        if table is None:
            return BranchPaths(None, None)
        certain = own = self._cheapest(table.certain)
        same = np.array_equal(table.certain, table.exact)
        if not same:
            own = self._cheapest(table.exact)
        return BranchPaths(certain, own)

    @cached_property
    def _limit(self) -> int:
        """More than any path is long."""
        weights = self.paths.orders.weights
        every = sum(weights)
        return every + 1

    @cached_property
    def _into(self) -> list[list[tuple[int, LineBlock]]]:
        """For each place the blocks that end there, with where they begin."""
        into: list[list[tuple[int, LineBlock]]] = [
            [] for _ in range(self.losses.places)
        ]
        for start, blocks in enumerate(self.paths.line.blocks):
            for block in blocks:
                entry = start, block
                into[block.end].append(entry)
        return into

    def _cheapest(self, losses: Ints) -> CheapestPath | None:
        """The shortest path that loses few enough records, of several the one that
        loses fewest; None where there is none.
        """
        costs = self._costs(losses)
        ends = costs[-1]
        # The rest of a length settles ties: first those of the least cost.
        wholes = ends // self.scale
        lost = int(wholes.argmin())
        length = int(ends[lost])
        if length >= self._limit:
            return None
        decisions = self._decisions(costs, losses, lost)
        return CheapestPath(length, lost, decisions)

    def _costs(self, losses: Ints) -> Ints:
        """For each place, and each number of records that are lost before it, the
        length of the shortest way there; the limit where there is none.
        """
        most = self.paths.budget
        nowhere = np.zeros((self.losses.places, most + 1), dtype=np.int64)
        # A way and one block more: less than two limits.
        costs = ints(nowhere, 2 * self._limit) + self._limit
        costs[0, 0] = 0
        for end, blocks in enumerate(self._into):
            reached = costs[end]
            for start, block in blocks:
                lost = int(losses[start, end])
                if lost <= most:
                    ways = costs[start, : most + 1 - lost] + block.price
                    np.minimum(reached[lost:], ways, out=reached[lost:])
        return costs

    def _decisions(self, costs: Ints, losses: Ints, lost: int) -> Bits:
        """The decisions of the blocks of a shortest path that loses so many records."""
        decisions = 0
        end = self.losses.places - 1
        while end:
            start, block = self._last_block(costs, losses, end, lost)
            decisions |= block
            lost -= int(losses[start, end])
            end = start
        return decisions

    def _last_block(
        self, costs: Ints, losses: Ints, end: int, lost: int
    ) -> tuple[int, Bits]:
        """Where the last block of a shortest way to a place begins, and what makes
        it.
        """
        length = costs[end, lost]
        for start, block in self._into[end]:
            own = int(losses[start, end])
            if own > lost:
                continue
            before = costs[start, lost - own]
            if before + block.price == length:
                return start, block.decisions
        raise Defect("no block leads to a place that is reached")


def budgeted(space: CodedSpace, cost: Cost, refuter: Refuter) -> Budgeted | None:
    """Who proposes candidates where records may be withheld, and classes alone say
    which; None elsewhere.
    """
    parts = refuter.judge.parts
    if not refuter.budget or parts.open or parts.assumptions or parts.people:
        return None
    # What only follows from a rule compares classes with more than themselves.
    if any(part.weaker for part in parts.classes):
        return None
    found = line_of(space, tied(space, cost))
    if found is None:
        return None
    orders, line = found
    if line.length > LONGEST or line.length * refuter.budget > MOST:
        return None
    losses = BlockLosses(refuter, line)
    paths = BudgetedPaths(orders, line, refuter.budget, losses)
    return Budgeted(space, paths, losses, space.decisions + 1)
