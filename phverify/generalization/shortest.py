"""Candidates where some columns are by intervals and the others along hierarchies.

Cuts of the hierarchies are branched over, the cheapest branch first; the intervals of a
branch are shortest paths along the values of each column, without the blocks that
clauses bar there.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from phverify.budget import Deadline
from phverify.errors import Defect
from phverify.exact import Bools, Ints, ints
from phverify.generalization.master import tied
from phverify.generalization.parts import Parts
from phverify.generalization.space import CodedSpace
from phverify.spec.bitset import Bits, below, members
from phverify.spec.schemes import Clause
from phverify.spec.shortest import Order, Orders, SearchBranch, orders
from phverify.spec.spaces import Cost

SHORTEST = "shortest paths"
"""What confirms a bound, in words."""


@dataclass(frozen=True, eq=False)
class PricedBranch:
    """A branch, and for each column by intervals where its cheapest intervals are cut.

    ``clauses`` were known by then: none before it is looked at.
    """

    true: Bits
    possible: Bits
    clauses: int = -1
    cuts: Sequence[tuple[int, ...]] = ()


@dataclass(eq=False)
class Shortest:
    """Proposes the most general candidates of the cheapest branch: nothing in the
    branch has cheaper intervals.
    """

    space: CodedSpace
    orders: Orders
    scale: int
    """So many units of weight are one of cost: the rest settles ties."""
    lower: int = 0
    learned: list[Bits] = field(default_factory=list)
    waiting: list[tuple[int, int, PricedBranch]] = field(default_factory=list)
    """Branches with lower bounds, as a heap; numbers settle ties."""
    numbered: int = 0
    proposed: set[bytes] = field(default_factory=set)
    satisfying: set[bytes] = field(default_factory=set)

    def __post_init__(self) -> None:
        limit = sum(self.orders.weights) + 1
        self.columns = [_Column(order, limit) for order in self.orders.orders]
        # Of a box a hierarchy has one literal at most, an order two.
        width = 2 * len(self.space.schemes)
        self.literals: Ints = np.zeros((0, width), dtype=np.int64)
        every = below(self.space.decisions)
        whole = PricedBranch(0, every)
        self._add(0, whole)

    @property
    def by_intervals(self) -> frozenset[int]:
        """The numbers of the columns by intervals."""
        numbers = []
        for number, scheme in enumerate(self.space.schemes):
            if scheme.kind == "intervals":
                numbers.append(number)
        return frozenset(numbers)

    def learn(self, clauses: Iterable[Clause]) -> None:
        """Bar a block, or a combination of blocks, for each clause."""
        rows, new = [], []
        for clause in clauses:
            read = self.orders.read(clause)
            if read is None or len(clause) > self.literals.shape[1]:
                raise Defect("a clause is about no box")
            new.append(read)
            # One place more than there are decisions: it is never true.
            padding = [self.space.decisions] * (self.literals.shape[1] - len(clause))
            rows.append([*members(read), *padding])
        if new:
            self.learned += new
            self.literals = np.concatenate([self.literals, np.array(rows)])
            for column in self.columns:
                column.learn(new)

    def propose(self, deadline: Deadline) -> Bools | None:
        """A candidate of the cheapest branch, which is new or proved to be the least;
        None when all branches are excluded.  Raises BudgetExceeded.

        First each column's intervals with the others as general as can be, then all at
        once.
        """
        while self.waiting:
            deadline.check()
            total, _, branch = self.waiting[0]
            self.lower = total // self.scale
            if branch.clauses < len(self.learned):
                self._price_again()
                continue
            least = self._least(branch)
            for candidate in (*self._alone(branch), least):
                if candidate.tobytes() not in self.proposed:
                    self.proposed.add(candidate.tobytes())
                    return candidate
            if least.tobytes() in self.satisfying and self._settled(branch):
                return least
            self._divide()
        return None

    def probe(self, deadline: Deadline) -> Bools | None:
        """The same: it satisfies the policy, or its branch becomes dearer."""
        return self.propose(deadline)

    def accept(self, candidate: Bools) -> bool:
        """Whether nothing in the cheapest branch is cheaper than this candidate."""
        seen = candidate.tobytes()
        self.satisfying.add(seen)
        _, _, branch = self.waiting[0]
        # What is known of another search is looked at before any branch.
        priced = branch.clauses >= 0
        if not priced or not self._settled(branch):
            return False
        least = self._least(branch)
        return np.array_equal(least, candidate)

    # Branches

    def _settled(self, branch: PricedBranch) -> bool:
        """Whether all decisions along hierarchies are taken."""
        left = branch.possible & ~branch.true
        return not left & self.orders.along

    def _add(self, total: int, branch: PricedBranch) -> None:
        self.numbered += 1
        entry = total, self.numbered, branch
        heapq.heappush(self.waiting, entry)

    def _price_again(self) -> None:
        """The cheapest branch with what clauses bar in it by now."""
        _, _, branch = heapq.heappop(self.waiting)
        # The last place stands for no decision.
        possible: Bools = np.zeros(self.space.decisions + 1, dtype=bool)
        possible[list(members(branch.possible))] = True
        if not possible[self.literals].any(axis=1).all():
            return
        total = self.orders.price(branch.true)
        cuts = []
        for column in self.columns:
            path = column.path(self.literals, possible, branch.true)
            if path is None:
                return
            total += path[0]
            cuts.append(path[1])
        self._add(
            total, PricedBranch(branch.true, branch.possible, len(self.learned), cuts)
        )

    def _divide(self) -> None:
        """Replace the cheapest branch by two."""
        total, _, branch = heapq.heappop(self.waiting)
        whole = SearchBranch(branch.true, branch.possible, self.learned)
        parts = self.orders.divided(whole, branch.cuts)
        if not parts:
            raise Defect("a candidate failed, and no clause excludes it")
        for part in parts:
            more = self.orders.price(part.true & ~branch.true)
            self._add(total + more, PricedBranch(part.true, part.possible))

    # Candidates

    def _alone(self, branch: PricedBranch) -> Iterator[Bools]:
        """For each column its cheapest intervals, with all else as general as can
        be.
        """
        if len(self.columns) == 1:
            return
        for number, own in enumerate(branch.cuts):
            cuts: list[tuple[int, ...]] = [() for _ in self.columns]
            cuts[number] = own
            yield self._candidate(branch, cuts)

    def _least(self, branch: PricedBranch) -> Bools:
        """The cheapest intervals of all columns at once."""
        return self._candidate(branch, branch.cuts)

    def _candidate(
        self, branch: PricedBranch, cuts: Sequence[tuple[int, ...]]
    ) -> Bools:
        """The most general candidate of a branch with these cuts."""
        candidate = self.space.bottom()
        candidate[list(members(branch.possible))] = True
        for column, places in zip(self.columns, cuts, strict=True):
            # A view: what is written there is in the candidate.
            own = candidate[column.own]
            numbers = np.array(places, dtype=np.int64) - 1
            own[numbers] = False
            # A missing cell is apart wherever not all values are one.
            if column.order.scheme.lonely and not own.all():
                own[-1] = False
        return candidate


class _Column:
    """A column by intervals, and the blocks that clauses bar there."""

    def __init__(self, order: Order, limit: int) -> None:
        self.order = order
        self.limit = limit
        """More than any intervals cost."""
        self.own = slice(order.start, order.start + order.scheme.decisions)
        self.bars: Ints = np.zeros((0, 2), dtype=np.int64)
        places = order.length + 1
        prices = np.full((places, places), self.limit, dtype=object)
        for start, blocks in enumerate(order.blocks):
            for end, price in blocks:
                prices[start, end] = price
        self.prices: Ints = ints(prices, 2 * self.limit)

    def learn(self, clauses: Sequence[Bits]) -> None:
        """Take over what clauses bar."""
        pairs = [self.order.barred(clause) for clause in clauses]
        if None in pairs:
            raise Defect("a clause is about no box")
        self.bars = np.concatenate([self.bars, np.array(pairs)])

    def path(
        self, literals: Ints, possible: Bools, true: Bits
    ) -> tuple[int, tuple[int, ...]] | None:
        """The cheapest intervals that no clause bars, by their cost and their cuts;
        None where there are none.
        """
        prices = self._allowed(literals, possible, true)
        places = self.order.length + 1
        costs = prices[0].copy()
        costs[0] = 0
        before = [0] * places
        for place in range(1, places):
            ways = costs[:place] + prices[:place, place]
            before[place] = int(ways.argmin())
            costs[place] = min(int(ways[before[place]]), self.limit)
        if costs[-1] >= self.limit:
            return None
        cuts = []
        place = before[-1]
        while place:
            cuts.append(place)
            place = before[place]
        return int(costs[-1]), tuple(cuts)

    def _allowed(self, literals: Ints, possible: Bools, true: Bits) -> Ints:
        """What each block costs; the limit where it is barred, or not what was
        decided.
        """
        prices = self.prices.copy()
        elsewhere = possible.copy()
        elsewhere[self.own] = False
        met = elsewhere[literals].any(axis=1)
        barring = ~met
        if barring.any():
            start, end = self.bars[barring].T
            prices[start, end] = self.limit
            # It is always cut before the first value: the other place is barred.
            prices[:, end[start == 0]] = self.limit
        joined = self.order.places(true)
        prices[:, list(members(joined))] = self.limit
        cut = np.flatnonzero(~possible[self.own])
        for place in (cut + 1).tolist():
            # No block reaches over it.
            prices[:place, place + 1 :] = self.limit
        return prices


def shortest(
    space: CodedSpace, cost: Cost, parts: Parts, records: int
) -> Shortest | None:
    """Who proposes candidates where columns are by intervals, and all clauses will be
    about boxes; None elsewhere.  ``records`` may be withheld.
    """
    if records or parts.open or parts.assumptions:
        return None
    if not all(part.kept_by_merging for part in parts.classes):
        return None
    found = orders(space, tied(space, cost))
    if found is None:
        return None
    return Shortest(space, found, space.decisions + 1)
