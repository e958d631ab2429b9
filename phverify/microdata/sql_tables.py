"""The questions of ``counted.Engine`` in SQL, the same for every engine that has it.

They are three queries of one table, each of a few lines, and all that two dialects
differ in here is how a name is quoted (``IS NOT DISTINCT FROM`` is DuckDB's and
Spark's).  So they are written once, as text: a layer that writes SQL, such as Ibis, or
one that translates it, such as sqlglot, would be larger than what it writes, and what
is asked of an engine could not be read here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from phverify.exact import Ints
from phverify.microdata.counted import COUNT, FIRST, GROUP, ROW, integers
from phverify.spec.source import Names

if TYPE_CHECKING:
    import pyarrow as pa


def quoted(name: str, quote: str) -> str:
    """A name as it stands in a query, whatever is in it."""
    escaped = name.replace(quote, 2 * quote)
    return f"{quote}{escaped}{quote}"


@dataclass(frozen=True, eq=False)
class SqlTable:
    """One table in an engine that speaks SQL.

    ``relation`` is what stands after FROM, and ``row`` the number of a row, from 0 in
    the order of the table, as SQL.
    """

    source: str
    columns: Names
    relation: str
    row: str
    _known: dict[tuple[str, Any, Any], Any] = field(default_factory=dict, init=False)
    """What was asked of single rows: reports ask for the same ones again and again."""
    merged: frozenset[str] = field(default=frozenset(), kw_only=True)
    """Columns of which different cells were made one text when they were read."""
    quote: ClassVar[str] = '"'
    """What stands before and after a name."""

    def _asked(self, query: str, given: Sequence[str] = ()) -> pa.Table:
        """The answer to a query, ``given`` in place of its question marks.

        Raises InputError where the rows cannot be read.
        """
        raise NotImplementedError

    def _beside(self, groups: pa.Table) -> str:
        """Where another table stands in the engine, for a query."""
        raise NotImplementedError

    def _numbered(self) -> str:
        """What stands after FROM where rows are told apart by their numbers."""
        return self.relation

    def _name(self, name: str) -> str:
        return quoted(name, self.quote)

    def grouped(self, names: Names) -> pa.Table:
        """Each combination of values of some columns, with ``COUNT`` and ``FIRST``."""
        shown = [*map(self._name, names)]
        counted = [f"count(*) AS {COUNT}", f"min({self.row}) AS {FIRST}"]
        listed = ", ".join([*shown, *counted])
        grouping = f" GROUP BY {', '.join(shown)}" if shown else ""
        return self._asked(f"SELECT {listed} FROM {self.relation}{grouping}")

    def first_rows(self, groups: pa.Table, names: Names) -> Ints:
        """The first row of each of these groups, which ``grouped`` gave."""
        return integers(groups, FIRST)

    def rows_of(self, groups: pa.Table, names: Names) -> pa.Table:
        """``ROW`` and ``GROUP`` of all rows that have one of these combinations.

        Ordered by ``ROW``.
        """
        return self._asked(f"{self._paired(groups, names)} ORDER BY t.{ROW}")

    def groups_of(
        self, rows: Sequence[int], groups: pa.Table, names: Names
    ) -> pa.Table:
        """``ROW`` and ``GROUP`` of these rows."""
        key = ("groups", names, tuple(rows))
        before, answer = self._known.get(key, (None, None))
        if before is not groups:
            wanted = ", ".join(map(str, rows))
            chosen = f" WHERE {self.row} IN ({wanted})"
            paired = self._paired(groups, names, chosen)
            answer = self._asked(f"{paired} ORDER BY t.{ROW}")
            self._known[key] = groups, answer
        return answer

    def _paired(self, groups: pa.Table, names: Names, where: str = "") -> str:
        """A query for the rows of some groups, each with the number of its group."""
        cells = [*map(self._name, names)]
        shown = ", ".join([*cells, f"{self.row} AS {ROW}"])
        alike = []
        for name, cell in zip(names, cells, strict=True):
            # Engines look for equal values before they join: these are few rows.
            missing = groups.column(name).null_count
            same = "IS NOT DISTINCT FROM" if missing else "="
            alike.append(f"t.{cell} {same} g.{cell}")
        # Without columns all rows are one group.
        condition = " AND ".join(alike) or "TRUE"
        return (
            f"SELECT t.{ROW}, g.{GROUP} FROM"
            f" (SELECT {shown} FROM {self._numbered()}{where}) AS t"
            f" JOIN {self._beside(groups)} AS g ON {condition}"
        )

    def cell(self, name: str, row: int) -> Any:
        """What stands in one column of a row."""
        key = ("cell", name, row)
        if key not in self._known:
            chosen = f"{self._numbered()} WHERE {self.row} = {row}"
            answer = self._asked(f"SELECT {self._name(name)} FROM {chosen}")
            (self._known[key],) = answer.column(0).to_pylist()
        return self._known[key]

    def cells(self, name: str, rows: Ints) -> pa.Table:
        """What stands in one column of some rows, which rise."""
        import pyarrow

        wanted = self._beside(pyarrow.table({GROUP: rows}))
        cell = self._name(name)
        return self._asked(
            f"SELECT t.{cell} FROM (SELECT {cell}, {self.row} AS {ROW} FROM"
            f" {self._numbered()}) AS t JOIN {wanted} AS g ON t.{ROW} = g.{GROUP}"
            f" ORDER BY t.{ROW}"
        )

    def rows_with(self, name: str, text: str) -> list[int]:
        """The first rows, two at most, whose cell of a column is this text."""
        query = (
            f"SELECT {self.row} AS {ROW} FROM {self._numbered()}"
            f" WHERE CAST({self._name(name)} AS STRING) = ? ORDER BY 1 LIMIT 2"
        )
        answer = self._asked(query, [text])
        rows: list[int] = answer.column(0).to_pylist()
        return rows

    def flaw(self, name: str) -> tuple[int, Any]:
        """How many cells of a column are missing, and some value that occurs twice."""
        key = ("flaw", name, None)
        if key in self._known:
            flaw: tuple[int, Any] = self._known[key]
            return flaw
        cell = self._name(name)
        empty = f"({cell} IS NULL OR CAST({cell} AS STRING) = '')"
        counted = f"SELECT count(*) AS {COUNT} FROM {self.relation} WHERE {empty}"
        (missing,) = self._asked(counted).column(0).to_pylist()
        # Spark sorts groups by what it shows of them, and by nothing else.
        repeated = (
            f"SELECT {cell}, min({self.row}) AS {FIRST} FROM {self._numbered()}"
            f" WHERE NOT {empty} GROUP BY {cell} HAVING count(*) > 1"
        )
        query = f"SELECT {cell} FROM ({repeated}) AS t ORDER BY {FIRST} LIMIT 1"
        twice = self._asked(query).column(0).to_pylist()
        self._known[key] = missing, twice[0] if twice else None
        return missing, twice[0] if twice else None

    def missing(self, names: Names, groups: pa.Table | None = None) -> list[int]:
        """How many cells of each of these columns are missing: none, empty, or NaN.

        Among all rows, or those that have one of these combinations of values.
        """
        cells = [*map(self._name, names)]
        kinds = ", ".join(f"typeof({cell})" for cell in cells)
        (types,) = self._asked(
            f"SELECT {kinds} FROM {self.relation} LIMIT 1"
        ).to_pylist()
        counts = []
        for place, (cell, kind) in enumerate(zip(cells, types.values(), strict=True)):
            lacking = f"t.{cell} IS NULL"
            if kind.lower() in ("varchar", "string"):
                lacking += f" OR t.{cell} = ''"
            elif kind.lower() in ("float", "double"):
                # by the bounds in a Parquet file, DuckDB takes isnan() for false
                lacking += f" OR lower(CAST(t.{cell} AS STRING)) = 'nan'"
            # Aliases: two counts of one form would be one column.
            counts.append(f"count(CASE WHEN {lacking} THEN 1 END) AS m{place}")
        relation = f"{self.relation} AS t"
        if groups is not None:
            alike = [*map(self._name, groups.column_names)]
            pairs = [f"t.{one} IS NOT DISTINCT FROM g.{one}" for one in alike]
            condition = " AND ".join(pairs) or "TRUE"
            relation += f" SEMI JOIN {self._beside(groups)} AS g ON {condition}"
        answer = self._asked(f"SELECT {', '.join(counts)} FROM {relation}")
        (found,) = answer.to_pylist()
        return [int(count) for count in found.values()]

    def two_zeros(self, name: str) -> bool:
        """Whether a column of floats has both 0.0 and -0.0, which count as one."""
        cell = self._name(name)
        zero = f"CASE WHEN {cell} = 0 THEN CAST({cell} AS STRING) END"
        query = f"SELECT min({zero}) <> max({zero}) AS two FROM {self.relation}"
        (two,) = self._asked(query).column(0).to_pylist()
        return bool(two)

    def some(self, name: str, most: int) -> list[Any]:
        """Some values of a column."""
        query = f"SELECT {self._name(name)} FROM {self.relation} LIMIT {most}"
        values: list[Any] = self._asked(query).column(0).to_pylist()
        return values
