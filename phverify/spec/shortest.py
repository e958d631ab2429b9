"""No candidate that meets all clauses is cheaper, where some columns are by intervals
and the others along hierarchies.

Cuts of the hierarchies are branched over.  In each branch the clauses bar blocks of
columns by intervals, and what is left costs at least a shortest path along the values
of each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from phverify.spec.along import Along
from phverify.spec.bitset import Bits, below, bits, first, members, within
from phverify.spec.schemes import Clause
from phverify.spec.spaces import Space
from phverify.spec.together import Intervals
from phverify.spec.wording import many

MOST = 20_000
"""Of more branches than this no proof is made."""
Pair = tuple[int, int]
Path = tuple[int, tuple[int, ...]]
"""What intervals cost, and where a column is cut: v is between the values v - 1 and v.

It is always cut before the first value and behind the last: these are not listed.
"""


@dataclass(frozen=True, eq=False)
class Order:
    """A column by intervals.

    Its decisions start at the unknown ``start``; ``blocks`` are, for each place where
    one may begin, the places where it may end, with what it costs.
    """

    scheme: Intervals
    start: int
    blocks: Sequence[Sequence[Pair]]

    @cached_property
    def length(self) -> int:
        """How many values the column has."""
        return len(self.scheme.values)

    @cached_property
    def own(self) -> Bits:
        """Its decisions.  That of the number v after ``start`` is false where the
        column is cut at v + 1.
        """
        decisions = below(self.scheme.decisions)
        return decisions << self.start

    def places(self, decisions: Bits) -> Bits:
        """The places that some of its decisions are about."""
        own = decisions & self.own
        # From numbers of unknowns to places: its first decision is about place 1.
        number = own >> self.start
        return number << 1

    def barred(self, clause: Bits) -> Pair | None:
        """Two places at which the column is not cut both, where none of the clause's
        other unknowns is true; None where it speaks of more places.
        """
        places = list(members(self.places(clause)))
        if len(places) > 2:
            return None
        if len(places) == 2:
            return places[0], places[1]
        # It is always cut before the first value, and behind the last.
        end = places[0] if places else self.length
        return 0, end

    def cheapest(self, bars: Sequence[Pair], joined: Bits, cut: Bits) -> Path | None:
        """The cheapest intervals of which none is barred, without the places ``joined``
        and with all that are ``cut``.  None where there are none.

        A shortest path: each block is a step from where it begins to where it ends.
        """
        barred = [joined] * (self.length + 1)
        nowhere = bits(end for start, end in bars if start == 0)
        for start, end in bars:
            barred[start] |= 1 << end
        found: dict[int, Path] = {0: (0, ())}
        for start, steps in enumerate(self.blocks):
            if start not in found:
                continue
            so_far, cuts = found[start]
            excluded = barred[start] | nowhere
            for end, price in steps:
                inside = below(end) & ~below(start + 1)
                if excluded >> end & 1 or cut & inside:
                    continue
                cost = so_far + price
                if end not in found or cost < found[end][0]:
                    found[end] = cost, (*cuts, end)
        if self.length not in found:
            return None
        cost, cuts = found[self.length]
        return cost, cuts[:-1]


@dataclass(frozen=True)
class SearchBranch:
    """Candidates of which the decisions ``true`` are, and no others than ``possible``.

    ``clauses`` are those that ``true`` does not meet.
    """

    true: Bits
    possible: Bits
    clauses: Sequence[Bits]


@dataclass(frozen=True, eq=False)
class Orders:
    """A space with columns by intervals; ``weights`` are what its unknowns cost."""

    space: Space
    weights: Sequence[int]
    orders: Sequence[Order]

    @cached_property
    def along(self) -> Bits:
        """The decisions along hierarchies."""
        along = below(self.space.decisions)
        for order in self.orders:
            along &= ~order.own
        return along

    @cached_property
    def implied(self) -> Mapping[int, Bits]:
        """For each decision along a hierarchy itself and all that follow from it."""
        implied = {unknown: 1 << unknown for unknown in members(self.along)}
        steps = list(self._steps())
        changed = True
        while changed:
            changed = False
            for higher, lower in steps:
                if not within(implied[lower], implied[higher]):
                    implied[higher] |= implied[lower]
                    changed = True
        return implied

    @cached_property
    def implying(self) -> Mapping[int, Bits]:
        """For each of them itself and all that it follows from."""
        implying = dict.fromkeys(self.implied, 0)
        for unknown, follow in self.implied.items():
            for other in members(follow):
                implying[other] |= 1 << unknown
        return implying

    def _steps(self) -> Iterator[Pair]:
        """Pairs of decisions along hierarchies: the first implies the second."""
        for number, scheme in enumerate(self.space.schemes):
            if not isinstance(scheme, Along):
                continue
            for clause in scheme.constraints():
                # A cut above one node is above the other.
                higher, lower = self.space.lifted(number, clause)
                yield -higher - 1, lower - 1

    def price(self, unknowns: Bits) -> int:
        """What these decisions along hierarchies cost."""
        along = unknowns & self.along
        prices = [self.weights[unknown] for unknown in members(along)]
        return sum(prices)

    def read(self, clause: Clause) -> Bits | None:
        """A clause that wants some decisions to be true; None for any other."""
        for literal in clause:
            if not 0 < literal <= self.space.decisions:
                return None
        # A clause counts unknowns from 1.
        unknowns = [literal - 1 for literal in clause]
        return bits(unknowns)

    def paths(self, branch: SearchBranch) -> list[Path] | None:
        """The cheapest intervals of each column; None where a branch is empty."""
        possible = branch.possible
        barring: list[list[Pair]] = [[] for _ in self.orders]
        for clause in branch.clauses:
            left = clause & possible
            if not left:
                return None
            for order, bars in zip(self.orders, barring, strict=True):
                # Only its own decisions can meet the clause.
                pair = order.barred(clause) if within(left, order.own) else None
                if pair is not None:
                    bars.append(pair)
        paths = []
        for order, bars in zip(self.orders, barring, strict=True):
            cut = order.places(order.own & ~possible)
            path = order.cheapest(bars, order.places(branch.true), cut)
            if path is None:
                return None
            paths.append(path)
        return paths

    def divided(
        self, branch: SearchBranch, cuts: Sequence[Sequence[int]]
    ) -> list[SearchBranch]:
        """Two branches that are together the same; none where no clause is broken by
        the most general candidate with these cuts, and no hierarchy is left open.
        """
        true, possible = branch.true, branch.possible
        free = self.along & possible & ~true
        if free:
            unknown = self.dearest(free, true)
            more, less = self.implied[unknown], self.implying[unknown]
        else:
            broken = self.broken(branch, cuts)
            if broken is None:
                return []
            # Where fewer values are, cuts are decided first.
            own = [order.own for order in self.orders if order.own & broken & possible]
            unknown = first(min(own, key=int.bit_count) & broken & possible)
            more = less = 1 << unknown
        rest = [clause for clause in branch.clauses if not clause & more]
        return [
            SearchBranch(true | more, possible, rest),
            SearchBranch(true, possible & ~less, branch.clauses),
        ]

    def dearest(self, free: Bits, true: Bits) -> int:
        """The decision that costs most, with all that follows from it."""

        def price(unknown: int) -> int:
            more = self.implied[unknown] & ~true
            return self.price(more)

        return max(members(free), key=price)

    def broken(
        self, branch: SearchBranch, cuts: Sequence[Sequence[int]]
    ) -> Bits | None:
        """A clause that the most general candidate with these cuts breaks, if any."""
        candidate = branch.possible
        for order, places in zip(self.orders, cuts, strict=True):
            decisions = bits(places) >> 1
            candidate &= ~(decisions << order.start)
        for clause in branch.clauses:
            # None of its unknowns is true.
            if not clause & candidate:
                return clause
        return None

    def branches(
        self,
        clauses: Sequence[Clause],
        bound: int,
        each: Callable[[], None] = lambda: None,
    ) -> int | None:
        """How many branches show that nothing which meets all clauses costs less.

        None where they do not show it, or there are more than ``MOST``.  ``each`` is
        called for each of them.
        """
        read = [clause for clause in map(self.read, clauses) if clause is not None]
        waiting = [SearchBranch(0, below(self.space.decisions), read)]
        looked_at = 0
        while waiting:
            branch = waiting.pop()
            looked_at += 1
            if looked_at > MOST:
                return None
            each()
            paths = self.paths(branch)
            if paths is None:
                continue
            cost = self.price(branch.true) + sum(cost for cost, _ in paths)
            if cost >= bound:
                continue
            parts = self.divided(branch, [cuts for _, cuts in paths])
            if not parts:
                return None
            waiting += parts
        return looked_at


def shown(
    space: Space, weights: Sequence[int], clauses: Sequence[Clause], bound: int
) -> str:
    """How it is shown that nothing which meets all clauses costs less; "" where it is
    not.
    """
    found = orders(space, weights)
    branches = None if found is None else found.branches(clauses, bound)
    if branches is None:
        return ""
    return f"shortest paths in {many(branches, 'branch', 'branches')}"


def orders(space: Space, weights: Sequence[int]) -> Orders | None:
    """The space as one with columns by intervals; None where it has none, or others
    than those along hierarchies.
    """
    found = []
    for number, scheme in enumerate(space.schemes):
        if isinstance(scheme, Intervals):
            blocks = _blocks(space, number, scheme, weights)
            found.append(Order(scheme, space.starts[number], blocks))
        elif not isinstance(scheme, Along):
            return None
    return Orders(space, weights, found) if found else None


def _blocks(
    space: Space, number: int, scheme: Intervals, weights: Sequence[int]
) -> list[list[Pair]]:
    """By where they begin, the ends of a column's blocks, with what their pairs
    cost.
    """
    unknowns = [space.unknown(number, local) for local in range(scheme.size)]
    own = [weights[unknown] for unknown in unknowns]
    blocks: list[list[Pair]] = [[] for _ in scheme.values]
    for last, costs in enumerate(scheme.runs(own)):
        for start, run in enumerate(costs):
            if scheme.valid(below(last + 1) & ~below(start)):
                blocks[start].append((last + 1, run))
    return blocks
