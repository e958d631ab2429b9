"""The least candidate by an objective that does not grow along generalization, because
records are withheld and charged.

With nothing withheld the cost of a candidate is a bound on all that is more general:
once it is as high as the best cost known, all of it is passed over.  Everything else is
looked at.  Where it is open which classes of a candidate are withheld, the cheapest way
is looked for while that could be better than the best cost known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import ClassVar

import numpy as np

from phverify.budget import Deadline
from phverify.errors import BudgetExceeded, Defect
from phverify.exact import Bools
from phverify.generalization.cheapest_way import CheapestWay, Way
from phverify.generalization.counted_candidate import CountedCandidate
from phverify.generalization.every_vector import ALL_VECTORS
from phverify.generalization.fitting import Fitting
from phverify.generalization.judge import Examination, Reason
from phverify.generalization.loop import LeastSearch
from phverify.generalization.master import Grid
from phverify.generalization.pricing import Pricing
from phverify.spec.schemes import Clause
from phverify.spec.spaces import WHOLE


@dataclass(frozen=True, eq=False)
class PricedCandidate:
    """A candidate of which releases may satisfy the policy.

    None of them is below ``least``, and none of anything more general below ``floor``;
    ``note`` says why ``least`` may be less than what they cost, "" where it is not.
    """

    candidate: Bools
    floor: Fraction
    least: Fraction
    note: str = ""


@dataclass(eq=False)
class PricedSearch(LeastSearch):
    """A search that looks at all candidates but those that a bound passes over.

    ``looked_at`` are those that clauses do not exclude.
    """

    monotone: ClassVar[bool] = False
    looked_at: list[PricedCandidate] = field(default_factory=list)
    cheapest: Fitting | None = None
    least_price: Fraction | None = None
    """That of the cheapest."""

    def least(self) -> Fitting | None:
        """The cheapest candidate that satisfies the policy.

        Sets ``stopped`` when it was not proved to be that.
        """
        if self.stopped:
            return self.best
        try:
            while (candidate := self._next(self.master.propose)) is not None:
                self._tried(candidate)
        except (BudgetExceeded, KeyboardInterrupt) as error:
            self.stop(error)
        return self.best

    def take(self, fitting: Fitting) -> None:
        """Keep a candidate that fits if it is the cheapest, or withholds fewer records
        than one that costs as much.
        """
        price = self.price(fitting)
        if self.cheapest is None or self.least_price is None:
            better = True
        elif price == self.least_price:
            better = fitting.withheld_rows < self.cheapest.withheld_rows
        else:
            better = price < self.least_price
        if better:
            self.cheapest, self.least_price = fitting, price
        self.best = self.cheapest

    def repair(self, candidate: Bools) -> None:
        """Look for something to show; of two the cheaper one is kept."""
        super().repair(candidate)
        self.best = self.cheapest

    def _improves(self, candidate: Bools) -> bool:
        """Whether a candidate satisfies the policy; the cheapest one stays the best."""
        satisfies = super()._improves(candidate)
        self.best = self.cheapest
        return satisfies

    def _tried(self, candidate: Bools) -> Fitting | None:
        """The candidate if it fits, in the cheapest way that is known."""
        self.examined += 1
        finding = self.refuter.examine(candidate)
        if finding.status == "fails":
            self._learn(finding, candidate)
            return None
        return self._look_at(candidate, finding)

    def _look_at(self, candidate: Bools, finding: Examination) -> Fitting | None:
        """What releases of a candidate cost, and which of them may be the least."""
        assert finding.view is not None
        before = self.least_price
        known = None
        if finding.status == "fits":
            known = Fitting(candidate, finding, self.total(candidate))
            self.take(known)
        way = self._way(finding, self.searching)
        if way.withheld is not None:
            found = replace(finding, status="fits", withheld=way.withheld, reasons=())
            known = Fitting(candidate, found, self.total(candidate))
            self.take(known)
        if way.least is None:
            self._learn(replace(finding, status="fails"), candidate)
            return None
        if known is None and way.note:
            self.undecided.append((self.total(candidate), way.note))
        floor = self._prices.floor(finding.view)
        one = PricedCandidate(candidate, floor, way.least, way.note)
        self.looked_at.append(one)
        # What was looked at before may pass over more now.
        fresh = [one] if self.least_price == before else self.looked_at
        self.master.learn(self._clauses(fresh))
        return known

    @property
    def _prices(self) -> Pricing:
        assert self.pricing is not None
        return self.pricing

    @property
    def _chooses(self) -> bool:
        """Whether it is open which classes of a candidate are withheld."""
        parts = self.refuter.judge.parts
        return bool(parts.open or parts.assumptions)

    def _way(self, finding: Examination, in_time: Deadline, rows: int = 0) -> Way:
        """The cheapest way to release a candidate, if it may be better than the best
        of all: cheaper, or with fewer than so many records withheld.
        """
        assert finding.view is not None
        view = finding.view
        if not self._chooses:
            # What breaks a rule is withheld, and nothing else.
            return Way(None, self._prices.without(view, finding.withheld))
        return self._ways(view, in_time).below(self.least_price, rows)

    def _ways(self, view: CountedCandidate, in_time: Deadline) -> CheapestWay:
        """Looks for the cheapest classes of a candidate to withhold."""
        price = partial(self._prices.without, view)
        budget = self.refuter.budget
        return CheapestWay(self.refuter.judge, view, budget, in_time, price)

    def in_cheapest_way(
        self, candidate: Bools, finding: Examination, in_time: Deadline
    ) -> Fitting:
        """A candidate that fits, released in the cheapest way that is known.

        Raises BudgetExceeded.
        """
        fitting = super().in_cheapest_way(candidate, finding, in_time)
        if not self._chooses:
            return fitting
        assert finding.view is not None
        way = self._ways(finding.view, in_time).below(None)
        if way.withheld is None:
            return fitting
        cheaper = replace(fitting, finding=replace(finding, withheld=way.withheld))
        return min(fitting, cheaper, key=self.price)

    def _clauses(self, looked_at: Iterable[PricedCandidate]) -> list[Clause]:
        """What need not be looked at any more."""
        clauses = []
        for one in looked_at:
            if self.least_price is not None and one.floor >= self.least_price:
                clauses.append(_not_above(one.candidate))
            else:
                clauses.append(self.space.differs(one.candidate.tolist()))
        return clauses

    # Of what costs the least

    def withhold_fewest(self, most: int, in_time: Deadline) -> bool:
        """Look at up to so many candidates that may cost as little and withhold fewer
        records; whether nothing of the kind is left.  Raises BudgetExceeded.
        """
        if not isinstance(self.master, Grid):
            return False
        grid = Grid(self.space, self.cost)
        grid.learn([reason.clause for reason in self.reasons])
        grid.learn(self._compared_already())
        all_known = True
        for _ in range(most):
            if self.cheapest is None or not self.cheapest.withheld_rows:
                return True
            candidate = grid.propose(in_time)
            if candidate is None:
                return all_known
            in_time.check()
            view = self.refuter.judge.view(candidate)
            if self._dearer(self._prices.floor(view)):
                grid.learn([_not_above(candidate)])
                continue
            grid.learn([self.space.differs(candidate.tolist())])
            all_known &= self._withholds_fewer(candidate, self.cheapest, in_time)
        return False

    def _compared_already(self) -> Iterator[Clause]:
        """What need not be looked at again: it costs more, or has one release."""
        for one in self.looked_at:
            if self._dearer(one.floor):
                yield _not_above(one.candidate)
            elif not self._chooses:
                yield self.space.differs(one.candidate.tolist())

    def _dearer(self, floor: Fraction) -> bool:
        return self.least_price is not None and floor > self.least_price

    def _withholds_fewer(
        self, candidate: Bools, best: Fitting, in_time: Deadline
    ) -> bool:
        """Take a candidate if it costs as little as the best one and withholds fewer
        records; whether that is decided.
        """
        rows = best.withheld_rows
        finding = self.refuter.may_withhold_fewer(candidate, rows)
        if finding is None:
            return True
        if finding.status == "fits":
            self.take(Fitting(candidate, finding, self.total(candidate)))
        way = self._way(finding, in_time, rows)
        if way.withheld is not None:
            found = replace(finding, status="fits", withheld=way.withheld, reasons=())
            self.take(Fitting(candidate, found, self.total(candidate)))
        return not way.note

    # What is known when it ends

    def may_be_cheaper(self) -> list[PricedCandidate]:
        """The candidates of which some way to withhold classes may cost less than the
        best one.
        """
        return [one for one in self.looked_at if one.note and self._cheaper(one)]

    def _cheaper(self, one: PricedCandidate) -> bool:
        return self.least_price is None or one.least < self.least_price

    def left_open(self) -> bool:
        """Whether something that was not decided may be better than the best one."""
        return bool(self.stopped or self.may_be_cheaper())

    def lower_price(self) -> Fraction | None:
        """What no release costs less than; None where none is known."""
        if self.least_price is None:
            return None
        bounds = [self.least_price, *(one.least for one in self.may_be_cheaper())]
        if self.stopped:
            bounds.append(self._not_looked_at())
        return min(bounds)

    def _not_looked_at(self) -> Fraction:
        """What candidates that were not looked at are not below."""
        if self._prices.objective not in WHOLE:
            # Withheld records cost more than the same ones released.
            return self.fraction(self.bound)
        finest = self.refuter.judge.view(self.space.bottom())
        return self._prices.floor(finest)

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
        if any(map(self._cheaper, self.looked_at)):
            raise Defect("a cheaper level vector was looked at")
        return (ALL_VECTORS,)


def too_dear(search: LeastSearch) -> list[Reason]:
    """Why candidates that satisfy the policy are not the least, or are it: each of
    their releases costs too much, or each of everything as general.
    """
    if not isinstance(search, PricedSearch) or search.least_price is None:
        return []
    assert search.pricing is not None
    least, looked_at = search.least_price, search.looked_at
    dear = [one.candidate for one in looked_at if one.floor >= least]
    # By loss and precision all candidates are compared by their floors anyway.
    if search.pricing.objective not in WHOLE:
        dear = []
    reasons = []
    for candidate in _most_specific(dear):
        clause = _not_above(candidate)
        reasons.append(Reason("dear", clause, "", candidate=candidate))
    for one in looked_at:
        if one.floor < least:
            clause = search.space.differs(one.candidate.tolist())
            reasons.append(Reason("candidate", clause, "", candidate=one.candidate))
    return reasons


def _most_specific(candidates: list[Bools]) -> list[Bools]:
    """Those that are above none of the others."""
    rising = sorted(candidates, key=lambda candidate: int(candidate.sum()))
    kept: list[Bools] = []
    for candidate in rising:
        if not any((below <= candidate).all() for below in kept):
            kept.append(candidate)
    return kept


def _not_above(candidate: Bools) -> Clause:
    """Everything that is not at least as general as a candidate."""
    true = np.flatnonzero(candidate).tolist()
    return tuple(-unknown - 1 for unknown in true)
