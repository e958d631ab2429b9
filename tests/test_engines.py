"""Tables whose rows stay in an engine: counted as if they had been read."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pyarrow import parquet
from support.so_many import so_many

import phverify as ph
from phverify.errors import InputError
from phverify.microdata import engines
from phverify.microdata.counted import counted_table
from phverify.microdata.csv_batches import header
from phverify.microdata.duckdb_tables import parquet_table
from phverify.microdata.engines import AskedCount, counted
from phverify.microdata.files import table_file
from phverify.microdata.quotient import Quotient, quotient
from phverify.microdata.read import read
from phverify.microdata.table import CodedColumn, CodedTable

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
        (pa.float32(), st.sampled_from([0.0, -0.0, 0.5, 0.10000000149011612])),
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


@so_many(30, fuzz=1000)
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
        by_group = counted_table(parquet_table(path, [path]), (*quasi, *others), ())
    assert by_group.rows == by_row.rows
    for name in names:
        one, other = by_group.columns[name], by_row.columns[name]
        assert how_often(one) == how_often(other)
        assert one.missing() == other.missing()
        assert one.merged == other.merged
    assert by_group.elsewhere is not None
    here = quotient(by_row.columns, quasi, others, 5)
    there = quotient(by_group.columns, quasi, others, 5, by_group.elsewhere.counts)
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


ALPHABET = [*'a,,"""""', "\n", "\n", "\r\n", "\r", " ", "é", "\t", ";", "\0", "\x85"]


@so_many(75, fuzz=1200, more=1500)
@given(
    st.sampled_from(["x", "x,y", "x;y", '"x",y']),
    st.sampled_from(["\n", "\r\n"]),
    st.lists(st.sampled_from(ALPHABET), max_size=20).map("".join),
    st.booleans(),
)
@example("x", "\n", '"a"b\n', False)
@example("x,y", "\n", 'a,b\n"a,b\n', False)
@example("x,y", "\r\n", 'a,"b ""c"" \n"\n\n\r\na"b,"",', True)
@example("x", "\n", "a\n\nb\n", False)
def test_texts_are_read_as_row_by_row_or_not_at_all(
    names: str, end: str, body: str, marked: bool
) -> None:
    mark = b"\xef\xbb\xbf" if marked else b""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/t.csv"
        Path(path).write_bytes(mark + f"{names}{end}{body}".encode())
        try:
            by_row = read(path)
        except ph.InputError:
            by_row = None
        counted_here = None
        if os.path.getsize(path):
            counted_here = counted_or_refused(path)
    if counted_here is None:
        return
    assert by_row is not None
    assert counted_here.rows == by_row.rows
    for name, column in by_row.columns.items():
        assert how_often(counted_here.columns[name]) == how_often(column)


def counted_or_refused(path: str) -> CodedTable | None:
    """A CSV file by its columns; None where it is left to the reader of rows."""
    _, names = header(table_file(path, "release"), ())
    asked = AskedCount((), tuple(names), ())
    try:
        return counted(str(path), "duckdb", asked)
    except ph.InputError:
        return None


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two files of one table."""
    one = pd.DataFrame({"q": ["x", "x", "y"], "f": ["a", "b", "a"]})
    one.assign(who=["Ann", "Bob", "Cem"]).to_parquet(tmp_path / "1.parquet")
    two = pd.DataFrame({"q": ["y", "x", "z"], "f": ["b", "b", "a"]})
    two.assign(who=["Dee", "Eve", "Fay"]).to_parquet(tmp_path / "2.parquet")
    return tmp_path


def verified(folder: Path, **more: Any) -> ph.Report:
    """What ``verify`` says of the two files."""
    policy = {**POLICY, **more}
    return ph.verify(f"{folder}/*.parquet", policy, engine="duckdb")


def test_rows_of_many_files_are_numbered_through(folder: Path) -> None:
    report = verified(folder)
    k, l = report.rules
    assert (report.rows, report.classes) == (6, 3)
    assert k.witness is not None and k.witness.world == "d6"
    assert l.witness is not None and l.witness.cls == {"q": "z"}


def test_individuals_and_records_are_named(folder: Path) -> None:
    rules = {
        "fay": "~[a1] @Fay f = a",
        "dee": "~[a1] f = b",
        "sixth": "@d6 q = z",
        "fifth": "@i5 (q = x)",
    }
    columns = {**POLICY["columns"], "identifier": "who"}
    report = verified(folder, columns=columns, rules=rules)
    verdicts = [rule.verdict for rule in report.rules]
    assert verdicts == ["refuted", "proved", "proved", "proved"]
    witness = report.rules[0].witness
    assert witness is not None and witness.assignment == {"Fay": "d6"}


def test_a_row_that_is_named_is_that_of_the_table(folder: Path) -> None:
    # Cell by cell the rows are 1, 2, 5, 4, 3, 6.
    rules = {"named": "@d3 (q = y & f = a)", "known": "[a1] d3", "there": "@d4 f = a"}
    named, known, there = verified(folder, rules=rules).rules
    assert named.verdict == "proved"
    assert known.witness is not None and there.witness is not None
    assert there.witness.world == "d4"
    shown = "\n".join(fact.text for fact in known.witness.facts)
    assert "d3" in known.witness.instance + shown


def test_missing_cells_are_alike(tmp_path: Path) -> None:
    """Those of a confidential column are one value."""
    table = pd.DataFrame({"q": [None, "x", None, "x"], "f": [None, "a", None, "b"]})
    path = tmp_path / "t.parquet"
    table.to_parquet(path)
    reports = [ph.verify(path, POLICY, engine=e) for e in ("pandas", "duckdb")]
    for report in reports:
        k, l = report.rules
        assert (k.verdict, l.verdict) == ("proved", "refuted")
        assert l.witness is not None
        assert (l.witness.cls, l.witness.rows) == ({"q": None}, 2)
        assert l.witness.assignment == reports[0].rules[1].witness.assignment  # type: ignore[union-attr]
    assert reports[0].warnings == reports[1].warnings


@pytest.mark.parametrize("engine", ["pandas", "duckdb"])
@pytest.mark.parametrize("role", ["sensitive", "neutral"])
@pytest.mark.parametrize("rule", ["t_closeness(f, 0)", "@i2 ~[a1] f = missing"])
def test_a_rule_does_not_merge_empty_texts_with_missing_cells(
    tmp_path: Path, engine: str, role: str, rule: str
) -> None:
    """Who has the table tells the two classes apart, which as one value are alike."""
    table = pd.DataFrame({"q": list("xxyy"), "f": ["a", "", "a", None]})
    path = tmp_path / "t.parquet"
    table.to_parquet(path)
    policy = {"columns": {"quasi": ["q"], role: ["f"]}, "rules": {"r": rule}}
    with pytest.raises(ph.InputError, match="'f' has empty texts beside missing"):
        ph.verify(path, policy, engine=engine)
    with pytest.raises(ph.InputError, match="'f' has empty texts beside missing"):
        ph.search(path, policy, engine=engine)
    # what no rule looks at may have both
    policy["rules"] = {"r": "k_anonymity(2)"}
    assert ph.verify(path, policy, engine=engine).verdict == "proved"


def test_an_original_does_not_merge_them_either(tmp_path: Path) -> None:
    release = pd.DataFrame({"q": list("xxyy"), "f": ["a", None, "a", None]})
    original = release.assign(f=["a", "", "a", None])
    columns = {"quasi": ["q"], "sensitive": ["f"]}
    rules = {"r": "t_closeness(f, 0, reference=original)"}
    policy = {"rows": "same order", "columns": columns, "rules": rules}
    with pytest.raises(ph.InputError, match="'f' has empty texts beside missing"):
        ph.verify(release, policy, original=original)


def test_who_is_not_there_is_told_with_who_is(folder: Path) -> None:
    columns = {**POLICY["columns"], "identifier": "who"}
    with pytest.raises(ph.InputError, match="did you mean 'Cem'"):
        verified(folder, columns=columns, rules={"r": "@Cen f = a"})


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["Ann", "Gus", "Hal"], "the identifier 'Ann' occurs twice"),
        (["Gus", None, ""], "2 identifiers in 'who' are missing"),
    ],
)
def test_an_identifier_is_one_rows(
    folder: Path, names: list[str | None], said: str
) -> None:
    three = pd.DataFrame({"q": list("xxx"), "f": list("abc"), "who": names})
    three.to_parquet(folder / "3.parquet")
    columns = {**POLICY["columns"], "identifier": "who"}
    with pytest.raises(ph.InputError, match=said):
        verified(folder, columns=columns)
    # whoever is named is there, and rows say no more
    told = []
    for engine in ("duckdb", "pandas"):
        with pytest.raises(ph.InputError) as caught:
            rules = {**POLICY, "columns": columns, "rules": {"r": "@Gus f = b"}}
            ph.verify(f"{folder}/*.parquet", rules, engine=engine)
        told.append(caught.value.problems)
    assert told[0] == told[1] and len(told[0]) == 1


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (pd.DataFrame({"q": ["x"], "who": ["Gus"]}), "3.parquet.*has no column 'f'"),
        (
            pd.DataFrame({"q": ["x"], "f": [1], "who": ["Gus"]}),
            "3.parquet.*the column 'f' is int64, and in .*1.parquet",
        ),
        (
            pd.DataFrame({"q": ["x"], "f": ["a"], "who": ["Gus"], "more": [1]}),
            "3.parquet.*has a column 'more', which .*1.parquet has not",
        ),
    ],
)
def test_files_of_one_table_are_alike(
    folder: Path, table: pd.DataFrame, said: str
) -> None:
    table.to_parquet(folder / "3.parquet")
    with pytest.raises(ph.InputError, match=said):
        verified(folder)


def test_a_file_that_is_cut_off(folder: Path) -> None:
    whole = (folder / "2.parquet").read_bytes()
    (folder / "2.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ph.InputError, match=r"2.parquet.*is no readable Parquet"):
        verified(folder)


def test_a_file_that_changes_meanwhile(folder: Path) -> None:
    files = [str(folder / "1.parquet")]
    table = parquet_table("t", files)
    table.grouped(("q",))
    pd.DataFrame({"q": ["z"], "f": ["z"], "who": ["z"]}).to_parquet(files[0])
    with pytest.raises(ph.InputError, match="was changed while it was read"):
        table.grouped(("q",))


def test_no_file_fits(tmp_path: Path) -> None:
    with pytest.raises(ph.InputError, match="no file fits this pattern"):
        ph.verify(f"{tmp_path}/*.parquet", POLICY)


@pytest.mark.parametrize("engine", ["duck", "", None])
def test_an_engine_that_there_is_not(engine: Any) -> None:
    with pytest.raises(ph.InputError, match="is auto, pandas, duckdb or spark"):
        ph.verify(pd.DataFrame({"q": ["x"]}), POLICY, engine=engine)


def test_a_line_that_is_wrong_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("q,f\nx,a\nx\ny,b\n", encoding="utf-8")
    with pytest.raises(ph.InputError, match="line 3 has 1 field"):
        ph.verify(path, POLICY, engine="duckdb")


def test_a_path_that_is_a_pattern_itself(folder: Path) -> None:
    (folder / "1.parquet").rename(folder / "[12].parquet")
    report = ph.verify(folder / "[12].parquet", POLICY)
    assert report.rows == 3


def test_capital_letters_alone_tell_columns_apart(tmp_path: Path) -> None:
    table = pd.DataFrame({"q": ["x", "x"], "Q": ["1", "2"], "f": ["a", "b"]})
    path = tmp_path / "t.parquet"
    table.to_parquet(path)
    policy = {**POLICY, "columns": {"quasi": ["q", "Q"], "sensitive": ["f"]}}
    report = ph.verify(path, policy, engine="duckdb")
    assert report.classes == 2


def test_certificates_name_rows_of_the_file(tmp_path: Path) -> None:
    """Their checker reads the file by itself, row by row."""
    release, policy = tmp_path / "t.csv", tmp_path / "p.toml"
    release.write_text("q,f\ny,b\nx,a\ny,a\nx,b\nx,a\n", encoding="utf-8")
    policy.write_text(
        '[columns]\nquasi = ["q"]\nsensitive = ["f"]\n'
        '[assumptions]\ntip = "@i4 f = b"\nother = "~@i1 d1"\n'
        '[rules]\nk = "k_anonymity(3)"\nsure = "~@i2 f = a"\nl = "l_diversity(f, 2)"\n',
        encoding="utf-8",
    )
    report = ph.verify(release, policy, engine="duckdb")
    certificate = ph.certify(report, release, policy)
    claims = {one["name"]: one["verdict"] for one in certificate["rules"]}
    assert claims == {"k": "refuted", "sure": "refuted", "l": "proved"}
    assert ph.check(certificate, release=release, policy=policy).accepted


def zoned() -> pa.Array:
    return pa.array([0, 1], pa.timestamp("us", "Europe/Berlin"))


OTHERWISE = {
    "zone": zoned,
    "long decimals": lambda: pa.array(
        [Decimal("1" * 50 + ".20"), Decimal("1" * 50 + ".30")], pa.decimal256(60, 2)
    ),
    "durations": lambda: pa.array([1, 2], pa.duration("us")),
    "half precision": lambda: pa.array(np.array([0.1, 2], np.float16)),
}


@pytest.mark.parametrize("kind", OTHERWISE)
def test_what_duckdb_reads_otherwise_is_not_counted_there(
    tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "t.parquet"
    values = OTHERWISE[kind]()
    parquet.write_table(pa.table({"a": values, "b": ["x", "y"]}), path)
    asked = AskedCount(("a",), (), ())
    with pytest.raises(InputError, match="no type for the values of the column 'a'"):
        counted(str(path), "duckdb", asked)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engines, "LARGE", 0)
        assert counted(str(path), "auto", asked) is None
        other = counted(str(path), "auto", AskedCount(("b",), (), ()))
    assert other is not None
    assert len(set(read(path).columns["a"].labels)) == 2


def test_an_empty_text_is_a_value_beside_missing_cells(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"a": ["x", "", None]}), path)
    table = counted(str(path), "duckdb", AskedCount(("a",), (), ()))
    assert table is not None
    assert table.columns["a"].labels == ("x", "", None)
    assert table.columns["a"].occurrences() == [1, 1, 1]


def moments(path: Path, texts: list[str]) -> Path:
    """A Parquet file with a column of moments in the form of 96 bits."""
    values = pa.array(
        pd.to_datetime(texts).as_unit("us" if len(texts[0]) < 11 else "ns")
    )
    table = pa.table({"q": values, "f": ["a"] * len(texts)})
    parquet.write_table(table, path, use_deprecated_int96_timestamps=True)
    return path


def test_moments_of_96_bits_keep_their_nanoseconds(tmp_path: Path) -> None:
    texts = ["2001-09-09T01:46:40.000000001", "2001-09-09T01:46:40.000000002"]
    path = moments(tmp_path / "t.parquet", texts)
    policy = {**POLICY, "rules": {"k": "k_anonymity(2)"}}
    assert ph.verify(path, policy).verdict == "refuted"
    with pytest.raises(ph.InputError, match="'q'"):
        ph.verify(path, policy, engine="duckdb")


def test_moments_of_96_bits_beyond_nanoseconds_are_refused(tmp_path: Path) -> None:
    path = moments(tmp_path / "t.parquet", ["1500-01-01", "2000-01-01"])
    with pytest.raises(ph.InputError, match="before 1677 or after 2262"):
        ph.verify(path, POLICY)
    path = moments(tmp_path / "u.parquet", ["1900-01-01", "2000-01-01"])
    assert ph.verify(path, POLICY).classes == 2


def test_each_of_many_files_is_looked_at(tmp_path: Path) -> None:
    texts = ["2001-09-09T01:46:40.000000001", "2001-09-09T01:46:40.000000002"]
    moments(tmp_path / "2.parquet", texts)
    plain = pa.table({"q": pa.array([1, 1], pa.timestamp("ns")), "f": ["a", "a"]})
    parquet.write_table(plain, tmp_path / "1.parquet")
    report = ph.verify(
        f"{tmp_path}/*.parquet", {**POLICY, "rules": {"k": "k_anonymity(2)"}}
    )
    assert (report.verdict, report.classes) == ("refuted", 3)


def test_identifiers_that_are_no_texts(folder: Path) -> None:
    """Such a table is read row by row: an engine writes 1.0 where a reader reads 1."""
    for path in folder.glob("*.parquet"):
        table = pd.read_parquet(path)
        table["who"] = [int(path.stem) * 10 + k + 0.0 for k in range(3)]
        table.to_parquet(path)
    columns = {**POLICY["columns"], "identifier": "who"}
    policy = {**POLICY, "columns": columns, "rules": {"r": "@'22' q = z"}}
    assert ph.verify(f"{folder}/*.parquet", policy).verdict == "proved"
    with pytest.raises(ph.InputError, match="'who'"):
        ph.verify(f"{folder}/*.parquet", policy, engine="duckdb")


@pytest.mark.parametrize("name", ["phverify_first", "Phverify_Rows", "phverify_number"])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_columns_that_are_called_as_those_of_questions(
    tmp_path: Path, name: str, ending: str
) -> None:
    table = pd.DataFrame({name: ["9", "8", "8"], "f": ["a", "b", "a"]})
    path = tmp_path / f"t.{ending}"
    write = table.to_csv if ending == "csv" else table.to_parquet
    write(path, index=False)
    columns = {"quasi": [name], "sensitive": ["f"]}
    report = ph.verify(path, {**POLICY, "columns": columns}, engine="duckdb")
    assert report.rules[0].witness is not None
    assert (report.classes, report.rules[0].witness.world) == (2, "d1")
