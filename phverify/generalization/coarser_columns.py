"""From the blocks of a column to those of a coarser partition of its values: candidates
near each other share most of these steps.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from phverify.generalization.space import KEPT
from phverify.microdata.table import CodedColumn


@dataclass(frozen=True, eq=False)
class CoarserColumn:
    """For each block of a partition (``before``) the one of a coarser partition."""

    before: CodedColumn
    after: CodedColumn
    column: CodedColumn


@dataclass(frozen=True, eq=False)
class CoarserColumns:
    """The steps that were made, by the numbers in memory of both partitions."""

    known: dict[tuple[int, int], CoarserColumn] = field(default_factory=dict)

    def between(self, before: CodedColumn, after: CodedColumn) -> CodedColumn:
        """From the blocks of a partition to those of a coarser one."""
        key = id(before), id(after)
        if key not in self.known:
            if len(self.known) >= KEPT:
                self.known.clear()
            # Both are kept: no other column gets their numbers in memory.
            self.known[key] = CoarserColumn(before, after, _between(before, after))
        return self.known[key].column


def _between(before: CodedColumn, after: CodedColumn) -> CodedColumn:
    codes = np.zeros(len(before.labels), dtype=np.int64)
    codes[before.codes] = after.codes
    return CodedColumn(codes, after.labels)
