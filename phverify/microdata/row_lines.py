"""Rows that stay in DuckDB as lines of CSV, or cell by cell: those of some groups, in
their order.

Cells by which rows are grouped have the texts of the groups; all others are texts and
integers, which have one text in every engine.  A line is put together in DuckDB, and
its bytes are handed on as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from phverify.errors import Defect
from phverify.exact import Ints
from phverify.microdata.counted import GROUP, ROW, GroupedRows
from phverify.microdata.csv_rows import csv_text
from phverify.microdata.duckdb_tables import DuckTable
from phverify.microdata.sql_tables import quoted
from phverify.microdata.table import Coded, Label
from phverify.spec.source import Names

if TYPE_CHECKING:
    import pyarrow as pa

GROUPS, SINGLES = "phverify_groups", "phverify_singles"
FILES = "phverify_files"
"""What the tables beside are called."""
HEAD = "phverify_head"
"""The column of what stands before the cells of a line."""
SPECIAL = ',"\r\n'
"""The characters for which a cell is quoted."""


@dataclass(frozen=True, eq=False)
class RowLines:
    """The rows of some ``groups`` with the cells of ``columns``.

    ``heads`` has for each group the first cells of its lines, after the record's own
    name; for those of None the rows of ``singles`` alone are wanted, which have heads
    of their own.
    """

    rows: GroupedRows
    engine: DuckTable
    columns: Coded
    groups: Ints
    heads: list[tuple[str, ...] | None]
    singles: Mapping[int, tuple[str, ...]]

    def lines(self) -> Iterator[bytes]:
        """The lines, many at a time."""
        line = " || ',' || ".join([self._own(), *map(self._cell, self.columns)])
        last = -1
        for batch in self._answer(f"{line} || chr(10), t.{ROW}"):
            rows = batch.column(1).to_numpy()
            # parts of an answer may come in another order than that asked for
            if np.any(np.diff(rows, prepend=last) <= 0):
                raise Defect("DuckDB has not kept the order of the rows")
            last = rows[-1]
            yield _bytes(batch.column(0))

    def cells(self) -> Iterator[tuple[int, int, list[Label]]]:
        """Of each row its number, its group, and its cells."""
        texts = [self._text(name) for name in self.columns]
        shown = [f"t.{ROW}", f"g.{GROUP}", *texts]
        # it is asked before: an answer that is read leaves no room for another
        lacking = self._lacking
        named = [f"{text} AS c{place}" for place, text in enumerate(shown)]
        for batch in self._answer(", ".join(named)):
            columns = [column.to_pylist() for column in batch.columns]
            for row, group, *cells in zip(*columns, strict=True):
                yield row, group, self._labels(group, cells, lacking)

    def _labels(
        self, group: int, texts: list[Label], lacking: Mapping[str, bool]
    ) -> list[Label]:
        labels: list[Label] = []
        for name, text in zip(self.columns, texts, strict=True):
            if name in self.rows.grouped:
                column = self.columns[name]
                labels.append(column.labels[column.codes[group]])
            elif text == "" and not lacking[name]:
                labels.append(None)
            else:
                labels.append(text)
        return labels

    @property
    def _lacking(self) -> Mapping[str, bool]:
        """By column whether cells are missing: beside them an empty text is a value."""
        lacking: dict[str, bool] = {}
        for name in self.columns:
            if name not in self.rows.grouped:
                lacking[name] = self.engine.lacking(name)
        return lacking

    def _answer(self, shown: str) -> Iterator[pa.RecordBatch]:
        """What is shown of the rows, in their order."""
        keys = [_name(name) for name in self.rows.grouped]
        alike = [f"t.{key} IS NOT DISTINCT FROM g.{key}" for key in keys]
        others = [_name(name) for name in self.columns]
        read = ", ".join(dict.fromkeys([*keys, *others]))
        row = f"{self.engine.row} AS {ROW}"
        columns = f"{read}, {row}" if read else row
        found = ""
        if self.engine.parts:
            # the last file that begins at this row or before it
            found = f" ASOF JOIN {FILES} AS f ON t.{ROW} >= f.{ROW}"
        query = (
            f"SELECT {shown} FROM (SELECT {columns} FROM {self.engine.relation}) AS t"
            f" JOIN {GROUPS} AS g ON {' AND '.join(alike) or 'TRUE'}"
            f" LEFT JOIN {SINGLES} AS s ON s.{ROW} = t.{ROW}"
            f"{found}"
            f" WHERE coalesce(s.{HEAD}, g.{HEAD}) IS NOT NULL ORDER BY t.{ROW}"
        )
        beside = {GROUPS: self._groups(), SINGLES: self._singles()}
        if self.engine.parts:
            beside[FILES] = self._files()
        return self.engine.streamed(query, beside)

    def _groups(self) -> pa.Table:
        """The groups by their values, with the cells of their lines."""
        import pyarrow

        table = self.rows.numbered(self.groups)
        heads = [None if head is None else _line(head) for head in self.heads]
        table = table.append_column(HEAD, pyarrow.array(heads, pyarrow.string()))
        for name in self.columns:
            if name in self.rows.grouped:
                column = self.columns[name]
                cells = [_line((label or "",)) for label in column.labels]
                written = pyarrow.array(cells, pyarrow.string())
                codes = pyarrow.array(column.codes[self.groups])
                table = table.append_column(_written(name), written.take(codes))
        return table

    def _singles(self) -> pa.Table:
        import pyarrow

        rows = pyarrow.array([*self.singles], pyarrow.int64())
        heads = [_line(head) for head in self.singles.values()]
        columns = {ROW: rows, HEAD: pyarrow.array(heads, pyarrow.string())}
        return pyarrow.table(columns)

    def _own(self) -> str:
        record = f"'d' || (t.{ROW} + 1) || ',' || coalesce(s.{HEAD}, g.{HEAD})"
        if not self.engine.parts:
            return record
        return f"{record} || ',' || f.{HEAD} || ',' || (t.{ROW} - f.{ROW} + 1)"

    def _files(self) -> pa.Table:
        """The files of the table, by the number of their first row."""
        import pyarrow

        # a file without rows begins where the next one does, and has none of them
        filled = [(file, rows) for file, rows in self.engine.parts if rows]
        names = [_line((file,)) for file, _ in filled]
        rows = [rows for _, rows in filled]
        first = [0, *accumulate(rows)][: len(rows)]
        numbers = pyarrow.array(first, pyarrow.int64())
        return pyarrow.table({ROW: numbers, HEAD: pyarrow.array(names)})

    def _text(self, name: str) -> str:
        if name in self.rows.grouped:
            return "NULL"
        return f"CAST(t.{_name(name)} AS VARCHAR)"

    def _cell(self, name: str) -> str:
        """A cell of a line, quoted where that is needed."""
        if name in self.rows.grouped:
            return f"g.{_name(_written(name))}"
        text = f"coalesce({self._text(name)}, '')"
        needed = " OR ".join(f"contains({text}, chr({ord(c)}))" for c in SPECIAL)
        twice = f"replace({text}, '\"', '\"\"')"
        return f"CASE WHEN {needed} THEN '\"' || {twice} || '\"' ELSE {text} END"


def _name(name: str) -> str:
    return quoted(name, DuckTable.quote)


def _written(name: str) -> str:
    return f"phverify_cell_{name}"


def _line(cells: Names) -> str:
    """Cells as they stand in a line."""
    # beside another cell an empty one is written as nothing
    return csv_text([[*cells, ""]]).removesuffix(",\n")


def _bytes(texts: Any) -> bytes:
    """All texts of an array, one after the other."""
    import pyarrow

    plain = texts.cast(pyarrow.large_string())
    joined = pyarrow.concat_arrays([plain])
    _, ends, data = joined.buffers()
    if data is None or not len(joined):
        return b""
    places = memoryview(ends).cast("B").cast("q")
    first, last = places[joined.offset], places[joined.offset + len(joined)]
    return bytes(memoryview(data)[first:last])
