"""Columns of many rows are read two at a time, and are what they are one by one."""

from __future__ import annotations

import threading

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from phverify.errors import InputError
from phverify.microdata.ondemand import ColumnsOnDemand
from phverify.microdata.read import read
from phverify.microdata.table import MANY

NAMES = ("a", "b", "c", "d", "e")


def many_texts() -> pd.DataFrame:
    """Columns of which no two have the same cells, some of them missing."""
    drawn = np.random.default_rng(0)
    columns = {}
    for number, name in enumerate(NAMES):
        cells = drawn.integers(0, 2 + number, MANY)
        texts = [f"{name}{cell}" if cell else None for cell in cells.tolist()]
        columns[name] = pd.array(texts, dtype=pd.StringDtype("pyarrow"))
    return pd.DataFrame(columns)


@pytest.mark.parametrize("kind", ["pandas", "arrow"])
def test_the_same_cells_with_no_thread_left(kind: str) -> None:
    frame = many_texts()
    source = frame if kind == "pandas" else pa.Table.from_pandas(frame)
    one_by_one = read(source, (), "table")
    ahead = read(source, (), "table")
    threads = threading.active_count()
    ahead.read(NAMES)
    assert threading.active_count() == threads
    assert isinstance(ahead.columns, ColumnsOnDemand)
    for name in NAMES:
        assert name in ahead.columns._made
        assert name not in one_by_one.columns._made  # type: ignore[attr-defined]
        assert ahead.column(name).cells() == one_by_one.column(name).cells()


def test_other_columns_wait_until_they_are_asked_for() -> None:
    frame = many_texts().assign(objects=0).astype({"objects": object})
    table = read(frame, (), "table")
    table.read(["a", "objects", "c"])
    assert isinstance(table.columns, ColumnsOnDemand)
    assert table.columns._made.keys() == {"a", "c"}


@pytest.mark.parametrize("place", range(len(NAMES) + 1))
def test_what_fails_tells_when_it_is_asked_for(place: int) -> None:
    """In the thread of its own, and in the other one."""
    nested = pa.array([[1]] * MANY)
    table = pa.Table.from_pandas(many_texts()).add_column(place, "lists", nested)
    coded = read(table, (), "table")
    coded.read(table.column_names)
    assert coded.column("a").labels
    with pytest.raises(InputError, match="lists"):
        coded.column("lists")
