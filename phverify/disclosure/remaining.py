"""What each protected cell may still be, as far as the time for it goes.

A value stays when a world with the answers has it; the ends of an interval are attained
likewise.  What is excluded is so by a combination of answers that was checked in
fractions, or by two solvers; otherwise it is said not to be confirmed.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from phverify.disclosure.sums import alone
from phverify.disclosure.worlds.unknowns import Coding, UnknownCell

FEW = 12
"""Up to so many values are listed, more are an interval."""


def remaining(
    judge: Judge, column: str, rows: Sequence[int], before: Remaining, time: Deadline
) -> Remaining:
    """What each cell of some rows may be after the answers so far; ``before`` is what
    it could be one step earlier.

    No query tells the rows apart.  Then a world where two of them have exchanged their
    cells gives the same answers: they have the same values left, and a value that one
    of them has in some world is a value of all.
    """
    worlds = [judge.frame.truth, *(kept.world for kept in judge.pool.worlds)]
    seen = {world[column][row] for world in worlds for row in rows}
    search = _Search(
        judge, judge.frame.cells[column][rows[0]], seen, time, before.confirmed
    )
    missing = before.missing
    if missing and None not in seen:
        missing = not search.excluded(search.cell.missing)
    if before.values is not None:
        stay = [
            value
            for value in before.values
            if value in seen or not search.excluded(search.cell.has(value))
        ]
        return Remaining(
            "", column, 0, 0, tuple(stay), missing, search.tight, search.sure
        )
    low, high = search.end(before.low, 1), search.end(before.high, -1)
    return Remaining("", column, low, high, None, missing, search.tight, search.sure)


def declared(column: str, coding: Coding) -> Remaining:
    """What a cell may be before the first answer."""
    values = coding.domain.values or tuple(
        range(coding.low, min(coding.high, coding.low + FEW) + 1)
    )
    listed = tuple(values) if not coding.integral or len(values) <= FEW else None
    return Remaining(
        "", column, coding.low, coding.high, listed, coding.domain.null, False
    )


@dataclass
class _Search:
    """The search for what one cell may be; ``seen`` are values that it has in known
    worlds.

    ``sure`` is lost with the first exclusion that nobody confirms, ``tight`` with the
    first question that is open.
    """

    judge: Judge
    cell: UnknownCell
    seen: set[Value]
    time: Deadline
    sure: bool
    tight: bool = True

    def excluded(self, term: t.Term) -> bool:
        """Whether no world with the answers satisfies a term; what is open counts as
        not excluded.
        """
        if truth(term, self.judge.certain.atoms, self.range) is False:
            return True
        found = self.asked(term)
        self.tight = self.tight and found.status != "unknown"
        if found.status == "unsat":
            self.confirm(found, term)
        return found.status == "unsat"

    def terms(self, *terms: t.Term) -> list[t.Term]:
        """A question: the answers that the cell is connected with, and more."""
        names = [self.cell.variable.name, *t.unknowns([self.cell.missing]).names]
        return [*self.judge.web.connected(names), *terms]

    def range(self, atom: Atom) -> tuple[int, int]:
        """What an atom may be, by the row space, and while there is time by linear
        programming.
        """
        low, high, _ = self.judge.certain.range(
            atom, ROW_SPACE if self.time.over else BOUNDS
        )
        return low, high

    def asked(self, *terms: t.Term) -> Outcome:
        return (
            Outcome("unknown")
            if self.time.over
            else self.judge.solved(ask(self.terms(*terms), self.time))
        )

    def confirm(self, found: Outcome, *terms: t.Term) -> None:
        """Ask a second solver whether it agrees."""
        again = self.judge.solved(confirmed(found, self.terms(*terms), self.time))
        self.sure = self.sure and again.status == "unsat"

    def end(self, outer: int, sign: int) -> int:
        """The least (``sign`` 1) or greatest (-1) code; ``tight`` is lost where it may
        be nearer.
        """
        codes = [
            self.cell.coding.code(value) for value in self.seen if value is not None
        ]
        if (
            outer not in codes
            and truth(self.cell.missing, self.judge.certain.atoms, self.range) is False
        ):
            # of a cell that is not missing the answers may prove a narrower end by
            # themselves
            low, high = self.range(
                self.judge.certain.atoms.variable(self.cell.variable)
            )
            outer = max(outer, low) if sign > 0 else min(outer, high)
        if outer in codes:
            return outer
        if self.time.over:
            self.tight = False
            return outer
        variable = self.cell.variable
        inside = self.between(outer, variable.high if sign > 0 else variable.low)
        found = self.judge.solved(
            extreme(self.terms(self.cell.there, inside), variable, sign, self.time)
        )
        if found.status != "sat":
            return self.halved(codes, outer, sign)
        value = found.values[variable.name]
        if value != outer:
            beyond = self.between(outer, value - sign)
            self.confirm(Outcome("unsat", by=found.by), self.cell.there, beyond)
        return value

    def between(self, one: int, other: int) -> t.Term:
        """The cell is between two codes."""
        return t.within(alone(self.cell.variable), min(one, other), max(one, other))

    def halved(self, codes: Sequence[int], outer: int, sign: int) -> int:
        """The end by halving, where no solver looks for a least value: one of ``codes``
        is attained.
        """
        inner = sign * min(sign * code for code in codes) if codes else None
        while inner is not None and inner != outer:
            middle = outer + sign * (abs(inner - outer) // 2)
            part = self.between(outer, middle)
            found = self.asked(self.cell.there, part)
            if found.status == "unknown":
                break
            if found.status == "sat":
                inner = found.values[self.cell.variable.name]
            else:
                self.confirm(found, self.cell.there, part)
                outer = middle + sign
        self.tight = self.tight and inner == outer
        return outer
