"""Tables that Spark counts: on this machine, and on a cluster of which a worker dies."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from support import spark_cluster
from support.one_fixture import ONE_FIXTURE
from support.strategies import tables
from test_engines import cells, columns, how_often

import phverify as ph
from phverify.microdata.counted import counted_table
from phverify.microdata.duckdb_tables import parquet_table
from phverify.microdata.quotient import quotient
from phverify.microdata.read import read
from phverify.microdata.spark_files import parquet_in_spark
from phverify.microdata.spark_session import spark_session
from phverify.microdata.spark_tables import SparkWork
from phverify.microdata.table import CodedTable

ABSENT = spark_cluster.absent()
pytestmark = pytest.mark.skipif(bool(ABSENT), reason=ABSENT)
POLICY: dict[str, Any] = {
    "columns": {"quasi": ["q"], "sensitive": ["f"], "identifier": "who"},
    "rules": {
        "k": "k_anonymity(2)",
        "l": "l_diversity(f, 2)",
        "fay": "~[a1] @Fay f = a",
        "sixth": "@d6 q = x",
        "dee": "@Dee q = y",
        "seventh": "@d7 q = x",
    },
}
Table = list[dict[str, str | None]]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A session on this machine."""
    folder = tmp_path_factory.mktemp("spark")
    with spark_cluster.settings(folder), spark_session("local[2]") as started:
        yield started


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two files of one table, whose names are written in another way in addresses."""
    one = pd.DataFrame({"q": ["x", "x", "y"], "f": ["a", "b", "a"]})
    one.assign(who=["Ann", "Bob", "Cem"]).to_parquet(tmp_path / "1 ä.parquet")
    two = pd.DataFrame({"q": ["y", "x", None, "z"], "f": ["b", "b", "a", "a"]})
    two.assign(who=["Dee", "Eve", "Fay", "Hal"]).to_parquet(tmp_path / "1%20.parquet")
    return tmp_path


def told(report: ph.Report) -> list[Any]:
    """What a report says of its rules, and of the rows that it names."""
    rules = []
    for rule in report.rules:
        rules.append(
            (rule.name, rule.verdict, rule.witness and rule.witness.assignment)
        )
    return [report.rows, report.classes, *rules]


@settings(max_examples=24)
@given(tables(), columns(), st.integers(0, 5))
def test_three_engines_have_one_quotient(
    session: Any, rows: Table, more: pa.Array, upper: int
) -> None:
    table = pa.Table.from_pylist(rows).append_column("c", more.slice(0, len(rows)))
    names = ("q", "r", "c", "f", "g")
    with tempfile.TemporaryDirectory() as folder:
        files = [f"{folder}/a.parquet", f"{folder}/b.parquet"]
        parquet.write_table(table.slice(0, upper), files[0])
        parquet.write_table(table.slice(upper), files[1])
        whole = f"{folder}/whole.parquet"
        parquet.write_table(table, whole)
        by_row = read(whole)
        there = [counted_table(parquet_table("t", files), names, ())]
        there.append(counted_in(session, files, names))
    here = quotient(by_row.columns, names[:3], names[3:], by_row.rows)
    for counted in there:
        assert counted.rows == by_row.rows
        for name in names:
            one, other = counted.columns[name], by_row.columns[name]
            assert how_often(one) == how_often(other)
            assert one.merged == other.merged
        assert counted.elsewhere is not None
        each = counted.elsewhere.counts
        grouped = quotient(counted.columns, names[:3], names[3:], by_row.rows, each)
        assert here.classes == grouped.classes
        assert cells(here) == cells(grouped)


def counted_in(session: Any, files: list[str], names: tuple[str, ...]) -> CodedTable:
    """Files as Spark counts them."""
    with ExitStack() as ending:
        work = SparkWork("t", session, ending)
        return counted_table(parquet_in_spark(files, work), names, ())


def test_cells_are_those_of_the_files(session: Any, tmp_path: Path) -> None:
    moments = pa.array([0, 1, 2, 3], pa.timestamp("us", tz="Europe/Berlin"))
    some = pa.table({"z": moments, "n": ["a", None, "", "a"], "`.": [1, 2, 2, 1]})
    # A column without a value has no type.
    none = some.set_column(1, "n", pa.nulls(4))
    folder = tmp_path / "year=2020"
    folder.mkdir()
    files = [str(folder / "1.parquet"), str(folder / "2.parquet")]
    parquet.write_table(none, files[0])
    parquet.write_table(some, files[1])
    whole = str(tmp_path / "whole.parquet")
    parquet.write_table(pa.concat_tables([none.cast(some.schema), some]), whole)
    same_cells(session, files, whole)


def test_cells_are_those_of_files_by_spark(session: Any, tmp_path: Path) -> None:
    frame = session.sql(
        "SELECT timestamp'2020-01-01 00:00:00.123456' AS t, date'1500-03-01' AS d,"
        " timestamp'1700-01-01 00:00:00' AS old, 1.50BD AS number"
    )
    frame.coalesce(1).write.parquet(f"{tmp_path}/written")
    (file,) = map(str, tmp_path.glob("written/*.parquet"))
    same_cells(session, [file], file)


def same_cells(session: Any, files: list[str], whole: str) -> None:
    """Asserts that Spark counts what stands in files as it stands in another."""
    by_row = read(whole)
    names = tuple(by_row.columns)
    in_spark = counted_in(session, files, names)
    assert tuple(in_spark.columns) == names
    here = quotient(by_row.columns, names, (), by_row.rows)
    assert in_spark.elsewhere is not None
    each = in_spark.elsewhere.counts
    there = quotient(in_spark.columns, names, (), by_row.rows, each)
    assert cells(here) == cells(there)


def test_rows_of_files_have_the_numbers_of_other_engines(
    session: Any, folder: Path
) -> None:
    pattern = f"{folder}/*.parquet"
    in_spark = ph.verify(pattern, POLICY, spark=session)
    assert told(in_spark) == told(ph.verify(pattern, POLICY, engine="duckdb"))
    assert session.catalog.listTables() == []


@pytest.mark.filterwarnings("ignore")
def test_a_frame_is_numbered_by_its_values(session: Any, folder: Path) -> None:
    frame = session.read.parquet(f"{folder}/*.parquet").repartition(3)
    in_order = frame.toPandas().sort_values(["q", "f", "who"], na_position="first")
    path = folder / "sorted.pq"
    in_order.to_parquet(path, index=False)
    report = ph.verify(frame, POLICY)
    here = ph.verify(path, POLICY, engine="duckdb")
    assert told(report) == told(here)
    assert session.catalog.listTables() == []


@settings(max_examples=8, suppress_health_check=ONE_FIXTURE)
@given(st.data())
@pytest.mark.filterwarnings("ignore")
def test_witnesses_name_the_same_rows(
    session: Any, tmp_path: Path, data: st.DataObject
) -> None:
    size = data.draw(st.integers(1, 7), label="rows")
    frame = pd.DataFrame({"who": ["Ann", "Bob", "Cem", "Dee", "Eve", "Fay", "Hal"]})
    frame = frame.head(size)
    for name, values in (("q", ["x", "y", None]), ("f", ["a", "b"])):
        drawn = st.lists(st.sampled_from(values), min_size=size, max_size=size)
        frame[name] = data.draw(drawn, label=name)
    # The rule about Ann is about a value that occurs.
    frame.loc[0, "f"] = "a"
    order = ["q", "f", "who"]
    ordered = frame[order].sort_values(order, na_position="first")
    path = tmp_path / "sorted.pq"
    ordered.to_parquet(path, index=False)
    policy = {"columns": POLICY["columns"], "rules": dict(POLICY["rules"])}
    for name in ("fay", "dee", "sixth", "seventh"):
        del policy["rules"][name]
    policy["rules"]["ann"] = "~[a1] @Ann f = a"
    in_spark = session.read.parquet(str(path)).repartition(3)
    report = ph.verify(in_spark, policy)
    assert told(report) == told(ph.verify(path, policy, engine="duckdb"))


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (pa.array([1, 2], pa.timestamp("ns")), "in nanoseconds, and Spark's in micro"),
        (pa.array([1, 2], pa.duration("s")), "its type, duration"),
        (pa.array([[1], [2]]), "its type, list"),
    ],
)
def test_what_spark_reads_otherwise_is_not_counted(
    session: Any, tmp_path: Path, cells: pa.Array, said: str
) -> None:
    table = pa.table({"q": cells, "f": ["a", "b"], "who": ["Ann", "Bob"]})
    path = tmp_path / "t.parquet"
    parquet.write_table(table, path)
    rules = {"k": "k_anonymity(2)"}
    with pytest.raises(ph.InputError, match=f"does not count the column 'q': .*{said}"):
        ph.verify(path, {**POLICY, "rules": rules}, spark=session)
    # Elsewhere in the table it is left alone.
    columns = {"quasi": ["f"]}
    report = ph.verify(path, {"columns": columns, "rules": rules}, spark=session)
    assert report.rows == 2


def test_texts_under_a_collation_are_not_counted(session: Any) -> None:
    frame = session.sql(
        "SELECT collate(q, 'UTF8_LCASE') AS q, 'a' AS f, q AS who"
        " FROM VALUES ('x'), ('X') AS t(q)"
    )
    with pytest.raises(ph.InputError, match="string collate UTF8_LCASE"):
        ph.verify(frame, {**POLICY, "rules": {"k": "k_anonymity(2)"}})


def test_a_file_that_spark_does_not_see(session: Any, folder: Path) -> None:
    # What is called so is hidden from Spark.
    hidden = (folder / "1%20.parquet").rename(folder / "_2.parquet")
    files = [str(folder / "1 ä.parquet"), str(hidden)]
    with pytest.raises(ph.InputError, match=r"_2.parquet: has 4 rows here, and 0 for"):
        counted_in(session, files, ("q",))


def test_a_file_that_changes_meanwhile(session: Any, tmp_path: Path) -> None:
    file = tmp_path / "t.parquet"
    pd.DataFrame({"q": ["x"]}).to_parquet(file)
    with ExitStack() as ending:
        table = parquet_in_spark([str(file)], SparkWork("t", session, ending))
        table.grouped(("q",))
        file.write_bytes(b"PAR1")
        with pytest.raises(ph.InputError, match="was changed while it was read"):
            table.grouped(("q",))


def test_another_cluster_than_that_of_the_process(session: Any, folder: Path) -> None:
    with pytest.raises(ph.InputError, match=r"has a session of local\[2\]"):
        ph.verify(f"{folder}/*.parquet", POLICY, spark="spark://host:7077")


@pytest.mark.parametrize("cells", [[0.0, -0.0], [None, float("nan")]])
def test_cells_that_differ_and_are_one_value_are_refused(
    session: Any, tmp_path: Path, cells: list[Any]
) -> None:
    floats = pa.array(cells, pa.float64(), from_pandas=False)
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"q": floats, "f": [*"ab"], "who": [*"xy"]}), path)
    policy = {"columns": POLICY["columns"], "rules": {"k": "k_anonymity(2)"}}
    with pytest.raises(ph.InputError, match="'q' has cells that differ"):
        ph.verify(path, policy, engine="spark", spark=session)
