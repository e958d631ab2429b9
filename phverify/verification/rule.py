"""One rule, decided: ground, encode, solve, decode, replay."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from phverify.budget import Deadline
from phverify.constraints import terms as t
from phverify.constraints.smtlib import script
from phverify.constraints.solver import solve
from phverify.errors import BudgetExceeded, Defect
from phverify.exact import Bools
from phverify.spec import syntax as s
from phverify.spec.instances import Instance, TooLarge
from phverify.spec.schemas import Substitution
from phverify.spec.walk import is_global
from phverify.symbolic.encoding import ask
from phverify.symbolic.instances import instances
from phverify.symbolic.release import SymbolicRelease
from phverify.verification.assumptions import Assumptions
from phverify.verification.counting import RuleCounting
from phverify.verification.decision import AskedQuestion, Decision, Doubt
from phverify.verification.decode import decode
from phverify.verification.known import leak_of_known, possible
from phverify.verification.replay import replay
from phverify.verification.result import Failing

EXAMPLES = 5
"""Formulas that are not known and of which it is asked, for an example, whether they
can be true.
"""


@dataclass(eq=False)
class Decider:
    """Decides the rules of one release under one set of assumptions.

    ``keep`` questions of each rule at most are kept, in ``asked``; ``queries`` counts
    how often the solver was asked.
    """

    release: SymbolicRelease
    assumptions: Assumptions
    deadline: Deadline
    queries: int = 0
    keep: int = 0
    asked: list[AskedQuestion] = field(default_factory=list)

    def decide(self, formula: s.Formula) -> Decision:
        """Whether the formula is valid in the release."""
        self.asked = []
        decision = self._decide(formula)
        if not self.asked:
            return decision
        return replace(decision, asked=tuple(self.asked))

    def _decide(self, formula: s.Formula) -> Decision:
        self.queries = 0
        undecided = Decision("undecided")
        doubts: tuple[Doubt, ...] = ()
        # One iterator for both: what counts failing classes goes on where this stops.
        rest = instances(formula, self.release.signature)
        try:
            for instance in rest:
                self.deadline.check()
                decision = self._instance(instance)
                doubts += decision.doubts
                if decision.status == "refuted":
                    shown = self._confirmed(decision)
                    failing = self._failing(shown, instance, rest)
                    return replace(shown, failing=failing)
                if decision.status == "undecided":
                    # A later instance may still refute the rule.
                    undecided = decision
        except (BudgetExceeded, TooLarge) as error:
            reason = f"{error} while writing out the question"
            return Decision("undecided", reason=reason, queries=self.queries)
        if undecided.reason:
            return replace(undecided, queries=self.queries)
        return replace(self._nothing_left(), doubts=doubts)

    def _instance(self, instance: Instance) -> Decision:
        """The decision on one instance: by what is known, by counting, or by asking."""
        body = instance.body
        if isinstance(body, s.NeverKnown):
            return self._never_known(instance, body)
        counted = self._settled(instance)
        if counted is not None:
            return counted
        return self._asked(instance)

    def _never_known(self, instance: Instance, body: s.NeverKnown) -> Decision:
        """``never_known(phi)``: for everyone whom it is about, a model in which phi is
        false.
        """
        doubts: tuple[Doubt, ...] = ()
        tried = 0
        for chosen in self._candidates(instance):
            phi = s.substitute(body.body, chosen)
            denied = self._valid(phi)
            # True in every model that satisfies the assumptions: that is being known.
            if denied.status == "proved":
                placed = self.assumptions.placed
                leak = leak_of_known(instance, phi, chosen, placed, self.release)
                return Decision("refuted", leak)
            if denied.status == "undecided":
                return denied

            # examples are for the reader: the verdict does not rest on them
            example_found = bool(doubts and doubts[0].affirming)
            if tried < EXAMPLES and not example_found:
                tried += 1
                # a0 tells no rows apart: with its box, phi is said of all of them.
                everywhere = phi if is_global(phi) else s.Box("a0", phi)
                affirmed = self._valid(s.Not(everywhere))
                doubts = (Doubt(phi, denied.model, affirmed.model),)
        return Decision("proved", doubts=doubts)

    def _candidates(self, instance: Instance) -> Iterator[Substitution]:
        """Whom ``never_known`` asks about."""
        return possible(instance, self.release, self.assumptions.formulas)

    def _valid(self, formula: s.Formula) -> Decision:
        """Whether a formula is true in every model that satisfies the assumptions."""
        self.deadline.check()
        room = self.keep - len(self.asked)
        # A decider of its own: this one's questions are not forgotten.
        decider = Decider(self.release, self.assumptions, self.deadline, keep=room)
        decision = decider.decide(formula)
        self.queries += decision.queries
        self.asked += decision.asked
        return decision

    def _failing(
        self, shown: Decision, first: Instance, rest: Iterator[Instance]
    ) -> Failing | None:
        """How many classes break the rule, in this instance or in a later one; the
        earlier ones fail nowhere.

        Where counting does not tell for all of them, it is "at least" so many: the
        class of the leak is one.  None for a rule that is a single question, which the
        leak answers.
        """
        failing = self._breaking(first)
        exact = failing is not None
        quotient = self.release.quotient
        if failing is None:
            if not first.people and not first.path:
                return None
            assert shown.leak is not None
            own = self.release.class_at(shown.leak.world)
            failing = np.arange(quotient.classes) == own
        try:
            for instance in rest:
                self.deadline.check()
                more = self._breaking(instance)
                if more is None:
                    exact = False
                else:
                    failing = failing | more
        except (BudgetExceeded, TooLarge):
            exact = False
        rows = int(quotient.sizes[failing].sum())
        where = tuple(np.flatnonzero(failing).tolist())
        return Failing(len(where), rows, exact, where)

    def _breaking(self, instance: Instance) -> Bools | None:
        """The classes in which counting alone shows that an instance fails."""
        return RuleCounting(self.release, self.assumptions).breaking(instance)

    def _settled(self, instance: Instance) -> Decision | None:
        """The decision on an instance that counting settles; None for others."""
        return RuleCounting(self.release, self.assumptions).settled(instance)

    def _nothing_left(self) -> Decision:
        """Every instance is valid.  Where counting settled all of them, the solver is
        asked what is left: false.
        """
        if self.queries == 0:
            self.queries += 1
            _answers(t.FALSE, "unsat")
        return Decision("proved", queries=self.queries)

    def _confirmed(self, decision: Decision) -> Decision:
        """A refutation whose leak was replayed.  Raises Defect when it is none."""
        assert decision.leak is not None
        leak, model = replay(decision.leak, self.assumptions.formulas, self.release)
        # settled by counting: what is left to ask is true
        if self.queries == 0:
            self.queries += 1
            _answers(t.TRUE, "sat")
        return replace(decision, leak=leak, queries=self.queries, model=model)

    def _asked(self, instance: Instance) -> Decision:
        """What is left goes to the solver."""
        assumed = self.assumptions.formulas
        # a variable may stand for anybody: without one, other classes have no say
        if not instance.people:
            assumed = self.assumptions.bearing_on(instance.body, self.release)
        question = ask(instance, assumed, self.release, self.deadline)
        title = "satisfiable iff the rule is false in some model at some world"
        text = question.text(title)
        self.queries += 1
        answer = solve(text, self.deadline)
        if len(self.asked) < self.keep:
            self.asked.append(AskedQuestion(question, text, answer.status))
        if answer.status == "unsat":
            return Decision("proved")
        if answer.status == "unknown":
            return Decision("undecided", reason=answer.reason, query=text)

        leak = decode(question, self.release, answer.values)
        elsewhere = self.assumptions.placed_elsewhere(leak, self.release)
        # Assumptions about other classes were left out: they are met there as well.
        return Decision("refuted", replace(leak, place={**elsewhere, **leak.place}))


@cache
def _answers(constant: t.Term, status: str) -> None:
    """A verdict by counting passes through the solver, as all others do: it is asked of
    true and false once, as they are about no release.  Raises Defect.
    """
    found = solve(script([constant])).status
    if found != status:
        raise Defect(f"the solver says {found} of what is {status}")
