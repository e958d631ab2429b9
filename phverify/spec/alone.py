"""What rules about all models of a release say of each model, whatever is assumed."""

from __future__ import annotations

from phverify.spec import syntax as s
from phverify.spec.walk import NAMING


def of_release_alone(formula: s.Formula) -> s.Formula:
    """What follows from ``never_known`` for each model: true where that is nothing.

    Of ``never_known(@i phi)`` with a phi that names nobody it is ``@i ~[a1] phi``.
    Were phi true on every row of i's class, it would be true of i in every model, and
    known whatever is assumed.
    """
    match formula:
        case s.And(parts):
            said = map(of_release_alone, parts)
            return s.conj(*(part for part in said if part != s.TRUE))
        case s.Quantified(True, binders, body):
            # Whether phi is true on a row depends on no model: so for each instance.
            inner = of_release_alone(body)
            return inner if inner == s.TRUE else s.Quantified(True, binders, inner)
        case s.NeverKnown(s.At(who, phi)) if not _names(phi):
            return s.At(who, s.Not(s.Box("a1", phi)))
    return s.TRUE


def _names(formula: s.Formula) -> bool:
    """Whether a formula speaks of single individuals."""
    nodes = s.subformulas(formula)
    return any(isinstance(node, NAMING) for node in nodes)
