"""The released table as a DataFrame: the input's columns in their order and types, the identifier dropped."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from phverify.exact import Ints
from phverify.microdata.table import Column, Table

if TYPE_CHECKING:
    import pandas as pd


def frame(
    source: Any,
    after: Table,
    quasi: Collection[str],
    changed: Collection[str],
    rows: Ints | None,
    order: Ints | None,
    identifier: str | None,
) -> pd.DataFrame:
    """The release; a column that is not ``changed`` keeps the dtype of the input DataFrame.

    Cells of a ``quasi``-identifier that are one value (1 and 1.0) are released as one cell.

    ``rows`` are the input's rows that are kept (None for all) and ``order`` their new order (None for their own).
    The index counts from 0, whatever the input's index was.
    """
    import pandas

    given = source if hasattr(source, "dtypes") else None
    names = list(after.columns) if given is None else [str(name) for name in given.columns]
    taken = rows if order is None else order if rows is None else rows[order]
    columns: dict[Any, Any] = {}
    for k, name in enumerate(names):
        if name == identifier:
            continue
        key = name if given is None else given.columns[k]
        if given is None or name in changed:
            columns[key] = pandas.Series(_texts(after.columns[name], order), dtype=object)
        else:
            series = given.iloc[:, k] if taken is None else given.iloc[taken, k]
            columns[key] = _kept(series, after.columns[name] if name in quasi else None, order)
    return pandas.DataFrame(columns)


def _kept(series: pd.Series[Any], column: Column | None, order: Ints | None) -> pd.Series[Any]:
    """A column of the input: no category that is not released; cells of a quasi-identifier that read alike, alike."""
    import pandas

    if column is not None:
        codes = column.codes if order is None else column.codes[order]
        _, first = np.unique(codes, return_index=True)
        series = series.iloc[first[np.unique(codes, return_inverse=True)[1]]]
    if isinstance(series.dtype, pandas.CategoricalDtype):
        series = series.cat.remove_unused_categories()
    return series.reset_index(drop=True)


def _texts(column: Column, order: Ints | None) -> Any:
    codes = column.codes if order is None else column.codes[order]
    return np.array(column.labels, dtype=object)[codes]
