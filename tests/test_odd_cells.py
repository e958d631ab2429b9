"""Odd cells, wherever they stand and whoever counts them: a release beside its original,
and its links, say the same in every engine and form.
"""

from __future__ import annotations

import datetime
import math
import tempfile
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet
from support.so_many import so_many
from support.sources import source

import phverify as ph
from phverify.errors import InputError

NOON = datetime.datetime(2020, 1, 1, 12)
POOLS: dict[str, tuple[pa.DataType, list[Any]]] = {
    "texts": (pa.string(), ["a", "a ", "\u00e9", "e\u0301", "1", "01", "1.0", "NULL", ""]),
    "some texts": (pa.string(), ["a", None, "nan", "\u200b"]),
    "both": (pa.string(), ["a", None, ""]),
    "floats": (pa.float64(), [0.0, -1.0, 0.1, 1e300, math.inf]),
    "zeros": (pa.float32(), [0.0, -0.0, 0.5]),
    "no numbers": (pa.float64(), [math.nan, None, 1.0]),
    "decimals": (pa.decimal128(20, 4), [Decimal("1.5"), Decimal("1.5000"), Decimal(0)]),
    "long decimals": (pa.decimal128(38, 0), [Decimal(10**37), Decimal(10**37 + 1)]),
    "integers": (pa.int64(), [2**63 - 1, -(2**63), 2**53, 2**53 + 1, None]),
    "large integers": (pa.uint64(), [2**64 - 1, 2**63]),
    "truth": (pa.bool_(), [True, False, None]),
    "dates": (pa.date32(), [datetime.date(1, 1, 1), datetime.date(9999, 12, 31)]),
    "moments": (pa.timestamp("us"), [NOON, NOON.replace(microsecond=1)]),
    "zoned": (pa.timestamp("us", "Europe/Berlin"), [NOON, NOON.replace(month=10)]),
    "words": (pa.dictionary(pa.int8(), pa.string()), ["b", None, "a", "a "]),
    "nothing": (pa.null(), [None]),
    "bytes": (pa.binary(), [b"a"]),
    "lists": (pa.list_(pa.int64()), [[1], [1, 2]]),
}  # fmt: skip
FRAMES = ("arrow", "chunks", "reader", "dataset", "capsule", "feather")
"""Forms that have every type as it is."""
PLAIN = ("texts", "some texts", "both", "floats", "integers", "truth", "words")
"""What others have, too."""
OTHERS = ("polars", "relation", "duckdb", "duckdb gaps", "duckdb view")


@st.composite
def tables(draw: st.DrawFn) -> tuple[pa.Table, pa.Table, str]:
    """An original, its release in another order, and in which form they stand."""
    rows = draw(st.integers(2, 5))
    columns: dict[str, Any] = {"id": [f"p{k}" for k in range(rows)]}
    pools = draw(st.tuples(*[st.sampled_from([*POOLS])] * 2))
    for name, pool in zip("qs", pools, strict=True):
        kind, values = POOLS[pool]
        cells = draw(st.lists(st.sampled_from(values), min_size=rows, max_size=rows))
        columns[name] = pa.array(cells, kind, from_pandas=False)
    original = pa.table(columns)
    order = draw(st.permutations(range(rows)))
    release = original.take(pa.array(order))
    if draw(st.booleans()):
        release = release.set_column(1, "q", pa.array(["*"] * rows))
    forms = FRAMES if {*pools} - {*PLAIN} else (*FRAMES, *OTHERS)
    return original, release, draw(st.sampled_from(forms))


def told(ask: Callable[..., Any], *given: Any, engine: str) -> Any:
    """What a verb says, without where it was said of; or that it refuses."""
    try:
        return without_places(ask(*given, engine=engine).to_dict())
    except InputError:
        return "refused"


PLACES = ("notes", "seconds", "engine", "inputs", "release", "original", "source")


def without_places(told: Any) -> Any:
    if isinstance(told, dict):
        items = told.items()
        return {key: without_places(one) for key, one in items if key not in PLACES}
    return [*map(without_places, told)] if isinstance(told, list) else told


RULES = {"k": "k_anonymity(2)", "l": "l_diversity(s, 2)", "t": "t_closeness(s, 1/4)"}
POLICY: dict[str, Any] = {
    "columns": {"identifier": "id", "quasi": ["q"], "sensitive": ["s"]},
    "rules": RULES,
}


@so_many(12, fuzz=400)
@given(tables())
def test_they_say_the_same_everywhere(case: tuple[pa.Table, pa.Table, str]) -> None:
    original, release, form = case
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = [folder / "before.parquet", folder / "after.parquet"]
        for table, file in zip((original, release), files, strict=True):
            parquet.write_table(table, file)
        here = source(form, original, folder / "original")
        there = source(form, release, folder / "release")
        before, after = files
        read = told(ph.verify, after, POLICY, before, engine="pandas")
        linked = told(ph.reidentify, before, after, POLICY, ("q", "s"), engine="pandas")
        for engine in ("pandas", "duckdb"):
            asked = {"engine": engine}
            found = told(ph.verify, there(), POLICY, here(), **asked)
            assert found in (read, "refused"), engine
            assert found == read or may_refuse(there, engine)
            found = told(ph.reidentify, here(), there(), POLICY, ("q", "s"), **asked)
            assert found in (linked, "refused"), engine
            assert found == linked or may_refuse(there, engine)


def may_refuse(release: Callable[[], Any], engine: str) -> bool:
    """Whether an engine that was asked for has other types than the release."""
    try:
        ph.verify(release(), POLICY, engine=engine)
    except InputError as error:
        return engine == "duckdb" and "leave the engine out" in str(error)
    return False
