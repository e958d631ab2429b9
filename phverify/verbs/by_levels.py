"""Releases made of levels, which a search by tuples starts from or falls back on."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from phverify.budget import Deadline, Tell
from phverify.exact import Ints
from phverify.generalization.by_tuples import LEFT, TuplesGlance
from phverify.generalization.fitting import Fitting
from phverify.generalization.loop import LeastSearch
from phverify.generalization.options import Options, options
from phverify.microdata.hierarchy import GivenHierarchies
from phverify.recoding.options import TupleSettings
from phverify.recoding.poorer import PoorerFound
from phverify.recoding.posed import PosedRecoding
from phverify.spec.recoding import TupleRecoding, TupleSpace, one_box_each
from phverify.spec.spaces import WHOLE
from phverify.verbs.poorer_spaces import poorer_search

SHARE = 1 / 3
"""The share of the budget in which levels are searched."""
LONGEST = 60.0
"""Seconds of it at most."""


def released_by_levels(
    problem: PosedRecoding,
    settings: TupleSettings,
    given: GivenHierarchies,
    time_left: Deadline,
    progress: Tell,
) -> PoorerFound:
    """The best release by levels that is found in a share of the time; and one where
    other tuples have other levels.
    """
    policy, table = problem.posed.policy, problem.posed.table
    left = time_left.left()
    seconds = LONGEST if left is None else min(SHARE * left, LONGEST)
    chosen = options(
        policy,
        "levels",
        settings.objective,
        settings.suppress,
        # By levels, what counts classes knows no weights.
        None if settings.objective in WHOLE else settings.weights,
        all_minimal=False,
        shuffle=settings.shuffle,
    )
    limit = time_left.within(seconds)
    search = poorer_search(policy, table, given, chosen, limit, progress)
    if search is None:
        return PoorerFound()
    best = _best(search, chosen)
    interrupted = search.stopped == "interrupted"
    found = []
    if best is not None:
        found.append(_recoding(search, _classes(best), problem.space))
    try:
        if not interrupted:
            progress("grouping tuples by levels")
            found += _at_a_glance(search, chosen, problem.space)
    except KeyboardInterrupt:
        interrupted = True
    return PoorerFound(tuple(found), interrupted)


def _best(search: LeastSearch, chosen: Options) -> Fitting | None:
    """The best release by levels that the search finds."""
    if not chosen.lists:
        return search.least()

    def order(fitting: Fitting) -> tuple[Fraction, int]:
        return search.price(fitting), fitting.withheld_rows

    return min(search.minimal(), key=order, default=search.best)


def _classes(best: Fitting) -> Ints:
    """The class of each tuple in a release by levels."""
    view = best.finding.view
    assert view is not None
    class_of: Ints = view.into.copy()
    class_of[np.isin(class_of, best.finding.withheld)] = LEFT
    return class_of


def _at_a_glance(
    search: LeastSearch, chosen: Options, space: TupleSpace
) -> Iterator[TupleRecoding]:
    """Other levels for other tuples: the classes of an estimate."""
    judge = search.refuter.judge
    weights = [float(chosen.weights[name]) for name in judge.finest.quasi]
    seen = TuplesGlance(judge, weights, search.refuter.budget).release()
    if seen is not None:
        yield _recoding(search, seen.class_of, space)


def _recoding(search: LeastSearch, class_of: Ints, space: TupleSpace) -> TupleRecoding:
    """Classes of tuples, each in the least box that holds it."""
    release = search.refuter.judge.bound.release
    codes = [release.columns[name].codes for name in release.quotient.quasi]
    of_row = class_of[release.quotient.class_of(codes)]
    # The search by tuples numbers them in another order.
    of_tuple: Ints = np.empty(len(space.tuples), dtype=np.int64)
    of_tuple[list(space.row_tuple)] = of_row
    classes: dict[int, list[int]] = {}
    for number, place in enumerate(of_tuple.tolist()):
        if place != LEFT:
            classes.setdefault(place, []).append(number)
    return one_box_each(space, classes.values())
