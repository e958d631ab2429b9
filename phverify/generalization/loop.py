"""The search loop: propose the cheapest candidate, examine it, learn why it fails (an
implicit hitting set).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from phverify.budget import Deadline
from phverify.errors import BudgetExceeded, Defect
from phverify.exact import Bools
from phverify.generalization.bound_again import BoundAgain
from phverify.generalization.budgeted import Budgeted
from phverify.generalization.fitting import Fitting
from phverify.generalization.judge import Examination, Reason
from phverify.generalization.master import Grid, tied, ways_up
from phverify.generalization.refining import Refining
from phverify.generalization.soon import UNCHOSEN
from phverify.generalization.standing import Standing
from phverify.spec.schemes import Clause
from phverify.spec.spaces import Cost, meets
from phverify.words import plural

if TYPE_CHECKING:
    from phverify.generalization.pricing import Pricing

LEFT = 2.0
"""Seconds of a budget that the search leaves to what comes after it, half of it at
most.
"""
FIRST_REPAIR, SOONER = 0.5, 0.1
"""After so many seconds something to show is looked for, for the first time."""
STEPS = 200
"""A bound is noted when it is higher by one of so many parts of it."""
NEARBY = 8
"""One of so many parts of the time after it is for what is near the best level vector.
"""
AFTER = 1.0
"""Seconds after an interrupt, or a budget that was too short, for finding something to
show, or something better, and for checking it.
"""


@dataclass(eq=False)
class LeastSearch(Refining):
    """The state of one search.

    ``undecided`` are costs of candidates left undecided, with the reasons.
    ``deadline`` is for the whole search, with the proof of the bound and the
    certificate; the search ends sooner.
    """

    examined: int = 0
    bound: int = 0
    reasons: list[Reason] = field(default_factory=list)
    known: set[Clause] = field(default_factory=set)
    learned: list[Clause] = field(default_factory=list)
    """From the last candidate that failed."""
    undecided: list[tuple[int, str]] = field(default_factory=list)
    stopped: str = ""
    started: float = 0.0
    repairing: float | None = None
    """Seconds for a repair when it is stopped, where those are to be fewer."""
    fewest: bool = False
    """Whether nothing that costs as little as the best one withholds fewer records."""
    repaired: float = 0.0
    accepted: int | None = None
    """The cheapest minimal candidate so far, which is proposed no more."""
    history: list[Standing] = field(default_factory=list)
    """Costs and bounds on the way, each where one of them is better than before."""
    noted: tuple[int | None, int] = (None, -1)
    """The last of them as the search counts, without fractions."""
    prices: dict[str, Cost | None] = field(default_factory=dict)
    """What candidates cost by other objectives, as far as that was asked; None where
    the space has none.
    """
    pricing: Pricing | None = None
    """What candidates cost, where that is no sum over decisions."""

    def __post_init__(self) -> None:
        self.end_by(self.deadline)

    def end_by(self, deadline: Deadline) -> None:
        """Begin now, with this deadline for the whole search."""
        self.deadline = deadline
        self.started = time.monotonic()
        self.searching = deadline.sooner(LEFT)
        self.refuter.deadline = self.searching

    def least(self) -> Fitting | None:
        """The cheapest candidate that satisfies the policy.

        Sets ``stopped`` when it was not proved to be that.
        """
        if self.stopped:
            return self.best
        try:
            self.look_soon(rounds=1)
            if self.wide:
                # The first proposal may take all of the time: here half of it is left.
                self.refine(self.searching.sooner(math.inf))
            while (candidate := self._next(self.master.probe)) is not None:
                if self._met():
                    break
                fitting = self._tried(candidate)
                if fitting is None:
                    self._repair_now_and_then(candidate)
                    continue
                if self._better(fitting):
                    self.best = fitting
                if self.master.accept(candidate):
                    break
        except (BudgetExceeded, KeyboardInterrupt) as error:
            self.stop(error)
        return self.best

    def look_at(self, candidate: Bools) -> None:
        """Examine a candidate before all others: it is the best one, or says why it
        fails.  What a poorer space has is kept only where it is better.
        """
        fitting = self._tried(candidate)
        if fitting is None:
            return
        best = self.best
        if best is not None and (self.pricing or best.rank < fitting.rank):
            return
        self.best = self.first = fitting
        # Where no sum is counted, what comes later in the order of cost may be better.
        if self.pricing is None:
            self.master.accept(candidate)

    def _met(self) -> bool:
        """Whether the best candidate costs as little as the lower bound says."""
        # Of what costs the same these look for more.
        if self.best is None or isinstance(self.master, Grid | Budgeted):
            return False
        return self.best.total <= self.bound

    def _repair_now_and_then(self, candidate: Bools) -> None:
        """When it takes long, look for something to show and to stop at."""
        elapsed = time.monotonic() - self.started
        # Where it may take long to decide one candidate there are few such moments.
        first = SOONER if self.looks_soon else FIRST_REPAIR
        if elapsed <= max(self.repaired, first):
            return
        self.look_soon()
        # Among levels that was all that is soon found.
        if self.seen_soon and self.space.by_levels:
            return
        self.repair(candidate)
        self.refine(Deadline(elapsed))
        elapsed = time.monotonic() - self.started
        self.repaired = 2 * elapsed

    def minimal(self) -> list[Fitting]:
        """All minimal candidates: satisfying, and nothing strictly finer is.

        Cheapest first.
        """
        minimal: list[Fitting] = []
        if self.stopped:
            return minimal
        if isinstance(self.master, Grid):
            # What was soon seen to fit has closed all that is no cheaper.
            self.master.reopen()
        try:
            while (candidate := self._next(self.master.propose)) is not None:
                fitting = self._tried(candidate)
                if fitting is None:
                    continue
                minimal.append(fitting)
                if self.best is None or fitting.total < self.best.total:
                    self.best = fitting
                if self.accepted is None or fitting.total < self.accepted:
                    self.accepted = fitting.total
                # What is at least as general is not minimal.
                true = np.flatnonzero(candidate).tolist()
                self.master.learn([tuple(-unknown - 1 for unknown in true)])
        except (BudgetExceeded, KeyboardInterrupt) as error:
            self.stop(error)
        return minimal

    def _next(self, choose: Callable[[Deadline], Bools | None]) -> Bools | None:
        """The next candidate to examine; None when all have been excluded."""
        self.searching.check()
        self.progress(self._how_far())
        candidate = choose(self.searching)
        # What is proposed no more may still be cheaper than what is.
        open_totals = [total for total, _ in self.undecided]
        totals = [self.master.lower, *open_totals]
        if self.accepted is not None:
            totals.append(self.accepted)
        self.bound = min(totals)
        self.note()
        return candidate

    def note(self, last: bool = False) -> None:
        """Add to the history how far the search is, where that is news.

        A bound that is a little higher is news where it is the ``last`` alone.
        """
        total = None if self.best is None else self.best.total
        known, bound = self.noted
        if (known, bound) == (total, self.bound):
            return
        if known == total and not last and STEPS * (self.bound - bound) < self.bound:
            return
        self.noted = (total, self.bound)
        cost = None if total is None else self.fraction(total)
        seconds = time.monotonic() - self.started
        self.history.append(Standing(seconds, cost, self.fraction(self.bound)))

    def _how_far(self) -> str:
        """The progress of the search in a line."""
        candidates = plural(self.examined, "candidate")
        clauses = plural(len(self.reasons), "clause")
        said = (
            f"searching: {candidates}, {clauses},"
            f" lower bound {self.bound / self.cost.denominator:.6g}"
        )
        if self.best:
            cost = self.best.total / self.cost.denominator
            said += f", best so far {cost:.6g}"
        if self.deadline.seconds is not None:
            said += f", at most {self.deadline.seconds:.3g} s"
        return said

    def _tried(self, candidate: Bools) -> Fitting | None:
        """The candidate if it fits; otherwise its reasons are learned."""
        self.examined += 1
        finding = self.refuter.examine(candidate)
        if finding.status == "fits":
            return Fitting(candidate, finding, self.total(candidate))
        self._learn(finding, candidate)
        return None

    def _learn(self, finding: Examination, candidate: Bools) -> None:
        """Take over the clauses of a candidate that failed, or was left undecided."""
        if finding.status == "open":
            self.searching.check()
            self.undecided.append((self.total(candidate), finding.note))
        self.learned = [reason.clause for reason in finding.reasons]
        if all(meets(candidate.tolist(), clause) for clause in self.learned):
            raise Defect("a candidate failed, and nothing was learned from it")
        new = [reason for reason in finding.reasons if reason.clause not in self.known]
        if isinstance(self.master, Grid):
            # A clause that strikes nothing more is needed by nobody.
            new = [reason for reason in new if self.master.strike(reason.clause)]
        else:
            self.master.learn([reason.clause for reason in new])
        # Of what is open nothing is known: it is no clause of a certificate.
        if finding.status == "fails":
            self.reasons += new
            self.known.update(self.learned)

    # An upper bound

    def begin(self, candidate: Bools) -> None:
        """Start from a candidate, if it satisfies the policy and is the best so far."""
        # It is known to do in a poorer space: one count, whatever the time.
        self.refuter.deadline = Deadline()
        fitting = None
        try:
            if self.refuter.judge.chooses:
                fitting = self._seen(candidate, None)
            fitting = fitting or self._tried(candidate)
        except BudgetExceeded:
            # It was left open, and the time is over: the search says so itself.
            pass
        finally:
            self.refuter.deadline = self.searching
        if fitting is None:
            return
        if self.best is None or self.price(fitting) < self.price(self.best):
            self.take(fitting)

    def _improves(self, candidate: Bools) -> bool:
        """Whether a candidate satisfies the policy; it is the best one then."""
        self.searching.check()
        self.progress(self._how_far())
        fitting = self._tried(candidate)
        if fitting is None:
            return False
        if self._better(fitting):
            self.best = fitting
        return True

    def repair(self, candidate: Bools) -> None:
        """Generalize a failing candidate along its reasons, the cheapest way first,
        until it fits.
        """
        weights = tied(self.space, self.cost)
        fitting = self._tried(candidate)
        while fitting is None:
            ways = ways_up(self.learned, candidate)
            if not ways:
                return
            cheapest = min(ways, key=lambda unknown: weights[unknown])
            candidate = self.space.raised(candidate, cheapest)
            fitting = self._tried(candidate)
        if self.best is None or fitting.total < self.best.total:
            self.best = fitting

    def take(self, fitting: Fitting) -> None:
        """Keep a candidate that fits as the best one."""
        self.best = fitting

    def left_open(self) -> bool:
        """Whether candidates that were not decided may be better than the best one."""
        if self.stopped or self.best is None:
            return bool(self.stopped or self.undecided)
        best = self.best.total
        return any(total < best for total, _ in self.undecided)

    def stop(self, error: BaseException) -> None:
        """The search ends too soon; what a shorter one shows, it shows too, and keeps
        what is better.
        """
        interrupted = isinstance(error, KeyboardInterrupt)
        self.stopped = "interrupted" if interrupted else str(error)
        # Nobody who interrupts waits where there is something.
        if interrupted and self.best is not None:
            return
        refuter = self.refuter
        after = AFTER if self.repairing is None else min(AFTER, self.repairing)
        self.searching = Deadline(after)
        # The same repair and descent, however far the search has got.
        self.refuter = refuter.afresh(self.searching)
        try:
            if self.best is None:
                self.best = self._tried(self.space.top())
            if not self.seen_soon:
                self.look_soon(UNCHOSEN)
            if not self.seen_soon:
                self.repair(self.space.bottom())
                self._descend_from_top()
            if self.monotone and self.space.by_levels:
                self.refine(Deadline(after / NEARBY))
        except BudgetExceeded:
            pass
        except KeyboardInterrupt:
            self.stopped = "interrupted"
        self.refuter = refuter
        refuter.deadline = self.searching

    def _descend_from_top(self) -> None:
        """Step by step to what is finer than the most general candidate, as long as
        that satisfies the policy: so few classes are soon looked at.
        """
        top = self.space.top()
        descent = self._descent(top)
        descent.whole()

    def confirm(self, total: int) -> tuple[str, ...]:
        """What proves that nothing which meets all clauses costs less: solvers, or
        looking at all level vectors where those are few.

        Raises Defect if one denies it.
        """
        learned = [reason.clause for reason in self.reasons]
        bound = BoundAgain(self.space, self.cost, self.master, self.deadline, learned)
        if isinstance(self.master, Budgeted):
            self.refuter.deadline = bound.in_time
        return bound.proved_by(total)

    def price(self, fitting: Fitting) -> Fraction:
        """The cost of a candidate by the objective asked for."""
        if self.pricing is None:
            return self.fraction(fitting.total)
        return self.pricing.of(fitting)

    def in_cheapest_way(
        self, candidate: Bools, finding: Examination, in_time: Deadline
    ) -> Fitting:
        """A candidate that fits; what is withheld of it costs nothing."""
        return Fitting(candidate, finding, self.total(candidate))

    def fraction(self, total: int) -> Fraction:
        """A cost as it is shown, from units of 1 / denominator."""
        return self.cost.fraction(total)
