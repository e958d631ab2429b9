"""What each protected cell may still be, as far as the time for it goes."""

from __future__ import annotations

from phverify.audit import integers as t
from phverify.audit.constraints import is_value
from phverify.audit.decide import Judge, relevant
from phverify.audit.query import Value
from phverify.audit.result import Remaining
from phverify.audit.solving import Outcome, ask, extreme
from phverify.audit.worlds import Cell, Coding
from phverify.smt.solver import Deadline

FEW = 12
"""Up to so many values are listed, more are an interval."""


def remaining(judge: Judge, column: str, row: int, before: Remaining | None, time: Deadline) -> Remaining:
    """What one cell may be after the answers so far; ``before`` is what it could be one step earlier."""
    key, frame = str(judge.frame.keys[row]), judge.frame
    cell, coding = frame.cells[column][row], frame.codings[column]
    seen = [frame.truth[column][row], *judge.pool.values(column, row)]
    before = before or _declared(key, column, coding)
    missing, sure = _missing(judge, cell, seen, before, time)
    if before.values is not None:
        values, tight = _listed(judge, cell, coding, seen, before, time)
        return Remaining(key, column, values=values, missing=missing, tight=tight and sure)
    codes = [coding.code(value) for value in seen if value is not None]
    low, exact = _end(judge, cell, codes, before.low, 1, time)
    high, exact_too = _end(judge, cell, codes, before.high, -1, time)
    return Remaining(key, column, low, high, missing=missing, tight=sure and exact and exact_too)


def _declared(key: str, column: str, coding: Coding) -> Remaining:
    values = coding.domain.values or tuple(range(coding.low, min(coding.high, coding.low + FEW) + 1))
    listed = tuple(values) if not coding.integral or len(values) <= FEW else None
    return Remaining(key, column, coding.low, coding.high, listed, coding.domain.null, False)


def _asked(judge: Judge, cell: Cell, term: t.Term, time: Deadline) -> Outcome:
    left = time.left()
    if left is not None and left <= 0:
        return Outcome("unknown")
    names = {cell.variable.name} | t.unknowns([cell.missing]).names
    return ask([*relevant(judge.asked, names), term], time)


def _missing(judge: Judge, cell: Cell, seen: list[Value], before: Remaining, time: Deadline) -> tuple[bool, bool]:
    """Whether the cell may be missing, and whether that is sure."""
    if None in seen or not before.missing:
        return None in seen, True
    status = _asked(judge, cell, cell.missing, time).status
    return status != "unsat", status != "unknown"


def _listed(
    judge: Judge, cell: Cell, coding: Coding, seen: list[Value], before: Remaining, time: Deadline
) -> tuple[tuple[Value, ...], bool]:
    """The values of a short list that stay, and whether each of them is attained."""
    left: list[Value] = []
    tight = True
    for value in before.values or ():
        status = "sat" if value in seen else _asked(judge, cell, is_value(cell, coding, value), time).status
        left += [value] if status != "unsat" else []
        tight = tight and status != "unknown"
    return tuple(left), tight


def _end(judge: Judge, cell: Cell, codes: list[int], outer: int, sign: int, time: Deadline) -> tuple[int, bool]:
    """The least (``sign`` 1) or greatest (-1) code, and whether it is attained."""
    if outer in codes:
        return outer, True
    left = time.left()
    if left is not None and left <= 0:
        return outer, False
    there = t.neg(cell.missing)
    names = {cell.variable.name} | t.unknowns([cell.missing]).names
    terms = [*relevant(judge.asked, names), there]
    found = extreme([*terms, _between(cell, outer, cell.variable, sign)], cell.variable, sign, time)
    if found.status == "sat":
        return found.values[cell.variable.name], True
    inner = sign * min(sign * code for code in codes) if codes else None
    return _halved(terms, cell, outer, inner, sign, time)


def _between(cell: Cell, outer: int, inner: t.Variable | int, sign: int) -> t.Term:
    """The cell is from the outer end to the inner one, or to the end of its domain."""
    last = (inner.high if sign > 0 else inner.low) if isinstance(inner, t.Variable) else inner
    return t.within(t.Sum(plain=((1, cell.variable),)), min(outer, last), max(outer, last))


def _halved(
    terms: list[t.Term], cell: Cell, outer: int, inner: int | None, sign: int, time: Deadline
) -> tuple[int, bool]:
    """The end by halving, where no solver looks for a least value: ``inner`` is attained, nothing beyond ``outer``."""
    if inner is None:
        return outer, False
    while inner != outer:
        middle = outer + sign * (abs(inner - outer) // 2)
        found = ask([*terms, _between(cell, outer, middle, sign)], time)
        if found.status == "unknown":
            return outer, False
        if found.status == "sat":
            inner = found.values[cell.variable.name]
        else:
            outer = middle + sign
    return inner, True
