"""Reading tables: files of many kinds, and frames of any library.

Everything becomes text.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from phverify.errors import refusal
from phverify.exact import Ints
from phverify.microdata.arrow import EXTENSION, from_arrow
from phverify.microdata.dataframes import from_frame
from phverify.microdata.files import PARQUET, TableFile, table_file, text_of
from phverify.microdata.frames import ArrowFrame, ArrowStream, framed, is_frame
from phverify.microdata.headers import unique_names
from phverify.microdata.quick_csv import quick_columns
from phverify.microdata.table import CodedColumn, CodedTable
from phverify.spec.separated import SEPARATORS, split
from phverify.spec.source import File
from phverify.words import plural

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow

    TableSource = File | TableFile | pd.DataFrame | ArrowStream

Rows = list[list[str]]


def read(source: Any, wanted: Sequence[str] = (), where: str = "release") -> CodedTable:
    """A table from a path, ``-`` (standard input), a frame, or what was ``opened``.

    ``wanted`` names columns that must be there: they decide the separator of a CSV.
    Raises InputError for anything that is no such table.
    """
    loaded = opened(source, where)
    if isinstance(loaded, CodedTable):
        return loaded
    if isinstance(loaded, ArrowFrame):
        return from_arrow(loaded.table, loaded.name)
    if isinstance(loaded, TableFile):
        return from_csv(loaded, wanted)
    return from_frame(loaded, where)


def opened(source: Any, where: str = "release") -> Any:
    """What a table is read from, ready to be read more than once.

    A DataFrame of pandas, an ArrowFrame (of other frames, of Parquet), a CodedTable, or
    a TableFile, which is CSV.
    """
    if isinstance(source, ArrowFrame | CodedTable):
        return source
    if is_frame(source):
        return framed(source, where)
    file = table_file(source, where)
    if file.suffix in PARQUET:
        return _parquet(Path(file.name))
    return file


def from_csv(file: TableFile, wanted: Sequence[str] = ()) -> CodedTable:
    """A CSV file in UTF-8, its separator found from its header.

    Empty cells are missing.  Raises InputError for a file that is no table.
    """
    with text_of(file) as text:
        separator, names, chunks = split(text, wanted)
        unique_names(names, file.name)
        quick = quick_columns(file, separator, names)
        if quick is None:
            even = _even(chunks, len(names), file, separator)
            columns, rows = _collect(names, even)
        else:
            columns, rows = quick, len(quick[names[0]].codes)
    if rows == 0:
        raise refusal(file.name, "the table has a header and no rows")
    if separator == ",":
        return CodedTable(file.name, columns, rows)
    note = f"read with {SEPARATORS[separator]} as the separator"
    return CodedTable(file.name, columns, rows, (note,))


def _even(
    chunks: Iterable[Rows], width: int, file: TableFile, separator: str
) -> Iterator[Rows]:
    """The chunks, all rows as wide as the header."""
    for rows in chunks:
        if any(len(row) != width for row in rows):
            _complain(width, file, separator)
        yield rows


def _complain(width: int, file: TableFile, separator: str) -> None:
    """Raises InputError with the first line whose row is too long or too short."""
    with text_of(file) as text:
        reader = csv.reader(text, delimiter=separator, strict=True)
        line = 1
        for row in reader:
            # A blank line is nothing, or the empty cell of a table of one column.
            if row and len(row) != width:
                fields = plural(len(row), "field")
                what = f"line {line} has {fields} where the header has {width}"
                hint = (
                    "quote a field that holds the separator, and write an empty field"
                    " for a missing value"
                )
                raise refusal(file.name, what, hint)
            line = reader.line_num + 1


class _Codes(dict[str, int]):
    """By text its code; a text that is new takes the next one."""

    def __missing__(self, key: str) -> int:
        self[key] = code = len(self)
        return code


def _collect(
    names: list[str], chunks: Iterable[Rows]
) -> tuple[dict[str, CodedColumn], int]:
    """The columns by name, and how many rows they have."""
    codes = [_Codes() for _ in names]
    parts: list[list[Ints]] = [[] for _ in names]
    rows = 0
    for chunk in chunks:
        rows += len(chunk)
        for k, cells in enumerate(zip(*chunk, strict=True)):
            code_of = codes[k].__getitem__
            part = np.fromiter(map(code_of, cells), np.int64, len(chunk))
            parts[k].append(part)
    if rows == 0:
        return {}, 0
    columns = {}
    for name, part_codes, code in zip(names, parts, codes, strict=True):
        labels = tuple(text or None for text in code)
        columns[name] = CodedColumn(np.concatenate(part_codes), labels)
    return columns, rows


def _parquet(path: Path) -> Any:
    """Raises InputError for a file that Arrow does not read."""
    from pyarrow import parquet

    try:
        table = parquet.read_table(path)
        if any(map(_of_pandas, table.schema)):
            # Periods, for example, which only pandas knows the texts of.
            import pandas

            return pandas.read_parquet(path)
    except Exception as error:  # pyarrow raises its own classes, which we do not import
        raise refusal(str(path), f"is no readable Parquet file: {error}") from None
    return ArrowFrame(str(path), table, "file")


def _of_pandas(field: pyarrow.Field) -> bool:
    """Whether a column of a file has a type of pandas' own."""
    named = (field.metadata or {}).get(EXTENSION, b"").decode()
    extension = getattr(field.type, "extension_name", named)
    return str(extension).startswith("pandas.")
