"""Tables from pandas DataFrames: every cell becomes the text that a CSV would hold."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from phverify.errors import refusal
from phverify.microdata.table import CodedColumn, CodedTable, Label, merge_labels

if TYPE_CHECKING:
    import pandas as pd


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
    """A DataFrame as a table; its index plays no part.

    NaN, None, NaT and NA are missing; 2.0 and 2 are one number.  Raises InputError for
    a frame without rows, or with two columns of one name.
    """
    names = unique_names([str(name) for name in frame.columns], where)
    if len(frame) == 0:
        raise refusal(where, "the table has no rows")
    columns = {name: from_series(frame.iloc[:, k]) for k, name in enumerate(names)}
    return CodedTable(where, columns, len(frame))


def unique_names(names: list[str], where: str) -> list[str]:
    """These column names.  Raises InputError where one occurs twice."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        listed = ", ".join(map(repr, twice))
        what = f"column names occur twice: {listed}"
        raise refusal(where, what, "give every column its own name")
    return names


def from_series(series: pd.Series[Any]) -> CodedColumn:
    """One column as coded texts; cells of mixed types are made texts one by one."""
    import pandas

    of_one_type = _of_one_type(series)
    whole_days = _whole_days(series, of_one_type)
    values = series
    if not of_one_type:
        texts = [_text(cell, whole_days) for cell in series]
        values = pandas.Series(texts, dtype=object)
    codes, uniques = pandas.factorize(values, use_na_sentinel=True)
    labels = [_text(value, whole_days) for value in _distinct(uniques)]
    missing = codes < 0
    if missing.any():
        codes = np.where(missing, len(labels), codes)
        labels.append(None)
    else:
        # An empty text is a missing cell, as in a CSV.
        labels = [label or None for label in labels]
    return CodedColumn(*merge_labels(codes.astype(np.int64), labels))


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
    return not any(map(_has_time, cells))


def _has_time(cell: Any) -> bool:
    """Whether a cell is a moment within a day."""
    import pandas

    if not isinstance(cell, datetime.datetime) or pandas.isna(cell):
        return False
    return cell.time() != datetime.time()


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
    if isinstance(cell, (bool, np.bool_)):
        return str(bool(cell))
    if isinstance(cell, Decimal):
        return _decimal_text(cell)
    if isinstance(cell, (float, np.floating)):
        return _float_text(cell)
    if isinstance(cell, datetime.datetime):
        if whole_days:
            return cell.date().isoformat()
        return cell.isoformat()
    return str(cell)


def _decimal_text(cell: Decimal) -> str:
    """A decimal number without zeros at its end: 2.50 and 2.5 are one number."""
    text = f"{cell:f}" if cell.is_finite() else str(cell)
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    if text == "-0":
        return "0"
    return text


def _float_text(cell: Any) -> str:
    value = float(cell)
    if value.is_integer():
        return str(int(value))
    # A float32 writes itself with the digits that it has, not with those of its float.
    if isinstance(cell, float):
        return repr(value)
    return str(cell)
