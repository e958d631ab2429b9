"""The cheapest assignment of rows to columns of a square matrix, exactly: the Hungarian
method on integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from phverify.exact import common_denominator

FREE = -1
"""The owner of a column that nobody has."""


def cheapest(costs: Sequence[Sequence[Fraction]]) -> tuple[Fraction, tuple[int, ...]]:
    """The least total cost of a bijection, and the column of each row.

    Kuhn's Hungarian method with potentials, in O(n^3): row by row, along a shortest
    augmenting path.  Sound by duality: the potentials u, v satisfy u_i + v_j <= cost_ij
    throughout, with equality where a row is assigned.
    """
    scale = common_denominator([cost for row in costs for cost in row])
    whole = [[int(cost * scale) for cost in row] for row in costs]
    size = len(whole)
    rows, columns = [0] * size, [0] * (size + 1)  # potentials
    owner = [FREE] * (
        size + 1
    )  # the row that has a column; column ``size`` holds the new row
    for row in range(size):
        owner[size] = row
        end, back = _path(whole, rows, columns, owner)
        while end != size:  # every column on the path passes to the row before
            owner[end] = owner[back[end]]
            end = back[end]
    places = tuple(owner.index(row) for row in range(size))
    return sum((costs[i][j] for i, j in enumerate(places)), Fraction(0)), places


def _path(
    costs: list[list[int]], rows: list[int], columns: list[int], owner: list[int]
) -> tuple[int, dict[int, int]]:
    """A shortest path from the new row to a free column (Dijkstra on reduced costs);
    the potentials follow.
    """
    here = len(costs)
    left, seen = set(range(here)), []
    slack: dict[int, int] = {}
    back: dict[int, int] = {}
    while (row := owner[here]) != FREE:
        seen.append(here)
        left.discard(here)
        for j in left:
            reduced = costs[row][j] - rows[row] - columns[j]
            if j not in slack or reduced < slack[j]:
                slack[j], back[j] = reduced, here
        step, here = min((slack[j], j) for j in left)
        for (
            j
        ) in seen:  # where the path has been, so that one more reduced cost becomes 0
            rows[owner[j]] += step
            columns[j] -= step
        for j in left:
            slack[j] -= step
    return here, back
