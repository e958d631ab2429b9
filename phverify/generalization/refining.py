"""What is better than the best candidate that is known: finer ones, and where deciding
one may take long what is near it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from phverify.budget import Deadline
from phverify.exact import Bools
from phverify.generalization.descent import Descent
from phverify.generalization.nearby import Nearby
from phverify.generalization.soon import SoonSeen

MANY = 10_000
"""A space with more unknowns is wide."""


@dataclass(eq=False)
class Refining(SoonSeen):
    """A search that betters what it knows, for as long as it is let."""

    descent: Descent | None = None
    nearby: Nearby | None = None
    looks: Iterator[None] = field(default_factory=lambda: iter(()))
    """What is near, of which each look is one candidate."""
    goes_on_nearby: bool = False
    """Whether not all of what is near has been looked at."""

    @property
    def looks_nearby(self) -> bool:
        """Whether what is near the best candidate is looked at, not what is finer
        alone.
        """
        return self.looks_soon and not self.space.by_levels

    @property
    def wide(self) -> bool:
        """Whether there are so many unknowns that proposals and reasons take long."""
        return self.space.size > MANY

    def refine(self, until: Deadline) -> None:
        """Look until then for something better than the best candidate.

        Raises BudgetExceeded where the time of the search is over.
        """
        by_levels = self.space.by_levels
        # Among levels what is soon seen has been looked for otherwise.
        if self.best is None or (by_levels and self.looks_soon):
            return
        best = self.best.candidate
        nearby = by_levels or self.looks_nearby or self.wide
        looks = self._near(best) if nearby else self._finer(best)
        for _ in looks:
            if until.over:
                self.goes_on_nearby = self.looks_nearby
                return
        self.goes_on_nearby = False

    def _finer(self, best: Bools) -> Iterator[Bools]:
        """Looks at what is finer than the best candidate."""
        known = self.descent
        if known is None or (known.current != best).any():
            known = self._descent(best)
        self.descent = known
        return known.steps()

    def _descent(self, start: Bools) -> Descent:
        """The way down from a candidate."""
        return Descent(self.steps_down, start, self._fits)

    def _near(self, best: Bools) -> Iterator[None]:
        """Looks at what is near the best candidate."""
        if self.nearby is None:
            self.nearby = Nearby(self.steps_down, self._fits, best)
            self.looks = self.nearby.looks()
        elif self.nearby.betters(best):
            self.looks = self.nearby.looks()
        return self.looks

    @property
    def _fits(self) -> Callable[[Bools], bool]:
        """Whether a candidate satisfies the policy: without reasons where those, or the
        decision, take long.
        """
        if self.looks_soon or self.wide:
            return partial(self._fits_soon, steps=None)
        return self._improves

    @abstractmethod
    def _improves(self, candidate: Bools) -> bool:
        """Whether a candidate satisfies the policy; it is the best one then."""
