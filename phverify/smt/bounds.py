"""What may an atom be, by linear programming?  A floating-point solver proposes multipliers, fractions check them.

For any multipliers y of the rows ``low_i <= row_i <= high_i``, the atom x is ``sum y_i row_i + rest``, where the rest
has the coefficients that are left over; each part is no less than its own bounds say.  So every y gives a true bound,
computed here in fractions; the solver only finds a y for which it is tight.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from phverify.smt.cpsat import available
from phverify.smt.linear import Atom, LinearRow

LARGEST = 200_000
"""So many coefficients a program may have."""
DENOMINATOR = 10_000
"""Proposed multipliers are rounded to fractions with at most this denominator."""
SECONDS = 2.0


@dataclass(frozen=True)
class Bound:
    """``atom >= value`` (``sign`` 1) or ``atom <= value`` (-1), by multipliers of rows; an integer."""

    atom: Atom
    sign: int
    value: int
    multipliers: Mapping[int, Fraction]
    origins: frozenset[int]


class Program:
    """The rows that are connected with an atom, as one program for both of its bounds and those of its neighbours."""

    def __init__(self, rows: Sequence[LinearRow], ranges: Mapping[Atom, tuple[int, int]]) -> None:
        self.rows, self.ranges = rows, ranges
        self.solver: Any = None
        self.columns: dict[Atom, Any] = {}
        self.constraints: list[Any] = []

    def bound(self, atom: Atom, sign: int) -> Bound | None:
        """The best bound that is found; None where no solver is installed, or the program is too large."""
        if not self.built():
            return None
        self.solver.Objective().Clear()
        self.solver.Objective().SetCoefficient(self.columns[atom], sign)
        self.solver.Objective().SetMinimization()
        if self.solver.Solve() != self.solver.OPTIMAL:
            return None
        proposed = {k: sign * c.dual_value() for k, c in enumerate(self.constraints)}
        rounded = {k: Fraction(y).limit_denominator(DENOMINATOR) for k, y in proposed.items() if math.isfinite(y)}
        return proven(atom, sign, {k: y for k, y in rounded.items() if y}, self.rows, self.ranges)

    def built(self) -> bool:
        if self.solver is None and available() and sum(len(row.parts) for row in self.rows) <= LARGEST:
            self.build()
        return self.solver is not None

    def build(self) -> None:
        from ortools.linear_solver import pywraplp

        self.solver = pywraplp.Solver.CreateSolver("GLOP")
        self.solver.SetTimeLimit(int(1000 * SECONDS))
        for row in self.rows:
            for atom in row.parts:
                if atom not in self.columns:
                    self.columns[atom] = self.solver.NumVar(*map(float, self.ranges[atom]), "")
            constraint = self.solver.Constraint(float(row.low), float(row.high))
            for atom, factor in row.parts.items():
                constraint.SetCoefficient(self.columns[atom], float(factor))
            self.constraints.append(constraint)


def proven(
    atom: Atom,
    sign: int,
    multipliers: Mapping[int, Fraction],
    rows: Sequence[LinearRow],
    ranges: Mapping[Atom, tuple[int, int]],
) -> Bound:
    """The bound of an integer atom that some multipliers prove."""
    rest: dict[Atom, Fraction] = {atom: Fraction(1)}
    total = Fraction(0)
    for k, y in multipliers.items():
        total += y * (rows[k].low if (y > 0) == (sign > 0) else rows[k].high)
        for name, factor in rows[k].parts.items():
            rest[name] = rest.get(name, Fraction(0)) - y * factor
    for name, left in rest.items():
        if left:
            total += left * ranges[name][0 if (left > 0) == (sign > 0) else 1]
    value = math.ceil(total) if sign > 0 else math.floor(total)
    return Bound(atom, sign, value, multipliers, frozenset(rows[k].origin for k in multipliers))


def connected(rows: Iterable[LinearRow], start: Iterable[Atom]) -> list[LinearRow]:
    """The rows that are connected with some atoms."""
    waiting, reached, chosen, grown = list(rows), set(start), [], True
    while grown:
        inside = [row for row in waiting if not reached.isdisjoint(row.parts)]
        waiting = [row for row in waiting if reached.isdisjoint(row.parts)]
        chosen += inside
        size = len(reached)
        reached.update(*(row.parts for row in inside))
        grown = len(reached) > size
    return chosen
