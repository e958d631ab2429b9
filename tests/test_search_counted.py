"""A search that starts from a grouped count answers as one that has read the rows, and
writes the same release.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.search_questions import (
    TREE,
    Case,
    drawn_about_classes,
    drawn_about_people,
    drawn_at_random,
    settings,
)
from support.so_many import so_many

import phverify as ph
from phverify.microdata.counted import GroupedRows
from phverify.microdata.kept_groups import KeptGroups, groups_taken
from phverify.verbs.counted_input import counted_input, in_order

UNEVEN = ("statistics", "closures", "history")
"""What tells how it came about, and when."""
CLAIMED = (
    "files",
    "rules",
    "suppress",
    "cost",
    "choice",
    "withheld_classes",
    "mapping",
)
"""What certificates of one answer say alike."""
DRAWN = [drawn_about_classes, drawn_about_people, drawn_at_random]


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("search") / "f.csv"
    path.write_text("\n".join(";".join(line) for line in TREE.values()))
    return path


def answered(case: Case, table: Any, engine: str, folder: Path) -> tuple[Any, ...]:
    """What a search says and writes, whatever the clock said."""
    asked: Any = replace(case, frame=table)
    try:
        result = asked.ask(engine=engine)
    except ph.InputError as error:
        return (str(error),)
    said = result.to_dict()
    # Of several witnesses a solver may find any first.
    said = {name: said[name] for name in said if name not in UNEVEN}
    for rule in (said["checks"] or {"rules": []})["rules"]:
        rule.pop("seconds", None)
        rule.pop("witness", None)
    written = []
    if result.make_release is not None:
        for name in ("r.csv", "r.parquet"):
            target = folder / name
            result.write(target)
            written.append(content(target))
    told = result.certificate or {}
    # Proofs and witnesses are those that a solver finds first.
    return said, written, {name: told.get(name) for name in CLAIMED}


def content(path: Path) -> object:
    """The bytes of a CSV file, and what a Parquet file holds."""
    if path.suffix == ".csv":
        return path.read_bytes()
    from pyarrow import parquet

    table = parquet.read_table(path)
    kinds = []
    for column in table.columns:
        # A release in memory has passed through pandas: texts are of one type there,
        # and a column without a value is of none.
        kind = str(column.type).removeprefix("large_")
        kinds.append(kind if column.null_count < len(column) else "none")
    return kinds, table.to_pylist()


@so_many(13)
@given(st.sampled_from(DRAWN), st.sampled_from(("csv", "parquet")), st.data())
def test_the_answer_is_that_of_the_rows(
    tree: Path, drawn: Any, form: str, data: st.DataObject
) -> None:
    case = drawn(data.draw, tree, data.draw(settings(1, 7, missing=True)))
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / f"t.{form}"
        if form == "csv":
            case.frame.to_csv(table, index=False)
        else:
            case.frame.to_parquet(table)
        counted = answered(case, table, "duckdb", table.parent)
        read = answered(case, table, "pandas", table.parent)
    same(counted, read)


def same(counted: tuple[Any, ...], read: tuple[Any, ...]) -> None:
    """Two answers are one."""
    if len(counted) > 1 and counted[0]["mapping"] != read[0]["mapping"]:
        # Of several that cost the same a solver may find any first.
        for name in ("verdict", "cost", "bound", "may_be_withheld", "minimal"):
            assert counted[0][name] == read[0][name]
        return
    assert counted == read


def test_rows_are_numbered_as_if_there_were_no_others(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("q,n\na,1\nb,2\nb,\na,4\nc,5\nb,6\nc,\n")
    policy = ph.Policy.from_dict(
        {
            "columns": {"quasi": ["q"], "neutral": ["n"]},
            "rules": {"k": "k_anonymity(2)"},
        }
    )
    counted = counted_input(table, policy, "duckdb")
    assert counted is not None
    counted = in_order(counted)
    rows = counted.elsewhere
    assert isinstance(rows, GroupedRows)
    assert counted.columns["q"].labels == ("a", "b", "c")
    assert counted.columns["n"].missing() == 2
    # The rows of a and c: the first, the fourth, the fifth and the last.
    taken = groups_taken(counted, rows, np.array([0, 2]))
    kept = taken.elsewhere
    assert isinstance(kept, KeptGroups)
    assert taken.rows == 4
    assert taken.columns["n"].missing() == 1
    assert [one.tolist() for one in kept.rows_of(np.array([0]))] == [[0, 1], [0, 0]]
    assert [one.tolist() for one in kept.rows_of(np.array([1]))] == [[2, 3], [1, 1]]
    assert kept.groups_of([0, 1, 2, 3]) == [0, 0, 1, 1]
    assert kept.firsts.tolist() == [0, 2]
