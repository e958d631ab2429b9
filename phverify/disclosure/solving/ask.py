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
from phverify.disclosure.solving.merging import merged
from phverify.disclosure.solving.question import Question, dense
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
class Outcome:
    """``status`` is sat (with ``values``), unsat or unknown (with the reason); ``by``
    says who found out.

    ``spent`` are the seconds of each solver that was asked.
    """

    status: str
    values: t.Assignment = field(default_factory=dict)
    reason: str = ""
    by: tuple[str, ...] = ()
    spent: tuple[tuple[str, float], ...] = ()


def ask(terms: Terms, deadline: Deadline, kept: Enumerations | None = None) -> Outcome:
    """The first solver's answer: CP-SAT, or Z3 where CP-SAT is not installed, cannot
    hold the numbers, or gives up.

    What is promising is enumerated; ``kept`` are enumerations of earlier questions,
    which go on here.
    """
    if any(term is t.FALSE for term in terms):
        return Outcome("unsat", by=DOMAINS)
    if not dense(terms):
        return _solved(terms, deadline)
    kept = kept or Enumerations()
    question = kept.question(terms)
    found = _enumerated(question, deadline, kept, soon=True)
    if found.status == "unknown" and not kept.vain(question):
        left, alone = deadline.left(), kept.search(question).hopeless
        found = _after(
            found,
            _solved(
                terms, deadline if left is None or alone else Deadline(left / SHARE)
            ),
        )
        if found.status == "unknown" and not alone:
            kept.in_vain.add(question.key)
    return (
        _after(found, _enumerated(question, deadline, kept))
        if found.status == "unknown"
        else found
    )


def _after(first: Outcome, then: Outcome) -> Outcome:
    """The later outcome, with the time of both."""
    return replace(then, spent=(*first.spent, *then.spent))


def settled(
    terms: Terms, deadline: Deadline, kept: Enumerations | None = None
) -> Outcome:
    """As ``ask``, and unsat only when a second solver says so too; raises Defect when
    two solvers contradict.
    """
    found = ask(terms, deadline, kept)
    return confirmed(found, terms, deadline) if found.status == "unsat" else found


def confirmed(found: Outcome, terms: Terms, deadline: Deadline) -> Outcome:
    """An unsat of ``ask`` after a second solver was asked: unsat, or unknown.  Raises
    Defect as ``settled`` does.
    """
    if found.by in (DOMAINS, PROOF):
        return found
    terms = merged(terms).terms
    for other in (z3_ask, enumerated_ask, cvc5_ask):
        if found.by == ("Z3",) and other is z3_ask:
            continue
        again = _timed(SECOND, other, terms, deadline)
        if again.status == "sat":
            raise Defect(f"{found.by[0]} says unsat and {again.by[0]} says sat")
        found = replace(found, spent=(*found.spent, *again.spent))
        if again.status == "unsat":
            return replace(found, by=(*found.by, *again.by))
    reason = (
        f"{found.by[0]} says that it follows, and no second solver confirmed it in time"
    )
    return replace(found, status="unknown", reason=reason)


def _timed(stage: str, solver: Callable[..., Outcome], *asked: Any) -> Outcome:
    """What a solver says, with its time."""
    began = time.perf_counter()
    return replace(solver(*asked), spent=((stage, time.perf_counter() - began),))


def together(terms: Terms, kept: Enumerations) -> bool:
    """Whether it is better to ask for any of several conditions at once than for one
    after the other.
    """
    return dense(terms) and not kept.search(kept.question(terms)).hopeless


def enumerated_ask(terms: Terms, deadline: Deadline) -> Outcome:
    """The solutions of the linear rows, one after the other."""
    kept = Enumerations()
    return _enumerated(kept.question(terms), deadline, kept)


def _enumerated(
    question: Question, deadline: Deadline, kept: Enumerations, *, soon: bool = False
) -> Outcome:
    """What the solutions of the linear rows say; unknown where there are too many to
    look at all of them in time.
    """
    began = time.perf_counter()
    status, values = kept.ask(question, deadline, soon)
    spent = ((enumeration.NAME, time.perf_counter() - began),)
    reason = (
        "not all solutions of the equations were looked at in time"
        if status == "unknown"
        else ""
    )
    by = PROOF if status == "unsat" else (enumeration.NAME,)
    return _evaluated(Outcome(status, values, reason, by, spent), question.terms)


def _evaluated(found: Outcome, terms: Terms) -> Outcome:
    """An outcome whose values were evaluated in every term."""
    if found.status == "sat" and not all(
        t.evaluate(term, found.values) for term in terms
    ):
        raise Defect(f"{found.by[0]} gave values that violate a constraint")
    return found


def _solved(terms: Terms, deadline: Deadline) -> Outcome:
    """The answer of the solvers, one after the other."""
    if deadline.over:
        return Outcome("unknown", reason="no time was left")
    found = _fewer("CP-SAT", cp_ask, terms, deadline)
    if found.status != "unknown":
        return found
    return _after(found, _fewer("Z3", z3_ask, terms, deadline))


def _fewer(
    name: str, solver: Callable[..., Outcome], terms: Terms, *more: Any
) -> Outcome:
    """What a solver says of the terms over fewer unknowns, with its time and the values
    of all of them.
    """
    fewer = merged(terms)
    found = _timed(name, solver, fewer.terms, *more)
    if found.status != "sat":
        return found
    return _evaluated(replace(found, values=fewer.spread(found.values)), terms)


def z3_ask(terms: Terms, deadline: Deadline) -> Outcome:
    """Z3's answer: by its tactics where a sum has a part [term] * v, by its plain
    solver where none has.
    """
    found = solve(script(terms), deadline, tactics=t.gated(terms))
    if found.status != "sat":
        return Outcome(found.status, reason=found.reason, by=("Z3",))
    asked = t.unknowns(terms)
    values = {
        v.name: found.values.get(v.name, v.values[0] if v.values else v.low)
        for v in asked.variables.values()
    }
    return Outcome(
        "sat",
        values | {name: found.values.get(name, 0) for name in asked.flags},
        by=("Z3",),
    )


def cvc5_ask(terms: Terms, deadline: Deadline) -> Outcome:
    left = deadline.left()
    if not second.available() or deadline.over:
        return Outcome("unknown", reason="there is no second solver, or no time for it")
    found = second.second(script(terms), 60.0 if left is None else left)
    return Outcome(found.status, reason=found.reason, by=("cvc5",))


Aim = Callable[[cpsat.CpBuilder], None]
"""What a model is to have more of."""


def cp_ask(
    terms: Terms, deadline: Deadline, aim: Aim | None = None, best: bool = False
) -> Outcome:
    """CP-SAT's answer; unknown where it is not installed or cannot hold the numbers.

    With an ``aim`` the values are as good as were found in time; where ``best``, none
    are as good, or it is unknown.
    """
    built = cpsat.built(terms)
    if built is None:
        return Outcome(
            "unknown", reason="CP-SAT is not installed, or cannot hold the numbers"
        )
    if aim is not None:
        aim(built)
    status, solver = cpsat.run(built.model, deadline)
    if status == "optimal" or (status == "feasible" and not best):
        return Outcome("sat", built.values(solver), by=("CP-SAT",))
    if status == "unsat":
        return Outcome("unsat", by=("CP-SAT",))
    return Outcome("unknown", reason="CP-SAT did not finish in time", by=("CP-SAT",))


def extreme(
    terms: Terms, variable: t.Variable, sign: int, deadline: Deadline
) -> Outcome:
    """Values with the least (``sign`` 1) or greatest (-1) variable; unknown where
    CP-SAT does not know.
    """
    alone = t.within(
        t.LinearSum(plain=((2, variable),)), None, 2 * variable.high - 1
    )  # keeps it out of every sum
    every = [*terms, t.disj((alone, t.neg(alone)))]
    found = _fewer(
        "CP-SAT",
        cp_ask,
        every,
        deadline,
        lambda b: b.model.minimize(sign * b.variable(variable)),
        True,
    )
    return replace(found, spent=())


def widest(
    terms: Terms, several: Terms, deadline: Deadline, kept: Enumerations | None = None
) -> Outcome:
    """Values for which many of ``several``, one at least, are true; unknown where none
    is found in the time.

    Never unsat: that is a question for ``settled``.
    """
    every = [*terms, t.disj(several)]
    kept = kept or Enumerations()
    question = kept.question(every) if dense(every) else None
    found = (
        _enumerated(question, deadline, kept, soon=True)
        if question
        else Outcome("unknown")
    )
    if found.status != "sat" and not (question and kept.vain(question)):
        found = _fewer(
            "CP-SAT",
            cp_ask,
            every,
            deadline,
            lambda b: b.model.maximize(sum(map(b.literal, several))),
        )
    return found if found.status == "sat" else replace(found, status="unknown")
