"""What the linear parts of the answers prove by themselves: values by the row space,
bounds by linear programming.

Every proof is a combination of answers that was checked in fractions; no second solver
is needed beside it.  What has no proof here may follow all the same: from integrality,
or from what is not linear.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

from phverify.disclosure.protected import ProtectedFact, against
from phverify.disclosure.solving.bounds import Program, connected
from phverify.disclosure.solving.intervals import truth
from phverify.disclosure.solving.linear_rows import Atom, Atoms, LinearRow, Range
from phverify.disclosure.solving.rowspace import RowSpace
from phverify.disclosure.solving.solutions import beyond_rows
from phverify.disclosure.stages import BOUNDS, ROW_SPACE
from phverify.disclosure.worlds.constraints import Effect
from phverify.disclosure.worlds.unknowns import AuditFrame

Origins = frozenset[int]
"""Queries, by their numbers."""


def checked(stage: str) -> tuple[str, ...]:
    """Who says what a stage proves."""
    return (f"{stage}, checked in fractions",)


class Certain:
    """The linear statements of some queries."""

    def __init__(self, asked: Iterable[Effect] = ()) -> None:
        self.atoms = Atoms()
        self.space = RowSpace()
        self.rows: list[LinearRow] = []
        self.programs: dict[Atom, Program | None] = {}
        self.beyond: set[Atom] = set()
        """Unknowns of which something is said that is no row over unknowns."""
        for one in asked:
            self.learn(one)

    def learn(self, one: Effect, check: Callable[[], None] = lambda: None) -> None:
        """What a query says; ``check`` raises where the time is over."""
        rows = list(self.atoms.rows(one.terms, one.number))
        self.rows += rows
        self.beyond |= beyond_rows(one.terms)
        self.space.add(rows, check)
        # A new row may connect what was apart, or narrow what was a bound.
        self.programs.clear()

    def proof(
        self, fact: ProtectedFact, frame: AuditFrame, stage: str
    ) -> Origins | None:
        """The queries from which this stage proves that a fact follows."""
        used: set[int] = set()

        def range_(atom: Atom) -> Range:
            proved = self.range(atom, stage)
            low, high, origins = proved
            used.update(origins)
            return low, high

        if fact.protected.kind == "left":
            follows = self._few(fact, frame, range_)
        else:
            # It follows where no world within the ranges counts against it.
            other = against(fact, frame, [fact.truth])
            follows = truth(other, self.atoms, range_) is False
        if follows:
            return frozenset(used)
        return None

    def _few(
        self, fact: ProtectedFact, frame: AuditFrame, range_: Callable[[Atom], Range]
    ) -> bool:
        """Whether fewer values of a cell are left than the fact protects."""
        row = fact.rows[0]
        cell = frame.cells[fact.column][row]
        # Gaps between values count as values: less is disclosed here, never more.
        atom = self.atoms.variable(cell.variable)
        low, high = range_(atom)
        wanted = fact.wanted
        missing = truth(cell.missing, self.atoms, range_)
        if missing is True:
            # One value is left: that the cell is missing.
            return wanted > 1

        # Missing counts as a value unless it is excluded.
        most = high - low + 1
        if missing is None:
            most += 1
        return most < wanted

    def combination(
        self, fact: ProtectedFact, frame: AuditFrame
    ) -> tuple[tuple[int, Fraction], ...]:
        """The equations that add up to the one cell of a fact, each by its query, with
        its factor; empty where there are none.
        """
        if len(fact.rows) != 1:
            return ()
        cell = frame.cells[fact.column][fact.rows[0]]
        proof = self.space.proofs.get(self.atoms.variable(cell.variable))
        if proof is None:
            return ()
        rows = self.space.rows
        return tuple([(rows[k].origin, factor) for k, factor in proof.factors.items()])

    def range(self, atom: Atom, stage: str = BOUNDS) -> tuple[int, int, Origins]:
        """What an atom may be by a stage, and the queries that say so."""
        proof = self.space.proofs.get(atom)

        # The row space: a combination of answers is the atom itself.
        if proof is not None:
            proved = proof.value
            if proved.denominator == 1:
                value = proved.numerator
                return value, value, proof.origins

        low, high = self.atoms.ranges[atom]
        origins: Origins = frozenset()
        program = None
        if stage != ROW_SPACE:
            program = self.program(atom)
        if program is None:
            return low, high, origins

        # Only where a bound is better than the declared one it needs queries.
        least = program.bound(atom, 1)
        most = program.bound(atom, -1)
        if least is not None and least.value > low:
            low = least.value
            origins = least.origins
        if most is not None and most.value < high:
            high = most.value
            origins = origins | most.origins
        return low, high, origins

    def program(self, atom: Atom) -> Program | None:
        """The linear program that an atom is in."""
        if atom not in self.programs:
            rows = connected(self.rows, [atom])
            program = None
            if rows:
                program = Program(rows, self.atoms.ranges)
            self.programs[atom] = program
            # One program serves all atoms that it connects.
            for row in rows:
                self.programs |= dict.fromkeys(row.parts, program)
        return self.programs[atom]

    def attained(self, atom: Atom, end: int, sign: int) -> bool:
        """Whether a world was met where an unknown has this value, the least
        (``sign`` 1) or greatest (-1) so far.
        """
        if atom in self.beyond:
            return False
        program = self.program(atom)
        if program is None:
            # Nothing is said of it: it may be whatever is declared.
            low, high = self.atoms.ranges[atom]
            declared = low if sign > 0 else high
            return end == declared
        met = program.met
        if not met.attains(atom, end, sign):
            return False
        # Rows are all that is said of what they connect: their solution is a world,
        # beside the data in all that they do not connect.
        return self.beyond.isdisjoint(met.places)
