"""No candidate of which few enough records are withheld is cheaper.

One column is a line: its values are ordered such that each block has neighbours alone,
as by intervals, or along a hierarchy.  Cuts of the other hierarchies are branched over.
In a branch the classes of a block lie inside boxes that do not depend on the other
blocks: so many records of it are withheld at least, and what is left is a shortest path
along the line that loses no more records than may be withheld.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

from phverify.spec.along import Subtrees
from phverify.spec.bitset import Bits, below, bits
from phverify.spec.constrained import LossyStep, some_path
from phverify.spec.lost import CertainLosses
from phverify.spec.shortest import Order, Orders, Pair, orders
from phverify.spec.spaces import Space
from phverify.spec.together import Intervals
from phverify.spec.violations import Violations
from phverify.spec.wording import many

MOST = 5_000
"""Of more branches than this no proof is made."""
Box = tuple[int, ...]
Lost = Callable[[int, int], int]
"""How many records of the block between two places are withheld at least."""


class LineBlock(NamedTuple):
    """A block that ends at a place: what it costs, and the decisions that make it."""

    end: int
    price: int
    decisions: Bits


@dataclass(frozen=True, eq=False)
class ValueLine:
    """The column with this number among the schemes of a space.

    ``values`` are the numbers of its values in their order; ``blocks`` are, by the
    place where they begin, those of some candidate.  A place is before the value of
    that number in the order.
    """

    number: int
    values: Sequence[int]
    blocks: Sequence[Sequence[LineBlock]]
    own: Bits
    """Its decisions."""

    @property
    def length(self) -> int:
        """How many values the column has."""
        return len(self.values)


class Losses(Protocol):
    """How many records of blocks are withheld at least."""

    def of(self, beside: Bits, settled: bool) -> Lost:
        """In all candidates that have no other decisions than these beside the line;
        in those that have all of them, where that is ``settled``.
        """


class LineBranch(NamedTuple):
    """Candidates that have the decisions ``true`` beside the line, and no others than
    ``possible``.
    """

    true: Bits
    possible: Bits


@dataclass(frozen=True, eq=False)
class BudgetedPaths:
    """Shortest paths along a line, with ``budget`` records that they may lose."""

    orders: Orders
    line: ValueLine
    budget: int
    losses: Losses

    @cached_property
    def beside(self) -> Bits:
        """The decisions of the other columns."""
        return self.orders.along & ~self.line.own

    @property
    def whole(self) -> LineBranch:
        """All candidates."""
        return LineBranch(0, self.beside)

    def divided(self, branch: LineBranch) -> list[LineBranch]:
        """Two branches that are together the same; none where nothing is left open."""
        true, possible = branch
        free = possible & ~true
        if not free:
            return []
        unknown = self.orders.dearest(free, true)
        more = self.orders.implied[unknown]
        less = self.orders.implying[unknown]
        taken = true | more
        with_it = LineBranch(taken, possible)
        without = LineBranch(true, possible & ~less)
        return [with_it, without]

    def branches(
        self, bound: int, each: Callable[[], None] = lambda: None
    ) -> int | None:
        """How many branches show that no candidate of which few enough records are
        withheld costs less.

        None where they do not show it, or there are more than ``MOST``.  ``each`` is
        called for each of them.
        """
        waiting = [self.whole]
        looked_at = 0
        while waiting:
            branch = waiting.pop()
            looked_at += 1
            if looked_at > MOST:
                return None
            each()
            if not self.open(branch, bound):
                continue
            parts = self.divided(branch)
            if not parts:
                return None
            waiting += parts
        return looked_at

    def open(self, branch: LineBranch, bound: int) -> bool:
        """Whether something in a branch may cost less, and lose few enough records."""
        spare = bound - self.orders.price(branch.true)
        if spare <= 0:
            return False
        settled = branch.true == branch.possible
        lost = self.losses.of(branch.possible, False)
        # What is lost of all values together is lost however they are cut.
        places = self.line.length
        at_least = lost(0, places)
        if at_least > self.budget:
            return False
        if settled:
            lost = self.losses.of(branch.possible, True)
        steps = []
        for start in range(places):
            own = self._steps(start, spare, lost)
            steps.append(list(own))
        return some_path(steps, spare, self.budget)

    def _steps(self, start: int, spare: int, lost: Lost) -> Iterator[LossyStep]:
        """The blocks that begin at a place and are not too dear."""
        for block in self.line.blocks[start]:
            # No block costs less than nothing.
            if block.price < spare:
                yield LossyStep(block.end, block.price, lost(start, block.end))


# Lines


def line_of(space: Space, weights: Sequence[int]) -> tuple[Orders, ValueLine] | None:
    """A space with the column that is a line: the only one by intervals, else the one
    along a hierarchy that leaves most open.  None where there is no such column.
    """
    by_intervals = [one for one in space.schemes if isinstance(one, Intervals)]
    # Of several none is the line: their blocks, of which there are many, are not made.
    if len(by_intervals) > 1:
        return None
    found = orders(space, weights)
    if found is not None:
        order = found.orders[0]
        return found, _by_intervals(found, order)
    for scheme in space.schemes:
        # Levels are not cut value by value, and other partitions have no order.
        if not isinstance(scheme, Subtrees):
            return None
    decisions = [scheme.decisions for scheme in space.schemes]
    number = decisions.index(max(decisions))
    found = Orders(space, weights, ())
    return found, _along(found, number)


def _by_intervals(found: Orders, order: Order) -> ValueLine:
    """A column by intervals as a line."""
    blocks: list[list[LineBlock]] = []
    for start, ends in enumerate(order.blocks):
        own = []
        for end, price in ends:
            # The pairs of neighbours: one less than there are values.
            pairs = below(end - 1) & ~below(start)
            own.append(LineBlock(end, price, pairs << order.start))
        blocks.append(own)
    schemes = found.space.schemes
    number = [scheme is order.scheme for scheme in schemes].index(True)
    return ValueLine(number, range(order.length), blocks, order.own)


def _along(found: Orders, number: int) -> ValueLine:
    """A column along a hierarchy as a line: what is below a node stands together."""
    space = found.space
    scheme = space.schemes[number]
    assert isinstance(scheme, Subtrees)
    paths = scheme.tree.paths
    values = sorted(range(len(paths)), key=lambda value: paths[value][::-1])
    places = {value: place for place, value in enumerate(values)}

    known: dict[Pair, LineBlock] = {}
    for node in sorted(scheme.nodes):
        inside = [places[value] for value in scheme.members(node)]
        start, end = min(inside), max(inside) + 1
        decisions = bits(_decisions(space, number, scheme, node))
        # Of nodes above the same values the lowest one costs no more than the others.
        lower = known.get((start, end))
        if lower is None or decisions.bit_count() < lower.decisions.bit_count():
            known[start, end] = LineBlock(end, found.price(decisions), decisions)

    blocks: list[list[LineBlock]] = [[] for _ in values]
    for (start, _), block in known.items():
        blocks[start].append(block)
    own = below(scheme.decisions) << space.starts[number]
    return ValueLine(number, values, blocks, own)


def _decisions(space: Space, number: int, scheme: Subtrees, node: int) -> Iterator[int]:
    """The decisions of all candidates that release a node: those of the nodes between
    it and its values.
    """
    for value in scheme.members(node):
        ladder = scheme.ladders[value]
        for lower in ladder[1 : ladder.index(node) + 1]:
            yield space.unknown(number, scheme.unknown[lower])


def shown(
    violations: Violations,
    weights: Sequence[int],
    bound: int,
    each: Callable[[], None] = lambda: None,
) -> str:
    """How it is shown that no candidate of which few enough records are withheld costs
    less; "" where it is not.
    """
    # It needs this module itself.
    from phverify.spec.row_losses import RowLosses

    found = line_of(violations.space, weights)
    if found is None:
        return ""
    losses = RowLosses(CertainLosses(violations), violations.space, found[1])
    paths = BudgetedPaths(*found, violations.budget, losses)
    branches = paths.branches(bound, each)
    if branches is None:
        return ""
    what = "shortest paths that lose few enough records"
    return f"{what}, in {many(branches, 'branch', 'branches')}"
