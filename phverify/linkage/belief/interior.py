"""A float proposal for Definition 14: how far the guess can be pushed away from a guess that is sound for sure.

Unknowns by parts: ``own[i]`` = F(x, x) and ``cells[i, j]`` = F(x, y), 0 <= cells[i, j] <= own[i], row sums P.  Column
sums are ``centre + theta * (guess - centre)``, where the centre is what x gives half to itself and half to all.
``proposal`` follows the central path of ``maximize theta <= 2`` (a primal-dual interior point method; own code,
because the blocks of the equations leave one dense system with a row for each part, where a general solver would see
the square of that).  theta >= 1 is a plan with room everywhere; the multipliers of the columns are prices; and at
theta = 1 the limit tells which cells are 0 or at their bound in every plan.  Nothing here is trusted: plans and prices
are made exact, and checked, elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Shape:
    """The question in floats: shares of one record of each part, sizes of parts, and which parts have a true share."""

    truth: Floats
    guess: Floats
    sizes: Floats
    rows: npt.NDArray[np.intp]

    @cached_property
    def weights(self) -> Floats:
        """How many pairs of different records (x, y) each cell stands for."""
        pairs = np.outer(self.sizes[self.rows], self.sizes)
        pairs[np.arange(len(self.rows)), self.rows] -= self.sizes[self.rows]
        return pairs


@dataclass(frozen=True)
class Point:
    """An iterate: how far it goes, its plan, its prices (one a part), and multipliers of 0 <= cell <= own."""

    theta: float
    own: Floats
    cells: Floats
    prices: Floats
    low: Floats
    high: Floats


@dataclass
class _State:
    own: Floats
    cells: Floats
    theta: float
    low: Floats
    high: Floats
    top: float  # multiplier of theta <= 2

    @property
    def room(self) -> Floats:
        return self.own[:, None] - self.cells

    def gap(self) -> float:
        """The mean of the products that are 0 at an optimum."""
        total = (self.low * self.cells).sum() + (self.high * self.room).sum() + self.top * (2 - self.theta)
        return float(total / (2 * self.cells.size + 1))


@dataclass(frozen=True)
class _Step:
    own: Floats
    cells: Floats
    theta: float
    low: Floats
    high: Floats
    top: float
    prices: Floats

    @property
    def room(self) -> Floats:
        return self.own[:, None] - self.cells


@dataclass(frozen=True)
class _Target:
    """What the products are to be after the step: of cells, of their room, of 2 - theta."""

    low: Floats | float
    high: Floats | float
    top: float


def proposal(shape: Shape, most: int = 150) -> Iterator[Point]:
    """The iterates; the caller stops when one of them can be made exact.  Mehrotra's predictor and corrector."""
    own, cells, centre = start(shape)
    mu = 1.0 / cells.size
    state = _State(own, cells, 0.0, mu / cells, mu / (own[:, None] - cells), mu / 2)
    gaps: list[float] = []
    for _ in range(most):
        system = _system(shape, state, centre)
        first = system.step(_Target(0.0, 0.0, 0.0)) if system else None
        second = system.step(_corrected(state, first)) if system and first else None
        if second is None:
            return
        _advance(state, second, *_lengths(state, second, 0.99))
        yield Point(state.theta, state.own, state.cells, second.prices, state.low, state.high)
        gaps.append(state.gap())
        stuck = gaps[-1] < 1e-6 * mu and gaps[-1] > 0.5 * max(gaps[-9:-8], default=np.inf)
        if stuck or gaps[-1] < 1e-10 / state.cells.size**1.5:
            return  # as near as floats come


def start(shape: Shape) -> tuple[Floats, Floats, Floats]:
    """The central plan, and the column sums of all records of each part."""
    total = shape.sizes.sum()
    true = shape.truth[shape.rows]
    cells = np.repeat((true / (2 * total))[:, None], len(shape.sizes), axis=1)
    own = true * (total + 1) / (2 * total)
    sums: Floats = (shape.weights * cells).sum(axis=0)
    sums[shape.rows] += shape.sizes[shape.rows] * own
    return own, cells, sums


def _corrected(state: _State, first: _Step) -> _Target:
    """How much the first step closes the gap says how much to centre; its products say what it bends."""
    plan, dual = _lengths(state, first, 1.0)
    ahead = _State(state.own, state.cells, state.theta, state.low, state.high, state.top)
    _advance(ahead, first, plan, dual)
    mu = state.gap()
    aim = mu * (ahead.gap() / mu) ** 3
    low, high = aim - first.cells * first.low, aim - first.room * first.high
    return _Target(low, high, aim + first.theta * first.top)


@dataclass(frozen=True)
class _System:
    """The equations of one Newton step: row sums, column sums (which move with theta), stationarity.

    The unknowns of row i are the change of its own entry and its multiplier; those of all rows are the multipliers of
    the columns, and theta.  ``sides`` couples them, ``inner`` is what elimination of the rows makes of it.
    """

    shape: Shape
    state: _State
    centre: Floats
    share: Floats
    spread: Floats
    blocks: tuple[Floats, Floats, Floats]
    sides: tuple[Floats, Floats]
    inner: tuple[Floats, Floats]
    inverse: Floats

    def step(self, target: _Target) -> _Step | None:
        """The step towards products of ``target``."""
        state, weights, z = self.state, self.shape.weights, self.state.cells
        room, left, n = state.room, 2 - state.theta, len(self.centre)
        force = target.low / z - target.high / room
        push = force / (state.low / z + state.high / room)
        sizes = self.shape.sizes[self.shape.rows]
        f1 = (self.share * force + target.high / room).sum(axis=1)
        f2 = sizes * (self.shape.truth[self.shape.rows] - state.own) - (weights * (z + push)).sum(axis=1)
        sums = (weights * (z + push)).sum(axis=0)
        sums[self.shape.rows] += sizes * state.own
        right = np.append(self.centre + state.theta * self.move - sums, 1 - target.top / left)
        e1, e2 = _halved(self.blocks, f1[:, None], f2[:, None])
        right -= (self.sides[0].T @ e1 + self.sides[1].T @ e2)[:, 0]
        free = np.append(0.0, self.inverse @ right[1:])  # rows and columns have one sum: the first price may be 0
        if not np.isfinite(free).all():
            return None
        own, row = e1[:, 0] - self.inner[0] @ free, e2[:, 0] - self.inner[1] @ free
        cells = self.share * own[:, None] - self.spread * (row[:, None] + free[None, :n]) + push
        low = (target.low - state.low * cells) / z - state.low
        high = (target.high - state.high * (own[:, None] - cells)) / room - state.high
        top = (target.top + state.top * free[n]) / left - state.top
        return _Step(own, cells, float(free[n]), low, high, float(top), -free[:n])

    @property
    def move(self) -> Floats:
        """How column sums change with theta."""
        return self.shape.sizes * self.shape.guess - self.centre


def _system(shape: Shape, state: _State, centre: Floats) -> _System | None:
    """The equations at a state, rows eliminated; None where floats find them singular."""
    weights, rows, n, m = shape.weights, shape.rows, len(shape.sizes), len(shape.rows)
    a, b = state.low / state.cells, state.high / state.room
    share, spread = b / (a + b), weights / (a + b)
    sizes = shape.sizes[rows]
    one, two = np.zeros((m, n + 1)), np.zeros((m, n + 1))
    one[:, :n], two[:, :n] = share * weights, -weights * spread
    blocks = (a * share).sum(axis=1), sizes + one.sum(axis=1), two.sum(axis=1)
    big = np.zeros((n + 1, n + 1))
    big[np.arange(n), np.arange(n)] = two[:, :n].sum(axis=0)
    big[:n, n] = big[n, :n] = centre - shape.sizes * shape.guess
    big[n, n] = state.top / (2 - state.theta)
    one[np.arange(m), rows] += sizes
    inner = _halved(blocks, one, two)
    big -= _product(one.T, inner[0]) + _product(two.T, inner[1])
    try:
        inverse = _inverse(big[1:, 1:])
    except np.linalg.LinAlgError:
        return None
    return _System(shape, state, centre, share, spread, blocks, (one, two), inner, inverse)


def _halved(k: tuple[Floats, Floats, Floats], one: Floats, two: Floats) -> tuple[Floats, Floats]:
    """The 2x2 blocks ((k0, k1), (k1, k2)) solved for many right sides at once."""
    k0, k1, k2 = (part[:, None] for part in k)
    det = k0 * k2 - k1 * k1
    return (k2 * one - k1 * two) / det, (k0 * two - k1 * one) / det


BLOCK, LARGE = 64, 600
"""Between these sizes no threads are started: on a machine that is busy they wait for each other fifty times as long
as the work takes."""


def _product(one: Floats, two: Floats) -> Floats:
    """The product of two matrices."""
    if len(one) >= LARGE:
        return one @ two
    found: Floats = np.einsum("ij,jk->ik", one, two)
    return found


def _inverse(matrix: Floats) -> Floats:
    """The inverse of a symmetric matrix whose leading blocks have inverses, block by block."""
    n = len(matrix)
    if n <= BLOCK or n >= LARGE:
        return np.linalg.inv(matrix).astype(np.float64)
    k = n // 2
    first, side = _inverse(matrix[:k, :k]), matrix[:k, k:]
    across = _product(first, side)
    last = _inverse(matrix[k:, k:] - _product(side.T, across))
    corner = -_product(across, last)
    return np.block([[first - _product(corner, across.T), corner], [corner.T, last]])


def _lengths(state: _State, step: _Step, most: float) -> tuple[float, float]:
    """How far all stays positive: for the plan, and for the multipliers."""
    plan = min(_reach(state.cells, step.cells), _reach(state.room, step.room), _one(2 - state.theta, -step.theta))
    dual = min(_reach(state.low, step.low), _reach(state.high, step.high), _one(state.top, step.top))
    return min(1.0, most * plan), min(1.0, most * dual)


def _advance(state: _State, step: _Step, plan: float, dual: float) -> None:
    state.own, state.cells = state.own + plan * step.own, state.cells + plan * step.cells
    state.theta += plan * step.theta
    state.low, state.high = state.low + dual * step.low, state.high + dual * step.high
    state.top += dual * step.top


def _reach(value: Floats, change: Floats) -> float:
    falling = change < 0
    return float((value[falling] / -change[falling]).min(initial=np.inf))


def _one(value: float, change: float) -> float:
    return value / -change if change < 0 else np.inf
