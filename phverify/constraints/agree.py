"""Where a proof would grow too large: two solvers of different makers must find that a
system has no solution.
"""

from __future__ import annotations

from collections.abc import Sequence

from phverify.budget import Deadline
from phverify.constraints import terms as t
from phverify.constraints.proofs import SOLVED
from phverify.constraints.second import available, second, second_all, second_version
from phverify.constraints.smtlib import script
from phverify.constraints.solver import solve, version
from phverify.errors import BudgetExceeded, Defect, PhverifyError
from phverify.spec.system import System
from phverify.words import plural

PATIENCE = 60.0
"""Seconds for each solver when a certificate is checked."""


class NoSecondSolver(PhverifyError):
    """A claim without a proof rests on two solvers, and only one can be asked here."""


def require_second(what: str) -> None:
    """Raises NoSecondSolver where cvc5 is not installed; ``what`` makes it needed."""
    if not available():
        raise NoSecondSolver(
            f"{what}, and two solvers must agree: cvc5, the second one, is not"
            " installed here; pip install 'phverify[proofs]' brings it"
        )


def smtlib(question: System, title: str = "") -> str:
    """The system as SMT-LIB: unsatisfiable iff it has no solution."""
    unknowns = [t.Unknown(name or f"x{v}") for v, name in enumerate(question.names)]
    claims = []
    for parts, constant in question.constraints:
        counted = [(coefficient, unknowns[v]) for coefficient, v in parts]
        claims.append(t.at_least(t.count(counted, constant)))
    return script(claims, title, logic=True)


def agreement(question: System, deadline: Deadline, why: str) -> list[str]:
    """The solvers that find no solution, one after the other.

    Raises BudgetExceeded when one of them does not settle it or is not installed,
    Defect when one finds a solution.
    """
    if not available():
        raise BudgetExceeded(
            f"{why}, and there is no second solver: pip install 'phverify[proofs]'"
            " brings one"
        )
    text = smtlib(question)
    statuses = {version(): solve(text, deadline.sooner(PATIENCE)).status}
    # Not where nothing is left: cvc5 alone takes a while to start.
    deadline.check()
    left = deadline.left()
    seconds = PATIENCE if left is None else left
    statuses[second_version()] = second(text, seconds).status
    # One solution is enough: a rule said to be proved is not.
    if "sat" in statuses.values():
        raise Defect(SOLVED)
    if set(statuses.values()) != {"unsat"}:
        said = ", ".join(f"{name} says {status}" for name, status in statuses.items())
        raise BudgetExceeded(f"{why}; {said}")
    return list(statuses)


def agree(question: System, left: float | None = None) -> bool:
    """Whether both solvers find, again, that a system has no solution; ``left`` are the
    seconds that there are.  Raises NoSecondSolver.
    """
    # Nobody was asked: that is no disagreement, which would refuse the certificate.
    require_second("a rule has no proof")
    # a share for each of the two
    deadline = Deadline(2 * _patience(left))
    try:
        return bool(agreement(question, deadline, "without a proof"))
    except (BudgetExceeded, Defect):
        # To ask in vain is no proof: what is not settled is not agreed on.
        return False


def _patience(left: float | None) -> float:
    if left is None:
        return PATIENCE
    return max(min(PATIENCE, left), 0.001)


def agree_on(texts: Sequence[str], left: float | None = None) -> bool:
    """Whether both solvers find all of these SMT-LIB texts unsatisfiable.  Raises
    NoSecondSolver.
    """
    require_second(f"there is no proof for {plural(len(texts), 'query')}")
    seconds, everything = _patience(left), Deadline(left)

    def asked(text: str) -> str:
        everything.check()
        patience = _patience(everything.left())
        answer = solve(text, Deadline(patience))
        return answer.status

    # Z3 first: where it finds a solution no second process is needed.
    if any(asked(text) != "unsat" for text in texts):
        return False
    answers = second_all(list(texts), seconds)
    return all(answer.status == "unsat" for answer in answers)
