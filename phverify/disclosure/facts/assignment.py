"""The cheapest assignment of rows to columns of a square matrix, exactly: the Hungarian method on integers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from phverify.exact import common_denominator


def cheapest(costs: Sequence[Sequence[Fraction]]) -> tuple[Fraction, tuple[int, ...]]:
    """The least total cost of a bijection, and the column of each row.

    Kuhn's Hungarian method with potentials, in O(n^3): row by row, along a shortest augmenting path.  Sound by
    duality: the potentials u, v satisfy u_i + v_j <= cost_ij throughout, with equality where a row is assigned.
    """
    scale = common_denominator([cost for row in costs for cost in row])
    whole = [[int(cost * scale) for cost in row] for row in costs]
    size = len(whole)
    rows, columns = [0] * size, [0] * (size + 1)  # potentials
    owner: list[int | None] = [None] * (size + 1)  # the row that has a column; column ``size`` holds the new row
    for row in range(size):
        owner[size] = row
        end, back = _path(whole, rows, columns, owner)
        while end != size:  # every column on the path passes to the row before
            owner[end] = owner[back[end]]
            end = back[end]
    chosen = {i: j for j, i in enumerate(owner[:size]) if i is not None}
    places = tuple(chosen[i] for i in range(size))
    return sum((costs[i][j] for i, j in enumerate(places)), Fraction(0)), places


def _path(
    costs: list[list[int]], rows: list[int], columns: list[int], owner: list[int | None]
) -> tuple[int, list[int]]:
    """A shortest path from the new row to a free column (Dijkstra on reduced costs); the potentials follow."""
    size = len(costs)
    slack: list[int | None] = [None] * size
    back, seen, here = [size] * size, [False] * (size + 1), size
    while (row := owner[here]) is not None:
        seen[here] = True
        for j in range(size):
            reduced = costs[row][j] - rows[row] - columns[j]
            known = slack[j]
            if not seen[j] and (known is None or reduced < known):
                slack[j], back[j] = reduced, here
        step, here = min((s, j) for j, s in enumerate(slack) if s is not None and not seen[j])
        _shift(step, seen, rows, columns, owner, slack)
    return here, back


def _shift(
    step: int, seen: list[bool], rows: list[int], columns: list[int], owner: list[int | None], slack: list[int | None]
) -> None:
    """Raise the potentials by ``step`` where the path has been, so that one more reduced cost becomes 0."""
    for j, visited in enumerate(seen):
        row = owner[j]
        if visited and row is not None:
            rows[row] += step
            columns[j] -= step
        elif not visited and j < len(slack):
            known = slack[j]
            slack[j] = known - step if known is not None else None
