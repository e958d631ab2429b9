"""Formulas about classes without schemas, and without criteria that no lemma knows."""

from __future__ import annotations

from phverify.spec import syntax as s
from phverify.spec.criterion.base import (
    ClassCriterion,
)
from phverify.spec.schemas import apart
from phverify.spec.signature import Signature
from phverify.spec.source import Unsettled
from phverify.symbolic.instances import write_inner
from phverify.symbolic.kinds import Names
from phverify.symbolic.local import local
from phverify.symbolic.release import SymbolicRelease


def written(formula: s.Formula, release: SymbolicRelease) -> s.Formula:
    """A formula without schemas, and without criteria that no lemma knows: a subclass
    may mean something else.
    """

    def known(part: s.Formula) -> s.Formula:
        if isinstance(part, s.Criterion):
            criterion = release.criteria[part]
            if criterion.lemma():
                return part
            return by_formula(criterion, release)
        return s.rebuild(part, known)

    return known(write_inner(formula, release.signature))


def by_formula(criterion: ClassCriterion, release: SymbolicRelease) -> s.Formula:
    """The theorem's formula of a criterion, without schemas.  Raises Unsettled when it
    names individuals.
    """
    return without_schemas(
        criterion.formula(release.signature), release.signature, release.quotient.quasi
    )


def without_schemas(
    formula: s.Formula, signature: Signature, quasi: Names
) -> s.Formula:
    """What a criterion says of a class.  Raises Unsettled when it names individuals."""
    # not as a rule, where everyone's place is any place: below a connective
    inside = s.Not(s.Not(formula))
    if not local(inside, quasi):
        raise Unsettled("a criterion about individuals has no symbolic form")
    separated = apart(formula)
    return write_inner(separated, signature)
