"""Of the candidates that cost as little as the best one, the one that withholds the
fewest records.

Costs do not count what is withheld: by height many level vectors cost the same, and
some release more.
"""

from __future__ import annotations

from phverify.errors import BudgetExceeded
from phverify.generalization.fitting import Fitting
from phverify.generalization.loop import LeastSearch
from phverify.generalization.master import Grid
from phverify.generalization.offered import INTERRUPTED

MOST = 1000
"""So many candidates of the least cost are looked at."""


def withhold_fewest(search: LeastSearch) -> None:
    """Let a search of levels that has ended prefer what withholds fewer records.

    Of several that withhold as few, it takes the one that generalizes least, and of
    these the first.
    """
    best = search.best
    if best is None or search.stopped or not search.monotone:
        return
    if not isinstance(search.master, Grid):
        return
    try:
        for candidate in search.master.costing(best.total, MOST):
            rows = withheld_rows(best)
            if not rows:
                break
            search.searching.check()
            finding = search.refuter.withholding_fewer(candidate, rows)
            if finding is not None:
                best = Fitting(candidate, finding, best.total)
    except BudgetExceeded:
        # What is found withholds few enough records.
        pass
    except KeyboardInterrupt:
        search.stopped = INTERRUPTED
    search.best = best


def withheld_rows(fitting: Fitting) -> int:
    """How many records a candidate withholds."""
    finding = fitting.finding
    if finding.view is None:
        return 0
    return finding.view.rows(finding.withheld)
