"""Releases that searches for stricter policies find, offered to a search that ends
before it knows the least.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from phverify.budget import Deadline
from phverify.errors import BudgetExceeded
from phverify.exact import Bools, Ints
from phverify.generalization.counted_before import ROOM, CountedBefore
from phverify.generalization.fitting import Fitting
from phverify.generalization.loop import AFTER, LEFT, LeastSearch
from phverify.generalization.master import Grid
from phverify.generalization.soon import UNCHOSEN

INTERRUPTED = "interrupted"
PARTS = 8
"""One of so many parts of the time is for stricter policies."""
PATIENCE = 10.0
"""Seconds for them after a search that was quick."""
LEAST = 0.05
"""Seconds that a search for a stricter policy has at least."""
Prepared = Callable[[Deadline], LeastSearch]
"""The same search for a stricter policy, up to its first candidate."""


@dataclass(frozen=True, eq=False)
class StricterSearches:
    """Searches for stricter policies, ladder by ladder: one for each number of a rule.

    Whatever satisfies a stricter policy satisfies the one that is asked about.
    """

    ladders: tuple[tuple[Prepared, ...], ...]
    """From the next stricter number on."""
    counted: CountedBefore = field(default_factory=lambda: CountedBefore(ROOM))
    """What all of them have counted of level vectors that are looked at soon."""

    def reserve(self, search: LeastSearch) -> None:
        """Let a search leave some of its time to the stricter ones."""
        if self._soon(search):
            search.share(self.counted)
        left = search.deadline.left()
        if left is None or not self.ladders:
            return
        # What ends it without proof is followed by a repair.
        search.searching = search.deadline.sooner(LEFT + AFTER + left / PARTS)
        search.refuter.deadline = search.searching

    def help(self, search: LeastSearch) -> None:
        """Offer what stricter searches find to a search that is left open."""
        if search.stopped == INTERRUPTED:
            return
        elapsed = time.monotonic() - search.started
        # A quick search is not followed by long ones.
        deadline = search.deadline.sooner(LEFT).within(max(PATIENCE, elapsed))
        waiting = sum(map(len, self.ladders))
        try:
            self._help_soon(search, deadline)
            for ladder in self.ladders:
                self._up(ladder, search, deadline, waiting)
                waiting -= len(ladder)
        except BudgetExceeded:
            # What was found before it stays.
            return
        except KeyboardInterrupt:
            search.stopped = INTERRUPTED

    def _soon(self, search: LeastSearch) -> bool:
        """Whether stricter searches are asked what they soon see."""
        vectors = isinstance(search.master, Grid)
        return bool(self.ladders) and vectors and search.looks_soon

    def _help_soon(self, search: LeastSearch, deadline: Deadline) -> None:
        """Offer what stricter searches soon see, where looking further may take long:
        all of them have a turn.  Raises BudgetExceeded.
        """
        if not self._soon(search):
            return
        for ladder in self.ladders:
            for prepared in ladder:
                if not search.left_open():
                    return
                deadline.check()
                stricter = prepared(deadline)
                _heard(stricter)
                stricter.share(self.counted)
                stricter.searching = stricter.refuter.deadline = deadline
                # Only what is cheaper is looked at.
                if search.best is not None:
                    stricter.master.accept(search.best.candidate)
                stricter.look_soon(UNCHOSEN)
                found = stricter.best
                if found is not None:
                    withheld = found.finding.withheld
                    offer(search, found.candidate, withheld, deadline)

    def _up(
        self,
        ladder: tuple[Prepared, ...],
        search: LeastSearch,
        deadline: Deadline,
        waiting: int,
    ) -> None:
        """One stricter number after the other, while that may lead to something."""
        for number, prepared in enumerate(ladder):
            left = deadline.left()
            own = None if left is None else left / (waiting - number)
            if not search.left_open() or (own is not None and own < LEAST):
                return
            stricter = prepared(Deadline(own))
            if own is not None:
                # The others are to have a turn, too.
                stricter.repairing = own / 2
            found = stricter.least()
            _heard(stricter)
            if found is not None:
                withheld = found.finding.withheld
                offer(search, found.candidate, withheld, deadline)
            if not _leads_on(stricter, search):
                return


def _heard(stricter: LeastSearch) -> None:
    """Who interrupts a stricter search, as it begins or later, interrupts the one that
    it helps.
    """
    if stricter.stopped == INTERRUPTED:
        raise KeyboardInterrupt


def _leads_on(stricter: LeastSearch, search: LeastSearch) -> bool:
    """Whether something stricter still could be better than what is known."""
    if stricter.left_open():
        least = stricter.bound
    elif stricter.best is not None:
        least = stricter.best.total
    else:
        # Nothing satisfies it, nor what is stricter still.
        return False
    if search.best is None or not search.monotone:
        return True
    return least < search.best.total


def offer(
    search: LeastSearch, candidate: Bools, withheld: Ints, deadline: Deadline
) -> None:
    """Let a search take a candidate with these classes withheld, if it satisfies the
    policy and is cheaper than its best one.  Raises BudgetExceeded.
    """
    refuter = search.refuter
    refuter.deadline = deadline
    search.examined += 1
    finding = refuter.examine(candidate)
    if finding.status == "open":
        # Another search has found out which classes to withhold.
        finding = refuter.as_released(candidate, withheld)
    if finding.status != "fits":
        return
    fitting = Fitting(candidate, finding, search.total(candidate))
    if search.best is None or search.price(fitting) < search.price(search.best):
        search.take(fitting)
        search.note()
