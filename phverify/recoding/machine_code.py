"""Functions as machine code, which is kept on disk where there is room for it.

Code that is kept knows when its own file has changed, and not when another one has that
it calls: so all of it goes when any file of this folder is another than before.
"""

from __future__ import annotations

import hashlib
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar, cast

import numba
from numba.core.compiler_lock import global_compiler_lock

Function = TypeVar("Function", bound=Callable[..., Any])

FOLDER = Path(__file__).parent
KEPT = FOLDER / "__pycache__"
STAMP = KEPT / "machine_code.stamp"


def compiled(function: Function) -> Function:
    """The function as machine code, which other threads may run beside.

    It may not make arrays: those that it gets are then not counted as they go from
    function to function, which took most of the time.
    """
    return machine_code(function, nogil=True, _nrt=False)


def inlined(function: Function) -> Function:
    """The same for small functions: a call would copy the places of all arrays."""
    return machine_code(function, nogil=True, _nrt=False, forceinline=True)


def counted(function: Function) -> Function:
    """The same for functions that make arrays."""
    return machine_code(function, nogil=True)


def machine_code(function: Function, **options: bool) -> Function:
    """The function compiled at its first call, and read from disk from then on.

    Where no folder can be written to (a package that others installed, a user without
    a home), or the disk is full, it is compiled in every process anew.
    """
    made: Any
    try:
        made = cast(Any, numba.njit)(cache=True, **options)(function)
    except RuntimeError:  # no folder for it
        made = cast(Any, numba.njit)(**options)(function)
    made.compile = _whole(made.compile)
    save = getattr(made._cache, "save_overload", None)
    if save is not None:
        made._cache.save_overload = _if_possible(save)
    return cast(Function, made)


def kept(function: Callable[..., Any]) -> bool:
    """Whether an earlier process has left the function's machine code on disk."""
    folder = function.stats.cache_path  # type: ignore[attr-defined]
    if folder is None:
        return False
    return any(Path(folder).glob(f"*.{function.__name__}-*.nbi"))


def _if_possible(save: Callable[..., None]) -> Callable[..., None]:
    def saved(*overload: Any) -> None:
        with suppress(OSError):
            save(*overload)

    return saved


def _whole(compile_: Callable[..., Any]) -> Callable[..., Any]:
    """Ctrl-C acts between two functions: the compiler's own calls back would lose it,
    and miss what they were called for.
    """

    def compiled(*signature: Any) -> Any:
        # Who waits for another thread's functions can be interrupted.
        with global_compiler_lock, _put_off():
            return compile_(*signature)

    return compiled


class _Later:
    """A handler that notes a signal for the one that was there."""

    def __init__(self, handler: Any) -> None:
        self.handler: Any = handler
        # A function is compiled while another is, which calls it.
        if isinstance(handler, _Later):
            self.handler = handler.handler
        self.noted: list[tuple[int, FrameType | None]] = []

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.noted.append((number, frame))


@contextmanager
def _put_off() -> Iterator[None]:
    """Ctrl-C inside of the block acts at its end.

    Python handles signals in the main thread alone, and some handlers are not Python's.
    """
    handler = signal.getsignal(signal.SIGINT)
    main = threading.current_thread() is threading.main_thread()
    if not main or not callable(handler):
        yield
        return
    later = _Later(handler)
    signal.signal(signal.SIGINT, later)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if later.noted:
            later.handler(*later.noted[-1])


def drop_stale() -> None:
    """Remove machine code that was made from other files than those there now."""
    seen = _seen()
    # Where the folder cannot be written to, nothing has been kept in it.
    with suppress(OSError):
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
