"""That nothing which meets all clauses is cheaper: all level vectors, or a proof checked in fractions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

from phverify.spec.data import Refused
from phverify.spec.farkas import refute
from phverify.spec.schemes import Clause, Truth
from phverify.spec.spaces import Space
from phverify.spec.system import System, Terms, system, total

Masks = tuple[int, int]
"""A clause as bits: it is met by a truth with one of the first, or without one of the second."""


def cheaper(weights: Sequence[int], clauses: Sequence[Clause], bound: int) -> System | None:
    """A 0/1 system: all clauses are met and the cost is below ``bound``; None when that cannot be at once."""
    terms = Terms()
    unknowns = [terms.unknown(f"x{u}") for u in range(len(weights))]
    asserted = [terms.disj(unknowns[u - 1] if u > 0 else -unknowns[-u - 1] for u in clause) for clause in clauses]
    cost = total((-w, x) for w, x in zip(weights, unknowns, strict=True) if w)
    return system(terms, [*asserted, terms.at_least(cost.plus(bound - 1))])


def proved(weights: Sequence[int], clauses: Sequence[Clause], bound: int, proof: Any) -> int:
    """The leaves of a proof that nothing which meets all clauses costs less.  Raises Refused when it is none."""
    asked = cheaper(weights, clauses, bound)
    if asked is None and proof == {}:
        return 1
    if asked is None or not proof:
        raise Refused("a cheaper candidate meets all clauses, or the proof is another one")
    return refute(asked, proof)


def every_vector(found: Space, weights: Sequence[int], clauses: Sequence[Clause], bound: int, most: int) -> int:
    """How many level vectors there are, all looked at; 0 when there are more than ``most``, or no levels.

    Raises Refused when a cheaper one meets all clauses.
    """
    vectors = prod(scheme.decisions + 1 for scheme in found.schemes)
    if not found.by_levels or vectors > most:
        return 0
    masks = [_masks(clause) for clause in clauses]
    for bits, truth in _each_vector(found):
        if sum(w for w, true in zip(weights, truth, strict=True) if true) < bound and _met(masks, bits):
            raise Refused("a cheaper candidate meets all clauses: they do not prove the bound")
    return vectors


def all_covered(found: Space, clauses: Sequence[Clause], minimal: Sequence[Truth]) -> str:
    """Every level vector breaks a clause or is at least as general as a minimal one.  Raises Refused."""
    floors = [sum(1 << u for u, true in enumerate(one) if true) for one in minimal]
    if len(set(floors)) < len(floors) or any(a != b and a & ~b == 0 for a in floors for b in floors):
        raise Refused("a minimal level vector lies above another one")
    masks = [_masks(clause) for clause in clauses]
    for bits, _ in _each_vector(found):
        if _met(masks, bits) and not any(floor & ~bits == 0 for floor in floors):
            raise Refused("a level vector neither breaks a clause nor lies above a minimal one")
    return f"every level vector breaks a clause or lies above one of {len(minimal)} minimal ones, each satisfying"


def _each_vector(found: Space) -> Iterator[tuple[int, list[bool]]]:
    """Every level vector as bits, and as the truth of its unknowns."""
    ladders = [[[k < level for k in range(s.decisions)] for level in range(s.decisions + 1)] for s in found.schemes]
    for parts in product(*ladders):
        truth = [true for part in parts for true in part]
        yield sum(1 << u for u, true in enumerate(truth) if true), truth


def _masks(clause: Clause) -> Masks:
    return sum(1 << u - 1 for u in clause if u > 0), sum(1 << -u - 1 for u in clause if u < 0)


def _met(masks: Sequence[Masks], bits: int) -> bool:
    return all(bits & true or false & ~bits for true, false in masks)
