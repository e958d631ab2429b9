"""Of the candidates that cost as little as the best one, the one that withholds the
fewest records; and the fewest records of a candidate, where which ones are withheld is
a choice.

Costs do not count what is withheld: by height many level vectors cost the same, and
some release more.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from phverify.budget import Deadline
from phverify.errors import BudgetExceeded
from phverify.exact import Ints
from phverify.generalization.cheapest_way import CheapestWay
from phverify.generalization.fitting import Fitting
from phverify.generalization.judge import Examination
from phverify.generalization.loop import LeastSearch
from phverify.generalization.master import Grid
from phverify.generalization.offered import INTERRUPTED

MOST = 1000
"""So many candidates of the least cost are looked at."""
PATIENCE = 2.0
"""Seconds for them after a search that was quick."""


def withhold_fewest(search: LeastSearch) -> None:
    """Let a search that has ended prefer what withholds fewer records.

    Among levels, all candidates of the least cost are looked at: of several that
    withhold as few, it takes the one that generalizes least, and of these the first.
    """
    best, grid = search.best, search.master
    if best is None or search.stopped or not search.monotone:
        return
    in_time = _in_time(search)
    try:
        best = _withholding_fewer(search, best, in_time)
        tied = grid.costing(best.total, MOST) if isinstance(grid, Grid) else ()
        for candidate in tied:
            rows = withheld_rows(best)
            if not rows:
                break
            in_time.check()
            may_do = search.refuter.may_withhold_fewer(candidate, rows)
            if may_do is None:
                continue
            finding = _fewest(search, may_do, rows, in_time)
            if finding is not None:
                best = Fitting(candidate, finding, best.total)
    except BudgetExceeded:
        # What is found withholds few enough records.
        pass
    except KeyboardInterrupt:
        search.stopped = INTERRUPTED
    search.best = best


def each_withholding_fewest(
    search: LeastSearch, minimal: Sequence[Fitting]
) -> list[Fitting]:
    """The same candidates, each with the fewest records withheld that are known."""
    found: list[Fitting] = []
    in_time = _in_time(search)
    try:
        for one in minimal:
            found.append(_withholding_fewer(search, one, in_time))
    except BudgetExceeded:
        pass
    except KeyboardInterrupt:
        search.stopped = INTERRUPTED
    return [*found, *minimal[len(found) :]]


def _in_time(search: LeastSearch) -> Deadline:
    """A quick search does not look for long at what costs nothing."""
    elapsed = time.monotonic() - search.started
    return search.searching.within(max(PATIENCE, elapsed))


def _withholding_fewer(
    search: LeastSearch, fitting: Fitting, in_time: Deadline
) -> Fitting:
    """The same candidate with the fewest records withheld that are known to do.

    Raises BudgetExceeded.
    """
    finding = _fewest(search, fitting.finding, withheld_rows(fitting), in_time)
    if finding is None:
        return fitting
    return replace(fitting, finding=finding)


def _fewest(
    search: LeastSearch, finding: Examination, rows: int, in_time: Deadline
) -> Examination | None:
    """What a candidate releases with fewer than so many records withheld, as few as are
    known to do; None where none are.  Raises BudgetExceeded.
    """
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
    ways = CheapestWay(judge, view, search.refuter.budget, in_time, withheld)
    chosen = ways.below(Fraction(rows)).withheld
    if chosen is None:
        return known
    return Examination("fits", chosen, view=view)


def withheld_rows(fitting: Fitting) -> int:
    """How many records a candidate withholds."""
    finding = fitting.finding
    if finding.view is None:
        return 0
    return finding.view.rows(finding.withheld)
