"""The failing rows of a release whose rows stay in DuckDB: read when somebody looks at
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from phverify.exact import Ints
from phverify.microdata.counted import GroupedRows
from phverify.microdata.duckdb_tables import DuckTable
from phverify.microdata.row_lines import RowLines
from phverify.microdata.table import Coded
from phverify.symbolic.places import Places
from phverify.symbolic.release import SymbolicRelease
from phverify.verification.failing import broken_by
from phverify.verification.result import Extent, FailingRow, RuleResult


@dataclass(frozen=True, eq=False)
class FailingElsewhere:
    """What ``FailingRows`` are, where the rows stay in DuckDB.

    Each class breaks the rules ``of_class``, and single rows those ``of_row``.
    """

    release: SymbolicRelease
    rules: tuple[str, ...]
    cells: Coded
    extents: Mapping[str, Extent]
    of_class: Mapping[int, tuple[str, ...]]
    of_row: Mapping[int, tuple[str, ...]]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the release that are shown."""
        return tuple(self.cells)

    @property
    def count(self) -> int:
        """How many rows there are."""
        sizes = self.release.quotient.sizes
        rows = int(sizes[[*self.of_class]].sum()) if self.of_class else 0
        alone = [row for row in self.of_row if not self.of_class.get(self._class(row))]
        return rows + len(alone)

    @cached_property
    def rows(self) -> tuple[FailingRow, ...]:
        """All of them, which may be many."""
        asked = self._asked
        listed: list[FailingRow] = []
        for row, group, cells in asked.cells():
            cls = int(self._class_of_group[group])
            here = dict(zip(self.cells, cells, strict=True))
            listed.append(FailingRow(row, cls, self._broken(row, cls), here))
        return tuple(listed)

    def lines(self) -> Iterator[bytes]:
        """Their lines of CSV, many at a time."""
        return self._asked.lines()

    @property
    def _places(self) -> Places:
        places = self.release.places
        assert places is not None
        return places

    @property
    def _asked(self) -> RowLines:
        places = self._places
        elsewhere = places.elsewhere
        assert isinstance(elsewhere, GroupedRows)
        engine = elsewhere.engine
        assert isinstance(engine, DuckTable)
        singles = {row: self._head(row, self._class(row)) for row in self.of_row}
        classes = [*self.of_class, *map(self._class, self.of_row)]
        groups = np.flatnonzero(np.isin(self._class_of_group, classes))
        of_groups = self._class_of_group[groups].tolist()
        heads = [self._head(None, c) if c in self.of_class else None for c in of_groups]
        return RowLines(elsewhere, engine, self.cells, groups, heads, singles)

    @cached_property
    def _class_of_group(self) -> Ints:
        cells = self._places.cell_of_group
        return self.release.quotient.class_of_cell[cells]

    def _class(self, row: int) -> int:
        (group,) = self._places.elsewhere.groups_of([row])
        return int(self._class_of_group[group])

    def _broken(self, row: int | None, cls: int) -> tuple[str, ...]:
        """The rules that a row of a class breaks, in their order."""
        broken = {*self.of_class.get(cls, ())}
        if row is not None:
            broken.update(self.of_row.get(row, ()))
        return tuple(rule for rule in self.rules if rule in broken)

    def _head(self, row: int | None, cls: int) -> tuple[str, ...]:
        """What stands in a line behind the record's name."""
        return str(cls + 1), "; ".join(self._broken(row, cls))


def failing_elsewhere(
    rules: Iterable[RuleResult], release: SymbolicRelease, cells: Coded
) -> FailingElsewhere:
    """The failing rows of a release that is counted in DuckDB, with these columns."""
    extents: dict[str, Extent] = {}
    of_class: dict[int, tuple[str, ...]] = {}
    of_row: dict[int, tuple[str, ...]] = {}
    for rule in rules:
        if rule.witness is None:
            continue
        extents[rule.name], classes, row = broken_by(rule)
        for cls in classes:
            of_class[cls] = (*of_class.get(cls, ()), rule.name)
        if row is not None:
            of_row[row] = (*of_row.get(row, ()), rule.name)
    return FailingElsewhere(release, tuple(extents), cells, extents, of_class, of_row)
