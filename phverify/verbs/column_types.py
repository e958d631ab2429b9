"""The types of a frame's columns: by their dtypes, or by their cells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from phverify.errors import Problem
from phverify.given import refuse
from phverify.microdata.arrow import coded
from phverify.microdata.dataframes import from_frame, is_pandas
from phverify.microdata.frames import ArrowFrame
from phverify.microdata.read_once import source_of
from phverify.spec.source import measured

if TYPE_CHECKING:
    import pandas as pd

ISO = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
NUMBERS = {"integer": "integer", "decimal": "decimal"}
"""Types of columns of objects, by what pandas calls their cells."""


def column_types(table: object, quasi: Sequence[str]) -> dict[str, str]:
    """The types of quasi-identifiers that a frame says: numbers and dates.

    Raises InputError for moments, whose ranges would run from day to day.
    """
    table = source_of(table)
    if isinstance(table, ArrowFrame):
        return _arrow_types(table, quasi)
    if not is_pandas(table):
        return {}
    frame: Any = table
    names = list(frame.columns)
    found = {}
    for name in quasi:
        # What is not there, or twice, is told where the table is read.
        if names.count(name) != 1:
            continue
        kind = _type_of(name, frame)
        if kind is not None:
            found[name] = kind
    return found


def _type_of(name: str, frame: pd.DataFrame) -> str | None:
    """The type of a column by its dtype, or by its cells where that says nothing."""
    from pandas import CategoricalDtype
    from pandas.api import types

    column = frame[name]
    if isinstance(column.dtype, CategoricalDtype):
        # Who made categories of numbers means no order of them.
        return None
    if types.is_datetime64_any_dtype(column.dtype):
        refuse(_wrong_times(name, frame))
        return "date"
    # Truth values count as numbers to pandas, and have no ranges.
    if types.is_bool_dtype(column.dtype):
        return None
    if types.is_integer_dtype(column.dtype):
        return "integer"
    if types.is_numeric_dtype(column.dtype):
        return "decimal"
    # A column of objects: pandas looks at the cells themselves.
    numbers = NUMBERS.get(types.infer_dtype(column, skipna=True))
    read = from_frame(frame[[name]]).columns[name]
    cells = [label for label in read.labels if label is not None]
    if numbers is not None and all(map(_is_number, cells)):
        return numbers
    return "date" if cells and all(map(_is_date, cells)) else None


def _arrow_types(frame: ArrowFrame, quasi: Sequence[str]) -> dict[str, str]:
    """The same of a frame that Arrow holds."""
    found = {}
    for name in quasi:
        if name not in frame.table.column_names:
            continue
        kind = _arrow_type(name, frame)
        if kind is not None:
            found[name] = kind
    return found


def _arrow_type(name: str, frame: ArrowFrame) -> str | None:
    """The type of a column by Arrow's, or by its texts where that says nothing."""
    import pyarrow
    from pyarrow import types

    dtype = frame.table.schema.field(name).type
    if types.is_integer(dtype):
        return "integer"
    texts = types.is_string(dtype) or types.is_large_string(dtype)
    moments = types.is_date(dtype) or types.is_timestamp(dtype)
    numbers = types.is_floating(dtype) or types.is_decimal(dtype)
    if not (texts or moments or numbers):
        return None
    # Of values that occur often each is looked at once.
    values = pyarrow.chunked_array([frame.table.column(name).unique()])
    read = coded(values, frame.table.schema.field(name), frame.name)
    cells = [label for label in read.labels if label is not None]
    if numbers:
        return "decimal" if all(map(_is_number, cells)) else None
    if cells and all(map(_is_date, cells)):
        return "date"
    # Written with a time of day: a range of days would not hold it.
    if moments and any("T" in cell for cell in cells):
        what = f"{name!r} has times of day, and ranges run from day to day"
        refuse(iter([Problem("quasi", what, "make dates of them")]))
    return None


def _is_number(text: str) -> bool:
    """Whether a cell is a number that has a place among others: no infinity."""
    try:
        measured(text)
    except ValueError:
        return False
    return True


def _is_date(text: str) -> bool:
    """Whether a cell is a date in ISO form: 2020-03-01."""
    if ISO.fullmatch(text) is None:
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _wrong_times(name: str, table: Any) -> Iterator[Problem]:
    """What is wrong with a column of dates: ranges run from day to day."""
    moments = table[name].dropna()
    if bool((moments != moments.dt.normalize()).any()):
        what = f"{name!r} has times of day, and ranges run from day to day"
        yield Problem(
            "quasi", what, f"table[{name!r}] = table[{name!r}].dt.normalize()"
        )
