"""Two tables in DuckDB, row beside row: each released record with the original that it
comes from.

What is asked of one table can be asked of both together: how often each original tuple
became each released one, in which rows, and which original a row comes from.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from phverify.exact import Ints
from phverify.microdata.counted import OWN
from phverify.microdata.duckdb_tables import DuckTable
from phverify.microdata.sql_tables import quoted
from phverify.spec.source import Names

if TYPE_CHECKING:
    import duckdb

KEY = "phverify_key"
ORIGIN = "phverify_origin"
RELEASED = "phverify_released"


def was(name: str) -> str:
    """The column of what a released record's original has."""
    return f"{OWN}was_{name}"


@dataclass(frozen=True, eq=False)
class PairedTable(DuckTable):
    """Released rows, numbered as in the release; ``both`` are the two tables."""

    both: tuple[DuckTable, ...] = ()

    def _register(self, connection: duckdb.DuckDBPyConnection) -> None:
        for part in self.both:
            part._register(connection)

    def _release(self, connection: duckdb.DuckDBPyConnection) -> None:
        for part in self.both:
            part._release(connection)

    def require_unchanged(self) -> None:
        """Raises InputError where a file was written since it was first seen."""
        for part in self.both:
            part.require_unchanged()

    def origin(self, row: int) -> int:
        """The row of the original that a released row comes from."""
        return int(self.cell(ORIGIN, row))

    def origins(self, rows: Ints) -> Ints:
        """The same of some rows, which rise."""
        found: Ints = self.cells(ORIGIN, rows).column(ORIGIN).to_numpy()
        return found

    def released(self, origin: int) -> int:
        """The released row that comes from a row of the original."""
        (row,) = self.rows_with(ORIGIN, str(origin))
        return row

    def in_order(self) -> bool:
        """Whether all rows stand in the order of the original."""
        moved = f"SELECT 1 FROM {self.relation} WHERE {ORIGIN} <> {self.row} LIMIT 1"
        return not len(self._asked(moved))


def paired_table(
    original: DuckTable, release: DuckTable, names: Names, identifier: str | None
) -> PairedTable:
    """Both tables by their identifier, or without one in the order of their rows.

    ``names`` are columns of both.
    """
    before = _named(original, "phverify_originals")
    after = _named(release, "phverify_releases")
    shown = [_quoted(name) for name in names]
    told = [f"{_quoted(name)} AS {_quoted(was(name))}" for name in names]
    key_before, key_after = before.row, after.row
    if identifier is not None:
        # identifiers are texts or integers, and the same as texts
        key_before = key_after = f"CAST({_quoted(identifier)} AS VARCHAR)"
    asked_before = ", ".join([*told, f"{before.row} AS {ORIGIN}"])
    asked_after = ", ".join([*shown, f"{after.row} AS {RELEASED}"])
    relation = (
        f"(SELECT * FROM (SELECT {asked_after}, {key_after} AS {KEY} FROM"
        f" {after.relation}) AS a JOIN (SELECT {asked_before}, {key_before} AS {KEY}"
        f" FROM {before.relation}) AS b USING ({KEY})) AS phverify_pairs"
    )
    return PairedTable(
        release.source,
        (*names, *map(was, names), ORIGIN),
        relation,
        RELEASED,
        (*original.files, *release.files),
        both=(before, after),
    )


def _named(table: DuckTable, name: str) -> DuckTable:
    """The table, called so where it is read anew for each question."""
    if table.batches is None:
        return table
    return replace(table, relation=name)


def _quoted(name: str) -> str:
    return quoted(name, DuckTable.quote)
