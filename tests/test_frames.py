"""The same data in frames of any library, in files, and in databases are one table."""

from __future__ import annotations

import datetime
import subprocess
import sys
import uuid
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.so_many import so_many

import phverify as ph
from phverify.errors import InputError
from phverify.microdata.read import read
from phverify.microdata.table import CodedTable, Label

Cells = dict[str, list[Label]]


def cells(table: CodedTable) -> Cells:
    return {name: column.cells() for name, column in table.columns.items()}


def valid(table: CodedTable) -> None:
    """Codes are those of labels that all occur, each once."""
    for column in table.columns.values():
        assert column.codes.dtype == np.int64
        assert len(column.codes) == table.rows
        assert sorted(set(column.codes.tolist())) == [*range(len(column.labels))]
        assert len(set(column.labels)) == len(column.labels)


DAY = datetime.date(2020, 1, 31)
NOON = datetime.datetime(2020, 1, 31, 12, 30)
MIDNIGHT = datetime.datetime(2020, 1, 31)
CASES: dict[str, tuple[pa.DataType, list[Any], list[Label]]] = {
    "int8": (pa.int8(), [1, None, -1], ["1", None, "-1"]),
    "uint64": (pa.uint64(), [2**64 - 1, 0], ["18446744073709551615", "0"]),
    "wide": (pa.int64(), [2**53 + 1, 2**53, None], [str(2**53 + 1), str(2**53), None]),
    "float": (pa.float64(), [2.0, 0.1, float("nan"), -0.0, 0.0, None], ["2", "0.1", None, "0", "0", None]),
    "float32": (pa.float32(), [0.1, 2.5], ["0.1", "2.5"]),
    "float16": (pa.float16(), [np.float16(0.1), np.float16(2)], ["0.1", "2"]),
    "infinite": (pa.float64(), [float("inf"), float("-inf"), 1e300], ["inf", "-inf", str(int(1e300))]),
    "decimal": (pa.decimal128(12, 3), [Decimal("2.500"), Decimal("2.000"), Decimal("-0.000"), None], ["2.5", "2", "0", None]),
    "decimal256": (pa.decimal256(60, 2), [Decimal("1" * 50 + ".20")], ["1" * 50 + ".2"]),
    "truth": (pa.bool_(), [True, False, None], ["True", "False", None]),
    "text": (pa.string(), ["a", "", None, " ", "é"], ["a", "", None, " ", "é"]),
    "large text": (pa.large_string(), ["a", ""], ["a", None]),
    "view": (pa.string_view(), ["a", "", None], ["a", "", None]),
    "dictionary": (pa.dictionary(pa.int8(), pa.string()), ["b", None, "a", "b"], ["b", None, "a", "b"]),
    "dates": (pa.date32(), [DAY, None], ["2020-01-31", None]),
    "date64": (pa.date64(), [DAY], ["2020-01-31"]),
    "whole days": (pa.timestamp("ns"), [MIDNIGHT, None], ["2020-01-31", None]),
    "moments": (pa.timestamp("s"), [MIDNIGHT, NOON], ["2020-01-31T00:00:00", "2020-01-31T12:30:00"]),
    "microseconds": (pa.timestamp("us"), [NOON.replace(microsecond=5)], ["2020-01-31T12:30:00.000005"]),
    "nanoseconds": (pa.timestamp("ns"), [-1], ["1969-12-31T23:59:59.999999999"]),
    "zone": (pa.timestamp("us", "Europe/Berlin"), [NOON, None], ["2020-01-31T13:30:00+01:00", None]),
    "west": (pa.timestamp("us", "America/St_Johns"), [NOON], ["2020-01-31T09:00:00-03:30"]),
    "old offset": (pa.timestamp("s", "Europe/Berlin"), [datetime.datetime(1880, 1, 1)], ["1880-01-01T00:53:28+00:53:28"]),
    "local midnights": (pa.timestamp("us", "+01:00"), [datetime.datetime(2020, 1, 30, 23)], ["2020-01-31"]),
    "times": (pa.time64("ns"), [10**9 + 1, 3600 * 10**9], ["00:00:01.000000001", "01:00:00"]),
    "time32": (pa.time32("ms"), [1500], ["00:00:01.500000"]),
    "short": (pa.duration("ns"), [1, 1001], ["0 days 00:00:00.000000001", "0 days 00:00:00.000001001"]),
    "intervals": (pa.month_day_nano_interval(), [(0, 1, 10**9), (0, 0, 86_401 * 10**9), (0, -1, 0)], ["1 days 00:00:01"] * 2 + ["-1 days +00:00:00"]),
    "durations": (pa.duration("us"), [datetime.timedelta(days=1, seconds=5), datetime.timedelta(seconds=-1), None], ["1 days 00:00:05", "-1 days +23:59:59", None]),
    "nothing": (pa.null(), [None, None], [None, None]),
    "json": (pa.json_(), ['{"a":1}', None], ['{"a":1}', None]),
    "bool8": (pa.bool8(), [1, 0, None], ["True", "False", None]),
    "small decimal": (pa.decimal32(5, 2), [Decimal("1.50")], ["1.5"]),
    "uuid": (pa.uuid(), [uuid.UUID(int=5).bytes, None], [str(uuid.UUID(int=5)), None]),
}  # fmt: skip


ODD = ("uuid", "nothing", "view", "intervals", "json", "bool8", "small decimal")
"""What pandas has no columns of."""


@pytest.mark.parametrize("case", CASES)
def test_texts_of_arrow(case: str) -> None:
    kind, values, expected = CASES[case]
    array = pa.array(values, kind)
    rows = len(values)
    table = pa.table({"a": pa.chunked_array([array.slice(0, 1), array.slice(1)], kind)})
    read_again = read(table)
    assert cells(read_again)["a"] == expected
    assert read_again.rows == rows
    valid(read_again)


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case not in ODD],
)
def test_pandas_writes_the_same_texts(case: str) -> None:
    kind, values, expected = CASES[case]
    array = pa.array(values, kind)
    backed = pd.DataFrame({"a": pd.Series(pd.array(array, dtype=pd.ArrowDtype(kind)))})
    assert cells(read(backed))["a"] == expected
    if case in ("wide", "times"):
        return  # numpy has no integers with missing cells, Python no nanoseconds
    converted = pa.table({"a": array}).to_pandas()
    assert cells(read(converted))["a"] == expected


NESTED = {
    "list": (pa.list_(pa.int64()), [[1], [2]]),
    "struct": (pa.struct({"x": pa.int64()}), [{"x": 1}, {"x": 2}]),
    "binary": (pa.binary(), [b"a", b"b"]),
}


@pytest.mark.parametrize("case", NESTED)
def test_nested_and_binary_values_are_refused_where_they_matter(case: str) -> None:
    kind, values = NESTED[case]
    array = pa.array(values, kind)
    table = pa.table({"a": array, "b": [1] * len(values)})
    policy = ph.Policy.from_dict(
        {"columns": {"quasi": ["b"]}, "rules": {"k": "k_anonymity(1)"}}
    )
    for frame in (table, table.to_pandas()):
        coded = read(frame)
        with pytest.raises(InputError, match=r"'a' holds .* and a cell is one value"):
            coded.columns["a"]
        with pytest.raises(InputError, match=r"'a' holds"):
            ph.verify(frame, policy, failing=True)
        # a column that no rule speaks of hinders nobody
        assert ph.verify(frame, policy).verdict == "proved"


def test_unknown_extension_types_are_refused() -> None:
    for kind in (pa.string(), pa.string_view()):
        field = pa.field("a", kind, metadata={"ARROW:extension:name": "my.rot13"})
        table = pa.table([pa.array(["x"], kind)], pa.schema([field]))
        with pytest.raises(InputError, match="a cell is one value"):
            read(table).columns["a"]


def test_months_are_of_no_one_length() -> None:
    months = pa.array([(1, 0, 0)], pa.month_day_nano_interval())
    with pytest.raises(InputError, match="'a' has a value that cannot be read"):
        read(pa.table({"a": months})).columns["a"]


@pytest.mark.parametrize("year", [-(10**6), 9000])
def test_years_that_no_date_has(year: int) -> None:
    moments = pa.array([year * 366 * 86_400], pa.timestamp("s"))
    if year == 9000:
        moments = pa.array([10**12], pa.timestamp("s"))
    with pytest.raises(InputError, match="'a' has a value that cannot be read"):
        read(pa.table({"a": moments})).columns["a"]


PLAIN = pl.DataFrame({"zip": [1, 1, None], "health": ["a", "", "b"], "born": [DAY] * 3})
EXPECTED: Cells = {
    "zip": ["1", "1", None],
    "health": ["a", None, "b"],
    "born": ["2020-01-31"] * 3,
}


class Capsule:
    """Nothing but the protocol."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return PLAIN.__arrow_c_stream__()


class Views:
    """Dictionaries of texts as polars hands them on."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        ill = pl.col("health").cast(pl.Categorical)
        return PLAIN.with_columns(ill).__arrow_c_stream__()


class Sparkling:
    """What a Spark DataFrame has."""

    def toArrow(self) -> pa.Table:  # noqa: N802
        return PLAIN.to_arrow()

    def toPandas(self) -> pd.DataFrame:  # noqa: N802
        raise AssertionError


class OldSpark:
    def toPandas(self) -> pd.DataFrame:  # noqa: N802
        return PLAIN.to_pandas()


def relation() -> Any:
    return duckdb.connect().from_arrow(PLAIN.to_arrow())


FRAMES = {
    "polars": lambda: PLAIN,
    "lazy": lambda: PLAIN.lazy(),
    "table": lambda: PLAIN.to_arrow(),
    "batch": lambda: PLAIN.to_arrow().to_batches()[0],
    "reader": lambda: PLAIN.to_arrow().to_reader(),
    "dataset": lambda: pa.dataset.dataset(PLAIN.to_arrow()),
    "scanner": lambda: pa.dataset.dataset(PLAIN.to_arrow()).scanner(),
    "capsule": Capsule,
    "views": Views,
    "DuckDB": relation,
    "Spark": Sparkling,
    "old Spark": OldSpark,
    "categories": lambda: PLAIN.with_columns(pl.col("health").cast(pl.Categorical)),
    "enums": lambda: PLAIN.with_columns(pl.col("health").cast(pl.Enum(["b", "", "a", "z"]))),
    "pandas": lambda: PLAIN.to_pandas(),
}  # fmt: skip


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_of_any_library(kind: str) -> None:
    table = read(FRAMES[kind]())
    assert cells(table) == EXPECTED
    valid(table)


def test_ibis() -> None:
    ibis = pytest.importorskip("ibis")
    assert cells(read(ibis.memtable(PLAIN))) == EXPECTED


COLUMNS = {
    "number": st.none() | st.integers(-3, 3),
    "wide": st.none() | st.integers(-(2**63), 2**63 - 1),
    "part": st.none() | st.sampled_from([0.0, -0.0, 0.1, 2.0, 1e16, 1e-7, 1 / 3]),
    "truth": st.none() | st.booleans(),
    "text": st.none() | st.sampled_from(["a", "", "é", 'say "hi"', "x,y", "two\nlines", "None", "nan"]),
    "day": st.none() | st.dates(datetime.date(1, 1, 1)),
    "moment": st.none() | st.datetimes(datetime.datetime(1700, 1, 1), datetime.datetime(2200, 1, 1)),
    "clock": st.none() | st.times(),
    "money": st.none() | st.decimals(-99, 99, places=2),
    "lasted": st.none() | st.timedeltas(datetime.timedelta(-5), datetime.timedelta(5)),
}  # fmt: skip
TYPES = [
    *(pa.int64(), pa.int64(), pa.float64(), pa.bool_(), pa.string(), pa.date32()),
    *(pa.timestamp("us"), pa.time64("us"), pa.decimal128(10, 2), pa.duration("us")),
]
SCHEMA = pa.schema(list(zip(COLUMNS, TYPES, strict=True)))
ROWS = st.lists(st.fixed_dictionaries(COLUMNS), min_size=1, max_size=6)


@so_many(20, fuzz=1000)
@example([dict.fromkeys(COLUMNS), dict.fromkeys(COLUMNS) | {"text": ""}])
@given(ROWS)
def test_all_libraries_agree(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]]
) -> None:
    folder = tmp_path_factory.mktemp("all")
    arrow = pa.Table.from_pylist(rows, SCHEMA)
    expected = cells(read(arrow))
    objects = pd.DataFrame(rows, dtype=object)
    parquet = folder / "t.parquet"
    pa.parquet.write_table(arrow, parquet)
    texts = folder / "t.csv"
    pd.DataFrame(expected).to_csv(texts, index=False, lineterminator="\n")
    connection = duckdb.connect()
    sources = {
        "pandas objects": objects,
        "pandas": arrow.drop_columns(["wide"]).to_pandas(),
        "pandas of Arrow": arrow.to_pandas(types_mapper=pd.ArrowDtype),
        "polars": pl.from_arrow(arrow),
        "DuckDB": connection.from_arrow(arrow),
        "Parquet": parquet,
        "CSV": texts,
    }
    for kind, source in sources.items():
        table = read(source)
        valid(table)
        for name, column in cells(table).items():
            wanted = expected[name]
            if kind == "CSV":
                # It has one kind of empty cell.
                wanted = [cell or None for cell in wanted]
            assert column == wanted, (kind, name)
    connection.close()


@pytest.mark.parametrize(
    "source",
    [pl.Series([1]), pa.array([1]), pa.chunked_array([[1]]), pd.Series([1]), SimpleNamespace(), pl.DataFrame],
    ids=lambda one: f"{type(one).__module__}.{type(one).__name__}",
)  # fmt: skip
def test_what_is_no_table(source: Any) -> None:
    with pytest.raises(InputError, match=r"path or|no table"):
        read(source)


def test_a_frame_that_fails_is_refused() -> None:
    broken = duckdb.connect().sql("SELECT 'x'::VARCHAR AS a").project("a::INTEGER AS a")
    with pytest.raises(InputError, match="DuckDBPyRelation of duckdb gives no table"):
        read(broken)
    zoned = duckdb.connect().sql("SELECT '10:00:00+01'::TIMETZ AS clock")
    huge = duckdb.connect().sql("SELECT 1::UHUGEINT AS n")
    with pytest.raises(InputError, match="'n' is UHUGEINT, which Arrow"):
        read(huge)
    with pytest.raises(InputError, match="'clock' is TIME WITH TIME ZONE, which Arrow"):
        read(zoned)


def test_an_index_of_pandas_plays_no_part(tmp_path: Path) -> None:
    frame = PLAIN.to_pandas().set_index(pd.Index(["x", "y", "z"], name="person"))
    assert cells(read(frame)) == EXPECTED
    # In a file it is a column, and published with it.
    frame.to_parquet(tmp_path / "t.parquet")
    expected = {**EXPECTED, "person": ["x", "y", "z"]}
    assert cells(read(tmp_path / "t.parquet")) == expected
    assert cells(read(pa.Table.from_pandas(frame))) == EXPECTED


def test_moments_of_one_day_stay_apart() -> None:
    late = [
        pd.Timestamp("2020-01-01") + pd.Timedelta(nanoseconds) for nanoseconds in (0, 1)
    ]
    assert len(read(pd.DataFrame({"a": late})).columns["a"].labels) == 2
    zones = [pd.Timestamp("2020-01-01", tz=zone) for zone in ("UTC", "Asia/Tokyo")]
    mixed = pd.DataFrame({"a": pd.Series(zones, dtype=object)})
    assert len(read(mixed).columns["a"].labels) == 2


def test_periods_in_parquet(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": pd.period_range("2020-01", periods=2, freq="M")})
    frame.to_parquet(tmp_path / "t.parquet")
    assert cells(read(tmp_path / "t.parquet"))["a"] == ["2020-01", "2020-02"]


def test_twice_the_same_name() -> None:
    with pytest.raises(InputError, match="twice: 'a'"):
        read(pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]))
    with pytest.raises(InputError, match="no rows"):
        read(pa.table({"a": pa.array([], pa.int64())}))


def test_no_library_is_loaded_to_know_a_frame() -> None:
    code = (
        "import sys, pandas, phverify.microdata.read as r;"
        "r.read(pandas.DataFrame({'a': [1]}));"
        "print(*[n for n in ('polars', 'duckdb', 'ibis', 'pyspark') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # fmt: skip
    assert done.stdout.split() == []


@so_many(30, fuzz=1000)
@given(
    st.lists(st.none() | st.integers(0, 40), min_size=1, max_size=60),
    st.integers(0, 20),
    st.integers(1, 40),
    st.sampled_from([pa.int64(), pa.float32(), pa.string(), pa.float16()]),
)
def test_parts_of_arrays(
    numbers: list[int | None], start: int, length: int, kind: pa.DataType
) -> None:
    values = numbers
    if kind == pa.string():
        values = [None if number is None else str(number) for number in numbers]  # type: ignore[misc]
    if kind == pa.float16():
        values = [None if number is None else np.float16(number) for number in numbers]  # type: ignore[misc]
    whole = pa.table({"a": pa.array(values, kind)})
    encoded = pa.table({"a": whole.column("a").cast(kind).dictionary_encode()})
    expected = [None if number is None else str(number) for number in numbers]
    for table in (whole, encoded):
        part = table.slice(start, length)
        if part.num_rows:
            found = read(part)
            valid(found)
            assert cells(found)["a"] == expected[start : start + length]
