"""Which classes of a candidate are withheld, where the others are compared with what is
released: by branching, with what follows at each step.

A class is withheld, released, or free.  However the free ones go, the shares of values
in the released table are within ranges; a class that breaks a rule for all of them is
withheld, and the ranges close in.  Where nothing more follows, some class that breaks a
rule as the table now is goes either way.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from phverify.budget import Deadline
from phverify.exact import Ints
from phverify.generalization.compared import ComparedCriteria
from phverify.generalization.counted_candidate import CountedCandidate

FREE, RELEASED, WITHHELD = 0, 1, 2
STEPS = 400
"""So many choices are followed up; then it is left open whether any set will do."""
FEW = 12
"""Of so many free classes all sets are."""


class TooManyWays(Exception):
    """Not all sets of classes to withhold could be looked at."""


@dataclass(eq=False)
class Withholding:
    """Looks for classes to withhold, of ``budget`` records at most."""

    criteria: ComparedCriteria
    view: CountedCandidate
    budget: int
    deadline: Deadline

    def start(self, withheld: Ints, named: Ints) -> Ints:
        """The fate of each class: these must be withheld, those may not be."""
        classes = len(self.sizes)
        fate: Ints = np.full(classes, FREE, dtype=np.int64)
        fate[named] = RELEASED
        fate[withheld] = WITHHELD
        return fate

    @property
    def sizes(self) -> Ints:
        """The records of each class."""
        return self.view.quotient.sizes

    def followed(self, fate: Ints) -> Ints | None:
        """The same with all that follows; None where nothing does satisfy the rules."""
        fate = fate.copy()
        while True:
            self.deadline.check()
            spare = self.budget - self._rows(fate == WITHHELD)
            if spare < 0:
                return None
            # What is larger than what may still be withheld is released.
            fate[(fate == FREE) & (self.sizes > spare)] = RELEASED
            open_rows = self._rows(fate == FREE)
            left = np.flatnonzero(fate != WITHHELD)
            if not len(left):
                return None
            more = min(spare, open_rows)
            broken = left[self.criteria.surely(self.view.ground, left, more)]
            if (fate[broken] == RELEASED).any():
                return None
            if not len(broken):
                return fate
            fate[broken] = WITHHELD

    def _rows(self, classes: Ints) -> int:
        own = self.sizes[classes]
        rows = own.sum()
        return int(rows)

    def failing(self, fate: Ints) -> Ints:
        """The released classes that break a rule if no other one is withheld.  Raises
        Unfit.
        """
        released = fate != WITHHELD
        left = np.flatnonzero(released)
        ground = self.view.ground
        broken = self.criteria.breaking(ground, left)
        return left[broken]

    def found(self, fate: Ints, most: int | None = None) -> Ints | None:
        """Classes that are withheld, so that the others satisfy all criteria; None
        where there are none such.

        ``fate`` is one with all that follows; up to ``most`` choices are followed up.
        Raises TooManyWays.
        """
        stable = self.stable(fate)
        if stable is not None:
            return stable
        waiting = [fate]
        free = int((fate == FREE).sum())
        # n classes have 2^n sets: few enough are all looked at, whatever follows.
        steps = 2 ** (free + 1) if free <= FEW else STEPS
        steps = steps if most is None else min(steps, most)
        for _ in range(steps):
            if not waiting:
                return None
            followed = self.followed(waiting.pop())
            if followed is None:
                continue
            failing = self.failing(followed)
            if not len(failing):
                return np.flatnonzero(followed == WITHHELD)
            waiting += self._branches(followed, failing)
        if not waiting:
            return None
        raise TooManyWays

    def stable(self, fate: Ints) -> Ints | None:
        """Withhold exactly what fails, again and again until nothing does.

        None where that takes too many records.
        """
        fate = fate.copy()
        while True:
            self.deadline.check()
            failing = self.failing(fate)
            if not len(failing):
                return np.flatnonzero(fate == WITHHELD)
            if (fate[failing] == RELEASED).any():
                return None
            fate[failing] = WITHHELD
            if self._rows(fate == WITHHELD) > self.budget:
                return None

    def _branches(self, fate: Ints, failing: Ints) -> list[Ints]:
        """One class is released, or withheld: the latter is looked at first."""
        free = np.flatnonzero(fate == FREE)
        if not len(free):
            return []
        # A small class that fails costs least.  Where none may go others move the
        # table.
        wanted = failing[fate[failing] == FREE]
        among = wanted if len(wanted) else free
        chosen = among[np.argmin(self.sizes[among])]
        released, withheld = fate.copy(), fate.copy()
        # Of classes that are alike it does not matter which ones are withheld.
        released[self._alike(chosen, free)] = RELEASED
        withheld[chosen] = WITHHELD
        return [released, withheld]

    def _alike(self, one: int, classes: Ints) -> Ints:
        """Those of some classes that have the same records as one of them."""
        alike = classes
        for _, criterion in self.criteria.each():
            f = criterion.attribute
            counted = self.view.ground.histogram(f)
            own = counted.table(np.array([one]))
            others = counted.table(alike)
            equal = others == own
            same = equal.all(axis=1)
            alike = alike[same]
        return alike
