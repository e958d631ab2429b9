"""The released table as a frame of the library that the input's was of."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from phverify.generalization.typed_release import TypedRelease, pandas_frame, same
from phverify.microdata.arrow import decoded, index_of_pandas
from phverify.microdata.frames import ArrowFrame
from phverify.microdata.one_way import (
    released_column,
    released_type,
    usual_floats,
    with_rows_to_take,
)

if TYPE_CHECKING:
    import pyarrow


def frame(release: TypedRelease, changed: Collection[str], typed: bool) -> Any:
    """The release; a column that is not ``changed`` keeps the type of the input's.

    Of polars frames it is one of polars, of other Arrow frames an Arrow table, else a
    DataFrame of pandas.  ``typed``, as it is written with its types, it is an Arrow
    table of whatever Arrow holds.
    """
    source = release.source
    if not isinstance(source, ArrowFrame):
        return pandas_frame(release, changed)
    if source.kind == "file" and not typed:
        loaded = replace(release, source=source.to_pandas())
        return pandas_frame(loaded, changed)
    keeping = typed or source.kind != "polars"
    table = _arrow_table(release, source, changed, keeping)
    # a type may merge values or tell more apart: what was written is read again
    same(release, ArrowFrame("the released frame", table))
    return table if typed else source.given_back(table)


def _arrow_table(
    release: TypedRelease, source: ArrowFrame, changed: Collection[str], keeping: bool
) -> pyarrow.Table:
    """The release as Arrow holds it; ``keeping`` dictionaries."""
    import pyarrow

    left_out = {*index_of_pandas(source.table), release.policy.identifier}
    columns = {}
    for name in source.table.column_names:
        if name in left_out:
            continue
        if name in changed:
            columns[name] = _texts(release, name)
        else:
            column = source.table.column(name)
            columns[name] = _kept(release, name, column, keeping)
    return pyarrow.table(columns)


def _texts(release: TypedRelease, name: str) -> Any:
    """A column of texts."""
    import pyarrow

    labels = pyarrow.array(release.table.columns[name].labels, pyarrow.string())
    return labels.take(pyarrow.array(release.codes(name)))


def _kept(
    release: TypedRelease, name: str, column: pyarrow.ChunkedArray, keeping: bool
) -> pyarrow.ChunkedArray:
    """A column of the input: no entry of a dictionary that is not released; cells of a
    quasi-identifier that read alike, alike.
    """
    import pyarrow

    taken = release.taken()
    if name in release.cells:
        taken = release.cells[name][release.codes(name)]
    if name in release.policy.quasi:
        _, first, alike = np.unique(
            release.codes(name), return_index=True, return_inverse=True
        )
        rows = first[alike]
        taken = rows if taken is None else taken[rows]
    if taken is not None:
        column = with_rows_to_take(column).take(pyarrow.array(taken))
    if not keeping and pyarrow.types.is_dictionary(column.type):
        # What is a category, polars' types say: of texts alone nothing more is known.
        return usual_floats(decoded(column))
    return released_column(column, released_type(column.type))
