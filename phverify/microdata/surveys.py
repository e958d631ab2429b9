"""The files of SPSS, SAS and Stata as tables: a value that has a label is its label."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phverify.errors import refusal
from phverify.microdata.dataframes import from_frame
from phverify.microdata.ondemand import ColumnsOnDemand
from phverify.microdata.table import CodedColumn, CodedTable, Label
from phverify.microdata.texts import float_text
from phverify.microdata.workbooks import INSTALL

if TYPE_CHECKING:
    import pandas as pd

READERS = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
    ".dta": "read_dta",
}
MISSING_KINDS = (".sav", ".zsav", ".dta", ".sas7bdat")
"""Files that can tell kinds of missing cells apart."""
Labelled = Mapping[str, Mapping[Any, str]]
"""By column, the labels of its values."""


def survey_table(path: Path) -> CodedTable:
    """The table of a file.

    A user-missing value is a missing cell where that is the one kind of missing cells
    of its column; several kinds are values of their own, since whoever has the file
    tells them apart.  Raises InputError.
    """
    where = str(path)
    frame, meta = _loaded(path, {})
    labelled: Labelled = meta.variable_value_labels or {}
    notes: list[str] = []
    if path.suffix.lower() in MISSING_KINDS:
        frame, notes = _kinds_kept(path, frame)
    coded = from_frame(frame, where)

    def code(name: str) -> CodedColumn:
        return _with_labels(coded.columns[name], labelled.get(name, {}), name, where)

    columns = ColumnsOnDemand([*coded.columns], code)
    return CodedTable(where, columns, coded.rows, tuple(notes))


def _loaded(path: Path, more: Mapping[str, Any]) -> tuple[pd.DataFrame, Any]:
    """The cells, and what the file says of them."""
    where = str(path)
    try:
        import pyreadstat
    except ImportError:
        what = "reading files of SPSS, SAS and Stata needs pyreadstat"
        raise refusal(where, what, INSTALL) from None
    reader = getattr(pyreadstat, READERS[path.suffix.lower()])
    try:
        frame, meta = reader(where, **more)
    except Exception as error:  # pyreadstat raises its own classes
        what = f"is no readable {path.suffix} file: {error}"
        raise refusal(where, what) from None
    return frame, meta


def _with_labels(
    column: CodedColumn, labels: Mapping[Any, str], name: str, where: str
) -> CodedColumn:
    """The column with the labels of its values.

    Raises InputError where two values would become one.
    """
    by_text = {_value_text(value): label for value, label in labels.items()}
    texts: list[Label] = []
    first: dict[str, str] = {}
    for value in column.labels:
        if value is None:
            texts.append(None)
            continue
        label = by_text.get(value) or value
        other = first.setdefault(label, value)
        if other != value:
            what = f"{other!r} and {value!r} of {name!r} have one label, {label!r}"
            hint = "give each value a label of its own: the file tells them apart"
            raise refusal(where, what, hint, True)
        texts.append(label)
    return CodedColumn(column.codes, tuple(texts))


def _value_text(value: Any) -> str:
    """The text that a cell of this value has."""
    if isinstance(value, float):
        return float_text(value)
    return str(value)


def _kinds_kept(path: Path, frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """The cells with user-missing values where a column has several kinds of missing
    cells, and what was done with them.
    """
    told, _ = _loaded(path, {"user_missing": True})
    cells = dict(frame.items())
    notes = []
    for name in frame.columns:
        user = told[name][frame[name].isna() & told[name].notna()]
        if user.empty:
            continue
        kinds = user.nunique() + int(told[name].isna().any())
        if kinds == 1:
            notes.append(f"a user-missing value of {name!r} is a missing cell")
            continue
        cells[name] = told[name]
        said = f"{kinds} kinds of missing cells of {name!r} are values of their own"
        notes.append(f"{said}: the file tells them apart")
    return frame.assign(**cells), notes
