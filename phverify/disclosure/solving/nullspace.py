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
from phverify.disclosure.solving.linear import Atom, Range
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
        self.point = {
            name: point[name]
            for name in self.names
            if isinstance(name, str) and name in ranges
        }
        ends = np.zeros(
            (len(self.names) + 1, 2), dtype=np.int64
        )  # how far each may go down and up; the last is none
        for name, value in self.point.items():
            low, high = ranges[name]
            ends[self.places[name]] = low - value, high - value
        self.low, self.high = ends.T
        block = np.zeros(
            (len(pivots), len(free)), dtype=np.int64
        )  # what no equation is about moves freely
        inside = [k for k, atom in enumerate(free) if atom in space.columns]
        block[:, inside] = space.matrix[:, [space.columns[free[k]] for k in inside]]
        scales, entries = _vectors(block)
        found = np.flatnonzero(scales)
        self.own = np.append(found + len(pivots), len(self.names))
        self.scales = np.append(scales[found], 0)
        self.entries = np.pad(entries[:, found].T, ((0, 1), (0, 0)))

    def away(self, wanted: Mapping[str, Sequence[int]]) -> dict[str, int]:
        """Values of another point where many of the wanted atoms are none of the values
        that they have here.

        Atoms that are as in the point are left out; nothing where no vector leads
        anywhere.
        """
        change: Array = np.zeros(len(self.low), dtype=np.int64)
        keep = np.full(
            len(self.low), NEVER, dtype=np.int64
        )  # what is moved does not come back
        for atom, values in wanted.items():
            if atom not in self.point:
                continue
            column, taken = (
                self.places[atom],
                [value - self.point[atom] for value in values],
            )
            if change[column] in taken:
                self.step(change, column, taken, keep)
            if change[column] not in taken:
                keep[column] = taken[0]
        return {
            str(self.names[k]): self.point[str(self.names[k])] + int(change[k])
            for k in np.flatnonzero(change)
        }

    def step(
        self, change: Array, column: int, taken: Sequence[int], keep: Array
    ) -> None:
        """Change to what is none of the taken values in a column, and in others none
        that they are to keep from.

        By a vector that changes it, or by the difference of the first such one to
        another.
        """
        pivots, nothing = self.entries.shape[1], len(self.own) - 1
        mine = np.flatnonzero(
            self.entries[:, column] if column < pivots else self.own == column
        )[:TRIED]
        if not len(mine):
            return
        others = np.array(
            [k for k in range(min(TRIED, nothing)) if k != mine[0]], dtype=np.int64
        )
        for one, other in (
            (mine, np.full_like(mine, nothing)),
            (np.full_like(others, mine[0]), others),
        ):
            columns = np.column_stack([self.own[one], self.own[other]])
            places = np.hstack(
                [np.broadcast_to(np.arange(pivots), (len(one), pivots)), columns]
            )
            scales = np.column_stack([self.scales[one], -self.scales[other]])
            amounts = np.hstack([self.entries[one] - self.entries[other], scales])
            for factor in range(1, len(taken) + 1):
                for sign in (factor, -factor):
                    new = change[places] + sign * amounts
                    good = (
                        (new >= self.low[places])
                        & (new <= self.high[places])
                        & (new != keep[places])
                    )
                    for k in np.flatnonzero(good.all(axis=1)):
                        moved = change.copy()
                        moved[places[k]] = new[k]
                        if moved[column] not in taken:
                            change[:] = moved
                            return


def _free(
    space: RowSpace, pivots: Sequence[Atom], wanted: Collection[str]
) -> list[Atom]:
    """The wanted atoms and some others, none of them one of the pivots."""
    inside = [atom for atom in wanted if atom not in space.alone]
    others = [
        atom
        for members in islice(space.members.values(), COLUMNS)
        for atom in islice(members, 2)
    ]
    several = dict.fromkeys([*inside, *others])
    for atom in pivots:
        several.pop(atom, None)
    return list(several)[: max(COLUMNS, ENTRIES // (len(pivots) + 1))]


def _vectors(block: Array) -> tuple[Array, Array]:
    """For each column that is no pivot the number in its own place, 0 where no small
    one does, and the entries.
    """
    left = np.arange(block.shape[1])
    scales, entries = np.zeros_like(left), np.zeros_like(block)
    for scale in range(1, DENOMINATOR + 1):
        signed = (
            -scale * block[:, left] + PRIME // 2
        ) % PRIME - PRIME // 2  # the integers nearest to zero
        small = (np.abs(signed) <= LARGEST).all(axis=0)
        scales[left[small]] = scale
        entries[:, left[small]] = signed[:, small]
        left = left[~small]
    return scales, entries
