"""Clocks of tests, such that nothing depends on how fast a machine is: one that goes on
by a second whenever it is looked at, for budgets that run out and Ctrl-C at any chosen
step, and one that stands still.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

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
