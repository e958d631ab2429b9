"""Ctrl-C that waits for the end of what must not be left halfway."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from phverify.errors import InputError
from phverify.interruption import Interrupted, Listener


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


@contextmanager
def stopped_by(number: int) -> Iterator[None]:
    """A signal raises Interrupted in the block, and what fails because of it is
    no defect: a module that was half loaded, say.

    A signal that is ignored, as a shell has Ctrl-C for what runs in the background,
    stays so.
    """
    before = signal.getsignal(number)
    main = threading.current_thread() is threading.main_thread()
    plain = before in (signal.SIG_DFL, signal.default_int_handler)
    # only the main thread may handle signals
    if not main or not (plain or isinstance(before, Listener)):
        yield
        return
    came: list[object] = []

    def interrupted(*_: object) -> None:
        came.append(True)
        raise Interrupted

    signal.signal(number, interrupted)
    try:
        yield
    except InputError:
        raise
    except Exception:
        if came:
            raise Interrupted from None
        raise
    finally:
        signal.signal(number, before)
