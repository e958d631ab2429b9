"""What is counted where it is has the witnesses of rows that are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import phverify as ph
from phverify.microdata.counted import GroupedRows

POLICY: dict[str, Any] = {
    "columns": {"quasi": ["q"], "sensitive": ["f"]},
    "rules": {"k": "k_anonymity(2)"},
}


def written(folder: Path, cells: pa.Array, name: str = "t.parquet") -> Path:
    """A Parquet file with this column, and one in which all cells are alike."""
    table = pa.table({"q": cells, "f": ["a"] * len(cells)})
    parquet.write_table(table, folder / name)
    return folder / name


def test_the_witness_is_that_of_the_rows(tmp_path: Path) -> None:
    """Missing cells come after the others, wherever they stand."""
    cells = pa.array([None, "x", "z", "y"])
    path = written(tmp_path, cells)
    one, other = (ph.verify(path, POLICY, engine=e) for e in ("pandas", "duckdb"))
    assert one.rules[0].witness is not None
    assert one.rules[0].witness == other.rules[0].witness


def test_a_column_that_the_table_has_in_other_letters(tmp_path: Path) -> None:
    policy = {**POLICY, "columns": {"quasi": ["q", "Q"], "sensitive": ["f"]}}
    path = written(tmp_path, pa.array(["x", "y"]))
    for engine in ("pandas", "duckdb"):
        with pytest.raises(ph.InputError, match="there is no column 'Q'"):
            ph.verify(path, policy, engine=engine)


def test_the_witness_has_people_where_they_are_in_rows(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("q,n,f\ny,b,1\ny,a,\nx,c,\nx,d,\nx,b,3\n", encoding="utf-8")
    columns = {"quasi": ["q"], "sensitive": ["n", "f"]}
    rules = {"known": "never_known()", "d": "l_diversity(f, 3)", "b": "n = b"}
    policy = {"columns": columns, "secrets": {"*": ["n != a"]}, "rules": rules}
    one, other = (ph.verify(path, policy, engine=e) for e in ("pandas", "duckdb"))
    for first, second in zip(one.rules, other.rules, strict=True):
        assert first.witness == second.witness


def test_a_large_class_is_shown_by_its_first_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The count tells it: the rows of the class are not asked for."""
    path = tmp_path / "t.parquet"
    quasi = [*"yxyxxy", *("xy" * 20)]
    values = [*"abbaab", *("ab" * 20)]
    parquet.write_table(pa.table({"q": quasi, "f": values}), path)
    columns = {"quasi": ["q"], "sensitive": ["f"]}
    rules = {"k": "k_anonymity(30)", "l": "l_diversity(f, 3)", "t": "t_closeness(f, 0)"}
    policy = {"columns": columns, "rules": rules}
    read = ph.verify(path, policy, engine="pandas")

    def refused(*_: Any) -> Any:
        raise AssertionError("asked for rows")

    monkeypatch.setattr(GroupedRows, "rows_of", refused)
    monkeypatch.setattr(GroupedRows, "groups_of", refused)
    counted = ph.verify(path, policy, engine="duckdb")
    for first, second in zip(read.rules, counted.rules, strict=True):
        assert first.witness is not None
        assert first.witness == second.witness
