"""That nothing which meets all clauses is cheaper, by a proof that is checked in
fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phverify.spec.data import Refused
from phverify.spec.farkas import refute
from phverify.spec.schemes import Clause
from phverify.spec.system import System, Terms, system, total


def cheaper(
    weights: Sequence[int], clauses: Sequence[Clause], bound: int
) -> System | None:
    """A 0/1 system: all clauses are met and the cost is below ``bound``; None when that
    cannot be at once.
    """
    terms = Terms()
    unknowns = [terms.unknown(f"x{u}") for u in range(len(weights))]
    asserted = [
        terms.disj(unknowns[u - 1] if u > 0 else -unknowns[-u - 1] for u in clause)
        for clause in clauses
    ]
    cost = total((-w, x) for w, x in zip(weights, unknowns, strict=True) if w)
    return system(terms, [*asserted, terms.at_least(cost.plus(bound - 1))])


def proved(
    weights: Sequence[int], clauses: Sequence[Clause], bound: int, proof: Any
) -> int:
    """The leaves of a proof that nothing which meets all clauses costs less.  Raises
    Refused when it is none.
    """
    asked = cheaper(weights, clauses, bound)
    if asked is None and proof == {}:
        return 1
    if asked is None or not proof:
        raise Refused(
            "a cheaper candidate meets all clauses, or the proof is another one"
        )
    return refute(asked, proof)
