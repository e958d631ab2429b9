"""How much memory DuckDB may take, and where it puts what does not fit."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

try:
    import fcntl
    import resource

    UNIX = True
except ImportError:
    # Elsewhere nothing is limited, and what a killed process leaves behind stays.
    UNIX = False

PREFIX = "phverify-duckdb-"
"""What the names of the folders begin with."""
OWNER = "owner"
"""The file that is locked as long as a folder is used."""
SHARE = 4
"""A quarter of the memory is DuckDB's: its answer is coded in arrays beside it."""
FOR_A_THREAD = 128 * 1024 * 1024
"""Bytes that a thread of DuckDB needs for a table of some columns."""
ROOM = {
    "memory.max": ("memory.current", "inactive_file"),
    "memory.limit_in_bytes": ("memory.usage_in_bytes", "total_inactive_file"),
}
"""By the file with a group's limit the one with what is used, and what of it is only
kept of files; both versions of control groups.
"""


def share() -> tuple[int, int] | None:
    """How many bytes DuckDB may take, and how many threads go with them.

    None where the system does not say what there is.
    """
    free = min(_all_free(Path("/")), default=None)
    if free is None:
        return None
    own = max(free // SHARE, FOR_A_THREAD)
    return own, max(own // FOR_A_THREAD, 1)


def _all_free(root: Path) -> Iterator[int]:
    """The bytes that are free by each limit that the system tells."""
    yield from _of_machine(root / "proc/meminfo")
    yield from _of_process(root / "proc/self/statm")
    yield from _of_groups(root)


def _of_machine(told: Path) -> Iterator[int]:
    with suppress(OSError):
        for kilobytes in re.findall(r"MemAvailable: *(\d+) kB", told.read_text()):
            yield int(kilobytes) * 1024


def _of_process(told: Path) -> Iterator[int]:
    """By the limits of one process, as ``ulimit -v`` and ``ulimit -d`` set them."""
    if not UNIX:
        return
    with suppress(OSError):
        pages = [int(count) for count in told.read_text().split()]
        limits = ((resource.RLIMIT_AS, pages[0]), (resource.RLIMIT_DATA, pages[5]))
        for limit, used in limits:
            most, _ = resource.getrlimit(limit)
            if most != resource.RLIM_INFINITY:
                yield max(most - used * resource.getpagesize(), 0)


def _of_groups(root: Path) -> Iterator[int]:
    """By the control groups that the process is in, and those around them."""
    groups = root / "sys/fs/cgroup"
    with suppress(OSError):
        for line in (root / "proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers in ("", "memory"):
                inner = groups / controllers / path.strip("/")
                # A container may see its own group as the outermost one.
                for folder in (inner, *inner.parents):
                    yield from _of_group(folder)


def _of_group(folder: Path) -> Iterator[int]:
    for limit, (used, files) in ROOM.items():
        with suppress(OSError, ValueError):
            # No limit is the word max, which is no number.
            most = int((folder / limit).read_text())
            taken = int((folder / used).read_text())
            told = (folder / "memory.stat").read_text()
            dropped = re.findall(rf"^{files} (\d+)$", told, re.MULTILINE)
            yield max(most - taken + sum(map(int, dropped)), 0)


def place() -> str:
    """The folder in which DuckDB's is made: on a disk, as /tmp need not be."""
    chosen = any(os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
    usual = tempfile.gettempdir()
    if usual == "/tmp" and not chosen and os.access("/var/tmp", os.W_OK | os.X_OK):
        return "/var/tmp"
    return usual


class SpillFolder:
    """A new folder for what does not fit into memory; ``remove`` ends it.

    What a process that was killed left behind is removed by the next.  Raises OSError
    where there is no such folder to be made.
    """

    def __init__(self) -> None:
        around = place()
        if UNIX:
            _sweep(Path(around))
        self.path, self._owner = _owned(around)

    def remove(self) -> None:
        """Remove it, with all that is in it."""
        os.close(self._owner)
        shutil.rmtree(self.path, ignore_errors=True)


def _owned(around: str) -> tuple[str, int]:
    """A new folder, and its file that is locked until it is closed."""
    while True:
        path = tempfile.mkdtemp(prefix=PREFIX, dir=around)
        owner = os.open(os.path.join(path, OWNER), os.O_CREAT | os.O_RDWR)
        if UNIX:
            fcntl.flock(owner, fcntl.LOCK_EX)
        # Before it was locked, another process may have removed it as left behind.
        if os.fstat(owner).st_nlink:
            return path, owner
        os.close(owner)


def _sweep(around: Path) -> None:
    """Remove the folders whose processes are gone."""
    for folder in around.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if folder.lstat().st_uid == os.geteuid():
                _remove_where_left(folder)


def _remove_where_left(folder: Path) -> None:
    """Remove a folder; raises OSError where its owner lives."""
    owner = os.open(folder / OWNER, os.O_RDWR)
    try:
        fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(owner)
