"""The bound of a search, proved again: nothing that meets all clauses costs less."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from phverify.budget import Deadline
from phverify.constraints.hitting import (
    LARGEST,
    HittingSet,
    Solver,
    available,
    none_cheaper,
)
from phverify.errors import BudgetExceeded, Defect
from phverify.generalization.budgeted import BUDGETED, Budgeted
from phverify.generalization.every_vector import ALL_VECTORS, vectors_cost
from phverify.generalization.master import Grid, Hitting, Master
from phverify.generalization.shortest import SHORTEST, Shortest
from phverify.generalization.space import CodedSpace
from phverify.spec.schemes import Clause
from phverify.spec.shortest import orders
from phverify.spec.spaces import Cost

PATIENCE = 60.0
"""Seconds that each way has for it."""


@dataclass(frozen=True, eq=False)
class BoundAgain:
    """What is proved of the candidates that meet the ``learned`` clauses, in the time
    that is left.  The ``master`` proposed candidates on the way.
    """

    space: CodedSpace
    cost: Cost
    master: Master
    deadline: Deadline
    learned: Sequence[Clause]

    @cached_property
    def in_time(self) -> Deadline:
        """When the first way ends."""
        return self.deadline.within(PATIENCE)

    def proved_by(self, total: int) -> tuple[str, ...]:
        """What proves that none of them costs less; nothing where time is up.

        Raises Defect if one of the ways denies it.
        """
        if isinstance(self.master, Grid):
            return self._looked_at_all(total)
        if isinstance(self.master, Budgeted):
            return self._with_losses(self.master, total)
        if self._by_paths(total):
            return (SHORTEST,)
        constraints = [*self.space.constraints, *self.learned]
        question = HittingSet(self.cost.weights, constraints)
        agreed = []
        for solver in self._solvers():
            in_time = self.deadline.within(PATIENCE)
            try:
                confirmed = none_cheaper(question, total, solver, in_time)
            except BudgetExceeded:
                continue
            if not confirmed:
                what = "finds a cheaper candidate that meets all clauses"
                raise Defect(f"{solver} {what}")
            agreed.append(solver)
        return tuple(agreed)

    def _looked_at_all(self, total: int) -> tuple[str, ...]:
        """That no level vector is cheaper."""
        try:
            confirmed = vectors_cost(
                self.space, self.cost, self.learned, total, self.in_time
            )
        except BudgetExceeded:
            return ()
        if not confirmed:
            raise Defect("a cheaper level vector meets all clauses")
        return (ALL_VECTORS,)

    def _with_losses(self, master: Budgeted, total: int) -> tuple[str, ...]:
        """That no paths which lose few enough records are cheaper."""
        try:
            confirmed = master.shows(self.cost.weights, total, self.in_time)
        except BudgetExceeded:
            return ()
        return (BUDGETED,) if confirmed else ()

    def _by_paths(self, total: int) -> bool:
        """Whether shortest paths along a column show that nothing is cheaper."""
        if not isinstance(self.master, Shortest):
            return False
        found = orders(self.space, self.cost.weights)
        if found is None:
            return False
        try:
            branches = found.branches(self.learned, total, self.in_time.check)
        except BudgetExceeded:
            return False
        return branches is not None

    def _solvers(self) -> list[Solver]:
        """Who is asked: Z3, and CP-SAT where it proposed candidates."""
        solvers: list[Solver] = ["Z3"]
        proposed = isinstance(self.master, Hitting) and available()
        if proposed and sum(self.cost.weights) < LARGEST:
            solvers.append("CP-SAT")
        return solvers
