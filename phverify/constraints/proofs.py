"""Finds the proofs that the checker only has to add up: case splits with a Farkas
certificate at every leaf.

Z3 solves linear programs over exact rationals: the dual one gives the multipliers of a
leaf; where there are none, the relaxation has a solution, and the tree splits on an
unknown that is fractional there.  Nothing that Z3 says is believed by the checker.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from phverify.budget import Deadline
from phverify.constraints import terms as t
from phverify.constraints.smtlib import script
from phverify.constraints.solver import settled
from phverify.errors import BudgetExceeded, Defect
from phverify.spec.parities import DIGIT
from phverify.spec.system import System

NODES = 500
"""A proof with more leaves than this is given up; two solvers must then agree."""
SOLVED = (
    "a rule was proved whose negation, as the checker writes it out, has a solution; "
    "or these are not the files that verify was given"
)
Fixed = Mapping[int, int]


@dataclass(eq=False)
class Prover:
    """Looks for a proof of one system; raises BudgetExceeded when the tree or the time
    grows past its bound.
    """

    question: System
    deadline: Deadline
    leaves: int = 0

    def proof(self, fixed: Fixed | None = None) -> dict[str, Any]:
        """The proof that no unknowns solve the system, those of ``fixed`` being
        given.
        """
        fixed = fixed or {}
        # One constraint is seen without a solver, and makes the shortest leaf.
        farkas = self.broken(fixed) or self.multipliers(fixed)
        if farkas is not None:
            self.leaves += 1
            if self.leaves > NODES:
                what = f"the proof has more than {NODES} leaves"
                raise BudgetExceeded(what)
            return {"farkas": farkas}
        unknown = self.fractional(fixed)
        zero = self.proof({**fixed, unknown: 0})
        one = self.proof({**fixed, unknown: 1})
        # Unknowns are 0 or 1: whoever refutes both has refuted the system.
        return {"split": unknown, "zero": zero, "one": one}

    def broken(self, fixed: Fixed) -> list[list[Any]] | None:
        """A single constraint that cannot be met."""
        for k, (parts, constant) in enumerate(self.question.constraints):
            most = constant
            for c, v in parts:
                if v in fixed:
                    most += c * fixed[v]
                else:  # 0 or 1, whichever makes the sum larger
                    most += max(c, 0)
            if most < 0:
                # By itself it is below 0, whatever the free unknowns are.
                return [[k, "1"]]
        return None

    def multipliers(self, fixed: Fixed) -> list[list[Any]] | None:
        """Multipliers that add the constraints up to a contradiction; None when the
        relaxation has a solution.
        """
        # Farkas: the relaxation has no solution iff the dual system has one.
        answer = settled(self.dual(fixed), self.deadline)
        if answer.status == "unsat":
            return None
        used = {
            int(name[1:]): value
            for name, value in answer.reals.items()
            if name[0] == "l" and value
        }
        in_order = sorted(used)
        return [[k, str(used[k])] for k in in_order]

    def dual(self, fixed: Fixed) -> str:
        """Satisfiable iff the relaxation has no solution: l are multipliers, u bound
        what is left of each unknown.
        """
        columns: dict[int, list[tuple[int, t.LinearSum]]] = {}
        total: list[tuple[int, t.LinearSum]] = []
        for k, (parts, constant) in enumerate(self.question.constraints):
            multiplier = t.number(f"l{k}")
            given = sum(c * fixed[v] for c, v in parts if v in fixed)
            total.append((constant + given, multiplier))
            for c, v in parts:
                if v not in fixed:
                    columns.setdefault(v, []).append((c, multiplier))
        bounded = []
        for v, column in columns.items():
            left = t.number(f"u{v}")
            # u is at least 0 by itself: an unknown gives its column's sum, or nothing.
            bounded.append(t.compare(left, ">=", t.joined(column)))
            total.append((1, left))
        # Multipliers may be scaled: below 0 is the same as at most -1.
        contradiction = t.compare(t.joined(total), "<=", -1)
        return script([*bounded, contradiction], logic=True)

    def fractional(self, fixed: Fixed) -> int:
        """The unknown furthest from 0 and 1 in a solution of the relaxation; placements
        before compound terms.
        """
        answer = settled(self.primal(fixed), self.deadline)
        values = {v: answer.reals.get(f"x{v}", Fraction(0)) for v in self.open(fixed)}
        fractions = [v for v, value in values.items() if value.denominator > 1]
        # Whole numbers that meet all constraints are a model of what was refuted.
        if not fractions:
            raise Defect(SOLVED)

        def order(v: int) -> tuple[bool, bool, Fraction, int]:
            # A few digits settle a parity, whoever is where.
            counts = self.question.names[v].startswith(DIGIT)
            # only the unknowns of placements have names
            compound = not self.question.names[v]
            # Compound terms follow once people are placed: these decide more.
            return not counts, compound, abs(values[v] - Fraction(1, 2)), v

        return min(fractions, key=order)

    def open(self, fixed: Fixed) -> list[int]:
        """The unknowns that are not given."""
        every = range(len(self.question.names))
        return [unknown for unknown in every if unknown not in fixed]

    def primal(self, fixed: Fixed) -> str:
        """Satisfiable iff the relaxation has a solution: each unknown from 0 to 1."""
        free = {}
        for v in self.open(fixed):
            unknown = t.Number(f"x{v}", high=1)
            free[v] = t.LinearSum(further=((1, unknown),))
        met = []
        for parts, constant in self.question.constraints:
            given = sum(c * fixed[v] for c, v in parts if v in fixed)
            rest = t.joined((c, free[v]) for c, v in parts if v not in fixed)
            met.append(t.compare(rest, ">=", -(constant + given)))
        return script(met, logic=True)
