"""Large neighbourhood search over the classes of a release, slice by slice."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from phverify.exact import Ints
from phverify.recoding.partition import classes_of, numbered, partition_of
from phverify.recoding.pool import ClassPool, new_pool
from phverify.recoding.rebuild import new_room
from phverify.recoding.steps import (
    MOST_CLASSES,
    PLACES,
    NeighbourhoodSearch,
    StepRules,
    commit,
    steps,
)
from phverify.recoding.task import ReleaseTask

SLICE = 2_000
WARM = 0.25
"""How much dearer a neighbourhood may become at first, in cells of one record."""
STAR_PRICE = 1.0
DEAREST = 3.0
"""How many times its loss a whole cell costs more at first, and at most, where there
are too many of them.  What is much dearer does not move any more."""
DEARER = 1.05
CHEAPER = 0.98
"""How that changes from slice to slice; so near the bound it stays as it is:"""
NEARLY = 0.99
FIRST_CYCLE = 8
"""Steps for each tuple until the search is cold for the first time."""


@dataclass(frozen=True, eq=False)
class SearchState:
    """The best release so far: ``assignment`` int32 [T], -1 withheld, and its cost.

    ``current`` is where the search stands, which may be dearer; ``done`` counts its
    steps.  ``pool`` holds the classes met.  The cost is infinite while too many cells
    are the whole domain: each costs ``star_price`` more, which rises until few are.
    """

    assignment: Ints
    cost: float
    current: Ints
    pool: ClassPool
    done: int = 0
    relief: float = 0.0
    star_price: float = 0.0


def started(task: ReleaseTask, assignment: Ints) -> SearchState:
    """The state of a search that starts at a release."""
    sizes = [len(members) for members in classes_of(assignment)]
    # Room in the pool for classes a few times larger than those of the start.
    places = 4 * max(task.demands.least, int(np.mean([1, *sizes])))
    pool = new_pool(len(assignment), places, task.seed)
    cost = cost_of(task, assignment)
    relief = _dearest_price(task, assignment) if task.withheld else 0.0
    price = STAR_PRICE * _cell_price(task) if np.isinf(cost) else 0.0
    return SearchState(
        assignment, cost, assignment, pool, relief=relief, star_price=price
    )


def restarted(task: ReleaseTask, state: SearchState, assignment: Ints) -> SearchState:
    """The state after something else found a release; the best one stays the best."""
    cost = cost_of(task, assignment)
    if cost < state.cost:
        return replace(state, assignment=assignment, cost=cost, current=assignment)
    return state


def cost_of(task: ReleaseTask, assignment: Ints) -> float:
    """What a release loses, as a share of all records.

    Infinite where more cells are the whole domain than may be.
    """
    classes = classes_of(assignment)
    if task.star_cells(classes).sum() > task.most_stars:
        return np.inf
    return task.lost(assignment)


def improve(
    task: ReleaseTask,
    state: SearchState,
    seconds: float | None = None,
    count: int | None = None,
    heat: float | None = None,
) -> SearchState:
    """Search for some seconds, or for ``count`` steps, which is deterministic.

    Without ``heat`` the search warms up and cools down in cycles, each twice as long as
    the one before; a caller who knows when the end is gives the share of time left.
    """
    run = _Annealing(task, state)
    end = time.monotonic() + (np.inf if seconds is None else seconds)
    left = np.iinfo(np.int64).max if count is None else count
    while left > 0 and time.monotonic() < end:
        size = min(left, SLICE)
        run.slice(size, _cycle(task, run.done) if heat is None else heat)
        left -= size
    return run.state()


def _first_cycle(task: ReleaseTask) -> int:
    return FIRST_CYCLE * max(len(task.table.counts), 100)


def _cycle(task: ReleaseTask, done: int) -> float:
    """The share of a cycle that is left."""
    length = _first_cycle(task)
    while done >= length:
        done -= length
        length *= 2
    return 1 - done / length


def _dearest_price(task: ReleaseTask, assignment: Ints) -> float:
    # what is just not worth withholding is the price of a withheld record
    classes = classes_of(assignment)
    if not classes:
        return 0.0
    _, _, records = task.boxes(classes)
    return float((task.costs(classes) * task.grid.rows / records).max())


def _cell_price(task: ReleaseTask) -> float:
    # what a cell loses as the whole domain: one part of the attributes in plain loss
    whole = task.table.whole
    return float(whole[np.isfinite(whole)].sum()) / len(whole)


class _Annealing:
    """A search under way: where it stands, and the best release met."""

    def __init__(self, task: ReleaseTask, state: SearchState) -> None:
        self.task = task
        self.best = state.assignment
        self.cost = state.cost
        self.done = state.done
        self.relief = state.relief
        self.star_price = state.star_price
        self.search = _search(task, state)

    def slice(self, count: int, heat: float) -> None:
        """Some steps at one temperature; the best release is kept."""
        rules = self._rules(heat)
        left = count
        while left > 0:
            left = steps(self.search, rules, left)
            if rules.asks and self.search.chosen[MOST_CLASSES + 1]:
                self._ask()
        self.done += count
        # After a slice of steps at one price the withheld records show whether it was
        # right.
        self._adapt_relief()
        if self._few_stars and self._now() < self.cost - 1e-12:
            self.best = self.search.partition.owner.copy()
            self.cost = self._now()
        self._adapt_star_price()

    def state(self) -> SearchState:
        """What the search found."""
        best = numbered(self.best)
        return SearchState(
            assignment=best,
            cost=cost_of(self.task, best),
            current=numbered(self.search.partition.owner),
            pool=self.search.pool,
            done=self.done,
            relief=self.relief,
            star_price=self.star_price,
        )

    def _now(self) -> float:
        partition = self.search.partition
        # Without the extra price of whole cells, which is no loss.
        lost = partition.cost.sum() - self.star_price * partition.totals[2]
        lost += self.task.table.own[partition.owner < 0].sum()
        return float(lost / self.task.grid.rows)

    @property
    def _few_stars(self) -> bool:
        return int(self.search.partition.totals[2]) <= self.task.most_stars

    def _adapt_star_price(self) -> None:
        # dearer while there are too many cells, cheaper while there might be more
        if not self.star_price:
            return
        stars = int(self.search.partition.totals[2])
        if stars > self.task.most_stars:
            dearest = DEAREST * _cell_price(self.task)
            self.star_price = min(self.star_price * DEARER, dearest)
        elif stars < NEARLY * self.task.most_stars:
            self.star_price *= CHEAPER
        else:
            return
        table = self.task.starred(self.star_price)
        # Costs of classes hold the old price: all are counted anew.
        partition = partition_of(table, self.search.partition.owner)
        self.search = self.search._replace(table=table, partition=partition)

    def _rules(self, heat: float) -> StepRules:
        scale = 8 * (_cell_price(self.task) + self.star_price)
        # down to the next valley first: few steps for each tuple allow no detours
        warmth = min(1.0, self.done / _first_cycle(self.task))
        return StepRules(
            relief=self.relief,
            withheld=self.task.withheld,
            stars=self._most_stars(),
            heat=WARM * heat * scale * warmth,
            disjoint=self.task.disjoint,
            asks=self.task.demands.exact is not None,
        )

    def _most_stars(self) -> int:
        # while there are too many, what is cheap at their price decides
        if self._few_stars:
            return self.task.most_stars
        return int(self.task.table.codes.size * self.task.grid.rows)

    def _adapt_relief(self) -> None:
        # dearer while the budget is used up, cheaper while records are left in it
        if not self.task.withheld:
            return
        used = int(self.search.partition.totals[1])
        short = used < 0.995 * self.task.withheld
        self.relief *= 0.98 if short else 1.01

    def _ask(self) -> None:
        """Commit the proposal when the exact judge allows all its classes."""
        places = int(self.search.chosen[MOST_CLASSES + 1])
        room = self.search.room
        groups = room.group[:places]
        members = room.members[:places]
        # The judge wants classes as sorted arrays of tuples.
        order = np.lexsort((members, groups))
        classes = classes_of(groups[order])
        proposed = [members[order][places_of] for places_of in classes]
        if all(self.task.demands.allow(proposed)):
            commit(self.search, places)


def _search(task: ReleaseTask, state: SearchState) -> NeighbourhoodSearch:
    values = task.demands.counted.shape[1]
    attributes = task.table.codes.shape[1]
    # Another seed each time that the search goes on, and the same for the same steps.
    seed = task.seed * 1_000_003 + state.done + 1
    table = task.starred(state.star_price)
    return NeighbourhoodSearch(
        table=table,
        tests=task.demands.tests,
        histograms=task.demands.counted,
        near=task.near,
        partition=partition_of(table, state.current),
        room=new_room(PLACES, attributes, values, seed),
        chosen=np.zeros(MOST_CLASSES + 2, dtype=np.int64),
        members=np.zeros(PLACES, dtype=np.int64),
        pool=state.pool,
        bits=task.bits,
        taken=np.zeros(task.bits.below.shape[1], dtype=np.uint64),
    )
