"""What a mass says of a set: belief, plausibility, commonality; their Moebius inverses;
the pignistic distribution.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from functools import partial

from phverify.errors import refusal
from phverify.exact import ZERO, common_denominator
from phverify.linkage.belief.mass import Mass, Masses, Shares
from phverify.linkage.belief.mass_frame import MassFrame, Subset
from phverify.spec.bitset import members, within

TABLE = 20
"""Frames of at most so many records get tables of all subsets."""


def belief(mass: Mass, subset: Subset) -> Fraction:
    """Bel(A): the mass within A (formula 3)."""
    inside = ZERO
    for focal, share in mass.focal.items():
        if within(focal, subset):
            inside += share
    return inside


def plausibility(mass: Mass, subset: Subset) -> Fraction:
    """Pl(A) = 1 - Bel(X - A): the mass of the sets that meet A."""
    meeting = ZERO
    for focal, share in mass.focal.items():
        if focal & subset:
            meeting += share
    return meeting


def commonality(mass: Mass, subset: Subset) -> Fraction:
    """Q(A): the mass of the sets that contain A."""
    around = ZERO
    for focal, share in mass.focal.items():
        if within(subset, focal):
            around += share
    return around


def probability(shares: Shares, subset: Subset) -> Fraction:
    """P(A) of a probability by record numbers."""
    total = ZERO
    for record in members(subset):
        if record in shares:
            total += shares[record]
    return total


def pignistic(mass: Mass) -> dict[int, Fraction]:
    """Definition 4: each set's mass spread evenly over its members.

    Records with share 0 are left out.
    """
    each = {b: m / b.bit_count() for b, m in mass.focal.items()}
    # sums of integers over one denominator, and one fraction for each distinct sum
    scale = common_denominator(list(each.values()))
    units: dict[int, int] = defaultdict(int)
    for b, share in each.items():
        amount = int(share * scale)
        for k in members(b):
            units[k] += amount

    value = {amount: Fraction(amount, scale) for amount in set(units.values())}
    return {k: value[units[k]] for k in sorted(units)}


def belief_table(mass: Mass) -> list[Fraction]:
    """Bel of every subset, by its mask.  Raises InputError for a frame of more than
    ``TABLE`` records.
    """
    return summed_within(_table(mass))


def plausibility_table(mass: Mass) -> list[Fraction]:
    """Pl of every subset, by its mask."""
    # the complement of the subset with mask A has the mask 2^n - 1 - A
    table = belief_table(mass)
    # the complement of a subset stands as far from the end as the subset from the start
    table.reverse()
    return [1 - believed for believed in table]


def commonality_table(mass: Mass) -> list[Fraction]:
    """Q of every subset, by its mask."""
    return summed_around(_table(mass))


def _table(mass: Mass) -> list[Fraction]:
    """The mass of every subset, by its mask.  Raises InputError for large frames."""
    size = len(mass.frame)
    if size > TABLE:
        what = f"{size} records have 2^{size} subsets"
        hint = f"tables stop at {TABLE} records"
        raise refusal("table", what, hint)

    table = [ZERO] * (1 << size)
    for subset, share in mass.focal.items():
        table[subset] = share
    return table


def from_belief(frame: MassFrame, table: Sequence[Fraction]) -> Mass:
    """The mass whose belief table this is (formula 2, Moebius).

    Raises InputError when the table is no belief function's: a mass would be negative,
    or they do not sum to 1.
    """
    masses = differences_within(table)
    focal = _focal(frame, masses)
    return Mass(frame, focal)


def from_commonality(frame: MassFrame, table: Sequence[Fraction]) -> Mass:
    """The mass whose commonality table this is.  Raises InputError when there is
    none.
    """
    masses = differences_around(table)
    focal = _focal(frame, masses)
    return Mass(frame, focal)


def _focal(frame: MassFrame, table: Sequence[Fraction]) -> dict[Subset, Fraction]:
    """The sets of a table of masses that have one.  Raises InputError for a table of
    another frame.
    """
    subsets = 1 << len(frame)
    if len(table) != subsets:
        what = f"{len(table)} values for the {subsets} subsets of {len(frame)} records"
        raise refusal("table", what)

    focal: Masses = {}
    for subset, share in enumerate(table):
        if share:
            focal[subset] = share
    return focal


def _sweep(table: Sequence[Fraction], sign: int, *, inside: bool) -> list[Fraction]:
    """Add (or subtract) along one record after the other: each set takes the value of
    the set without the record, or, from outside, with it.
    """
    values = list(table)
    bit = 1
    while bit < len(values):
        for a in range(len(values)):
            # a ^ bit keeps its value in this sweep: each pair is met once
            if bool(a & bit) == inside:
                values[a] += sign * values[a ^ bit]
        bit <<= 1

    return values


summed_within = partial(_sweep, sign=1, inside=True)
"""f(A) = sum of g(B) over B within A, in n 2^(n-1) additions."""
differences_within = partial(_sweep, sign=-1, inside=True)
"""The inverse of ``summed_within``: g(A) = sum of (-1)^|A - B| f(B) over B within A."""
summed_around = partial(_sweep, sign=1, inside=False)
"""f(A) = sum of g(B) over B that contain A."""
differences_around = partial(_sweep, sign=-1, inside=False)
"""The inverse of ``summed_around``."""
