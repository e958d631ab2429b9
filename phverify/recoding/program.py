"""An integer program over the classes met: choose those that cover each tuple once.

The whole table, or one region at a time whose present classes lie inside.  The present
release is where the solver starts, so that the answer is never dearer.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import highspy
import numpy as np

from phverify.exact import Floats, Ints
from phverify.recoding.partition import WITHHELD, classes_of, numbered
from phverify.recoding.task import ReleaseTask

REGION = 700
REGION_SECONDS = 5.0


@dataclass(frozen=True, eq=False)
class ClassColumns:
    """Classes that satisfy the demands: tuples one after the other, costs, cells."""

    classes: list[Ints]
    costs: Floats
    stars: Ints

    @staticmethod
    def of(task: ReleaseTask, classes: list[Ints]) -> ClassColumns:
        """The columns of these classes; those that are no class for the judge go."""
        allowed = task.demands.allow(classes)
        # Compiled tests are loose where there is a judge: met classes may be none.
        kept = [one for one, right in zip(classes, allowed, strict=True) if right]
        return ClassColumns(kept, task.costs(kept), task.star_cells(kept))

    def with_free(self, classes: list[Ints]) -> ClassColumns:
        """These, and others that cost nothing and need not satisfy anything."""
        nothing = np.zeros(len(classes))
        return ClassColumns(
            [*self.classes, *classes],
            np.concatenate([self.costs, nothing]),
            np.concatenate([self.stars, nothing.astype(np.int64)]),
        )

    def inside(self, tuples: Ints) -> ClassColumns:
        """Those that lie within a set of tuples (a flag for each tuple)."""
        if not self.classes:
            return self
        sizes = np.array([len(one) for one in self.classes])
        inside = tuples[np.concatenate(self.classes)]
        within = np.logical_and.reduceat(inside, np.cumsum(sizes) - sizes)
        chosen = np.flatnonzero(within)
        classes = [self.classes[place] for place in chosen]
        return ClassColumns(classes, self.costs[chosen], self.stars[chosen])


def solved(
    task: ReleaseTask,
    columns: ClassColumns,
    assignment: Ints,
    seconds: float,
    enough: float | None = None,
) -> Ints:
    """The cheapest release of these classes and those of the present release, or one
    whose records lose no more than ``enough``.
    """
    everything = np.ones(len(assignment), dtype=bool)
    return _solved_within(task, columns, assignment, everything, seconds, enough)


def solved_by_regions(
    task: ReleaseTask,
    columns: ClassColumns,
    assignment: Ints,
    seconds: float,
    size: int = REGION,
    seed: int = 0,
) -> Ints:
    """Regions of near classes one after the other, the rest of the release fixed."""
    generator = np.random.default_rng(seed)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        region = _region(task, assignment, size, int(generator.integers(2**31)))
        left = min(end - time.monotonic(), REGION_SECONDS)
        assignment = _solved_within(task, columns, assignment, region, left)
    return assignment


def _region(task: ReleaseTask, assignment: Ints, size: int, seed: int) -> Ints:
    """Whole classes around a random tuple, with about so many tuples."""
    inside = np.zeros(len(assignment), dtype=bool)
    front = [seed % len(assignment)]
    while front and inside.sum() < size:
        reached = np.unique(task.near[front])
        # Whole classes and withheld tuples: what is fixed outside stays a release.
        reached = np.union1d(reached[reached >= 0], front)
        numbers = np.unique(assignment[reached])
        new = np.isin(assignment, numbers[numbers >= 0])
        new[reached[assignment[reached] < 0]] = True
        new &= ~inside
        inside |= new
        front = np.flatnonzero(new).tolist()
    return inside


def _solved_within(
    task: ReleaseTask,
    columns: ClassColumns,
    assignment: Ints,
    region: Ints,
    seconds: float,
    enough: float | None = None,
) -> Ints:
    inner = np.where(region, assignment, WITHHELD)
    present = ClassColumns.of(task, classes_of(inner))
    local = columns.inside(region)
    program = _Program(task, local, present, region, assignment)
    chosen = program.solve(seconds, enough)
    if chosen is None:
        return assignment
    release = assignment.copy()
    release[region] = WITHHELD
    number = len(assignment)
    for place, members in enumerate(chosen):
        release[members] = number + place
    release = numbered(release)
    _require_partition(task, assignment, release, chosen, region)
    # A solver's tolerance may let a dearer one pass.
    return release if task.lost(release) < task.lost(assignment) else assignment


def _require_partition(
    task: ReleaseTask, before: Ints, release: Ints, chosen: list[Ints], region: Ints
) -> None:
    # a solver's answer is only a proposal: no tuple twice, none lost, budgets kept
    members = np.concatenate([np.zeros(0, dtype=np.int32), *chosen])
    assert len(np.unique(members)) == len(members)
    assert region[members].all()
    counts = task.table.counts
    withheld = counts[release < 0].sum()
    withheld_before = counts[before < 0].sum()
    assert withheld <= max(task.withheld, withheld_before)
    stars = task.star_cells(classes_of(release))
    assert stars.sum() <= task.most_stars


class _Program:
    """The program of a region: a row for each tuple, a column for each class."""

    def __init__(
        self,
        task: ReleaseTask,
        columns: ClassColumns,
        present: ClassColumns,
        region: Ints,
        assignment: Ints,
    ) -> None:
        self.task = task
        self.tuples = np.flatnonzero(region)
        self.classes = [*present.classes, *columns.classes]
        self.costs = np.concatenate([present.costs, columns.costs])
        self.stars = np.concatenate([present.stars, columns.stars])
        self.present = len(present.classes)
        outside = np.where(region, WITHHELD, assignment)
        self.spare_stars = task.most_stars - self._stars_of(outside)
        beyond = (assignment < 0) & ~region
        self.spare = task.withheld - int(task.table.counts[beyond].sum())
        self.withheld = assignment[self.tuples] < 0

    def _stars_of(self, assignment: Ints) -> int:
        cells = self.task.star_cells(classes_of(assignment))
        return int(cells.sum())

    def solve(self, seconds: float, enough: float | None) -> list[Ints] | None:
        """The classes chosen; None where nothing better was found in time."""
        if not self.classes or seconds <= 0:
            return None
        solver = highspy.Highs()
        solver.setOptionValue("output_flag", False)
        solver.setOptionValue("time_limit", seconds)
        solver.setOptionValue("threads", 1)
        solver.setOptionValue("mip_rel_gap", 1e-5)
        if enough is not None:
            solver.setOptionValue("objective_target", float(enough))
        solver.passModel(self._model())
        start = highspy.HighsSolution()
        start.col_value = self._start().tolist()
        solver.setSolution(start)
        solver.run()
        solution = solver.getSolution()
        values = np.array(solution.col_value)
        if len(values) != len(self._start()):
            return None
        picked = np.flatnonzero(values[: len(self.classes)] > 0.5)
        return [self.classes[place] for place in picked]

    def _start(self) -> Floats:
        values = np.zeros(len(self.classes))
        values[: self.present] = 1.0
        if self.task.withheld:
            values = np.concatenate([values, self.withheld.astype(float)])
        return values

    def _model(self) -> highspy.HighsLp:
        entries = self._entries()
        rows, columns = entries.shape
        costs = np.zeros(columns)
        costs[: len(self.costs)] = self.costs * self.task.grid.rows
        # Behind the classes there is a column for each tuple that may be withheld.
        costs[len(self.costs) :] = self.task.table.own[
            self.tuples[: columns - len(self.costs)]
        ]
        low = np.ones(rows)
        high = np.ones(rows)
        # Each tuple is covered just once; the last two rows are budgets of cells and
        # records.
        low[-2:] = 0
        high[-2:] = self.spare_stars, self.spare
        model = highspy.HighsLp()
        model.num_col_ = columns
        model.num_row_ = rows
        model.col_cost_ = costs
        model.col_lower_ = np.zeros(columns)
        model.col_upper_ = np.ones(columns)
        model.row_lower_ = low
        model.row_upper_ = high
        model.integrality_ = [highspy.HighsVarType.kInteger] * columns
        model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        model.a_matrix_.start_ = entries.starts
        model.a_matrix_.index_ = entries.rows
        model.a_matrix_.value_ = entries.values
        return model

    def _entries(self) -> _Entries:
        """Tuples of each class, its cells of the whole domain; withheld tuples."""
        count = len(self.tuples)
        place = np.full(len(self.task.table.counts), -1)
        place[self.tuples] = np.arange(count)
        sizes = np.array([len(one) for one in self.classes])
        owners = np.repeat(np.arange(len(sizes)), sizes)
        rows = [place[np.concatenate(self.classes)]]
        columns = [owners]
        values = [np.ones(len(owners))]
        starred: Ints = np.zeros(0, dtype=np.int64)
        if self.task.stars is not None:
            starred = np.flatnonzero(self.stars)
        rows.append(np.full(len(starred), count))
        columns.append(starred)
        values.append(self.stars[starred].astype(np.float64))
        total = len(sizes)
        if self.task.withheld:
            leaving = total + np.arange(count)
            rows += [np.arange(count), np.full(count, count + 1)]
            columns += [leaving, leaving]
            values += [
                np.ones(count),
                self.task.table.counts[self.tuples].astype(float),
            ]
            total += count
        return _Entries.of(
            (count + 2, total),
            np.concatenate(rows),
            np.concatenate(columns),
            np.concatenate(values),
        )


@dataclass(frozen=True, eq=False)
class _Entries:
    """A sparse matrix column by column."""

    shape: tuple[int, int]
    starts: Ints
    rows: Ints
    values: Floats

    @staticmethod
    def of(
        shape: tuple[int, int], rows: Ints, columns: Ints, values: Floats
    ) -> _Entries:
        # HiGHS wants columns one after the other.
        order = np.argsort(columns, kind="stable")
        counts = np.bincount(columns, minlength=shape[1])
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        return _Entries(shape, starts, rows[order].astype(np.int32), values[order])
