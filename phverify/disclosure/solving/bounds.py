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
    """

    def __init__(self, rows: Sequence[LinearRow], ranges: Ranges) -> None:
        self.rows, self.ranges = rows, ranges
        self.solver: Any = None
        self.columns: dict[Atom, Any] = {}
        self.constraints: list[Any] = []
        self.ends: set[tuple[Atom, int]] = set()
        """What an earlier solution has at the end of its range: a bound would say
        nothing new.
        """
        self.asked = 0

    def bound(self, atom: Atom, sign: int) -> ProvenBound | None:
        """The best bound that is found; None where no solver is installed, or the
        program is too large.
        """
        if self.solver is None:
            sizes = [len(row.parts) for row in self.rows]
            too_large = sum(sizes) > LARGEST
            if too_large or not available():
                return None
            self.build()
        at_end = (atom, sign) in self.ends
        if at_end:
            low, high = self.ranges[atom]
            # A solution is there (nearly): no row can say more than the range does.
            end = low if sign > 0 else high
            return ProvenBound(atom, sign, end, {}, frozenset())
        self.asked += 1
        if self.asked == MANY:
            # Many more will be asked for.
            for turn in range(SWEEPS):
                self.sweep(turn)
        aim = {atom: sign}
        if not self.solved(aim):
            return None
        multipliers = self.multipliers(sign)
        return proven(atom, sign, multipliers, self.rows, self.ranges)

    def multipliers(self, sign: int) -> dict[int, Fraction]:
        """What the solver proposes to multiply the rows with, as small fractions."""
        multipliers: dict[int, Fraction] = {}
        for k, constraint in enumerate(self.constraints):
            proposed = sign * constraint.dual_value()
            if math.isfinite(proposed):
                # Rounding costs a little of the bound, and nothing of the proof.
                rounded = Fraction(proposed).limit_denominator(DENOMINATOR)
                if rounded:
                    multipliers[k] = rounded
        return multipliers

    def build(self) -> None:
        """The program, for the floating-point solver."""
        from ortools.linear_solver import pywraplp

        self.solver = pywraplp.Solver.CreateSolver("GLOP")
        self.solver.SetTimeLimit(int(1000 * SECONDS))
        for row in self.rows:
            constraint = self.solver.Constraint(float(row.low), float(row.high))
            for atom, factor in row.parts.items():
                if atom not in self.columns:
                    low, high = self.ranges[atom]
                    column = self.solver.NumVar(float(low), float(high), "")
                    self.columns[atom] = column
                constraint.SetCoefficient(self.columns[atom], float(factor))
            self.constraints.append(constraint)

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
        for atom, column in self.columns.items():
            value = column.solution_value()
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
