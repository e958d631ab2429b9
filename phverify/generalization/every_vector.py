"""No level vector that meets all clauses is cheaper: all of them are looked at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import accumulate, pairwise

import numpy as np
import numpy.typing as npt

from phverify.budget import Deadline
from phverify.exact import Bools, Ints, ints
from phverify.generalization.space import CodedSpace
from phverify.spec.schemes import Clause
from phverify.spec.spaces import Cost

ALL_VECTORS = "looking at all level vectors"
"""What confirms a bound, in a word."""
LevelVector = tuple[int, ...]
Bytes = npt.NDArray[np.uint8]
"""Truth at level vectors, of eight in a byte."""


def vectors_cost(
    space: CodedSpace,
    cost: Cost,
    clauses: Iterable[Clause],
    total: int,
    deadline: Deadline,
) -> bool:
    """Whether every level vector that meets all clauses costs ``total`` or more.

    Raises BudgetExceeded.
    """
    cheaper = _cheaper(space, cost, total)
    # Eight vectors in a byte.
    left = np.packbits(np.ones(cheaper.shape[1], dtype=bool))
    reached = np.packbits(_reached(space, cheaper), axis=1)
    for clause in clauses:
        deadline.check()
        left &= _met(clause, reached)
    return not left.any()


def _cheaper(space: CodedSpace, cost: Cost, total: int) -> Ints:
    """The level vectors that cost less than ``total``: a row for each column."""
    levels = _levels(space)
    return levels[:, _costs(space, cost, levels) < total]


def _levels(space: CodedSpace) -> Ints:
    """All level vectors: a row for each column."""
    shape = tuple(scheme.decisions + 1 for scheme in space.schemes)
    levels: Ints = np.indices(shape).reshape(len(shape), -1)
    return levels


def _costs(space: CodedSpace, cost: Cost, levels: Ints) -> Ints:
    """What these level vectors cost."""
    # sums stay below it, or are Python's own whole numbers
    limit = sum(cost.weights) + 1
    costs = ints(np.zeros(levels.shape[1], dtype=np.int64), limit)
    for column, (start, end) in zip(levels, pairwise(space.starts), strict=True):
        steps = accumulate(cost.weights[start:end], initial=0)
        costs = costs + ints(np.array([*steps], dtype=object), limit)[column]
    return costs


def least_costs(
    space: CodedSpace,
    cost: Cost,
    known: Mapping[LevelVector, tuple[int, int]],
    numbers: int,
) -> list[int | None]:
    """For each of so many numbers, from the least strict on, the least cost of what may
    satisfy it; None where nothing does.

    Of a level vector is known that it satisfies so many numbers, and whatever is finer
    so many at most.
    """
    levels = _levels(space)
    shape = tuple(scheme.decisions + 1 for scheme in space.schemes)
    most: Ints = np.full(shape, numbers)
    for vector, (_, finer) in known.items():
        most[vector] = finer
    most = from_above(np.minimum, most)
    for vector, (itself, _) in known.items():
        most[vector] = min(most[vector], itself)
    costs = _costs(space, cost, levels)
    by_cost = np.argsort(costs, kind="stable")
    reached = np.maximum.accumulate(most.reshape(-1)[by_cost])
    # The first vector in the order of cost that may satisfy more numbers than these.
    places = np.searchsorted(reached, np.arange(numbers), side="right")
    found: list[int | None] = []
    for place in places.tolist():
        there = place < len(by_cost)
        found.append(int(costs[by_cost[place]]) if there else None)
    return found


def _reached(space: CodedSpace, levels: Ints) -> Bools:
    """A row for each unknown: at which level vectors it is true, those from a level on
    in its column.
    """
    steps = []
    for column, scheme in zip(levels, space.schemes, strict=True):
        steps.append(column > np.arange(scheme.decisions)[:, None])
    return np.concatenate(steps)


def _met(clause: Clause, reached: Bytes) -> Bytes:
    """At which level vectors some literal of a clause is true; literals number unknowns
    from 1.
    """
    positive = [literal - 1 for literal in clause if literal > 0]
    negative = [-literal - 1 for literal in clause if literal < 0]
    met: Bytes = np.bitwise_or.reduce(reached[positive], axis=0)
    if negative:
        met |= ~np.bitwise_and.reduce(reached[negative], axis=0)
    return met


def from_above(best: np.ufunc, known: Ints) -> Ints:
    """For each level vector the ``best`` (``np.minimum``, or ``np.maximum``) of what is
    known of itself and of all that is more general.
    """
    best_known = known.copy()
    for axis in range(known.ndim):
        along = np.moveaxis(best_known, axis, 0)
        # Levels are few: a step for each takes less time than one along all.
        for level in reversed(range(len(along) - 1)):
            # As slices: of one column a level alone is no array.
            own, higher = along[level : level + 1], along[level + 1 : level + 2]
            best(own, higher, out=own)
    return best_known
