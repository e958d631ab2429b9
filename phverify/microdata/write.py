"""Writing a released table as the input was written: its separator, byte order mark and
line ends.
"""

from __future__ import annotations

import bz2
import gzip
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
from phverify.microdata.formats import (
    FEATHER,
    NO_CSV,
    PARQUET,
    TEXTS,
    NamedTable,
    is_pattern,
    matching,
)
from phverify.microdata.read_again import require_kept
from phverify.spec.separated import find_separator
from phverify.spec.source import Names

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

MARK = b"\xef\xbb\xbf"
"""The byte order mark of UTF-8."""

# The time that gzip would write makes two files of the same table differ.
PACK: Mapping[str, Callable[[bytes], bytes]] = {
    ".gz": partial(gzip.compress, mtime=0),
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}
"""By the ending of a file's name, how a CSV is packed."""


WRITTEN = (
    f"CSV ({', '.join(TEXTS[1:])}; packed: {', '.join(f'.csv{end}' for end in PACK)}),"
    f" Parquet ({', '.join(PARQUET)}) and Arrow ({', '.join(FEATHER)}) are"
)
"""What releases are written as, for a sentence on what they are not."""

NO_TYPE = (NotImplementedError, OverflowError, UnicodeError)
"""What Arrow raises beside its own errors for cells that it has no type for."""


@dataclass(frozen=True)
class Form:
    """How a CSV file is written."""

    separator: str = ","
    mark: bool = False
    newline: str = "\n"


def require_written(target: Path) -> None:
    """Raises InputError for a name whose ending says what no release is written as."""
    suffix = target.suffix.lower()
    if suffix in (*PARQUET, *FEATHER):
        return
    if suffix in PACK:
        suffix = Path(target.stem).suffix.lower()
    if suffix not in TEXTS:
        what = f"no release is written as {target.suffix}"
        raise refusal(str(target), what, WRITTEN)


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


def write_typed(release: Any, path: Path, target: Path) -> None:
    """Write a released table, which pandas or Arrow holds, with its types: as Parquet,
    or as Arrow does, by the ending of ``target``.

    Raises InputError for columns that the file has no type for.
    """
    import pyarrow
    from pyarrow import feather, parquet

    suffix = target.suffix.lower()
    try:
        if not isinstance(release, pyarrow.Table):
            release = _arrow_table(release, suffix)
        with path.open("wb") as file:
            if suffix in PARQUET:
                parquet.write_table(release, file)
            else:
                # One dictionary for all rows: a file of Arrow has no other.
                feather.write_feather(release.unify_dictionaries(), file)
    except (pyarrow.ArrowException, *NO_TYPE) as error:
        raise unfit(error, suffix) from None


def _arrow_table(frame: pd.DataFrame, suffix: str) -> pa.Table:
    """A DataFrame as Arrow has it.  Raises InputError for columns with other values."""
    import pyarrow

    table = pyarrow.Table.from_pandas(frame, preserve_index=False)
    require_kept(frame, table, f"cannot be {_kind(suffix)}: ")
    return table


def _kind(suffix: str) -> str:
    return "Parquet" if suffix in PARQUET else "Arrow"


def unfit(error: Exception, suffix: str) -> InputError:
    """The error that a table has a column that a kind of files has no type for."""
    reason = str(error).splitlines()[0]
    if isinstance(error, OverflowError):
        reason = "a column has an integer that needs more than 64 bits"
    what = f"cannot be {_kind(suffix)}: {reason}"
    return refusal("--output", what, "write CSV: release.csv")


def packed_csv(frame: pd.DataFrame, target: Path, form: Form) -> bytes:
    """The content of a CSV file in this form, packed where its ending says so."""
    content = csv_bytes(frame, form)
    pack = PACK.get(target.suffix.lower())
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
