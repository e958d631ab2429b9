"""From a float proposal to exact numbers: a plan that adds up to the last unit, or
prices as small integers.

A plan near the proposal is found so: all cells that are neither 0 nor at their bound
for sure are *free*.  A spanning forest of free cells (rows and columns of parts are its
nodes, roomiest cells first) takes up what rounding the others has left.  Where the
forest has several trees, the entries on the diagonal must balance each tree.  Both are
sparse linear equations, solved in fractions.  Whether the result is a plan is then
checked.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from phverify.exact import ZERO
from phverify.linkage.belief.interior import Floats, Iterate, PlanShape, start
from phverify.linkage.belief.plans import Plan, PlanPart

EMPTY, FREE, BOUND = 0, 1, 2
Kinds = npt.NDArray[np.int8]
_Edge = tuple[int, int]


@dataclass(frozen=True)
class Draft:
    """Floats for own entries and cells, what kind each cell is, and how many bits
    rounding keeps.
    """

    own: Floats
    cells: Floats
    kinds: Kinds
    bits: int


def inside(shape: PlanShape, point: Iterate) -> Draft | None:
    """A plan with room everywhere, between the central one and one that goes beyond the
    guess.
    """
    if point.theta <= 1 + 1e-9:  # nearer, and floats do not tell it from 1
        return None
    central_own, central_cells, _ = start(shape)
    # theta times this is 1: the columns then sum to the guess
    far = 1 / point.theta
    own = far * point.own + (1 - far) * central_own
    cells = far * point.cells + (1 - far) * central_cells
    below = own[:, None] - cells
    room = min(float(cells.min()), float(below.min()))
    if room <= 0:
        return None
    # rounding each cell moves a sum by no more than the room
    error = cells.size * float(shape.weights.max())
    bits = max(20, math.ceil(math.log2(8 * error / room)))
    kinds = np.where(shape.weights > 0, FREE, EMPTY).astype(np.int8)
    return Draft(own, cells, kinds, bits)


def on_the_face(shape: PlanShape, point: Iterate) -> Draft:
    """A plan with as much room as there is, when some cells are 0 or at their bound in
    every plan.
    """
    scale = point.own[:, None]
    room = scale - point.cells
    # at the limit either a slack or its multiplier is 0
    at_zero = point.cells < point.multipliers[0] * scale
    at_bound = room < point.multipliers[1] * scale
    kinds = np.where(at_bound, BOUND, FREE)
    kinds = np.where(at_zero, EMPTY, kinds)
    kinds = np.where(shape.weights > 0, kinds, EMPTY).astype(np.int8)
    return Draft(point.own, point.cells, kinds, 100)


def exact_plan(
    parts: tuple[PlanPart, ...], shape: PlanShape, draft: Draft
) -> Plan | None:
    """The draft in fractions, with exact sums; None where the kinds of cells leave no
    way.  Bounds are not checked.

    The unknowns of its equations are the diagonal (0 to m - 1), unless one tree reaches
    everything, and then the cells of the forest, each for all of its pairs of records.
    """
    rounding = _in_units(shape, draft)
    solution = rounding.balanced(parts)
    if solution is None:
        return None
    return rounding.plan(parts, solution)


@dataclass(frozen=True, eq=False)
class _Rounding:
    """A draft in whole units of 2^-bits, with a forest that takes up what is left.

    ``own`` and ``free`` are units; the free cells on ``edges`` are 0 until then.
    """

    shape: PlanShape
    draft: Draft
    edges: Sequence[_Edge]
    own: Any
    free: Any

    @property
    def rows(self) -> list[int]:
        """The part of each row."""
        parts: list[int] = self.shape.rows.tolist()
        return parts

    @property
    def weights(self) -> Any:
        """How many pairs of records each cell stands for."""
        return self.shape.weights.astype(np.int64)

    def taken(self) -> Any:
        """How often an entry of the diagonal is in the sum of each column."""
        m = len(self.rows)
        taken = np.where(self.draft.kinds == BOUND, self.weights, 0)
        taken[np.arange(m), self.rows] += self.shape.sizes[self.rows].astype(np.int64)
        return taken

    def balanced(self, parts: Sequence[PlanPart]) -> list[Fraction] | None:
        """The diagonal and the cells of the forest, so that all sums are as wanted."""
        m, n = self.draft.cells.shape
        taken = self.taken()
        placed = self.weights.astype(object) * self.free
        row_sums = placed.sum(axis=1)
        column_sums = placed.sum(axis=0)
        bodies: list[dict[int, int]] = [{} for _ in range(m + n)]
        if len(self.edges) == m + n - 1:
            # one tree takes up all differences: the diagonal stays as it was rounded
            row_sums = row_sums + taken.sum(axis=1) * self.own
            column_sums = column_sums + self.own @ taken
        else:
            for i, times in enumerate(taken.sum(axis=1).tolist()):
                bodies[i][i] = times
            for i, j in np.argwhere(taken).tolist():
                bodies[m + j][i] = int(taken[i, j])
        for k, (i, j) in enumerate(self.edges, m):
            bodies[i][k] = 1
            bodies[m + j][k] = 1

        one = 1 << self.draft.bits
        wanted = _sums(parts, self.rows)
        spent = [*row_sums, *column_sums]
        both = zip(wanted, spent, strict=True)
        values = [total - Fraction(units, one) for total, units in both]
        near = [Fraction(units, one) for units in self.own] + [ZERO] * len(self.edges)
        return solved(zip(bodies, values, strict=True), near, m)

    def plan(self, parts: tuple[PlanPart, ...], solution: Sequence[Fraction]) -> Plan:
        """The plan with this diagonal, and these cells of the forest."""
        m, n = self.draft.cells.shape
        rows, weights = self.rows, self.weights
        one = 1 << self.draft.bits
        cells: dict[_Edge, Fraction] = {}
        for i, j in np.argwhere(self.free).tolist():
            cells[rows[i], j] = Fraction(self.free[i, j], one)
        for i, j in np.argwhere(self.draft.kinds == BOUND).tolist():
            cells[rows[i], j] = solution[i]
        for k, (i, j) in enumerate(self.edges, m):
            # the unknown stood for all pairs of records of its cell
            cells[rows[i], j] = solution[k] / int(weights[i, j])

        entries = dict(zip(rows, solution, strict=False))
        return Plan(parts, tuple(entries.get(k, ZERO) for k in range(n)), cells)


def _in_units(shape: PlanShape, draft: Draft) -> _Rounding:
    """The draft in units, and its forest, the roomiest free cells first."""
    m, n = draft.cells.shape
    edges = forest(m, n, _roomiest(shape, draft))
    own = _units(draft.own, draft.bits)
    free = np.where(draft.kinds == FREE, _units(draft.cells, draft.bits), 0)
    for i, j in edges:
        free[i, j] = 0
    return _Rounding(shape, draft, edges, own, free)


def _sums(parts: Sequence[PlanPart], rows: Sequence[int]) -> list[Fraction]:
    """What rows and columns of parts are to sum to."""
    true = [parts[k].truth * len(parts[k].records) for k in rows]
    guessed = [part.guess * len(part.records) for part in parts]
    return true + guessed


def _units(shares: Floats, bits: int) -> Any:
    """Shares as integers over 2^bits."""
    # floats have 53 bits: more would be zeros
    exact = np.rint(shares * 2.0**52)
    units = np.array(exact, dtype=np.int64).astype(object)
    shift = bits - 52
    if shift >= 0:
        return units << shift
    return units >> -shift


def _roomiest(shape: PlanShape, draft: Draft) -> list[_Edge]:
    """The free cells, those with the most room first."""
    below = draft.own[:, None] - draft.cells
    least = np.minimum(draft.cells, below)
    room = shape.weights * least
    places = np.flatnonzero(draft.kinds == FREE)
    free_room = room.ravel()[places]
    falling = np.argsort(-free_room, kind="stable")
    columns = draft.cells.shape[1]
    rows_columns = np.divmod(places[falling], columns)
    i, j = (numbers.tolist() for numbers in rows_columns)
    return list(zip(i, j, strict=True))


def forest(m: int, n: int, cells: Iterable[_Edge]) -> list[_Edge]:
    """Cells that link rows (nodes 0..m-1) and columns (m..m+n-1) without circles, the
    first ones first.
    """
    root = list(range(m + n))

    def tree(node: int) -> int:
        while root[node] != node:
            root[node] = root[root[node]]
            node = root[node]
        return node

    edges: list[_Edge] = []
    for i, j in cells:
        one = tree(i)
        other = tree(m + j)
        if one != other:
            root[one] = other
            edges.append((i, j))
            if len(edges) == m + n - 1:
                break

    return edges


PRECISIONS = (0, 3, 7, 15, 30, 52)
"""Bits of prices: the shortest that prove something are shown."""
Equation = tuple[Mapping[int, Fraction | int], Fraction]
"""The coefficients of some unknowns, and what their sum is."""


def solved(
    system: Iterable[Equation], near: Sequence[Fraction], retained: int = 0
) -> list[Fraction] | None:
    """A solution of sparse linear equations, each of which moves one unknown away from
    ``near``; None for none.

    The first ``retained`` unknowns are moved only by equations in which no other one is
    left.
    """
    todo = [(dict(body), [value]) for body, value in system]
    done = []
    while todo:
        # the shortest equation first: it fills in least
        shortest = min(range(len(todo)), key=lambda e: len(todo[e][0]))
        row, (value,) = todo.pop(shortest)
        if not row:
            if value:
                return None
            continue
        pivot = max(row, key=lambda i: (i >= retained, abs(row[i]), -i))
        factor = Fraction(1, row.pop(pivot))
        done.append((pivot, factor, row, value))
        for body, total in todo:
            if pivot in body:
                times = body.pop(pivot) * factor
                total[0] -= times * value
                _subtract(body, row, times)

    solution = list(near)
    for pivot, factor, row, value in reversed(done):
        others = sum((c * solution[i] for i, c in row.items()), ZERO)
        solution[pivot] = factor * (value - others)

    return solution


def _subtract(
    body: dict[int, Fraction | int], row: Mapping[int, Fraction | int], times: Fraction
) -> None:
    """An equation without so many times another one; no zeros stay."""
    for unknown, coefficient in row.items():
        left = body.get(unknown, 0) - times * coefficient
        if left:
            body[unknown] = left
        else:
            body.pop(unknown, None)


def integer_prices(shape: PlanShape, point: Iterate) -> list[list[int]]:
    """Prices of parts as integers from 0, in growing precision, when in floats they say
    that the guess is unsound.
    """
    prices = point.prices
    spread = float(np.ptp(prices))
    # equal prices prove nothing
    if not spread > 0:
        return []
    loss = worth(shape, prices) / spread
    if loss >= -1e-14:
        return []
    above_lowest = prices - prices.min()
    unit = (above_lowest / spread).tolist()
    return [_rounded(unit, bits) for bits in PRECISIONS]


def _rounded(prices: Iterable[float], bits: int) -> list[int]:
    """Prices from 0 to 1 as integers from 0 to 2^bits."""
    return [round(price * 2**bits) for price in prices]


def worth(shape: PlanShape, prices: Floats) -> float:
    """In floats: the most that sound guesses can be worth, minus what the guess is
    worth.
    """
    order = np.argsort(-prices)
    sizes = shape.sizes[order]
    paid = sizes * prices[order]
    # the first k parts, by falling prices: how many records, and their prices' sum
    count = np.concatenate([[0.0], np.cumsum(sizes)])
    total = np.concatenate([[0.0], np.cumsum(paid)])
    own = prices[shape.rows][:, None]
    averages = (own + total) / (count + 1)
    true_records = shape.sizes * shape.truth
    guessed_records = shape.sizes * shape.guess
    most = float(true_records[shape.rows] @ averages.max(axis=1))
    return most - float(guessed_records @ prices)
