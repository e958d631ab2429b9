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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
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


@dataclass(frozen=True, eq=False)
class Point:
    """An iterate: its plan, how far it goes, a multiplier for each bound, and a price for each part.

    The bounds are 0 <= cell (``low``), cell <= own (``high``) and theta <= 2 (``top``).  A step from one iterate to
    the next has the same fields.
    """

    own: Floats
    cells: Floats
    theta: float
    low: Floats
    high: Floats
    top: float
    prices: Floats

    @property
    def room(self) -> Floats:
        """How far each cell lies below its bound."""
        return self.own[:, None] - self.cells

    def slacks(self, most: float = 2.0) -> tuple[Floats, ...]:
        """How far each bound is from being met; with ``most`` = 0, how a step changes that."""
        return self.cells, self.room, np.array(most - self.theta)

    def multipliers(self) -> tuple[Floats, ...]:
        """Those of the bounds, in the order of ``slacks``."""
        return self.low, self.high, np.array(self.top)

    def gap(self) -> float:
        """The mean of the products of slacks and multipliers, which are 0 at an optimum."""
        total = sum(float((one * two).sum()) for one, two in zip(self.slacks(), self.multipliers(), strict=True))
        return total / (2 * self.cells.size + 1)

    def moved(self, step: Point, most: float) -> Point:
        """As far along a step as all slacks and multipliers stay positive, at most so large a share of that."""
        plan = min(1.0, most * min(map(_reach, self.slacks(), step.slacks(0.0))))
        dual = min(1.0, most * min(map(_reach, self.multipliers(), step.multipliers())))
        return Point(
            own=self.own + plan * step.own,
            cells=self.cells + plan * step.cells,
            theta=self.theta + plan * step.theta,
            low=self.low + dual * step.low,
            high=self.high + dual * step.high,
            top=self.top + dual * step.top,
            prices=step.prices,
        )


def _reach(value: Floats, change: Floats) -> float:
    """How many times a change can be made before a value falls to 0."""
    falling = change < 0
    return float((value[falling] / -change[falling]).min(initial=np.inf))


def proposal(shape: Shape, most: int = 150) -> Iterator[Point]:
    """The iterates; the caller stops when one of them can be made exact.  Mehrotra's predictor and corrector."""
    own, cells, centre = start(shape)
    mu = 1.0 / cells.size
    point = Point(own, cells, 0.0, mu / cells, mu / (own[:, None] - cells), mu / 2, np.zeros(len(centre)))
    gaps: list[float] = []
    for _ in range(most):
        try:
            system = _System(shape, point, centre)
            first = system.step((0.0, 0.0, 0.0))
            point = point.moved(system.step(_corrected(point, first)), 0.99)
        except np.linalg.LinAlgError:
            return
        yield point
        gaps.append(point.gap())
        stuck = gaps[-1] < 1e-6 * mu and gaps[-1] > 0.5 * max(gaps[-9:-8], default=np.inf)
        if stuck or gaps[-1] < 1e-10 / point.cells.size**1.5:
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


def _corrected(point: Point, first: Point) -> list[Floats]:
    """How much the first step closes the gap says how much to centre; its products say what it bends."""
    mu = point.gap()
    aim = mu * (point.moved(first, 1.0).gap() / mu) ** 3
    return [aim - one * two for one, two in zip(first.slacks(0.0), first.multipliers(), strict=True)]


class _System:
    """The equations of one Newton step: row sums, column sums (which move with theta), stationarity.

    The unknowns of row i are the change of its own entry and its multiplier; those of all rows are the multipliers of
    the columns, and theta.  ``sides`` couples them, ``inner`` is what elimination of the rows makes of it.
    Raises LinAlgError where floats find the equations singular.
    """

    def __init__(self, shape: Shape, point: Point, centre: Floats) -> None:
        self.shape, self.point, self.centre = shape, point, centre
        self.sizes = shape.sizes[shape.rows]
        self.move = shape.sizes * shape.guess - centre  # how column sums change with theta
        m, n = point.cells.shape
        a, b = point.low / point.cells, point.high / point.room
        self.share, self.spread = b / (a + b), shape.weights / (a + b)
        sides = np.zeros((m, 2, n + 1))
        sides[:, 0, :n], sides[:, 1, :n] = self.share * shape.weights, -shape.weights * self.spread
        mixed, last = self.sizes + sides[:, 0].sum(axis=1), sides[:, 1].sum(axis=1)
        self.blocks = np.array([[(a * self.share).sum(axis=1), mixed], [mixed, last]]).transpose(2, 0, 1)
        big = np.zeros((n + 1, n + 1))
        big[np.arange(n), np.arange(n)] = sides[:, 1, :n].sum(axis=0)
        big[:n, n] = big[n, :n] = -self.move
        big[n, n] = point.top / (2 - point.theta)
        sides[np.arange(m), 0, shape.rows] += self.sizes
        self.inner = np.linalg.solve(self.blocks, sides)
        big -= _product(sides.reshape(2 * m, n + 1).T, self.inner.reshape(2 * m, n + 1))
        self.inverse = _inverse(big[1:, 1:])

    def step(self, target: Sequence[Floats | float]) -> Point:
        """The step towards these products of slacks and multipliers."""
        shape, point, weights = self.shape, self.point, self.shape.weights
        low, high, top = (aim / slack for aim, slack in zip(target, point.slacks(), strict=True))
        force = low - high
        push = force / (point.low / point.cells + point.high / point.room)
        amounts = weights * (point.cells + push)
        first = (self.share * force + high).sum(axis=1)
        second = self.sizes * (shape.truth[shape.rows] - point.own) - amounts.sum(axis=1)
        sums = amounts.sum(axis=0)
        sums[shape.rows] += self.sizes * point.own
        right = np.append(self.centre + point.theta * self.move - sums, 1 - top)
        given = np.stack((first, second), axis=1)
        right -= np.tensordot(given, self.inner, 2)
        free = np.append(0.0, self.inverse @ right[1:])  # rows and columns have one sum: the first price may be 0
        if not np.isfinite(free).all():
            raise np.linalg.LinAlgError("the step has no bounds")
        own, row = (np.linalg.solve(self.blocks, given[:, :, None])[:, :, 0] - self.inner @ free).T
        cells = self.share * own[:, None] - self.spread * (row[:, None] + free[None, :-1]) + push
        moved = replace(point, own=own, cells=cells, theta=float(free[-1]), prices=-free[:-1])
        found = zip(target, point.slacks(), moved.slacks(0.0), point.multipliers(), strict=True)
        duals = [(aim - held * change) / slack - held for aim, slack, change, held in found]
        return replace(moved, low=duals[0], high=duals[1], top=float(duals[2]))


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
