"""Tables: the same content gives the same answer, however it is stored; the quotient
counts right.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.so_many import so_many
from support.tables_cases import policy

from phverify.errors import InputError
from phverify.microdata.dataframes import from_frame
from phverify.microdata.read import read
from phverify.microdata.table import CodedTable, Label
from phverify.spec.separated import find_separator
from phverify.verbs.verify import verify

Cells = dict[str, list[Label]]


def cells(table: CodedTable) -> Cells:
    return {name: column.cells() for name, column in table.columns.items()}


def of_frame(**columns: Any) -> Cells:
    return cells(from_frame(pd.DataFrame(columns)))


def of_text(folder: Path, text: str | bytes, wanted: Sequence[str] = ()) -> Cells:
    return cells(table_of(folder, text, wanted))


def table_of(folder: Path, text: str | bytes, wanted: Sequence[str] = ()) -> CodedTable:
    path = folder / "table.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read(path, wanted)


PLAIN = {"zip": ["10", "20"], "health": ["ill", "well"]}


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "BOM"])
@pytest.mark.parametrize(
    "last", [True, False], ids=["newline at the end", "no newline at the end"]
)
def test_the_writing_of_a_csv_plays_no_part(
    tmp_path: Path, separator: str, newline: str, mark: str, last: bool
) -> None:
    lines = [separator.join(row) for row in (PLAIN, *zip(*PLAIN.values(), strict=True))]
    text = mark + newline.join(lines) + (newline if last else "")
    table = table_of(tmp_path, text)
    assert cells(table) == PLAIN
    assert bool(table.notes) == (separator != ",")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('a,b\n"x,y",1\n', {"a": ["x,y"], "b": ["1"]}),
        ('a;b\n"x;y";1,5\n', {"a": ["x;y"], "b": ["1,5"]}),
        ('a,b\n"two\nlines",1\nz,2\n', {"a": ["two\nlines", "z"], "b": ["1", "2"]}),
        ('a,b\n"two\r\nlines",1\r\n', {"a": ["two\r\nlines"], "b": ["1"]}),
        ('a,b\n"say ""hi""",1\n', {"a": ['say "hi"'], "b": ["1"]}),
        ('"a,c",b\n1,2\n', {"a,c": ["1"], "b": ["2"]}),
        ('"a;c",b\n1,2\n', {"a;c": ["1"], "b": ["2"]}),
        ("a,b\n,1\nx,\n", {"a": [None, "x"], "b": ["1", None]}),
        ('a,b\n"",1\n', {"a": [None], "b": ["1"]}),
        ("a,b\n\n1,2\n\n\n3,4\n\n", {"a": ["1", "3"], "b": ["2", "4"]}),
        ("a,b\n 1 ,é\n", {"a": [" 1 "], "b": ["é"]}),
        ("a,b\nNaN,null\nNone,NA\n", {"a": ["NaN", "None"], "b": ["null", "NA"]}),
        ("a,b\n007,1.50\n7,1.5\n", {"a": ["007", "7"], "b": ["1.50", "1.5"]}),
        ("a\nx\ny\n", {"a": ["x", "y"]}),
        ("a\nx\n\ny\n", {"a": ["x", None, "y"]}),
    ],
)
def test_fields(tmp_path: Path, text: str, expected: Cells) -> None:
    assert of_text(tmp_path, text) == expected


@pytest.mark.parametrize(
    ("header", "wanted", "expected"),
    [
        ("a,b", [], ","),
        ("a;b", [], ";"),
        ("a\tb", [], "\t"),
        ("a|b", [], "|"),
        ("a", [], ","),
        ("a,b;c,d", [], ","),
        ("a;b,c;d", [], ";"),
        ("a,b;c", [], ","),  # two columns either way: comma on a tie
        ("a,b;c", ["c"], ";"),
        ("a,b;c", ["a"], ","),
        (
            "a,b,c;d",
            ["a,b,c", "d"],
            ";",
        ),  # wanted columns outweigh the number of columns
        ('"a;b;c",d', [], ","),
        ('"a,b,c";d', [], ";"),
    ],
)
def test_find_separator(header: str, wanted: list[str], expected: str) -> None:
    assert find_separator(header, wanted) == expected


def test_wanted_columns_decide_the_separator_of_a_file(tmp_path: Path) -> None:
    text = "name, first;zip\nDoe, Jane;10\n"
    assert of_text(tmp_path, text, ["zip"]) == {
        "name, first": ["Doe, Jane"],
        "zip": ["10"],
    }


def test_many_rows_are_read_in_chunks(tmp_path: Path) -> None:
    count = 45_001
    text = "a,b\n" + "".join(f"{k % 7},{k}\n" for k in range(count))
    table = table_of(tmp_path, text)
    assert table.rows == count
    assert table.columns["a"].labels == tuple(map(str, range(7)))
    assert cells(table)["b"] == [str(k) for k in range(count)]


def test_a_ragged_row_deep_in_a_file_is_named_by_its_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\b30003\b"):
        table_of(tmp_path, "a,b\n" + "1,2\n" * 30_001 + "1\n" + "1,2\n" * 10)


def test_lines_are_counted_through_quoted_newlines(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 5\b"):
        table_of(tmp_path, 'a,b\n"one\ntwo\nthree",1\n1,2,3\n')


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\r\x00"), max_size=6)


@so_many(30, fuzz=1000)
@given(st.data())
def test_csv_and_frame_agree(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    width = data.draw(st.integers(2, 4))
    rows = data.draw(
        st.lists(
            st.lists(TEXTS, min_size=width, max_size=width), min_size=1, max_size=8
        )
    )
    frame = pd.DataFrame(rows, columns=[f"c{k}" for k in range(width)], dtype=object)
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    frame.to_csv(path, index=False, lineterminator="\n")
    expected = {
        n: [text or None for text in column]
        for n, column in cells(from_frame(frame)).items()
    }
    assert cells(read(path)) == expected


N = 6


INDEXES: dict[str, Any] = {
    "shuffled": [3, 1, 0, 5, 2, 4],
    "duplicated": [0, 0, 1, 1, 0, 7],
    "text": list("fedcba"),
    "many levels": pd.MultiIndex.from_product(
        [["x", "y"], [1, 2, 3]], names=["zip", "health"]
    ),
    "dates": pd.date_range("2020-01-01", periods=N),
    "missing": [np.nan, None, 1, 2, 3, 4],
    "named like a column": pd.Index([9, 8, 7, 6, 5, 4], name="zip"),
}


@pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES.keys())
def test_the_index_plays_no_part(index: Any) -> None:
    plain = pd.DataFrame(
        {"zip": [1, 1, 2, 2, 3, 3], "health": ["a", None, "b", "a", "a", "b"]}
    )
    assert cells(from_frame(plain.set_axis(index, axis=0))) == cells(from_frame(plain))


def test_a_sorted_or_filtered_frame_is_read_in_its_own_order() -> None:
    frame = pd.DataFrame({"a": [3, 1, 2]}).sort_values("a")
    assert cells(from_frame(frame)) == {"a": ["1", "2", "3"]}
    assert cells(from_frame(frame[frame["a"] > 1])) == {"a": ["2", "3"]}


NUMBERS: Cells = {"a": ["1", "2", None, "1"]}


NUMBER_COLUMNS: dict[str, Callable[[], pd.Series[Any]]] = {
    "float": lambda: pd.Series([1.0, 2.0, np.nan, 1.0]),
    "float32": lambda: pd.Series([1.0, 2.0, np.nan, 1.0], dtype="float32"),
    "Float64": lambda: pd.Series([1.0, 2.0, None, 1.0], dtype="Float64"),
    "Int64": lambda: pd.Series([1, 2, None, 1], dtype="Int64"),
    "UInt8": lambda: pd.Series([1, 2, None, 1], dtype="UInt8"),
    "text": lambda: pd.Series(["1", "2", None, "1"]),
    "text object": lambda: pd.Series(["1", "2", None, "1"], dtype=object),
    "text NaN": lambda: pd.Series(["1", "2", np.nan, "1"], dtype=object),
    "string[python]": lambda: pd.Series(["1", "2", None, "1"], dtype="string[python]"),
    "object ints": lambda: pd.Series([1, 2, None, 1], dtype=object),
    "object floats": lambda: pd.Series([1.0, 2.0, float("nan"), 1.0], dtype=object),
    "object mixed": lambda: pd.Series([1, 2.0, pd.NA, "1"], dtype=object),
    "object numpy": lambda: pd.Series(
        [np.int8(1), np.float64(2), pd.NaT, np.int64(1)], dtype=object
    ),
    "decimals": lambda: pd.Series(
        [Decimal("1"), Decimal("2.0"), None, Decimal("1.00")], dtype=object
    ),
    "category": lambda: pd.Series([1, 2, None, 1]).astype("category"),
    "category of text": lambda: pd.Series(
        ["1", "2", None, "1"], dtype=pd.CategoricalDtype(["9", "2", "1"])
    ),
    "category of ints": lambda: pd.Series(
        [1, 2, None, 1], dtype=pd.CategoricalDtype([7, 2, 1, 8], ordered=True)
    ),
    "sparse": lambda: pd.Series([1.0, 2.0, np.nan, 1.0], dtype="Sparse[float64]"),
}


@pytest.mark.parametrize("make", NUMBER_COLUMNS.values(), ids=NUMBER_COLUMNS.keys())
def test_the_dtype_plays_no_part(make: Callable[[], pd.Series[Any]]) -> None:
    table = from_frame(pd.DataFrame({"a": make()}))
    assert cells(table) == NUMBERS
    assert set(table.columns["a"].labels) == {"1", "2", None}, "only values that occur"


@pytest.mark.parametrize(
    "dtype",
    [
        "int8",
        "int64",
        "uint64",
        "Int32",
        "float32",
        "float64",
        "object",
        "str",
        "category",
    ],
)
def test_the_dtype_plays_no_part_without_missing_cells(dtype: str) -> None:
    assert of_frame(a=pd.Series([3, 1, 3]).astype(dtype)) == {"a": ["3", "1", "3"]}


@pytest.mark.parametrize("dtype", ["bool", "boolean", "object", "category", "str"])
def test_truth_values(dtype: str) -> None:
    assert of_frame(a=pd.Series([True, False, True]).astype(dtype)) == {
        "a": ["True", "False", "True"]
    }


def test_all_signs_of_a_missing_cell_are_one() -> None:
    found = [
        None,
        np.nan,
        float("nan"),
        pd.NA,
        pd.NaT,
        Decimal("NaN"),
        np.datetime64("NaT"),
        "x",
    ]
    assert of_frame(a=pd.Series(found, dtype=object)) == {"a": [None] * 7 + ["x"]}
    column = from_frame(pd.DataFrame({"a": pd.Series(found, dtype=object)})).columns[
        "a"
    ]
    assert sorted(column.labels, key=str) == [None, "x"]
    assert column.missing() == 7


@pytest.mark.parametrize(
    "dtype",
    [object, "float64", "Int64", "string[python]", "datetime64[ns]", "category"],
)
def test_a_column_of_missing_cells(dtype: Any) -> None:
    assert of_frame(a=pd.Series([None, None], dtype=dtype), b=[1, 2]) == {
        "a": [None, None],
        "b": ["1", "2"],
    }


DAYS = ["2020-01-31", None, "1956-03-23"]


DAY_COLUMNS: dict[str, Callable[[], pd.Series[Any]]] = {
    "datetime64": lambda: pd.to_datetime(pd.Series(DAYS)),
    "datetime64[s]": lambda: pd.to_datetime(pd.Series(DAYS)).astype("datetime64[s]"),
    "category": lambda: pd.to_datetime(pd.Series(DAYS)).astype("category"),
    "object of Timestamp": lambda: pd.Series(
        [pd.Timestamp(d) if d else None for d in DAYS], dtype=object
    ),
    "object of datetime": lambda: pd.Series(
        [datetime.datetime.fromisoformat(d) if d else None for d in DAYS], dtype=object
    ),
    "object of date": lambda: pd.Series(
        [datetime.date.fromisoformat(d) if d else None for d in DAYS], dtype=object
    ),
    "text": lambda: pd.Series(DAYS, dtype=object),
}


@pytest.mark.parametrize("make", DAY_COLUMNS.values(), ids=DAY_COLUMNS.keys())
def test_days_are_read_alike(make: Callable[[], pd.Series[Any]]) -> None:
    assert of_frame(a=make()) == {"a": DAYS}


def test_times_of_day_are_kept() -> None:
    found = of_frame(
        a=pd.to_datetime(pd.Series(["2020-01-01 00:00:00", "2020-01-01 12:30:00"]))
    )
    assert found == {"a": ["2020-01-01T00:00:00", "2020-01-01T12:30:00"]}


@pytest.mark.parametrize(
    "values",
    [
        [
            Decimal("0.1234567890123456789012345678901"),
            Decimal("0.1234567890123456789012345678902"),
        ],
        [10**30, 10**30 + 1],
        [2**63 - 1, 2**63 - 2],
        [0.1, 0.1 + 2**-55],
        [1e300, 1.0000000000000002e300],
        ["a", "a "],
        ["é", "e\u0301"],
        [Decimal("Infinity"), Decimal("1")],
        [float("inf"), 1.5],
    ],
    ids=lambda values: type(values[0]).__name__,
)
def test_different_values_stay_apart(values: list[Any]) -> None:
    labels = (
        from_frame(pd.DataFrame({"a": pd.Series(values, dtype=object)}))
        .columns["a"]
        .labels
    )
    assert len(labels) == 2
    assert None not in labels


@so_many(50, fuzz=1000)
@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=6)
)
def test_floats_are_read_by_value(values: list[float]) -> None:
    texts = cells(from_frame(pd.DataFrame({"a": values})))["a"]
    assert [float(text or "") for text in texts] == values


def test_single_precision_is_read_as_pandas_writes_it(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": np.array([0.1, 2.5, 3.0], dtype="float32"), "b": 1})
    assert cells(from_frame(frame))["a"] == ["0.1", "2.5", "3"]


@pytest.mark.parametrize("names", [["a", "a"], [1, "1"], [1, 1.0]])
def test_columns_with_one_name_are_refused(names: list[Any]) -> None:
    with pytest.raises(InputError, match="twice"):
        from_frame(pd.DataFrame([[1, 2]], columns=names))


def test_names_that_are_no_text_become_text() -> None:
    assert cells(from_frame(pd.DataFrame([[1, 2]], columns=[2020, 2021]))) == {
        "2020": ["1"],
        "2021": ["2"],
    }


@pytest.mark.parametrize(
    "frame", [pd.DataFrame(), pd.DataFrame({"a": []}), pd.DataFrame(index=[1, 2])]
)
def test_an_empty_frame_is_refused(frame: pd.DataFrame) -> None:
    with pytest.raises(InputError):
        verify(frame, policy(quasi=["a"]))


@pytest.mark.parametrize("source", [3, None, ["a"], {"a": [1]}, 2.5])
def test_what_is_no_table_is_refused(source: Any) -> None:
    with pytest.raises(InputError, match=r"DataFrame|path"):
        read(source)
