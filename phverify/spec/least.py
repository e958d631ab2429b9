"""That nothing which meets all clauses is cheaper: all level vectors, or a proof checked in fractions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, permutations, product
from math import prod
from typing import Any

from phverify.spec.bitset import Bits, bits, within
from phverify.spec.data import Refused
from phverify.spec.farkas import refute
from phverify.spec.schemes import Clause, Truth
from phverify.spec.spaces import Space
from phverify.spec.system import System, Terms, system, total

Clauses = Sequence[Clause]
Weights = Sequence[int]


def cheaper(weights: Weights, clauses: Clauses, bound: int) -> System | None:
    """A 0/1 system: all clauses are met and the cost is below ``bound``; None when that cannot be at once."""
    terms = Terms()
    unknowns = [terms.unknown(f"x{u}") for u in range(len(weights))]
    asserted = [terms.disj(unknowns[u - 1] if u > 0 else -unknowns[-u - 1] for u in clause) for clause in clauses]
    cost = total((-w, x) for w, x in zip(weights, unknowns, strict=True) if w)
    return system(terms, [*asserted, terms.at_least(cost.plus(bound - 1))])


def proved(weights: Weights, clauses: Clauses, bound: int, proof: Any) -> int:
    """The leaves of a proof that nothing which meets all clauses costs less.  Raises Refused when it is none."""
    asked = cheaper(weights, clauses, bound)
    if asked is None and proof == {}:
        return 1
    if asked is None or not proof:
        raise Refused("a cheaper candidate meets all clauses, or the proof is another one")
    return refute(asked, proof)


def vectors(found: Space) -> int:
    """How many level vectors there are; 0 when the candidates are none."""
    return prod(scheme.decisions + 1 for scheme in found.schemes) if found.by_levels else 0


def meeting(found: Space, weights: Weights, clauses: Clauses, bound: int) -> Iterator[Bits]:
    """The level vectors that meet all clauses and cost less than a bound: their true unknowns."""
    wanted = [(bits(u for u in clause if u > 0), bits(-u for u in clause if u < 0)) for clause in clauses]
    ladders = []
    for scheme, start in zip(found.schemes, found.starts, strict=False):
        steps = range(start, start + scheme.decisions)
        true = accumulate((2 << u for u in steps), initial=0)  # literals count from 1
        price = accumulate((weights[u] for u in steps), initial=0)
        ladders.append(list(zip(true, price, strict=True)))
    for levels in product(*ladders):
        if sum(price for _, price in levels) < bound:
            vector = sum(true for true, _ in levels)
            if all(vector & true or false & ~vector for true, false in wanted):
                yield vector


def none_cheaper(found: Space, weights: Weights, clauses: Clauses, bound: int) -> None:
    """Raises Refused when a level vector that meets all clauses costs less."""
    for _ in meeting(found, weights, clauses, bound):
        raise Refused("a cheaper candidate meets all clauses: they do not prove the bound")


def all_covered(found: Space, clauses: Clauses, minimal: Sequence[Truth]) -> str:
    """Every level vector breaks a clause or is at least as general as a minimal one.  Raises Refused."""
    true = [[u for u, more in enumerate(one, start=1) if more] for one in minimal]
    if any(within(bits(one), bits(other)) for one, other in permutations(true, 2)):
        raise Refused("a minimal level vector lies above another one")
    elsewhere = [tuple(-u for u in one) for one in true]
    for _ in meeting(found, [0] * found.decisions, [*clauses, *elsewhere], 1):
        raise Refused("a level vector neither breaks a clause nor lies above a minimal one")
    return f"every level vector breaks a clause or lies above one of {len(minimal)} minimal ones, each satisfying"
