"""Reading tables: files of many kinds, and frames of any library.

Everything becomes text.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from phverify.errors import InputError, refusal
from phverify.exact import Ints
from phverify.microdata.arrow import EXTENSION, from_arrow, index_of_pandas
from phverify.microdata.dataframes import from_frame
from phverify.microdata.files import TableFile, existing_file, table_file, text_of
from phverify.microdata.formats import (
    DATABASES,
    FEATHER,
    NO_CSV,
    SEVERAL,
    SURVEYS,
    WORKBOOKS,
    NamedTable,
    is_pattern,
)
from phverify.microdata.frames import ArrowFrame, ArrowStream, framed, is_frame
from phverify.microdata.headers import unique_names
from phverify.microdata.many import ManyFiles, many
from phverify.microdata.parquet_files import old_moments
from phverify.microdata.quick_csv import quick_columns
from phverify.microdata.read_once import ReadTable
from phverify.microdata.table import CodedColumn, CodedTable
from phverify.spec.separated import SEPARATORS, split
from phverify.spec.source import File
from phverify.words import plural

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow

    TableSource = File | NamedTable | TableFile | pd.DataFrame | ArrowStream | ReadTable

Rows = list[list[str]]


def read(source: Any, wanted: Sequence[str] = (), where: str = "release") -> CodedTable:
    """A table from a path, ``-`` (standard input), a frame, or what was ``opened``.

    ``wanted`` names columns that must be there: they decide the separator of a CSV.
    Raises InputError for anything that is no such table.
    """
    if isinstance(source, ReadTable):
        if not source.split_otherwise(tuple(wanted)):
            return source.called(where)
        # Which columns a policy names, nobody knew when it was read.
        source = source.source
    loaded = opened(source, where)
    if isinstance(loaded, CodedTable):
        return loaded
    if isinstance(loaded, ArrowFrame):
        table = from_arrow(loaded.table, loaded.name, loaded.notes, loaded.merged)
        return replace(table, parts=loaded.parts)
    if isinstance(loaded, TableFile):
        return from_csv(loaded, wanted)
    if isinstance(loaded, ManyFiles):
        return loaded.read(lambda file: from_csv(file, wanted))
    return from_frame(loaded, where if loaded is source else str(source))


def opened(source: Any, where: str = "release") -> Any:
    """What a table is read from, ready to be read more than once.

    A DataFrame of pandas, an ArrowFrame (of other frames, of Parquet, of DuckDB), a
    CodedTable, or a TableFile, which is CSV, or ManyFiles of it.
    """
    if isinstance(source, ReadTable):
        return source.source
    if isinstance(source, ArrowFrame | CodedTable | ManyFiles):
        return source
    if is_frame(source):
        return framed(source, where)
    if isinstance(source, NamedTable):
        path = existing_file(source.file, where)
        if path.suffix.lower() not in SEVERAL:
            what = f"has one table, and {source.table!r} is the name of one of several"
            raise refusal(str(path), what, "leave the name out")
        return _of_kind(path, source.table)
    if is_pattern(source):
        return many(source, _part)
    file = table_file(source, where)
    return file if file.suffix not in NO_CSV else _of_kind(Path(file.name), None)


def _part(path: Path) -> Any:
    """One of many files."""
    suffix = path.suffix.lower()
    return TableFile(str(path)) if suffix not in NO_CSV else _of_kind(path, None)


def _of_kind(path: Path, name: str | None) -> Any:
    """What a file holds that is no CSV; ``name`` is that of one of its tables."""
    suffix = path.suffix.lower()
    # What a kind of file needs is loaded for it alone.
    if suffix in DATABASES:
        from phverify.microdata.databases import database_table

        return database_table(path, name)
    if suffix in WORKBOOKS:
        from phverify.microdata.workbooks import workbook_table

        return workbook_table(path, name)
    if suffix in SURVEYS:
        from phverify.microdata.surveys import survey_table

        return survey_table(path)
    if suffix in FEATHER:
        return _feather(path)
    return _parquet(path)


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
        # The file alone: no folder's name becomes a column.
        with parquet.ParquetFile(path) as file:
            table = file.read()
            old = old_moments(file)
        _require_in_range(path, table, old)
        if any(map(_of_pandas, table.schema)):
            # Periods, for example, which only pandas knows the texts of.
            import pandas

            frame = pandas.read_parquet(path)
            index = index_of_pandas(table)
            # As in any other file, an index is a column here.
            return frame.reset_index(names=index) if index else frame
    except InputError:
        raise
    except Exception as error:  # pyarrow raises its own classes, which we do not import
        raise refusal(str(path), f"is no readable Parquet file: {error}") from None
    return _of_file(path, table)


def _of_file(path: Path, table: Any) -> ArrowFrame:
    """A table with all columns that are in its file: also what was pandas' index is
    published with it.
    """
    return ArrowFrame(str(path), table.replace_schema_metadata(None), "file")


def _require_in_range(path: Path, table: Any, old: Collection[str]) -> None:
    """Raises InputError for old moments of Parquet that nanoseconds do not reach."""
    if not old:
        return
    from pyarrow import parquet

    with parquet.ParquetFile(path, coerce_int96_timestamp_unit="us") as file:
        wider = file.read([*old])
    for name in wider.column_names:
        # Beyond the range of nanoseconds Arrow wraps around, without a word.
        same = table.column(name).cast("timestamp[us]", safe=False)
        if same != wider.column(name):
            what = f"the column {name!r} has moments before 1677 or after 2262"
            hint = "write them as timestamps of microseconds, not as INT96"
            raise refusal(str(path), what, hint)


def _feather(path: Path) -> ArrowFrame:
    """The table of an Arrow file or stream.  Raises InputError."""
    import pyarrow
    from pyarrow import ipc

    try:
        with path.open("rb") as file:
            head = file.read(6)
        if head == b"ARROW1":
            table = ipc.open_file(path).read_all()
        elif head.startswith(b"FEA1"):
            # The first form of Feather, which few programs write any more.
            from pyarrow import feather

            table = feather.read_table(path)
        else:
            table = ipc.open_stream(path).read_all()
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise refusal(str(path), f"is no readable Arrow file: {error}") from None
    return _of_file(path, table)


def _of_pandas(field: pyarrow.Field) -> bool:
    """Whether a column of a file has a type of pandas' own."""
    named = (field.metadata or {}).get(EXTENSION, b"").decode()
    extension = getattr(field.type, "extension_name", named)
    return str(extension).startswith("pandas.")
