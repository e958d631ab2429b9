"""A column from a level on: where its blocks meet, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from phverify.exact import Ints


@dataclass(frozen=True, eq=False)
class ColumnAbove:
    """An attribute from a ``level`` on: for each block there, in the order of their
    codes, its ladder: the blocks that it becomes level by level, itself first.
    """

    level: int
    ladders: list[list[int]]

    @cached_property
    def rungs(self) -> Ints:
        """The same as an array."""
        return np.array(self.ladders)

    @cached_property
    def levels(self) -> int:
        """How many levels there are, the first one too."""
        return len(self.ladders[0])

    @cached_property
    def steps(self) -> Ints:
        """How many steps up each two blocks meet; as many as there are levels where
        they never do.
        """
        blocks = len(self.ladders)
        steps = np.zeros((blocks, blocks), dtype=np.int64)
        # Level by level: sums along so short an axis would take longer.
        for rung in self.rungs.T:
            steps += rung[:, None] != rung
        return steps

    @cached_property
    def parted(self) -> bool:
        """Whether some blocks never meet."""
        last = self.levels - 1
        tops = self.rungs[:, last]
        distinct = set(tops.tolist())
        return len(distinct) > 1
