"""Writing a released table as the input was written: separator, byte order mark and
line ends.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from phverify.errors import refusal
from phverify.microdata.read import text_of
from phverify.spec.separated import find_separator
from phverify.spec.source import Names

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Form:
    """How a CSV file is written."""

    separator: str = ","
    mark: bool = False
    newline: str = "\n"


def form_of(path: Path, wanted: Names) -> Form:
    """The form of an existing CSV; ``wanted`` columns decide its separator, as when it
    is read.
    """
    with path.open("rb") as raw:
        start = raw.readline()
    with text_of(path) as file:
        separator = find_separator(file.readline(), wanted)
    return Form(
        separator,
        start.startswith(b"\xef\xbb\xbf"),
        "\r\n" if start.endswith(b"\r\n") else "\n",
    )


def csv_bytes(frame: pd.DataFrame, form: Form) -> bytes:
    """The frame as CSV in UTF-8; missing cells are empty, the index is not written."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, delimiter=form.separator, lineterminator=form.newline)
    writer.writerow(map(str, frame.columns))
    columns = [frame.iloc[:, k].tolist() for k in range(frame.shape[1])]
    writer.writerows(zip(*columns, strict=True))
    return (b"\xef\xbb\xbf" if form.mark else b"") + buffer.getvalue().encode("utf-8")


def parquet_bytes(frame: pd.DataFrame) -> bytes:
    """The frame as Parquet.  Raises InputError when pyarrow is not installed."""
    buffer = io.BytesIO()
    try:
        frame.to_parquet(buffer, index=False)
    except ImportError:
        hint = "pip install phverify"
        raise refusal("--output", "writing Parquet needs pyarrow", hint) from None
    return buffer.getvalue()


def table_bytes(
    frame: pd.DataFrame, target: Path, source: Path, wanted: Names
) -> bytes:
    """The content of a file for a released table: Parquet by the target's suffix, else
    CSV like the source.
    """
    if target.suffix.lower() in (".parquet", ".pq"):
        return parquet_bytes(frame)
    plain = source.suffix.lower() in (".parquet", ".pq")
    return csv_bytes(frame, Form() if plain else form_of(source, wanted))
