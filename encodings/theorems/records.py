"""What was seen when the questions were asked: which are slow, and which only one
solver settles.

A question that is not named here is settled by both solvers within 20 s on one core.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from theorems.claim import BOTH, Claim, Query

Z3_ONLY = ("Z3",)
SLOW: Mapping[str, tuple[str, ...]] = {
    "belief/matrix.from_matrix.n4.smt2": Z3_ONLY,
    "belief/transport.n4.smt2": Z3_ONLY,
    "closure/entropy_powers.m3.smt2": BOTH,
    "closure/hierarchical.m5.smt2": BOTH,
    "closure/recursive.m5.l1.smt2": BOTH,
    "closure/recursive.m5.l2.smt2": Z3_ONLY,
    "closure/recursive.m5.l3.smt2": BOTH,
    "closure/recursive.m5.l4.smt2": BOTH,
    "criteria/theorem_4.code.m6.if.smt2": BOTH,
    "lemmas/linear.n6.smt2": BOTH,
}
"""Who settles a slow question, within 120 s."""
BY_Z3: frozenset[str] = frozenset({"distance/tree.smt2"})
"""Z3 settles it at once, cvc5 does not."""


def recorded(claim: Claim) -> Claim:
    """The claim with what is recorded about its questions."""
    return replace(claim, queries=tuple(map(_recorded, claim.queries)))


def _recorded(query: Query) -> Query:
    if query.file in BY_Z3:
        return replace(query, settled=Z3_ONLY)
    slow = query.file in SLOW
    return replace(query, settled=SLOW.get(query.file, BOTH), heavy=slow)
