"""Reading tables: CSV (any usual separator), Parquet, pandas DataFrames.  Everything
becomes text.
"""

from __future__ import annotations

import csv
import datetime
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from phverify.errors import InputError, Problem, nearest, refusal
from phverify.microdata.table import Column, Label, Table, merge_labels
from phverify.spec.separated import SEPARATORS, split
from phverify.spec.source import File, Refused
from phverify.words import plural

if TYPE_CHECKING:
    import pandas as pd

    TableSource = File | pd.DataFrame


def read(source: Any, wanted: Sequence[str] = (), where: str = "release") -> Table:
    """A table from a path (CSV or Parquet) or a pandas DataFrame.

    ``wanted`` names columns that must be there: they decide the separator of a CSV.
    Raises InputError for anything that is no such table.
    """
    found = opened(source, where)
    if hasattr(found, "dtypes"):
        return from_frame(found, where if found is source else str(Path(source)))
    return from_csv(Path(source), wanted)


def opened(source: Any, where: str = "release") -> Any:
    """The DataFrame of a Parquet file; anything else as it is."""
    if is_pandas(source):
        return source
    path = existing_file(source, where)
    return _parquet(path) if path.suffix.lower() in (".parquet", ".pq") else source


TO_PANDAS = ("to_pandas", "toPandas", "df")
"""How tables of polars, Arrow, Spark and DuckDB become a DataFrame of pandas."""


def existing_file(
    source: Any, where: str, wanted: str = "a path or a pandas DataFrame"
) -> Path:
    """The path of a file that is there.  Raises InputError for a directory or a missing
    file, and for what is no path: ``wanted`` says what is taken here.
    """
    try:
        path = Path(source)
    except TypeError:
        what = f"expected {wanted}, not {_type_name(source)}"
        convert = [name for name in TO_PANDAS if hasattr(source, name)]
        hint = f"pass its .{convert[0]}()" if convert else ""
        raise refusal(where, what, hint) from None
    try:
        if path.is_dir():
            raise refusal(str(path), "this is a directory, not a file")
        if not path.exists():
            raise refusal(str(path), "there is no such file", _neighbours(path))
    except OSError as error:
        raise refusal(str(path), f"cannot be read: {error.strerror}") from None
    return path


def is_pandas(source: object) -> bool:
    """Whether a table is a DataFrame of pandas, or of a library that extends it."""
    return any(kind.__module__.startswith("pandas.") for kind in type(source).__mro__)


def _type_name(source: object) -> str:
    """A type with the library that it is from: there are many kinds of DataFrame."""
    kind = type(source)
    if kind.__module__ == "builtins":
        return kind.__name__
    return f"{kind.__module__.partition('.')[0]}.{kind.__name__}"


def _neighbours(path: Path) -> str:
    folder = path.parent
    names = (
        sorted(p.name for p in folder.iterdir() if p.is_file())
        if folder.is_dir()
        else []
    )
    return nearest(path.name, names, "files there") if names else ""


def from_csv(path: Path, wanted: Sequence[str] = ()) -> Table:
    """A CSV file in UTF-8, its separator found from its header.  Empty cells are
    missing.
    """
    with text_of(path) as file:
        separator, names, chunks = split(file, wanted)
        columns, rows = _collect(
            _unique_names(names, str(path)), _even(chunks, len(names), path, separator)
        )
    if rows == 0:
        raise refusal(str(path), "the table has a header and no rows")
    note = (
        ()
        if separator == ","
        else (f"read with {SEPARATORS[separator]} as the separator",)
    )
    return Table(str(path), columns, rows, note)


@contextmanager
def text_of(path: Path) -> Iterator[TextIO]:
    """A text file, its byte order mark left out; what goes wrong in it becomes an
    InputError that names the line.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield file
    except OSError as error:
        raise refusal(str(path), f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(_encoding_problem(path)) from None
    except csv.Error as error:
        raise refusal(str(path), f"is no well-formed CSV: {error}") from None
    except Refused as error:
        raise refusal(str(path), str(error)) from None


def _encoding_problem(path: Path) -> Problem:
    data = path.read_bytes()
    try:
        data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = f"line {line} is not UTF-8 (byte 0x{data[error.start]:02x})"
        hint = (
            f"convert it, for example: iconv -f latin1 -t utf-8 {path.name} > utf8.csv"
        )
        return Problem(str(path), what, hint)
    return Problem(str(path), "is not UTF-8")


def _unique_names(names: list[str], where: str) -> list[str]:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        listed = ", ".join(map(repr, twice))
        raise refusal(
            where,
            f"column names occur twice: {listed}",
            "give every column its own name",
        )
    return names


def _even(
    chunks: Iterable[list[list[str]]], width: int, path: Path, separator: str
) -> Iterator[list[list[str]]]:
    """The chunks, all rows as wide as the header."""
    for rows in chunks:
        if any(len(row) != width for row in rows):
            _complain(width, path, separator)
        yield rows


def _complain(width: int, path: Path, separator: str) -> None:
    """Name the first line whose row is too long or too short."""
    with text_of(path) as file:
        reader, line = csv.reader(file, delimiter=separator, strict=True), 1
        for row in reader:
            if (row or width == 1) and len(row or [""]) != width:
                fields = plural(len(row), "field")
                what = f"line {line} has {fields} where the header has {width}"
                hint = (
                    "quote a field that holds the separator, and write an empty field"
                    " for a missing value"
                )
                raise refusal(str(path), what, hint)
            line = reader.line_num + 1


class _Codes(dict[str, int]):
    def __missing__(self, key: str) -> int:
        self[key] = code = len(self)
        return code


def _collect(
    names: list[str], chunks: Iterable[list[list[str]]]
) -> tuple[dict[str, Column], int]:
    codes = [_Codes() for _ in names]
    parts: list[list[Any]] = [[] for _ in names]
    rows = 0
    for chunk in chunks:
        rows += len(chunk)
        for k, cells in enumerate(zip(*chunk, strict=True)):
            parts[k].append(
                np.fromiter(map(codes[k].__getitem__, cells), np.int64, len(chunk))
            )
    if rows == 0:
        return {}, 0
    return {
        name: Column(np.concatenate(part), tuple(text or None for text in code))
        for name, part, code in zip(names, parts, codes, strict=True)
    }, rows


def _parquet(path: Path) -> pd.DataFrame:
    import pandas

    try:
        return pandas.read_parquet(path)
    except ImportError:
        hint = "pip install 'phverify[parquet]'"
        raise refusal(str(path), "reading Parquet needs pyarrow", hint) from None
    except Exception as error:  # pyarrow raises its own classes, which we do not import
        raise refusal(str(path), f"is no readable Parquet file: {error}") from None


def from_frame(frame: pd.DataFrame, where: str = "DataFrame") -> Table:
    """A DataFrame.  Its index plays no part; NaN, None, NaT and NA are missing; 2.0 and
    2 are one number.
    """
    names = _unique_names([str(name) for name in frame.columns], where)
    if len(frame) == 0:
        raise refusal(where, "the table has no rows")
    columns = {name: _column(frame.iloc[:, k]) for k, name in enumerate(names)}
    return Table(where, columns, len(frame))


def _column(series: pd.Series[Any]) -> Column:
    import pandas

    plain = series.dtype != object or pandas.api.types.infer_dtype(
        series, skipna=True
    ) in ("string", "empty")
    texts = (
        plain
        and not isinstance(series.dtype, pandas.CategoricalDtype)
        and series.dtype.kind not in "Mm"
    )
    whole_days = texts or not any(
        _has_time(cell) for cell in (series.unique() if plain else series)
    )
    values = (
        series
        if plain
        else pandas.Series([_text(cell, whole_days) for cell in series], dtype=object)
    )
    codes, uniques = pandas.factorize(values, use_na_sentinel=True)
    labels: list[Label] = [_text(value, whole_days) for value in _values(uniques)]
    if not (codes < 0).any():
        labels = [
            label or None for label in labels
        ]  # an empty text is a missing cell, as in a CSV
    else:
        codes = np.where(codes < 0, len(labels), codes)
        labels.append(None)
    return Column(*merge_labels(codes.astype(np.int64), labels))


def _has_time(cell: Any) -> bool:
    """Whether a cell is a moment within a day."""
    import pandas

    return (
        isinstance(cell, datetime.datetime)
        and not pandas.isna(cell)
        and cell.time() != datetime.time()
    )


def _values(uniques: Any) -> Any:
    """The distinct values in their own type (a float32 is not widened)."""
    import pandas

    if isinstance(uniques, pandas.CategoricalIndex):
        uniques = uniques.astype(uniques.categories.dtype)
    array = uniques.to_numpy() if hasattr(uniques, "to_numpy") else uniques
    return uniques if array.dtype.kind in "Mm" else array


def _text(cell: Any, whole_days: bool = False) -> Label:
    """The text of a cell: numbers by value, dates in ISO form, anything else as Python
    writes it.
    """
    import pandas

    if isinstance(cell, str):
        return str(cell)
    if pandas.api.types.is_scalar(cell) and pandas.isna(cell):
        return None
    if isinstance(cell, (bool, np.bool_)):
        return str(bool(cell))
    if isinstance(cell, (float, np.floating, Decimal)):
        return _number_text(cell)
    if isinstance(cell, datetime.datetime):
        return cell.date().isoformat() if whole_days else cell.isoformat()
    return str(cell)


def _number_text(cell: Any) -> str:
    if isinstance(cell, Decimal):
        text = f"{cell:f}" if cell.is_finite() else str(cell)
        text = text.rstrip("0").rstrip(".") if "." in text else text
        return "0" if text == "-0" else text
    value = float(cell)
    return (
        str(int(value))
        if value.is_integer()
        else repr(value)
        if isinstance(cell, float)
        else str(cell)
    )
