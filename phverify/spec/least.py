"""That nothing which meets all clauses is cheaper, by looking at all level vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, permutations, product
from math import prod

from phverify.spec.bitset import Bits, bits, within
from phverify.spec.data import Refused
from phverify.spec.schemes import Clause, Truth
from phverify.spec.spaces import Space

Clauses = Sequence[Clause]
Weights = Sequence[int]


def vectors(found: Space) -> int:
    """How many level vectors there are; 0 when the candidates are none."""
    return (
        prod(scheme.decisions + 1 for scheme in found.schemes) if found.by_levels else 0
    )


def meeting(
    found: Space, weights: Weights, clauses: Clauses, bound: int
) -> Iterator[Bits]:
    """The level vectors that meet all clauses and cost less than a bound: their true
    unknowns.
    """
    wanted = [
        (bits(u for u in clause if u > 0), bits(-u for u in clause if u < 0))
        for clause in clauses
    ]
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
        raise Refused(
            "a cheaper candidate meets all clauses: they do not prove the bound"
        )


def all_covered(found: Space, clauses: Clauses, minimal: Sequence[Truth]) -> str:
    """Every level vector breaks a clause or is at least as general as a minimal one.
    Raises Refused.
    """
    true = [[u for u, more in enumerate(one, start=1) if more] for one in minimal]
    if any(within(bits(one), bits(other)) for one, other in permutations(true, 2)):
        raise Refused("a minimal level vector lies above another one")
    elsewhere = [tuple(-u for u in one) for one in true]
    for _ in meeting(found, [0] * found.decisions, [*clauses, *elsewhere], 1):
        raise Refused(
            "a level vector neither breaks a clause nor lies above a minimal one"
        )
    return (
        f"every level vector breaks a clause or lies above one of {len(minimal)}"
        " minimal ones, each satisfying"
    )
