"""That nothing which meets all clauses is cheaper, among all level vectors."""

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


def vectors(space: Space) -> int:
    """How many level vectors there are; 0 when the candidates are none."""
    if not space.by_levels:
        return 0
    return prod(scheme.decisions + 1 for scheme in space.schemes)


def meeting(
    space: Space, weights: Weights, clauses: Clauses, bound: int
) -> Iterator[Bits]:
    """The level vectors that meet all clauses and cost less than a bound.

    Each as the set of its true unknowns, numbered from 1 as in clauses.
    """
    signed = [_signed(clause) for clause in clauses]
    columns = range(len(space.schemes))
    ladders = [_ladder(space, column, weights) for column in columns]
    for levels in product(*ladders):
        price = sum(price for _, price in levels)
        # Cheap ones alone: clauses are looked at only where they matter.
        if price < bound:
            vector = sum(true for true, _ in levels)
            # A clause is met where a wanted one is true or an unwanted one is not.
            if all(vector & true or false & ~vector for true, false in signed):
                yield vector


def _signed(clause: Clause) -> tuple[Bits, Bits]:
    """The unknowns that a clause wants to be true, and those that it wants false."""
    true = [literal for literal in clause if literal > 0]
    false = [-literal for literal in clause if literal < 0]
    return bits(true), bits(false)


def _ladder(space: Space, number: int, weights: Weights) -> list[tuple[Bits, int]]:
    """For each level of a column the unknowns that are true there, and their price."""
    start = space.starts[number]
    steps = range(start, start + space.schemes[number].decisions)
    # Whoever is at a level has made all steps below it.  Literals count from 1: unknown
    # u is bit u + 1.
    true = accumulate((2 << unknown for unknown in steps), initial=0)
    price = accumulate((weights[unknown] for unknown in steps), initial=0)
    return list(zip(true, price, strict=True))


def none_cheaper(space: Space, weights: Weights, clauses: Clauses, bound: int) -> None:
    """Raises Refused when a level vector that meets all clauses costs less."""
    for _ in meeting(space, weights, clauses, bound):
        raise Refused(
            "a cheaper candidate meets all clauses: they do not prove the bound"
        )


def all_covered(space: Space, clauses: Clauses, minimal: Sequence[Truth]) -> str:
    """Every level vector breaks a clause or is at least as general as a minimal one.

    Raises Refused where one does not, or a minimal one is above another.
    """
    true = []
    for candidate in minimal:
        unknowns = enumerate(candidate, start=1)
        true.append([number for number, more in unknowns if more])
    for lower, upper in permutations(map(bits, true), 2):
        if within(lower, upper):
            raise Refused("a minimal level vector lies above another one")

    # Not all that is true of a minimal one is true: it is nowhere above it.
    elsewhere = []
    for numbers in true:
        elsewhere.append(tuple(-number for number in numbers))
    # Everything costs 0 here: below 1 is all there is.
    free = [0] * space.decisions
    for _ in meeting(space, free, [*clauses, *elsewhere], 1):
        raise Refused(
            "a level vector neither breaks a clause nor lies above a minimal one"
        )
    return (
        f"every level vector breaks a clause or lies above one of {len(minimal)}"
        " minimal ones, each satisfying"
    )
