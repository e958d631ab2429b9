"""What the linear parts of the answers prove by themselves: values by the row space, bounds by linear programming.

Every proof is a combination of answers that was checked in fractions; no second solver is needed beside it.  What has
no proof here may follow all the same: from integrality, or from what is not linear.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from phverify.constraints import terms as t
from phverify.disclosure.protected import Fact, against
from phverify.disclosure.solving.bounds import Program, connected
from phverify.disclosure.solving.intervals import Bounds, truth
from phverify.disclosure.solving.linear import Atom, Atoms, LinearRow, Range
from phverify.disclosure.solving.rowspace import RowSpace
from phverify.disclosure.stages import BOUNDS, ROW_SPACE
from phverify.disclosure.sums import Terms
from phverify.disclosure.worlds.cells import Cell, Frame


@dataclass(frozen=True)
class Proof:
    """Who proved that a fact follows, and from which queries."""

    stage: str
    origins: frozenset[int]

    @property
    def by(self) -> tuple[str, ...]:
        return (f"{self.stage}, checked in fractions",)


@dataclass
class Certain:
    """The linear statements so far.  ``ranges`` are what an atom may be, by each of the two stages."""

    atoms: Atoms = field(default_factory=Atoms)
    rows: list[LinearRow] = field(default_factory=list)
    space: RowSpace = field(default_factory=RowSpace)
    programs: dict[Atom, Program | None] = field(default_factory=dict)

    def learn(self, number: int, terms: Iterable[t.Term], check: Callable[[], None] = lambda: None) -> None:
        """What a query says; ``check`` raises where the time is over."""
        rows = list(self.atoms.rows(terms, number))
        self.rows += rows
        self.space.add(rows, check)
        self.programs.clear()

    def proof(self, fact: Fact, frame: Frame, stage: str) -> Proof | None:
        """The proof that a fact follows, when this stage finds one."""
        used: set[int] = set()

        def range_(atom: Atom) -> Range:
            low, high, origins = self.range(atom, stage)
            used.update(origins)
            return low, high

        if fact.protected.kind == "left":
            cell = frame.cells[fact.column][fact.rows[0]]
            follows = self.few(cell, fact.wanted, range_)
        else:
            follows = truth(against(fact, frame, [fact.truth]), self.atoms, range_) is False
        return Proof(stage, frozenset(used)) if follows else None

    def few(self, cell: Cell, wanted: int, range_: Bounds) -> bool:
        """Whether fewer values than wanted are left for a cell."""
        low, high = range_(self.atoms.variable(cell.variable))
        missing = truth(cell.missing, self.atoms, range_)
        return (missing is True and wanted > 1) or high - low + 1 + (missing is not False) < wanted

    def range(self, atom: Atom, stage: str = BOUNDS) -> tuple[int, int, frozenset[int]]:
        """What an atom may be, and the queries that say so."""
        found = self.space.proofs.get(atom)
        if found is not None and found.value.denominator == 1:
            return found.value.numerator, found.value.numerator, found.origins
        ends, origins = list(self.atoms.ranges[atom]), frozenset[int]()
        program = self.program(atom) if stage == BOUNDS else None
        for k, sign in enumerate((1, -1)):
            bound = program.bound(atom, sign) if program is not None else None
            if bound is not None and sign * (bound.value - ends[k]) > 0:
                ends[k], origins = bound.value, origins | bound.origins
        return ends[0], ends[1], origins

    def program(self, atom: Atom) -> Program | None:
        """The linear program that an atom is in."""
        if atom not in self.programs:
            rows = connected(self.rows, [atom])
            found = Program(rows, self.atoms.ranges) if rows else None
            self.programs |= {name: found for row in rows for name in row.parts} | {atom: found}
        return self.programs[atom]


def certain(known: Iterable[tuple[int, Terms]]) -> Certain:
    """What some queries prove."""
    found = Certain()
    for number, terms in known:
        found.learn(number, terms)
    return found


def proved(known: Iterable[tuple[int, Terms]], fact: Fact, frame: Frame) -> Proof | None:
    """The proof that a fact follows from some queries."""
    found = certain(known)
    return found.proof(fact, frame, ROW_SPACE) or found.proof(fact, frame, BOUNDS)
