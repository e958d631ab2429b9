"""A float proposal for Definition 14: how far the guess can be pushed away from a guess
that is sound for sure.

Unknowns by parts: ``own[i]`` = F(x, x) and ``cells[i, j]`` = F(x, y), 0 <= cells[i, j]
<= own[i], row sums P.  Column sums are ``centre + theta * (guess - centre)``, where the
centre is what x gives half to itself and half to all. ``proposal`` follows the central
path of ``maximize theta`` (a primal-dual interior point method; own code, because the
blocks of the equations leave one dense system with a row for each part, where a general
solver would see the square of that).  theta >= 1 is a plan with room everywhere; the
multipliers of the columns are prices; and at theta = 1 the limit tells which cells are
0 or at their bound in every plan.  Nothing here is trusted: plans and prices are made
exact, and checked, elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PlanShape:
    """The question in floats: shares of one record of each part, sizes of parts, and
    which parts have a true share.
    """

    truth: Floats
    guess: Floats
    sizes: Floats
    rows: npt.NDArray[np.intp]

    @cached_property
    def weights(self) -> Floats:
        """How many pairs of different records (x, y) each cell stands for."""
        sizes = self.sizes[self.rows]
        pairs = np.outer(sizes, self.sizes)
        # a record makes no pair with itself
        places = np.arange(len(self.rows))
        pairs[places, self.rows] -= sizes
        return pairs


@dataclass(frozen=True, eq=False)
class Iterate:
    """An iterate: its plan, how far it goes, a multiplier for each bound, and a price
    for each part.

    The bounds of a cell are 0 <= cell and cell <= own, in this order.  A step from one
    iterate to the next has the same fields.
    """

    own: Floats
    cells: Floats
    theta: float
    multipliers: Floats
    prices: Floats

    @property
    def slacks(self) -> Floats:
        """How far each bound is from being met; for a step, how it changes that."""
        below = self.own[:, None] - self.cells
        return np.stack((self.cells, below))

    def gap(self) -> float:
        """The mean of the products of slacks and multipliers, which are 0 at an
        optimum.
        """
        products = self.slacks * self.multipliers
        mean = products.mean()
        return float(mean)

    def moved(self, step: Iterate, most: float) -> Iterate:
        """As far along a step as all slacks and multipliers stay positive, at most so
        large a share of that.
        """
        plan = min(1.0, most * _reach(self.slacks, step.slacks))
        dual = min(1.0, most * _reach(self.multipliers, step.multipliers))
        return Iterate(
            own=self.own + plan * step.own,
            cells=self.cells + plan * step.cells,
            theta=self.theta + plan * step.theta,
            multipliers=self.multipliers + dual * step.multipliers,
            prices=step.prices,
        )


def _reach(value: Floats, change: Floats) -> float:
    """How many times a change can be made before a value falls to 0."""
    falling = change < 0
    room = value[falling]
    speed = -change[falling]
    times = room / speed
    fewest = times.min(initial=np.inf)
    return float(fewest)


def proposal(shape: PlanShape, most: int = 150) -> Iterator[Iterate]:
    """The iterates; the caller stops when one of them can be made exact.  Mehrotra's
    predictor and corrector.
    """
    own, cells, centre = start(shape)
    # all products of slacks and multipliers are the same: on the central path
    mu = 1.0 / cells.size
    point = Iterate(
        own,
        cells,
        0.0,
        mu / np.stack((cells, own[:, None] - cells)),
        np.zeros(len(centre)),
    )
    gaps = [point.gap()]
    for _ in range(most):
        try:
            system = _newton(shape, point, centre)
            first = system.step(np.zeros(()))
            # how much the first step closes the gap says how much to centre; its
            # products say what it bends
            aim = gaps[-1] * (point.moved(first, 1.0).gap() / gaps[-1]) ** 3
            second = system.step(aim - first.slacks * first.multipliers)
            point = point.moved(second, 0.99)
        except np.linalg.LinAlgError:
            return
        yield point
        gaps.append(point.gap())
        stuck = gaps[-1] < 1e-6 * mu and gaps[-1] > 0.5 * max(
            gaps[1:][-9:-8], default=np.inf
        )
        if stuck or gaps[-1] < 1e-10 / point.cells.size**1.5:
            return  # as near as floats come


def start(shape: PlanShape) -> tuple[Floats, Floats, Floats]:
    """The central plan, and the column sums of all records of each part."""
    total = shape.sizes.sum()
    true = shape.truth[shape.rows]
    cells = np.repeat((true / (2 * total))[:, None], len(shape.sizes), axis=1)
    own = true * (total + 1) / (2 * total)
    sums: Floats = (shape.weights * cells).sum(axis=0)
    sums[shape.rows] += shape.sizes[shape.rows] * own
    return own, cells, sums


@dataclass(frozen=True, eq=False)
class _NewtonSystem:
    """The equations of a step, with the unknowns of the rows eliminated.

    They are row sums, column sums (which move with theta), stationarity.  The unknowns
    of row i are the change of its own entry and its multiplier; those of all rows are
    the multipliers of the columns, and theta.  ``blocks`` has the equations of each
    row, ``inner`` what elimination of the rows makes of their coupling to the columns,
    ``inverse`` solves for what is left.
    """

    shape: PlanShape
    point: Iterate
    centre: Floats
    blocks: Floats
    inner: Floats
    inverse: Floats

    @property
    def move(self) -> Floats:
        """How column sums change with theta."""
        return _move(self.shape, self.centre)

    def step(self, target: Floats) -> Iterate:
        """The step towards given products of slacks and multipliers.

        Raises LinAlgError where floats find no bounded one.
        """
        shape, point = self.shape, self.point
        slacks = point.slacks
        stiff, share, spread = _stiffness(shape, point)
        low, high = target / slacks
        push = (low - high) / stiff
        given, sums = self.residuals(share * (low - high) + high, point.cells + push)
        right = np.append(
            self.centre + point.theta * self.move - sums, 1.0
        ) - np.tensordot(given, self.inner, 2)
        # rows and columns have one sum: the first price may be 0
        free = np.append(0.0, self.inverse @ right[1:])
        if not np.isfinite(free).all():
            raise np.linalg.LinAlgError("the step has no bounds")
        own, row = (
            np.linalg.solve(self.blocks, given[:, :, None])[:, :, 0] - self.inner @ free
        ).T
        cells = share * own[:, None] - spread * (row[:, None] + free[None, :-1]) + push
        moved = Iterate(own, cells, float(free[-1]), point.multipliers, -free[:-1])
        multipliers = (
            target - point.multipliers * moved.slacks
        ) / slacks - point.multipliers
        return replace(moved, multipliers=multipliers)

    def residuals(self, pull: Floats, cells: Floats) -> tuple[Floats, Floats]:
        """What is left of the equations of each row, and the column sums so far."""
        shape, point = self.shape, self.point
        sizes = shape.sizes[shape.rows]
        amounts = shape.weights * cells
        first = pull.sum(axis=1)
        missing = sizes * (shape.truth[shape.rows] - point.own)
        second = missing - amounts.sum(axis=1)
        sums = amounts.sum(axis=0)
        sums[shape.rows] += sizes * point.own
        return np.stack((first, second), axis=1), sums


def _move(shape: PlanShape, centre: Floats) -> Floats:
    """How column sums change with theta."""
    move: Floats = shape.sizes * shape.guess - centre
    return move


def _stiffness(shape: PlanShape, point: Iterate) -> tuple[Floats, Floats, Floats]:
    """How hard a cell is to move: by both bounds, the share of the upper one, and how
    far a price moves it.
    """
    a, b = point.multipliers / point.slacks
    both = a + b
    return both, b / both, shape.weights / both


def _newton(shape: PlanShape, point: Iterate, centre: Floats) -> _NewtonSystem:
    """The system at an iterate.

    ``sides`` couples the unknowns of the rows with those of all.  Raises LinAlgError
    where floats find the equations singular.
    """
    rows, weights = shape.rows, shape.weights
    sizes = shape.sizes[rows]
    m, n = point.cells.shape
    lower, _ = point.multipliers / point.slacks
    _, share, spread = _stiffness(shape, point)
    sides = np.zeros((m, 2, n + 1))
    sides[:, 0, :n], sides[:, 1, :n] = share * weights, -weights * spread
    mixed = sizes + sides[:, 0].sum(axis=1)
    last = sides[:, 1].sum(axis=1)
    pairs = [[(lower * share).sum(axis=1), mixed], [mixed, last]]
    blocks = np.array(pairs).transpose(2, 0, 1)

    big = np.zeros((n + 1, n + 1))
    big[np.arange(n), np.arange(n)] = sides[:, 1, :n].sum(axis=0)
    big[:n, n] = big[n, :n] = -_move(shape, centre)
    sides[np.arange(m), 0, rows] += sizes
    inner = np.linalg.solve(blocks, sides)
    big -= _product(sides.reshape(2 * m, n + 1).T, inner.reshape(2 * m, n + 1))
    return _NewtonSystem(shape, point, centre, blocks, inner, _inverse(big[1:, 1:]))


BLOCK, LARGE = 64, 600
"""Between these sizes no threads are started: on a machine that is busy they wait for
each other fifty times as long as the work takes.
"""


def _product(one: Floats, two: Floats) -> Floats:
    """The product of two matrices."""
    if len(one) >= LARGE:
        return one @ two
    # BLAS starts threads, einsum does not
    product = np.einsum("ij,jk->ik", one, two)
    return np.asarray(product)


def _inverse(matrix: Floats) -> Floats:
    """The inverse of a symmetric matrix whose leading blocks have inverses, block by
    block.
    """
    n = len(matrix)
    if n <= BLOCK or n >= LARGE:
        return np.linalg.inv(matrix).astype(np.float64)
    k = n // 2
    first = _inverse(matrix[:k, :k])
    side = matrix[:k, k:]
    across = _product(first, side)
    last = _inverse(matrix[k:, k:] - _product(side.T, across))
    corner = -_product(across, last)
    return np.block([[first - _product(corner, across.T), corner], [corner.T, last]])
