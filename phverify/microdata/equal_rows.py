"""Rows in which equal ones stand once with their number, as those are that stay in an
engine: what is asked of a table again and again takes time for each row there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from phverify.exact import Ints, IntsPair
from phverify.microdata.kept_groups import WithoutIdentifiers, of_one_value
from phverify.microdata.quotient import Quotient, quotient
from phverify.microdata.table import CodedColumn, CodedTable
from phverify.spec.source import Names


def of_equal_rows(table: CodedTable, names: Names) -> CodedTable:
    """A table without identifiers, whose rows are here, by its distinct rows in some
    columns; no cell of another one is missing, of which no more is asked.
    """
    groups = quotient(table.columns, names, (), table.rows)
    columns = {}
    for name, column in table.columns.items():
        if name in names:
            codes, labels = groups.codes[name], groups.labels[name]
            columns[name] = CodedColumn(codes, labels, groups.counts)
        else:
            columns[name] = of_one_value(column.labels, table.rows, 0)
    every = np.arange(groups.classes)
    return replace(table, columns=columns, elsewhere=EqualRows(table, groups, every))


@dataclass(frozen=True, eq=False)
class EqualRows(WithoutIdentifiers):
    """The rows of some groups of a table, numbered as if there were no others.

    ``kept`` are the numbers of the groups, ascending: each is a class of ``groups``.
    """

    table: CodedTable
    groups: Quotient
    kept: Ints

    @property
    def grouped(self) -> Names:
        """The columns by which rows are grouped."""
        return self.groups.quasi

    @cached_property
    def counts(self) -> Ints:
        """How many rows each group has."""
        counts = self.groups.counts
        return counts.take(self.kept)

    @property
    def firsts(self) -> Ints:
        """The first row of each group."""
        groups = self._group_of_row
        _, firsts = np.unique(groups, return_index=True)
        return firsts

    def rows_of(self, groups: Ints) -> IntsPair:
        """The rows of these groups, ascending, and for each the group that it is of."""
        of_row = self._group_of_row
        chosen = np.isin(of_row, groups)
        rows = np.flatnonzero(chosen)
        return rows, of_row[rows]

    def groups_of(self, rows: Sequence[int]) -> list[int]:
        """The group of each of these rows."""
        given = list(rows)
        own = self._group_of_row[given]
        groups: list[int] = own.tolist()
        return groups

    @cached_property
    def _group_of_row(self) -> Ints:
        """For each row the group that it is of."""
        groups = self.groups
        columns = self.table.columns
        codes = [columns[name].codes for name in self.grouped]
        of_all = groups.class_of(codes)
        # Groups that are not kept have no place.
        place = np.full(groups.classes, -1)
        places = np.arange(len(self.kept))
        place[self.kept] = places
        own = place.take(of_all)
        return own[own >= 0]

    def taken(self, table: CodedTable, kept: Ints) -> CodedTable:
        """Of a table with these rows the rows of some groups."""
        rows = replace(self, kept=self.kept.take(kept))
        left = int(rows.counts.sum())
        columns = {}
        for name, column in table.columns.items():
            if name in self.grouped:
                columns[name] = replace(column.taken(kept), counts=rows.counts)
            else:
                columns[name] = of_one_value(column.labels, left, 0)
        return replace(table, columns=columns, rows=left, elsewhere=rows)
