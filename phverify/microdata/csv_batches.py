"""Large CSV files as Arrow reads them: in batches, which never become Python's.

Arrow reads every well-formed CSV as the reader of rows does, and it is kinder to what
is not: text after a closing quote, a quote that never closes.  So the quotes are looked
at first, and a file that is not well-formed is left to the reader of rows, which says
what is wrong with which line.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from phverify.microdata.files import TableFile, text_of
from phverify.spec.separated import split

if TYPE_CHECKING:
    import pyarrow as pa

NUMBER = "phverify_number"
"""The column with the number of each row, from 0."""
MARK = b"\xef\xbb\xbf"
"""A byte order mark."""
BLOCK = 8 * 1024 * 1024
"""So many bytes are read at a time; a row is never longer."""


def header(file: TableFile, wanted: Any) -> tuple[str, list[str]]:
    """The separator of a CSV file and its column names.  Raises InputError."""
    with text_of(file) as text:
        separator, names, _ = split(text, wanted)
    return separator, names


def well_formed(path: str, separator: str) -> bool:
    """Whether all quotes of a file stand where a quoted field begins or ends, or within
    an unquoted one, and no byte is 0.
    """
    with (
        open(path, "rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content,
    ):
        if content.find(b"\0") >= 0:
            return False
        if content.find(b'"') < 0:
            return True
        start = len(MARK) if content[: len(MARK)] == MARK else 0
        with memoryview(content) as view, view[start:] as text:
            return _quoted(separator).fullmatch(text) is not None


def _quoted(separator: str) -> re.Pattern[bytes]:
    """What texts with quotes in their places look like."""
    ends = re.escape(separator).encode() + rb"\r\n"
    field = rb'"[^"]*+(?:""[^"]*+)*+"'
    # A field begins at the beginning, or after what ends one; nothing is tried twice.
    quoted = rb"(?<![^" + ends + rb"])" + field + rb"(?=[" + ends + rb"]|\Z)"
    literal = rb"(?<=[^" + ends + rb'])"'
    return re.compile(rb'(?:[^"]++|' + quoted + rb"|" + literal + rb")*+")


def batches(files: Mapping[str, str], names: list[str]) -> pa.RecordBatchReader:
    """The rows of well-formed CSV files as texts, with their numbers.

    ``files`` says of each its separator.  Raises ArrowInvalid for rows of another
    length than the header, for text that is not in UTF-8, and where Arrow reads other
    column names.
    """
    import pyarrow

    text = pyarrow.string()
    fields = [pyarrow.field(name, text) for name in names]
    schema = pyarrow.schema([*fields, pyarrow.field(NUMBER, pyarrow.int64())])
    parts = (_reader(path, separator, names) for path, separator in files.items())
    numbered = with_numbers(chain.from_iterable(parts))
    return pyarrow.RecordBatchReader.from_batches(schema, numbered)


def rows_in(path: str, separator: str, names: list[str]) -> int:
    """How many rows a well-formed CSV file has.  Raises ArrowInvalid."""
    return sum(len(batch) for batch in _reader(path, separator, names))


def _reader(path: str, separator: str, names: list[str]) -> Any:
    """What reads the rows of a file as texts."""
    import pyarrow
    from pyarrow import csv

    reader = csv.open_csv(
        path,
        csv.ReadOptions(block_size=BLOCK),
        csv.ParseOptions(
            delimiter=separator,
            newlines_in_values=True,
            # A blank line of a single column is a missing cell.
            ignore_empty_lines=len(names) > 1,
        ),
        csv.ConvertOptions(column_types=dict.fromkeys(names, pyarrow.string())),
    )
    if reader.schema.names != names:
        raise pyarrow.ArrowInvalid("the column names are read in two ways")
    return reader


def with_numbers(parts: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Batches with the number of each row as one more column."""
    import pyarrow

    start = 0
    for batch in parts:
        end = start + batch.num_rows
        column = pyarrow.array(np.arange(start, end))
        yield batch.append_column(NUMBER, column)
        start = end
