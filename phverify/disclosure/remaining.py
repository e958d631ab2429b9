"""What each protected cell may still be, as far as the time for it goes.

A value stays when a world with the answers has it; the ends of an interval are attained likewise.  What is excluded is
so by a combination of answers that was checked in fractions, or by two solvers; otherwise it is said not to be
confirmed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from phverify.budget import Deadline
from phverify.constraints import terms as t
from phverify.disclosure.decide import Judge
from phverify.disclosure.log.query import Value
from phverify.disclosure.result import Remaining
from phverify.disclosure.solving.ask import Outcome, ask, confirmed, extreme
from phverify.disclosure.solving.intervals import truth
from phverify.disclosure.solving.linear import Atom
from phverify.disclosure.stages import BOUNDS, ROW_SPACE
from phverify.disclosure.worlds.cells import Cell, Coding
from phverify.disclosure.worlds.conditions import is_value

FEW = 12
"""Up to so many values are listed, more are an interval."""


def remaining(judge: Judge, column: str, rows: Sequence[int], before: Remaining | None, time: Deadline) -> Remaining:
    """What each cell of some rows may be after the answers so far; ``before`` is what it could be one step earlier.

    No query tells the rows apart.  Then a world where two of them have exchanged their cells gives the same answers:
    they have the same values left, and a value that one of them has in some world is a value of all.
    """
    frame = judge.frame
    cell, coding = frame.cells[column][rows[0]], frame.codings[column]
    seen = {frame.truth[column][row] for row in rows}
    seen |= {world.world[column][row] for world in judge.pool.worlds for row in rows}
    search = _Search(judge, cell, coding, list(seen), time)
    return search.left(before or declared(column, coding))


def declared(column: str, coding: Coding) -> Remaining:
    """What a cell may be before the first answer."""
    values = coding.domain.values or tuple(range(coding.low, min(coding.high, coding.low + FEW) + 1))
    listed = tuple(values) if not coding.integral or len(values) <= FEW else None
    return Remaining("", column, coding.low, coding.high, listed, coding.domain.null, False)


@dataclass
class _Search:
    """The search for what one cell may be; ``sure`` is lost with the first exclusion that nobody confirms."""

    judge: Judge
    cell: Cell
    coding: Coding
    seen: list[Value]
    time: Deadline
    sure: bool = True
    tight: bool = True

    def left(self, before: Remaining) -> Remaining:
        self.sure = before.confirmed
        missing = self.missing(before)
        if before.values is not None:
            values = tuple(value for value in before.values if self.stays(value))
            return Remaining("", before.column, values=values, missing=missing, tight=self.tight, confirmed=self.sure)
        codes = [self.coding.code(value) for value in self.seen if value is not None]
        low, high = self.end(codes, before.low, 1), self.end(codes, before.high, -1)
        return Remaining("", before.column, low, high, None, missing, self.tight, self.sure)

    def missing(self, before: Remaining) -> bool:
        if None in self.seen or not before.missing:
            return before.missing
        return not self.excluded(self.cell.missing)

    def stays(self, value: Value) -> bool:
        return value in self.seen or not self.excluded(is_value(self.cell, self.coding, value))

    def excluded(self, term: t.Term) -> bool:
        """Whether no world with the answers satisfies a term; what is open counts as not excluded."""
        if truth(term, self.judge.certain.atoms, self.range) is False:
            return True
        found = self.asked([term])
        self.tight = self.tight and found.status != "unknown"
        return found.status == "unsat" and self.confirm([term], found)

    def terms(self, terms: Iterable[t.Term]) -> list[t.Term]:
        """A question: the answers that the cell is connected with, and more."""
        names = [self.cell.variable.name, *t.unknowns([self.cell.missing]).names]
        return [*self.judge.connected(names), *terms]

    def range(self, atom: Atom) -> tuple[int, int]:
        """What an atom may be, by the row space, and while there is time by linear programming."""
        low, high, _ = self.judge.certain.range(atom, ROW_SPACE if self.over() else BOUNDS)
        return low, high

    def over(self) -> bool:
        left = self.time.left()
        return left is not None and left <= 0

    def asked(self, terms: Iterable[t.Term]) -> Outcome:
        return Outcome("unknown") if self.over() else self.judge.solved(ask(self.terms(terms), self.time))

    def confirm(self, terms: Iterable[t.Term], found: Outcome) -> bool:
        """Ask a second solver; always true, for ``sure`` says whether it agreed."""
        again = self.judge.solved(confirmed(found, self.terms(terms), self.time))
        self.sure = self.sure and again.status == "unsat"
        return True

    def end(self, codes: Sequence[int], outer: int, sign: int) -> int:
        """The least (``sign`` 1) or greatest (-1) code; ``tight`` is lost where it may be nearer."""
        if outer in codes:
            return outer
        outer = self.proved(outer, sign)
        if outer in codes:
            return outer
        there = t.neg(self.cell.missing)
        inside = self.between(outer, None, sign)
        if self.over():
            self.tight = False
            return outer
        found = self.judge.solved(extreme(self.terms([there, inside]), self.cell.variable, sign, self.time))
        if found.status != "sat":
            return self.halved(codes, outer, sign)
        value = found.values[self.cell.variable.name]
        if value != outer:
            beyond = self.between(outer, value - sign, sign)
            self.confirm([there, beyond], Outcome("unsat", by=found.by))
        return value

    def proved(self, outer: int, sign: int) -> int:
        """The end that the answers prove by themselves, where it is a narrower one."""
        atoms = self.judge.certain.atoms
        if truth(self.cell.missing, atoms, self.range) is not False:
            return outer  # of a missing cell the variable means nothing
        low, high = self.range(atoms.variable(self.cell.variable))
        return max(outer, low) if sign > 0 else min(outer, high)

    def between(self, outer: int, inner: int | None, sign: int) -> t.Term:
        """The cell is from the outer end to the inner one, or to the end of its domain."""
        variable = self.cell.variable
        last = (variable.high if sign > 0 else variable.low) if inner is None else inner
        return t.within(t.Sum(plain=((1, variable),)), min(outer, last), max(outer, last))

    def halved(self, codes: Sequence[int], outer: int, sign: int) -> int:
        """The end by halving, where no solver looks for a least value: one of ``codes`` is attained."""
        inner = sign * min(sign * code for code in codes) if codes else None
        there = t.neg(self.cell.missing)
        while inner is not None and inner != outer:
            middle = outer + sign * (abs(inner - outer) // 2)
            part = [there, self.between(outer, middle, sign)]
            found = self.asked(part)
            if found.status == "unknown":
                break
            if found.status == "sat":
                inner = found.values[self.cell.variable.name]
            else:
                self.confirm(part, found)
                outer = middle + sign
        self.tight = self.tight and inner == outer
        return outer
