"""The search loop: propose the cheapest candidate, examine it, learn why it fails (an
implicit hitting set).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from phverify.budget import Deadline, Tell
from phverify.constraints.hitting import (
    LARGEST,
    HittingSet,
    Solver,
    available,
    none_cheaper,
)
from phverify.errors import BudgetExceeded, Defect
from phverify.exact import Bools
from phverify.generalization.judge import Finding, Reason
from phverify.generalization.master import Hitting, Master, tied
from phverify.generalization.refute import Critic
from phverify.generalization.space import Space
from phverify.spec.schemes import Clause
from phverify.spec.spaces import Cost

PATIENCE = 60.0
"""Seconds that a solver has for the final bound."""
LEFT = 2.0
"""Seconds of a budget that the hunt leaves to what comes after it, half of it at
most.
"""
AFTER = 1.0
"""Seconds after an interrupt, or a budget that was too short, for finding something to
show and for checking it.
"""


@dataclass(frozen=True, eq=False)
class Found:
    """A candidate that satisfies the policy, with its cost in units of 1 /
    denominator.
    """

    candidate: Bools
    finding: Finding
    total: int


@dataclass(eq=False)
class Hunt:
    """The state of one search.  ``opened`` are costs of candidates left undecided, with
    the reasons.

    ``deadline`` is for the whole search, with the proof of the bound and the
    certificate; the hunt ends sooner.
    """

    space: Space
    cost: Cost
    master: Master
    critic: Critic
    deadline: Deadline
    progress: Tell
    examined: int = 0
    bound: int = 0
    best: Found | None = None
    reasons: list[Reason] = field(default_factory=list)
    known: set[Clause] = field(default_factory=set)
    learned: list[Clause] = field(default_factory=list)
    """From the last candidate that failed."""
    opened: list[tuple[int, str]] = field(default_factory=list)
    stopped: str = ""
    started: float = field(default_factory=time.monotonic)
    repaired: float = 0.5
    accepted: int | None = None
    """The cheapest minimal candidate so far, which is proposed no more."""

    def __post_init__(self) -> None:
        self.hunting = self.critic.deadline = self.deadline.sooner(LEFT)

    def total(self, candidate: Bools) -> int:
        """The cost of a candidate; unknowns that serve the cost alone are derived from
        the partition.
        """
        return self.space.total(candidate, self.cost)

    def least(self) -> Found | None:
        """The cheapest candidate that satisfies the policy.  Sets ``stopped`` when it
        was not proved to be that.
        """
        try:
            while (candidate := self._next(self.master.probe)) is not None:
                if (
                    self.best
                    and self.best.total <= self.bound
                    and isinstance(self.master, Hitting)
                ):
                    break
                if found := self._tried(candidate):
                    if self.best is None or found.total <= self.best.total:
                        self.best = found
                    if self.master.accept(candidate):
                        break
                elif (elapsed := time.monotonic() - self.started) > self.repaired:
                    self.repaired = (
                        2 * elapsed
                    )  # it takes long: look for something to show and to stop at
                    self.repair(candidate)
        except (BudgetExceeded, KeyboardInterrupt) as error:
            self._stop(error)
        return self.best

    def minimal(self) -> list[Found]:
        """All minimal candidates: satisfying, and nothing strictly finer is.  Cheapest
        first.
        """
        found: list[Found] = []
        try:
            while (candidate := self._next(self.master.propose)) is not None:
                if one := self._tried(candidate):
                    found.append(one)
                    if self.best is None or one.total < self.best.total:
                        self.best = one
                    self.accepted = (
                        one.total
                        if self.accepted is None
                        else min(self.accepted, one.total)
                    )
                    elsewhere = tuple(
                        -u - 1 for u in np.flatnonzero(candidate).tolist()
                    )
                    self.master.learn([elsewhere])  # what is not at least as general
        except (BudgetExceeded, KeyboardInterrupt) as error:
            self._stop(error)
        return found

    def _next(self, choose: Callable[[Deadline], Bools | None]) -> Bools | None:
        self.hunting.check()
        best = (
            f", best so far {float(self.fraction(self.best.total)):.6g}"
            if self.best
            else ""
        )
        low = f"lower bound {float(self.fraction(self.bound)):.6g}"
        self.progress(
            f"searching: {self.examined} candidates, {len(self.reasons)} clauses,"
            f" {low}{best}"
        )
        candidate = choose(self.hunting)
        struck = [total for total, _ in self.opened] + (
            [] if self.accepted is None else [self.accepted]
        )
        self.bound = min([self.master.lower, *struck])
        return candidate

    def _tried(self, candidate: Bools) -> Found | None:
        """The candidate if it fits; otherwise its reasons are learned."""
        self.examined += 1
        finding = self.critic.examine(candidate)
        if finding.status == "fits":
            return Found(candidate, finding, self.total(candidate))
        self._learn(finding, candidate)
        return None

    def _learn(self, finding: Finding, candidate: Bools) -> None:
        if finding.status == "open":
            self.hunting.check()
            self.opened.append((self.total(candidate), finding.note))
        self.learned = [reason.clause for reason in finding.reasons]
        if not any(_excludes(clause, candidate) for clause in self.learned):
            raise Defect("a candidate failed, and nothing was learned from it")
        new = [reason for reason in finding.reasons if reason.clause not in self.known]
        self.master.learn([reason.clause for reason in new])
        if (
            finding.status == "fails"
        ):  # of what is open nothing is known: it is no clause of a certificate
            self.reasons += new
            self.known.update(self.learned)

    # An upper bound

    def repair(self, candidate: Bools) -> None:
        """Generalize a failing candidate along its reasons, the cheapest way first,
        until it fits.
        """
        weights = tied(self.space, self.cost)
        while not (found := self._tried(candidate)):
            options = [
                u - 1
                for clause in self.learned
                for u in clause
                if u > 0 and not candidate[u - 1]
            ]
            if not options:
                return
            candidate = self.space.raised(
                candidate, min(options, key=lambda u: weights[u])
            )
        if self.best is None or found.total < self.best.total:
            self.best = found

    def _stop(self, error: BaseException) -> None:
        self.stopped = (
            "interrupted" if isinstance(error, KeyboardInterrupt) else str(error)
        )
        if self.best is not None:
            return
        self.hunting = self.critic.deadline = Deadline(AFTER)
        try:
            self.best = self._tried(
                self.space.top()
            )  # one count: something to show, where there is anything
            self.repair(self.space.bottom())
        except (BudgetExceeded, KeyboardInterrupt):
            return

    # The bound, proved again

    def confirm(self, total: int) -> tuple[str, ...]:
        """The solvers that prove that nothing which meets all clauses costs less.
        Raises Defect if one denies it.
        """
        clauses: list[Clause] = [
            *self.space.constraints,
            *(reason.clause for reason in self.reasons),
        ]
        question = HittingSet(self.cost.weights, clauses)
        agreed = []
        solvers: list[Solver] = ["Z3"]
        if (
            isinstance(self.master, Hitting)
            and available()
            and sum(self.cost.weights) < LARGEST
        ):
            solvers.append("CP-SAT")  # which proposed the candidates
        for solver in solvers:
            try:
                if not none_cheaper(
                    question, total, solver, self.deadline.within(PATIENCE)
                ):
                    raise Defect(
                        f"{solver} finds a cheaper candidate that meets all clauses"
                    )
                agreed.append(solver)
            except BudgetExceeded:
                continue
        return tuple(agreed)

    def fraction(self, total: int) -> Fraction:
        return self.cost.fraction(total)


def _excludes(clause: Clause, candidate: Bools) -> bool:
    return all(candidate[abs(u) - 1] != (u > 0) for u in clause)
