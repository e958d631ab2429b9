"""Tables from pandas DataFrames: every cell becomes the text that a CSV would hold."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from phverify.errors import refusal
from phverify.microdata.arrow import AS_TEXT, coded
from phverify.microdata.headers import unique_names
from phverify.microdata.kinds import one_text_of_two
from phverify.microdata.ondemand import ColumnsOnDemand
from phverify.microdata.table import (
    CodedColumn,
    CodedTable,
    IndexLevel,
    Label,
    merge_labels,
)
from phverify.microdata.texts import (
    decimal_text,
    float_text,
    timedelta_text,
    without_empty,
)

if TYPE_CHECKING:
    import pandas as pd

NESTED = (bytes, bytearray, memoryview, list, tuple, dict, set, frozenset, np.ndarray)
"""Cells that are no single value."""


def is_pandas(source: object) -> bool:
    """Whether a table is a DataFrame of pandas, or of a library that extends it.

    Pandas is not imported to find out.
    """
    for kind in type(source).__mro__:
        package, _, _ = kind.__module__.partition(".")
        if package == "pandas" and kind.__name__ == "DataFrame":
            return True
    return False


def from_frame(frame: pd.DataFrame, where: str = "DataFrame") -> CodedTable:
    """A DataFrame as a table; its index is named in it, and plays no other part.

    NaN, None, NaT and NA are missing; 2.0 and 2 are one number.  Raises InputError for
    a frame without rows, or with two columns of one name.
    """
    names = unique_names([str(name) for name in frame.columns], where)
    if len(frame) == 0:
        raise refusal(where, "the table has no rows")
    # By their places: to pandas a name may mean several columns, or a function.
    series = dict(zip(names, (cells for _, cells in frame.items()), strict=True))

    def code(name: str) -> CodedColumn:
        return _named(series[name], name, where)

    arrow = [name for name, cells in series.items() if _kept_by_arrow(cells.dtype)]
    columns = ColumnsOnDemand(names, code, arrow)
    return CodedTable(where, columns, len(frame), index=_index(frame))


def _index(frame: pd.DataFrame) -> tuple[IndexLevel, ...]:
    """The levels of the index; of one that only counts the rows from 0, none."""
    import pandas

    counting = pandas.RangeIndex(len(frame))
    if frame.index.names == [None] and frame.index.equals(counting):
        return ()
    levels = []
    for number, key in enumerate(frame.index.names):
        name = None if key is None else str(key)
        cells = frame.index.get_level_values(number)
        numbers = pandas.api.types.is_integer_dtype(cells.dtype)
        levels.append(IndexLevel(name, numbers))
    return tuple(levels)


class _NoValue(Exception):
    """A cell is no single value."""


def _named(series: pd.Series[Any], name: str, where: str) -> CodedColumn:
    """One column.  Raises InputError for nested and binary cells."""
    if _kept_by_arrow(series.dtype):
        return _of_arrow(series, name, where)
    try:
        return from_series(series)
    except _NoValue as error:
        what = f"column {name!r} holds cells of the type {error}, and a cell is one"
        raise refusal(where, f"{what} value", AS_TEXT) from None


def _kept_by_arrow(kind: Any) -> bool:
    """Whether it is a type whose cells pandas keeps as Arrow does."""
    import pandas

    if isinstance(kind, pandas.ArrowDtype):
        return True
    if not isinstance(kind, pandas.StringDtype):
        return False
    storage: str = kind.storage
    return storage == "pyarrow"


def _of_arrow(series: pd.Series[Any], name: str, where: str) -> CodedColumn:
    """A column that pandas keeps as Arrow does."""
    import pyarrow

    cells = pyarrow.chunked_array([pyarrow.array(series.array)])
    return coded(cells, pyarrow.field(name, cells.type), where)


def from_series(series: pd.Series[Any]) -> CodedColumn:
    """One column as coded texts; cells of mixed types are made texts one by one."""
    import pandas

    of_one_type = _of_one_type(series)
    whole_days = _whole_days(series, of_one_type)
    values = series
    mixed = False
    if not of_one_type:
        texts = [_text(cell, whole_days) for cell in series]
        # As texts they are no longer equal to each other where only Python says so.
        values = pandas.Series(texts, dtype=object)
        mixed = one_text_of_two(series, texts)
    codes, uniques = pandas.factorize(values, use_na_sentinel=True)
    values = _distinct(uniques)
    if series.dtype == np.float16:
        # Distinct values were found in single precision.
        values = values.astype(np.float16)
    labels = [_text(value, whole_days) for value in values]
    missing = codes < 0
    if missing.any():
        codes = np.where(missing, len(labels), codes)
        labels.append(None)
    labels = without_empty(labels)
    known = merge_labels(codes.astype(np.int64, copy=False), labels)
    merged = mixed or len(known[1]) < len(labels) or _two_zeros(series)
    return CodedColumn(*known, merged=merged)


def _two_zeros(series: pd.Series[Any]) -> bool:
    """Whether a column of floats has 0.0 and -0.0, which pandas takes for one."""
    if series.dtype.kind != "f":
        return False
    numbers = series.to_numpy(dtype=float, na_value=np.nan)
    negative = np.signbit(numbers[numbers == 0])
    return bool(negative.any() and not negative.all())


def _of_one_type(series: pd.Series[Any]) -> bool:
    """Whether equal cells have equal texts, so that distinct values can be found first.

    1 and True and 1.0 are equal to Python, which a column of objects may mix.
    """
    import pandas

    if series.dtype != object:
        return True
    return pandas.api.types.infer_dtype(series, skipna=True) in ("string", "empty")


def _whole_days(series: pd.Series[Any], of_one_type: bool) -> bool:
    """Whether no cell is a moment within a day: then dates are written without time."""
    import pandas

    categories = isinstance(series.dtype, pandas.CategoricalDtype)
    if of_one_type and not categories and series.dtype.kind not in "Mm":
        return True
    cells = series.unique() if of_one_type else series
    if any(map(_has_time, cells)):
        return False
    moments = set(filter(_is_moment, cells))
    days = {moment.date() for moment in moments}
    # Nanoseconds and zones may tell moments of one day apart.
    return len(days) == len(moments)


def _has_time(cell: Any) -> bool:
    """Whether a cell is a moment within a day."""
    return _is_moment(cell) and cell.time() != datetime.time()


def _is_moment(cell: Any) -> bool:
    """Whether a cell is a moment, and not missing."""
    import pandas

    return isinstance(cell, datetime.datetime) and not pandas.isna(cell)


def _distinct(uniques: Any) -> Any:
    """The distinct values in their own type (a float32 is not widened)."""
    import pandas

    if isinstance(uniques, pandas.CategoricalIndex):
        uniques = uniques.astype(uniques.categories.dtype)
    array = uniques.to_numpy() if hasattr(uniques, "to_numpy") else uniques
    # Moments keep pandas' own type: numpy's have no ISO form.
    if array.dtype.kind in "Mm":
        return uniques
    return array


def _text(cell: Any, whole_days: bool = False) -> Label:
    """The text of a cell: numbers by value, dates in ISO form, else as Python says."""
    import pandas

    if isinstance(cell, str):
        return str(cell)
    if pandas.api.types.is_scalar(cell) and pandas.isna(cell):
        return None
    # Before numbers, since True is the integer 1 to Python.
    if isinstance(cell, (bool, np.bool_)):
        return str(bool(cell))
    if isinstance(cell, Decimal):
        return decimal_text(cell)
    if isinstance(cell, (float, np.floating)):
        return float_text(cell)
    # A date is no datetime: its text is ISO's anyway.
    if isinstance(cell, datetime.datetime):
        if whole_days:
            return cell.date().isoformat()
        return cell.isoformat()
    return _other_text(cell)


def _other_text(cell: Any) -> str:
    """The text of what is neither text nor number nor moment."""
    if isinstance(cell, np.timedelta64):
        import pandas

        cell = pandas.Timedelta(cell)
    if isinstance(cell, datetime.timedelta):
        return timedelta_text(cell)
    if isinstance(cell, NESTED):
        raise _NoValue(type(cell).__name__)
    return str(cell)
