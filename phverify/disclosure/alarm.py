"""The end of a budget where no step looks at the clock."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from phverify.clock import OutOfTime, within
from phverify.constraints.solver import Deadline
from phverify.errors import BudgetExceeded

GRACE = 1.0
"""Seconds after the deadline in which a step may still look at the clock itself."""


@contextmanager
def alarmed(deadline: Deadline) -> Iterator[None]:
    """Raises BudgetExceeded inside soon after the deadline; nothing is raised from its end on."""
    left = deadline.left()
    try:
        with within(None if left is None else max(left, 0.0) + GRACE):
            yield
    except OutOfTime:
        raise BudgetExceeded(f"the budget of {deadline.seconds:g} s ran out") from None
