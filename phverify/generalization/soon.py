"""What a search soon sees to fit, before anything is proved.

Where records may be withheld and classes are compared with what is released, hundreds
of sets of classes are looked at before a candidate is excluded.  Something good is to
be known by then.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import ClassVar

from phverify.budget import Deadline, Tell
from phverify.exact import Bools
from phverify.generalization.counted_before import CountedBefore
from phverify.generalization.descent import Descent
from phverify.generalization.fitting import Fitting
from phverify.generalization.master import Grid, Master
from phverify.generalization.refute import Refuter
from phverify.generalization.space import CodedSpace
from phverify.generalization.steps_down import StepsDown
from phverify.spec.spaces import Cost

SOON = (None, 0, 8)
"""How many choices are followed up while it is looked for what is soon seen to fit: one
after the other; first not even what follows from what fails.
"""
UNCHOSEN = 2
"""So many rounds of it go without choices."""


@dataclass(eq=False)
class SoonSeen:
    """What a search is about, and the best that it knows.

    ``searching`` is until when it looks.
    """

    space: CodedSpace
    cost: Cost
    master: Master
    refuter: Refuter
    deadline: Deadline
    progress: Tell
    searching: Deadline = field(init=False)
    best: Fitting | None = None
    first: Fitting | None = None
    """What was to be looked at before all else, and fits: it stays where nothing costs
    less, or withholds fewer records for the same cost.
    """
    next_steps: tuple[int | None, ...] = SOON
    """What is still to be tried of what is soon seen."""
    monotone: ClassVar[bool] = True
    """Whether what is more general than a candidate that fits costs no less."""

    def total(self, candidate: Bools) -> int:
        """The cost of a candidate in units of 1 / denominator.

        Unknowns that serve the cost alone are derived from the partition.
        """
        return self.space.total(candidate, self.cost)

    @cached_property
    def steps_down(self) -> StepsDown:
        """The steps to finer candidates, for all ways down."""
        return StepsDown(self.space, self.cost)

    def look_soon(self, rounds: int = len(SOON)) -> None:
        """Where it may take long to decide one candidate: the best of those that are
        soon seen to fit, in so many rounds, before anything is proved.

        Raises BudgetExceeded.
        """
        if not self.looks_soon:
            return
        # The more is tried the longer it takes: by then something is known.
        while len(self.next_steps) > len(SOON) - rounds:
            fits = partial(self._fits_soon, steps=self.next_steps[0])
            known = None if self.best is None else self.best.candidate
            if isinstance(self.master, Grid):
                self.master.soon(known, fits, self.searching)
            else:
                start = self.space.top() if known is None else known
                Descent(self.steps_down, start, fits).whole()
            self.next_steps = self.next_steps[1:]

    @property
    def looks_soon(self) -> bool:
        """Whether it may take long to decide one candidate, and what is more general
        costs more.
        """
        return self.monotone and self.refuter.judge.chooses

    @property
    def seen_soon(self) -> bool:
        """Whether what is soon seen without choices has been looked at."""
        return len(self.next_steps) <= len(SOON) - UNCHOSEN

    def _fits_soon(self, candidate: Bools, steps: int | None) -> bool:
        """Whether it is soon seen that a candidate fits; of those the best is kept."""
        self.searching.check()
        self.progress("searching: what is soon seen to fit")
        fitting = self._seen(candidate, steps)
        if fitting is None:
            return False
        if self._better(fitting):
            self.best = fitting
        return True

    def _better(self, fitting: Fitting) -> bool:
        """Whether a candidate takes the place of the best one so far."""
        if self.best is None:
            return True
        if self.best is self.first:
            return fitting.rank < self.best.rank
        # Of two that cost the same, the later one generalizes less.
        return fitting.total <= self.best.total

    def _seen(self, candidate: Bools, steps: int | None) -> Fitting | None:
        """A candidate that is soon seen to fit."""
        finding = self.refuter.soon(candidate, steps)
        if finding is None:
            return None
        return Fitting(candidate, finding, self.total(candidate))

    def share(self, counted: CountedBefore) -> None:
        """Count with others, where they search the same table in the same space."""
        judge = self.refuter.judge
        if counted.serves(judge.finest, self.space.schemes, judge.paths):
            self.refuter.judge = replace(judge, counted=counted)
