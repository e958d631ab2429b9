"""The released table: the input's columns in their order and types, the identifier
dropped.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from phverify.exact import Ints
from phverify.microdata.one_way import of_objects, usual_series
from phverify.microdata.read import read
from phverify.microdata.read_again import objects_of, one_to_one, told_otherwise
from phverify.microdata.table import CodedColumn, CodedTable
from phverify.policy.model import Policy

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class TypedRelease:
    """What a candidate releases of ``source``, the input as the caller gave it.

    ``rows`` are the input's rows in the table (None for all) and ``order`` their new
    order (None for their own).  ``cells`` are columns whose cells are others' of the
    input: for each label a row that has it.
    """

    source: Any
    policy: Policy
    table: CodedTable
    rows: Ints | None
    order: Ints | None
    cells: Mapping[str, Ints] = field(default_factory=dict)

    def codes(self, name: str) -> Ints:
        """A column of the released table in its new order."""
        codes = self.table.columns[name].codes
        if self.order is None:
            return codes
        return codes[self.order]

    def taken(self) -> Ints | None:
        """The input's rows that are released, in the order of the release; None for all
        in their own.
        """
        if self.order is None:
            return self.rows
        if self.rows is None:
            return self.order
        taken: Ints = self.rows[self.order]
        return taken


def pandas_frame(release: TypedRelease, changed: Collection[str]) -> pd.DataFrame:
    """The release; a column that is not ``changed`` keeps the dtype of the input
    DataFrame.

    Cells that are one value (1 and 1.0) are released as one cell.
    The index counts from 0, whatever the input's index was.
    """
    import pandas

    if not hasattr(release.source, "dtypes"):
        return pandas.DataFrame(
            # a file has no dtypes that could be kept
            {name: _texts(release, name) for name in release.table.columns}
        )
    columns: dict[Any, Any] = {}
    given, taken = release.source, release.taken()
    for k, key in enumerate(given.columns):
        name = str(key)
        if name != release.policy.identifier:
            series = given.iloc[:, k] if taken is None else given.iloc[taken, k]
            if name in release.cells:
                series = given.iloc[release.cells[name][release.codes(name)], k]
            columns[key] = (
                _texts(release, name)
                if name in changed
                else _kept(release, name, series)
            )
    dataframe = pandas.DataFrame(columns)
    # a dtype may merge values or tell more apart: what was written is read again
    same(release, dataframe)
    return dataframe


def _texts(release: TypedRelease, name: str) -> pd.Series[Any]:
    import pandas

    labels = np.array(release.table.columns[name].labels, dtype=object)
    return pandas.Series(labels[release.codes(name)], dtype=object)


def _kept(release: TypedRelease, name: str, series: pd.Series[Any]) -> pd.Series[Any]:
    """A column of the input: no category that is not released; cells that read alike,
    alike.
    """
    import pandas

    if name in release.policy.quasi or of_objects(series):
        _, first, alike = np.unique(
            release.codes(name), return_index=True, return_inverse=True
        )
        series = series.iloc[first[alike]]
    if isinstance(series.dtype, pandas.CategoricalDtype):
        series = series.cat.remove_unused_categories()
    return usual_series(series.reset_index(drop=True))


def same(release: TypedRelease, given: Any) -> None:
    """The columns read as those of the table that was decided.

    Raises InputError for one that tells other values apart.
    """
    again = read(given, where="the released frame")
    # Neutral columns of one type are the input's, row by row.
    names = {*release.policy.quasi, *release.policy.sensitive, *objects_of(given)}
    for name in names.intersection(again.columns):
        labels = release.table.columns[name].labels
        decided = CodedColumn(release.codes(name), labels)
        # one to one: else the verdict would be about another table
        if not one_to_one(decided, again.columns[name]):
            raise told_otherwise("the released table", name)
