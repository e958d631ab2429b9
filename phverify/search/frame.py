"""The released table as a DataFrame: the input's columns in their order and types, the identifier dropped."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from phverify.exact import Ints
from phverify.tables.table import Column, Table

if TYPE_CHECKING:
    import pandas as pd


def frame(
    source: Any,
    after: Table,
    changed: Collection[str],
    rows: Ints | None,
    order: Ints | None,
    identifier: str | None,
) -> pd.DataFrame:
    """The release; a column that is not ``changed`` keeps the dtype of the input DataFrame.

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
        if given is not None and name not in changed:
            series = given.iloc[:, k] if taken is None else given.iloc[taken, k]
            columns[given.columns[k]] = series.reset_index(drop=True)
        else:
            key = given.columns[k] if given is not None else name
            columns[key] = pandas.Series(_texts(after.columns[name], order), dtype=object)
    return pandas.DataFrame(columns)


def _texts(column: Column, order: Ints | None) -> Any:
    codes = column.codes if order is None else column.codes[order]
    return np.array(column.labels, dtype=object)[codes]
