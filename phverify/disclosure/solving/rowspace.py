"""Which atoms do linear equations determine?  An atom has one value iff its unit vector is in the row space.

Elimination runs modulo a prime, where it is fast; what it proposes, a combination of equations, is brought back to
fractions and checked over the integers.  The checked combination is a proof by itself; one that is not found is no
statement at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from phverify.disclosure.grouping import grouped
from phverify.disclosure.solving.linear import Atom, LinearRow, combined

PRIME = 2**31 - 1
"""Products of two residues fit into 64 bits."""
LARGEST = 20_000_000
"""So many entries the matrix may have."""
Vector = np.ndarray[tuple[int, ...], np.dtype[np.int64]]
Matrix = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


@dataclass(frozen=True)
class Combination:
    """``atom = value``, for these equations with these factors add up to it."""

    atom: Atom
    value: Fraction
    factors: Mapping[int, Fraction]
    origins: frozenset[int]


class RowSpace:
    """Equations in reduced echelon form modulo a prime, each as a combination of those that were added.

    An equation about one atom alone is no row of the matrix: the atom is put in wherever it occurs later.  Atoms that
    have the same factor in every equation share a column, the one of their sum: none of them is determined by itself.
    The first equation that tells them apart splits the column.  So the matrix has as many columns as there are groups
    that the answers tell apart, and not as there are cells.

    Each equation that was added has a column, too: what it contributes to a row.  ``own`` are these columns, and
    ``members`` the atoms of the others.
    """

    def __init__(self) -> None:
        self.rows: list[LinearRow] = []
        self.alone: dict[Atom, int] = {}
        self.columns: dict[Atom, int] = {}
        self.own: list[int] = []
        self.members: dict[int, dict[Atom, None]] = {}
        self.ranks: dict[int, int] = {}
        self.arrived: dict[Atom, int] = {}
        self.width = 0
        self.room: Matrix = np.zeros((0, 0), dtype=np.int64)
        self.pivots: list[int] = []
        self.proofs: dict[Atom, Combination] = {}

    def column(self) -> int:
        """A new column."""
        self.width += 1
        return self.width - 1

    def add(self, rows: Iterable[LinearRow], check: Callable[[], None] = lambda: None) -> None:
        """More equations; rows that are none are passed over, and so is what would make the matrix too large.

        ``check`` raises where the time is over; what was added by then is in the space.
        """
        for row in rows:
            check()
            if row.exact and row.parts:
                self.rows.append(row)
                self.own.append(self.column())
                self.one(row, len(self.rows) - 1)
        self.prove()

    def one(self, row: LinearRow, number: int) -> None:
        if len(row.parts) == 1:
            (atom,) = row.parts
            if atom not in self.proofs and (found := self.combination(atom, {number: Fraction(1, row.parts[atom])})):
                self.proofs[atom] = found
            if atom not in self.columns and row.parts[atom] % PRIME:
                self.alone.setdefault(atom, number)
                return
        new = self.apart(row)
        if (len(self.pivots) + 1) * max(len(self.members) + len(new), len(self.rows)) > LARGEST:
            return  # neither the equation nor what it tells apart: the space is that of the others
        self.split(new)
        self.widen()
        self.reduce(self.vector(row, number))

    def apart(self, row: LinearRow) -> list[tuple[int | None, list[Atom]]]:
        """Atoms of which an equation says something else than of the others of their column, or that have none."""
        parts = [(atom, factor) for atom, factor in row.parts.items() if atom not in self.alone]
        groups = grouped(((self.columns.get(atom), factor), atom) for atom, factor in parts)
        several = [(column, atoms) for (column, _), atoms in groups.items()]
        return [(c, atoms) for c, atoms in several if c is None or len(atoms) < len(self.members[c])]

    def split(self, new: Iterable[tuple[int | None, list[Atom]]]) -> None:
        """A column of their own for such atoms, which is as the one was that they had."""
        for column, atoms in new:
            if column is not None and len(atoms) == len(self.members[column]):
                continue  # the last ones keep it
            place = self.column()
            for atom in atoms:
                self.arrived.setdefault(atom, len(self.arrived))
            self.members[place] = dict.fromkeys(atoms)
            self.ranks[place] = min(self.arrived[atom] for atom in atoms)
            self.columns |= dict.fromkeys(atoms, place)
            if column is not None:
                self.part(column, place)

    def part(self, column: int, place: int) -> None:
        """Some members of a column have got one of their own, at ``place``.

        The first one that arrived stays the pivot, as it were without shared columns: its vectors are the smaller ones.
        """
        for atom in self.members[place]:
            del self.members[column][atom]
        self.widen()
        self.matrix[:, place] = self.matrix[:, column]
        if self.ranks[place] == self.ranks[column]:
            self.ranks[column] = self.arrived[self.first(column)]
            self.pivots = [place if pivot == column else pivot for pivot in self.pivots]

    @property
    def matrix(self) -> Matrix:
        """The rows, each with a pivot; there is room for more of them."""
        return self.room[: len(self.pivots), : self.width]

    def first(self, column: int) -> Atom:
        """One atom of a column."""
        return next(iter(self.members[column]))

    def vector(self, row: LinearRow, number: int) -> Vector:
        """An equation, with the atoms put in that stand alone, and which equations that takes."""
        vector = np.zeros(self.width, dtype=np.int64)
        vector[self.own[number]] = 1
        for atom, factor in row.parts.items():
            if atom in self.columns:
                vector[self.columns[atom]] = factor % PRIME
            else:
                place = self.alone[atom]
                vector[self.own[place]] = -factor * pow(self.rows[place].parts[atom], -1, PRIME) % PRIME
        return vector

    def widen(self) -> None:
        """Room for new columns and one more row, doubled when it is used up."""
        needs = zip((len(self.pivots) + 1, self.width), self.room.shape, strict=True)
        more = [max(need, 2 * have) - have if need > have else 0 for need, have in needs]
        if any(more):
            self.room = np.pad(self.room, ((0, more[0]), (0, more[1])))

    def reduce(self, vector: Vector) -> None:
        """One elimination step: the vector against all rows, then all rows against what is left of it."""
        for row, pivot in zip(self.matrix, self.pivots, strict=True):
            if by := int(vector[pivot]):
                vector = (vector - by * row) % PRIME
        places = self.ranks.keys() & np.flatnonzero(vector).tolist()
        if not places:
            return
        pivot = min(places, key=self.ranks.__getitem__)
        vector = vector * pow(int(vector[pivot]), -1, PRIME) % PRIME
        for k in np.flatnonzero(self.matrix[:, pivot]):
            self.matrix[k] = (self.matrix[k] - int(self.matrix[k, pivot]) * vector) % PRIME
        self.room[len(self.pivots), : self.width] = vector
        self.pivots.append(pivot)

    def prove(self) -> None:
        """Every row with one atom determines it, where the combination holds over the integers, too."""
        inside = self.matrix[:, list(self.members)]
        numbers = {column: number for number, column in enumerate(self.own)}
        for k in np.flatnonzero(np.count_nonzero(inside, axis=1) == 1):
            atom = self.first(self.pivots[k])
            if atom in self.proofs or len(self.members[self.pivots[k]]) > 1:
                continue
            row = self.matrix[k]
            columns = [column for column in np.flatnonzero(row).tolist() if column in numbers]
            fractions = {numbers[column]: rational(int(row[column])) for column in columns}
            if found := self.combination(atom, fractions):
                self.proofs[atom] = found

    def combination(self, atom: Atom, factors: Mapping[int, Fraction | None]) -> Combination | None:
        """A proposed combination, when it is one."""
        known = {place: factor for place, factor in factors.items() if factor is not None}
        value = checked(atom, known, self.rows) if len(known) == len(factors) else None
        if value is None:
            return None
        return Combination(atom, value, known, frozenset(self.rows[k].origin for k in known))


def rational(residue: int) -> Fraction | None:
    """The fraction with a small numerator and denominator that has this residue."""
    limit = 2**15
    (r0, s0), (r1, s1) = (PRIME, 0), (residue, 1)
    while r1 >= limit:
        q = r0 // r1
        (r0, s0), (r1, s1) = (r1, s1), (r0 - q * r1, s0 - q * s1)
    return Fraction(r1, s1) if s1 and abs(s1) < limit else None


def checked(atom: Atom, factors: Mapping[int, Fraction], rows: Sequence[LinearRow]) -> Fraction | None:
    """The value that a combination of equations gives to an atom; None when it does not single out the atom."""
    if not all(rows[k].exact for k in factors):
        return None
    scale, total, value = combined(factors, rows, lambda row, _: row.low)
    return Fraction(value, scale) if total == {atom: scale} else None
