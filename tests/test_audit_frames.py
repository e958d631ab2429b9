"""Each cell that an audit of a frame works with is the frame's, exactly; else the frame
is refused.  Were two values one, a query that tells them apart would be called harmless.
"""

from __future__ import annotations

import datetime
import math
import uuid
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.so_many import so_many

import phverify
from phverify.disclosure.worlds.database import plain
from phverify.disclosure.worlds.opening import open_database
from phverify.errors import InputError
from phverify.microdata.read_again import same_cell

duckdb = pytest.importorskip("duckdb")

BIG = 2**53
DAY = datetime.date(2020, 1, 1)
MIDNIGHT = datetime.datetime(2020, 1, 1)
FIVE = datetime.datetime(2020, 1, 1, 5)
TOKYO = datetime.timezone(datetime.timedelta(hours=9))
EPOCH = pd.Timestamp(0)
CELLS: list[list[Any]] = [
    [None, float("nan"), pd.NA, pd.NaT, np.datetime64("NaT")],
    [True, False, np.bool_(True)],
    [0, 1, -1, BIG, BIG + 1, 2**63 - 1, 2**63, 2**64 - 1, 10**30, np.int8(1)],
    [1.0, 0.5, -0.0, 1e300, float("inf"), np.float32(0.1), np.float16(0.1), 0.1],
    [Decimal("1.10"), Decimal(1), Decimal("1E+5"), Decimal(10**40), Decimal("NaN")],
    ["1", "a", "", "True", "None", "nan", "2020-01-01", np.str_("a"), "a\0"],
    [b"a", b"1", bytearray(b"a"), b""],
    [DAY, datetime.date(1, 1, 1), datetime.date(2020, 1, 2)],
    [MIDNIGHT, FIVE, FIVE.replace(microsecond=1), datetime.datetime(9999, 12, 31)],
    [pd.Timestamp(1), EPOCH, pd.Timestamp(FIVE), pd.Timestamp(MIDNIGHT, tz="UTC")],
    [MIDNIGHT.replace(tzinfo=datetime.UTC), MIDNIGHT.replace(tzinfo=TOKYO)],
    [np.datetime64("2020-01-01"), np.datetime64("2020-01-01T05"), pd.Period("2020")],
    [datetime.time(5), datetime.time(5, 0, 0, 1), datetime.time(5, tzinfo=TOKYO)],
    [datetime.timedelta(1), pd.Timedelta(1), np.timedelta64(1, "s")],
    [uuid.UUID(int=1), uuid.UUID(int=2)],
]
NEAR = [(1, 2, 3, 4), (5, 6), (7, 8, 9), (9, 10), (7, 11), (12, 13), (2, 5), (14, 5)]
"""Kinds that a column of one type could merge."""


def exactly(cell: Any) -> object:
    """What a cell is: its sort, and its value in exact numbers; None where missing."""
    if isinstance(cell, str):
        return "text", str(cell)
    if isinstance(cell, bytes | bytearray):
        return "bytes", bytes(cell)
    if pd.isna(cell):
        return None
    if isinstance(cell, bool | np.bool_):
        return "truth", bool(cell)
    if isinstance(cell, np.datetime64):
        cell = pd.Timestamp(cell)
    if isinstance(cell, np.timedelta64):
        cell = pd.Timedelta(cell)
    if isinstance(cell, datetime.datetime):
        zone = cell.tzinfo is not None
        plain = cell.astimezone(datetime.UTC).replace(tzinfo=None) if zone else cell
        parts = plain - datetime.datetime(1, 1, 1) if zone else plain.isoformat()
        return "moment", zone, str(parts), getattr(cell, "nanosecond", 0)
    if isinstance(cell, datetime.timedelta):
        return "span", str(pd.Timedelta(cell))
    if isinstance(cell, datetime.date | datetime.time):
        return type(cell), cell.isoformat()
    if isinstance(cell, int | float | Decimal | np.number):
        held = cell.item() if isinstance(cell, np.number) else cell
        endless = isinstance(held, float) and math.isinf(held)
        return "number", str(held) if endless else Fraction(held)
    return type(cell), str(cell)


def audited(frame: Any) -> tuple[str, list[Any]] | None:
    """The type of the column x and its cells, as an audit has them; None where it is
    refused.
    """
    try:
        database = open_database(frame, "t")
    except InputError:
        return None
    kind = database.types("t")["x"]
    if not plain(kind):
        # No column of a policy has such a type.
        return None
    return kind, [cell for (cell,) in database.execute("SELECT x FROM t")]


def kept_or_refused(frame: Any, cells: Sequence[Any]) -> bool:
    """Whether the frame is audited, with these cells."""
    found = audited(frame)
    if found is None:
        return False
    assert list(map(exactly, found[1])) == list(map(exactly, cells)), found
    return True


@st.composite
def columns(draw: st.DrawFn) -> list[Any]:
    """Cells of one to three kinds that have something in common."""
    kinds = draw(st.sampled_from(NEAR))
    pool = [cell for kind in kinds for cell in CELLS[kind]] + [None, CELLS[0][1]]
    places = st.integers(0, len(pool) - 1)
    chosen = draw(st.lists(places, min_size=2, max_size=4))
    return [pool[place] for place in chosen]


@so_many(90, 3000)
@given(columns(), st.booleans())
@example([1.0, True], False)
@example([DAY, FIVE], False)
@example([DAY, FIVE], True)
@example([b"a", "a"], False)
@example([np.bool_(True), 1], False)
@example([pd.Timestamp(1), EPOCH], False)
@example([pd.Timestamp(MIDNIGHT), pd.Timestamp(MIDNIGHT, tz="UTC")], False)
@example([datetime.time(5), datetime.time(5, tzinfo=TOKYO)], False)
@example([BIG + 1, None, BIG], False)
@example([2**64 - 1, 1], False)
def test_cells_of_several_types(cells: list[Any], categories: bool) -> None:
    series = pd.Series(cells, dtype=object)
    if categories:
        order = list(range(len(cells)))
        try:
            held = pd.Index(cells, dtype=object)
            series = pd.Series(pd.Categorical.from_codes(order, held))
        except (TypeError, ValueError, OverflowError):
            return  # pandas has no such categories
    kept_or_refused(pd.DataFrame({"x": series}), list(series))


ONE_TYPE: dict[str, Any] = {
    "integers": pd.array([BIG + 1, None, BIG], dtype="Int64"),
    "unsigned": pd.array([2**64 - 1, 2**64 - 2], dtype="UInt64"),
    "floats": pd.array([0.5, None], dtype="Float64"),
    "truths": pd.array([True, None, False], dtype="boolean"),
    "texts": pd.array(["1", None, "01", ""], dtype="string"),
    "few texts": pd.Categorical(["b", None, "a"]),
    "few numbers": pd.Categorical([BIG + 1, None, 1]),
    "objects": pd.Series([BIG + 1, BIG, None], dtype=object),
    "decimals": pd.Series([Decimal("1.10"), 2, None], dtype=object),
    "days": pd.Series([DAY, None], dtype=object),
    "bytes": pd.Series([b"a", bytearray(b"b"), None], dtype=object),
    "moments": pd.to_datetime([MIDNIGHT, FIVE, None]),
    "polars": pl.Series([BIG + 1, None, BIG]),
    "polars' few": pl.Series(["b", None, "a"], dtype=pl.Categorical),
    "polars' decimals": pl.Series([Decimal("1.50"), None]),
    "polars' moments": pl.Series([FIVE, None], dtype=pl.Datetime("ns")),
    "small decimals": pa.array([Decimal("1.5")], pa.decimal32(5, 2)),
    "date64": pa.array([DAY, None], pa.date64()),
    "bool8": pa.array([1, None, 0], pa.bool8()),
    "runs": pa.compute.run_end_encode(pa.array([1, 1, 2])),
    "uuid": pa.array([uuid.UUID(int=5).bytes], pa.uuid()),
}


@pytest.mark.parametrize("case", ONE_TYPE)
def test_columns_of_one_type_are_audited(case: str) -> None:
    column = ONE_TYPE[case]
    if isinstance(column, pa.Array):
        frame, cells = pa.table({"x": column}), column.to_pylist()
        cells = [True, None, False] if case == "bool8" else cells
    elif isinstance(column, pl.Series):
        frame, cells = pl.DataFrame({"x": column}), column.to_list()
    else:
        frame, cells = pd.DataFrame({"x": column}), list(pd.Series(column))
    assert kept_or_refused(frame, cells)


OTHERWISE: dict[str, Any] = {
    "a time in date64": pa.table({"x": pa.array([0, 5], pa.int64()).view(pa.date64())}),
    "nanoseconds": pd.DataFrame({"x": pd.to_datetime([1, 2])}),
    "periods": pd.DataFrame({"x": pd.period_range("2020-01", periods=2, freq="M")}),
    "times": pl.DataFrame({"x": pl.Series([1, 2]).cast(pl.Time)}),
    "zones": pl.DataFrame({"x": pl.Series([1, 2]).cast(pl.Datetime("ns", "UTC"))}),
    "objects": pl.DataFrame({"x": pl.Series([object(), object()], dtype=pl.Object)}),
    "lazy objects": pl.LazyFrame({"x": pl.Series([object()], dtype=pl.Object)}),
    "spans": pd.DataFrame({"x": pd.to_timedelta([1, 2], unit="ns")}),
}


@pytest.mark.parametrize("case", OTHERWISE)
def test_what_the_database_would_read_otherwise_is_refused(case: str) -> None:
    assert audited(OTHERWISE[case]) is None


SAME: list[tuple[Any, Any, bool]] = [
    (b"a", b"a", True),
    (bytearray(b"a"), b"a", True),
    (b"a", b"b", False),
    (b"a", "a", False),
    (None, None, True),
    (pd.NaT, None, True),
    (float("nan"), 0.0, False),
    (np.bool_(True), True, True),
    (True, 1, False),
    (1, Decimal("1.0"), True),
    (DAY, MIDNIGHT, False),
    (MIDNIGHT, DAY, False),
    (pd.Timestamp(MIDNIGHT), MIDNIGHT, True),
    (pd.Timestamp(1), EPOCH.to_pydatetime(), False),
    (pd.Timedelta(1, "D"), datetime.timedelta(1), True),
    (pd.Timedelta(1), datetime.timedelta(0), False),
    (np.datetime64("2020-01-01T05"), FIVE, True),
    (np.datetime64("2020-01-01T05"), MIDNIGHT, False),
    (np.timedelta64(1, "D"), datetime.timedelta(1), True),
    ([1], {"any": 1}, True),
]


@pytest.mark.parametrize(("cell", "found", "same"), SAME)
def test_which_cells_are_the_same(cell: Any, found: Any, same: bool) -> None:
    assert same_cell(cell, found) is same


def test_nested_columns_hinder_nobody() -> None:
    frame = pd.DataFrame({"x": [1, 2], "i": pd.interval_range(0, 2), "n": [[1], [2]]})
    assert kept_or_refused(frame, [1, 2])


def test_the_column_is_named() -> None:
    frame = pd.DataFrame({"id": [1, 2], "x": pd.Series([DAY, FIVE], dtype=object)})
    with pytest.raises(InputError, match=r"column 'x' has cells .*\n.*one type before"):
        open_database(frame, "t")


def test_a_query_that_tells_merged_values_apart_is_not_called_harmless() -> None:
    """Grouped by the moment the answer is the secret itself; by the day, a sum."""
    moments = pd.Series([DAY, FIVE], dtype=object)
    frame = pd.DataFrame({"id": [1, 2], "m": moments, "s": [0, 1]})
    policy = {
        "table": "t",
        "key": "id",
        "public": ["m"],
        "sensitive": {"s": {"from": 0, "to": 1}},
        "protect": {"s": {"column": "s"}},
    }
    log = ["SELECT m, SUM(s) FROM t GROUP BY m"]
    with pytest.raises(InputError):
        phverify.audit(frame, log, policy)
    frame["m"] = pd.to_datetime(pd.Series([MIDNIGHT, FIVE]))
    assert phverify.audit(frame, log, policy).verdict == "disclosed"
