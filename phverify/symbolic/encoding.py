"""One instance as one question to the solver: is there a model and a world where it is
false?
"""

from __future__ import annotations

from dataclasses import dataclass, field

from phverify.budget import Deadline
from phverify.constraints import terms as t
from phverify.constraints.smtlib import script
from phverify.spec import syntax as s
from phverify.spec.instances import Instance
from phverify.spec.question import Case, question
from phverify.spec.schemas import apart
from phverify.spec.system import FALSE, TRUE, Literal, Terms
from phverify.spec.universe import Scope, Universe
from phverify.symbolic.instances import write_inner
from phverify.symbolic.release import SymbolicRelease
from phverify.symbolic.universe import universe


@dataclass(frozen=True, eq=False)
class ReleaseQuestion:
    """The constraints that every placement obeys, and the cases of which one must hold,
    each with what it is.
    """

    instance: Instance
    scope: Scope
    universe: Universe
    constraints: tuple[t.Term, ...]
    cases: tuple[tuple[t.Term, Case], ...]

    def text(self, title: str) -> str:
        """The question as SMT-LIB: unsatisfiable iff the instance is valid."""
        return script(
            [*self.constraints, t.disj(term for term, _ in self.cases)], title
        )


def ask(
    instance: Instance,
    assumptions: s.Formulas,
    release: SymbolicRelease,
    deadline: Deadline,
) -> ReleaseQuestion:
    """Encode the negation of an instance under assumptions."""
    signature = release.signature
    given = [write_inner(apart(a), signature) for a in assumptions]
    found = question(
        instance,
        given,
        signature,
        lambda scope: universe(release, scope),
        deadline.check,
    )
    said = Translation(found.terms)
    constraints = tuple(
        said.term(literal) for literal in found.asserted if literal != TRUE
    )
    cases: list[tuple[t.Term, Case]] = []
    for case in found.cases:
        term = t.conj(map(said.term, case.literals))
        cases += [(term, case)] if term is not t.FALSE else []
        if term is t.TRUE:  # it holds in every model: no further one is needed
            break
    return ReleaseQuestion(
        instance, found.scope, found.universe, constraints, tuple(cases)
    )


@dataclass(eq=False)
class Translation:
    """Terms over 0/1 unknowns in the language of constraints."""

    terms: Terms
    known: dict[Literal, t.Term] = field(
        default_factory=lambda: {TRUE: t.TRUE, FALSE: t.FALSE}
    )

    def term(self, literal: Literal) -> t.Term:
        if literal not in self.known:
            self.known[literal] = self._term(literal)
        return self.known[literal]

    def _term(self, literal: Literal) -> t.Term:
        body = self.terms.definitions.get(abs(literal))
        if isinstance(body, tuple):
            return (
                t.conj(map(self.term, body))
                if literal > 0
                else t.disj(self.term(-part) for part in body)
            )
        if literal < 0:
            return t.neg(self.term(-literal))
        if body is None:
            return t.Unknown(self.terms.names[literal])
        return t.at_least(
            t.count(((c, self.term(v)) for v, c in body.parts.items()), body.constant)
        )
