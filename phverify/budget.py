"""Budgets: a deadline that all steps of a question share, and two ways to end what
never looks at the clock.
"""

from __future__ import annotations

import ctypes
import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from numbers import Real
from time import monotonic

from phverify.errors import BudgetExceeded, InputError, Problem

Tell = Callable[[str], None]
"""Where each step is told."""
AGAIN = 1.0
"""Seconds until it is raised once more: inside of finalizers and of the collector's
callbacks Python ignores errors.
"""


GRACE = 1.0
"""Seconds after the deadline in which a step may still look at the clock itself."""


class Deadline:
    """A time budget in seconds, shared by all steps of one question; ``None`` is no
    limit.

    ``told`` is the budget that is told when the time is over, where that is another
    one.
    """

    def __init__(self, seconds: float | None = None, told: float | None = None) -> None:
        self.seconds = seconds if told is None else told
        self.end = None if seconds is None else time.monotonic() + seconds

    def left(self) -> float | None:
        """The seconds that are left, None without a limit; below 0 when it is over."""
        if self.end is None:
            return None
        return self.end - time.monotonic()

    @property
    def over(self) -> bool:
        """Whether the time has run out."""
        left = self.left()
        return left is not None and left <= 0

    def check(self) -> None:
        """Raises BudgetExceeded when the time is over."""
        if self.over:
            raise BudgetExceeded(f"the budget of {self.seconds:g} s ran out")

    def within(self, seconds: float) -> Deadline:
        """This deadline, or one in so many seconds where that is sooner."""
        left = self.left()
        if left is None or left > seconds:
            return Deadline(seconds)
        return self

    def at_least(self, seconds: float) -> Deadline:
        """This deadline, or one in so many seconds where that is later."""
        left = self.left()
        if left is None or left > seconds:
            return self
        return Deadline(seconds, self.seconds)

    def sooner(self, seconds: float) -> Deadline:
        """The same budget, over so many seconds before the end, or half of what is
        left: what comes after has them.
        """
        left = self.left()
        if left is None:
            return self
        # A short budget is halved: what comes before has some of it, too.
        return Deadline(max(left - seconds, left / 2), self.seconds)

    def paused(self) -> Callable[[], Deadline]:
        """The same budget with what is left of it now, once it is asked for."""
        left = self.left()
        # What is told is the budget that the user gave.
        return lambda: Deadline(left, self.seconds)


def deadline_of(budget: object) -> Deadline:
    """The deadline of a caller's budget, from now on, or one that is shared with other
    steps.

    Raises InputError for what is no number of seconds.
    """
    if isinstance(budget, Deadline):
        return budget
    if problems := list(wrong_budget(budget)):
        raise InputError(problems)
    try:
        return Deadline(None if budget is None else float(budget))  # type: ignore[arg-type]
    except OverflowError:
        return Deadline()  # longer than any number of seconds that a float holds


def wrong_budget(budget: object) -> Iterator[Problem]:
    """What is wrong with a budget: it is a finite number of seconds above 0, or None
    for no limit.
    """
    # To Python True is the number 1.
    number = isinstance(budget, Real) and not isinstance(budget, bool)
    if budget is None or (number and 0 < budget < math.inf):  # type: ignore[operator]
        return
    hint = "budget=20 stops after 20 seconds, budget=0.5 after half a second"
    given = f"the text {budget!r}" if isinstance(budget, str) else repr(budget)
    yield Problem("budget", f"is a number of seconds above 0, not {given}", hint)


class OutOfTime(BaseException):
    """The time is over.  No handler of other errors catches it."""


@contextmanager
def within(seconds: float | None) -> Iterator[None]:
    """Raises OutOfTime inside the block, between two steps of whatever Python code runs
    there, when the time is over; at its end at the latest.

    What runs outside of Python, such as a solver, is interrupted when it returns: it
    has to have a limit of its own.
    """
    if seconds is None:
        yield
        return
    if seconds <= 0:
        raise OutOfTime
    end = monotonic() + seconds
    thread = threading.get_ident()
    ended = threading.Event()
    lock = threading.Lock()

    def interrupt() -> None:
        left = min(seconds, threading.TIMEOUT_MAX)
        # Again and again: the first one may have been caught, or ignored.
        while not ended.wait(left):
            with lock:
                if not ended.is_set():
                    _raise(thread, OutOfTime)
            left = AGAIN

    try:
        # It may be raised from here on: where there is hardly time, before the block.
        threading.Thread(target=interrupt, daemon=True).start()
        yield
    finally:
        # What is raised before it is ended must not keep it from that: it would be
        # raised again and again.  No call stands before the try: calls may raise it.
        done = False
        while not done:
            try:
                with lock:
                    ended.set()
                done = True
            except OutOfTime:
                done = False
    # Where the thread came late, what was done by then was late all the same.
    if monotonic() >= end:
        raise OutOfTime


def _raise(thread: int, error: type[BaseException]) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread), ctypes.py_object(error)
    )


@contextmanager
def alarmed(deadline: Deadline) -> Iterator[None]:
    """Raises BudgetExceeded inside soon after the deadline; nothing is raised from its
    end on.
    """
    left = deadline.left()
    try:
        # A step that looks at its clock ends more gently by itself.
        with within(None if left is None else max(left, 0.0) + GRACE):
            yield
    except OutOfTime:
        raise BudgetExceeded(f"the budget of {deadline.seconds:g} s ran out") from None


def why_stopped(error: BaseException) -> str:
    """Why a run was stopped."""
    if isinstance(error, BudgetExceeded):
        return str(error) or "the budget ran out"
    if isinstance(error, KeyboardInterrupt):
        return "it was interrupted"
    return "no memory was left"
