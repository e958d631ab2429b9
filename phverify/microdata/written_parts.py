"""A release that is written from the files of its table, as Parquet, Arrow or CSV.

As CSV it has the bytes that a release in memory has.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from phverify.errors import refusal
from phverify.microdata.arrow import coded
from phverify.microdata.csv_rows import csv_text
from phverify.microdata.formats import FEATHER, PARQUET
from phverify.microdata.rewriting import Rewriting
from phverify.microdata.write import MARK, Form, unfit

if TYPE_CHECKING:
    import pyarrow as pa

PACKED: Mapping[str, Any] = {".gz": gzip, ".bz2": bz2, ".xz": lzma}
"""By the ending of a file's name, what packs it."""


def writable_in_parts(rewriting: Rewriting, target: Path) -> bool:
    """Whether a release can be written so; if not, it is made in memory.

    In CSV a moment has the text of a date where all of its column are dates, which no
    part of the rows knows; a file of Arrow has one dictionary for all rows.  Values
    that the engine has and the files have not are none of the release.
    """
    import pyarrow
    from pyarrow import types

    try:
        # Known values are found before anything is written.
        _ = rewriting.known
    except pyarrow.ArrowException:
        return False
    suffix = target.suffix.lower()
    if suffix in PARQUET:
        return True
    if suffix in FEATHER:
        return not any(map(types.is_dictionary, rewriting.schema.types))
    return not any(types.is_timestamp(_plain(kind)) for kind in rewriting.schema.types)


def _plain(kind: Any) -> Any:
    return getattr(kind, "value_type", kind)


def write_in_parts(rewriting: Rewriting, path: Path, target: Path, form: Form) -> None:
    """Write a release to ``path``: what it is, the ending of ``target`` says.

    Raises InputError where the table is another one than what was counted, and OSError
    where the file cannot be written.
    """
    import pyarrow

    suffix = target.suffix.lower()
    try:
        with path.open("wb") as file:
            if suffix in PARQUET:
                _write_parquet(rewriting, file)
            elif suffix in FEATHER:
                _write_arrow(rewriting, file)
            elif suffix in PACKED:
                with _packed(suffix, file) as packing:
                    _write_csv(rewriting, packing, form)
            else:
                _write_csv(rewriting, file, form)
    except NotImplementedError as error:
        raise unfit(error, suffix) from None
    except pyarrow.ArrowException as error:
        first_line = str(error).splitlines()[0]
        raise refusal(rewriting.source, f"cannot be read: {first_line}") from None


def _packed(suffix: str, file: IO[bytes]) -> Any:
    """A file that is packed while it is written."""
    if suffix == ".gz":
        # The time that gzip would write makes two files of the same table differ.
        return gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0)
    return PACKED[suffix].open(file, "wb")


def _write_parquet(rewriting: Rewriting, file: IO[bytes]) -> None:
    from pyarrow import parquet

    with parquet.ParquetWriter(file, rewriting.schema) as writer:
        for part in rewriting.batches():
            writer.write_table(part)


def _write_arrow(rewriting: Rewriting, file: IO[bytes]) -> None:
    from pyarrow import ipc

    # As Feather files are by default.
    packing = ipc.IpcWriteOptions(compression="lz4")
    with ipc.new_file(file, rewriting.schema, options=packing) as writer:
        for part in rewriting.batches():
            writer.write_table(part)


def _write_csv(rewriting: Rewriting, file: IO[bytes], form: Form) -> None:
    header = csv_text([rewriting.schema.names], form.separator, form.newline)
    file.write(MARK if form.mark else b"")
    file.write(header.encode("utf-8"))
    for part in rewriting.batches():
        for lines in _lines(part, form).chunks:
            file.write(_content(lines))


def _lines(part: pa.Table, form: Form) -> pa.ChunkedArray:
    """Rows as the lines of a CSV file, each with its end."""
    import pyarrow.compute as pc

    cells = [_cells(part, name, form) for name in part.column_names]
    if len(cells) == 1:
        # An empty line would be none.
        empty = pc.equal(cells[0], "")
        cells = [pc.if_else(empty, _text('""'), cells[0])]
    ended = pc.binary_join_element_wise(cells[-1], _text(form.newline), _text(""))
    return pc.binary_join_element_wise(*cells[:-1], ended, _text(form.separator))


def _text(text: str) -> Any:
    """A text of the type that lines have."""
    import pyarrow

    return pyarrow.scalar(text, pyarrow.large_string())


def _cells(part: pa.Table, name: str, form: Form) -> pa.ChunkedArray:
    """The cells of a column as texts, quoted where they have to be."""
    import pyarrow
    import pyarrow.compute as pc

    column = part.column(name)
    text = pyarrow.large_string()
    if not str(column.type).endswith("string"):
        read = coded(column, part.schema.field(name), name)
        labels = pyarrow.array(read.labels, text)
        column = pyarrow.chunked_array([labels.take(pyarrow.array(read.codes))])
    column = pc.fill_null(column.cast(text), "")
    special = pc.match_substring_regex(column, f'["\r\n{form.separator}]')
    if not pc.any(special).as_py():
        return column
    doubled = pc.replace_substring(column, '"', '""')
    quoted = pc.binary_join_element_wise(_text('"'), doubled, _text('"'), _text(""))
    return pc.if_else(special, quoted, column)


def _content(lines: Any) -> bytes | memoryview:
    """The texts of an array one after another."""
    if not len(lines):
        return b""
    _, offsets, content = lines.buffers()
    import numpy as np

    places = np.frombuffer(offsets, dtype=np.int64)
    start = int(places[lines.offset])
    end = int(places[lines.offset + len(lines)])
    return memoryview(content)[start:end]
