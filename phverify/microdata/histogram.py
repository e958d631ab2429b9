"""How often each value of one attribute occurs in each class: whole columns, as
criteria ask for them.

Exact: counts are integers, thresholds rationals, and no product overflows.  Nothing
here knows a criterion.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from phverify.exact import Bools, Ints, IntsPair, ints
from phverify.microdata.keys import packed, starts_of
from phverify.microdata.quotient import Quotient
from phverify.microdata.table import Label
from phverify.spec.source import Values

CHUNK = 2_000_000
Counts = Mapping[Label, int]


@dataclass(frozen=True, eq=False)
class ClassHistogram:
    """How often each value of one attribute occurs in each class, and in the whole
    table.

    Cells are (class, value) pairs that occur, sorted by class; those of class c are
    ``starts[c]:starts[c + 1]``.  ``whole[value]`` counts the value in all rows.
    """

    rows: int
    starts: Ints
    counts: Ints
    values: Ints
    sizes: Ints
    whole: Ints
    labels: Values
    memo: dict[Any, Ints] = field(default_factory=dict)
    """What a criterion worked out for this histogram and needs again."""

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return len(self.starts) - 1

    @cached_property
    def cell_sizes(self) -> Ints:
        """For each cell, the rows of its class."""
        return np.repeat(self.sizes, self.distinct)

    @cached_property
    def cell_classes(self) -> Ints:
        """For each cell, its class."""
        return np.repeat(np.arange(self.classes), self.distinct)

    @cached_property
    def cell_whole(self) -> Ints:
        """For each cell, how often its value occurs in the table."""
        return self.whole[self.values]

    @cached_property
    def distinct(self) -> Ints:
        """For each class, how many values it has."""
        return np.diff(self.starts)

    @property
    def shares(self) -> IntsPair:
        """For each cell the share of its value in the class and in the table, both
        times the rows of both.
        """
        in_class = self.product(self.counts, self.rows)
        in_table = self.product(self.cell_sizes, self.cell_whole)
        return in_class, in_table

    def inside(self, index: int) -> Counts:
        """The counts of one class by value."""
        first, last = self.starts[index : index + 2].tolist()
        return self._counts(slice(first, last))

    def _counts(self, cells: slice) -> Counts:
        values = self.values[cells].tolist()
        counts = self.counts[cells].tolist()
        labels = [self.labels[value] for value in values]
        return dict(zip(labels, counts, strict=True))

    def outside(self) -> Counts:
        """The counts of the whole table by value."""
        return dict(zip(self.labels, self.whole.tolist(), strict=True))

    def against(self, whole: Counts) -> ClassHistogram:
        """The same classes beside a table with these counts in place of the own."""
        labels = tuple(dict.fromkeys((*self.labels, *whole)))
        listed = [whole.get(label, 0) for label in labels]
        counts = np.array(listed, dtype=np.int64)
        rows = sum(whole.values())
        return replace(self, rows=rows, whole=counts, labels=labels, memo={})

    # Some of the classes

    def cells_of(self, classes: Ints) -> Ints:
        """The cells of some classes, one run behind the other."""
        first, many = self.starts[classes], self.distinct[classes]
        shift = np.repeat(first - np.cumsum(many) + many, many)
        cells: Ints = shift + np.arange(len(shift))
        return cells

    def of_values(self, cells: Ints) -> Ints:
        """How often each value occurs in some cells."""
        counts: Ints = np.zeros(len(self.labels), dtype=np.int64)
        # values repeat among the cells: ``+=`` would count each once
        np.add.at(counts, self.values[cells], self.counts[cells])
        return counts

    def counted(self, classes: Ints) -> Counts:
        """How often each value occurs in some classes, without those that do not."""
        counts = self.of_values(self.cells_of(classes)).tolist()
        by_value = zip(self.labels, counts, strict=True)
        return {label: count for label, count in by_value if count}

    def taken(self, classes: Ints) -> ClassHistogram:
        """Some classes as a table of their own, with the values that occur there."""
        cells = self.cells_of(classes)
        whole = self.of_values(cells)
        occur = np.flatnonzero(whole)
        place = np.zeros(len(whole), dtype=np.int64)
        place[occur] = np.arange(len(occur))
        lengths = self.distinct[classes]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        values = place[self.values[cells]]
        occurring = occur.tolist()
        labels = [self.labels[value] for value in occurring]
        return ClassHistogram(
            rows=int(whole.sum()),
            starts=starts,
            counts=self.counts[cells],
            values=values,
            sizes=self.sizes[classes],
            whole=whole[occur],
            labels=tuple(labels),
        )

    # Arithmetic

    @staticmethod
    def at_most(
        left: Ints, factor: Fraction, right: Ints, strict: bool = False
    ) -> Bools:
        """``left <= factor * right`` (or ``<``) for arrays of integers >= 0,
        exactly.
        """
        # Both sides times the denominator, in integers wide enough for either product.
        left_bound = max(_top(left), 1) * factor.denominator
        right_bound = max(_top(right), 1) * abs(factor.numerator)
        bound = max(left_bound, right_bound)
        scaled_left = ints(left, bound) * factor.denominator
        scaled_right = ints(right, bound) * factor.numerator
        below = scaled_left < scaled_right if strict else scaled_left <= scaled_right
        return np.asarray(below, dtype=bool)

    @staticmethod
    def product(*factors: Ints | int) -> Ints:
        """The product of integer arrays, or of an array and a number, without
        overflow.
        """
        arrays = [np.asarray(factor) for factor in factors]
        bound = 1
        for array in arrays:
            bound *= _top(array) + 1
        result = ints(arrays[0], bound)
        for array in arrays[1:]:
            result = result * ints(array, bound)
        return result

    # From cells to classes

    def all_cells(self, good: Bools) -> Bools:
        """The classes all of whose cells are good."""
        result: Bools = np.logical_and.reduceat(good, self.starts[:-1])
        return result

    def total(self, cells: Ints) -> Ints:
        """For each class the sum over its cells."""
        result: Ints = np.add.reduceat(cells, self.starts[:-1])
        return result

    def largest(self, cells: Ints) -> Ints:
        """For each class the largest of its cells."""
        result: Ints = np.maximum.reduceat(cells, self.starts[:-1])
        return result

    def among(self, values: Collection[Label]) -> Ints:
        """For each class, the rows with one of these values."""
        wanted = np.array([label in values for label in self.labels], dtype=bool)
        counted = np.where(wanted[self.values], self.counts, 0)
        return self.total(counted)

    def ranked(self, first: int) -> IntsPair:
        """For each class the rows of its most frequent value, and of all values but the
        ``first`` most frequent.
        """
        order = np.lexsort((-self.counts, self.cell_classes))
        ranked = self.counts[order]
        starts = self.starts[:-1]
        rank = np.arange(len(ranked)) - starts[self.cell_classes]
        others = np.where(rank >= first, ranked, 0)
        return ranked[starts], self.total(others)

    def disorder(self) -> Ints:
        """For each class minus its entropy, about."""
        shares = self.counts / self.cell_sizes
        return self.total(shares * np.log(shares))

    # Distances from the table

    def variational(self) -> Ints:
        """rows * size * variational distance: the sum of what occurs too often."""
        inside, outside = self.shares
        return self.total(np.maximum(inside - outside, 0))

    def coarser(self, nodes: Sequence[str]) -> ClassHistogram:
        """The histogram after each value is replaced by its node in a hierarchy."""
        names = tuple(dict.fromkeys(nodes))
        place = {node: code for code, node in enumerate(names)}
        node_of = np.array([place[node] for node in nodes])
        replaced = node_of[self.values]
        cells = merged(self.cell_classes, replaced, self.counts, len(names))
        classes, values, counts = cells
        whole = np.zeros(len(names), dtype=np.int64)
        np.add.at(whole, node_of, self.whole)
        starts = starts_of(classes)
        return ClassHistogram(
            self.rows, starts, counts, values, self.sizes, whole, names
        )

    def cumulative(self, order: Sequence[Label]) -> Ints:
        """rows * size * sum over j < m of |cumulative difference at j|, in blocks of
        classes.
        """
        m = len(order)
        places = [self.labels.index(value) for value in order]
        rank = np.empty(m, dtype=np.int64)
        rank[places] = np.arange(m)
        below = np.cumsum(self.whole[places])
        # No sum of m gaps passes this: a gap is at most rows * size.
        bound = self.rows * self.rows * m
        parts = []
        step = max(1, CHUNK // m)
        for first in range(0, self.classes, step):
            last = min(first + step, self.classes)
            counts = self._by_rank(first, last, rank)
            inside = ints(np.cumsum(counts, axis=1), bound) * self.rows
            sizes = ints(self.sizes[first:last], bound)
            gaps = np.abs(inside - sizes[:, None] * below[None, :])
            parts.append(gaps[:, : m - 1].sum(axis=1))
        return np.concatenate(parts)

    def table(self, classes: Ints) -> Ints:
        """The counts of some classes, one row each, by value."""
        shape = len(classes), len(self.labels)
        table = np.zeros(shape, dtype=np.int64)
        rows = np.repeat(np.arange(len(classes)), self.distinct[classes])
        cells = self.cells_of(classes)
        table[rows, self.values[cells]] = self.counts[cells]
        return table

    def _by_rank(self, first: int, last: int, rank: Ints) -> Ints:
        """The counts of some classes, one row each, their columns by rank."""
        cells = slice(int(self.starts[first]), int(self.starts[last]))
        table = np.zeros((last - first, len(rank)), dtype=np.int64)
        rows = self.cell_classes[cells] - first
        table[rows, rank[self.values[cells]]] = self.counts[cells]
        return table

    # By plain definitions

    def by_counts(self, test: Callable[[tuple[int, ...]], bool]) -> Bools:
        """The classes whose counts, in whatever order, pass a test: each different
        tuple is asked once.
        """
        order = np.lexsort((self.counts, self.cell_classes))
        ranked = self.counts[order]

        def passes(cells: slice) -> bool:
            return test(tuple(ranked[cells].tolist()))

        return self._asked([ranked], passes)

    def by_class(self, test: Callable[[Counts, Counts], bool]) -> Bools:
        """The classes whose counts by value pass a test: classes with the same counts
        are asked once.
        """
        whole = self.outside()

        def passes(cells: slice) -> bool:
            return test(self._counts(cells), whole)

        return self._asked([self.values, self.counts], passes)

    def _asked(self, columns: Sequence[Ints], test: Callable[[slice], bool]) -> Bools:
        """The classes whose cells pass a test; those that are alike in these columns
        are asked once.
        """
        result = np.empty(self.classes, dtype=bool)
        sizes = [_top(column) + 1 for column in columns]
        # Classes with as many cells are the rows of one matrix.
        for many in np.unique(self.distinct).tolist():
            classes = np.flatnonzero(self.distinct == many)
            starts = self.starts[classes]
            parts = [
                column[starts + place] for place in range(many) for column in columns
            ]
            _, keys, _ = packed(parts, many * sizes, len(classes))
            _, first, kind = np.unique(keys, return_index=True, return_inverse=True)
            asked = [slice(start, start + many) for start in starts[first].tolist()]
            answers = np.array([test(cells) for cells in asked], dtype=bool)
            result[classes] = answers[kind]
        return result

    def by_value(self, test: Callable[[Fraction, Ints, Ints], Bools]) -> Bools:
        """Cells decided value by value, from the share in the table and the cells'
        ``shares``.
        """
        in_class, in_table = self.shares
        good = np.empty(len(self.counts), dtype=bool)
        order = np.argsort(self.values, kind="stable")
        edges = np.searchsorted(self.values[order], np.arange(len(self.labels) + 1))
        for value, (first, last) in enumerate(itertools.pairwise(edges.tolist())):
            cells = order[first:last]
            share = Fraction(int(self.whole[value]), self.rows)
            good[cells] = test(share, in_class[cells], in_table[cells])
        return good


def histogram(quotient: Quotient, attribute: str) -> ClassHistogram:
    """The histogram of an attribute; without one (""), each class is a single cell."""
    if not attribute:
        return _sizes_alone(quotient)
    rows, sizes = quotient.rows, quotient.sizes
    labels = quotient.labels[attribute]
    codes = quotient.codes[attribute]
    cells = quotient.class_of_cell, codes, quotient.counts
    # Cells that differ in another column may share class and value.
    if quotient.others != (attribute,):
        cells = merged(*cells, len(labels))
    classes, values, counts = cells
    whole = np.zeros(len(labels), dtype=np.int64)
    np.add.at(whole, codes, quotient.counts)
    starts = starts_of(classes)
    return ClassHistogram(rows, starts, counts, values, sizes, whole, labels)


def _sizes_alone(quotient: Quotient) -> ClassHistogram:
    """Each class as a single cell."""
    rows, sizes = quotient.rows, quotient.sizes
    starts = quotient.starts
    if quotient.cells > quotient.classes:
        starts = np.arange(quotient.classes + 1)
    values = np.zeros(quotient.classes, dtype=np.int64)
    return ClassHistogram(rows, starts, sizes, values, sizes, np.array([rows]), ("",))


def merged(
    classes: Ints, values: Ints, counts: Ints, width: int
) -> tuple[Ints, Ints, Ints]:
    """Cells with equal class and value made one: (classes, values, counts), sorted."""
    keys = classes * width + values
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    total: Ints = np.add.reduceat(counts[order], first)
    return keys[first] // width, keys[first] % width, total


def _top(array: Ints) -> int:
    """The largest absolute value."""
    if not array.size:
        return 0
    largest = int(array.max())
    smallest = int(array.min())
    return max(abs(largest), abs(smallest))
