"""Tables whose rows stay in an engine: counted as if they had been read."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from phverify.microdata.counted import counted_table
from phverify.microdata.duckdb_tables import parquet_table
from phverify.microdata.quotient import Quotient, quotient
from phverify.microdata.read import read
from phverify.microdata.table import CodedColumn

POLICY: dict[str, Any] = {
    "columns": {"quasi": ["q"], "sensitive": ["f"]},
    "rules": {"k": "k_anonymity(2)", "l": "l_diversity(f, 2)"},
}


def columns() -> st.SearchStrategy[pa.Array]:
    """A column of five cells of one type, some of them missing."""
    dates = st.dates()
    kinds: list[tuple[pa.DataType, st.SearchStrategy[Any]]] = [
        (pa.string(), st.sampled_from(["", "a", "A", "ä", "a ", "'", '"', "1", "1.0"])),
        (pa.large_string(), st.text(max_size=2)),
        (pa.int64(), st.sampled_from([0, 1, -1, 2**53])),
        (pa.uint8(), st.integers(0, 3)),
        (pa.float64(), st.sampled_from([0.0, -0.0, 1.0, 0.1, 1e300, float("nan")])),
        (pa.float32(), st.sampled_from([0.0, 1.0, 0.5, 0.10000000149011612])),
        (pa.bool_(), st.booleans()),
        (pa.date32(), dates),
        (pa.timestamp("us"), st.datetimes()),
        (pa.decimal128(6, 2), st.sampled_from([Decimal("1.50"), Decimal("2")])),
        (pa.dictionary(pa.int32(), pa.string()), st.sampled_from(["x", "y"])),
    ]

    def cells(kind: tuple[pa.DataType, st.SearchStrategy[Any]]) -> Any:
        of_type, values = kind
        listed = st.lists(st.none() | values, min_size=5, max_size=5)
        return listed.map(lambda cells: pa.array(cells, of_type))

    return st.sampled_from(kinds).flatmap(cells)


@settings(max_examples=60, deadline=None)
@given(st.lists(columns(), min_size=1, max_size=3), st.data())
def test_the_quotient_is_that_of_the_rows(
    given_columns: Sequence[pa.Array], data: st.DataObject
) -> None:
    names = [f"c{k}" for k in range(len(given_columns))]
    table = pa.table(dict(zip(names, given_columns, strict=True)))
    quasi = tuple(data.draw(st.lists(st.sampled_from(names), unique=True)))
    others = tuple(name for name in names if name not in quasi)
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/t.parquet"
        parquet.write_table(table, path)
        by_row = read(path)
        counted = counted_table(parquet_table(path, [path]), (*quasi, *others), ())
    assert counted.rows == by_row.rows
    for name in names:
        one, other = counted.columns[name], by_row.columns[name]
        assert how_often(one) == how_often(other)
        assert one.missing() == other.missing()
    assert counted.elsewhere is not None
    here = quotient(by_row.columns, quasi, others, 5)
    there = quotient(counted.columns, quasi, others, 5, counted.elsewhere.counts)
    assert here.classes == there.classes
    assert cells(here) == cells(there)


def how_often(column: CodedColumn) -> dict[str | None, int]:
    """How often each label of a column occurs."""
    return dict(zip(column.labels, column.occurrences(), strict=True))


def cells(given: Quotient) -> dict[tuple[str | None, ...], int]:
    """How many rows each cell of a quotient has."""
    counts = {}
    for cell, count in enumerate(given.counts.tolist()):
        labels = [
            given.labels[name][given.codes[name][cell]] for name in sorted(given.codes)
        ]
        counts[tuple(labels)] = count
    return counts
