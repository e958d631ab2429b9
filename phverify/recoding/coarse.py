"""The tuples of a table as far as cells of ``*`` go.

Values that are together in a node below ``*`` count as one, so that a table has few
coarse tuples, and a class needs no ``*`` where it has one of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from phverify.exact import Bools, Ints
from phverify.machine.machine_code import entry_point
from phverify.recoding.demands import ClassDemands, CompiledTests, satisfied
from phverify.recoding.grid import GridLayer, TupleGrid
from phverify.recoding.merging import merge_within, repaired
from phverify.recoding.partition import WITHHELD, classes_of
from phverify.recoding.task import ReleaseTask

DEAR = 1000.0
"""A cell of ``*`` costs more than whatever some hundred records may lose beside."""


def coarse_grid(grid: TupleGrid) -> TupleGrid:
    """The same tuples with coarse values; a cell of ``*`` costs 1, all else nothing."""
    codes = grid.codes.copy()
    coarse = []
    for attribute, stars in enumerate(grid.stars):
        number = _alike(stars)
        codes[:, attribute] = number[codes[:, attribute]]
        _, first = np.unique(number, return_index=True)
        coarse.append(stars[np.ix_(first, first)])
    return TupleGrid(
        codes,
        grid.counts,
        tuple(stars.astype(np.float64) for stars in coarse),
        tuple(tuple(_layers(stars, grid.unit)) for stars in coarse),
        grid.rows,
        grid.unit,
        len(coarse),
        stars=tuple(coarse),
    )


def _alike(stars: Bools) -> Ints:
    """Neighbouring ranks with the same ``*`` have one number."""
    changes = np.any(stars[1:] != stars[:-1], axis=1)
    return np.concatenate([[0], np.cumsum(changes)])


def _layers(stars: Bools, unit: int) -> Iterator[GridLayer]:
    """Partitions of the ranks such that each run without ``*`` lies in a free group."""
    count = len(stars)
    waiting = list(_free_runs(stars))
    while waiting:
        group = np.arange(count, dtype=np.int32)
        end = -1
        later = []
        for first, last in waiting:
            if first <= end:
                later.append((first, last))
                continue
            # Runs of one layer do not meet, so that each rank has one group.
            group[first : last + 1] = first
            end = last
        _, number = np.unique(group, return_inverse=True)
        free = np.zeros(number.max() + 1, dtype=np.int64)
        yield GridLayer(number.astype(np.int32), free)
        waiting = later
    if count > 1:
        price = np.array([unit], dtype=np.int64)
        yield GridLayer(np.zeros(count, dtype=np.int32), price)


def _free_runs(stars: Bools) -> Iterator[tuple[int, int]]:
    """The longest runs of ranks without ``*``."""
    before = -1
    for first in range(len(stars)):
        # A run within one without * has none.
        last = first + int(np.flatnonzero(~stars[first, first:])[-1])
        if last > before:
            yield first, last
        before = max(before, last)


@entry_point
def passes(tests: CompiledTests, records: int, counts: Ints) -> bool:
    """What machine code asks of a class, for Python: whether it passes all tests."""
    return satisfied(tests, records, counts)


@dataclass(frozen=True, eq=False)
class CoarseTask:
    """A task about *items*: some tuples with the same coarse values that stay together.

    Where one coarse tuple has many records, a few of them go to other classes at most:
    its items make every small number of records.
    """

    whole: ReleaseTask

    @cached_property
    def task(self) -> ReleaseTask:
        """Find classes of items with few cells of ``*``: nothing else costs."""
        first = [members[0] for members in self.items]
        counts = self.summed(self._grid.counts)
        inner = replace(self._grid, codes=self._grid.codes[first], counts=counts)
        return replace(
            self.whole, grid=inner, demands=self._demands(), stars=None, disjoint=False
        )

    @cached_property
    def items(self) -> list[Ints]:
        """The tuples of each item; those with the same coarse values side by side."""
        _, group = np.unique(self._grid.codes, axis=0, return_inverse=True)
        # Few records first: these are what other classes may be filled up with.
        counts = self._grid.counts
        order = np.lexsort((counts, group.ravel()))
        borders = np.flatnonzero(np.diff(group.ravel()[order])) + 1
        items: list[Ints] = []
        for members in np.split(order, borders):
            items += _cut(members, counts, self.whole.demands.least)
        return items

    @cached_property
    def free(self) -> list[Ints]:
        """Items that need no ``*``: of one coarse tuple all together, or each alone
        where one of them is a class.

        Who stays behind joins that one.
        """
        codes = self.task.grid.codes
        borders = np.flatnonzero(np.any(codes[1:] != codes[:-1], axis=1)) + 1
        found = []
        for own in np.split(np.arange(len(codes)), borders):
            # The last item has what the small ones leave, as a rule most records.
            if self._allowed(own[-1:]):
                found += np.split(own, len(own))
            elif self._allowed(own):
                found.append(own)
        return found

    def _allowed(self, items: Ints) -> bool:
        task = self.task
        records = int(task.grid.counts[items].sum())
        (values,) = task.values([items])
        fine = bool(passes(task.demands.tests, records, values))
        return fine and task.demands.allow([items])[0]

    def summed(self, counted: Ints) -> Ints:
        """Of each item what its tuples have together."""
        sizes = [len(members) for members in self.items]
        starts: Ints = np.cumsum([0, *sizes[:-1]])
        own: Ints = counted[np.concatenate(self.items)]
        together: Ints = np.add.reduceat(own, starts)
        return together

    def lifted(self, assignment: Ints) -> Ints | None:
        """A release of the items as one of tuples: what needs no ``*`` is merged anew,
        for the least loss.
        """
        task = self.whole
        table = task.starred(DEAR)
        labels = np.arange(len(table.counts), dtype=np.int64)
        for number in np.flatnonzero(assignment == WITHHELD):
            labels[self.items[number]] = WITHHELD
        free: dict[bytes, list[Ints]] = defaultdict(list)
        classes = classes_of(assignment)
        for one, stars in zip(classes, self.task.star_cells(classes), strict=True):
            members = self.tuples(one)
            if stars:
                # A class with ``*`` stays as it was chosen: its cells are what was
                # counted.
                labels[members] = members[0]
            else:
                coarse = self.task.grid.codes[one[0]]
                free[coarse.tobytes()].append(members)
        for together in free.values():
            merge_within(task, table, labels, np.concatenate(together))
        return repaired(task, labels, table)

    @cached_property
    def _grid(self) -> TupleGrid:
        return coarse_grid(self.whole.grid)

    def tuples(self, items: Ints) -> Ints:
        """The tuples of some items."""
        return np.concatenate([self.items[number] for number in items])

    def _demands(self) -> ClassDemands:
        demands = self.whole.demands
        exact = demands.exact

        def judged(classes: list[Ints]) -> list[bool]:
            # The judge knows tuples, not items.
            assert exact is not None
            return exact([np.sort(self.tuples(one)) for one in classes])

        reference = demands.reference
        if reference is None:
            # Closeness compares with the whole table, which items must not change.
            reference = demands.histograms.sum(axis=0)
        return replace(
            demands,
            histograms=self.summed(demands.histograms),
            exact=None if exact is None else judged,
            reference=reference,
            _memo={},
        )


def _cut(members: Ints, counts: Ints, least: int) -> Iterator[Ints]:
    """Tuples in items of 1, 1, 2, 4 .. records up to ``least``, and one of the rest."""
    ends = np.cumsum(counts[members])
    start = 0
    spent = 0
    while start < len(members) and spent < least:
        # Doubling: sums of such items come near to every number of records.
        stop = int(np.searchsorted(ends, spent + max(spent, 1))) + 1
        stop = min(stop, len(members))
        yield members[start:stop]
        start, spent = stop, int(ends[stop - 1])
    if start < len(members):
        yield members[start:]
