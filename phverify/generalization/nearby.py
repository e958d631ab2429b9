"""What is near the best candidate that is known: something is generalized further, and
the rest is refined for it.

Taking decisions back one by one ends where none can go alone.  What is better may be
coarser in one column and finer in the others: so the ways down begin at other places
and take the columns in other orders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise, permutations

import numpy as np

from phverify.exact import Bools
from phverify.generalization.descent import Descent
from phverify.generalization.space import CodedSpace
from phverify.generalization.steps_down import StepsDown
from phverify.spec.spaces import Cost

Decisions = frozenset[int]
Ways = Iterator[tuple[Bools, tuple[Decisions, ...]]]
"""Where ways down begin, each with the decisions that it keeps at first, then at next."""


@dataclass(eq=False)
class Nearby:
    """Looks for better candidates than ``best``, for as long as anybody asks.

    ``fits`` says whether a candidate satisfies the policy.
    """

    space: CodedSpace
    cost: Cost
    fits: Callable[[Bools], bool]
    best: Bools
    known: dict[bytes, bool] = field(default_factory=dict)
    """Whether candidates that were looked at fit."""

    def __post_init__(self) -> None:
        self.steps_down = StepsDown(self.space, self.cost)
        self.least = self.steps_down.total(self.best)
        self.far = iter((self._from_top, self._from_top_by_pairs))

    def begin(self, best: Bools) -> None:
        """Go on from a candidate that is better than the best one."""
        self.best = best
        self.least = self.steps_down.total(best)

    def looks(self) -> Iterator[None]:
        """Look at one candidate after the other, until nothing near is better."""
        yield from self._down(self.best, ())
        while True:
            least = self.least
            yield from self._along(self._without_a_column)
            if self.least == least:
                yield from self._along(self._one_coarser)
            if self.least == least:
                others = next(self.far, None)
                if others is None:
                    return
                yield from self._along(others)

    def _along(self, ways: Callable[[], Ways]) -> Iterator[None]:
        for start, kept in ways():
            yield from self._down(start, kept)

    def _down(self, start: Bools, kept: tuple[Decisions, ...]) -> Iterator[None]:
        """A way down, in stages: in the last one nothing is kept."""
        current = start
        for decisions in (*kept, frozenset()):
            descent = Descent(self.steps_down, current, self._fits, decisions)
            for _ in descent.steps():
                yield
            current = descent.current

    def _fits(self, candidate: Bools) -> bool:
        key = candidate.tobytes()
        if key not in self.known:
            self.known[key] = self.fits(candidate)
            total = self.steps_down.total(candidate)
            if self.known[key] and total < self.least:
                self.best, self.least = candidate, total
        return self.known[key]

    # Where ways down begin

    @cached_property
    def columns(self) -> list[Decisions]:
        """The decisions of each column."""
        spans = pairwise(self.space.starts)
        return [frozenset(range(start, end)) for start, end in spans if end > start]

    @cached_property
    def every(self) -> Decisions:
        """All decisions."""
        return frozenset(range(self.space.decisions))

    def _without_a_column(self) -> Ways:
        """The best candidate with one column generalized to the utmost: the others are
        refined first.
        """
        for column in self.columns:
            start = self.best.copy()
            start[list(column)] = True
            if (start != self.best).any():
                yield start, (column,)

    def _one_coarser(self) -> Ways:
        """The best candidate with one decision more."""
        for decision in range(self.space.decisions):
            if self.best[decision]:
                continue
            start = self.space.raised(self.best, decision)
            more = np.flatnonzero(start & ~self.best).tolist()
            yield start, (frozenset(more),)

    def _from_top(self) -> Ways:
        """The most general candidate: one column is refined before the others."""
        for column in self.columns:
            yield self.space.top(), (self.every - column,)

    def _from_top_by_pairs(self) -> Ways:
        """The same with two columns, one after the other."""
        for first, second in permutations(self.columns, 2):
            others = self.every - first
            yield self.space.top(), (others, others - second)
