"""That nothing which meets all clauses is cheaper: a proof checked in fractions, or two judges that agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from phverify.certificate.data import Refused
from phverify.certificate.farkas import refute
from phverify.certificate.system import System, Terms, system, total
from phverify.errors import BudgetExceeded, Defect, InputError, Problem
from phverify.proofs.prove import Prover
from phverify.report.text import plural
from phverify.smt.hitting import LARGEST, HittingSet, available, none_cheaper
from phverify.smt.solver import Deadline

PATIENCE = 5.0
"""Seconds for finding a proof."""
MOST = 400
"""With more unknowns than this no proof is looked for: its linear programs would take too long."""


def cheaper(question: HittingSet, bound: int) -> System | None:
    """A 0/1 system: all clauses are met and the cost is below ``bound``; None when that cannot be at once."""
    terms = Terms()
    unknowns = [terms.unknown(f"x{u}") for u in range(len(question.weights))]
    asserted = [
        terms.disj(unknowns[u - 1] if u > 0 else -unknowns[-u - 1] for u in clause) for clause in question.clauses
    ]
    cost = total((-w, x) for w, x in zip(question.weights, unknowns, strict=True) if w)
    return system(terms, [*asserted, terms.at_least(cost.plus(bound - 1))])


def least(question: HittingSet, bound: int, progress: Callable[[str], None]) -> str:
    """By what nothing is cheaper.

    Raises Refused when something is cheaper, and InputError when too few judges are at hand.
    """
    if leaves := _proof(question, bound, progress):
        return f"a proof with {plural(leaves, 'leaf')} checked in fractions"
    judges: list[str] = []
    if available() and sum(question.weights) < LARGEST:
        judges.append("CP-SAT" if _none(question, bound, "CP-SAT") else "")
    progress("asking Z3")
    judges.append("Z3" if _none(question, bound, "Z3") else "")
    if "" in judges:
        raise Refused("a cheaper candidate meets all clauses: they do not prove the bound")
    if len(judges) < 2:
        hint = "pip install 'phverify[search]' brings one"
        raise InputError(Problem("check", "the bound needs a second solver beside Z3", hint))
    return " and ".join(judges)


def _proof(question: HittingSet, bound: int, progress: Callable[[str], None]) -> int:
    """The leaves of a proof that nothing is cheaper; 0 when none is found in time.  Raises Refused."""
    asked = cheaper(question, bound)
    if asked is None:
        return 1
    if len(asked.names) > MOST:
        return 0
    progress("looking for a proof of the bound")
    try:
        return refute(asked, Prover(asked, Deadline(PATIENCE)).proof())
    except BudgetExceeded:
        return 0
    except Defect:
        raise Refused("a cheaper candidate meets all clauses: they do not prove the bound") from None


def _none(question: HittingSet, bound: int, solver: Any) -> bool:
    try:
        return none_cheaper(question, bound, solver, Deadline(300))
    except BudgetExceeded as error:
        raise Refused(f"{solver} does not settle the bound: {error}") from None
