"""What each protected cell may still be, as far as the time for it goes.

A value stays when a world with the answers has it; the ends of an interval are attained
likewise.  What is excluded is so by a combination of answers that was checked in
fractions, or by two solvers; otherwise it is said not to be confirmed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from phverify.budget import Deadline
from phverify.constraints import terms as t
from phverify.disclosure.decide import AuditJudge
from phverify.disclosure.log.query import Value
from phverify.disclosure.result import Remaining
from phverify.disclosure.solving.ask import SolverOutcome, ask, confirmed, extreme
from phverify.disclosure.solving.intervals import truth
from phverify.disclosure.solving.linear_rows import Atom
from phverify.disclosure.stages import BOUNDS, ROW_SPACE
from phverify.disclosure.sums import alone
from phverify.disclosure.worlds.unknowns import Coding, UnknownCell

FEW = 12
"""Up to so many values are listed, more are an interval."""


def remaining(
    judge: AuditJudge,
    column: str,
    rows: Sequence[int],
    before: Remaining,
    time: Deadline,
) -> Remaining:
    """What each cell of some rows may be after the answers so far; ``before`` is what
    it could be one step earlier.

    No query tells the rows apart.  Then a world where two of them have exchanged their
    cells gives the same answers: they have the same values left, and a value that one
    of them has in some world is a value of all.
    """
    worlds = [judge.frame.truth, *(known.world for known in judge.pool.worlds)]
    seen = {world[column][row] for world in worlds for row in rows}
    cell = judge.frame.cells[column][rows[0]]
    search = _Search(judge, cell, seen, time, before.confirmed)
    missing = before.missing
    # What a known world has needs no question.
    if missing and None not in seen:
        missing = not search.excluded(cell.missing)
    if before.values is not None:
        # What was excluded stays so: answers are only added.
        stay = []
        for value in before.values:
            if value in seen or not search.excluded(cell.has(value)):
                stay.append(value)
        return Remaining(
            "", column, 0, 0, tuple(stay), missing, search.tight, search.sure
        )
    low = search.end(before.low, 1)
    high = search.end(before.high, -1)
    return Remaining("", column, low, high, None, missing, search.tight, search.sure)


def declared(column: str, coding: Coding) -> Remaining:
    """What a cell may be before the first answer."""
    low, high = coding.low, coding.high
    values = coding.domain.values
    if not values:
        # One more than are listed, of an interval that may be long.
        values = tuple(range(low, min(high, low + FEW) + 1))
    many = coding.integral and len(values) > FEW
    listed = None if many else tuple(values)
    return Remaining("", column, low, high, listed, coding.domain.null, False)


def as_in_table(one: Remaining, coding: Coding) -> Remaining:
    """What a cell may be, in the values of its column."""
    if not coding.beside_integers:
        return one
    if one.values is not None:
        shown = tuple(map(coding.outward, one.values))
        return replace(one, values=shown)
    if one.low > one.high:
        return one
    low = coding.outward(one.low)
    high = coding.outward(one.high)
    ends = low, high
    # One value that is left is named, and not the integer that stands for it.
    if one.low == one.high:
        return replace(one, low=0, high=-1, values=ends[:1])
    return replace(one, ends=ends)


@dataclass
class _Search:
    """The search for what one cell may be; ``seen`` are values that it has in known
    worlds.

    ``sure`` is lost with the first exclusion that nobody confirms, ``tight`` with the
    first question that is open.
    """

    judge: AuditJudge
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
        outcome = self.asked(term)
        decided = outcome.status != "unknown"
        self.tight = self.tight and decided
        excluded = outcome.status == "unsat"
        if excluded:
            self.confirm(outcome, term)
        return excluded

    def never_missing(self) -> bool:
        """Whether the ranges of the answers alone say that the cell is not missing."""
        atoms = self.judge.certain.atoms
        return truth(self.cell.missing, atoms, self.range) is False

    def terms(self, *terms: t.Term) -> list[t.Term]:
        """A question: the answers that the cell is connected with, and more."""
        of_missing = t.unknowns([self.cell.missing]).names
        answers = self.judge.web.connected([self.cell.variable.name, *of_missing])
        return [*answers, *terms]

    def range(self, atom: Atom) -> tuple[int, int]:
        """What an atom may be, by the row space, and while there is time by linear
        programming.
        """
        stage = BOUNDS
        if self.time.over:
            stage = ROW_SPACE
        low, high, _ = self.judge.certain.range(atom, stage)
        return low, high

    def asked(self, *terms: t.Term) -> SolverOutcome:
        """Whether a world with the answers satisfies some terms."""
        if self.time.over:
            return SolverOutcome("unknown")
        question = self.terms(*terms)
        outcome = ask(question, self.time)
        return self.judge.solved(outcome)

    def confirm(self, outcome: SolverOutcome, *terms: t.Term) -> None:
        """Ask a second solver whether it agrees."""
        question = self.terms(*terms)
        again = self.judge.solved(confirmed(outcome, question, self.time))
        if again.status != "unsat":
            self.sure = False

    def end(self, outer: int, sign: int) -> int:
        """The least (``sign`` 1) or greatest (-1) code; ``tight`` is lost where it may
        be nearer.
        """
        known = [value for value in self.seen if value is not None]
        codes = [self.cell.coding.code(value) for value in known]
        variable = self.cell.variable
        if outer not in codes and self.never_missing():
            # Of a cell that is not missing the answers may prove a narrower end by
            # themselves.
            atom = self.judge.certain.atoms.variable(variable)
            low, high = self.range(atom)
            outer = max(outer, low) if sign > 0 else min(outer, high)
            if self.judge.certain.attained(atom, outer, sign):
                return outer
        # A known world attains this end.
        if outer in codes:
            return outer
        if self.time.over:
            self.tight = False
            return outer
        inside = self.between(outer, variable.high if sign > 0 else variable.low)
        question = self.terms(self.cell.there, inside)
        outcome = self.judge.solved(extreme(question, variable, sign, self.time))
        if outcome.status != "sat":
            return self.halved(codes, outer, sign)
        # The least value by one solver: that none lies beyond is confirmed.
        end = outcome.values[variable.name]
        if end != outer:
            beyond = self.between(outer, end - sign)
            self.confirm(SolverOutcome("unsat", by=outcome.by), self.cell.there, beyond)
        return end

    def between(self, one: int, other: int) -> t.Term:
        """The cell is between two codes."""
        low = min(one, other)
        high = max(one, other)
        return t.within(alone(self.cell.variable), low, high)

    def halved(self, codes: Sequence[int], outer: int, sign: int) -> int:
        """The end by halving, where no solver looks for a least value: one of ``codes``
        is attained.
        """
        inner = sign * min(sign * code for code in codes) if codes else None
        while inner is not None and inner != outer:
            # The end lies between what is not excluded and what is attained.
            middle = outer + sign * (abs(inner - outer) // 2)
            part = self.between(outer, middle)
            outcome = self.asked(self.cell.there, part)
            if outcome.status == "unknown":
                break
            if outcome.status == "sat":
                inner = outcome.values[self.cell.variable.name]
            else:
                self.confirm(outcome, self.cell.there, part)
                outer = middle + sign
        self.tight = self.tight and inner == outer
        return outer
