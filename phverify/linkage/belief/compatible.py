"""Definition 7: a belief function is compatible with a probability P when P(C) >=
Bel(C) for all C.

No subset is enumerated.  Bel is compatible iff every focal set can hand its mass to its
members so that each record x receives P(x) (``encodings/belief-compatibility.md``,
Theorem 1): a transport.  The allocation is the proof.  When there is none, the focal
sets that a maximum flow cannot empty have members that it fills to the brim: their
union C holds more mass than P(C), and is the witness.

Sets that agree where P > 0, and records that are in the same of these sets, play the
same part and are merged: any allocation of the merged transport is split in proportion
to masses and probabilities, any other one can be added up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import chain
from operator import or_

from phverify.errors import Defect, InputError, Problem
from phverify.exact import ZERO, common_denominator
from phverify.linkage.belief.flow import transport
from phverify.linkage.belief.mass import Mass, Shares, probability_problems
from phverify.linkage.belief.mass_frame import Subset
from phverify.linkage.belief.transforms import belief, probability
from phverify.spec.bitset import bits, members, within

Handed = dict[tuple[Subset, int], Fraction]
"""How much each set hands to each of its records."""


@dataclass(frozen=True)
class Allocation:
    """Proof of compatibility: how much each focal set hands to each of its records, by
    (set, number of record).
    """

    shares: Mapping[tuple[Subset, int], Fraction]


@dataclass(frozen=True)
class BeliefViolation:
    """Witness against compatibility: a set C with P(C) < Bel(C)."""

    subset: Subset
    probability: Fraction
    belief: Fraction


def compatible(mass: Mass, truth: Shares) -> Allocation | BeliefViolation:
    """Whether P(C) >= Bel(C) for all C (Definition 7), with its proof or its witness,
    both re-checked.

    Raises InputError when ``truth`` is no probability on the records of the frame.
    """
    size = len(mass.frame)
    problems = probability_problems("true probability", truth)
    for x in truth:
        if not 0 <= x < size:
            what = f"there is no record number {x}"
            problems.append(Problem("true probability", what, f"0 to {size - 1}"))

    if problems:
        raise InputError(problems)
    positive = {x: p for x, p in truth.items() if p}
    # records without a probability take nothing: they are left out
    answer = _merged(mass, positive)
    if isinstance(answer, BeliefViolation):
        holds = check_violation(answer, mass, truth)
    else:
        holds = check_allocation(answer, mass, truth)
    if not holds:
        raise Defect("the transport of Definition 7 gave an answer that does not hold")

    return answer


def check_allocation(proof: Allocation, mass: Mass, truth: Shares) -> bool:
    """Whether shares are >= 0, go from focal sets to members, and add up to the masses
    and to the probability.
    """
    given: dict[Subset, Fraction] = defaultdict(Fraction)
    taken: dict[int, Fraction] = defaultdict(Fraction)
    takers: dict[Subset, list[int]] = defaultdict(list)
    for (b, x), share in proof.shares.items():
        given[b] += share
        taken[x] += share
        takers[b].append(x)

    if min(proof.shares.values()) < 0:
        return False
    if not all(within(bits(records), b) for b, records in takers.items()):
        return False

    return _same(given, mass.focal) and _same(taken, truth)


def _same(one: Mapping[int, Fraction], other: Mapping[int, Fraction]) -> bool:
    """Whether two assignments agree; what is left out has 0."""
    for key in {*one, *other}:
        share = one.get(key, 0)
        other_share = other.get(key, 0)
        if share != other_share:
            return False
    return True


def check_violation(witness: BeliefViolation, mass: Mass, truth: Shares) -> bool:
    """Whether P(C) and Bel(C) are as reported, and P(C) < Bel(C)."""
    if witness != violation(mass, truth, witness.subset):
        return False
    return witness.probability < witness.belief


def violation(mass: Mass, truth: Shares, subset: Subset) -> BeliefViolation:
    """A set with its probability and its belief; whether it is a witness is for
    ``check_violation`` to say.
    """
    probable = probability(truth, subset)
    believed = belief(mass, subset)
    return BeliefViolation(subset, probable, believed)


def _merged(mass: Mass, truth: Shares) -> Allocation | BeliefViolation:
    """The transport over sets that agree on the support of P, and atoms of these
    sets.
    """
    support = bits(truth)
    alike: dict[Subset, list[Subset]] = defaultdict(list)
    for b in mass.focal:
        alike[b & support].append(b)

    groups = list(alike.values())
    # atoms: records of the support that are in the same sets
    atoms = [support]
    for b in alike:
        atoms = _split(atoms, b)

    sizes = [_together(mass, group) for group in groups]
    wants = [probability(truth, atom) for atom in atoms]
    # the transport is in integers
    scale = common_denominator([*sizes, *wants])
    supply = [int(m * scale) for m in sizes]
    demand = [int(p * scale) for p in wants]
    edges = [_inside(atoms, b) for b in alike]
    sent, stuck = transport(supply, demand, edges)
    if stuck:
        # what cannot be emptied fills its members to the brim: their union holds more
        # mass than it is probable
        union = chain.from_iterable(groups[i] for i in stuck)
        return violation(mass, truth, reduce(or_, union))

    shares: Handed = {}
    for group, size, sinks in zip(groups, sizes, sent, strict=True):
        for j, units in sinks.items():
            # the part of each product of a mass and a probability that is handed on
            each = Fraction(units, scale) / (size * wants[j])
            if each:
                shares |= _handed(mass, truth, group, atoms[j], each)

    return Allocation(shares)


def _together(mass: Mass, group: list[Subset]) -> Fraction:
    """The mass of several sets."""
    together = ZERO
    for focal in group:
        together += mass.focal[focal]
    return together


def _split(atoms: list[Subset], by: Subset) -> list[Subset]:
    """Each atom's part inside a set, and its part outside, without empty ones."""
    parts: list[Subset] = []
    for atom in atoms:
        inside = atom & by
        outside = atom & ~by
        parts += [inside, outside]
    return list(filter(None, parts))


def _inside(atoms: list[Subset], b: Subset) -> list[int]:
    """The places of the atoms within a set."""
    places: list[int] = []
    for place, atom in enumerate(atoms):
        if within(atom, b):
            places.append(place)
    return places


def _handed(
    mass: Mass, truth: Shares, group: list[Subset], atom: Subset, each: Fraction
) -> Handed:
    """What a group of sets hands to an atom, split in proportion to masses and
    probabilities.
    """
    shares: Handed = {}
    for focal in group:
        of_set = each * mass.focal[focal]
        for record in members(atom):
            share = of_set * truth[record]
            shares[focal, record] = share
    return shares
