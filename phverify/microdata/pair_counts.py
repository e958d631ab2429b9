"""How often each original tuple became each released one, counted in DuckDB: who comes
from whom, where the rows stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from phverify.errors import InputError
from phverify.exact import Ints
from phverify.microdata.at_hand import at_hand
from phverify.microdata.counted import GroupedRows, counted_table
from phverify.microdata.duckdb_tables import DuckTable
from phverify.microdata.engines import AskedCount, counted
from phverify.microdata.paired_tables import PairedTable, paired_table, was
from phverify.microdata.table import CodedColumn, CodedTable
from phverify.spec.source import Names


class RowsNeeded(Exception):
    """What counts do not settle: the rows are to be read."""


def duck_table(table: CodedTable) -> DuckTable | None:
    """Where DuckDB has the rows of a table; None where it has not."""
    rows = table.elsewhere
    if isinstance(rows, GroupedRows) and isinstance(rows.engine, DuckTable):
        return rows.engine
    return None


def require_unchanged(table: CodedTable) -> None:
    """Raises InputError where a file was written since it was counted."""
    where = duck_table(table)
    if where is not None:
        where.require_unchanged()


def both_counted(
    sources: tuple[Any, Any], asked: tuple[AskedCount, AskedCount], engine: str
) -> tuple[CodedTable, CodedTable] | None:
    """Two tables counted in DuckDB, where that is asked for or one of them is large.

    None where rows are to be read, as where DuckDB does not read one of them.
    """
    pairs = [*zip(sources, asked, strict=True)]
    tables: list[CodedTable | None] = [None, None]
    if engine == "auto":
        tables = [counted(source, engine, questions) for source, questions in pairs]
        if tables == [None, None]:
            return None
    # a small table beside a large one is counted, too
    before, after = [
        table or counted_anyway(*pair)
        for table, pair in zip(tables, pairs, strict=True)
    ]
    if before is None or after is None:
        return None
    return before, after


def counted_anyway(source: Any, asked: AskedCount) -> CodedTable | None:
    """A table in DuckDB, however small; None where DuckDB does not read it."""
    try:
        return counted(at_hand(source, "duckdb"), "duckdb", asked)
    except InputError:
        return None


@dataclass(frozen=True, eq=False)
class PairCounts:
    """The pairs of records of two tables that belong together.

    ``counted`` has a row for each pair of tuples of the columns ``together``, which are
    called as in the release, and ``was(name)`` of the original.
    """

    engine: PairedTable
    counted: CodedTable
    together: Names
    identified: bool

    @classmethod
    def of(
        cls,
        tables: tuple[CodedTable, CodedTable],
        names: Names,
        together: Names,
        identifier: str | None,
    ) -> PairCounts:
        """The pairs of an original and a release by their identifier, or in the order
        of their rows.

        ``names`` are all columns that are asked about.  Raises RowsNeeded where a
        released record has none or several originals, as far as that is known.
        """
        before, after = map(duck_table, tables)
        # An identifier that formulas look at would make each row a group of its own.
        if before is None or after is None or identifier in names:
            raise RowsNeeded
        for table in (before, after):
            if identifier not in table.columns:
                identifier = None
        original, release = tables
        if identifier is None:
            # Without identifiers only the order pairs rows, and so all of them are
            # there.
            if original.rows != release.rows:
                raise RowsNeeded
        # Missing or repeated identifiers pair nobody for certain: the rows tell which
        # they are.
        elif any(table.flaw(identifier) != (0, None) for table in (before, after)):
            raise RowsNeeded
        engine = paired_table(before, after, names, identifier)
        counts = counted_table(engine, (*together, *map(was, together)), ())
        # Some released record has no original.
        if counts.rows != release.rows:
            raise RowsNeeded
        return cls(engine, counts, together, identifier is not None)

    @property
    def each(self) -> Ints:
        """How many rows each pair of tuples has."""
        rows = self.counted.elsewhere
        assert rows is not None
        return rows.counts

    def columns(self, name: str) -> tuple[CodedColumn, CodedColumn]:
        """A column of the originals, and of what they became, pair by pair."""
        pairs = self.counted
        if name not in self.together:
            pairs = counted_table(self.engine, (name, was(name)), ())
        return pairs.columns[was(name)], pairs.columns[name]

    def people(self) -> PeopleElsewhere | None:
        """Which released rows are whose; None where all stand in one order."""
        if not self.identified or self.engine.in_order():
            return None
        return PeopleElsewhere(self.engine)


@dataclass(frozen=True, eq=False)
class PeopleElsewhere:
    """The individuals of an original, and their rows in a release in another order."""

    pairs: PairedTable

    def row(self, person: int) -> int:
        """The released row of an individual."""
        return self.pairs.released(person)

    def person(self, row: int) -> int:
        """The individual behind a released row."""
        return self.pairs.origin(row)

    def people(self, rows: Ints) -> Ints:
        """The individuals behind some rows, which rise."""
        return self.pairs.origins(rows)
