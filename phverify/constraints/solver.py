"""The only module that imports a solver.  Text in; sat with values, unsat, or unknown with the reason out."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Real
from typing import Any

import z3

from phverify.errors import BudgetExceeded, Defect, InputError, Problem

LONGEST = 2**32 - 2
"""Z3 counts milliseconds in 32 bits."""
EARLY = 0.01
"""Seconds before the end of its time at which Z3 does not give up by itself."""


STOPPED = ("canceled", "interrupted from keyboard")
"""What Z3 says when its time is over, and after Ctrl-C, which it keeps to itself."""
EARLY = 0.02
"""Seconds before the end from which on it was the time."""


@dataclass(frozen=True)
class Answer:
    """``status`` is sat, unsat or unknown; ``values`` are integers by name when it is sat, ``reals`` the reals."""

    status: str
    values: Mapping[str, int] = field(default_factory=dict)
    reason: str = ""
    reals: Mapping[str, Fraction] = field(default_factory=dict)


class Deadline:
    """A time budget in seconds, shared by all steps of one question; ``None`` is no limit.

    ``told`` is the budget that is told when the time is over, where that is another one.
    """

    def __init__(self, seconds: float | None = None, told: float | None = None) -> None:
        self.seconds = seconds if told is None else told
        self.end = None if seconds is None else time.monotonic() + seconds

    def left(self) -> float | None:
        return None if self.end is None else self.end - time.monotonic()

    @property
    def over(self) -> bool:
        left = self.left()
        return left is not None and left <= 0

    def check(self) -> None:
        """Raises BudgetExceeded when the time is over."""
        if self.over:
            raise BudgetExceeded(f"the budget of {self.seconds:g} s ran out")

    def within(self, seconds: float) -> Deadline:
        """This deadline, or one in so many seconds where that is sooner."""
        left = self.left()
        return Deadline(seconds) if left is None or left > seconds else self

    def at_least(self, seconds: float) -> Deadline:
        """This deadline, or one in so many seconds where that is later."""
        left = self.left()
        return self if left is None or left > seconds else Deadline(seconds, self.seconds)

    def sooner(self, seconds: float) -> Deadline:
        """The same budget, over so many seconds before the end, or half of what is left: what comes after has them."""
        left = self.left()
        return self if left is None else Deadline(max(left - seconds, left / 2), self.seconds)

    def paused(self) -> Callable[[], Deadline]:
        """The same budget with what is left of it now, once it is asked for."""
        left = self.left()
        return lambda: Deadline(left, self.seconds)


def deadline_of(budget: object) -> Deadline:
    """The deadline of a caller's budget, from now on, or one that is shared with other steps.

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
    """What is wrong with a budget: it is a finite number of seconds above 0, or None for no limit."""
    number = isinstance(budget, Real) and not isinstance(budget, bool)
    if budget is None or (number and 0 < budget < math.inf):  # type: ignore[operator]
        return
    hint = "budget=20 stops after 20 seconds, budget=0.5 after half a second; without a budget there is no limit"
    yield Problem("budget", f"is a number of seconds above 0, not {budget!r}", hint)


def solve(text: str, deadline: Deadline | None = None, *, tactics: bool = False) -> Answer:
    """Ask Z3.  The plain incremental solver: on placements it beats the tactics by orders of magnitude.

    ``tactics`` takes the other way, which is the faster one on bounds of weighted hitting sets.
    An answer is never guessed: anything but sat or unsat is unknown, with Z3's reason.
    """
    return _ask(z3.Solver() if tactics else z3.SimpleSolver(), text, deadline)


def least(text: str, deadline: Deadline | None = None) -> Answer:
    """A model that violates soft assertions of the least total weight (``assert-soft`` in the text)."""
    return _ask(z3.Optimize(), text, deadline)


def _ask(solver: Any, text: str, deadline: Deadline | None) -> Answer:
    left = deadline.left() if deadline else None
    milliseconds = LONGEST if left is None else max(1, min(int(left * 1000), LONGEST))
    if left is not None:
        if left <= 0:
            return Answer("unknown", reason=f"the budget of {deadline.seconds:g} s ran out")  # type: ignore[union-attr]
        solver.set("timeout", milliseconds)
    try:
        solver.from_string(text)
        started = time.monotonic()
        status = solver.check()
    except z3.Z3Exception as error:
        raise Defect(f"Z3 refused a query: {error}") from error
    finally:
        if hasattr(signal, "siginterrupt"):
            signal.siginterrupt(signal.SIGINT, True)  # Z3 leaves it so that what waits is not woken by Ctrl-C
    took = time.monotonic() - started
    if status == z3.unknown and solver.reason_unknown() in STOPPED and took < milliseconds / 1000 - EARLY:
        raise KeyboardInterrupt
    if status == z3.sat:
        return Answer("sat", _values(solver.model()), reals=_reals(solver.model()))
    if status == z3.unsat:
        return Answer("unsat")
    reason = solver.reason_unknown()
    left = deadline.left() if deadline else None
    if reason in ("canceled", "interrupted from keyboard") and (left is None or left > EARLY):
        raise KeyboardInterrupt  # Z3 took the signal, which was for all of the program
    return Answer("unknown", reason=f"Z3 says: {reason}")


def _values(model: z3.ModelRef) -> dict[str, int]:
    values = {}
    for declaration in model.decls():
        value = model[declaration]
        if declaration.arity() == 0 and z3.is_int_value(value):
            values[declaration.name()] = value.as_long()
        elif declaration.arity() == 0 and z3.is_bool(value):
            values[declaration.name()] = int(z3.is_true(value))
    return values


def _reals(model: z3.ModelRef) -> dict[str, Fraction]:
    """The real unknowns that have a rational value."""
    found = ((d.name(), model[d]) for d in model.decls() if d.arity() == 0)
    return {
        name: Fraction(v.numerator_as_long(), v.denominator_as_long()) for name, v in found if z3.is_rational_value(v)
    }


def version() -> str:
    """The version of the solver behind the verdicts."""
    return f"Z3 {z3.get_version_string()}"
