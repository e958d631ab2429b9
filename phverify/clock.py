"""One hard deadline for everything that happens inside a block: reading, parsing, writing out, solving."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager

AGAIN = 1.0
"""Seconds until it is raised once more: inside of finalizers and of the collector's callbacks Python ignores errors."""


class OutOfTime(BaseException):
    """The time is over.  No handler of other errors catches it."""


@contextmanager
def within(seconds: float | None) -> Iterator[None]:
    """Raises OutOfTime inside the block, between two steps of whatever Python code runs there, when the time is over.

    What runs outside of Python, such as a solver, is interrupted when it returns: it has to have a limit of its own.
    """
    if seconds is None:
        yield
        return
    thread, ended, lock = threading.get_ident(), threading.Event(), threading.Lock()

    def interrupt() -> None:
        left = min(seconds, threading.TIMEOUT_MAX)
        while not ended.wait(left):
            with lock:
                if not ended.is_set():
                    _raise(thread, OutOfTime)
            left = AGAIN

    threading.Thread(target=interrupt, daemon=True).start()
    try:
        yield
    finally:
        with lock:
            ended.set()


def _raise(thread: int, error: type[BaseException]) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))
