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
from phverify.generalization.steps_down import StepsDown

Decisions = frozenset[int]
Ways = Iterator[tuple[Bools, tuple[Decisions, ...]]]
"""Where ways down begin, each with the decisions that it keeps stage by stage."""


@dataclass(eq=False)
class Nearby:
    """Looks for better candidates than ``best``, for as long as anybody asks.

    ``fits`` says whether a candidate satisfies the policy.
    """

    steps_down: StepsDown
    fits: Callable[[Bools], bool]
    best: Bools
    known: dict[bytes, bool] = field(default_factory=dict)
    """Whether candidates that were looked at fit."""

    def __post_init__(self) -> None:
        self.space = self.steps_down.space
        self.least = self.steps_down.total(self.best)
        self.far = iter((self._from_top, self._from_top_by_pairs))

    def betters(self, best: Bools) -> bool:
        """Whether a candidate is better than the best one: then it is that one."""
        total = self.steps_down.total(best)
        if total >= self.least:
            return False
        self.best, self.least = best, total
        return True

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
        for way in ways():
            start, kept = way
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
        if key in self.known:
            return self.known[key]
        fits = self.fits(candidate)
        self.known[key] = fits
        if fits:
            self.betters(candidate)
        return fits

    # Where ways down begin

    @cached_property
    def columns(self) -> list[Decisions]:
        """The decisions of each column."""
        columns = []
        for start, end in pairwise(self.space.starts):
            decisions = range(start, end)
            columns.append(frozenset(decisions))
        return columns

    @cached_property
    def every(self) -> Decisions:
        """All decisions."""
        decisions = range(self.space.decisions)
        return frozenset(decisions)

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
            more = start & ~self.best
            decisions = np.flatnonzero(more).tolist()
            kept = frozenset(decisions)
            yield start, (kept,)

    def _from_top(self) -> Ways:
        """The most general candidate: one column is refined before the others."""
        top = self.space.top()
        for column in self.columns:
            others = self.every - column
            yield top, (others,)

    def _from_top_by_pairs(self) -> Ways:
        """The same with two columns, one after the other."""
        top = self.space.top()
        for first, second in permutations(self.columns, 2):
            others = self.every - first
            rest = others - second
            yield top, (others, rest)
