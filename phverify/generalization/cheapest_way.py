"""The cheapest way to withhold classes of a candidate, where rules about the whole
release or assumptions leave open which ones are withheld.

Withholding more never costs less.  So sets of classes are looked at by what those cost
that are withheld for certain, cheapest first: the first set that satisfies the policy
is the cheapest, and what is left of the others when time is up bounds them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from heapq import heappop, heappush
from itertools import count

import numpy as np

from phverify.budget import Deadline
from phverify.exact import Ints
from phverify.generalization.counted_candidate import CountedCandidate
from phverify.generalization.judge import CandidateJudge, Examination
from phverify.generalization.refute import together
from phverify.generalization.whole import WholeCandidate
from phverify.generalization.withholding import (
    FEW,
    FREE,
    RELEASED,
    WITHHELD,
    Withholding,
)
from phverify.spec.criterion.registry import Unfit

STEPS = 200
"""So many sets of classes are looked at where they are too many for all."""


@dataclass(frozen=True, eq=False)
class Way:
    """The cheapest classes to withhold; None where none is known.

    No way costs less than ``least``, None where there is none at all.  ``note`` says
    why one that is cheaper than what was asked for is not excluded, "" where it is.
    """

    withheld: Ints | None
    least: Fraction | None
    note: str = ""


@dataclass(eq=False)
class CheapestWay:
    """Looks for the cheapest classes of a candidate to withhold.

    They have ``budget`` records at most; ``price`` is what the candidate costs without
    them.
    """

    judge: CandidateJudge
    view: CountedCandidate
    budget: int
    deadline: Deadline
    price: Callable[[Ints], Fraction]
    waiting: list[tuple[Fraction, int, Ints]] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=count)

    def below(self, price: Fraction | None) -> Way:
        """The cheapest way, if it costs less than so much.  Raises BudgetExceeded."""
        start = self.withholding.followed(self._start())
        if start is None:
            return Way(None, price)
        self._wait(start)
        for _ in range(_steps(start)):
            # All sets are looked at, or what is left costs as much.
            if not self.waiting or not self._below(price):
                return Way(None, price)
            least, _, fate = heappop(self.waiting)
            followed = self.withholding.followed(fate)
            if followed is None:
                continue
            withheld = np.flatnonzero(followed == WITHHELD)
            if self.price(withheld) > least:
                # Others may be cheaper than what follows from it.
                self._wait(followed)
                continue
            try:
                failing = self.withholding.failing(followed)
            except Unfit as error:
                return Way(None, least, str(error))
            verdict = self._verdict(withheld, failing)
            if verdict.status == "fits":
                return Way(withheld, least)
            if verdict.status == "open":
                return Way(None, least, verdict.note)
            self._branch(followed, failing)
        if not self.waiting:
            return Way(None, price)
        return Way(None, self.waiting[0][0], "not all sets of classes were tried")

    @cached_property
    def withholding(self) -> Withholding:
        """What follows when some classes are withheld."""
        judge = self.judge
        return Withholding(judge.compared, self.view, self.budget, self.deadline)

    def _start(self) -> Ints:
        """What is withheld and released for certain."""
        judge, view = self.judge, self.view
        impersonal = [part for part in judge.parts.classes if not part.people]
        failing = together(judge.failing(view, part) for part in impersonal)
        named = view.into[judge.homes(judge.parts.people)]
        return self.withholding.start(failing, named)

    def _below(self, price: Fraction | None) -> bool:
        """Whether what waits may cost less than so much."""
        least, _, _ = self.waiting[0]
        return price is None or least < price

    def _wait(self, fate: Ints) -> None:
        withheld = np.flatnonzero(fate == WITHHELD)
        heappush(self.waiting, (self.price(withheld), next(self.numbers), fate))

    def _verdict(self, withheld: Ints, failing: Ints) -> Examination:
        """Whether the policy holds when these classes are withheld, and no others."""
        if len(failing):
            return Examination("fails", withheld)
        if self.judge.compares_alone:
            return Examination("fits", withheld)
        return WholeCandidate(self.judge, self.view, self.deadline).without(withheld)

    def _branch(self, fate: Ints, failing: Ints) -> None:
        """One class that may be withheld or released is either."""
        free = np.flatnonzero(fate == FREE)
        if not len(free):
            return
        # Where none that fails may go, others move the table.
        wanted = np.intersect1d(free, failing)
        among = wanted if len(wanted) else free
        sizes = self.withholding.sizes[among]
        chosen = among[np.argmin(sizes)]
        for own in (RELEASED, WITHHELD):
            branch = fate.copy()
            branch[chosen] = own
            self._wait(branch)


def _steps(fate: Ints) -> int:
    """How many sets of classes are looked at."""
    free = int((fate == FREE).sum())
    # n classes have 2^n sets: few enough are all looked at, some once more with what
    # follows.
    return 2 ** (free + 2) if free <= FEW else STEPS
