"""Few cells of ``*``, where those are bounded and the usual constructions have more.

From above: a search in which nothing but ``*`` counts, and a choice among the classes
that it met and those of a relaxation.  From below: prices prove that no release has
fewer than some number, so that a bound which is too low is told to be.
"""

from __future__ import annotations

from collections.abc import Sequence

from phverify.budget import Deadline
from phverify.exact import Ints
from phverify.recoding.below import distinct_values
from phverify.recoding.certificate import Bound
from phverify.recoding.coarse import CoarseTask, coarse_grid
from phverify.recoding.first import first_release
from phverify.recoding.neighbourhoods import (
    SearchState,
    improve,
    restarted,
    started,
)
from phverify.recoding.partition import classes_of
from phverify.recoding.pool import met
from phverify.recoding.posed import PosedRecoding
from phverify.recoding.prices import PriceSearch
from phverify.recoding.program import ClassColumns, solved
from phverify.recoding.task import ReleaseTask
from phverify.recoding.walker import Distinct, walker
from phverify.spec.data import Refused
from phverify.spec.prices import require_feasible

STEPS = 60
SLICES = 20
"""Steps for each item from hot to cold, with so many looks at the number of cells."""
COOLING = 0.25
"""The share of the time that they take, at most."""
CHOICE = 15.0
"""Seconds for a choice among classes after it, at most."""
BELOW = 0.2
"""The share of the time for prices."""
NEARLY = 0.97
"""Cuts take time: they are added where the bound is so near the number that may be."""
MOST = 40_000
"""Of more tuples nothing is proved here."""


def few_stars(
    task: ReleaseTask, seconds: float, distinct: Sequence[Distinct] = ()
) -> Ints | None:
    """A release with few cells of ``*``, or with the fewest found in so many seconds.

    None where there is no release at all.
    """
    coarse = CoarseTask(task)
    inner, most = coarse.task, task.most_stars
    first = first_release(inner)
    if first is None:
        return None
    end = Deadline(seconds)
    state = started(inner, first)
    columns: list[Ints] | None = None
    while _stars(inner, state.assignment) > most and not end.over:
        state = _cooled(inner, state, most, Deadline(COOLING * seconds))
        # The relaxation says which classes are good for few ``*``; it is the same in
        # each round.
        if columns is None:
            needed = [_of_items(coarse, one) for one in distinct]
            columns = _relaxed(inner, needed, BELOW * seconds)
        left = min(CHOICE, end.left() or 0.0)
        classes = _with_stars(inner, [*columns, *met(state.pool)])
        known = ClassColumns.of(inner, classes).with_free(coarse.free)
        chosen = solved(inner, known, state.assignment, left, enough=most)
        state = restarted(inner, state, chosen)
    return coarse.lifted(state.assignment)


def _cooled(
    task: ReleaseTask, state: SearchState, most: int, deadline: Deadline
) -> SearchState:
    """The search from hot to cold; it ends where there are few enough cells."""
    count = 1 + STEPS * len(task.table.counts) // SLICES
    for place in range(SLICES, 0, -1):
        if deadline.over or _stars(task, state.assignment) <= most:
            break
        state = improve(task, state, count=count, heat=place / SLICES)
    return state


def _stars(task: ReleaseTask, assignment: Ints) -> int:
    cells = task.star_cells(classes_of(assignment))
    return int(cells.sum())


def _with_stars(task: ReleaseTask, classes: list[Ints]) -> list[Ints]:
    cells = task.star_cells(classes).tolist()
    return [one for one, stars in zip(classes, cells, strict=True) if stars]


def _of_items(coarse: CoarseTask, one: Distinct) -> Distinct:
    return Distinct(one.least, coarse.summed(one.histogram))


def _relaxed(
    task: ReleaseTask, distinct: Sequence[Distinct], seconds: float
) -> list[Ints]:
    """The classes of a relaxation: what is best in it is good for a release, too."""
    boxes = walker(task.grid, task.demands.least, distinct)
    search = PriceSearch(task.grid, boxes, Deadline(seconds), task.withheld, tuple)
    for _ in search.run(bool(distinct)):
        if search.cuts.count:
            break
    return search.columns.sets


def least_stars(problem: PosedRecoding, seconds: float) -> int:
    """No release has fewer cells of ``*``; 0 where nothing is proved in the time."""
    grid = coarse_grid(problem.grid)
    if grid.tuples > MOST:
        return 0
    distinct = distinct_values(problem)
    boxes = walker(grid, problem.necessary.records, distinct)
    search = PriceSearch(grid, boxes, Deadline(seconds), problem.budget, tuple)
    best = None
    near = NEARLY * problem.most_stars
    for bound in search.run(bool(distinct)):
        best = bound
        cells = best.value * grid.rows
        # Far below the limit cuts will not prove it out of reach, and above it nothing
        # is left to prove.
        if search.cuts.count and not near <= cells <= problem.most_stars:
            break
    # Compiled code proposes: only what the plain program accepts is a proof.
    if best is None or not _holds(problem, best):
        return 0
    cells = best.value * grid.rows
    # Rounded up: cells are whole.
    return -int(-cells // 1)


def _holds(problem: PosedRecoding, bound: Bound) -> bool:
    """Whether the checker's plain program says so, too."""
    grid = coarse_grid(problem.grid)
    layers = []
    for own in grid.layers:
        layers.append([(one.group.tolist(), one.price.tolist()) for one in own])
    needed = problem.necessary
    distinct = []
    for column, least in needed.distinct.items():
        values = list(map(set, problem.rules.by_tuple(column)))
        distinct.append((values, least))
    try:
        require_feasible(
            bound.prices.tolist(),
            problem.space.counts,
            grid.codes.tolist(),
            layers,
            needed.records,
            bound.relief if problem.budget else None,
            distinct,
            bound.cuts.tolist(),
        )
    except Refused:
        return False
    return True
