"""Other points with the same sums: steps along integer vectors that change no equation.

A heuristic for worlds, no proof of anything: what it finds has to be checked.  The row
space is in reduced echelon form, so each column that is no pivot has a vector of its
own: one in its place (or a small number, where that makes the others integers), and in
each pivot's what keeps that row.  Small entries modulo the prime are taken for
integers. Where a vector leads out of the ranges, its difference to another one, which
shares its pivots, often does not.

Only a vector's entries in the pivots are kept, and the one in its own place: all others
are zero.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import islice

import numpy as np

from phverify.constraints.terms import Assignment
from phverify.disclosure.solving.linear_rows import Atom, Range
from phverify.disclosure.solving.rowspace import PRIME, Array, RowSpace

LARGEST, DENOMINATOR = 1000, 6
"""The largest entry of a vector, and the largest number in its own column."""
COLUMNS, ENTRIES = 1000, 10_000_000
"""So many columns may change in a point, or as many more as so many entries of vectors
allow.
"""
TRIED = 64
"""So many vectors are tried for a column."""
NEVER = np.iinfo(np.int64).min
"""No change is that."""


class NullSpace:
    """Vectors that change no equation of ``space``, around a ``point``; the last one
    changes nothing at all.

    Only atoms in ``ranges`` change, and keep to them; ``wanted`` are those that should.
    Row k of ``entries`` is what vector k changes in the pivots, ``scales`` what it
    changes in the column ``own``.
    """

    def __init__(
        self,
        space: RowSpace,
        ranges: Mapping[str, Range],
        point: Assignment,
        wanted: Collection[str],
    ) -> None:
        pivots = [space.first(column) for column in space.pivots]
        free = _free(space, pivots, wanted)
        self.names = [*pivots, *free]
        self.places = {name: k for k, name in enumerate(self.names)}
        self.point: dict[str, int] = {}
        for name in self.names:
            if isinstance(name, str) and name in ranges:
                self.point[name] = point[name]
        # How far each may go down and up; the last is none.
        ends = np.zeros((len(self.names) + 1, 2), dtype=np.int64)
        for name, value in self.point.items():
            low, high = ranges[name]
            ends[self.places[name]] = low - value, high - value
        self.low, self.high = ends.T
        # What no equation is about moves freely.
        block = np.zeros((len(pivots), len(free)), dtype=np.int64)
        inside = [k for k, atom in enumerate(free) if atom in space.columns]
        columns = [space.columns[free[k]] for k in inside]
        block[:, inside] = space.matrix[:, columns]
        scales, entries = _vectors(block)
        small = np.flatnonzero(scales)
        self.own = np.append(small + len(pivots), len(self.names))
        self.scales = np.append(scales[small], 0)
        self.entries = np.pad(entries[:, small].T, ((0, 1), (0, 0)))

    def away(self, wanted: Mapping[str, Sequence[int]]) -> dict[str, int]:
        """Values of another point where many of the wanted atoms are none of the values
        that they have here.

        Atoms that are as in the point are left out; nothing where no vector leads
        anywhere.
        """
        change: Array = np.zeros(len(self.low), dtype=np.int64)
        # What is moved does not come back.
        keep = np.full(len(self.low), NEVER, dtype=np.int64)
        for atom, values in wanted.items():
            if atom not in self.point:
                continue
            column = self.places[atom]
            taken = [value - self.point[atom] for value in values]
            if change[column] in taken:
                self.step(change, column, taken, keep)
            if change[column] not in taken:
                keep[column] = taken[0]
        moved = {}
        for k in np.flatnonzero(change):
            name = str(self.names[k])
            moved[name] = self.point[name] + int(change[k])
        return moved

    def step(
        self, change: Array, column: int, taken: Sequence[int], keep: Array
    ) -> None:
        """Change to what is none of the taken values in a column, and in others none
        that they are to keep from.

        By a vector that changes it, or by the difference of the first such one to
        another.
        """
        pivots = self.entries.shape[1]
        nothing = len(self.own) - 1
        changing = self.entries[:, column] if column < pivots else self.own == column
        mine = np.flatnonzero(changing)[:TRIED]
        if not len(mine):
            return
        first = mine[0]

        rest = [k for k in range(min(TRIED, nothing)) if k != first]
        others = np.array(rest, dtype=np.int64)
        # The last vector is nothing: with it a difference is a vector alone.
        alone = mine, np.full_like(mine, nothing)
        differences = np.full_like(others, first), others
        for one, other in (alone, differences):
            if self._moved(change, column, taken, keep, one, other):
                return

    def _moved(
        self,
        change: Array,
        column: int,
        taken: Sequence[int],
        keep: Array,
        one: Array,
        other: Array,
    ) -> bool:
        """Whether a small multiple of some vector ``one - other`` fits; then the change
        has it.
        """
        pivots = self.entries.shape[1]
        shared = np.broadcast_to(np.arange(pivots), (len(one), pivots))
        own = np.column_stack([self.own[one], self.own[other]])
        places = np.hstack([shared, own])
        scales = np.column_stack([self.scales[one], -self.scales[other]])
        amounts = np.hstack([self.entries[one] - self.entries[other], scales])
        low = self.low[places]
        high = self.high[places]
        kept_from = keep[places]
        for factor in range(1, len(taken) + 1):
            for sign in (factor, -factor):
                new = change[places] + sign * amounts
                fits = (low <= new) & (new <= high) & (new != kept_from)
                for k in np.flatnonzero(fits.all(axis=1)):
                    # What fits may still leave the column at a value that is taken.
                    moved = change.copy()
                    moved[places[k]] = new[k]
                    if moved[column] not in taken:
                        change[:] = moved
                        return True
        return False


def _free(
    space: RowSpace, pivots: Sequence[Atom], wanted: Collection[str]
) -> list[Atom]:
    """The wanted atoms and some others, none of them one of the pivots."""
    inside = [atom for atom in wanted if atom not in space.alone]
    others: list[Atom] = []
    for members in islice(space.members.values(), COLUMNS):
        # Two members of a column: one up and one down leave every sum as it is.
        others += islice(members, 2)
    several = dict.fromkeys([*inside, *others])
    for atom in pivots:
        several.pop(atom, None)
    # Each free column has a vector with an entry for each pivot.
    most = max(COLUMNS, ENTRIES // (len(pivots) + 1))
    return list(several)[:most]


def _vectors(block: Array) -> tuple[Array, Array]:
    """For each column that is no pivot the number in its own place, 0 where no small
    one does, and the entries.
    """
    left = np.arange(block.shape[1])
    scales = np.zeros_like(left)
    entries = np.zeros_like(block)
    for scale in range(1, DENOMINATOR + 1):
        # The integers nearest to zero with these residues.
        half = PRIME // 2
        signed = (-scale * block[:, left] + half) % PRIME - half
        small = (np.abs(signed) <= LARGEST).all(axis=0)
        settled = left[small]
        scales[settled] = scale
        entries[:, settled] = signed[:, small]
        left = left[~small]
    return scales, entries
