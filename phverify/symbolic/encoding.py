"""One instance as one question to the solver: is there a model and a world where it is
false?
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from phverify.budget import Deadline
from phverify.constraints import terms as t
from phverify.constraints.smtlib import script
from phverify.spec import syntax as s
from phverify.spec.instances import Instance
from phverify.spec.parities import Chains
from phverify.spec.question import Case, question
from phverify.spec.schemas import apart
from phverify.spec.system import FALSE, TRUE, Literal, Sum, Terms
from phverify.spec.universe import Scope, Universe
from phverify.symbolic.instances import write_inner
from phverify.symbolic.release import SymbolicRelease
from phverify.symbolic.universe import universe


@dataclass(frozen=True, eq=False)
class ReleaseQuestion:
    """The constraints that every placement obeys, and the cases of which one must hold,
    each with what it is.

    ``parities`` are the unknowns that say whether so many terms are true in an odd
    number.
    """

    instance: Instance
    scope: Scope
    universe: Universe
    constraints: tuple[t.Term, ...]
    cases: tuple[tuple[t.Term, Case], ...]
    parities: Mapping[str, int]

    def text(self, title: str) -> str:
        """The question as SMT-LIB: unsatisfiable iff the instance is valid."""
        some_case = t.disj(term for term, _ in self.cases)
        return script([*self.constraints, some_case], title)


def ask(
    instance: Instance,
    assumptions: s.Formulas,
    release: SymbolicRelease,
    deadline: Deadline,
) -> ReleaseQuestion:
    """Encode the negation of an instance under assumptions.

    Raises TooLarge and BudgetExceeded.
    """
    signature = release.signature
    given = [write_inner(apart(assumption), signature) for assumption in assumptions]
    encoded = question(
        instance,
        given,
        signature,
        lambda scope: universe(release, scope),
        deadline.check,
    )
    translation = Translation(encoded.terms)
    constraints = [
        translation.term(literal) for literal in encoded.asserted if literal != TRUE
    ]
    cases: list[tuple[t.Term, Case]] = []
    for case in encoded.cases:
        term = t.conj(map(translation.term, case.literals))
        # a case that cannot be is left out of the question
        if term is not t.FALSE:
            cases.append((term, case))
        if term is t.TRUE:  # it holds in every model: no further one is needed
            break
    return ReleaseQuestion(
        instance,
        encoded.scope,
        encoded.universe,
        (*constraints, *translation.totals),
        tuple(cases),
        translation.parities,
    )


@dataclass(eq=False)
class Translation:
    """Terms over 0/1 unknowns in the language of constraints.

    ``totals`` are constraints on the unknowns of ``parities``, which every placement
    meets in exactly one way.
    """

    terms: Terms
    totals: list[t.Term] = field(default_factory=list)
    parities: dict[str, int] = field(default_factory=dict)
    _known: dict[Literal, t.Term] = field(
        default_factory=lambda: {TRUE: t.TRUE, FALSE: t.FALSE}
    )
    _chains: Chains = field(init=False)

    def __post_init__(self) -> None:
        self._chains = Chains(self.terms)

    def term(self, literal: Literal) -> t.Term:
        """The term of a literal, made once."""
        term = self._known.get(literal)
        if term is None:
            term = self._term(literal)
            self._known[literal] = term
        return term

    def _term(self, literal: Literal) -> t.Term:
        body = self.terms.definitions.get(abs(literal))
        if isinstance(body, tuple):
            return self._connective(literal, body)
        if literal < 0:
            positive = self.term(-literal)
            return t.neg(positive)
        if body is None:
            name = self.terms.names[literal]
            return t.Unknown(name)
        total = self._sum(body)
        return t.at_least(total)

    def _connective(self, literal: Literal, parts: tuple[Literal, ...]) -> t.Term:
        """All of the parts; of a negative literal, that one of them is false."""
        unknown = abs(literal)
        chain = self._chains.long(unknown)
        if chain:
            odd = self._parity(unknown, chain)
            if literal > 0:
                return odd
            return t.neg(odd)
        if literal > 0:
            return t.conj(map(self.term, parts))
        return t.disj(self.term(-part) for part in parts)

    def _sum(self, body: Sum) -> t.LinearSum:
        parts = []
        for unknown, coefficient in body.parts.items():
            parts.append((coefficient, self.term(unknown)))
        return t.count(parts, body.constant)

    # Chains of exclusive ors

    def _parity(self, unknown: int, chain: list[int]) -> t.Term:
        """``odd``, where the terms of a chain add up to ``2 * pairs + odd``.

        Every placement determines both numbers, so that no model is lost.
        """
        odd = t.Unknown(f"odd_{unknown}")
        pairs = t.Variable(f"pairs_{unknown}", 0, len(chain) // 2)
        many = t.added(self._sum(self.terms.value(part)) for part in chain)
        halved = t.count([(1, odd)]) + t.LinearSum(plain=((2, pairs),))
        self.totals.append(t.equal(many - halved, 0))
        self.parities[odd.name] = len(chain)
        return odd
