"""Which atoms do linear equations determine?  An atom has one value iff its unit vector
is in the row space.

Elimination runs modulo a prime, where it is fast; what it proposes, a combination of
equations, is brought back to fractions and checked over the integers.  The checked
combination is a proof by itself; one that is not found is no statement at all.
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
Array = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


@dataclass(frozen=True)
class Combination:
    """``atom = value``, for these equations with these factors add up to it."""

    atom: Atom
    value: Fraction
    factors: Mapping[int, Fraction]
    origins: frozenset[int]


class RowSpace:
    """Equations in reduced echelon form modulo a prime, each as a combination of those
    that were added.

    An equation about one atom alone is no row of the matrix: the atom counts as known
    wherever it occurs later.  Atoms that have the same factor in every equation share a
    column, the one of their sum: none of them is determined by itself.  The first
    equation that tells them apart splits the column.  So the matrix has as many columns
    as there are groups that the answers tell apart, and not as there are cells:
    ``members`` are the atoms of each.

    Each equation in the matrix has a column, too: what it contributes to a row.
    ``equations`` has its number.
    """

    def __init__(self) -> None:
        self.rows: list[LinearRow] = []
        self.alone: dict[Atom, int] = {}
        self.columns: dict[Atom, int] = {}
        self.members: dict[int, dict[Atom, None]] = {}
        self.equations: dict[int, int] = {}
        self.matrix: Array = np.zeros((0, 0), dtype=np.int64)
        self.pivots: list[int] = []
        self.proofs: dict[Atom, Combination] = {}

    def add(
        self, rows: Iterable[LinearRow], check: Callable[[], None] = lambda: None
    ) -> None:
        """More equations; rows that are none are passed over, and so is what would make
        the matrix too large.

        ``check`` raises where the time is over; what was added by then is in the space.
        """
        for row in rows:
            check()
            if row.exact and row.parts:
                self.rows.append(row)
                self.one(row)
        self.prove()

    def one(self, row: LinearRow) -> None:
        """One more equation, the last of the rows."""
        number = len(self.rows) - 1
        if len(row.parts) == 1:
            ((atom, factor),) = row.parts.items()
            if atom not in self.proofs:
                self.combine(atom, {number: Fraction(1, factor)})
            if atom not in self.columns and factor % PRIME:
                self.alone.setdefault(atom, number)
                return
        parts = {
            atom: factor for atom, factor in row.parts.items() if atom not in self.alone
        }
        alike = grouped(
            ((self.columns.get(atom), factor), atom) for atom, factor in parts.items()
        )
        apart = [
            (c, atoms)
            for (c, _), atoms in alike.items()
            if c is None or len(atoms) < len(self.members[c])
        ]
        if (len(self.pivots) + 1) * max(
            len(self.members) + len(apart), len(self.rows)
        ) > LARGEST:
            # Neither the equation nor what it tells apart: the space is the others'.
            return
        self.split(apart)
        vector = np.zeros(self.matrix.shape[1], dtype=np.int64)
        for atom, factor in parts.items():
            vector[self.columns[atom]] = factor % PRIME
        self.reduce(vector, number)

    def split(self, apart: Iterable[tuple[int | None, list[Atom]]]) -> None:
        """A column of their own for atoms that are told apart, which is as the one was
        that they had.
        """
        new: list[Array] = []
        for column, atoms in apart:
            if column is None:
                new.append(np.zeros(len(self.pivots), dtype=np.int64))
            elif len(atoms) < len(self.members[column]):
                new.append(self.matrix[:, column])
                for atom in atoms:
                    del self.members[column][atom]
            else:
                continue  # the last ones keep it
            place = self.matrix.shape[1] + len(new) - 1
            self.members[place] = dict.fromkeys(atoms)
            self.columns |= dict.fromkeys(atoms, place)
        self.matrix = np.column_stack([self.matrix, *new])

    def first(self, column: int) -> Atom:
        """One atom of a column."""
        return next(iter(self.members[column]))

    def reduce(self, vector: Array, number: int) -> None:
        """One elimination step: the vector against all rows, then all rows against what
        is left of it.
        """
        for row, pivot in zip(self.matrix, self.pivots, strict=True):
            if by := int(vector[pivot]):
                vector = (vector - by * row) % PRIME
        places = [
            column
            for column in np.flatnonzero(vector).tolist()
            if column in self.members
        ]
        if not places:
            return
        pivot = max(
            places, key=lambda c: (vector[c] in (1, PRIME - 1), len(self.members[c]))
        )  # for small vectors
        self.equations[len(vector)] = number
        vector = np.append(vector, 1) * pow(int(vector[pivot]), -1, PRIME) % PRIME
        matrix = np.pad(self.matrix, ((0, 1), (0, 1)))
        for k in np.flatnonzero(matrix[:, pivot]):
            matrix[k] = (matrix[k] - int(matrix[k, pivot]) * vector) % PRIME
        matrix[-1] = vector
        self.matrix = matrix
        self.pivots.append(pivot)

    def prove(self) -> None:
        """Every row with one atom determines it, where the combination holds over the
        integers, too.
        """
        inside = self.matrix[:, list(self.members)]
        for k in np.flatnonzero(np.count_nonzero(inside, axis=1) == 1):
            atom = self.first(self.pivots[k])
            if atom not in self.proofs and len(self.members[self.pivots[k]]) == 1:
                row = self.matrix[k].tolist()
                self.combine(
                    atom,
                    {
                        n: rational(row[column])
                        for column, n in self.equations.items()
                        if row[column]
                    },
                )

    def combine(self, atom: Atom, factors: Mapping[int, Fraction | None]) -> None:
        """The proof that an atom is determined by a proposed combination, when it is
        one with what stands alone.
        """
        known = {
            number: factor for number, factor in factors.items() if factor is not None
        }
        scale, total, _ = combined(known, self.rows, lambda row, _: row.low)
        for other in (total.keys() & self.alone.keys()) - {atom}:
            number = self.alone[other]
            known[number] = -Fraction(
                total[other], scale * self.rows[number].parts[other]
            )
        value = checked(atom, known, self.rows)
        if value is not None:
            self.proofs[atom] = Combination(
                atom, value, known, frozenset(self.rows[k].origin for k in known)
            )


def rational(residue: int) -> Fraction | None:
    """The fraction with a small numerator and denominator that has this residue."""
    limit = 2**15
    (r0, s0), (r1, s1) = (PRIME, 0), (residue, 1)
    while r1 >= limit:
        q = r0 // r1
        (r0, s0), (r1, s1) = (r1, s1), (r0 - q * r1, s0 - q * s1)
    return Fraction(r1, s1) if s1 and abs(s1) < limit else None


def checked(
    atom: Atom, factors: Mapping[int, Fraction], rows: Sequence[LinearRow]
) -> Fraction | None:
    """The value that a combination of equations gives to an atom; None when it does not
    single out the atom.
    """
    if not all(rows[k].exact for k in factors):
        return None
    scale, total, value = combined(factors, rows, lambda row, _: row.low)
    return Fraction(value, scale) if total == {atom: scale} else None
