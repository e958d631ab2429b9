"""What taking back one decision of a candidate leads to, and what that saves.

A decision concerns one column: what becomes of a column is looked at once, however many
candidates share it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from phverify.exact import Bools
from phverify.generalization.column_prices import ColumnPrices, column_prices
from phverify.generalization.space import CodedSpace
from phverify.spec.spaces import Cost


class StepDown(NamedTuple):
    """A decision that is taken back, with those that imply it.

    In the order in which they are tried: as few decisions as possible, since those
    above are taken back first; then what costs least; then the first one.
    """

    dropped: int
    """How many decisions go."""
    dearer: int
    """By how much the column costs more after it: less than 0."""
    unknown: int
    start: int
    """Where the column's decisions begin."""
    part: Bools
    """The column's decisions after it."""

    def taken(self, candidate: Bools) -> Bools:
        """The candidate after the step."""
        after = candidate.copy()
        end = self.start + len(self.part)
        after[self.start : end] = self.part
        return after


@dataclass(frozen=True, eq=False)
class StepsDown:
    """The steps from candidates of a space to finer ones."""

    space: CodedSpace
    cost: Cost
    _known: dict[tuple[int, bytes], list[StepDown]] = field(default_factory=dict)

    def each(self, candidate: Bools) -> Iterator[StepDown]:
        """One for each decision that is made, column by column."""
        for number, part in enumerate(self.space.each(candidate)):
            key = number, part.tobytes()
            if key not in self._known:
                steps = self._of_column(candidate, number)
                self._known[key] = list(steps)
            yield from self._known[key]

    def _of_column(self, candidate: Bools, number: int) -> Iterator[StepDown]:
        start, end = self.space.starts[number : number + 2]
        before = candidate[start:end]
        prices = self._prices[number]
        price = prices.of(before)
        for local in np.flatnonzero(before).tolist():
            unknown = start + local
            lowered = self.space.lowered(candidate, unknown)
            # Decisions are implied by others of their own column alone.
            part = lowered[start:end]
            dropped = int(before.sum() - part.sum())
            dearer = prices.of(part) - price
            yield StepDown(dropped, dearer, unknown, start, part)

    def total(self, candidate: Bools) -> int:
        """The cost of a candidate, in units of 1 / denominator."""
        parts = self.space.each(candidate)
        total = 0
        for prices, part in zip(self._prices, parts, strict=True):
            total += prices.of(part)
        return total

    @cached_property
    def _prices(self) -> list[ColumnPrices]:
        return column_prices(self.space, self.cost)
