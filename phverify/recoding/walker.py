"""All boxes of a grid: prices are held against them, and lowered to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from phverify.exact import Ints
from phverify.recoding.grid import LARGEST, TupleGrid
from phverify.recoding.penalties import BranchRoom, Cuts, branch_room, no_cuts
from phverify.recoding.walk import CHECK, COUNT, REPAIR, BoxParts, BrokenBoxes, walk
from phverify.recoding.worst import Boxes, Room, room

NO_END = 2**62
MEAN_SIZE = 12
"""Members of a set for which there is room, on average."""
LARGEST_KNAPSACK = 400
"""Sets with so many records are asked of more than is needed, where classes are larger:
the bound is lower then, and holds."""


@dataclass(frozen=True, eq=False)
class FoundSets:
    """Sets that broke a price, each in a box that costs ``costs[i]`` a record."""

    sets: list[Ints]
    costs: Ints


@dataclass(frozen=True, eq=False)
class Walker:
    """All boxes of a grid, with room to walk over them; for one thread at a time."""

    boxes: Boxes
    dearest: int
    """What a record costs at most, in units."""
    highest: int
    room: Room
    parts: BoxParts

    def lowered(
        self, prices: Ints, patience: int, limit: int = 0, cuts: Cuts | None = None
    ) -> tuple[Ints | None, FoundSets]:
        """Prices that no box breaks, from any; and up to ``limit`` sets that broke one.

        None in place of prices if that had taken longer than ``patience`` tuples.
        """
        # Whatever is proposed, sums of it fit in 64 bits.
        mended = np.clip(prices, 0, self.boxes.counts * self.highest)
        found = self._violations(limit)
        done = self._run(mended, REPAIR, patience, found, cuts)
        return (mended if done else None), _listed(found)

    def feasible(
        self, prices: Ints, cuts: Cuts | None = None, work: int = NO_END
    ) -> bool:
        """Whether no box breaks its price; cuts take at most ``work`` steps."""
        found = self._violations(1)
        own: Ints = prices.copy()
        branches = branch_room(cuts, self.boxes.least)
        self._run(own, CHECK, NO_END, found, cuts, branches)
        # The checker has only so much time: what takes longer is no proof.
        return not found.length[0] and branches.work[0] <= work

    def alone(self, patience: int) -> Ints | None:
        """For each tuple the records' price in the cheapest box that holds it and is
        large enough; None if that had taken longer than ``patience`` tuples.
        """
        prices = self.boxes.counts * self.dearest
        done = self._run(prices, COUNT, patience, self._violations(0))
        return prices if done else None

    def _run(
        self,
        prices: Ints,
        mode: int,
        patience: int,
        found: BrokenBoxes,
        cuts: Cuts | None = None,
        branches: BranchRoom | None = None,
    ) -> bool:
        """Walk over all boxes; ``prices`` are lowered in place."""
        # By falling rates a part's dear tuples come first: whether a box may break
        # shows early.
        rates = -(-prices // self.boxes.counts)
        self.parts.members[0] = np.argsort(-rates, kind="stable")
        return bool(
            walk(
                self.boxes,
                self.room,
                cuts or no_cuts(),
                branches or branch_room(cuts, self.boxes.least),
                self.parts,
                rates,
                prices,
                mode,
                patience,
                found,
            )
        )

    def _violations(self, limit: int) -> BrokenBoxes:
        # There is room for one set of all tuples: the first is never left out.
        room = max(limit * MEAN_SIZE, len(self.boxes.counts))
        members = np.empty(room, np.int32)
        ends = np.empty(limit, np.int64)
        return BrokenBoxes(
            members, ends, np.empty(limit, np.int64), np.zeros(1, np.int64)
        )


@dataclass(frozen=True, eq=False)
class Distinct:
    """A class needs ``least`` different values of a confidential column or more.

    ``histogram`` has a line for each tuple and a column for each value.
    """

    least: int
    histogram: Ints


def walker(grid: TupleGrid, least: int, distinct: Sequence[Distinct] = ()) -> Walker:
    """All boxes of a grid for classes of ``least`` records or more."""
    # Attributes with few values first: their coarse nodes cost most, and end the walk.
    order = sorted(range(len(grid.layers)), key=lambda a: len(grid.layers[a][0].group))
    first = [0]
    for attribute in order:
        first.append(first[-1] + len(grid.layers[attribute]))
    layers = [layer for attribute in order for layer in grid.layers[attribute]]
    widest = max(len(layer.group) for layer in layers)
    group = np.zeros((len(layers), widest), np.int32)
    price = np.zeros((len(layers), widest), np.int64)
    for line, layer in enumerate(layers):
        group[line, : len(layer.group)] = layer.group
        price[line, : len(layer.price)] = layer.price
    codes = np.ascontiguousarray(grid.codes[:, order].T.astype(np.int32))
    # Fewer records than are needed: more sets are asked, so that prices are lower,
    # never wrong.
    least = min(max(least, 1), LARGEST_KNAPSACK)
    spans, held, kinds = _held(distinct, grid.tuples)
    wanted = np.array([one.least for one in distinct], np.int64)
    counts = grid.counts.astype(np.int64)
    boxes = Boxes(
        codes, counts, np.array(first), group, price, least, wanted, spans, held
    )
    depth = len(order)
    members = np.empty((depth + 1, grid.tuples), np.int32)
    places = np.zeros((3, depth + 1, widest), np.int64)
    parts = BoxParts(members, places[0], places[1], places[2])
    parts.ends[0, 0] = grid.tuples
    # A tuple may pay for others, too, that it takes with it: sums fit in 64 bits.
    highest = LARGEST // grid.rows
    space = room(grid.tuples, widest, least, kinds)
    return Walker(boxes, grid.unit * grid.most, highest, space, parts)


def _held(distinct: Sequence[Distinct], tuples: int) -> tuple[Ints, Ints, int]:
    """Where each tuple's values of each column stand; these; how many kinds."""
    spans = np.zeros((len(distinct), tuples + 1), np.int64)
    held: list[Ints] = [np.zeros(0, np.int64)]
    kinds = 0
    filled = 0
    for line, one in enumerate(distinct):
        having, values = np.nonzero(one.histogram)
        spans[line, 1:] = np.cumsum(np.bincount(having, minlength=tuples))
        spans[line] += filled
        filled += len(values)
        held.append(values + kinds)
        kinds += one.histogram.shape[1]
    return spans, np.concatenate(held), kinds


def _listed(found: BrokenBoxes) -> FoundSets:
    """The sets one by one."""
    count = int(found.length[0])
    ends = found.ends[:count]
    sets = np.split(found.members[: ends[-1]], ends[:-1]) if count else []
    return FoundSets(sets, found.costs[:count])
