"""Other points with the same sums: steps along integer vectors that change no equation.

A heuristic for worlds, no proof of anything: what it finds has to be checked.  The row space is in reduced echelon
form, so each column that is no pivot has a vector of its own: one in its place (or a small number, where that makes
the others integers), and in each pivot's what keeps that row.  Small entries modulo the prime are taken for integers.
Where a vector leads out of the ranges, its difference to another one, which shares its pivots, often does not.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import islice

import numpy as np

from phverify.smt.integers import Assignment
from phverify.smt.linear import Atom
from phverify.smt.rowspace import PRIME, RowSpace

LARGEST, DENOMINATOR = 1000, 6
"""The largest entry of a vector, and the largest number in its own column."""
COLUMNS = 1000
"""So many columns may change in a point."""
TRIED = 64
"""So many vectors are tried for a column."""
Matrix = np.ndarray[tuple[int, ...], np.dtype[np.int64]]
Vector = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


class NullSpace:
    """Vectors that change no equation of ``space``, around a ``point``.

    Only atoms in ``ranges`` change, and keep to them; ``wanted`` are those that should.
    """

    def __init__(
        self, space: RowSpace, ranges: Mapping[str, tuple[int, int]], point: Assignment, wanted: Collection[str]
    ) -> None:
        chosen = _chosen(space, wanted)
        alone = [a for a in wanted if a not in space.columns and a not in space.alone][:COLUMNS]
        self.names = [*chosen, *alone]
        self.places = {name: k for k, name in enumerate(self.names)}
        self.point = {name: point[name] for name in self.names if isinstance(name, str) and name in ranges}
        slack = [self._slack(name, ranges) for name in self.names]
        self.low, self.high = (np.array([ends[k] for ends in slack], dtype=np.int64) for k in (0, 1))
        columns = [space.columns[atom] for atom in chosen]
        matrix = np.pad(space.matrix[:, columns], ((0, 0), (0, len(alone))))  # what no equation is about moves freely
        self.vectors = _vectors(matrix, [self.places[space.first(pivot)] for pivot in space.pivots])

    def _slack(self, name: Atom, ranges: Mapping[str, tuple[int, int]]) -> tuple[int, int]:
        """How far an atom may go down and up."""
        if not isinstance(name, str) or name not in ranges:
            return 0, 0
        low, high = ranges[name]
        return low - self.point[name], high - self.point[name]

    def away(self, wanted: Mapping[str, Sequence[int]]) -> dict[str, int]:
        """Values of another point where many of the wanted atoms are none of the values that they have here.

        Atoms that are as in the point are left out; nothing where no vector leads anywhere.
        """
        change: Vector = np.zeros(len(self.names), dtype=np.int64)
        here = {atom: self.point[atom] for atom in wanted if atom in self.point}
        taken = {self.places[atom]: [value - x for value in wanted[atom]] for atom, x in here.items()}
        done: list[int] = []
        for column, offsets in taken.items():
            if change[column] in offsets:
                keep = np.array(done, dtype=np.int64), np.array([taken[k][0] for k in done], dtype=np.int64)
                found = self.step(change, column, offsets, keep)
                change = change if found is None else found
            if change[column] not in offsets:
                done.append(column)
        return {str(self.names[k]): self.point[str(self.names[k])] + int(change[k]) for k in np.flatnonzero(change)}

    def step(self, change: Vector, column: int, taken: Sequence[int], keep: tuple[Vector, Vector]) -> Vector | None:
        """A change that is none of the taken ones in a column, and in others none that they are to keep from."""
        mine = self.vectors[np.flatnonzero(self.vectors[:, column])[:TRIED]]
        if not len(mine):
            return None
        others = mine[0] - self.vectors[:TRIED]
        for vectors in (mine, others[others[:, column] != 0]):
            for factor in range(1, len(taken) + 1):
                for sign in (factor, -factor):
                    moved = change + sign * vectors
                    inside = ((moved >= self.low) & (moved <= self.high)).all(axis=1)
                    good = inside & (moved[:, keep[0]] != keep[1]).all(axis=1)
                    for k in np.flatnonzero(good):
                        if moved[k, column] not in taken:
                            found: Vector = moved[k]
                            return found
        return None


def _chosen(space: RowSpace, wanted: Collection[str]) -> list[Atom]:
    """One atom of each pivot, the wanted ones, and some others."""
    pivots = [space.first(column) for column in space.pivots]
    inside = [atom for atom in wanted if atom in space.columns]
    others = [atom for members in space.members[:COLUMNS] for atom in islice(members, 2)]
    return list(dict.fromkeys([*pivots, *inside, *others]))[: len(pivots) + COLUMNS]


def _vectors(matrix: Matrix, pivots: Sequence[int]) -> Matrix:
    """One vector for each column that is no pivot, where one of small integers is found."""
    free = np.setdiff1d(np.arange(matrix.shape[1]), np.array(pivots, dtype=np.int64))
    found = [np.zeros((0, matrix.shape[1]), dtype=np.int64)]
    for scale in range(1, DENOMINATOR + 1):
        entries = _signed(-scale * matrix[:, free])
        small = (np.abs(entries) <= LARGEST).all(axis=0)
        vectors = np.zeros((int(small.sum()), matrix.shape[1]), dtype=np.int64)
        vectors[np.arange(len(vectors)), free[small]] = scale
        vectors[:, list(pivots)] = entries[:, small].T
        found.append(vectors)
        free = free[~small]
    return np.concatenate(found)


def _signed(residues: Matrix) -> Matrix:
    """Residues as the integers nearest to zero."""
    found: Matrix = (residues + PRIME // 2) % PRIME - PRIME // 2
    return found
