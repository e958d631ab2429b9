"""Clocks of tests, such that nothing depends on how fast a machine is: one that goes on
by a second whenever it is looked at, for budgets that run out and Ctrl-C at any chosen
step, and one that stands still.  Ctrl-C at any chosen line of a module, too.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, ModuleType
from typing import Any

import pytest

import phverify.budget as budget
import phverify.generalization.loop as hunt


class Clock:
    """Seconds pass when they are asked for; at the look of number ``stops``, Ctrl-C."""

    def __init__(self, stops: int | None) -> None:
        self.looks, self.stops = 0, stops

    def monotonic(self) -> float:
        self.looks += 1
        if self.looks == self.stops:
            raise KeyboardInterrupt
        return float(self.looks)

    perf_counter = staticmethod(time.perf_counter)


class StillClock:
    """Time goes by where a test says so, and nowhere else."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@contextmanager
def counted(stops: int | None = None) -> Iterator[None]:
    """Let time pass by looks at the clock, so that nothing depends on how fast a
    machine is.
    """
    clock = Clock(stops)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(budget, "time", clock)
        patched.setattr(hunt, "time", clock)
        yield


class Lines:
    """The lines of a module are counted as they are run; at the one of number
    ``stops``, Ctrl-C.
    """

    def __init__(self, module: ModuleType, stops: int) -> None:
        self.file, self.stops = module.__file__, stops
        self.run = 0
        self.where = ""

    def trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        """What Python calls for each function, and for each line inside."""
        if frame.f_code.co_filename != self.file:
            return None
        if event == "line":
            self.run += 1
            if self.run == self.stops:
                self.where = f"{frame.f_code.co_name}, line {frame.f_lineno}"
                raise KeyboardInterrupt
        return self.trace


@contextmanager
def stopped_at_line(module: ModuleType, stops: int) -> Iterator[Lines]:
    """Ctrl-C at a line of a module, counted from when its functions are called."""
    lines = Lines(module, stops)
    before = sys.gettrace()
    sys.settrace(lines.trace)
    try:
        yield lines
    finally:
        sys.settrace(before)
