"""One rule, decided: ground, encode, solve, decode, replay."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from phverify.budget import Deadline
from phverify.constraints import terms as t
from phverify.constraints.smtlib import script
from phverify.constraints.solver import solve
from phverify.errors import BudgetExceeded, Defect
from phverify.exact import Bools, Ints
from phverify.result import Status
from phverify.spec import syntax as s
from phverify.spec.instances import Instance, TooLarge
from phverify.spec.models import ReleaseModel
from phverify.spec.nominals import mentioned
from phverify.spec.schemas import Substitution
from phverify.spec.walk import is_global, is_ground
from phverify.symbolic.instances import bindings, instances, said_name
from phverify.symbolic.question import Question, ask
from phverify.symbolic.release import Release
from phverify.verification.decode import Labels, Leak, chosen_path, decode
from phverify.verification.known import possible
from phverify.verification.replay import replay
from phverify.verification.result import Failing

EXAMPLES = 5
"""Formulas that are not known and of which it is asked, for an example, whether they
can be true.
"""


@dataclass(frozen=True, eq=False)
class Asked:
    """A question that the solver was asked, its text, and the status of the answer."""

    question: Question
    text: str
    status: str


@dataclass(frozen=True, eq=False)
class Doubt:
    """A formula that nobody can know: models in which it is false and, unless it is
    false in all, true.

    ``affirming`` is None as well where no such model was found in time.
    """

    formula: s.Formula
    denying: ReleaseModel | None
    affirming: ReleaseModel | None


@dataclass(frozen=True, eq=False)
class Decision:
    """The status of a rule with the leak that refutes it, or why it is undecided.

    ``failing`` says how many classes and rows break it.
    """

    status: Status
    leak: Leak | None = None
    failing: Failing | None = None
    reason: str = ""
    query: str = ""
    queries: int = 0
    model: ReleaseModel | None = None
    """The model in which the leak was confirmed."""
    doubts: tuple[Doubt, ...] = ()
    """Why formulas are not known, of each ``never_known`` that was asked the first."""
    asked: tuple[Asked, ...] = ()


@dataclass(frozen=True, eq=False)
class Assumptions:
    """Formulas that the adversary knows to be true, a placement in which they all are,
    and the question for it.
    """

    formulas: s.Formulas = ()
    place: Mapping[int, int] | None = None
    asked: Asked | None = None


@dataclass(eq=False)
class Decider:
    """Decides the rules of one release under one set of assumptions; ``keep`` so many
    questions of each.
    """

    release: Release
    assumptions: Assumptions
    deadline: Deadline
    queries: int = 0
    keep: int = 0
    asked: list[Asked] = field(default_factory=list)

    def decide(self, formula: s.Formula) -> Decision:
        """Whether the formula is valid in the release."""
        self.asked = []
        decision = self._decide(formula)
        return replace(decision, asked=tuple(self.asked)) if self.asked else decision

    def _decide(self, formula: s.Formula) -> Decision:
        self.queries, open_question = 0, Decision("undecided")
        doubts: tuple[Doubt, ...] = ()
        left = instances(formula, self.release.signature)
        try:
            for instance in left:
                self.deadline.check()
                found = (
                    self._known(instance)
                    or self._settled(instance)
                    or self._asked(instance)
                )
                doubts += found.doubts
                if found.status == "refuted":
                    shown = self._confirmed(found)
                    return replace(shown, failing=self._failing(shown, instance, left))
                open_question = found if found.status == "undecided" else open_question
        except (BudgetExceeded, TooLarge) as error:
            reason = f"{error} while writing out the question"
            return Decision("undecided", reason=reason, queries=self.queries)
        if open_question.reason:
            return replace(open_question, queries=self.queries)
        return replace(self._nothing_left(), doubts=doubts)

    def _known(self, instance: Instance) -> Decision | None:
        """``never_known(phi)``: for everyone whom it is about, a model in which phi is
        false; None for other rules.
        """
        if not isinstance(instance.body, s.NeverKnown):
            return None
        doubts: tuple[Doubt, ...] = ()
        tried = 0
        for chosen in self._candidates(instance):
            phi = s.substitute(instance.body.body, chosen)
            denied = self._valid(phi)
            if denied.status == "proved":
                return self._inferred(instance, phi, chosen)
            if denied.status == "undecided":
                return denied
            if tried < EXAMPLES and not (doubts and doubts[0].affirming):
                tried += 1
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
        decider = Decider(
            self.release,
            self.assumptions,
            self.deadline,
            keep=self.keep - len(self.asked),
        )
        decision = decider.decide(formula)
        self.queries += decision.queries
        self.asked += decision.asked
        return decision

    def _inferred(
        self, instance: Instance, phi: s.Formula, chosen: Substitution
    ) -> Decision:
        """The formula is known: the model shown is one of those that are left, and it
        is true in all of them.
        """
        unplaced = mentioned([phi])[0] - {
            self.release.signature.person(i) for i in self._placed
        }
        place = dict(self._placed)
        for person in sorted(unplaced, key=lambda person: person.index):
            rows = self.release.rows_of_class(self.release.class_of(person)).tolist()
            place[person.index] = next(row for row in rows if row not in place.values())
        people = {
            name: value.index + 1
            for name, value in chosen.items()
            if isinstance(value, s.Person)
        }
        clauses = {
            name: _values(value)
            for name, value in chosen.items()
            if isinstance(value, s.Formula)
        }
        called = self.release.signature.called
        said = {
            said_name(n): called(value)
            for n, value in chosen.items()
            if isinstance(value, s.Person)
        }
        path = chosen_path(instance.path, {**people, **clauses})
        leak = Leak(s.NeverKnown(phi), place, 0, {**bindings(instance), **said}, path)
        return Decision("refuted", leak)

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
        if failing is None:
            if not first.people and not first.path:
                return None
            assert shown.leak is not None
            failing = np.arange(self.release.quotient.classes) == self.release.class_at(
                shown.leak.world
            )
        try:
            for instance in rest:
                self.deadline.check()
                more = self._breaking(instance)
                exact = exact and more is not None
                failing = failing if more is None else failing | more
        except (BudgetExceeded, TooLarge):
            exact = False
        rows = int(self.release.quotient.sizes[failing].sum())
        where = tuple(np.flatnonzero(failing).tolist())
        return Failing(len(where), rows, exact, where)

    def _breaking(self, instance: Instance) -> Bools | None:
        """The classes in which grounding alone shows that an instance fails; None where
        it does not settle it.
        """
        if (found := _grounded(instance.body)) is None:
            return None
        name, body = found
        q = self.release.quotient
        failing: Bools = np.logical_or.reduceat(
            ~self.release.ground.truth(body), q.starts[:-1]
        )
        if isinstance(name, s.Person):
            failing &= np.arange(q.classes) == self.release.class_of(name)
        return None if name and failing.any() and self.assumptions.formulas else failing

    def _nothing_left(self) -> Decision:
        """Every instance is valid.  Where grounding settled all of them, the solver is
        asked what is left: false.
        """
        if self.queries == 0 and self._status(script([t.FALSE])) != "unsat":
            raise Defect("the solver finds a model of false")
        return Decision("proved", queries=self.queries)

    def _status(self, text: str) -> str:
        self.queries += 1
        return solve(text).status

    def _confirmed(self, found: Decision) -> Decision:
        assert found.leak is not None
        leak, model = replay(found.leak, self.assumptions.formulas, self.release)
        if self.queries == 0 and self._status(script([t.TRUE])) != "sat":
            raise Defect("the solver finds no model of true")
        return replace(found, leak=leak, queries=self.queries, model=model)

    def _settled(self, instance: Instance) -> Decision | None:
        """What grounding alone settles: formulas without individuals, and ``@i`` before
        one.

        Anyone can be on any row of the own class, unless assumptions say more.
        """
        if (found := _grounded(instance.body)) is None:
            return None
        name, body = found
        ground = self.release.ground
        home = [self.release.class_of(name)] if isinstance(name, s.Person) else None
        view = ground.everything if home is None else ground.some(np.array(home))
        truth = ground.truth(body, view)
        if truth.all():
            return Decision("proved")
        if name and self.assumptions.formulas:
            return None
        row = self._worst(s.TRUE if name else body, view.cells[~truth])
        said, chosen, place = (
            bindings(instance),
            dict[str, int | Labels](),
            self._placed,
        )
        if name:
            person = name if isinstance(name, s.Person) else self.release.someone(row)
            body, place = s.At(person, body), {person.index: row}
            if isinstance(name, s.Var):
                said[name.name], chosen[name.name] = (
                    self.release.signature.called(person),
                    person.index + 1,
                )
        return Decision(
            "refuted", Leak(body, place, row, said, chosen_path(instance.path, chosen))
        )

    def _worst(self, body: s.Formula, cells: Ints) -> int:
        """A row of these cells, where a formula is false: in the worst class for a
        criterion, else in the smallest.
        """
        q = self.release.quotient
        badness = -q.sizes
        if isinstance(body, s.Criterion):
            criterion = self.release.criteria[body]
            badness = criterion.badness(
                self.release.ground.histogram(criterion.attribute)
            )
        classes = q.class_of_cell[cells]
        k = int(np.argmax(badness[classes]))
        return self.release.first_row(int(cells[k]))

    def _asked(self, instance: Instance) -> Decision:
        """What is left goes to the solver."""
        question = ask(instance, self._joined(instance), self.release, self.deadline)
        text = question.text(
            "satisfiable iff the rule is false in some model at some world"
        )
        self.queries += 1
        answer = solve(text, self.deadline)
        if len(self.asked) < self.keep:
            self.asked.append(Asked(question, text, answer.status))
        if answer.status == "unsat":
            return Decision("proved")
        if answer.status == "unknown":
            return Decision("undecided", reason=answer.reason, query=text)
        leak = decode(question, self.release, answer.values)
        leak = replace(leak, place={**self._others(leak), **leak.place})
        return Decision("refuted", leak)

    def _joined(self, instance: Instance) -> s.Formulas:
        """The assumptions that can bear on an instance: all, or those about classes it
        reaches.

        A formula's truth depends on where the individuals are that it names; placements
        in different classes are independent, and all assumptions together can be met.
        """
        if instance.people or not self.assumptions.formulas:
            return self.assumptions.formulas
        reached = self._classes(instance.body)
        left = {f: self._classes(f) for f in self.assumptions.formulas}
        chosen: list[s.Formula] = []
        while near := [f for f, classes in left.items() if classes & reached]:
            for formula in near:
                reached |= left.pop(formula)
                chosen.append(formula)
        return tuple(chosen)

    def _classes(self, formula: s.Formula) -> set[int]:
        """The classes of the individuals that a formula names."""
        return {self.release.class_of(person) for person in mentioned([formula])[0]}

    def _others(self, leak: Leak) -> dict[int, int]:
        """The placement behind the assumptions, in classes that the leak does not
        touch.
        """
        homes = {
            i: self.release.class_of(self.release.signature.person(i))
            for i in (*self._placed, *leak.place)
        }
        touched = {homes[i] for i in leak.place}
        return {i: row for i, row in self._placed.items() if homes[i] not in touched}

    @property
    def _placed(self) -> Mapping[int, int]:
        return self.assumptions.place or {}


def _grounded(body: s.Formula) -> tuple[s.Person | s.Var | None, s.Formula] | None:
    """A ground formula, and who it is said of: nobody, or someone by ``@i``; None for
    any other formula.
    """
    if is_ground(body):
        return None, body
    if (
        isinstance(body, s.At)
        and isinstance(body.name, s.Person | s.Var)
        and is_ground(body.body)
    ):
        return body.name, body.body
    return None


def _values(clause: s.Formula) -> tuple[str | None, ...]:
    """The values of a clause."""
    return tuple(s.texts(clause)) if isinstance(clause, s.Descriptor) else ()


def meet(
    formulas: s.Formulas, release: Release, deadline: Deadline
) -> Assumptions | None:
    """The assumptions with a placement that meets all of them; None when they
    contradict each other.
    """
    if not formulas:
        return Assumptions()
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
    replay(leak, formulas, release)
    return Assumptions(formulas, leak.place, Asked(question, text, answer.status))


def conflict(
    formulas: Mapping[str, s.Formula], release: Release, deadline: Deadline
) -> list[str]:
    """The names of assumptions that contradict each other, none of which can be left
    out.
    """
    names = list(formulas)
    for name in list(names):
        rest = [other for other in names if other != name]
        if meet(tuple(formulas[other] for other in rest), release, deadline) is None:
            names = rest
    return names
