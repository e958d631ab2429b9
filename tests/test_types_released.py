"""A released file has the types of its table, of whatever it was read and whichever engine
read it; and it is what the ending of its name says.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import polars
import pyarrow as pa
import pytest
from pyarrow import feather, parquet
from support.so_many import sampled
from test_frames import CASES

import phverify as ph
from phverify.cli.main import main
from phverify.errors import InputError

POLICY: dict[str, Any] = {
    "columns": {"quasi": ["q"], "neutral": ["a"]},
    "rules": {"k": "k_anonymity(2)"},
}
MORE: dict[str, tuple[pa.DataType, list[Any]]] = {
    "narrow decimal": (pa.decimal128(5, 2), [Decimal("1.50"), None, Decimal(-2)]),
    "few": (pa.dictionary(pa.uint8(), pa.large_string()), ["z", None, "a"]),
    "ordered": (pa.dictionary(pa.int16(), pa.string(), ordered=True), ["b", "a"]),
    "few numbers": (pa.dictionary(pa.int8(), pa.int32()), [7, None, 7]),
    "runs": (pa.run_end_encoded(pa.int32(), pa.int64()), [1, 1, 2]),
    "intervals": (pa.month_day_nano_interval(), [(0, 1, 5), None, (0, -1, 0)]),
    "integers": (pa.int16(), [1, None, 3]),
}
TYPES = {**{name: case[:2] for name, case in CASES.items()}, **MORE}
READ_AS = {"parquet": ".parquet", "feather": ".arrow", "arrow": ".arrow"}
"""By the form of a table, the ending of a file that has its types."""
READ: dict[str, Callable[[Any], pa.Table]] = {
    ".parquet": parquet.read_table,
    ".arrow": feather.read_table,
}


def table_of(name: str) -> pa.Table:
    kind, cells = TYPES[name]
    # Beside missing cells an empty text is refused.
    cells = [cell for cell in cells if cell != ""]
    if pa.types.is_run_end_encoded(kind):
        plain = pa.array(cells, kind.value_type)
        column = pa.compute.run_end_encode(plain)
    else:
        column = pa.array(cells, kind, from_pandas=False)
    return pa.table({"q": ["x"] * len(cells), "a": column})


def repeated(table: pa.Table) -> pa.Table:
    """Every row twice, and one more that is withheld: columns have several parts."""
    return pa.concat_tables([table, table, table[:1].set_column(0, "q", [["y"]])])


def plain(column: Any) -> list[Any]:
    """Cells with one way to write a number."""
    cells = []
    for cell in column.to_pylist():
        number = isinstance(cell, float)
        missing = number and math.isnan(cell)
        cells.append(None if missing else cell + 0.0 if number else cell)
    return cells


def as_parquet(table: pa.Table, path: Path) -> Path:
    parquet.write_table(table, path.with_suffix(".parquet"), row_group_size=2)
    return path.with_suffix(".parquet")


def as_feather(table: pa.Table, path: Path) -> Path:
    feather.write_feather(table.unify_dictionaries(), str(path.with_suffix(".feather")))
    return path.with_suffix(".feather")


FORMS: dict[str, Callable[[pa.Table, Path], Any]] = {
    "parquet": as_parquet,
    "feather": as_feather,
    "arrow": lambda table, path: table,
}


READ_BACK = [("parquet", False), ("feather", False), ("arrow", True)]


@pytest.mark.parametrize(
    ("name", "form", "quasi"),
    sampled([(name, *form) for name in TYPES for form in READ_BACK], 2),
)
def test_types_stay(name: str, form: str, quasi: bool, tmp_path: Path) -> None:
    table = repeated(table_of(name))
    try:
        given = FORMS[form](table, tmp_path / "t")
    except (pa.ArrowException, NotImplementedError):
        pytest.skip(f"{form} files have no such column")
    # As the file has them: some types become others there.
    before = table if form == "arrow" else READ[READ_AS[form]](given)
    columns = {"quasi": ["q", "a"]} if quasi else POLICY["columns"]
    policy = {**POLICY, "columns": columns}
    for engine in ("pandas", "duckdb"):
        if engine == "duckdb" and not counted(given, policy):
            continue
        result = ph.search(given, policy, engine=engine, suppress="1/3")
        assert (result.verdict, result.suppressed) == ("optimal", 1)
        assert not any({*m} != {*m.values()} for m in result.mapping.values())
        for ending, read in READ.items():
            target = tmp_path / f"release{ending}"
            if ending == ".parquet" and name == "intervals":
                with pytest.raises(InputError, match="cannot be Parquet"):
                    result.write(target)
                continue
            result.write(target)
            after = read(target)
            kind = released(before.column("a").type)
            if ending == READ_AS[form]:
                assert after.schema.field("a").type == kind, (engine, ending)
            assert plain(after.column("a")) == plain(before.column("a"))[:-1]
            assert {*after.column("q").to_pylist()} == {"x"}


def released(kind: pa.DataType) -> pa.DataType:
    """The type that files have instead of views and runs."""
    if pa.types.is_run_end_encoded(kind):
        return kind.value_type
    return pa.large_string() if str(kind) == "string_view" else kind


def counted(given: Any, policy: dict[str, Any]) -> bool:
    """Whether DuckDB has the values of all columns."""
    try:
        ph.search(given, policy, engine="duckdb", suppress="1/3")
    except InputError as error:
        assert "leave the engine out" in str(error)
        return False
    return True


@pytest.mark.parametrize("ending", READ)
def test_frames_are_written_with_their_types(ending: str, tmp_path: Path) -> None:
    kinds = {"cat": polars.Categorical, "dec": polars.Decimal(9, 2), "no": polars.Null}
    cells = {"q": [*"xx"], "cat": [*"ab"], "dec": [Decimal("1.50"), None]}
    table = polars.DataFrame({**cells, "no": [None, None]}, schema_overrides=kinds)
    columns = {"quasi": ["q"], "neutral": [*kinds]}
    target = tmp_path / f"release{ending}"
    ph.search(table, {**POLICY, "columns": columns}).write(target)
    written = READ[ending](target)
    types = [written.schema.field(name).type for name in kinds]
    assert pa.types.is_dictionary(types[0])
    assert types[1:] == [pa.decimal128(9, 2), pa.null()]
    assert written.select([*cells]).to_pydict() == cells
    frame = pd.DataFrame({"q": [*"xx"], "a": pd.array([1, None], dtype="Int8")})
    ph.search(frame, POLICY).write(target)
    assert READ[ending](target).schema.field("a").type == pa.int8()


WRITTEN = ("r", "r.CSV", "r.tsv", "r.csv.gz", "r.Parquet", "r.pq", "r.feather", "r.ipc")
REFUSED = ("r.xlsx", "r.sav", "r.duckdb", "r.zip", "r.json", "r.orc", "r.parquet.gz")


@pytest.mark.parametrize("name", [*WRITTEN, *REFUSED])
def test_a_file_is_what_its_name_says(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, policy, target = (tmp_path / one for one in ("t.csv", "p.toml", name))
    table.write_text("q,a\nx,1\nx,2\n")
    policy.write_text(
        '[columns]\nquasi = ["q"]\nneutral = ["a"]\n[rules]\nk = "k_anonymity(2)"\n'
    )
    result = ph.search(table, policy)
    asked = ["search", str(table), "--policy", str(policy), "--output", str(target)]
    if name in WRITTEN:
        assert main(asked) == 0
        assert ph.verify(target, policy).verdict == "proved"
        result.write(target)
        assert ph.verify(target, policy).verdict == "proved"
        return
    # Before anything is searched.
    assert main(asked) == 2
    told = capsys.readouterr()
    assert f"no release is written as {target.suffix}" in told.err
    assert "CSV (.csv, .tsv, " in told.err and ".feather" in told.err
    assert "OPTIMAL" not in told.out
    with pytest.raises(InputError, match="no release is written as"):
        result.write(target)
    assert not target.exists()


@pytest.mark.parametrize("name", ["rows.parquet", "rows.csv.gz", "rows.xlsx"])
def test_failing_rows_are_csv_alone(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, policy, target = (tmp_path / one for one in ("t.csv", "p.toml", name))
    table.write_text("q,a\nx,1\ny,2\n")
    policy.write_text('[columns]\nquasi = ["q"]\n[rules]\nk = "k_anonymity(2)"\n')
    asked = ["verify", str(table), "--policy", str(policy), "--failing", str(target)]
    assert main(asked) == 2
    assert f"ends in {target.suffix}, and failing rows are CSV" in (
        capsys.readouterr().err.replace("written as ", "")
    )
    assert not target.exists()
