"""Integer equations by lattices: one solution, a reduced basis of the others, and forms
to branch on.

The reformulation is that of Aardal, Hurkens and Lenstra (Math. Oper. Res. 25, 2000),
the order of branching that of Schnorr and Euchner.  All of it is a proposal:
``branch_conditions.checked`` looks at it in integers before anything rests on it.
Reduction is FLINT's (python-flint), an extra.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import product
from typing import Any

import numpy as np

from phverify.disclosure.solving.equations import ENTRY, Equations, Ints

Reals = np.ndarray[Any, np.dtype[np.floating[Any]]]
Truths = np.ndarray[Any, np.dtype[np.bool_]]

SCALE, GAIN = 2**10, 2**7
"""How fine forms and multipliers are rounded: coarser ones are proofs as well, and cut
less.
"""

BLOCK = 8
"""So many vectors of a basis are looked at together."""
_SIGNS = product((-1.0, 0.0, 1.0), repeat=BLOCK)
# One of each pair of opposite factors, and not all of them 0.
_FACTORS = np.array([factors for factors in _SIGNS if factors > (0.0,) * BLOCK])


@dataclass(frozen=True, eq=False)
class Lattice:
    """``point`` + integer multiples of the rows of ``basis`` are solutions; ``inverse``
    finds the multiples.
    """

    point: Ints
    basis: Ints
    inverse: Ints

    def permuted(self, places: list[int]) -> Lattice:
        """The same with the columns in another order."""
        return Lattice(
            self.point[places], self.basis[:, places], self.inverse[:, places]
        )


@dataclass(frozen=True, eq=False)
class Proposal:
    """All integer solutions of equations, and forms to branch on.

    Row k of ``forms`` is a linear form of ``2 x - low - high`` that the first k rows of
    the basis leave alone, the last one a form that all leave alone; ``gains`` and
    ``limits`` say which multiples of it are tried.
    """

    equations: Equations
    lattice: Lattice
    forms: Ints
    gains: Reals
    limits: Ints
    norms: Reals


def available() -> bool:
    """Whether FLINT is installed."""
    return find_spec("flint") is not None


def proposed(
    given: Equations,
    start: Lattice | None = None,
    tours: int = 0,
    seconds: float = math.inf,
) -> Proposal | None:
    """A point, a reduced basis and forms; None where there is no integer point, or
    numbers become too large.

    ``start`` are all integer solutions of some of the equations; so many ``tours`` are
    made to reduce the basis more, as long as the ``seconds`` suffice.
    """
    if start is None:
        whole = np.eye(len(given.columns), dtype=np.int64)
        start = Lattice(np.zeros(len(whole), dtype=np.int64), whole, whole)
    lattice = _solutions(given, start)
    if lattice is None:
        return None
    lattice = _better(given, lattice, tours, seconds)
    basis = lattice.basis
    # The inverse and the point that are nearest to the middle of the box.
    width = (given.high - given.low).astype(np.float64)
    multiples = _combination(given.matrix * width, lattice.inverse * width)
    inverse = lattice.inverse - _rounded(multiples) @ given.matrix
    middle = (given.low + given.high) / 2
    gram = (basis @ basis.T).astype(np.float64)
    away = np.linalg.solve(gram, basis @ (lattice.point - middle))
    point = lattice.point - _rounded(away) @ basis
    if not small(point, basis, inverse):
        return None
    return _forms(given, Lattice(point, basis, inverse))


def _better(given: Equations, lattice: Lattice, tours: int, seconds: float) -> Lattice:
    """The lattice with a basis that was reduced more, as far as there is time."""
    began = time.monotonic()
    for tour in range(tours):
        spent = time.monotonic() - began
        # One more tour takes about as long as those before.
        if spent * (tour + 1) > seconds * max(tour, 1):
            break
        better = _toured(given, lattice)
        if better is None or np.array_equal(better.basis, lattice.basis):
            break
        lattice = better
    return lattice


def rank(matrix: Ints) -> int:
    """The rank of an integer matrix."""
    rows = matrix.tolist()
    exact = _flint().fmpz_mat(rows)
    return int(exact.rank())


def _flint() -> Any:
    import flint

    return flint


def small(*parts: Ints, limit: int = ENTRY) -> bool:
    """Whether no entry is beyond a limit; the absolute value of the least 64-bit
    integer would be negative.
    """
    for part in parts:
        if not part.size:
            continue
        largest = max(int(part.max()), -int(part.min()))
        if largest > limit:
            return False
    return True


def _solutions(given: Equations, start: Lattice) -> Lattice | None:
    """Of the points of a lattice those that satisfy the equations, with a reduced
    basis.
    """
    if not len(start.basis):
        return start
    moved = start.basis @ given.matrix.T
    # Equations that all vectors leave alone ask nothing of them.
    moved = moved[:, moved.any(axis=0)]
    turned = _turned(given, start.basis, moved)
    if turned is None:
        return None
    rows, inside = turned
    # Of the new basis by the old one.
    back = _inverse(rows @ start.inverse.T)
    point = _point(given, start.point, rows[~inside])
    if back is None or point is None:
        return None
    inverse = back.T[inside] @ start.inverse
    multiples = _combination(given.matrix * 1.0, inverse * 1.0)
    inverse = inverse - _rounded(multiples) @ given.matrix
    if not small(point, inverse):
        return None
    return Lattice(point, rows[inside], inverse)


def _inverse(change: Ints) -> Ints | None:
    """The inverse of a square matrix, where it is one of small integers."""
    rows = change.tolist()
    exact = _flint().fmpz_mat(rows)
    rational = exact.inv()
    back, denominator = rational.numer_denom()
    entries = back.tolist()
    inverse = np.array(entries, dtype=object)
    sizes = map(abs, inverse.flat)
    largest = max(sizes, default=0)
    if denominator != 1 or largest > ENTRY:
        return None
    return inverse.astype(np.int64)


def _turned(given: Equations, basis: Ints, moved: Ints) -> tuple[Ints, Truths] | None:
    """A reduced basis of the same lattice, and which of it the equations do not move,
    by LLL.
    """
    width = given.high - given.low
    many = moved.shape[1]
    # An unknown with little room is to move little.
    weights = np.maximum(1, int(width.max()) // width)
    # What equations move weighs most, so that LLL makes it 0 first.
    heavy = 1000 * int(weights.max())
    start = np.concatenate([heavy * moved, basis * weights], axis=1)
    reduced = _flint().fmpz_mat(start.tolist()).lll(delta=0.99, eta=0.51)
    whole = np.array(reduced.tolist(), dtype=object)
    if max(map(abs, whole.flat)) > 2**62:
        return None
    entries = whole.astype(np.int64)
    rows = entries[:, many:] // weights
    inside = (entries[:, :many] == 0).all(axis=1)
    if small(rows):
        return (rows, inside)
    return None


def _point(given: Equations, start: Ints, others: Ints) -> Ints | None:
    """An integer solution, whatever the bounds: a start, and a combination of vectors
    that the equations move.

    By the normal equations: where there is no solution, what they give is none, as
    ``branch_conditions.checked`` sees.
    """
    if not len(others):
        return start
    moved = _flint().fmpz_mat((others @ given.matrix.T).tolist())
    missing = given.right - given.matrix @ start
    lacking = _flint().fmpz_mat([[int(value)] for value in missing])
    gram = moved * moved.transpose()
    # Of dependent vectors the normal equations have no one solution.
    if gram.rank() < len(others):
        return None
    solution = gram.solve(moved * lacking)
    factors = [solution[k, 0] for k in range(len(others))]
    if any(factor.q != 1 or abs(factor.p) > 2**30 for factor in factors):
        return None
    whole = np.array([int(factor.p) for factor in factors], dtype=np.int64)
    return start + whole @ others


def _toured(given: Equations, lattice: Lattice) -> Lattice | None:
    """A basis whose Gram-Schmidt vectors are shorter at the front, so that the later
    ones are longer.

    In each block of the basis the shortest sum of vectors with factors -1, 0 and 1
    comes first.  This is block reduction with little blocks; LLL cleans up.
    """
    basis = lattice.basis
    scale = 1 / (given.high - given.low)
    upper = np.linalg.qr((basis * scale).T)[1]
    for k in range(len(basis) - BLOCK + 1):
        sums = _FACTORS @ upper[k : k + BLOCK, k : k + BLOCK].T
        sizes = (sums * sums).sum(axis=1)
        best = int(sizes.argmin())
        if sizes[best] < 0.99 * upper[k, k] ** 2:
            factors = _FACTORS[best].astype(np.int64)
            # Its factor is 1 or -1: the others and the sum are a basis.
            last = k + int(np.flatnonzero(factors)[-1])
            new = factors @ basis[k : k + BLOCK]
            parts = [basis[:k], new[None, :], basis[k:last], basis[last + 1 :]]
            basis = np.concatenate(parts)
            upper = np.linalg.qr((basis * scale).T)[1]
    back = _inverse(basis @ lattice.inverse.T)
    if back is None:
        return None
    inverse = back.T @ lattice.inverse
    return _solutions(given, Lattice(lattice.point, basis, inverse))


def _forms(given: Equations, lattice: Lattice) -> Proposal:
    """The forms along the Gram-Schmidt vectors, where each unknown counts in units of
    its own range.
    """
    point, basis, inverse = lattice.point, lattice.basis, lattice.inverse
    width = (given.high - given.low).astype(np.float64)
    tall = given.matrix * width

    # Gram-Schmidt: row j of mu has the multiples of the earlier vectors in the j-th.
    _, upper = np.linalg.qr((2 * basis / width).T)
    diagonal = np.diag(upper)
    norms = diagonal**2
    mu = (upper / diagonal[:, None]).T

    # Forms may be moved by the equations, which is 0 for solutions: the nearest to 0.
    factors = _rounded(np.tril(mu).T * (SCALE / 2))
    forms = factors @ inverse
    forms = forms - _rounded(_combination(tall, forms * width)) @ given.matrix
    center = (2 * point - given.low - given.high) / width
    multiples = _combination(tall, center[None, :]) * (GAIN * SCALE)
    base = _rounded(multiples) @ given.matrix

    gains = norms * (GAIN / SCALE)
    reach = 2 * np.sqrt(len(width) * norms) * GAIN
    limits = np.ceil(reach).astype(np.int64) + 1
    return Proposal(given, lattice, np.concatenate([forms, base]), gains, limits, norms)


def _combination(rows: Reals, targets: Reals) -> Reals:
    """The factors with which rows come nearest to each target."""
    factors, *_ = np.linalg.lstsq(rows.T, targets.T, rcond=None)
    return factors.T


def _rounded(values: Reals) -> Ints:
    return np.rint(values).astype(np.int64)
