"""Solutions in integers that a floating-point solver found: between which values they
have each atom.

What the solver says is rounded, and counts where all rows and ranges hold of it in
integers.  Where rows are all that is said of their atoms, such a solution is a world: a
value that it has is attained.  In a table with its margins every corner of the rows is
in integers, so that a proven bound is attained by the solution that it comes with.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from phverify.constraints import terms as t
from phverify.disclosure.solving.linear_rows import Atom, LinearRow, Ranges, flat

Ints = NDArray[np.int64]
LARGEST = 2**62
"""Sums of rows are smaller: no sum of 64 bits overflows."""


def beyond_rows(terms: Iterable[t.Term]) -> set[Atom]:
    """The unknowns of which some terms say what no row over unknowns says."""
    names: set[Atom] = set()
    for term in flat(terms):
        unknowns = t.unknowns([term])
        variables = unknowns.variables.values()
        gaps = any(v.values for v in variables)
        said = _plain(term)
        if gaps or not said:
            names |= unknowns.names
    return names


def _plain(term: t.Term) -> bool:
    """Whether a term is a sum of unknowns within bounds."""
    if not isinstance(term, t.Within):
        return False
    body = term.total
    return not (body.counts or body.gated or body.further)


class IntegerSolutions:
    """The solutions of some rows that were met so far; ``fixed`` are atoms that a row
    of their own fixes.
    """

    def __init__(
        self, rows: Sequence[LinearRow], ranges: Ranges, fixed: Mapping[Atom, int]
    ) -> None:
        parts = [
            (place, atom, factor)
            for place, row in enumerate(rows)
            for atom, factor in row.parts.items()
        ]
        self.places = {atom: 0 for _, atom, _ in parts}
        for place, atom in enumerate(self.places):
            self.places[atom] = place
        ends = [ranges[atom] for atom in self.places]
        sums = [(row.low, row.high) for row in rows]
        self.small = _small(ends, sums, [factor for _, _, factor in parts])
        if not self.small:
            return
        self.rows = np.array([place for place, _, _ in parts], dtype=np.int64)
        columns = [self.places[atom] for _, atom, _ in parts]
        self.columns = np.array(columns, dtype=np.int64)
        self.factors = np.array([factor for _, _, factor in parts], dtype=np.int64)
        self.sums = np.array(sums, dtype=np.int64).reshape(-1, 2)
        self.ends = np.array(ends, dtype=np.int64).reshape(-1, 2)
        self.held = np.zeros(len(ends), dtype=np.int64)
        for atom, value in fixed.items():
            self.held[self.places[atom]] = value
        self.open = [atom for atom in self.places if atom not in fixed]
        places = [self.places[atom] for atom in self.open]
        self.moving = np.array(places, dtype=np.int64)
        # Nothing is attained so far: each end is beyond the other.
        self.least = self.ends[:, 1] + 1
        self.most = self.ends[:, 0] - 1

    def learn(self, proposed: Mapping[Atom, float]) -> None:
        """A solution, if what is proposed of what no row fixes is near one."""
        if not self.small:
            return
        moving = [proposed[atom] for atom in self.open]
        reals = np.array(moving)
        # Beyond such numbers nothing is a solution, and no 64 bits have it.
        small = np.abs(reals) < LARGEST
        if not small.all():
            return
        values = self.held.copy()
        nearest = np.rint(reals)
        values[self.moving] = nearest
        if self.solved(values):
            self.least = np.minimum(self.least, values)
            self.most = np.maximum(self.most, values)

    def solved(self, values: Ints) -> bool:
        """Whether integers are a solution, exactly."""
        low, high = self.ends[:, 0], self.ends[:, 1]
        if not ((low <= values) & (values <= high)).all():
            return False
        totals = np.zeros(len(self.sums), dtype=np.int64)
        np.add.at(totals, self.rows, self.factors * values[self.columns])
        inside = (self.sums[:, 0] <= totals) & (totals <= self.sums[:, 1])
        return bool(inside.all())

    def attains(self, atom: Atom, end: int, sign: int) -> bool:
        """Whether ``end`` is the least (``sign`` 1) or greatest (-1) value met."""
        if not self.small or atom not in self.places:
            return False
        met = self.least if sign > 0 else self.most
        return int(met[self.places[atom]]) == end


def _small(
    ends: Sequence[tuple[int, int]],
    sums: Sequence[tuple[int, int]],
    factors: Sequence[int],
) -> bool:
    """Whether no sum of 64 bits overflows."""
    widest = max([1, *(max(map(abs, pair)) for pair in ends)])
    heaviest = max([1, *map(abs, factors)])
    largest = max([1, *(max(map(abs, pair)) for pair in sums)])
    return widest * heaviest * max(1, len(factors)) < LARGEST and largest < LARGEST
