"""Functions as machine code, kept on disk from their first use on.

Code that is kept knows when its own file has changed, and not when another one has that
it calls: so all of it goes when any file of this folder is another than before.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])

FOLDER = Path(__file__).parent
KEPT = FOLDER / "__pycache__"
STAMP = KEPT / "machine_code.stamp"


def compiled(function: Function) -> Function:
    """The function as machine code, which other threads may run beside.

    It may not make arrays: those that it gets are then not counted as they go from
    function to function, which took most of the time.
    """
    options: dict[str, Any] = {"cache": True, "nogil": True, "_nrt": False}
    compile_it = numba.njit(**options)
    return cast(Function, compile_it(function))


def inlined(function: Function) -> Function:
    """The same for small functions, since a call copies the places of all arrays."""
    options: dict[str, Any] = {"cache": True, "nogil": True, "_nrt": False}
    compile_it = numba.njit(forceinline=True, **options)
    return cast(Function, compile_it(function))


def counted(function: Function) -> Function:
    """The same for functions that make arrays."""
    compile_it = numba.njit(cache=True, nogil=True)
    return cast(Function, compile_it(function))


def preparing() -> str:
    """What the first search on a machine does first, in words."""
    if any(KEPT.glob("*.nbi")):
        return "preparing"
    return "compiling the search, once on this machine (half a minute)"


def drop_stale() -> None:
    """Remove machine code that was made from other files than those there now."""
    seen = _seen()
    # Where the folder cannot be written to, nothing has been kept in it.
    with contextlib.suppress(OSError):
        if STAMP.is_file() and STAMP.read_text(encoding="utf-8") == seen:
            return
        for file in KEPT.glob("*.nb[ci]"):
            file.unlink(missing_ok=True)
        KEPT.mkdir(exist_ok=True)
        STAMP.write_text(seen, encoding="utf-8")


def _seen() -> str:
    """What the files of this folder are: their names, times and sizes."""
    described = []
    for file in sorted(FOLDER.glob("*.py")):
        state = file.stat()
        described.append(f"{file.name} {state.st_mtime_ns} {state.st_size}")
    return hashlib.sha256("\n".join(described).encode()).hexdigest()


drop_stale()
