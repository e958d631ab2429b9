"""The least candidate by an objective that does not grow along generalization, because
records are withheld and charged.

With nothing withheld the cost of a candidate is a bound on all that is more general:
once it is as high as the best cost known, all of it is passed over.  Everything else is
looked at.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np

from phverify.errors import BudgetExceeded, Defect
from phverify.exact import Bools
from phverify.generalization.every_vector import ALL_VECTORS
from phverify.generalization.loop import Fitting, LeastSearch
from phverify.generalization.master import Grid
from phverify.spec.schemes import Clause


@dataclass(frozen=True, eq=False)
class PricedCandidate:
    """A candidate that satisfies the policy: its price, and what neither it nor
    anything more general is below.
    """

    candidate: Bools
    price: Fraction
    floor: Fraction


@dataclass(eq=False)
class PricedSearch(LeastSearch):
    """A search that looks at all candidates but those that a bound passes over.

    ``looked_at`` satisfy the policy.
    """

    monotone: ClassVar[bool] = False
    looked_at: list[PricedCandidate] = field(default_factory=list)
    least_price: Fraction | None = None
    """That of the best."""

    def least(self) -> Fitting | None:
        """The cheapest candidate that satisfies the policy.

        Sets ``stopped`` when it was not proved to be that.
        """
        try:
            while (candidate := self._next(self.master.propose)) is not None:
                fitting = self._tried(candidate)
                if fitting is not None:
                    self._look_at(fitting)
        except (BudgetExceeded, KeyboardInterrupt) as error:
            self._stop(error)
        return self.best

    def _look_at(self, fitting: Fitting) -> None:
        assert self.pricing is not None
        price, floor = self.price(fitting), self.pricing.floor(fitting)
        self.looked_at.append(PricedCandidate(fitting.candidate, price, floor))
        fresh = self.looked_at[-1:]
        if self.least_price is None or price < self.least_price:
            self.best, self.least_price = fitting, price
            # What was looked at before may pass over more now.
            fresh = self.looked_at
        self.master.learn(self._clauses(fresh))

    def _clauses(self, looked_at: Iterable[PricedCandidate]) -> list[Clause]:
        """What need not be looked at any more."""
        clauses = []
        for one in looked_at:
            if self.least_price is not None and one.floor >= self.least_price:
                clauses.append(_not_above(one.candidate))
            else:
                clauses.append(self.space.differs(one.candidate.tolist()))
        return clauses

    def confirm(self, total: int) -> tuple[str, ...]:
        """Whether each level vector breaks a clause, or was looked at, or passed over.

        Raises Defect where one does not.
        """
        if not isinstance(self.master, Grid) or self.least_price is None:
            return ()
        grid = Grid(self.space, self.cost)
        grid.learn([reason.clause for reason in self.reasons])
        grid.learn(self._clauses(self.looked_at))
        if grid.propose(self.deadline) is not None:
            raise Defect("a level vector was neither looked at nor passed over")
        if any(one.price < self.least_price for one in self.looked_at):
            raise Defect("a cheaper level vector was looked at")
        return (ALL_VECTORS,)


def _not_above(candidate: Bools) -> Clause:
    """Everything that is not at least as general as a candidate."""
    true = np.flatnonzero(candidate).tolist()
    return tuple(-unknown - 1 for unknown in true)
