"""After an audit nothing is open that it opened, however it ended."""

from __future__ import annotations

import _thread
import gc
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import phverify
from phverify import InputError
from phverify.disclosure.classes.made_for import FROM_ROWS

POLICY: dict[str, Any] = {
    "table": "t",
    "key": "id",
    "public": ["region"],
    "sensitive": {"ill": {"from": 0, "to": 1}},
    "protect": {"ill": {"column": "ill"}},
}
COUNTED = "SELECT region, COUNT(*) FROM t WHERE ill = 1 GROUP BY region"
STRANGE = "SELECT MEDIAN(ill) FROM t"
WRONG = "SELECT nothing FROM t"
TASKS = Path("/proc/self/task")


def threads() -> int:
    """Those of the process, DuckDB's among them, where the system tells of them."""
    if TASKS.is_dir():
        return len(list(TASKS.iterdir()))
    return _thread._count()


@pytest.fixture
def nothing_stays(tmp_path: Path) -> Iterator[None]:
    """As many threads as before, though no garbage is collected."""
    table = tmp_path / "first.csv"
    table.write_text("id,region,ill\n1,r,0\n2,r,1\n")
    # What libraries start at their first use stays.
    phverify.audit(table, [COUNTED], POLICY)
    gc.collect()
    before = threads()
    gc.disable()
    try:
        yield
        # A thread that is told to end takes a moment.
        for _ in range(500):
            if threads() <= before:
                break
            time.sleep(0.01)
        assert threads() <= before
    finally:
        gc.enable()


def made(rows: int) -> str:
    return (
        "SELECT i AS id, 'r' || (i % 3) AS region, (i % 2)::INTEGER AS ill"
        f" FROM range({rows}) x(i)"
    )


@pytest.fixture
def path(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A DuckDB file with so many rows."""
    found = tmp_path / "people.duckdb"
    with duckdb.connect(str(found)) as connection:
        connection.execute(f"CREATE TABLE t AS {made(request.param)}")
    return found


SIZES = pytest.mark.parametrize("path", [6, 2 * FROM_ROWS], indirect=True)


def interrupted(number: int) -> Callable[[str], None]:
    """Ctrl-C at a step."""

    def tell(step: str) -> None:
        if step.startswith(f"query {number}"):
            raise KeyboardInterrupt

    return tell


@SIZES
@pytest.mark.parametrize("log", [[COUNTED], [COUNTED, STRANGE], [WRONG, STRANGE]])
def test_logs_that_are_understood_and_others(
    path: Path, log: list[str], nothing_stays: None
) -> None:
    report = phverify.audit(path, log, POLICY)
    assert report.steps


@SIZES
def test_what_stops_an_audit(path: Path, nothing_stays: None) -> None:
    log = [COUNTED, STRANGE]
    stopped = phverify.audit(path, log, POLICY, progress=interrupted(2))
    assert stopped.stopped
    assert phverify.audit(path, log, POLICY, budget=1e-6).stopped


@SIZES
def test_an_error_of_the_caller(path: Path, nothing_stays: None) -> None:
    def tell(step: str) -> None:
        raise ZeroDivisionError(step)

    with pytest.raises(ZeroDivisionError):
        phverify.audit(path, [COUNTED], POLICY, progress=tell)


@SIZES
def test_inputs_that_are_wrong(path: Path, nothing_stays: None) -> None:
    with pytest.raises(InputError, match="nobody"):
        phverify.audit(path, [COUNTED], {**POLICY, "public": ["nobody"]})
    with pytest.raises(InputError, match="other"):
        phverify.audit(path, [COUNTED], {**POLICY, "table": "other"})


def test_files_that_are_no_databases(tmp_path: Path, nothing_stays: None) -> None:
    for name in ("t.duckdb", "t.parquet"):
        path = tmp_path / name
        path.write_text("nothing of the kind")
        with pytest.raises(InputError):
            phverify.audit(path, [COUNTED], POLICY)


def test_files_of_other_kinds(tmp_path: Path, nothing_stays: None) -> None:
    csv = tmp_path / "t.csv"
    csv.write_text("id,region,ill\n1,r,0\n2,r,1\n")
    assert phverify.audit(csv, [COUNTED, STRANGE], POLICY).steps
    file = tmp_path / "t.sqlite"
    with sqlite3.connect(file) as plain:
        plain.execute("CREATE TABLE t (id INTEGER, region TEXT, ill INTEGER)")
        plain.execute("INSERT INTO t VALUES (1, 'r', 0), (2, 'r', 1)")
    plain.close()
    assert phverify.audit(file, [COUNTED, STRANGE], POLICY).steps


def test_what_the_caller_opened_stays_open(tmp_path: Path) -> None:
    file = tmp_path / "people.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute(f"CREATE TABLE t AS {made(6)}")
    config = {"enable_external_access": "false"}
    with duckdb.connect(str(file), read_only=True, config=config) as own:
        phverify.audit(file, [COUNTED, STRANGE], POLICY)
        frame = own.sql("SELECT * FROM t").to_arrow_table()
        phverify.audit(frame, [COUNTED, STRANGE], POLICY)
        assert own.execute("SELECT COUNT(*) FROM t").fetchall() == [(6,)]


@SIZES
def test_findings_are_made_after_the_end(path: Path) -> None:
    """What a report makes when it is looked at needs no connection."""
    report = phverify.audit(path, [COUNTED], POLICY)
    findings = list(report.steps[-1].findings)
    assert {one.verdict for one in findings} == {"safe"}
    assert all(one.worlds for one in findings)
