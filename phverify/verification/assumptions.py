"""What the adversary knows beside the release: can all of it be true together?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from phverify.budget import Deadline
from phverify.constraints.solver import solve
from phverify.errors import BudgetExceeded
from phverify.spec import syntax as s
from phverify.spec.instances import Instance
from phverify.spec.nominals import mentioned
from phverify.symbolic.encoding import ask
from phverify.symbolic.release import SymbolicRelease
from phverify.verification.decision import AskedQuestion
from phverify.verification.decode import Leak, decode
from phverify.verification.replay import replay


@dataclass(frozen=True, eq=False)
class Assumptions:
    """Formulas that the adversary knows to be true.

    ``placed`` is a placement (individuals and rows, from 0) in which they all are, and
    ``asked`` the question that found it.
    """

    formulas: s.Formulas = ()
    placed: Mapping[int, int] = field(default_factory=dict)
    asked: AskedQuestion | None = None

    def bearing_on(self, formula: s.Formula, release: SymbolicRelease) -> s.Formulas:
        """The assumptions about classes that a formula reaches.

        A formula's truth depends on where the individuals are that it names; placements
        in different classes are independent, and all assumptions together can be met.
        """
        if not self.formulas:
            return ()
        reached = _classes(formula, release)
        waiting = {other: _classes(other, release) for other in self.formulas}
        chosen: list[s.Formula] = []
        # Reach is transitive: an assumption over two classes ties them together.
        while True:
            near = [f for f, classes in waiting.items() if classes & reached]
            if not near:
                return tuple(chosen)
            for other in near:
                reached |= waiting.pop(other)
                chosen.append(other)

    def placed_elsewhere(self, leak: Leak, release: SymbolicRelease) -> dict[int, int]:
        """The placement behind the assumptions, in classes that a leak does not
        touch.
        """
        touched = {_class_of(i, release) for i in leak.place}
        return {
            i: row
            for i, row in self.placed.items()
            if _class_of(i, release) not in touched
        }


def _classes(formula: s.Formula, release: SymbolicRelease) -> set[int]:
    """The classes of the individuals that a formula names."""
    people, _ = mentioned([formula])
    return {release.class_of(person) for person in people}


def _class_of(individual: int, release: SymbolicRelease) -> int:
    return release.class_of(release.signature.person(individual))


def meet(
    formulas: s.Formulas, release: SymbolicRelease, deadline: Deadline
) -> Assumptions | None:
    """The assumptions with a placement that meets all of them; None when they
    contradict each other.

    Raises BudgetExceeded where this is not settled in time.
    """
    if not formulas:
        return Assumptions()
    # False fails in every model: what is left to meet are the assumptions.
    question = ask(Instance(s.FALSE), formulas, release, deadline)
    text = question.text("satisfiable iff the assumptions can be met together")
    answer = solve(text, deadline)
    if answer.status == "unsat":
        return None
    if answer.status == "unknown":
        raise BudgetExceeded(
            f"whether the assumptions can be met is undecided: {answer.reason}"
        )
    leak = decode(question, release, answer.values)
    # From assumptions that contradict each other every rule would follow.
    replay(leak, formulas, release)
    asked = AskedQuestion(question, text, answer.status)
    return Assumptions(formulas, leak.place, asked)


def conflict(
    formulas: Mapping[str, s.Formula], release: SymbolicRelease, deadline: Deadline
) -> list[str]:
    """The names of assumptions that contradict each other, none of which can be left
    out.
    """
    names = list(formulas)
    # Once round is enough: what a larger contradiction needs, each smaller one needs.
    for name in list(names):
        others = [other for other in names if other != name]
        rest = tuple(formulas[other] for other in others)
        met = meet(rest, release, deadline)
        if met is None:  # the contradiction does not need this one
            names = others
    return names
