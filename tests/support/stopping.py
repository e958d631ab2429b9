"""A clock that goes on by a second whenever it is looked at: budgets that run out, and
Ctrl-C, at any chosen step.
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
