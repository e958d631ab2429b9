"""Tables: the same content gives the same answer, however it is stored; the quotient
counts right.
"""

from __future__ import annotations

import datetime
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phverify import Policy
from phverify.errors import InputError
from phverify.exact import LIMIT
from phverify.microdata.dataframes import from_frame
from phverify.microdata.hierarchy import read_hierarchy
from phverify.microdata.histogram import histogram
from phverify.microdata.quotient import Quotient, packed, quotient
from phverify.microdata.read import read
from phverify.microdata.table import Column, Label, Table
from phverify.spec.data import domain, fitting
from phverify.spec.separated import find_separator
from phverify.spec.source import rational
from phverify.spec.types import TEXT, ValueType
from phverify.verbs.verify import verify

Cells = dict[str, list[Label]]


def cells(table: Table) -> Cells:
    return {name: column.cells() for name, column in table.columns.items()}


def of_frame(**columns: Any) -> Cells:
    return cells(from_frame(pd.DataFrame(columns)))


def of_text(folder: Path, text: str | bytes, wanted: Sequence[str] = ()) -> Cells:
    return cells(table_of(folder, text, wanted))


def table_of(folder: Path, text: str | bytes, wanted: Sequence[str] = ()) -> Table:
    path = folder / "table.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read(path, wanted)


# --- CSV
# ---------------------------------------------------------------------------------------------

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


@settings(max_examples=60)
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


# --- DataFrames
# ----------------------------------------------------------------------------------------

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


@settings(max_examples=100)
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


# --- one answer for all sources
# --------------------------------------------------------------------------


def policy(**columns: Any) -> Policy:
    roles = columns or {"quasi": ["age", "zip"], "sensitive": ["health", "pay"]}
    rules = {
        "k": "k_anonymity(2)",
        "l": "l_diversity(health, 2)",
        "t": "t_closeness(pay, 0.3, distance=ordered)",
        "sick": "forall i: @i l_a1(health = flu) <= 1/2",
        "pay": "@i1 ~[a1] pay >= 40",
    }
    if columns:
        return Policy.from_dict({"columns": roles, "rules": {"k": "k_anonymity(2)"}})
    return Policy.from_dict(
        {"columns": roles, "types": {"pay": "integer"}, "rules": rules}
    )


def people(rows: int = 40, seed: int = 1) -> pd.DataFrame:
    chance = random.Random(seed)
    ages, zips = [20, 30, 40], ["0100", "0200"]
    ills, pays = ["flu", "cold", "gout, severe"], [10, 20, 30, 40, 50]
    columns: Mapping[str, Sequence[Any]] = {
        "age": ages,
        "zip": zips,
        "health": ills,
        "pay": pays,
    }
    return pd.DataFrame(
        {
            name: [chance.choice(domain) for _ in range(rows)]
            for name, domain in columns.items()
        }
    )


def answer(release: Any, **options: Any) -> Any:
    """What must not depend on how a table is stored."""
    report = verify(release, policy(), **options)
    rules = [
        (
            r.name,
            r.verdict,
            r.witness and (r.witness.cls, r.witness.failing, r.witness.facts),
        )
        for r in report.rules
    ]
    return report.rows, report.classes, report.individuals, rules


def verdicts(release: Any) -> Any:
    """What must not depend on the order of rows either (a witness may be another class
    that is as bad).
    """
    report = verify(release, policy())
    rules = [
        (r.name, r.verdict, r.witness and r.witness.failing)
        for r in report.rules
        if r.name != "pay"
    ]
    return report.verdict, report.rows, report.classes, rules


def test_the_answer_is_worth_comparing() -> None:
    found = {r.verdict for r in verify(people(), policy()).rules}
    assert found == {"proved", "refuted"}


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_csv_and_frame_give_one_answer(tmp_path: Path, separator: str) -> None:
    frame, path = people(), tmp_path / "release.csv"
    frame.to_csv(path, index=False, sep=separator)
    assert answer(path) == answer(str(path)) == answer(frame)


@pytest.mark.parametrize("suffix", [".parquet", ".pq"])
def test_parquet_and_frame_give_one_answer(tmp_path: Path, suffix: str) -> None:
    pytest.importorskip("pyarrow")
    frame, path = people(), tmp_path / f"release{suffix}"
    frame.loc[3, "health"] = None
    frame.set_index(pd.Index(range(100, 100 + len(frame)))).to_parquet(path)
    assert answer(path) == answer(frame)


def test_a_parquet_file_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "release.parquet"
    path.write_text("age,zip\n1,2\n")
    with pytest.raises(InputError, match="arquet"):
        read(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda f: f.astype(object),
        lambda f: f.astype(str),
        lambda f: f.astype("category"),
        lambda f: f.astype("string[python]"),
        lambda f: f.astype({"age": "Int64", "pay": float}),
        lambda f: f.astype(
            {"zip": pd.CategoricalDtype(["0000", "0100", "0200", "0300"])}
        ),
        lambda f: f.set_index(f["zip"]),
        lambda f: f.set_axis([5] * len(f), axis=0),
        lambda f: f[["pay", "health", "zip", "age"]],
    ],
    ids=[
        "object",
        "str",
        "category",
        "string",
        "numbers",
        "unused levels",
        "index",
        "same index",
        "columns",
    ],
)
def test_the_form_of_a_frame_plays_no_part_in_the_answer(
    change: Callable[[pd.DataFrame], pd.DataFrame],
) -> None:
    assert answer(change(people())) == answer(people())


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT, float("nan")])
def test_every_sign_of_a_missing_cell_gives_one_answer(
    tmp_path: Path, missing: Any
) -> None:
    frame = people().astype(object)
    frame.loc[[1, 5, 9], "health"] = None
    frame.loc[[2, 5], "age"] = None
    changed = frame.copy()
    for row, column in [
        (1, "health"),
        (5, "health"),
        (9, "health"),
        (2, "age"),
        (5, "age"),
    ]:
        changed.at[row, column] = missing
    path = tmp_path / "release.csv"
    frame.to_csv(path, index=False)
    assert answer(changed) == answer(frame) == answer(path)


def test_an_empty_text_is_missing_in_frames_as_in_files(tmp_path: Path) -> None:
    """In a quasi-identifier that holds both, the two stay apart: whoever sees the frame
    can tell them apart.
    """
    frame = people().astype(object)
    frame.loc[[1, 2], "zip"] = ["", ""]
    frame.loc[[3, 4], "health"] = ["", None]
    path = tmp_path / "release.csv"
    frame.to_csv(path, index=False)
    assert answer(frame) == answer(path)


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_rows_changes_no_verdict(seed: int) -> None:
    frame = people(60, seed)
    expected = verdicts(frame)
    for k in range(3):
        assert verdicts(frame.sample(frac=1, random_state=k)) == expected


def test_the_order_of_rows_changes_nothing_for_named_individuals() -> None:
    frame = people()
    frame["name"] = [f"p{k}" for k in range(len(frame))]
    roles = {"quasi": ["age", "zip"], "sensitive": ["health"], "identifier": "name"}
    rules = {
        "r": "@'p3' l_a1(health = flu) <= 1/3",
        "s": "@'p7' ~[a1] 'p3'",
        "w": "k_anonymity(3)",
    }
    held = Policy.from_dict({"columns": roles, "rules": rules})

    def found(table: pd.DataFrame) -> Any:
        release = table.drop(columns="name").sample(frac=1, random_state=5)
        report = verify(release, held, table)
        return (
            [(r.verdict, r.witness and r.witness.cls) for r in report.rules][:2],
            report.classes,
            report.verdict,
        )

    expected = found(frame)
    for k in range(3):
        assert found(frame.sample(frac=1, random_state=k)) == expected


# --- types
# ---------------------------------------------------------------------------------------------

DIGITS = st.text("0123456789", min_size=1, max_size=6)
SIGN = st.sampled_from(["", "+", "-"])
SPACE = st.sampled_from(["", " ", "\t"])
INTEGERS = st.builds(
    lambda *parts: "".join(parts),
    SPACE,
    SIGN,
    st.sampled_from(["", "0", "00"]),
    DIGITS,
    SPACE,
)
DECIMALS = st.one_of(
    INTEGERS,
    st.builds(
        lambda s, a, b, e: f"{s}{a}.{b}{e}",
        SIGN,
        DIGITS,
        DIGITS,
        st.sampled_from(["", "0", "e2", "E-3", "%"]),
    ),
    st.builds(lambda s, b: f"{s}.{b}", SIGN, DIGITS),
    st.builds(lambda s, a: f"{s}{a}.", SIGN, DIGITS),
    st.builds(lambda s, a, b: f"{s}{a}/{b}", SIGN, DIGITS, st.integers(1, 1000)),
)
KINDS = {"integer": INTEGERS, "decimal": DECIMALS}


def value_of(kind: str, text: str) -> Fraction:
    """The value by another route than the one under test."""
    text = text.strip()
    if kind == "integer":
        return Fraction(int(text))
    head, _, below = text.rstrip("%").partition("/")
    result = Fraction(Decimal(head)) / (int(below) if below else 1)
    return result / 100 if text.endswith("%") else result


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_canonical_texts(kind: str, data: st.DataObject) -> None:
    one, two = data.draw(KINDS[kind]), data.draw(KINDS[kind])
    typed = ValueType(kind)
    a, b = typed.canonical(one), typed.canonical(two)
    assert typed.canonical(a) == a
    assert value_of(kind, a) == value_of(kind, one)
    assert (a == b) == (value_of(kind, one) == value_of(kind, two))
    assert (typed.key(a) < typed.key(b)) == (value_of(kind, one) < value_of(kind, two))


@given(st.fractions(), st.fractions())
def test_fractions_have_one_text_each(a: Fraction, b: Fraction) -> None:
    typed = ValueType("decimal")
    one, two = typed.canonical(str(a)), typed.canonical(str(b))
    assert rational(one) == a
    assert (one == two) == (a == b)
    assert (typed.key(one) < typed.key(two)) == (a < b)


@given(
    st.decimals(
        allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9
    ),
    st.integers(0, 5),
)
def test_decimals_have_one_text_each(value: Decimal, zeros: int) -> None:
    typed = ValueType("decimal")
    text = f"{value:f}"
    longer = text + ("" if "." in text else ".") + "0" * zeros
    assert typed.canonical(text) == typed.canonical(longer)
    assert Fraction(Decimal(typed.canonical(text))) == Fraction(value)


@given(st.dates(), st.dates())
def test_dates(a: datetime.date, b: datetime.date) -> None:
    typed = ValueType("date")
    one, two = (
        typed.canonical(f" {a.isoformat()} "),
        typed.canonical(b.strftime("%Y%m%d").rjust(8, "0")),
    )
    assert (one, two) == (a.isoformat(), b.isoformat())
    assert (typed.key(one) < typed.key(two)) == (a < b)


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        (
            "integer",
            [
                "",
                " ",
                "1.0",
                "1e3",
                "0x1",
                "1_000",
                "one",
                "1 2",
                "--1",
                "+",
                "½",
                "1/1",
                "٣",
            ],
        ),
        (
            "decimal",
            [
                "",
                "1,5",
                "1.2.3",
                "1_0",
                "nan",
                "inf",
                "1/0",
                "e5",
                "0x1",
                ".",
                "1//2",
                "1/-2",
                "%",
            ],
        ),
        (
            "date",
            ["", "23.03.1956", "1956-3-23", "1956-02-30", "today", "1956-03-23T10:00"],
        ),
    ],
)
def test_texts_of_no_type(kind: str, texts: list[str]) -> None:
    for text in texts:
        with pytest.raises(ValueError):
            ValueType(kind).canonical(text)


def test_ordered_values() -> None:
    typed = ValueType("ordered", ("low", "mid", "high"))
    assert sorted(["high", "low", "mid"], key=typed.key) == ["low", "mid", "high"]
    with pytest.raises(ValueError):
        typed.canonical("Low")


@given(st.text(max_size=5))
def test_text_is_left_alone(text: str) -> None:
    assert TEXT.canonical(text) == text


def test_two_spellings_of_one_value_are_one_confidential_value() -> None:
    frame = pd.DataFrame(
        {"zip": ["1"] * 4, "pay": ["7", "007", " 7", "+7"]}, dtype=object
    )
    held = {
        "columns": {"quasi": ["zip"], "sensitive": ["pay"]},
        "rules": {"r": "l_diversity(pay, 2)"},
    }
    assert verify(frame, Policy.from_dict(held)).verdict == "proved"
    assert (
        verify(frame, Policy.from_dict({**held, "types": {"pay": "integer"}})).verdict
        == "refuted"
    )


# --- quotient
# ------------------------------------------------------------------------------------------


def columns_of(rows: Sequence[Sequence[int]]) -> dict[str, Column]:
    """Columns with labels in the order in which they first occur."""
    result = {}
    for k, values in enumerate(zip(*rows, strict=True)):
        labels = list(dict.fromkeys(values))
        codes = np.array([labels.index(v) for v in values], dtype=np.int64)
        result[f"c{k}"] = Column(codes, tuple(f"v{v}" if v else None for v in labels))
    return result


def grouped(
    columns: Mapping[str, Column],
    quasi: Sequence[str],
    others: Sequence[str],
    rows: int,
) -> Any:
    def row_of(names: Sequence[str], row: int) -> tuple[Label, ...]:
        return tuple(columns[n].labels[int(columns[n].codes[row])] for n in names)

    found: dict[tuple[Label, ...], Counter[tuple[Label, ...]]] = {}
    for row in range(rows):
        found.setdefault(row_of(quasi, row), Counter())[row_of(others, row)] += 1
    return found


def held_by(q: Quotient) -> Any:
    found: dict[tuple[Label, ...], Counter[tuple[Label, ...]]] = {}
    for c in range(q.classes):
        inside: Counter[tuple[Label, ...]] = Counter()
        for cell in range(int(q.starts[c]), int(q.starts[c + 1])):
            key = tuple(q.labels[n][int(q.codes[n][cell])] for n in q.others)
            assert key not in inside, "a cell occurs twice"
            inside[key] = int(q.counts[cell])
        values = tuple(q.class_values(c).values())
        assert values not in found, "a class occurs twice"
        found[values] = inside
    return found


def check_quotient(
    columns: Mapping[str, Column],
    quasi: Sequence[str],
    others: Sequence[str],
    rows: int,
) -> Quotient:
    q = quotient(columns, quasi, others, rows)
    expected = grouped(columns, quasi, others, rows)
    assert held_by(q) == expected
    assert (q.rows, q.classes, q.cells) == (
        rows,
        len(expected),
        sum(map(len, expected.values())),
    )
    assert int(q.counts.sum()) == rows
    assert q.sizes.tolist() == [
        sum(expected[tuple(q.class_values(c).values())].values())
        for c in range(q.classes)
    ]
    assert q.class_of_cell.tolist() == [
        c for c in range(q.classes) for _ in range(q.starts[c], q.starts[c + 1])
    ]
    if quasi:
        index = q.class_of([columns[n].codes for n in quasi]).tolist()
        for row, c in enumerate(index):
            here = {n: columns[n].labels[int(columns[n].codes[row])] for n in quasi}
            assert q.class_values(c) == here
        unpacked = q.packing.unpack(q.class_keys)
        for name, codes in zip(quasi, unpacked, strict=True):
            assert codes.tolist() == q.codes[name][q.starts[:-1]].tolist()
    for known in (quasi[:1], quasi[1:], quasi[::2], quasi[::-1], ()):
        numbers = q.agent_cells(known).tolist()
        seen = [tuple(q.class_values(c)[n] for n in known) for c in range(q.classes)]
        assert len(numbers) == q.classes
        assert (
            len(set(zip(numbers, seen, strict=True)))
            == len(set(numbers))
            == len(set(seen))
        )
    return q


@settings(max_examples=150)
@given(st.data())
def test_quotient_of_random_tables(data: st.DataObject) -> None:
    width, most = data.draw(st.integers(1, 6)), data.draw(st.integers(0, 3))
    row = st.lists(st.integers(0, most), min_size=width, max_size=width)
    rows = data.draw(st.lists(row, min_size=1, max_size=25))
    columns = columns_of(rows)
    names = data.draw(st.permutations(list(columns)))
    cut = data.draw(st.integers(0, width))
    check_quotient(columns, names[:cut], names[cut:], len(rows))


@settings(max_examples=40)
@given(
    st.integers(0, 2**32), st.integers(1, 40), st.integers(0, 40), st.integers(2, 60)
)
def test_quotient_of_wide_tables(seed: int, quasi: int, others: int, rows: int) -> None:
    chance = random.Random(seed)
    base = [
        [chance.randrange(1, rows + 1) for _ in range(quasi + others)]
        for _ in range(max(2, rows // 2))
    ]
    table = [list(chance.choice(base)) for _ in range(rows)]
    for _ in range(rows // 3):
        table[chance.randrange(rows)][chance.randrange(quasi + others)] = 0
    columns = columns_of(table)
    names = list(columns)
    check_quotient(columns, names[:quasi], names[quasi:], rows)


@pytest.mark.parametrize(
    ("quasi", "others"),
    [(9, 0), (9, 1), (9, 9), (1, 8), (1, 9), (3, 8), (30, 30), (0, 9)],
)
def test_quotient_beyond_62_bits(quasi: int, others: int) -> None:
    """Columns in which every row has its own value: 200 ** 9 keys and more."""
    rows, chance = 200, random.Random(quasi)
    width = quasi + others
    assert rows**9 > LIMIT
    columns = columns_of(
        list(
            zip(*(chance.sample(range(rows), rows) for _ in range(width)), strict=True)
        )
    )
    q = check_quotient(columns, list(columns)[:quasi], list(columns)[quasi:], rows)
    assert q.cells == rows
    assert q.classes == (rows if quasi else 1)


@pytest.mark.parametrize("rows", [2, 3, 50, 127, 128, 129, 300])
@pytest.mark.parametrize("width", [6, 7, 8, 9, 10, 20, 62, 63, 64])
def test_packing_and_back(rows: int, width: int) -> None:
    chance = np.random.default_rng(rows * width)
    columns = [chance.integers(0, rows, rows) for _ in range(width)]
    packing, keys, space = packed(columns, [rows] * width, rows)
    assert 0 <= int(keys.min()) <= int(keys.max()) < space < LIMIT
    assert packing.pack(columns).tolist() == keys.tolist()
    assert [c.tolist() for c in packing.unpack(keys)] == [c.tolist() for c in columns]


def test_a_unique_row_stays_unique_beside_many_confidential_columns() -> None:
    """A verdict must not be proved because keys overflowed."""
    rows = 200
    chance = random.Random(4)
    sensitive = {f"s{k}": chance.sample(range(rows), rows) for k in range(8)}
    frame = pd.DataFrame({"q": range(rows), **sensitive})
    rules = {
        "k": "k_anonymity(2)",
        **{name: f"l_diversity({name}, 1)" for name in sensitive},
    }
    report = verify(
        frame,
        Policy.from_dict(
            {"columns": {"quasi": ["q"], "sensitive": list(sensitive)}, "rules": rules}
        ),
    )
    assert report.classes == rows
    assert report.rules[0].verdict == "refuted"


# --- hierarchies
# -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("separator", [";", ",", "\t", "|"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_hierarchies(tmp_path: Path, separator: str, newline: str) -> None:
    lines = [["flu", "lung", "*"], ["gout", "joint", "*"], ["cold", "lung", "*"]]
    path = tmp_path / "h.csv"
    path.write_bytes(
        ("\ufeff" + "".join(separator.join(line) + newline for line in lines)).encode()
    )
    found = read_hierarchy(path)
    assert dict(found.paths) == {line[0]: tuple(line) for line in lines}
    assert list(found.paths) == ["flu", "gout", "cold"]
    assert found.levels == 2
    assert found.rooted()


def test_a_hierarchy_with_commas_in_values_and_semicolons_between(
    tmp_path: Path,
) -> None:
    path = tmp_path / "h.csv"
    path.write_text("gout, severe;joint\nflu, mild;lung\n")
    found = read_hierarchy(path)
    assert found.paths["gout, severe"] == ("gout, severe", "joint")
    assert not found.rooted()


def test_texts_by_row() -> None:
    """Of the columns that are asked for, those that are there; an empty text is a
    missing cell.
    """
    table = from_frame(
        pd.DataFrame(
            {"g": ["x", "y", "x"], "f": ["", None, "a"], "h": ["1", "2", "3"]}
        ),
        "frame",
    )
    assert table.plain(["f", "g", "absent"]) == {
        "g": ("x", "y", "x"),
        "f": (None, None, "a"),
    }


def test_values_in_the_order_of_their_type() -> None:
    integer = ValueType("integer")
    assert domain(integer, ("10", "9", None, "-1")) == ("-1", "9", "10", None)
    assert domain(TEXT, ("b", None, "10", "9")) == ("10", "9", "b", None)
    assert fitting(integer, ("10", None, "9")) == integer
    assert fitting(integer, ("7", "07")) == fitting(integer, ("7", "x")) == TEXT


def test_classes_with_the_same_values_and_other_counts_are_asked_by_themselves() -> (
    None
):
    frame = pd.DataFrame({"q": list("xxyyy"), "s": list("abaab")})
    columns = from_frame(frame).columns
    found = histogram(quotient(columns, ["q"], ["s"], len(frame)), "s")
    assert found.by_class(
        lambda inside, whole: inside["a"] > 1 and whole["a"] == 3
    ).tolist() == [False, True]
    assert found.by_counts(lambda counts: max(counts) > 1).tolist() == [False, True]
