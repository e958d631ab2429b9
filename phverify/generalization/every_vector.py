"""No level vector that meets all clauses is cheaper: all of them are looked at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, pairwise

import numpy as np

from phverify.budget import Deadline
from phverify.exact import Bools, Ints, ints
from phverify.generalization.space import CodedSpace
from phverify.spec.schemes import Clause
from phverify.spec.spaces import Cost

ALL_VECTORS = "looking at all level vectors"
"""What confirms a bound, in a word."""
LevelVector = tuple[int, ...]


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
    left = _cheaper(space, cost, total)
    column_of = []
    for column, scheme in enumerate(space.schemes):
        column_of += scheme.decisions * [column]
    for clause in clauses:
        deadline.check()
        left = left[:, _met(space, column_of, clause, left)]
    return not left.size


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


def _met(
    space: CodedSpace, column_of: Sequence[int], clause: Clause, levels: Ints
) -> Bools:
    """At which level vectors some literal of a clause is true.

    Literals number unknowns from 1; one of a column is true from a level on.
    """
    met: Bools = np.zeros(levels.shape[1], dtype=bool)
    for literal in clause:
        unknown = abs(literal) - 1
        column = column_of[unknown]
        reached = levels[column] > unknown - space.starts[column]
        met |= reached if literal > 0 else ~reached
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
            best(along[level], along[level + 1], out=along[level])
    return best_known
