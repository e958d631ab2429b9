"""Whether a table that is handed over tells the values apart that were decided.

A type may merge values (1.0 and True are one float), and a verdict about the others
would be about another table.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from phverify.errors import InputError, refusal
from phverify.microdata.arrow import coded
from phverify.microdata.dataframes import NESTED, from_frame, is_pandas
from phverify.microdata.one_way import of_objects
from phverify.microdata.table import CodedColumn

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

ONE_TYPE = "give its cells one type before, for example text: .astype(str)"
"""What mends a column whose cells are of several types."""
BYTES = (bytes, bytearray, memoryview)
SORTS = ((bool, np.bool_), (Decimal, Real), str, datetime.date)
"""Types whose cells can be equal; a truth value is a number to Python, and a moment is
never equal to a date.
"""
MOMENTS = (np.datetime64, np.timedelta64)
"""NumPy's, which are equal to those of no other library."""


def told_otherwise(where: str, name: str, what: str = "", hint: str = "") -> InputError:
    """The error that a column would not have the values that were decided."""
    kept = f"column {name!r} would not keep its values, whose types differ"
    return refusal(where, what + kept, ONE_TYPE + hint)


def one_to_one(decided: CodedColumn, again: CodedColumn) -> bool:
    """Whether two columns tell the same rows apart."""
    pairs = _pairs(decided, again)
    return len(pairs) == len(decided.labels) == len(again.labels)


def same_texts(decided: CodedColumn, again: CodedColumn) -> bool:
    """Whether two columns have the same texts row by row."""
    pairs = _pairs(decided, again)
    return all(decided.labels[old] == again.labels[new] for old, new in pairs)


def _pairs(decided: CodedColumn, again: CodedColumn) -> list[tuple[int, int]]:
    """The codes that some row has, of both columns."""
    width = len(again.labels)
    pairs = np.unique(decided.codes * width + again.codes)
    return [divmod(pair, width) for pair in pairs.tolist()]


def objects_of(given: Any) -> set[str]:
    """The columns of a DataFrame whose cells may be of several types."""
    if not is_pandas(given):
        return set()
    found = set()
    for place, key in enumerate(given.columns):
        if of_objects(given.iloc[:, place]):
            found.add(str(key))
    return found


def require_kept(frame: pd.DataFrame, table: pa.Table, what: str) -> None:
    """Raises InputError where a DataFrame became an Arrow table with other values.

    Columns of one type have the same in both.
    """
    if not len(frame):
        return
    before = from_frame(frame)
    for name in sorted(objects_of(frame)):
        field = table.schema.field(name)
        cells = table.column(name)
        again = coded(cells, field, "--output")
        if not same_texts(before.columns[name], again):
            raise told_otherwise("--output", name, what, "; or write CSV: release.csv")


def other_cells(frame: pd.DataFrame, table: pa.Table) -> str:
    """The first column of a DataFrame whose cells an Arrow table of it does not have:
    "" where there is none.

    It is looked for where cells may be of several types.
    """
    for place, name in enumerate(table.column_names):
        series = frame.iloc[:, place]
        if of_objects(series) and not _same_cells(series, table.column(place)):
            return str(name)
    return ""


def _same_cells(cells: Iterable[Any], column: pa.ChunkedArray) -> bool:
    """Whether a column of Arrow has these cells, each in its sort."""
    try:
        found = column.to_pylist()
    except (ValueError, OverflowError):
        # Moments that Python has no type for.
        return False
    return all(map(same_cell, cells, found))


def same_cell(cell: Any, found: Any) -> bool:
    """Whether a cell is the one that Arrow has: 1 is 1.0, and neither True nor "1".

    Of nested cells nothing is said: no policy can name them.
    """
    import pandas

    if isinstance(cell, BYTES):
        return isinstance(found, bytes) and bytes(cell) == found
    if isinstance(cell, NESTED):
        return True
    if pandas.isna(cell):
        return found is None
    if isinstance(cell, MOMENTS):
        found = pandas.Series([found])[0]
        cell = pandas.Series([cell])[0]
    return _sort(cell) == _sort(found) and bool(cell == found)


def _sort(cell: Any) -> object:
    """What tells a cell from equal ones of another sort."""
    for sort in SORTS:
        if isinstance(cell, sort):
            return sort
    # A span of time is one, whichever library it is from.
    span = isinstance(cell, datetime.timedelta)
    return datetime.timedelta if span else type(cell)
