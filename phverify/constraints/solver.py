"""The only module that imports a solver.  Text in; sat with values, unsat, or unknown
with the reason out.
"""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import z3

from phverify.budget import Deadline
from phverify.errors import BudgetExceeded, Defect

_DEFINED = re.compile(r"\(define-fun (\S+) ")
# What ends a context while it is made is told by its maker, not by __del__ beside it.
z3.Context.owner = False
LONGEST = 2**32 - 2
"""Z3 counts milliseconds in 32 bits."""
STOPPED = ("canceled", "interrupted from keyboard")
"""What Z3 says when its time is over, and after Ctrl-C, which it keeps to itself."""
PATIENCE = 1.0
"""So many seconds after its time a search is interrupted that Z3 did not end itself."""
AGAIN = 0.1
"""Seconds until it is interrupted again."""
EARLY = 0.02
"""Seconds before the end from which on it was the time."""


@dataclass(frozen=True)
class SolverAnswer:
    """``status`` is sat, unsat or unknown; ``values`` are integers by name when it is
    sat, ``reals`` the reals.

    ``reason`` says in words why it is unknown.
    """

    status: str
    values: Mapping[str, int] = field(default_factory=dict)
    reason: str = ""
    reals: Mapping[str, Fraction] = field(default_factory=dict)


def solve(
    text: str,
    deadline: Deadline | None = None,
    *,
    tactics: bool = False,
    alone: bool = False,
) -> SolverAnswer:
    """Ask Z3.  The plain incremental solver: on placements it beats the tactics by
    orders of magnitude.

    ``tactics`` takes the other way, which is the faster one on bounds of weighted
    hitting sets.  ``alone`` costs two milliseconds more, and the model that is found
    does not depend on what was asked before.  An answer is never guessed: anything but
    sat or unsat is unknown, with Z3's reason.
    """
    own = _context(alone)
    if tactics:
        return _ask(z3.Solver(ctx=own), text, deadline)
    return _ask(z3.SimpleSolver(ctx=own), text, deadline)


def settled(text: str, deadline: Deadline, *, tactics: bool = False) -> SolverAnswer:
    """The same where sat or unsat is needed.  Raises BudgetExceeded."""
    answer = solve(text, deadline, tactics=tactics)
    if answer.status == "unknown":
        raise BudgetExceeded(answer.reason)
    return answer


def least(text: str, deadline: Deadline | None = None) -> SolverAnswer:
    """A model that violates soft assertions of the least total weight (``assert-soft``
    in the text).
    """
    optimizer = z3.Optimize(ctx=_context())
    return _ask(optimizer, text, deadline)


def _context(alone: bool = False) -> z3.Context | None:
    """A context for one question; None for the shared one.

    What was asked before numbers the terms of a context, by which Z3 orders them.
    """
    # Two threads in one context crash Z3: only the main one has the shared context.
    elsewhere = threading.current_thread() is not threading.main_thread()
    return z3.Context() if alone or elsewhere else None


def version() -> str:
    """The version of the solver behind the verdicts."""
    return f"Z3 {z3.get_version_string()}"


def _ask(solver: Any, text: str, deadline: Deadline | None) -> SolverAnswer:
    left = deadline.left() if deadline else None
    if deadline is not None and left is not None:
        if left <= 0:
            late = _over(deadline)
            return SolverAnswer("unknown", reason=late)
        # A timeout of 0 means none to Z3.
        milliseconds = min(int(left * 1000), LONGEST)
        solver.set("timeout", max(1, milliseconds))
    status = _checked(solver, text, deadline)
    if status == z3.sat:
        model = solver.model()
        unknowns = list(_unknowns(model, text))
        values = _values(model, unknowns)
        reals = _reals(model, unknowns)
        return SolverAnswer("sat", values, reals=reals)
    if status == z3.unsat:
        return SolverAnswer("unsat")
    why = _reason(solver, deadline)
    return SolverAnswer("unknown", reason=why)


@contextmanager
def _watched(solver: Any, deadline: Deadline | None) -> Iterator[None]:
    """Ends a question that goes on after its time.

    Z3 loses its own timeout now and then: one that is over just before the search
    begins is forgotten, and the search never ends.
    """
    left = deadline.left() if deadline else None
    if left is None:
        yield
        return
    over = threading.Event()

    def watch() -> None:
        # Longer than Z3 can count nobody waits.
        patience = min(max(0.0, left), LONGEST / 1000) + PATIENCE
        late = over.wait(patience)
        while not late:
            solver.ctx.interrupt()
            late = over.wait(AGAIN)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def _checked(solver: Any, text: str, deadline: Deadline | None) -> Any:
    """What the solver says of a text.

    Raises Defect where it does not understand it.
    """
    try:
        solver.from_string(text)
        with _watched(solver, deadline):
            return solver.check()
    except z3.Z3Exception as error:
        raise Defect(f"Z3 refused a query: {error}") from error
    finally:
        if hasattr(signal, "siginterrupt"):
            # Z3 leaves it so that what waits is not woken by Ctrl-C.
            signal.siginterrupt(signal.SIGINT, True)


def _reason(solver: Any, deadline: Deadline | None) -> str:
    """Why Z3 does not know.  Raises KeyboardInterrupt where that was Ctrl-C."""
    reason = solver.reason_unknown()
    left = deadline.left() if deadline else None
    # Before its time Z3 is canceled by a signal alone.
    if reason in STOPPED and (left is None or left > EARLY):
        raise KeyboardInterrupt  # Z3 took the signal, which was for all of the program
    if reason in (*STOPPED, "timeout"):
        return _over(deadline)
    return f"Z3 says: {reason}"


def _over(deadline: Deadline | None) -> str:
    """That time ran out, in these words: Z3 calls it canceled."""
    if deadline is None or deadline.seconds is None:
        return "time ran out"
    return f"the budget of {deadline.seconds:g} s ran out"


def _unknowns(model: z3.ModelRef, text: str) -> Iterator[z3.FuncDeclRef]:
    """The unknowns of a model: what the text declares, not what it defines."""
    defined = set(_DEFINED.findall(text))
    for declaration in model.decls():
        name = declaration.name()
        constant = declaration.arity() == 0  # a function has arguments
        if constant and name not in defined:
            yield declaration


def _values(model: z3.ModelRef, unknowns: Sequence[z3.FuncDeclRef]) -> dict[str, int]:
    """The integers of a model by name; a Boolean is 0 or 1."""
    values = {}
    for declaration in unknowns:
        value = model[declaration]
        if z3.is_int_value(value):
            values[declaration.name()] = value.as_long()
        elif z3.is_bool(value):
            values[declaration.name()] = int(z3.is_true(value))
    return values


def _reals(
    model: z3.ModelRef, unknowns: Sequence[z3.FuncDeclRef]
) -> dict[str, Fraction]:
    """The real unknowns that have a rational value."""
    reals = {}
    for declaration in unknowns:
        value = model[declaration]
        if z3.is_rational_value(value):
            numerator = value.numerator_as_long()
            denominator = value.denominator_as_long()
            reals[declaration.name()] = Fraction(numerator, denominator)
    return reals
