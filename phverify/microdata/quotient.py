"""The quotient of a release: its classes and, in each class, how often each profile
occurs.

One grouped count over (quasi-identifiers, columns that matter).  From here on the cost
follows the number of cells, never the number of rows.  Cells are sorted by class, and
the cells of class c are ``starts[c]:starts[c + 1]``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from phverify.exact import Ints, IntsPair
from phverify.microdata.keys import (
    Packing,
    divided,
    packed,
    ranked,
    small,
    starts_of,
    summed,
)
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

    @cached_property
    def occurrences(self) -> Mapping[str, Ints]:
        """How often each label of each quasi-identifier occurs."""
        sizes = dict(zip(self.quasi, self.packing.sizes, strict=True))
        groups: list[Names] = [(name,) for name in self.quasi]
        if self.packing.ranks:
            numbers = list(self.class_codes.values())
        else:
            groups, numbers = self.neighbours
        occurrences = {}
        for names, own in zip(groups, numbers, strict=True):
            shape = [sizes[name] for name in names]
            counts = np.zeros(prod(shape), dtype=np.int64)
            # Combinations repeat among the classes: ``+=`` would count each once.
            np.add.at(counts, own, self.sizes)
            table = counts.reshape(shape)
            for axis, name in enumerate(names):
                others = tuple(k for k in range(len(names)) if k != axis)
                occurrences[name] = table.sum(axis=others)
        return occurrences

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


class CodesByCell(Mapping[str, Ints]):
    """The codes of each cell; those of quasi-identifiers are made when they are asked
    for, which most candidates never are.
    """

    __slots__ = ("_class_keys", "_others", "_packing", "_quasi", "_starts")

    def __init__(
        self,
        quasi: Names,
        packing: Packing,
        class_keys: Ints,
        starts: Ints,
        others: dict[str, Ints],
    ) -> None:
        self._quasi = quasi
        self._packing = packing
        self._class_keys = class_keys
        self._starts = starts
        self._others = others

    def __getitem__(self, name: str) -> Ints:
        if name in self._others:
            return self._others[name]
        if name not in self._quasi:
            raise KeyError(name)
        by_class = self._packing.unpack(self._class_keys)
        by_cell = by_class
        # Where each class is one cell, its codes are those of the cell.
        if self._starts[-1] > len(self._class_keys):
            lengths = np.diff(self._starts)
            by_cell = [np.repeat(codes, lengths) for codes in by_class]
        self._others.update(zip(self._quasi, by_cell, strict=True))
        return self._others[name]

    def __iter__(self) -> Iterator[str]:
        names = *self._quasi, *self._others
        # Those of quasi-identifiers that have been made are among the others.
        return iter(dict.fromkeys(names))

    def __len__(self) -> int:
        names = {*self._quasi, *self._others}
        return len(names)


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
    cell_keys, counts = _counted(keys, space, rows, each)
    labels = {name: columns[name].labels for name in names}
    if not others:
        # A class is one cell.
        starts = np.arange(len(cell_keys) + 1)
        by_cell = CodesByCell(tuple(quasi), packing, cell_keys, starts, {})
        return Quotient(
            rows, tuple(quasi), (), starts, counts, by_cell, labels, packing, cell_keys
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


def _counted(keys: Ints, space: int, rows: int, each: Ints | None) -> IntsPair:
    """Distinct keys in order, and how many of so many rows have each."""
    if each is not None:
        return summed(keys, each, space, rows)
    if small(space, keys):
        counts = np.bincount(keys, minlength=space)
        distinct = np.flatnonzero(counts)
        return distinct, counts[distinct]
    ordered = np.sort(keys)
    starts = starts_of(ordered)
    return ordered[starts[:-1]], np.diff(starts)
