"""Other points with the same sums: steps along integer vectors that change no equation.

A heuristic for worlds, no proof of anything: what it finds has to be checked.  The row space is in reduced echelon
form, so each column that is no pivot has a vector of its own: one in its place (or a small number, where that makes
the others integers), and in each pivot's what keeps that row.  Small entries modulo the prime are taken for integers.
Where a vector leads out of the ranges, its difference to another one, which shares its pivots, often does not.

Only a vector's entries in the pivots are kept, and the one in its own place: all others are zero.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from phverify.constraints.terms import Assignment
from phverify.disclosure.solving.linear import Atom, Range
from phverify.disclosure.solving.rowspace import PRIME, RowSpace

Vector = np.ndarray[tuple[int, ...], np.dtype[np.int64]]
Matrix = np.ndarray[tuple[int, ...], np.dtype[np.int64]]
LARGEST, DENOMINATOR = 1000, 6
"""The largest entry of a vector, and the largest number in its own column."""
COLUMNS, ENTRIES = 1000, 10_000_000
"""So many columns may change in a point, or as many more as so many entries of vectors allow."""
TRIED = 64
"""So many vectors are tried for a column."""
NEVER = np.iinfo(np.int64).min
"""No change is that."""


@dataclass(frozen=True)
class Moves:
    """Several changes: of each its entries in the pivots, and two other columns with what is added there."""

    pivots: Matrix
    columns: Matrix
    amounts: Matrix


class NullSpace:
    """Vectors that change no equation of ``space``, around a ``point``.

    Only atoms in ``ranges`` change, and keep to them; ``wanted`` are those that should.
    """

    def __init__(
        self, space: RowSpace, ranges: Mapping[str, Range], point: Assignment, wanted: Collection[str]
    ) -> None:
        pivots = [space.first(column) for column in space.pivots]
        free = _free(space, pivots, wanted)
        self.names = [*pivots, *free]
        self.places = {name: k for k, name in enumerate(self.names)}
        self.point = {name: point[name] for name in self.names if isinstance(name, str) and name in ranges}
        slack = [*(self._slack(name, ranges) for name in self.names), (0, 0)]  # the last column is none
        self.low, self.high = (np.array([ends[k] for ends in slack], dtype=np.int64) for k in (0, 1))
        block = np.zeros((len(pivots), len(free)), dtype=np.int64)  # what no equation is about moves freely
        inside = [k for k, atom in enumerate(free) if atom in space.columns]
        block[:, inside] = space.matrix[:, [space.columns[free[k]] for k in inside]]
        own, self.scales, self.entries = _vectors(block)
        self.own = own + len(pivots)
        self.vector = {int(column): k for k, column in enumerate(self.own)}

    def _slack(self, name: Atom, ranges: Mapping[str, Range]) -> Range:
        """How far an atom may go down and up."""
        if not isinstance(name, str) or name not in ranges:
            return 0, 0
        low, high = ranges[name]
        return low - self.point[name], high - self.point[name]

    def away(self, wanted: Mapping[str, Sequence[int]]) -> dict[str, int]:
        """Values of another point where many of the wanted atoms are none of the values that they have here.

        Atoms that are as in the point are left out; nothing where no vector leads anywhere.
        """
        change: Vector = np.zeros(len(self.low), dtype=np.int64)
        keep = np.full(len(self.low), NEVER, dtype=np.int64)  # what is moved does not come back
        for atom, values in wanted.items():
            if atom not in self.point:
                continue
            column, taken = self.places[atom], [value - self.point[atom] for value in values]
            if change[column] in taken:
                self.step(change, column, taken, keep)
            if change[column] not in taken:
                keep[column] = taken[0]
        return {str(self.names[k]): self.point[str(self.names[k])] + int(change[k]) for k in np.flatnonzero(change)}

    def step(self, change: Vector, column: int, taken: Sequence[int], keep: Vector) -> None:
        """Change to what is none of the taken values in a column, and in others none that they are to keep from."""
        pivots = self.entries.shape[1]
        mine = np.flatnonzero(self.entries[:, column])[:TRIED] if column < pivots else self.vector.get(column)
        mine = np.atleast_1d(np.array([] if mine is None else mine, dtype=np.int64))
        if not len(mine):
            return
        for moves in (self.alone(mine), self.differences(int(mine[0]), column)):
            for factor in range(1, len(taken) + 1):
                for sign in (factor, -factor):
                    inner = change[:pivots] + sign * moves.pivots
                    outer = change[moves.columns] + sign * moves.amounts
                    good = self.allowed(inner, slice(pivots), keep) & self.allowed(outer, moves.columns, keep)
                    for k in np.flatnonzero(good):
                        new = inner[k, column] if column < pivots else outer[k, 0]
                        if new not in taken:
                            change[:pivots] = inner[k]
                            change[moves.columns[k]] = outer[k]
                            return

    def allowed(self, moved: Matrix, columns: Matrix | slice, keep: Vector) -> Any:
        """Which changes keep to the ranges, and from what they are to keep from."""
        inside = (moved >= self.low[columns]) & (moved <= self.high[columns])
        return (inside & (moved != keep[columns])).all(axis=1)

    def alone(self, vectors: Vector) -> Moves:
        """Vectors by themselves."""
        none = np.full(len(vectors), len(self.names))
        columns = np.column_stack([self.own[vectors], none])
        return Moves(self.entries[vectors], columns, np.column_stack([self.scales[vectors], 0 * none]))

    def differences(self, one: int, column: int) -> Moves:
        """The differences of a vector to others that change a column."""
        others = np.array([k for k in range(min(TRIED, len(self.own))) if k != one], dtype=np.int64)
        entries = self.entries[one] - self.entries[others]
        if column < entries.shape[1]:
            kept = entries[:, column] != 0
            others, entries = others[kept], entries[kept]
        first = np.full(len(others), one)
        columns = np.column_stack([self.own[first], self.own[others]])
        return Moves(entries, columns, np.column_stack([self.scales[first], -self.scales[others]]))


def _free(space: RowSpace, pivots: Sequence[Atom], wanted: Collection[str]) -> list[Atom]:
    """The wanted atoms and some others, none of them one of the pivots."""
    inside = [atom for atom in wanted if atom not in space.alone]
    others = [atom for members in islice(space.members.values(), COLUMNS) for atom in islice(members, 2)]
    several = dict.fromkeys([*inside, *others])
    for atom in pivots:
        several.pop(atom, None)
    return list(several)[: max(COLUMNS, ENTRIES // (len(pivots) + 1))]


def _vectors(block: Matrix) -> tuple[Vector, Vector, Matrix]:
    """One vector for each column that is no pivot, where one of small integers is found.

    Its column, the number in that, and its entries in the pivots.
    """
    left = np.arange(block.shape[1])
    own, scales, found = [left[:0]], [left[:0]], [np.zeros((0, block.shape[0]), dtype=np.int64)]
    for scale in range(1, DENOMINATOR + 1):
        entries = _signed(-scale * block[:, left])
        small = (np.abs(entries) <= LARGEST).all(axis=0)
        own.append(left[small])
        scales.append(np.full(int(small.sum()), scale))
        found.append(entries[:, small].T)
        left = left[~small]
    return np.concatenate(own), np.concatenate(scales), np.concatenate(found)


def _signed(residues: Matrix) -> Matrix:
    """Residues as the integers nearest to zero."""
    found: Matrix = (residues + PRIME // 2) % PRIME - PRIME // 2
    return found
