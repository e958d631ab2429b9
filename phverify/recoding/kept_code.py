"""Which machine code is kept on disk: what was made from the files as they are.

Code that is kept knows when its own file has changed, and not when another one has that
it calls: so all of it goes when any file of this folder is another than before.
"""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

FOLDER = Path(__file__).parent
KEPT = FOLDER / "__pycache__"
STAMP = KEPT / "machine_code.stamp"


def drop_stale() -> None:
    """Remove machine code that was made from other files than those there now."""
    # Where the folder cannot be written to, nothing has been kept in it.
    with contextlib.suppress(OSError):
        if STAMP.is_file() and STAMP.read_text(encoding="utf-8") == _seen():
            return
        for file in KEPT.glob("*.nb[ci]"):
            file.unlink(missing_ok=True)
        mark()


def mark() -> None:
    """Note that what is kept was made from the files as they are now."""
    KEPT.mkdir(exist_ok=True)
    STAMP.write_text(_seen(), encoding="utf-8")


def _seen() -> str:
    """What the files of this folder are: their names, times and sizes."""
    described = []
    for file in sorted(FOLDER.glob("*.py")):
        state = file.stat()
        described.append(f"{file.name} {state.st_mtime_ns} {state.st_size}")
    return hashlib.sha256("\n".join(described).encode()).hexdigest()
