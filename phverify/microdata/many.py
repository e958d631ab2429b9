"""Many files that are one table: their rows in the order of the files' names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from phverify.errors import InputError, Problem, refusal
from phverify.errors.near import no_column
from phverify.exact import Ints
from phverify.microdata.arrow import decoded, index_of_pandas
from phverify.microdata.files import TableFile
from phverify.microdata.formats import matching
from phverify.microdata.frames import ArrowFrame
from phverify.microdata.table import CodedColumn, CodedTable, Label, Parts
from phverify.words import plural

if TYPE_CHECKING:
    import pyarrow

SHOWN = 12
"""So many files have their rows told."""


@dataclass(frozen=True, eq=False)
class ManyFiles:
    """The CSV files that a pattern stands for."""

    name: str
    files: tuple[TableFile, ...]

    def read(self, one: Callable[[TableFile], CodedTable]) -> CodedTable:
        """The one table of all.  Raises InputError where their headers differ."""
        tables = [one(file) for file in self.files]
        first = tables[0]
        for table in tables:
            _alike([*first.columns], [*table.columns], first.source, table.source)
            if list(table.columns) != list(first.columns):
                what = f"its columns are in another order than those of {first.source}"
                raise refusal(table.source, what)
        columns = {}
        for name in first.columns:
            columns[name] = _joined([table.columns[name] for table in tables])
        counts = [(table.source, table.rows) for table in tables]
        read_as = dict.fromkeys(note for table in tables for note in table.notes)
        notes = (*read_as, *rows_of_files(counts))
        rows = sum(map(_rows, tables))
        return CodedTable(self.name, columns, rows, notes, parts=_several(counts))


def many(source: Any, one: Callable[[Path], Any]) -> Any:
    """What the files of a pattern hold together; ``one`` opens one of them.

    Raises InputError where there are none, or where they are no one table.
    """
    name = str(source)
    paths = matching(source)
    if not paths:
        raise _nothing(Path(source))
    opened = [one(path) for path in paths]
    if all(isinstance(part, TableFile) for part in opened):
        return ManyFiles(name, tuple(opened))
    if all(isinstance(part, ArrowFrame) for part in opened):
        return _concatenated(name, opened)
    listed = ", ".join(sorted({path.suffix for path in paths}))
    what = f"files of several kinds, or of one that is not read in parts: {listed}"
    raise refusal(name, what, "parts are CSV, Parquet or Arrow files, all of one kind")


def _nothing(source: Path) -> InputError:
    """The error that a pattern stands for no file."""
    if source.is_dir():
        hint = f"its Parquet files would be read; say '{source}/*.csv' for parts in CSV"
        return refusal(str(source), "this is a directory, not a file", hint)
    return refusal(str(source), "there is no file of such a name")


def _rows(table: CodedTable) -> int:
    return table.rows


def _several(counts: Sequence[tuple[str, int]]) -> Parts:
    """Files with their rows, where there are several."""
    return tuple(counts) if len(counts) > 1 else ()


def rows_of_files(counts: Sequence[tuple[str, int]]) -> tuple[str, ...]:
    """Which rows are those of which file, where there are several."""
    if len(counts) < 2:
        return ()
    told = [f"{plural(len(counts), 'file')} are read as one table"]
    if len(counts) > SHOWN:
        return (f"{told[0]}, in the order of their names",)
    start = 1
    for source, rows in counts:
        if rows:
            end = start + rows - 1
            told.append(f"rows {start:,} to {end:,} are those of {source}")
        else:
            told.append(f"{source} has no rows")
        start += rows
    return tuple(told)


def _alike(
    expected: Iterable[str], found: Iterable[str], first: str, here: str
) -> None:
    """Raises InputError for columns that one of two files alone has."""
    wanted, present = list(expected), list(found)
    absent = [name for name in wanted if name not in present]
    problems = [no_column(here, name, present) for name in absent]
    for name in present:
        if name not in wanted:
            what = f"has a column {name!r}, which {first} has not"
            problems.append(Problem(here, what))
    if problems:
        raise InputError(problems)


def _joined(columns: Sequence[CodedColumn]) -> CodedColumn:
    """The cells of columns one after another."""
    code: dict[Label, int] = {}
    parts: list[Ints] = []
    for column in columns:
        # One code for a label, in whichever file it stands.
        own = [code.setdefault(label, len(code)) for label in column.labels]
        parts.append(np.array(own, dtype=np.int64)[column.codes])
    return CodedColumn(np.concatenate(parts), tuple(code))


def _concatenated(name: str, frames: Sequence[ArrowFrame]) -> ArrowFrame:
    """One Arrow table.  Raises InputError where the files' columns differ."""
    import pyarrow

    tables = [_plain(frame) for frame in frames]
    first = frames[0].name
    for frame, table in zip(frames, tables, strict=True):
        names = tables[0].column_names
        _alike(names, table.column_names, first, frame.name)
        _same_types(tables[0].schema, table.schema, first, frame.name)
    ordered = [table.select(tables[0].column_names) for table in tables]
    try:
        whole = pyarrow.concat_tables(ordered, promote_options="permissive")
    except pyarrow.ArrowException as error:
        raise refusal(name, f"the files are no one table: {error}") from None
    counts = [(frame.name, frame.table.num_rows) for frame in frames]
    return ArrowFrame(name, whole, "file", rows_of_files(counts), _several(counts))


def _plain(frame: ArrowFrame) -> pyarrow.Table:
    """A table without what pandas kept as its index; its texts are of one type."""
    import pyarrow

    table = frame.table.drop_columns([*index_of_pandas(frame.table)])
    # What pandas noted of one file is not true of all together.
    table = table.replace_schema_metadata(None)
    for place, field in enumerate(table.schema):
        if hasattr(field.type, "value_type") and hasattr(field.type, "index_type"):
            column = decoded(table.column(place))
            table = table.set_column(place, field.name, column)
    for place, field in enumerate(table.schema):
        if _kind(field.type) == "text":
            column = table.column(place).cast(pyarrow.large_string())
            table = table.set_column(place, field.name, column)
    return table


def _same_types(
    expected: pyarrow.Schema, found: pyarrow.Schema, first: str, here: str
) -> None:
    """Raises InputError for columns of two types, which may hold one value twice."""
    problems = []
    for field in expected:
        other = found.field(field.name)
        if _kind(field.type) == _kind(other.type):
            continue
        # A column without a value fits any type.
        if "null" not in (_kind(field.type), _kind(other.type)):
            what = f"column {field.name!r} is {other.type}, and {field.type} in {first}"
            problems.append(Problem(here, what, "write all parts with one type"))
    if problems:
        raise InputError(problems)


def _kind(dtype: pyarrow.DataType) -> str:
    """What a type holds, whatever its width: integers, texts, or the type itself."""
    from pyarrow import types

    if types.is_integer(dtype):
        return "integer"
    texts = ("string", "large_string", "string_view")
    return "text" if str(dtype) in texts else str(dtype)
