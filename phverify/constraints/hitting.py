"""Weighted hitting sets: the cheapest truth of 0/1 unknowns that meets all clauses, and
proofs that none is cheaper.

CP-SAT of OR-tools is asked where it is installed: it finds the optimum of a search's
questions in about 15 ms where Z3's optimizer takes 0.5 to 2 s.  Z3 proves the bound
that CP-SAT claims (0.02 to 0.2 s), and replaces it where it is absent.  All weights are
integers; no solver is given one that it cannot hold.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from phverify.budget import Deadline
from phverify.constraints import terms as t
from phverify.constraints.smtlib import script
from phverify.constraints.solver import least, settled
from phverify.errors import BudgetExceeded, Defect
from phverify.interrupts import interrupts_put_off

Clause = tuple[int, ...]
"""As in DIMACS: ``v + 1`` says that unknown v is true, ``-(v + 1)`` that it is
false.
"""
MODELS = "ortools.sat.python.cp_model"
QUICK = 0.05
"""What CP-SAT may do before it simplifies a question, in its units of work: about as
many seconds.
"""
LARGEST = 2**60
"""The largest sum that CP-SAT is given."""
Solver = Literal["CP-SAT", "Z3"]


@dataclass(frozen=True, eq=False)
class HittingSet:
    """Unknowns with weights (integers >= 0, charged when true) and clauses over
    them.
    """

    weights: Sequence[int]
    clauses: Sequence[Clause]

    def met(self, truth: Sequence[bool]) -> bool:
        """Whether all clauses hold."""
        return all(_holds(clause, truth) for clause in self.clauses)

    def total(self, truth: Sequence[bool]) -> int:
        """The weight of the unknowns that are true."""
        weighted = zip(self.weights, truth, strict=True)
        return sum(weight for weight, true in weighted if true)


def _holds(clause: Clause, truth: Sequence[bool]) -> bool:
    """Whether one of a clause's literals is true."""
    for literal in clause:
        unknown = abs(literal) - 1
        if truth[unknown] == (literal > 0):
            return True
    return False


def available() -> bool:
    """Whether CP-SAT is installed."""
    try:
        # A module that was left halfway could not be imported any more.
        with interrupts_put_off():
            import_module(MODELS)
    except ImportError:
        return False
    return True


def cheapest(question: HittingSet, deadline: Deadline) -> list[bool] | None:
    """The cheapest truth that meets all clauses; None when nothing meets them.  Raises
    BudgetExceeded.
    """
    # An empty clause is met by nothing: no solver need be asked.
    if any(not clause for clause in question.clauses):
        return None
    fits = sum(question.weights) < LARGEST
    if fits and available():
        truth = _cp_cheapest(question, deadline)
    else:
        truth = _z3_cheapest(question, deadline)
    # A truth is believed once it is checked; that none is cheaper is proved apart.
    if truth is not None and not question.met(truth):
        raise Defect("a solver's hitting set misses a clause")
    return truth


def none_cheaper(
    question: HittingSet, bound: int, solver: Solver, deadline: Deadline
) -> bool:
    """Whether no truth that meets all clauses costs less than ``bound``, by one solver.
    Raises BudgetExceeded.
    """
    # nothing costs less than 0, and nothing meets an empty clause
    unmeetable = any(not clause for clause in question.clauses)
    if bound <= 0 or unmeetable:
        return True
    if solver == "Z3":
        return _z3_none(question, bound, deadline)
    return _cp_none(question, bound, deadline)


# Z3


def _stated(question: HittingSet) -> tuple[list[tuple[int, t.Term]], list[t.Term]]:
    """The unknowns that are charged, with their weights, and the clauses."""
    unknowns: list[t.Term] = [t.Flag(f"x{u}") for u in range(len(question.weights))]
    # What costs nothing would only lengthen the sum that is bounded.
    charged = [(w, x) for w, x in zip(question.weights, unknowns, strict=True) if w]
    clauses = []
    for clause in question.clauses:
        clauses.append(
            t.disj(
                unknowns[u - 1] if u > 0 else t.neg(unknowns[-u - 1]) for u in clause
            )
        )
    return charged, clauses


def _z3_cheapest(question: HittingSet, deadline: Deadline) -> list[bool] | None:
    charged, clauses = _stated(question)
    # Soft is that an unknown is false: its weight is paid where it is true.
    answer = least(script(clauses, soft=[(w, t.neg(x)) for w, x in charged]), deadline)
    if answer.status == "unknown":
        deadline.check()
        raise BudgetExceeded(answer.reason)
    if answer.status == "unsat":
        return None
    # What the model leaves out is free: false, since truth may cost.
    return [answer.values.get(f"x{u}", 0) == 1 for u in range(len(question.weights))]


def bound_text(question: HittingSet, bound: int) -> str:
    """SMT-LIB text that is unsatisfiable iff nothing that meets all clauses costs less
    than ``bound``.
    """
    charged, clauses = _stated(question)
    cheaper = t.compare(t.count(charged), "<", bound)
    return script([*clauses, cheaper])


def _z3_none(question: HittingSet, bound: int, deadline: Deadline) -> bool:
    answer = settled(bound_text(question, bound), deadline, tactics=True)
    return answer.status == "unsat"


# CP-SAT


def _cp_model(question: HittingSet, deadline: Deadline) -> tuple[Any, list[Any]]:
    """The clauses, and the unknowns.  Raises BudgetExceeded."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    unknowns = [model.new_bool_var(f"x{u}") for u in range(len(question.weights))]
    negated = [unknown.negated() for unknown in unknowns]
    for clause in question.clauses:
        deadline.check()
        literals = []
        for u in clause:
            literals.append(unknowns[u - 1] if u > 0 else negated[-u - 1])
        model.add_bool_or(literals)
    return model, unknowns


def _cp_solved(model: Any, deadline: Deadline) -> tuple[str, Any]:
    """optimal, feasible (no objective), or infeasible.  Raises BudgetExceeded.

    Most questions are answered before simplifying them would be over: that comes
    second.
    """
    from ortools.sat.python import cp_model

    for quick in (True, False):
        solver = cp_model.CpSolver()
        solver.parameters.catch_sigint_signal = False  # Ctrl-C is Python's to handle
        solver.parameters.num_workers = 1 if quick else 2
        if quick:
            solver.parameters.cp_model_presolve = False
            solver.parameters.max_deterministic_time = QUICK
        left = deadline.left()
        if left is not None:
            deadline.check()
            solver.parameters.max_time_in_seconds = left
        status = _interruptible(solver, model)
        if status in (cp_model.OPTIMAL, cp_model.INFEASIBLE):
            found = "optimal" if status == cp_model.OPTIMAL else "infeasible"
            return found, solver
        if status == cp_model.MODEL_INVALID:
            raise Defect("CP-SAT refused a question")
    deadline.check()
    raise BudgetExceeded("CP-SAT did not finish in time")


def _interruptible(solver: Any, model: Any) -> Any:
    """CP-SAT asked in a thread of its own: Python hears Ctrl-C only where it waits."""
    asked: Future[Any] | None = None
    with ThreadPoolExecutor(1) as pool:
        try:
            asked = pool.submit(solver.solve, model)
            return asked.result()
        except KeyboardInterrupt:
            while (
                asked and not asked.done()
            ):  # what has not begun yet cannot be stopped
                solver.stop_search()
                time.sleep(0.05)
            raise


def _cp_cheapest(question: HittingSet, deadline: Deadline) -> list[bool] | None:
    model, unknowns = _cp_model(question, deadline)
    price = _price(question, unknowns)
    model.minimize(price)
    status, solver = _cp_solved(model, deadline)
    if status == "infeasible":
        return None
    return [bool(solver.boolean_value(x)) for x in unknowns]


def _cp_none(question: HittingSet, bound: int, deadline: Deadline) -> bool:
    model, unknowns = _cp_model(question, deadline)
    # Weights are whole numbers: less than the bound is one less at most.
    model.add(_price(question, unknowns) <= bound - 1)
    status, _ = _cp_solved(model, deadline)
    return status == "infeasible"


def _price(question: HittingSet, unknowns: list[Any]) -> Any:
    """The sum of the weights of the unknowns that are true, as CP-SAT has it."""
    weighted = zip(question.weights, unknowns, strict=True)
    return sum(weight * unknown for weight, unknown in weighted if weight)
