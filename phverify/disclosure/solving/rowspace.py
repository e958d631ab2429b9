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
from phverify.disclosure.solving.linear_rows import Atom, LinearRow, combined

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
            # A factor that the prime divides has no inverse there.
            if factor % PRIME:
                self.alone.setdefault(atom, number)
                self.take_out(atom)
                return
        factors = row.parts.items()
        parts = {atom: factor for atom, factor in factors if atom not in self.alone}
        alike = grouped(
            ((self.columns.get(atom), factor), atom) for atom, factor in parts.items()
        )
        apart = []
        for (column, _), atoms in alike.items():
            if column is None or len(atoms) < len(self.members[column]):
                apart.append((column, atoms))
        height = len(self.pivots) + 1
        width = max(len(self.members) + len(apart), len(self.rows))
        if height * width > LARGEST:
            # Neither the equation nor what it tells apart: the space is the others'.
            return
        self.split(apart)
        vector = np.zeros(self.matrix.shape[1], dtype=np.int64)
        for atom, factor in parts.items():
            # Atoms of one column have one factor: the last one speaks for all.
            vector[self.columns[atom]] = factor % PRIME
        self.reduce(vector, number)

    def take_out(self, atom: Atom) -> None:
        """Take an atom that is known by itself out of the matrix: proofs take it out by
        its own equation.
        """
        column = self.columns.pop(atom, None)
        if column is None:
            return
        members = self.members[column]
        del members[atom]
        if members:
            return
        del self.members[column]
        if column in self.pivots:
            # The row needs another pivot, or says nothing of what is left.
            k = self.pivots.index(column)
            vector = self.matrix[k]
            self.matrix = np.delete(self.matrix, k, axis=0)
            del self.pivots[k]
            self.place(vector)

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
                # The last ones keep it.
                continue
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
        if not self.places(vector):
            return
        self.equations[len(vector)] = number
        self.matrix = np.pad(self.matrix, ((0, 0), (0, 1)))
        self.place(np.append(vector, 1))

    def places(self, vector: Array) -> list[int]:
        """The columns that a vector is about."""
        nonzero = np.flatnonzero(vector).tolist()
        return [column for column in nonzero if column in self.members]

    def place(self, vector: Array) -> None:
        """One more row, and all rows against it; none where it is about no column."""
        places = self.places(vector)
        if not places:
            return

        def preference(column: int) -> tuple[bool, int]:
            """1 or -1 as a pivot, and many members, make small vectors."""
            unit = vector[column] in (1, PRIME - 1)
            return unit, len(self.members[column])

        pivot = max(places, key=preference)
        vector = vector * pow(int(vector[pivot]), -1, PRIME) % PRIME
        matrix = np.pad(self.matrix, ((0, 1), (0, 0)))
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
        with_one_column = np.count_nonzero(inside, axis=1) == 1
        for k in np.flatnonzero(with_one_column):
            pivot = self.pivots[k]
            atom = self.first(pivot)
            # Of several members of a column only the sum is determined.
            if atom not in self.proofs and len(self.members[pivot]) == 1:
                self.combine(atom, self.contributions(self.matrix[k].tolist()))

    def contributions(self, row: Sequence[int]) -> dict[int, Fraction | None]:
        """What each equation contributes to a row, as a fraction."""
        factors = {}
        for column, number in self.equations.items():
            if row[column]:
                factors[number] = rational(row[column])
        return factors

    def combine(self, atom: Atom, factors: Mapping[int, Fraction | None]) -> None:
        """The proof that an atom is determined by a proposed combination, when it is
        one with what stands alone.
        """
        proposed = factors.items()
        known = {number: factor for number, factor in proposed if factor is not None}
        scale, total, _ = combined(known, self.rows, lambda row, _: row.low)
        # What is known by itself is taken out by its own equation.
        for other in (total.keys() & self.alone.keys()) - {atom}:
            number = self.alone[other]
            factor = scale * self.rows[number].parts[other]
            known[number] = -Fraction(total[other], factor)
        value = checked(atom, known, self.rows)
        if value is not None:
            origins = frozenset([self.rows[k].origin for k in known])
            self.proofs[atom] = Combination(atom, value, known, origins)


def rational(residue: int) -> Fraction | None:
    """The fraction with a small numerator and denominator that has this residue."""
    limit = 2**15
    # Euclid's algorithm: numerators stand to factors as the residue does, all the way.
    before, numerator = PRIME, residue
    factor_before, factor = 0, 1
    while numerator >= limit:
        quotient = before // numerator
        before, numerator = numerator, before - quotient * numerator
        factor_before, factor = factor, factor_before - quotient * factor
    if 0 < abs(factor) < limit:
        return Fraction(numerator, factor)
    return None


def checked(
    atom: Atom, factors: Mapping[int, Fraction], rows: Sequence[LinearRow]
) -> Fraction | None:
    """The value that a combination of equations gives to an atom; None when it does not
    single out the atom.
    """
    # A combination with an inequality is a bound, and no value.
    exact = all(rows[k].exact for k in factors)
    if not exact:
        return None
    scale, total, value = combined(factors, rows, lambda row, _: row.low)
    singled_out = {atom: scale}
    if total == singled_out:
        return Fraction(value, scale)
    return None
