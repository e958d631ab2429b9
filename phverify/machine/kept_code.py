"""Which machine code is kept on disk: what was made from the files as they are.

Code that is kept knows when its own file has changed, and not when another one has that
it calls: so all that a folder keeps goes when any file there, or here, is another than
before.
"""

from __future__ import annotations

import contextlib
import hashlib
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent


def kept(folder: Path) -> Path:
    """Where the machine code of a folder is kept."""
    return folder / "__pycache__"


@cache
def drop_stale(folder: Path) -> None:
    """Remove machine code that was made from other files than those there now."""
    # Where the folder cannot be written to, nothing has been kept in it.
    with contextlib.suppress(OSError):
        stamp = _stamp(folder)
        if stamp.is_file() and stamp.read_text(encoding="utf-8") == _seen(folder):
            return
        for file in kept(folder).glob("*.nb[ci]"):
            file.unlink(missing_ok=True)
        mark(folder)


def mark(folder: Path) -> None:
    """Note that what is kept was made from the files as they are now."""
    kept(folder).mkdir(exist_ok=True)
    _stamp(folder).write_text(_seen(folder), encoding="utf-8")


def _stamp(folder: Path) -> Path:
    return kept(folder) / "machine_code.stamp"


def _seen(folder: Path) -> str:
    """What the files are that a folder's machine code is made of: their names, times
    and sizes.
    """
    described = []
    for file in [*sorted(folder.glob("*.py")), *sorted(HERE.glob("*.py"))]:
        state = file.stat()
        described.append(f"{file.name} {state.st_mtime_ns} {state.st_size}")
    return hashlib.sha256("\n".join(described).encode()).hexdigest()
