"""Of the candidates that cost as little as the best one, the one that withholds the
fewest records; and the fewest records of a candidate, where which ones are withheld is
a choice.

Costs do not count what is withheld, or not enough: by height many level vectors cost
the same, and some release more.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from phverify.budget import Deadline
from phverify.errors import BudgetExceeded
from phverify.exact import Bools, Ints
from phverify.generalization.budgeted import Budgeted
from phverify.generalization.cheapest_way import CheapestWay
from phverify.generalization.fitting import Fitting
from phverify.generalization.judge import Examination
from phverify.generalization.loop import LeastSearch
from phverify.generalization.master import Grid, Hitting
from phverify.generalization.offered import INTERRUPTED
from phverify.generalization.priced import PricedSearch

MOST = 1000
"""So many candidates of the least cost are looked at."""
PATIENCE = 2.0
"""Seconds for them after a search that was quick."""
ASKING = 0.25
"""Seconds for them where a solver proposes each, after such a search."""
PARTS = 20
"""One of so many parts of the time of a longer search is for them then."""
Found = tuple[Bools, Examination]


def withhold_fewest(search: LeastSearch) -> None:
    """Let a search that has ended prefer what withholds fewer records, of several that
    withhold as few what generalizes least; whether it has the ``fewest``.
    """
    best = search.best
    if best is None or search.stopped:
        return
    try:
        if isinstance(search, PricedSearch):
            search.fewest = search.withhold_fewest(MOST, _in_time(search))
        else:
            search.fewest = _Compared(search, _in_time(search)).decided(best)
    except BudgetExceeded:
        # What is found withholds few enough records.
        pass
    except KeyboardInterrupt:
        search.stopped = INTERRUPTED


def each_withholding_fewest(
    search: LeastSearch, minimal: Sequence[Fitting]
) -> list[Fitting]:
    """The same candidates, each with the fewest records withheld that are known."""
    found: list[Fitting] = []
    compared = _Compared(search, _in_time(search))
    try:
        for one in minimal:
            found.append(compared.with_fewest(one))
        search.fewest = compared.all_known and _listed_all(search)
    except BudgetExceeded:
        pass
    except KeyboardInterrupt:
        search.stopped = INTERRUPTED
    return [*found, *minimal[len(found) :]]


def _listed_all(search: LeastSearch) -> bool:
    """Whether all that costs the least is among the minimal candidates."""
    if search.stopped or search.undecided:
        return False
    # What is more general than one of them costs more where each decision does.
    weights = search.cost.weights[: search.space.decisions]
    return all(weights)


def _in_time(search: LeastSearch) -> Deadline:
    """A quick search does not look for long at what costs nothing."""
    elapsed = time.monotonic() - search.started
    return search.searching.within(max(PATIENCE, elapsed))


@dataclass(eq=False)
class _Compared:
    """Candidates beside the best one of a search.

    ``all_known``: whether each that was looked at is known with its fewest records.
    """

    search: LeastSearch
    in_time: Deadline
    all_known: bool = True

    def decided(self, best: Fitting) -> bool:
        """Whether no candidate of the same cost withholds fewer records than the best
        one of the search, once all are compared.  Raises BudgetExceeded.
        """
        search = self.search
        search.best = best = self.with_fewest(best)
        if not best.withheld_rows:
            return True
        for candidate, finding in self._others(best):
            better = self._fewest(finding, best.withheld_rows)
            if better is not None:
                search.best = best = Fitting(candidate, better, best.total)
            if not best.withheld_rows:
                return True
        # What was left open may withhold fewer.
        for total, _ in search.undecided:
            if total == best.total:
                return False
        return self.all_known

    def with_fewest(self, fitting: Fitting) -> Fitting:
        """The same candidate with the fewest records withheld that are known to do.

        Raises BudgetExceeded.
        """
        finding = self._fewest(fitting.finding, fitting.withheld_rows)
        if finding is None:
            return fitting
        return replace(fitting, finding=finding)

    def _others(self, best: Fitting) -> Iterator[Found]:
        """Others that cost the same, and may withhold fewer records."""
        master = self.search.master
        if isinstance(master, Grid):
            return self._vectors(master, best)
        if isinstance(master, Hitting):
            return self._proposed(master, best)
        if not isinstance(master, Budgeted):
            self.all_known = False
        # What is proposed by what it costs and withholds was the best by both.
        return iter(())

    def _vectors(self, grid: Grid, best: Fitting) -> Iterator[Found]:
        tied = grid.costing(best.total, MOST + 1)
        for number, candidate in enumerate(tied):
            if number == MOST:
                self.all_known = False
                return
            self.in_time.check()
            assert self.search.best is not None
            rows = self.search.best.withheld_rows
            may_do = self.search.refuter.may_withhold_fewer(candidate, rows)
            if may_do is not None:
                yield candidate, may_do

    def _proposed(self, hitting: Hitting, best: Fitting) -> Iterator[Found]:
        """Raises BudgetExceeded."""
        search = self.search
        elapsed = time.monotonic() - search.started
        in_time = self.in_time.within(max(ASKING, elapsed / PARTS))
        # Its own clauses: of those that fit none is a clause of the search.
        others = replace(hitting, clauses=[*hitting.clauses])
        last = best.candidate
        while True:
            differs = search.space.differs(last.tolist())
            others.learn([differs])
            candidate = others.propose(in_time)
            if candidate is None or others.lower > best.total:
                return
            finding = search.refuter.examine(candidate)
            if finding.status == "fails":
                others.learn([reason.clause for reason in finding.reasons])
            else:
                yield candidate, finding
            last = candidate

    def _fewest(self, finding: Examination, rows: int) -> Examination | None:
        """What a candidate releases with fewer than so many records withheld, as few as
        are known to do; None where none are.  Raises BudgetExceeded.
        """
        search = self.search
        judge, view = search.refuter.judge, finding.view
        assert view is not None

        def withheld(classes: Ints) -> Fraction:
            return Fraction(view.rows(classes))

        known = None
        own = view.rows(finding.withheld)
        if finding.status == "fits" and own < rows:
            known, rows = finding, own
        # Where each rule is about single classes, what breaks one is withheld.
        if not rows or not (judge.parts.open or judge.parts.assumptions):
            return known
        ways = CheapestWay(judge, view, search.refuter.budget, self.in_time, withheld)
        way = ways.below(Fraction(rows))
        self.all_known &= not way.note
        if way.withheld is None:
            return known
        return Examination("fits", way.withheld, view=view)
