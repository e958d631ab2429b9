"""Writing a released table as the input was written: its separator, byte order mark and
line ends.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phverify.errors import InputError, refusal
from phverify.microdata.csv_rows import csv_text
from phverify.microdata.dataframes import from_frame
from phverify.microdata.files import TableFile, table_file, text_of
from phverify.microdata.formats import NO_CSV, PARQUET, NamedTable, is_pattern, matching
from phverify.spec.separated import find_separator
from phverify.spec.source import Names

if TYPE_CHECKING:
    import pandas as pd

MARK = b"\xef\xbb\xbf"
"""The byte order mark of UTF-8."""

# The time that gzip would write makes two files of the same table differ.
PACK: Mapping[str, Callable[[bytes], bytes]] = {
    ".gz": partial(gzip.compress, mtime=0),
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}
"""By the ending of a file's name, how a CSV is packed."""


@dataclass(frozen=True)
class Form:
    """How a CSV file is written."""

    separator: str = ","
    mark: bool = False
    newline: str = "\n"


def form_of(source: Any, wanted: Names) -> Form:
    """The form of a CSV that was read.

    ``wanted`` columns decide its separator, as when it is read.
    """
    file = table_file(source, "table")
    with text_of(file) as text:
        separator = find_separator(text.readline(), wanted)
    with file.load() as raw:
        start = raw.readline()
    newline = "\r\n" if start.endswith(b"\r\n") else "\n"
    return Form(separator, start.startswith(MARK), newline)


def csv_bytes(frame: pd.DataFrame, form: Form) -> bytes:
    """The frame as CSV in UTF-8; missing cells are empty, the index is not written."""
    names = [*map(str, frame.columns)]
    text = csv_text([names], form.separator, form.newline)
    if len(frame):
        # The texts that were decided: dates in ISO form, a missing number is empty.
        table = from_frame(frame)
        columns = [column.cells() for column in table.columns.values()]
        rows = zip(*columns, strict=True)
        text += csv_text(rows, form.separator, form.newline)
    content = text.encode("utf-8")
    if form.mark:
        return MARK + content
    return content


def parquet_bytes(frame: pd.DataFrame) -> bytes:
    """The frame as Parquet.  Raises InputError when pyarrow is not installed, and for
    columns that Parquet has no type for.
    """
    buffer = io.BytesIO()
    try:
        frame.to_parquet(buffer, index=False)
    except ImportError:
        hint = "pip install phverify"
        raise refusal("--output", "writing Parquet needs pyarrow", hint) from None
    except NotImplementedError as error:
        raise unfit_for_parquet(error) from None
    return buffer.getvalue()


def unfit_for_parquet(error: Exception) -> InputError:
    """The error that a table has a column that Parquet has no type for."""
    reason = str(error).splitlines()[0]
    return refusal("--output", f"cannot be Parquet: {reason}", "write CSV: release.csv")


def table_bytes(frame: pd.DataFrame, target: Path, form: Form) -> bytes:
    """The content of a file for a released table.

    Parquet by the target's ending, else CSV in this form, packed where the ending says
    so.
    """
    suffix = target.suffix.lower()
    if suffix in PARQUET:
        return parquet_bytes(frame)
    content = csv_bytes(frame, form)
    pack = PACK.get(suffix)
    if pack is None:
        return content
    return pack(content)


def form_of_table(source: Any, wanted: Names) -> Form:
    """The form of the CSV that a table came from, of the first of many; else the usual
    one.
    """
    if isinstance(source, NamedTable):
        return Form()
    first = matching(source)[0] if is_pattern(source) else source
    file: TableFile = table_file(first, "table")
    return Form() if file.suffix in NO_CSV else form_of(file, wanted)
