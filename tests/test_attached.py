"""A DuckDB file that was asked about is its owner's again: an answer that is kept does not
hold it, and finds when it was written.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

import phverify as ph
from phverify.errors import InputError
from phverify.microdata.at_hand import at_hand
from phverify.microdata.attached import AttachedTable, PlacedTable, attached_table
from phverify.microdata.counted import COUNT

POLICY: dict[str, Any] = {
    "columns": {"identifier": "id", "quasi": ["q"], "sensitive": ["s"]},
    "rules": {"k": "k_anonymity(2)"},
}
OPEN: dict[str, Any] = {**POLICY, "rules": {"k": "k_anonymity(4)"}}

VERBS: dict[str, Callable[[Any], Any]] = {
    "verify": lambda table: ph.verify(table, POLICY, engine="duckdb"),
    "failing": lambda table: ph.verify(table, OPEN, engine="duckdb", failing=True),
    "original": lambda table: ph.verify(table, POLICY, table, engine="duckdb"),
    "measure": lambda table: ph.measure(table, POLICY, engine="duckdb"),
    "search": lambda table: ph.search(table, POLICY, engine="duckdb"),
    "tradeoff": lambda table: ph.tradeoff(table, POLICY, k=[2, 3], engine="duckdb"),
    "anonymize": lambda table: ph.anonymize(table, policy=POLICY, engine="duckdb"),
    "reidentify": lambda table: ph.reidentify(table, table, POLICY, engine="duckdb"),
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "it's.duckdb"
    with closing(duckdb.connect(str(path))) as connection:
        rows = "SELECT i AS id, i // 3 AS q, ['a', 'b', 'c'][1 + i % 3] AS s FROM range(9) r(i)"
        connection.execute(f"CREATE TABLE t AS {rows}")
    return path


def write(path: Path) -> None:
    """One more row."""
    with closing(duckdb.connect(str(path))) as connection:
        connection.execute("INSERT INTO t VALUES (9, 0, 'a')")


@pytest.mark.parametrize("verb", VERBS)
def test_who_keeps_an_answer_can_write_to_its_table(verb: str, file: Path) -> None:
    answer = VERBS[verb](str(file))
    str(answer)
    write(file)
    # It is kept until here.
    del answer


def test_a_release_of_a_table_that_was_written_since_is_refused(file: Path) -> None:
    result = ph.search(file, POLICY, engine="duckdb")
    result.write(file.with_name("before.csv"))
    write(file)
    with pytest.raises(InputError, match="was changed after it was counted"):
        result.write(file.with_name("after.csv"))


def table_of(path: Path) -> AttachedTable:
    held = at_hand(path, "duckdb")
    assert isinstance(held, PlacedTable)
    return attached_table(held)


def test_rows_that_come_one_after_another_hold_the_file_to_their_end(
    file: Path,
) -> None:
    table = table_of(file)
    rows: Any = table.streamed(f"SELECT * FROM {table.relation}", {})
    next(rows)
    with pytest.raises(duckdb.Error, match="already attached"):
        write(file)
    # Who does not want the others says so.
    rows.close()
    write(file)
    with pytest.raises(InputError, match="was changed while it was read"):
        table.grouped(("q",))


def test_a_question_that_fails_lets_go_of_the_file(file: Path) -> None:
    table = table_of(file)
    with pytest.raises(InputError, match="cannot be read"):
        table.grouped(("nobody",))
    write(file)


def test_rows_that_were_committed_and_stand_beside_the_file_are_seen(
    file: Path,
) -> None:
    table = table_of(file)
    told = os.stat(file).st_mtime_ns
    # Nothing closes the file: the new row is in the log beside it.
    subprocess.run(
        [
            sys.executable,
            "-c",
            "import duckdb, os, sys; c = duckdb.connect(sys.argv[1]);"
            " c.execute(\"INSERT INTO t VALUES (9, 0, 'a')\"); os._exit(0)",
            str(file),
        ],
        check=True,
    )
    assert os.stat(file).st_mtime_ns == told
    with pytest.raises(InputError, match=r"\.wal: was changed while it was read"):
        table.grouped(("q",))
    assert table_of(file).grouped(()).to_pydict()[COUNT] == [10]
