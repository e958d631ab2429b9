"""Ctrl-C that waits for the end of what must not be left halfway."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


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
def interrupts_put_off() -> Iterator[None]:
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
