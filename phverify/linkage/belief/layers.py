"""Both directions of the theorem behind Definition 14: from a plan F to a belief
function, and back.

Layers: the values in a row of F, from the highest down, cut it into uniform
distributions over sets that all contain x, because the highest value stands at x.
Back: each record passes what it received from a set evenly to its members.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction

from phverify.exact import ZERO
from phverify.linkage.belief.compatible import Allocation
from phverify.linkage.belief.mass import Mass
from phverify.linkage.belief.mass_frame import MassFrame, Subset
from phverify.linkage.belief.plans import Plan
from phverify.spec.bitset import members

Matrix = Mapping[tuple[int, int], Fraction]
"""F(x, y) by the records' numbers, without zeros."""


def belief_of(frame: MassFrame, plan: Plan) -> tuple[Mass, Allocation]:
    """A belief function with the guess as its pignistic distribution, and its
    allocation to the truth.

    The frame must hold the records of the plan.
    """
    matrix: dict[tuple[int, int], Fraction] = {}
    for (x, y), share in plan.matrix().items():
        true = frame.number(x)
        guessed = frame.number(y)
        matrix[true, guessed] = share
    return from_matrix(frame, matrix)


def from_matrix(frame: MassFrame, matrix: Matrix) -> tuple[Mass, Allocation]:
    """The mass of all layers, and the allocation that gives each layer to the record
    whose row it is in.

    The entries must be >= 0, sum to 1, and none may exceed its row's diagonal.
    """
    rows: dict[int, dict[int, Fraction]] = defaultdict(dict)
    for (x, y), share in matrix.items():
        rows[x][y] = share

    given: dict[tuple[Subset, int], Fraction] = {}
    masses: dict[Subset, Fraction] = defaultdict(Fraction)
    for x, row in rows.items():
        for subset, amount in layers(row):
            given[subset, x] = amount
            masses[subset] += amount

    return Mass(frame, masses), Allocation(given)


def layers(row: Mapping[int, Fraction]) -> Iterator[tuple[Subset, Fraction]]:
    """A row as uniform distributions over nested sets, with what each weighs: largest
    values first.
    """
    positive = [y for y, share in row.items() if share]
    falling = sorted(positive, key=lambda y: (-row[y], y))
    subset = 0
    for count, y in enumerate(falling, start=1):
        subset |= 1 << y
        below = ZERO
        if count < len(falling):
            below = row[falling[count]]
        # records of one value share a layer
        if row[y] > below:
            height = row[y] - below
            yield subset, height * count


def matrix_of(allocation: Allocation) -> dict[tuple[int, int], Fraction]:
    """F of an allocation: what a record received from a set goes evenly to the set's
    members.
    """
    matrix: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
    for (subset, true), share in allocation.shares.items():
        each = share / subset.bit_count()
        for guessed in members(subset):
            matrix[true, guessed] += each
    return dict(matrix)
