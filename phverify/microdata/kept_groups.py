"""Some of the rows that stay in an engine, as a release has them that withholds the
others; and columns of which nothing is asked but how many cells are missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from phverify.errors import Defect, Problems
from phverify.exact import Ints, IntsPair
from phverify.microdata.counted import GroupedRows
from phverify.microdata.table import CodedColumn, CodedTable, Label
from phverify.spec.source import Names


class WithoutIdentifiers:
    """What is said of the identifiers of rows that have none, as those of releases."""

    def flaws(self, column: str) -> Problems:
        """A release has no identifiers, and so none that is wrong."""
        return []

    def names(self, column: str) -> Sequence[str]:
        """A release has no identifiers."""
        raise Defect(f"a release has no identifier column {column!r}")

    def numbers(self, names: Sequence[str]) -> Mapping[str, int]:
        """A release has no identifiers: everybody is called by number."""
        return {}


@dataclass(frozen=True, eq=False)
class KeptGroups(WithoutIdentifiers):
    """The rows of some groups, numbered as if there were no others.

    ``kept`` are the numbers of the groups, ascending.
    """

    whole: GroupedRows
    kept: Ints

    @property
    def grouped(self) -> Names:
        """The columns by which rows are grouped."""
        return self.whole.grouped

    @property
    def counts(self) -> Ints:
        """How many rows each group has."""
        counts: Ints = self.whole.counts[self.kept]
        return counts

    @property
    def firsts(self) -> Ints:
        """The first row of each group."""
        rows = self.whole.firsts[self.kept]
        # A row's new number is the old one less those withheld before it.
        return rows - np.searchsorted(self.withheld, rows)

    @cached_property
    def withheld(self) -> Ints:
        """The rows of all other groups, ascending."""
        others = np.setdiff1d(np.arange(len(self.whole.counts)), self.kept)
        rows, _ = self.whole.rows_of(others)
        return rows

    def rows_of(self, groups: Ints) -> IntsPair:
        """The rows of these groups, ascending, and for each the group that it is of."""
        rows, of_whole = self.whole.rows_of(self.kept[groups])
        before = np.searchsorted(self.withheld, rows)
        return rows - before, np.searchsorted(self.kept, of_whole)

    def groups_of(self, rows: Sequence[int]) -> list[int]:
        """The group of each of these rows."""
        # So many rows are kept before each one that is withheld.
        kept_before = self.withheld - np.arange(len(self.withheld))
        given = np.array(rows, dtype=np.int64)
        numbers = given + np.searchsorted(kept_before, given, side="right")
        of_whole = self.whole.groups_of(numbers.tolist())
        groups: list[int] = np.searchsorted(self.kept, of_whole).tolist()
        return groups


def groups_taken(table: CodedTable, rows: GroupedRows, groups: Ints) -> CodedTable:
    """The rows of these groups of a counted table, in their order."""
    counts = rows.counts[groups]
    kept = int(counts.sum())
    asked = rows.numbered(groups).select(list(rows.grouped))
    alone = [name for name in table.columns if name not in rows.grouped]
    lacking = tuple(name for name in alone if table.columns[name].missing())
    columns = dict(table.columns)
    for name in set(columns).intersection(rows.grouped):
        columns[name] = replace(columns[name].taken(groups), counts=counts)
    if lacking:
        found = rows.engine.missing(lacking, asked)
        for name, missing in zip(lacking, found, strict=True):
            columns[name] = of_one_value(columns[name].labels, kept, missing)
    elsewhere = KeptGroups(rows, groups)
    return CodedTable(table.source, columns, kept, table.notes, elsewhere)


def of_one_value(labels: Sequence[Label], rows: int, missing: int) -> CodedColumn:
    """A column of which only the missing cells are counted.

    One of its values stands for all others.
    """
    counted: list[tuple[Label, int]] = []
    values = [label for label in labels if label is not None]
    # Every label occurs: a column of missing cells alone has no other.
    if missing < rows:
        counted.append((values[0], rows - missing))
    if missing:
        counted.append((None, missing))
    counts = np.array([count for _, count in counted], dtype=np.int64)
    shown = tuple(label for label, _ in counted)
    return CodedColumn(np.arange(len(counted)), shown, counts)
