"""Where a bound has no proof: two solvers of different makers must find that nothing is cheaper."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from phverify.budget import Deadline, Tell
from phverify.constraints.hitting import LARGEST, Clause, HittingSet, Solver, available, none_cheaper
from phverify.errors import BudgetExceeded, refusal
from phverify.spec.data import Refused

SECONDS = 300.0


def none_below(progress: Tell, clock: Deadline) -> Callable[[tuple[int, ...], list[Clause], int], list[str]]:
    """Names the solvers that find that nothing which meets the clauses costs less; none where one finds something.

    Raises InputError when only one of them is at hand, and Refused when one does not settle it.
    """

    def asked(weights: Sequence[int], clauses: Sequence[Clause], total: int) -> list[str]:
        if not available() or sum(weights) >= LARGEST:
            hint = "pip install 'phverify[search]' brings one"
            raise refusal("check", "the bound needs a second solver beside Z3", hint)
        solvers: list[Solver] = ["CP-SAT", "Z3"]
        question = HittingSet(weights, clauses)
        for solver in solvers:
            progress(f"asking {solver}")
            left = clock.left()
            if not _none(question, total, solver, SECONDS if left is None else max(min(SECONDS, left), 0.001)):
                return []
        return list(solvers)

    return asked


def _none(question: HittingSet, total: int, solver: Solver, seconds: float) -> bool:
    try:
        return none_cheaper(question, total, solver, Deadline(seconds))
    except BudgetExceeded as error:
        raise Refused(f"{solver} does not settle the bound: {error}") from None
