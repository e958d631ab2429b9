"""That nothing which meets all clauses is cheaper.

By a proof that is checked in fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phverify.spec.data import Refused
from phverify.spec.farkas import refute
from phverify.spec.schemes import Clause
from phverify.spec.system import Literal, System, Terms, system, total


def cheaper(
    weights: Sequence[int], clauses: Sequence[Clause], bound: int
) -> System | None:
    """A 0/1 system: all clauses are met and the cost is below ``bound``.

    None when that cannot be at once.
    """
    terms = Terms()
    unknowns = [terms.unknown(f"x{number}") for number in range(len(weights))]

    def literal(said: int) -> Literal:
        # A clause counts unknowns from 1, negative ones are false.
        unknown = unknowns[abs(said) - 1]
        if said > 0:
            return unknown
        return -unknown

    asserted = [terms.disj(map(literal, clause)) for clause in clauses]
    weighted = zip(weights, unknowns, strict=True)
    cost = total((-weight, unknown) for weight, unknown in weighted if weight)
    # In whole numbers: below the bound is at most the bound less one.
    asserted.append(terms.at_least(cost.plus(bound - 1)))
    return system(terms, asserted)


def proved(
    weights: Sequence[int], clauses: Sequence[Clause], bound: int, proof: Any
) -> int:
    """The leaves of a proof that nothing which meets all clauses costs less.

    Raises Refused when it is none.
    """
    question = cheaper(weights, clauses, bound)
    if question is None and proof == {}:
        return 1
    if question is None or not proof:
        raise Refused(
            "a cheaper candidate meets all clauses, or the proof is another one"
        )
    return refute(question, proof)
