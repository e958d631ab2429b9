"""The cheapest way to withhold classes of a candidate, where rules about the whole
release or assumptions leave open which ones are withheld.

Withholding more never costs less.  So sets of classes are looked at by what those cost
that are withheld for certain, cheapest first: the first set that satisfies the policy
is the cheapest, and what is left of the others when time is up bounds them all.  Of
what costs the same the fewest records come first.
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

Cost = tuple[Fraction, int]
"""What it costs to withhold some classes, and how many records they have."""
STEPS = 200
"""So many sets of classes are looked at where they are too many for all."""


@dataclass(frozen=True, eq=False)
class Way:
    """The cheapest classes to withhold; None where none is known.

    No way costs less than ``least``, None where there is none at all.  ``note`` says
    why one that is better than this one, and than what was asked for, is not excluded,
    "" where it is.
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
    waiting: list[tuple[Cost, int, Ints]] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=count)
    limit: Cost | None = None
    """Only what is below it is looked for."""
    best: Ints | None = None

    def below(self, price: Fraction | None, rows: int = 0) -> Way:
        """The cheapest way, if it costs less than so much; or as much, with fewer than
        so many records.  Raises BudgetExceeded.
        """
        self.limit = None if price is None else (price, rows)
        start = self.withholding.followed(self._start())
        if start is None:
            return Way(None, price)
        self._wait(start)
        free = int((start == FREE).sum())
        # n classes have 2^n sets: few enough are all looked at, some once more with
        # what follows.
        all_sets = free <= FEW
        steps = 2 ** (free + 2) if all_sets else STEPS
        for _ in range(steps):
            # All sets are looked at, or what is left costs as much.
            if not self._open():
                break
            way = self._next(dives=not all_sets)
            if way is not None:
                return way
        if not self._open():
            return self._settled()
        least, _, _ = self.waiting[0]
        return Way(self.best, least[0], "not all sets of classes were tried")

    def _next(self, dives: bool) -> Way | None:
        """Look at the cheapest set that waits; the way, where that ends the search."""
        least, _, fate = heappop(self.waiting)
        followed = self.withholding.followed(fate)
        if followed is None:
            return None
        withheld = np.flatnonzero(followed == WITHHELD)
        if self._cost(withheld) > least:
            # Others may be cheaper than what follows from it.
            self._wait(followed)
            return None
        try:
            failing = self.withholding.failing(followed)
            if dives and len(failing):
                self._dive(followed)
        except Unfit as error:
            return Way(self.best, least[0], str(error))
        verdict = self._verdict(withheld, failing)
        if verdict.status == "fits":
            return Way(withheld, least[0])
        if verdict.status == "open":
            return Way(self.best, least[0], verdict.note)
        self._branch(followed, failing)
        return None

    def _open(self) -> bool:
        """Whether what waits may be better than what is known."""
        if not self.waiting:
            return False
        least, _, _ = self.waiting[0]
        return self.limit is None or least < self.limit

    def _settled(self) -> Way:
        """Nothing is better than what is known."""
        least = None
        if self.limit is not None:
            least, _ = self.limit
        return Way(self.best, least)

    # Where sets are too many for all, some way is known early

    def _dive(self, fate: Ints) -> None:
        """Withhold what fails until nothing does, then release what need not go.

        Raises Unfit.
        """
        if not self.judge.compares_alone:
            return
        stable = self.withholding.stable(fate)
        if stable is None or not self._better(stable):
            return
        self.best = self._needed(stable, fate)
        self.limit = self._cost(self.best)

    def _better(self, withheld: Ints) -> bool:
        if self.limit is None:
            return True
        return self._cost(withheld) < self.limit

    def _needed(self, withheld: Ints, fate: Ints) -> Ints:
        """Those that satisfy the criteria without some of them, large ones first."""
        kept: Ints = np.full(len(fate), FREE, dtype=np.int64)
        kept[withheld] = WITHHELD
        loose = withheld[fate[withheld] != WITHHELD]
        sizes = self.withholding.sizes[loose]
        for one in loose[np.argsort(-sizes, kind="stable")][:STEPS]:
            self.deadline.check()
            kept[one] = FREE
            if len(self.withholding.failing(kept)):
                kept[one] = WITHHELD
        return np.flatnonzero(kept == WITHHELD)

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

    def _cost(self, withheld: Ints) -> Cost:
        price = self.price(withheld)
        rows = self.view.rows(withheld)
        return price, rows

    def _wait(self, fate: Ints) -> None:
        withheld = np.flatnonzero(fate == WITHHELD)
        heappush(self.waiting, (self._cost(withheld), next(self.numbers), fate))

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
