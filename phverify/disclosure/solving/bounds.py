"""What may an atom be, by linear programming?  A floating-point solver proposes
multipliers, fractions check them.

For any multipliers y of the rows ``low_i <= row_i <= high_i``, the atom x is ``sum y_i
row_i + rest``, where the rest has the coefficients that are left over; each part is no
less than its own bounds say.  So every y gives a true bound, computed here in
fractions; the solver only finds a y for which it is tight.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from phverify.constraints.cpsat import available
from phverify.disclosure.solving.linear_rows import Atom, LinearRow, Ranges, combined
from phverify.disclosure.solving.solutions import IntegerSolutions

LARGEST = 200_000
"""So many coefficients a program may have."""
DENOMINATOR = 10_000
"""Proposed multipliers are rounded to fractions with at most this denominator."""
SECONDS = 2.0
MANY, SWEEPS = 16, 8
"""After so many bounds so many solutions are looked at that may make others
superfluous.
"""
NEAR = 1e-7
"""So near to an end of its range an atom counts as there, and no bound is looked for:
what is lost is no verdict.
"""


@dataclass(frozen=True)
class ProvenBound:
    """``atom >= value`` (``sign`` 1) or ``atom <= value`` (-1), by multipliers of rows;
    an integer.
    """

    atom: Atom
    sign: int
    value: int
    multipliers: Mapping[int, Fraction]
    origins: frozenset[int]


class Program:
    """The rows that are connected with an atom, as one program for both of its bounds
    and those of its neighbours.

    An atom that a row of its own fixes is in no program: its row is added to a proof
    as often as the others leave it over.
    """

    def __init__(self, rows: Sequence[LinearRow], ranges: Ranges) -> None:
        self.rows, self.ranges = rows, ranges
        self.alone = fixing(rows)
        fixed = {atom: _value(rows[k]) for atom, k in self.alone.items()}
        self.met = IntegerSolutions(rows, ranges, fixed)
        self.solver: Any = None
        self.columns: dict[Atom, Any] = {}
        self.constraints: dict[int, Any] = {}
        self.ends: set[tuple[Atom, int]] = set()
        """What an earlier solution has at the end of its range: a bound would say
        nothing new.
        """
        self.known: dict[tuple[Atom, int], ProvenBound | None] = {}
        self.asked = 0

    def bound(self, atom: Atom, sign: int) -> ProvenBound | None:
        """The best bound that is found; None where no solver is installed, or the
        program is too large.
        """
        if (atom, sign) in self.ends:
            low, high = self.ranges[atom]
            # A solution is there (nearly): no row can say more than the range does.
            end = low if sign > 0 else high
            return ProvenBound(atom, sign, end, {}, frozenset())
        if (atom, sign) not in self.known:
            self.known[atom, sign] = self.asked_for(atom, sign)
        return self.known[atom, sign]

    def asked_for(self, atom: Atom, sign: int) -> ProvenBound | None:
        """The bound that the solver proposes."""
        if atom in self.alone:
            by_itself = self.completed(atom, {})
            return proven(atom, sign, by_itself, self.rows, self.ranges)
        if self.solver is None:
            sizes = [len(row.parts) for row in self.rows]
            parts = sum(sizes)
            too_large = parts > LARGEST
            if too_large or not available():
                return None
            self.build()
        self.asked += 1
        if self.asked == MANY:
            # Many more will be asked for.
            for turn in range(SWEEPS):
                self.sweep(turn)
        aim = {atom: sign}
        if not self.solved(aim):
            return None
        proposed = self.multipliers(sign)
        multipliers = self.completed(atom, proposed)
        return proven(atom, sign, multipliers, self.rows, self.ranges)

    def multipliers(self, sign: int) -> dict[int, Fraction]:
        """What the solver proposes to multiply the rows with, as small fractions."""
        multipliers: dict[int, Fraction] = {}
        for k, constraint in self.constraints.items():
            proposed = sign * constraint.dual_value()
            if math.isfinite(proposed) and proposed:
                # Rounding costs a little of the bound, and nothing of the proof.
                rounded = _near(proposed)
                if rounded:
                    multipliers[k] = rounded
        return multipliers

    def completed(
        self, atom: Atom, multipliers: Mapping[int, Fraction]
    ) -> dict[int, Fraction]:
        """Multipliers with those of the rows that fix what the others leave over."""
        over: dict[Atom, Fraction] = {}
        if atom in self.alone:
            over[atom] = Fraction(1)
        for k, multiplier in multipliers.items():
            for other, factor in self.rows[k].parts.items():
                if other in self.alone:
                    over[other] = over.get(other, Fraction(0)) - multiplier * factor
        whole = dict(multipliers)
        for other, left in over.items():
            number = self.alone[other]
            if left:
                whole[number] = left / self.rows[number].parts[other]
        return whole

    def build(self) -> None:
        """The program, for the floating-point solver."""
        from ortools.linear_solver import pywraplp

        self.solver = pywraplp.Solver.CreateSolver("GLOP")
        self.solver.SetTimeLimit(int(1000 * SECONDS))
        for number, row in enumerate(self.rows):
            open_ = [atom for atom in row.parts if atom not in self.alone]
            if not open_:
                continue
            held = sum(
                factor * _value(self.rows[self.alone[atom]])
                for atom, factor in row.parts.items()
                if atom in self.alone
            )
            low, high = float(row.low - held), float(row.high - held)
            constraint = self.solver.Constraint(low, high)
            for atom in open_:
                if atom not in self.columns:
                    least, most = self.ranges[atom]
                    column = self.solver.NumVar(float(least), float(most), "")
                    self.columns[atom] = column
                factor = float(row.parts[atom])
                constraint.SetCoefficient(self.columns[atom], factor)
            self.constraints[number] = constraint

    def solved(self, aims: Mapping[Atom, int]) -> bool:
        """Whether there is a solution with the least such sum, and which atoms it has
        at their ends.
        """
        objective = self.solver.Objective()
        objective.Clear()
        for atom, factor in aims.items():
            column = self.columns[atom]
            objective.SetCoefficient(column, factor)
        objective.SetMinimization()
        status = self.solver.Solve()
        if status != self.solver.OPTIMAL:
            return False
        values = {
            atom: column.solution_value() for atom, column in self.columns.items()
        }
        self.met.learn(values)
        for atom, value in values.items():
            low, high = self.ranges[atom]
            if value <= low + NEAR:
                self.ends.add((atom, 1))
            if value >= high - NEAR:
                self.ends.add((atom, -1))
        return True

    def sweep(self, turn: int) -> None:
        """One solution that has many atoms at an end of their range where none had them
        before.
        """
        aims = {}
        for k, atom in enumerate(self.columns):
            signs = [sign for sign in (1, -1) if (atom, sign) not in self.ends]
            if signs:
                # Bit by bit: each turn sends another half of the atoms the other way.
                aims[atom] = signs[(k >> turn) % len(signs)]
        self.solved(aims)


def fixing(rows: Sequence[LinearRow]) -> dict[Atom, int]:
    """The atoms of which a row says what they are, each with the first such row."""
    found: dict[Atom, int] = {}
    for number, row in enumerate(rows):
        if len(row.parts) == 1 and row.exact:
            ((atom, factor),) = row.parts.items()
            if row.low % factor == 0:
                found.setdefault(atom, number)
    return found


def _value(row: LinearRow) -> int:
    """What a row says that its one atom is."""
    factors = row.parts.values()
    (factor,) = factors
    return row.low // factor


def _near(proposed: float) -> Fraction:
    """A small fraction near a number."""
    whole = round(proposed)
    # Most multipliers are 1 or -1, up to what the solver neglects.
    if abs(proposed - whole) < NEAR:
        return Fraction(whole)
    return Fraction(proposed).limit_denominator(DENOMINATOR)


def proven(
    atom: Atom,
    sign: int,
    multipliers: Mapping[int, Fraction],
    rows: Sequence[LinearRow],
    ranges: Ranges,
) -> ProvenBound:
    """The bound of an integer atom that some multipliers prove."""

    def end(row: LinearRow, multiplier: Fraction) -> int:
        if (multiplier > 0) == (sign > 0):
            return row.low
        return row.high

    scale, parts, total = combined(multipliers, rows, end)
    # x is the combination and a rest, which its atoms' own ranges bound.
    rest = {name: -factor for name, factor in parts.items()}
    rest[atom] = rest.get(atom, 0) + scale
    for name, left in rest.items():
        low, high = ranges[name]
        total += left * (low if (left > 0) == (sign > 0) else high)
    # The least integer that is no less, or the greatest that is no more.
    value = -(-total // scale) if sign > 0 else total // scale
    origins = frozenset([rows[k].origin for k in multipliers])
    return ProvenBound(atom, sign, value, multipliers, origins)


def connected(rows: Iterable[LinearRow], start: Iterable[Atom]) -> list[LinearRow]:
    """The rows that are connected with some atoms."""
    waiting = list(rows)
    reached = set(start)
    chosen = list[LinearRow]()
    while True:
        inside = [row for row in waiting if not reached.isdisjoint(row.parts)]
        if not inside:
            return chosen
        waiting = [row for row in waiting if reached.isdisjoint(row.parts)]
        for row in inside:
            reached.update(row.parts)
        chosen += inside
