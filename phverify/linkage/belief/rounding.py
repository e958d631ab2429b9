"""From a float proposal to exact numbers: a plan that adds up to the last unit, or prices as small integers.

A plan near the proposal is found so: all cells that are neither 0 nor at their bound for sure are *free*.  A spanning
forest of free cells (rows and columns of parts are its nodes, roomiest cells first) takes up what rounding the others
has left, leaf by leaf.  Where the forest has several trees, the entries on the diagonal must balance each tree:
equations with integer coefficients, solved in fractions.  Whether the result is a plan is then checked.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from phverify.exact import ZERO
from phverify.linkage.belief.interior import Floats, Point, Shape, start
from phverify.linkage.belief.plans import Part, Plan

EMPTY, FREE, BOUND = 0, 1, 2
Kinds = npt.NDArray[np.int8]
_Edge = tuple[int, int]


@dataclass(frozen=True)
class Draft:
    """Floats for own entries and cells, what kind each cell is, and how many bits rounding keeps."""

    own: Floats
    cells: Floats
    kinds: Kinds
    bits: int


def inside(shape: Shape, point: Point) -> Draft | None:
    """A plan with room everywhere, between the central one and one that goes beyond the guess."""
    if point.theta <= 1 + 1e-9:  # nearer, and floats do not tell it from 1
        return None
    own, cells, _ = start(shape)
    far = 1 / point.theta
    own, cells = far * point.own + (1 - far) * own, far * point.cells + (1 - far) * cells
    room = min(float(cells.min()), float((own[:, None] - cells).min()))
    if room <= 0:
        return None
    error = cells.size * float(shape.weights.max())
    kinds = np.where(shape.weights > 0, FREE, EMPTY).astype(np.int8)
    return Draft(own, cells, kinds, max(20, math.ceil(math.log2(8 * error / room))))


def on_the_face(shape: Shape, point: Point) -> Draft:
    """A plan with as much room as there is, when some cells are 0 or at their bound in every plan."""
    room = point.own[:, None] - point.cells
    scale = point.own[:, None]
    low, high = point.cells < point.multipliers[0] * scale, room < point.multipliers[1] * scale
    kinds = np.where(low, EMPTY, np.where(high, BOUND, FREE))
    kinds = np.where(shape.weights > 0, kinds, EMPTY).astype(np.int8)
    return Draft(point.own, point.cells, kinds, 100)


def exact_plan(parts: tuple[Part, ...], shape: Shape, draft: Draft) -> Plan | None:
    """The draft in fractions, with exact sums; None where the kinds of cells leave no way.  Bounds are not checked."""
    rows = [int(i) for i in shape.rows]
    trees = _Forest(len(rows), len(parts), _roomiest(shape, draft))
    own = _own_entries(parts, shape, draft, trees)
    if own is None:
        return None
    wanted = [s * len(p.records) for p in parts for s in (p.truth, p.guess)]
    scale = math.lcm(1 << draft.bits, *(s.denominator for s in (*own, *wanted)))
    units = np.array([int(share * scale) for share in own], dtype=object)
    cells = _rounded(draft, units, scale)
    for i, j in trees.edges:
        cells[i, j] = 0
    given = trees.drained(_left(parts, shape, units, cells, scale))
    if given is None:
        return None
    found = {(int(i), int(j)): Fraction(cells[i, j], scale) for i, j in zip(*np.nonzero(cells), strict=True)}
    found |= {(i, j): Fraction(amount, scale * int(shape.weights[i, j])) for (i, j), amount in given.items() if amount}
    whole = dict(zip(rows, own, strict=True))
    entries = tuple(whole.get(k, ZERO) for k in range(len(parts)))
    return Plan(parts, entries, {(rows[i], j): share for (i, j), share in found.items()})


def _left(parts: Sequence[Part], shape: Shape, own: Any, cells: Any, scale: int) -> list[int]:
    """What all records of rows still have to give and those of columns to take, in units, beside these entries."""
    rows = shape.rows
    placed = shape.weights.astype(np.int64).astype(object) * cells
    placed[np.arange(len(rows)), rows] += [len(parts[r].records) * units for r, units in zip(rows, own, strict=True)]
    give = np.array([int(part.truth * len(part.records) * scale) for part in parts], dtype=object)
    take = np.array([int(part.guess * len(part.records) * scale) for part in parts], dtype=object)
    return [*(give[rows] - placed.sum(axis=1)), *(take - placed.sum(axis=0))]


def _rounded(draft: Draft, own: Any, scale: int) -> Any:
    """The cells in units: free ones rounded, others 0 or their bound."""
    free = np.array(np.rint(draft.cells * 2.0**52), dtype=np.int64).astype(object)
    shift = draft.bits - 52
    free = (free << shift if shift >= 0 else free >> -shift) * (scale >> draft.bits)
    return np.where(draft.kinds == FREE, free, np.where(draft.kinds == BOUND, own[:, None], 0))


def _roomiest(shape: Shape, draft: Draft) -> list[_Edge]:
    """The free cells, those with the most room first."""
    room = shape.weights * np.minimum(draft.cells, draft.own[:, None] - draft.cells)
    places = np.flatnonzero(draft.kinds == FREE)
    order = places[np.argsort(-room.ravel()[places], kind="stable")]
    n = draft.cells.shape[1]
    return [(int(k) // n, int(k) % n) for k in order]


class _Forest:
    """A spanning forest of rows (nodes 0..m-1) and columns (m..m+n-1)."""

    def __init__(self, m: int, n: int, cells: Sequence[_Edge]) -> None:
        self.m, self.root = m, list(range(m + n))
        self.edges: list[_Edge] = []
        for i, j in cells:
            a, b = self.find(i), self.find(m + j)
            if a != b:
                self.root[a] = b
                self.edges.append((i, j))
                if len(self.edges) == m + n - 1:
                    break

    def find(self, node: int) -> int:
        """The tree of a node."""
        while self.root[node] != node:
            self.root[node] = self.root[self.root[node]]
            node = self.root[node]
        return node

    def drained(self, left: list[int]) -> dict[_Edge, int] | None:
        """What each edge must carry so that every node is left with 0; None where a tree does not balance."""
        around: list[set[int]] = [set() for _ in left]
        for i, j in self.edges:
            around[i].add(self.m + j)
            around[self.m + j].add(i)
        leaves = [node for node, others in enumerate(around) if len(others) == 1]
        carried: dict[_Edge, int] = {}
        while leaves:
            node = leaves.pop()
            if not around[node]:
                continue
            other = around[node].pop()
            around[other].discard(node)
            carried[(node, other - self.m) if node < self.m else (other, node - self.m)] = left[node]
            left[other] -= left[node]
            left[node] = 0
            if len(around[other]) == 1:
                leaves.append(other)
        return carried if not any(left) else None


def _own_entries(parts: Sequence[Part], shape: Shape, draft: Draft, trees: _Forest) -> list[Fraction] | None:
    """The diagonal: near the draft, and such that what rows give to a tree is what its columns take."""
    rows, m = shape.rows, trees.m
    sizes = np.array([len(part.records) for part in parts])
    taken = np.where(draft.kinds == BOUND, shape.weights, 0).astype(np.int64)
    taken[np.arange(m), rows] += sizes[rows]
    tree = np.array([trees.find(node) for node in range(m + len(parts))])
    system = []
    for found in np.unique(tree):
        inside, into = tree[:m] == found, tree[m:] == found
        factors = taken.sum(axis=1) * inside - taken[:, into].sum(axis=1)
        given = sum((parts[r].truth * len(parts[r].records) for r in rows[inside].tolist()), ZERO)
        wanted = sum((parts[j].guess * len(parts[j].records) for j in np.flatnonzero(into).tolist()), ZERO)
        system.append(({i: Fraction(c) for i, c in enumerate(factors.tolist()) if c}, given - wanted))
    kept = 1 << min(draft.bits, 60)
    near = [Fraction(round(d * kept), kept) for d in draft.own]
    return solved(system, near)


Equation = tuple[dict[int, Fraction], Fraction]


def solved(system: list[Equation], near: list[Fraction]) -> list[Fraction] | None:
    """A solution of sparse linear equations that keeps ``near`` for all unknowns but one an equation; None for none."""
    todo, done = list(system), []
    while todo:
        k = min(range(len(todo)), key=lambda e: len(todo[e][0]))
        row, value = todo.pop(k)
        if not row:
            if value:
                return None
            continue
        pivot = max(row, key=lambda i: (abs(row[i]), -i))
        done.append((pivot, row, value))
        todo = [_without(pivot, row, value, other) for other in todo]
    found = list(near)
    for pivot, row, value in reversed(done):
        rest = sum((c * found[i] for i, c in row.items() if i != pivot), ZERO)
        found[pivot] = (value - rest) / row[pivot]
    return found


def _without(pivot: int, row: dict[int, Fraction], value: Fraction, other: Equation) -> Equation:
    """The other equation without the pivot."""
    body, right = other
    if pivot not in body:
        return other
    factor = body[pivot] / row[pivot]
    mixed = dict(body)
    for i, c in row.items():
        mixed[i] = mixed.get(i, ZERO) - factor * c
    return {i: c for i, c in mixed.items() if c and i != pivot}, right - factor * value


def integer_prices(shape: Shape, point: Point) -> list[list[int]]:
    """Prices of parts as integers from 0, in growing precision, when in floats they say that the guess is unsound."""
    spread = float(np.ptp(point.prices))
    if not spread > 0 or worth(shape, point.prices) / spread >= -1e-14:
        return []
    unit = (point.prices - point.prices.min()) / spread
    return [[round(float(c) * 2**bits) for c in unit] for bits in (0, 3, 7, 15, 30, 52)]


def worth(shape: Shape, prices: Floats) -> float:
    """In floats: the most that sound guesses can be worth, minus what the guess is worth."""
    order = np.argsort(-prices)
    count = np.concatenate([[0.0], np.cumsum(shape.sizes[order])])
    total = np.concatenate([[0.0], np.cumsum((shape.sizes * prices)[order])])
    highest = ((prices[shape.rows][:, None] + total[None, :]) / (count[None, :] + 1)).max(axis=1)
    most = float((shape.sizes * shape.truth)[shape.rows] @ highest)
    return most - float(shape.sizes * shape.guess @ prices)
