"""Systems of a few classes, with all of their solutions."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from phverify.disclosure.classes.selected import Ints
from phverify.disclosure.classes.system import ClassSystem, Entries


def system_of(
    matrix: Ints, low: Ints, high: Ints, origins: Ints | None = None
) -> ClassSystem:
    """A system of tight classes; each sum is a selection of its own, or as said."""
    rows, columns = np.nonzero(matrix)
    entries = Entries(rows, columns, matrix[rows, columns], len(matrix))
    label = np.arange(len(low))
    tight = np.ones(len(low), dtype=bool)
    if origins is None:
        origins = np.arange(len(matrix))
    return ClassSystem(entries, origins, label, low, high, tight, label, label)


def moving(matrix: Ints, low: Ints, high: Ints) -> set[tuple[int, int]]:
    """Which classes go which way in some integers, all of them tried."""
    found = set()
    for moves in solutions(matrix, low, high):
        found |= {(k, int(np.sign(move))) for k, move in enumerate(moves) if move}
    return found


def solutions(matrix: Ints, low: Ints, high: Ints) -> Ints:
    """All integers within the bounds that leave the sums at 0."""
    ends = zip(low.tolist(), high.tolist(), strict=True)
    ranges = [range(least, most + 1) for least, most in ends]
    every = np.array(list(itertools.product(*ranges)))
    found: Ints = every[(every @ matrix.T == 0).all(axis=1)]
    return found


class Cells:
    """A few cells of a small table, and the margins of some of its columns; ``names``
    are those of the columns.
    """

    names: ClassVar[Sequence[str]]

    def __init__(
        self,
        cells: Sequence[Sequence[int]],
        read: Sequence[Sequence[str]],
        ends: Sequence[tuple[int, int]],
        factor: int = 1,
    ) -> None:
        self.width = len(cells)
        columns = np.array(cells, dtype=np.int64).T
        self.attributes = dict(zip(self.names, columns, strict=True))
        self.read = [frozenset(shown) for shown in read]
        sums: list[Ints] = []
        origins = []
        for place, shown in enumerate(self.read):
            chosen = np.array([self.attributes[name] for name in sorted(shown)]).T
            for key in np.unique(chosen, axis=0):
                inside = (chosen == key).all(axis=1)
                sums.append(factor * inside.astype(np.int64))
                origins.append(place)
        self.matrix = np.array(sums)
        self.origins = np.array(origins)
        self.low, self.high = np.array(ends, dtype=np.int64).T

    def system(self) -> ClassSystem:
        """The cells as classes."""
        return system_of(self.matrix, self.low, self.high, self.origins)

    def solutions(self) -> Ints:
        """All worlds, as the moves of the cells."""
        return solutions(self.matrix, self.low, self.high)

    def movable(self) -> set[int]:
        """The cells that are not 0 in some world."""
        moved = self.solutions().any(axis=0)
        return set(np.flatnonzero(moved).tolist())

    def is_world(self, moves: Ints) -> bool:
        """Whether moves are within the bounds and leave all sums."""
        inside = (self.low <= moves) & (moves <= self.high)
        return bool(inside.all()) and not (self.matrix @ moves).any()
