"""Tables larger than the memory: what does not fit is set aside, and removed after."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import duckdb
import pytest

import phverify as ph
from phverify.cli.main import main
from phverify.microdata import duckdb_tables, spill

if sys.platform == "win32":
    pytest.skip("limits are those of Unix", allow_module_level=True)

POLICY: dict[str, Any] = {
    "columns": {"quasi": ["a", "b", "c", "d"], "sensitive": ["f"]},
    "rules": {"k": "k_anonymity(20)", "l": "l_diversity(f, 2)"},
}
MEGABYTE = 2**20
VALUES = 20
"""Values of each of four columns; all their combinations are classes."""
WIDTH = 100
FILES = 20
LIMIT = 900 * MEGABYTE


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty files whose texts are larger than the limit, as one file that has as many
    names.
    """
    folder = tmp_path_factory.mktemp("large")
    shown = ["'illness' AS f"]
    for place, name in enumerate("abcd"):
        number = f"(i // {VALUES**place}) % {VALUES}"
        shown.append(f"rpad('{name} ' || {number}, {WIDTH}, '.') AS {name}")
    rows = f"SELECT {', '.join(shown)} FROM range({VALUES**4}) t(i)"
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({rows}) TO '{folder}/00.parquet'")
    for number in range(1, FILES):
        os.link(folder / "00.parquet", folder / f"{number:02}.parquet")
    assert FILES * VALUES**4 * 4 * WIDTH > LIMIT
    return folder


VERIFY = """
import resource, sys
import phverify as ph
release, memory, disk, policy = eval(sys.argv[1])
resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
if disk is not None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (disk, disk))
try:
    report = ph.verify(release, policy, engine="duckdb")
    print(report.rows, [(rule.name, rule.verdict) for rule in report.rules])
except ph.InputError as error:
    print(error)
"""


def in_a_process(release: Path, temporary: Path, disk: int | None) -> str:
    """What ``verify`` says where memory, and files that it writes, are limited."""
    given = repr((str(release), LIMIT, disk, POLICY))
    done = subprocess.run(
        [sys.executable, "-c", VERIFY, given],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ
        | {
            "TMPDIR": str(temporary),
            # The stacks of threads are data: one for each processor would be too many.
            "OPENBLAS_NUM_THREADS": "1",
            # Bytecode that a limit cuts short would be read by other processes.
            "PYTHONDONTWRITEBYTECODE": "1",
        },
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_release_larger_than_memory(large: Path, tmp_path: Path) -> None:
    """The second process shows that the first one could not have done without disk."""
    rows = FILES * VALUES**4
    told = in_a_process(large, tmp_path, None)
    assert told == f"{rows} [('k', 'proved'), ('l', 'refuted')]\n"
    assert os.listdir(tmp_path) == []

    told = in_a_process(large, tmp_path, MEGABYTE)
    assert "what does not fit into memory cannot be set aside" in told
    assert "File too large" in told and "set TMPDIR to a folder" in told
    assert os.listdir(tmp_path) == []


def test_without_a_folder_there_is_memory_alone(
    large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused() -> None:
        raise PermissionError

    monkeypatch.setattr(duckdb_tables, "SpillFolder", refused)
    monkeypatch.setattr(duckdb_tables, "share", lambda: (30 * MEGABYTE, 1))
    with pytest.raises(ph.InputError, match="the memory does not suffice") as error:
        ph.verify(large, POLICY, engine="duckdb")
    assert "TMPDIR to a folder that can be written to" in str(error.value)


def test_a_folder_is_removed_with_its_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    release = tmp_path / "t.csv"
    release.write_text("a,b,c,d,f\n1,2,3,4,5\n", encoding="utf-8")
    table = duckdb_tables.csv_table(
        str(release), {str(release): ","}, ["a", "b", "c", "d", "f"]
    )
    table.grouped(("a",))
    assert len(os.listdir(tmp_path)) == 2
    del table
    assert os.listdir(tmp_path) == ["t.csv"]


def test_an_interrupt_ends_a_long_count() -> None:
    """DuckDB itself looks at signals when its threads have done all their work."""
    rows = "range(1000000000000)"
    table = duckdb_tables.DuckTable("t", ("range",), rows, "range", ())
    start = time.monotonic()
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        table.rows_with("range", "none")
    assert time.monotonic() - start < 30
    assert table.some("range", 1) == [0], "the connection goes on"


OWNER = """
import sys
from phverify.microdata.duckdb_tables import csv_table
table = csv_table(sys.argv[1], {sys.argv[1]: ","}, ["a"])
while True:
    table.grouped(("a",))
    print(table._folder.path, flush=True)
"""


def owner(release: Path, temporary: Path) -> tuple[subprocess.Popen[str], Path]:
    """A process that counts, and its folder."""
    child = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(release)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"TMPDIR": str(temporary)},
    )
    assert child.stdout is not None
    return child, Path(child.stdout.readline().strip())


def test_what_a_process_leaves_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C removes it; what a killed process leaves, the next one does."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    release = tmp_path / "t.csv"
    release.write_text("a\n1\n", encoding="utf-8")
    folders = []
    for number in (signal.SIGINT, signal.SIGKILL):
        child, folder = owner(release, tmp_path)
        assert folder.is_dir()
        again = spill.SpillFolder()
        assert folder.is_dir(), "a folder in use is nobody else's"
        again.remove()
        child.send_signal(number)
        child.communicate(timeout=60)
        folders.append(folder)
    interrupted, killed = folders
    assert not interrupted.exists() and killed.exists()
    left = spill.SpillFolder()
    assert not killed.exists() and Path(left.path).is_dir()
    left.remove()
    assert os.listdir(tmp_path) == ["t.csv"]


def groups(root: Path, **files: str) -> None:
    """Files of the system: ``__`` stands for a slash, ``_dot_`` for a dot."""
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def test_what_a_process_may_take(tmp_path: Path) -> None:
    """The least of what the machine has and what control groups leave."""
    assert list(spill._all_free(tmp_path)) == []
    groups(tmp_path, proc__meminfo="MemTotal: 9 kB\nMemAvailable:    4000 kB\n")
    assert min(spill._all_free(tmp_path)) == 4000 * 1024

    # Of 1,000 bytes 900 are taken, of which 300 can be given back at once.
    inner = "sys__fs__cgroup__all__one__memory_dot_"
    told = {"max": "1000\n", "current": "900\n", "stat": "anon 5\ninactive_file 300\n"}
    groups(tmp_path, proc__self__cgroup="0::/all/one\n")
    groups(tmp_path, **{inner + name: text for name, text in told.items()})
    assert min(spill._all_free(tmp_path)) == 400

    outer = "sys__fs__cgroup__all__memory_dot_"
    told = {"max": "100\n", "current": "200\n", "stat": "inactive_file 0\n"}
    groups(tmp_path, **{outer + name: text for name, text in told.items()})
    assert min(spill._all_free(tmp_path)) == 0
    groups(tmp_path, **{outer + "max": "max\n"})
    assert min(spill._all_free(tmp_path)) == 400


def test_the_first_version_of_control_groups(tmp_path: Path) -> None:
    """A container names a group that it does not see: its own is the outermost."""
    groups(tmp_path, proc__self__cgroup="3:cpu,cpuacct:/x\n4:memory:/docker/1\n0::/\n")
    own = "sys__fs__cgroup__memory__memory_dot_"
    told = {
        "limit_in_bytes": "1000\n",
        "usage_in_bytes": "500\n",
        "stat": "inactive_file 9\ntotal_inactive_file 20\n",
    }
    groups(tmp_path, **{own + name: text for name, text in told.items()})
    assert list(spill._all_free(tmp_path)) == [520]


def test_the_share_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    one = spill.FOR_A_THREAD
    for free, expected in ((40 * one, (10 * one, 10)), (1, (one, 1)), (None, None)):
        known = [] if free is None else [free]
        monkeypatch.setattr(spill, "_all_free", lambda _, known=known: known)
        assert spill.share() == expected


def test_python_without_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def exhausted(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("phverify.cli.main._run", exhausted)
    assert main(["verify", "t.csv", "--policy", "p.toml"]) == 2
    assert "the memory does not suffice" in capsys.readouterr().err
