"""The quotient of a release: its classes and, in each class, how often each profile
occurs.

One grouped count over (quasi-identifiers, columns that matter).  From here on the cost
follows the number of cells, never the number of rows.  Cells are sorted by class, and
the cells of class c are ``starts[c]:starts[c + 1]``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from phverify.errors import Defect
from phverify.exact import LIMIT, Ints, IntsPair
from phverify.microdata.keys import Packing, divided, packed, ranked, small
from phverify.microdata.ondemand import ColumnsOnDemand
from phverify.microdata.table import Coded, Label
from phverify.spec.source import Columns, Names

BESIDE = 4
"""A table of so many times fewer entries than there are classes costs little."""


@dataclass(frozen=True, eq=False)
class Quotient:
    """Classes and cells.  ``codes[name][cell]`` indexes ``labels[name]``;
    ``counts[cell]`` rows each.
    """

    rows: int
    quasi: Names
    others: Names
    starts: Ints
    counts: Ints
    codes: Mapping[str, Ints]
    labels: Columns
    packing: Packing
    class_keys: Ints
    """Sorted keys of the quasi-identifiers, one for each class."""

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return len(self.starts) - 1

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return len(self.counts)

    @cached_property
    def sizes(self) -> Ints:
        """Rows of each class."""
        # None is empty: as many cells as classes are one each.
        if self.cells == self.classes:
            return self.counts
        totals: Ints = np.add.reduceat(self.counts, self.starts[:-1])
        return totals

    @cached_property
    def class_of_cell(self) -> Ints:
        """For each cell, its class."""
        lengths = np.diff(self.starts)
        return np.repeat(np.arange(self.classes), lengths)

    @cached_property
    def profiles(self) -> tuple[Ints, int]:
        """For each cell, the number of its profile (what it holds of the other
        columns), and how many there are.
        """
        sizes = [len(self.labels[name]) for name in self.others]
        columns = [self.codes[name] for name in self.others]
        _, keys, space = packed(columns, sizes, self.cells)
        distinct, numbers = ranked(keys, space)
        return numbers, len(distinct)

    @cached_property
    def class_codes(self) -> Mapping[str, Ints]:
        """The quasi-identifier codes of each class."""
        codes = self.packing.unpack(self.class_keys)
        return dict(zip(self.quasi, codes, strict=True))

    @cached_property
    def neighbours(self) -> tuple[list[Names], list[Ints]]:
        """The quasi-identifiers in groups, and for each group one number a class, in
        place of the codes of its columns.

        The combinations of a group are few beside the classes.  Not for keys that are
        packed by ranks.
        """
        sizes = dict(zip(self.quasi, self.packing.sizes, strict=True))
        groups: list[Names] = []
        combinations = 0
        for name in self.quasi:
            combinations *= sizes[name]
            if groups and combinations <= self.classes // BESIDE:
                groups[-1] = (*groups[-1], name)
            else:
                groups.append((name,))
                combinations = sizes[name]
        numbers = []
        keys = self.class_keys
        # The last column stands in the lowest digits.
        for group in reversed(groups):
            keys, own = divided(keys, prod(sizes[name] for name in group))
            numbers.append(own)
        return groups, numbers[::-1]

    def codes_of_class(self, index: int) -> dict[str, int]:
        """The quasi-identifier codes of one class."""
        if self.packing.ranks:
            keys = self.class_keys[index : index + 1]
            codes = [int(code[0]) for code in self.packing.unpack(keys)]
            return dict(zip(self.quasi, codes, strict=True))
        # A single key is taken apart without arrays, from its lowest digits.
        key, digits = int(self.class_keys[index]), []
        for size in reversed(self.packing.sizes):
            key, code = divmod(key, size)
            digits.append(code)
        return dict(zip(self.quasi, reversed(digits), strict=True))

    def occurrences(self, name: str) -> Ints:
        """How often each label of a quasi-identifier occurs."""
        counts = np.zeros(len(self.labels[name]), dtype=np.int64)
        # labels repeat among the cells: ``+=`` would count each once
        np.add.at(counts, self.codes[name], self.counts)
        return counts

    def class_of(self, quasi_codes: Sequence[Ints]) -> Ints:
        """The class of each row of quasi-identifier codes; the rows must occur in the
        release.
        """
        if not self.quasi:
            rows = len(quasi_codes[0]) if quasi_codes else self.rows
            return np.zeros(rows, dtype=np.int64)
        return self.class_at(self.packing.pack(quasi_codes))

    def class_at(self, keys: Ints) -> Ints:
        """The class of each key; the keys must be those of classes."""
        space = prod(self.packing.sizes)
        if self.packing.ranks or not small(space, keys):
            return np.searchsorted(self.class_keys, keys)
        # A place for each possible key is looked up faster than searched.
        place = np.zeros(space, dtype=np.int64)
        place[self.class_keys] = np.arange(self.classes)
        return place.take(keys)

    def class_values(self, index: int) -> dict[str, Label]:
        """The quasi-identifier values of a class."""
        cell = int(self.starts[index])
        values = {}
        for name in self.quasi:
            code = int(self.codes[name][cell])
            values[name] = self.labels[name][code]
        return values

    def agent_cells(self, known: Sequence[str]) -> Ints:
        """For an agent who knows these quasi-identifiers only: a cell number for each
        class.
        """
        first = self.starts[:-1]
        columns = [self.codes[name][first] for name in known]
        sizes = [len(self.labels[name]) for name in known]
        _, key, _ = packed(columns, sizes, self.classes)
        _, inverse = np.unique(key, return_inverse=True)
        return inverse


def quotient(
    columns: Coded,
    quasi: Sequence[str],
    others: Sequence[str],
    rows: int,
    each: Ints | None = None,
) -> Quotient:
    """Group the rows by the quasi-identifiers, and within each class by the other
    columns.

    ``each`` says how many rows each one stands for, where equal ones stand once.
    """
    names = (*quasi, *others)
    sizes = [len(columns[name].labels) for name in names]
    given = rows if each is None else len(each)
    packing, keys, space = packed([columns[name].codes for name in names], sizes, given)
    # In the order of the classes: the columns of these come first in the keys.
    cell_keys, counts = _counted(keys, space, each)
    labels = {name: columns[name].labels for name in names}
    if not others:
        # A class is one cell.
        starts = np.arange(len(cell_keys) + 1)
        codes = _by_cell(tuple(quasi), packing, cell_keys, starts, {})
        return Quotient(
            rows, tuple(quasi), (), starts, counts, codes, labels, packing, cell_keys
        )
    columns_of_cells = packing.unpack(cell_keys)
    head_sizes = sizes[: len(quasi)]
    head_codes = columns_of_cells[: len(quasi)]
    head, class_of, _ = packed(head_codes, head_sizes, len(cell_keys))
    starts = starts_of(class_of)
    return Quotient(
        rows,
        tuple(quasi),
        tuple(others),
        starts,
        counts,
        dict(zip(names, columns_of_cells, strict=True)),
        labels,
        head,
        class_of[starts[:-1]],
    )


def _counted(keys: Ints, space: int, each: Ints | None) -> IntsPair:
    """Distinct keys in order, and how many rows have each."""
    if each is None and small(space, keys):
        of_each = np.bincount(keys, minlength=space)
        distinct = np.flatnonzero(of_each)
        return distinct, of_each[distinct]
    if each is None:
        ordered = np.sort(keys)
        starts = starts_of(ordered)
        return ordered[starts[:-1]], np.diff(starts)
    distinct, rank = ranked(keys, space)
    counts = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(counts, rank, each)
    return distinct, counts


def starts_of(ordered: Ints) -> Ints:
    """Where each run of equal numbers (from 0) starts, and the end."""
    steps = np.ones(len(ordered) + 1, dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=steps[1:-1])
    return np.flatnonzero(steps)


def coarser(fine: Quotient, recoded: Coded) -> tuple[Quotient, Ints]:
    """The quotient after every quasi-identifier value is mapped, and for each class the
    coarser one it lies in.

    ``recoded[name].codes`` gives for each code of the finer quotient the code of its
    image.  Counts come from the finer quotient's, never from the rows again.
    """
    result = counted_again(fine, recoded)
    return result, lying_in(fine, recoded, result)


def lying_in(fine: Quotient, recoded: Coded, coarse: Quotient) -> Ints:
    """For each class the one that it lies in after every value is mapped."""
    sizes = [len(recoded[name].labels) for name in fine.quasi]
    _, keys, _ = _recoded(fine, recoded, sizes)
    return coarse.class_at(keys)


def counted_again(fine: Quotient, recoded: Coded) -> Quotient:
    """The quotient after every quasi-identifier value is mapped, as ``coarser``."""
    sizes = [len(recoded[name].labels) for name in fine.quasi]
    packing, keys, space = _recoded(fine, recoded, sizes)
    others: dict[str, Ints] = {}
    if fine.others or not small(space, keys):
        class_keys, into = ranked(keys, space)
        starts, counts, cells = joined(fine, into, len(class_keys))
        others = {name: fine.codes[name][cells] for name in fine.others}
    else:
        # Without other columns a class is one cell, and none is empty.
        totals = np.zeros(space, dtype=np.int64)
        np.add.at(totals, keys, fine.counts)
        class_keys = np.flatnonzero(totals)
        counts = totals.take(class_keys)
        starts = np.arange(len(class_keys) + 1)
    columns = _by_cell(fine.quasi, packing, class_keys, starts, others)
    images = {name: recoded[name].labels for name in fine.quasi}
    labels = images | {name: fine.labels[name] for name in fine.others}
    return Quotient(
        fine.rows,
        fine.quasi,
        fine.others,
        starts,
        counts,
        columns,
        labels,
        packing,
        class_keys,
    )


def _recoded(
    fine: Quotient, recoded: Coded, sizes: Sequence[int]
) -> tuple[Packing, Ints, int]:
    """As ``packed``, the keys of the classes after every value is mapped."""
    space = prod(sizes)
    if space >= LIMIT or fine.packing.ranks:
        codes = [recoded[name].codes[fine.class_codes[name]] for name in fine.quasi]
        return packed(codes, sizes, fine.classes)
    keys = np.zeros(fine.classes, dtype=np.int64)
    size_of = dict(zip(fine.quasi, sizes, strict=True))
    rest = space
    for names, numbers in zip(*fine.neighbours, strict=True):
        # What becomes of each combination of a group, in its digits of the key.
        images = np.zeros(1, dtype=np.int64)
        for name in names:
            image = recoded[name].codes
            if len(image) != len(fine.labels[name]):
                raise Defect(f"not every value of {name!r} has one image")
            rest //= size_of[name]
            images = np.add.outer(images, image * rest).ravel()
        keys += images.take(numbers)
    return Packing(tuple(sizes), {}), keys, space


def _by_cell(
    quasi: Names,
    packing: Packing,
    class_keys: Ints,
    starts: Ints,
    others: Mapping[str, Ints],
) -> Mapping[str, Ints]:
    """The codes of each cell; those of quasi-identifiers are made when they are asked
    for, which most candidates never are.
    """

    by_class: dict[str, Ints] = {}

    def by_cell(name: str) -> Ints:
        if name in others:
            return others[name]
        if not by_class:
            by_class.update(zip(quasi, packing.unpack(class_keys), strict=True))
        if not others:
            # A class is one cell.
            return by_class[name]
        return np.repeat(by_class[name], np.diff(starts))

    return ColumnsOnDemand((*quasi, *others), by_cell)


def joined(fine: Quotient, into: Ints, classes: int) -> tuple[Ints, Ints, Ints]:
    """Where classes start that are made of finer ones, how many rows each cell has, and
    some finer cell of each.
    """
    if fine.others:
        profile, width = fine.profiles
        keys = into[fine.class_of_cell] * width + profile
        distinct, rank = ranked(keys, classes * width)
        # The class is the high digit of the key, the profile the low one.
        starts = np.searchsorted(distinct, np.arange(classes + 1) * width)
    else:
        # Without other columns a class is one cell.
        rank, starts = into, np.arange(classes + 1)
    counts = np.zeros(starts[-1], dtype=np.int64)
    np.add.at(counts, rank, fine.counts)
    cells = np.empty(starts[-1], dtype=np.int64)
    cells[rank] = np.arange(fine.cells)  # some finer cell of each: the last one
    return starts, counts, cells
