"""Questions about integers, asked of Z3 (as SMT-LIB text) and, where it is installed,
of CP-SAT and cvc5.

An answer is never guessed: unknown is unknown.  What a solver calls satisfiable is
evaluated again here; what it calls unsatisfiable is asked of a second solver by
``settled``.  Many equations over small ranges are first enumerated: an enumeration that
was checked in integers is a proof by itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from phverify.budget import Deadline
from phverify.constraints import cpsat, second
from phverify.constraints import terms as t
from phverify.constraints.smtlib import script
from phverify.constraints.solver import solve
from phverify.disclosure.solving import enumeration
from phverify.disclosure.solving.enumeration import Enumerations
from phverify.disclosure.solving.linear_question import LinearQuestion, dense
from phverify.disclosure.solving.merging import merged
from phverify.disclosure.sums import Terms
from phverify.errors import Defect

DOMAINS = ("the declared domains",)
"""Who said so where a constraint contradicts the domains by itself."""
SECOND = "second solver"
"""What the time of confirmations is spent on."""
PROOF = (f"{enumeration.NAME}, checked in integers",)
"""Who says so where all solutions of the linear rows were enumerated."""
SHARE = 8
"""The part of the time that a solver has for what is enumerated afterwards."""


@dataclass(frozen=True)
class SolverOutcome:
    """``status`` is sat (with ``values``), unsat or unknown (with the reason); ``by``
    says who found out.

    ``spent`` are the seconds of each solver that was asked.
    """

    status: str
    values: t.Assignment = field(default_factory=dict)
    reason: str = ""
    by: tuple[str, ...] = ()
    spent: tuple[tuple[str, float], ...] = ()


def ask(
    terms: Terms, deadline: Deadline, earlier: Enumerations | None = None
) -> SolverOutcome:
    """The first solver's answer: CP-SAT, or Z3 where CP-SAT is not installed, cannot
    hold the numbers, or gives up.

    What is promising is enumerated; ``earlier`` are enumerations of earlier questions,
    which go on here.
    """
    if any(term is t.FALSE for term in terms):
        return SolverOutcome("unsat", by=DOMAINS)
    # Few equations leave too many solutions to enumerate.
    if not dense(terms):
        return _solved(terms, deadline)
    earlier = earlier or Enumerations()
    question = earlier.question(terms)
    outcome = _enumerated(question, deadline, earlier, soon=True)
    if outcome.status == "unknown" and not earlier.vain(question):
        left = deadline.left()
        alone = earlier.search(question).hopeless
        # Solvers get a part: what can be enumerated needs the rest.
        share = deadline if left is None or alone else Deadline(left / SHARE)
        outcome = _after(outcome, _solved(terms, share))
        if outcome.status == "unknown" and not alone:
            # The next question over the same rows goes to the enumeration at once.
            earlier.in_vain.add(question.key)
    if outcome.status != "unknown":
        return outcome
    return _after(outcome, _enumerated(question, deadline, earlier))


def _after(first: SolverOutcome, then: SolverOutcome) -> SolverOutcome:
    """The later outcome, with the time of both."""
    spent = *first.spent, *then.spent
    return replace(then, spent=spent)


def settled(
    terms: Terms, deadline: Deadline, earlier: Enumerations | None = None
) -> SolverOutcome:
    """As ``ask``, and unsat only when a second solver says so too; raises Defect when
    two solvers contradict.
    """
    outcome = ask(terms, deadline, earlier)
    if outcome.status != "unsat":
        return outcome
    return confirmed(outcome, terms, deadline)


def confirmed(
    outcome: SolverOutcome, terms: Terms, deadline: Deadline
) -> SolverOutcome:
    """An unsat of ``ask`` after a second solver was asked: unsat, or unknown.  Raises
    Defect as ``settled`` does.
    """
    # Either was derived in integers here: no solver has to be believed.
    if outcome.by in (DOMAINS, PROOF):
        return outcome
    # The same question over fewer unknowns: all solvers may be asked that one.
    terms = merged(terms).terms
    for other in (z3_ask, enumerated_ask, cvc5_ask):
        # A solver is no second one beside itself.
        if outcome.by == ("Z3",) and other is z3_ask:
            continue
        again = _timed(SECOND, other, terms, deadline)
        if again.status == "sat":
            # One of them is wrong, and nobody knows which: no verdict rests on either.
            raise Defect(f"{outcome.by[0]} says unsat and {again.by[0]} says sat")
        outcome = replace(outcome, spent=(*outcome.spent, *again.spent))
        if again.status == "unsat":
            return replace(outcome, by=(*outcome.by, *again.by))
    first = outcome.by[0]
    reason = f"{first} says that it follows, and no second solver confirmed it in time"
    return replace(outcome, status="unknown", reason=reason)


def _timed(
    stage: str, solver: Callable[..., SolverOutcome], *asked: Any
) -> SolverOutcome:
    """What a solver says, with its time."""
    began = time.perf_counter()
    outcome = solver(*asked)
    seconds = time.perf_counter() - began
    return replace(outcome, spent=((stage, seconds),))


def together(terms: Terms, earlier: Enumerations) -> bool:
    """Whether it is better to ask for any of several conditions at once than for one
    after the other.
    """
    if not dense(terms):
        return False
    question = earlier.question(terms)
    return not earlier.search(question).hopeless


def enumerated_ask(terms: Terms, deadline: Deadline) -> SolverOutcome:
    """The solutions of the linear rows, one after the other."""
    # A second opinion takes nothing over from the first.
    fresh = Enumerations()
    question = fresh.question(terms)
    return _enumerated(question, deadline, fresh)


def _enumerated(
    question: LinearQuestion,
    deadline: Deadline,
    earlier: Enumerations,
    *,
    soon: bool = False,
) -> SolverOutcome:
    """What the solutions of the linear rows say; unknown where there are too many to
    look at all of them in time.
    """
    began = time.perf_counter()
    status, values = earlier.ask(question, deadline, soon)
    seconds = time.perf_counter() - began
    spent = ((enumeration.NAME, seconds),)
    reason = ""
    if status == "unknown":
        reason = "not all solutions of the equations were looked at in time"
    by = (enumeration.NAME,)
    if status == "unsat":
        by = PROOF
    outcome = SolverOutcome(status, values, reason, by, spent)
    return _evaluated(outcome, question.terms)


def _evaluated(outcome: SolverOutcome, terms: Terms) -> SolverOutcome:
    """An outcome whose values were evaluated in every term."""
    if outcome.status == "sat":
        for term in terms:
            # A sat is a claim with its proof: the proof is looked at.
            if not t.evaluate(term, outcome.values):
                name = outcome.by[0]
                raise Defect(f"{name} gave values that violate a constraint")
    return outcome


def _solved(terms: Terms, deadline: Deadline) -> SolverOutcome:
    """The answer of the solvers, one after the other."""
    if deadline.over:
        return SolverOutcome("unknown", reason="no time was left")
    outcome = _fewer("CP-SAT", cp_ask, terms, deadline)
    if outcome.status != "unknown":
        return outcome
    return _after(outcome, _fewer("Z3", z3_ask, terms, deadline))


def _fewer(
    name: str, solver: Callable[..., SolverOutcome], terms: Terms, *more: Any
) -> SolverOutcome:
    """What a solver says of the terms over fewer unknowns, with its time and the values
    of all of them.
    """
    fewer = merged(terms)
    outcome = _timed(name, solver, fewer.terms, *more)
    if outcome.status != "sat":
        return outcome
    # The lemma of ``merging``: sums are spread again before terms are evaluated.
    values = fewer.spread(outcome.values)
    outcome = replace(outcome, values=values)
    return _evaluated(outcome, terms)


def z3_ask(terms: Terms, deadline: Deadline) -> SolverOutcome:
    """Z3's answer: by its tactics where a sum has a part [term] * v, by its plain
    solver where none has.
    """
    answer = solve(script(terms), deadline, tactics=t.gated(terms))
    if answer.status != "sat":
        return SolverOutcome(answer.status, reason=answer.reason, by=("Z3",))
    asked = t.unknowns(terms)
    # What Z3 leaves out may be anything.
    values: dict[str, int] = {}
    for v in asked.variables.values():
        least = v.values[0] if v.values else v.low
        values[v.name] = answer.values.get(v.name, least)
    for name in asked.flags:
        values[name] = answer.values.get(name, 0)
    return SolverOutcome("sat", values, by=("Z3",))


def cvc5_ask(terms: Terms, deadline: Deadline) -> SolverOutcome:
    """cvc5's answer; unknown where it is not installed."""
    left = deadline.left()
    if not second.available() or deadline.over:
        return SolverOutcome(
            "unknown", reason="there is no second solver, or no time for it"
        )
    answer = second.second(script(terms), 60.0 if left is None else left)
    return SolverOutcome(answer.status, reason=answer.reason, by=("cvc5",))


Aim = Callable[[cpsat.CpBuilder], None]
"""What a model is to have more of."""


def cp_ask(
    terms: Terms, deadline: Deadline, aim: Aim | None = None, best: bool = False
) -> SolverOutcome:
    """CP-SAT's answer; unknown where it is not installed or cannot hold the numbers.

    With an ``aim`` the values are as good as were found in time; where ``best``, none
    are as good, or it is unknown.
    """
    built = cpsat.built(terms)
    if built is None:
        reason = "CP-SAT is not installed, or cannot hold the numbers"
        return SolverOutcome("unknown", reason=reason)
    if aim is not None:
        aim(built)
    status, solver = cpsat.run(built.model, deadline)
    # Feasible values are values all the same; only that none are better is open.
    if status == "optimal" or (status == "feasible" and not best):
        return SolverOutcome("sat", built.values(solver), by=("CP-SAT",))
    if status == "unsat":
        return SolverOutcome("unsat", by=("CP-SAT",))
    return SolverOutcome(
        "unknown", reason="CP-SAT did not finish in time", by=("CP-SAT",)
    )


def extreme(
    terms: Terms, variable: t.Variable, sign: int, deadline: Deadline
) -> SolverOutcome:
    """Values with the least (``sign`` 1) or greatest (-1) variable; unknown where
    CP-SAT does not know.
    """
    # A term that is always true keeps the variable out of every merged sum.
    alone = t.within(t.LinearSum(plain=((2, variable),)), None, 2 * variable.high - 1)
    every = [*terms, t.disj((alone, t.neg(alone)))]

    def aim(model: cpsat.CpBuilder) -> None:
        model.model.minimize(sign * model.variable(variable))

    outcome = _fewer("CP-SAT", cp_ask, every, deadline, aim, True)
    return replace(outcome, spent=())


def widest(
    terms: Terms,
    several: Terms,
    deadline: Deadline,
    earlier: Enumerations | None = None,
) -> SolverOutcome:
    """Values for which many of ``several``, one at least, are true; unknown where none
    is found in the time.

    Never unsat: that is a question for ``settled``.
    """
    any_of_them = t.disj(several)
    every = [*terms, any_of_them]
    earlier = earlier or Enumerations()
    question = None
    if dense(every):
        question = earlier.question(every)
    outcome = SolverOutcome("unknown")
    if question is not None:
        outcome = _enumerated(question, deadline, earlier, soon=True)
    in_vain = question is not None and earlier.vain(question)
    if outcome.status != "sat" and not in_vain:

        def aim(model: cpsat.CpBuilder) -> None:
            how_many = sum(map(model.literal, several))
            model.model.maximize(how_many)

        outcome = _fewer("CP-SAT", cp_ask, every, deadline, aim)
    if outcome.status != "sat":
        return replace(outcome, status="unknown")
    return outcome
