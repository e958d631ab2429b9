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
    augmenting path.  Valid by duality: the potentials u, v satisfy u_i + v_j <= cost_ij
    throughout, with equality where a row is assigned.
    """
    scale = common_denominator([cost for row in costs for cost in row])
    whole = [_scaled(row, scale) for row in costs]
    size = len(whole)
    row_potentials = [0] * size
    column_potentials = [0] * (size + 1)
    # The row that has each column; column ``size`` holds the new row.
    owner = [FREE] * (size + 1)
    for row in range(size):
        owner[size] = row
        end, back = _path(whole, row_potentials, column_potentials, owner)
        # Every column on the path passes to the row before.
        while end != size:
            owner[end] = owner[back[end]]
            end = back[end]

    places = tuple(owner.index(row) for row in range(size))
    total = sum((costs[i][j] for i, j in enumerate(places)), Fraction(0))
    return total, places


def _scaled(row: Sequence[Fraction], scale: int) -> list[int]:
    """The costs of a row as integers."""
    return [int(cost * scale) for cost in row]


def _path(
    costs: list[list[int]], rows: list[int], columns: list[int], owner: list[int]
) -> tuple[int, dict[int, int]]:
    """A shortest path from the new row to a free column.

    Dijkstra on reduced costs; the potentials ``rows`` and ``columns`` follow.
    """
    here = len(costs)
    left = set(range(here))
    seen: list[int] = []
    slack: dict[int, int] = {}
    back: dict[int, int] = {}
    row = owner[here]
    while row != FREE:
        seen.append(here)
        left.discard(here)
        for j in left:
            reduced = costs[row][j] - rows[row] - columns[j]
            if j not in slack or reduced < slack[j]:
                slack[j] = reduced
                back[j] = here

        step, here = min((slack[j], j) for j in left)
        # Where the path has been, so that one more reduced cost becomes 0.
        for j in seen:
            rows[owner[j]] += step
            columns[j] -= step
        for j in left:
            slack[j] -= step
        row = owner[here]
    return here, back
