"""A random sample of the rows of a table, and of what it was read from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from phverify.errors import refusal
from phverify.exact import Ints
from phverify.microdata.frames import ArrowFrame
from phverify.microdata.table import CodedTable
from phverify.spec.sampling import RecordSample


def drawn(table: CodedTable, sample: RecordSample) -> CodedTable:
    """The sample of the rows of a table, in their order.

    Raises InputError for a sample without a record.
    """
    rows = _rows(sample, table.rows)
    if not len(rows):
        what = f"draws no record: {sample.share} of {table.rows:,}, rounded down, is 0"
        raise refusal("sample", what, "draw a larger share")
    note = (
        f"{sample.told(table.rows)}: every rule, share and cost is about these records,"
        " as for an adversary who knows who is among them"
    )
    taken = table.taken(rows)
    return replace(taken, notes=(*taken.notes, note), sample=sample)


def _rows(sample: RecordSample, rows: int) -> Ints:
    return np.array(sample.rows(rows), dtype=np.int64)


def drawn_source(source: Any, sample: RecordSample) -> Any:
    """What a table is read from with the sampled rows alone, where it is a frame whose
    types a release keeps.
    """
    if isinstance(source, ArrowFrame):
        import pyarrow

        table = source.table
        rows = _rows(sample, table.num_rows)
        taken = table.take(pyarrow.array(rows))
        return replace(source, table=taken)
    if hasattr(source, "iloc"):
        rows = _rows(sample, len(source))
        return source.iloc[rows]
    return source
