"""The end of a budget where no step looks at the clock: a signal that raises what the clock would."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from phverify.constraints.solver import Deadline
from phverify.errors import BudgetExceeded

GRACE = 1.0
"""Seconds after the deadline until the signal, and between two: the first may be lost in a solver's callback."""


@contextmanager
def alarmed(deadline: Deadline) -> Iterator[None]:
    """Raises BudgetExceeded inside soon after the deadline; nothing is raised from its end on.

    Only the main thread can have signals, and a timer that somebody else has set is left alone.
    """
    left = deadline.left()
    here = threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")
    if left is None or not here or signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return

    def ended(*_: object) -> None:
        raise BudgetExceeded(f"the budget of {deadline.seconds:g} s ran out")

    before = signal.signal(signal.SIGALRM, ended)
    try:
        signal.setitimer(signal.ITIMER_REAL, max(left, 0.0) + GRACE, GRACE)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
