"""Columns as they are released: each value is written in one way, in its column's type.

Who has a file tells 0.0 from -0.0, and NaN from null, which are one value here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phverify.microdata.arrow import plain_column
from phverify.microdata.kinds import minus_zero

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


def released_type(kind: pa.DataType) -> pa.DataType:
    """The type of a column in a file: views and runs of values are read, and no format
    of files has them.
    """
    import pyarrow
    from pyarrow import types

    if types.is_run_end_encoded(kind):
        kind = kind.value_type
    if str(kind) == "string_view":
        return pyarrow.large_string()
    if types.is_dictionary(kind):
        values = released_type(kind.value_type)
        return pyarrow.dictionary(kind.index_type, values, kind.ordered)
    return kind


def with_rows_to_take(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The same values in a type of which Arrow takes some rows."""
    return column if released_type(column.type) == column.type else plain_column(column)


def released_column(column: Any, kind: pa.DataType) -> pa.ChunkedArray:
    """A column in this type: no entry of a dictionary that no row has, and one way to
    write a value.
    """
    import pyarrow
    from pyarrow import types

    if isinstance(column, pyarrow.Array):
        column = pyarrow.chunked_array([column])
    if types.is_dictionary(kind):
        # What is withheld must not stay behind in a dictionary.
        plain = usual_floats(plain_column(column).cast(kind.value_type))
        return plain.dictionary_encode().cast(kind)
    if types.is_run_end_encoded(column.type):
        column = plain_column(column)
    return usual_floats(column if column.type == kind else column.cast(kind))


def usual_floats(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Floats with one zero, and missing cells in place of NaN; others as they are."""
    import pyarrow
    import pyarrow.compute as pc
    from pyarrow import types

    kind = column.type
    if not types.is_floating(kind):
        return column
    if types.is_float16(kind):
        # Arrow has no functions for halves, and single precision holds them all.
        return usual_floats(column.cast(pyarrow.float32())).cast(kind)
    column = pc.if_else(pc.is_nan(column), pyarrow.scalar(None, kind), column)
    # -0.0 + 0.0 is 0.0, and every other number stays what it is.
    return pc.add(column, pyarrow.scalar(0.0, kind))


def usual_series(series: pd.Series[Any]) -> pd.Series[Any]:
    """Floats of pandas with one zero, and one missing number; others as they are."""
    if series.dtype == object:
        import pandas

        if not of_objects(series):
            return series
        cells = [0.0 if minus_zero(cell) else cell for cell in series]
        # Pandas would make floats of integers beside others, which hold 53 bits alone.
        return pandas.Series(cells, dtype=object)
    if series.dtype.kind != "f":
        return series
    return series.mask(series != series) + 0.0


def of_objects(series: pd.Series[Any]) -> bool:
    """Whether cells, or categories, may be of several types: texts alone are not."""
    import pandas

    values: Any = series
    if isinstance(series.dtype, pandas.CategoricalDtype):
        values = series.cat.categories
    if values.dtype != object:
        return False
    return str(pandas.api.types.infer_dtype(values, skipna=True)) != "string"
