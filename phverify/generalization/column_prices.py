"""What one column of a candidate costs: a cost is a sum over columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

import numpy as np

from phverify.exact import Bools
from phverify.generalization.space import CodedSpace
from phverify.spec.bitset import first
from phverify.spec.schemes import Scheme
from phverify.spec.spaces import Cost
from phverify.spec.together import Intervals, Together


@dataclass(frozen=True, eq=False)
class ColumnPrices:
    """Prices of a column's partitions, in units of 1 / denominator.

    ``weights`` are those of its own unknowns.
    """

    scheme: Scheme
    weights: tuple[int, ...]
    _of_blocks: dict[int, int] = field(default_factory=dict)

    def of(self, part: Bools) -> int:
        """The price of a partition, given by the column's decisions."""
        scheme = self.scheme
        if isinstance(scheme, Together):
            # Pairs of values: of those that share a block, block by block.
            blocks = set(scheme.blocks(part.tolist()))
            return sum(self._of_block(scheme, block) for block in blocks)
        true = np.flatnonzero(part).tolist()
        return sum(self.weights[decision] for decision in true)

    @cached_property
    def _runs(self) -> list[list[int]]:
        """What runs of neighbours cost, by their last and their first value."""
        assert isinstance(self.scheme, Intervals)
        return list(self.scheme.runs(self.weights))

    def _of_block(self, scheme: Together, block: int) -> int:
        if isinstance(scheme, Intervals):
            return self._runs[block.bit_length() - 1][first(block)]
        if block not in self._of_blocks:
            price = 0
            for pair in combinations(scheme.members(block), 2):
                # A missing value has a pair with one other value alone.
                unknown = scheme.pairs.get(pair)
                if unknown is not None:
                    price += self.weights[unknown]
            self._of_blocks[block] = price
        return self._of_blocks[block]


def column_prices(space: CodedSpace, cost: Cost) -> list[ColumnPrices]:
    """The prices of each column."""
    listed = []
    for number, scheme in enumerate(space.schemes):
        unknowns = [space.unknown(number, local) for local in range(scheme.size)]
        weights = [cost.weights[unknown] for unknown in unknowns]
        listed.append(ColumnPrices(scheme, tuple(weights)))
    return listed
