"""Rules decided by the full encoding, and the leaks behind its models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from phverify.budget import Deadline
from phverify.constraints.solver import SolverAnswer, solve
from phverify.errors import BudgetExceeded
from phverify.logic.printer import to_text
from phverify.spec import syntax as s
from phverify.spec.instances import Instance, TooLarge
from phverify.spec.safety import asks_all_models
from phverify.spec.schemas import Substitution, assignments
from phverify.symbolic.instances import binders, stated
from phverify.symbolic.release import SymbolicRelease
from phverify.verification.assumptions import Assumptions
from phverify.verification.decision import Decision
from phverify.verification.decode import Leak
from phverify.verification.full_encoding import FullQuestion, clause, full_question
from phverify.verification.replay import replay
from phverify.verification.rule import Decider


def decide_full(
    formula: s.Formula,
    release: SymbolicRelease,
    assumptions: Assumptions,
    deadline: Deadline,
    comments: bool = True,
) -> Decision:
    """Decide a rule by the full encoding.  Without ``comments`` the text holds no value
    of the data.
    """
    # One question is about one model; never_known is about all of them.
    if asks_all_models(formula):
        return FullDecider(release, assumptions, deadline).decide(formula)
    try:
        question = full_question(
            formula, assumptions.formulas, release, deadline, comments
        )
    except (BudgetExceeded, TooLarge) as error:
        return Decision("undecided", reason=f"{error} while writing out the question")
    answer = solve(question.text, deadline)
    if answer.status == "unsat":
        return Decision("proved", queries=1)
    if answer.status == "unknown":
        return Decision(
            "undecided", reason=answer.reason, query=question.text, queries=1
        )
    leak, model = replay(
        _decode(question, release, answer), assumptions.formulas, release
    )
    return Decision("refuted", leak, queries=1, model=model)


class FullDecider(Decider):
    """Decides rules with ``never_known`` by the full encoding: individual by
    individual, clause by clause.
    """

    def _candidates(self, instance: Instance) -> Iterator[Substitution]:
        """Everyone and every clause: no lemma narrows them."""
        every = binders(instance)
        return assignments(every, self.release.signature)

    def _settled(self, instance: Instance) -> None:
        return None

    def _asked(self, instance: Instance) -> Decision:
        formula = stated(instance)
        return self._valid(formula)

    def _breaking(self, instance: Instance) -> None:
        return None

    def _valid(self, formula: s.Formula) -> Decision:
        decision = decide_full(formula, self.release, self.assumptions, self.deadline)
        self.queries += decision.queries
        return decision


def _decode(
    question: FullQuestion, release: SymbolicRelease, answer: SolverAnswer
) -> Leak:
    """The leak behind a model of the full encoding."""
    values = answer.values
    # the question may have lost somebody on whom nothing depends: at home, then
    place = {
        p.index: values.get(f"at_i{p.index + 1}", release.home_of(p.index))
        for p in question.people
    }
    chosen: dict[str, s.Reference | s.Operand | str | s.Formula] = {}
    for binder in question.binders:
        chosen[binder.var.name] = _choice(binder, release, values, place)
    said = {name: in_words(value) for name, value in chosen.items()}
    return Leak(
        s.substitute(question.body, chosen), place, values.get("world", 0), said
    )


def _choice(
    binder: s.Binder,
    release: SymbolicRelease,
    values: Mapping[str, int],
    place: dict[int, int],
) -> s.Reference | s.Operand | s.Formula:
    name = binder.var.name
    if binder.sort == "individuals":
        row = values.get(f"var_{name}", 0)
        # a variable's unknown is a row: it stands for whoever is there
        taken = {r: i for i, r in place.items()}
        if row not in taken:
            person = release.someone(row, place)
            place[person.index] = row
            taken[row] = person.index
        return release.signature.person(taken[row])
    labels = release.columns[binder.attribute].labels
    if binder.sort == "values":
        return s.Value(labels[values.get(f"pick_{name}", 0)])
    return s.among(
        binder.attribute,
        tuple(v for k, v in enumerate(labels) if values.get(clause(name, k), 0)),
    )


def in_words(value: object) -> str:
    """A chosen value in words."""
    if isinstance(value, s.Person):
        return value.text
    if isinstance(value, s.Formula):
        return to_text(value)
    return str(getattr(value, "text", value))
