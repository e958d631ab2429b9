"""CSV read by Arrow, many times as quick as row by row, where both read the same.

Only a text of which that is known is read so: in UTF-8, with line ends of one usual
kind, quotes around whole fields alone, and rows of one length.  For any other there is
no answer here, and the plain reader decides and finds what is wrong.
"""

from __future__ import annotations

import csv
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from phverify.microdata.arrow import numbered
from phverify.microdata.files import TableFile
from phverify.microdata.table import CodedColumn

if TYPE_CHECKING:
    import pyarrow

MARK = b"\xef\xbb\xbf"
QUOTE = ord('"')
SMALL = 1 << 20
"""So many bytes the plain reader has read before Arrow is loaded."""
TINY = 1 << 14
"""The same where it is loaded already."""
HUGE = 1 << 31
"""More bytes than these are not held at once."""


def quick_columns(
    file: TableFile, separator: str, names: list[str]
) -> dict[str, CodedColumn] | None:
    """The columns of a CSV; None where the plain reader has to read it.

    ``separator`` and ``names`` are those that the plain reader has found.
    """
    content = _content(file)
    if content is None or len(names) < 2:
        # In a table of one column a blank line is a missing cell.
        return None
    start = len(MARK) if content.startswith(MARK) else 0
    end = content.find(b"\n", start) + 1
    if not _same_names(content[start:end], separator, names):
        return None
    # Arrow would take a second mark off; it belongs to the first cell.
    if content.startswith(MARK, end) or not _plain_text(content):
        return None
    quoted = content.find(b'"', end) >= 0
    if quoted and not _well_quoted(content, end, separator):
        return None
    table = _parsed(content, end, separator, len(names), quoted)
    if table is None:
        return None
    longest = csv.field_size_limit()
    columns = {}
    for name, column in zip(names, table.columns, strict=True):
        codes, labels = numbered(column)
        # The plain reader refuses such a cell, and says why.
        if max(map(len, labels), default=0) > longest:
            return None
        texts = tuple(text or None for text in labels)
        columns[name] = CodedColumn(codes, texts)
    return columns


def _content(file: TableFile) -> bytes | None:
    """All bytes; None where there are too few for Arrow, or too many."""
    least = TINY if "pyarrow" in sys.modules else SMALL
    with file.load() as raw:
        content = raw.read(HUGE)
    if least <= len(content) < HUGE:
        return content
    return None


def _same_names(header: bytes, separator: str, names: list[str]) -> bool:
    """Whether the first line alone is the header that the plain reader has found."""
    try:
        line = header.decode("utf-8")
        found = next(csv.reader([line], delimiter=separator, strict=True))
    except (UnicodeDecodeError, csv.Error, StopIteration):
        return False
    return found == names


def _plain_text(content: bytes) -> bool:
    """Whether this is UTF-8 whose line ends are all known to Arrow."""
    if b"\0" in content:
        return False
    # A carriage return alone ends a line for one reader, and not for the other.
    if b"\r" in content and content.count(b"\r") != content.count(b"\r\n"):
        return False
    if content.isascii():
        return True
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _well_quoted(content: bytes, start: int, separator: str) -> bool:
    """Whether quotes stand around whole fields, and twice within these.

    Every second quote closes what the one before it has opened.  What opens follows a
    separator or a line end, what closes stands before one; else both are the two halves
    of a quote within a field.
    """
    body = np.frombuffer(content, dtype=np.uint8)[start:]
    quotes = np.flatnonzero(body == QUOTE)
    if len(quotes) % 2:
        return False
    # A field may open at the very beginning, and close at the very end.
    padded = np.concatenate(([ord("\n")], body, [ord("\n")]))
    before = padded[quotes[0::2]]
    after = padded[quotes[1::2] + 2]
    edges = [ord(separator), ord("\n"), QUOTE]
    opened = np.isin(before, edges).all()
    closed = np.isin(after, [*edges, ord("\r")]).all()
    return bool(opened and closed)


def _parsed(
    content: bytes, start: int, separator: str, width: int, quoted: bool
) -> pyarrow.Table | None:
    """What Arrow reads below the header; None where it reads nothing, or complains."""
    import pyarrow
    from pyarrow import csv as arrow_csv

    numbers = [str(number) for number in range(width)]
    text = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    body = pyarrow.BufferReader(pyarrow.py_buffer(content).slice(start))
    parsing: dict[str, Any] = {"newlines_in_values": quoted}
    converting = {
        "column_types": dict.fromkeys(numbers, text),
        # An empty cell is missing, and nothing else is: NA may be a value.
        "null_values": [],
        "strings_can_be_null": False,
    }
    try:
        table = arrow_csv.read_csv(
            body,
            arrow_csv.ReadOptions(column_names=numbers),
            arrow_csv.ParseOptions(delimiter=separator, **parsing),
            arrow_csv.ConvertOptions(**converting),
        )
    except pyarrow.ArrowException:
        return None
    return table if table.num_rows else None
