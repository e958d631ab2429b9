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
    problems, size = probability_problems("true probability", truth), len(mass.frame)
    beyond = [x for x in truth if not 0 <= x < size]
    problems += [
        Problem(
            "true probability", f"there is no record number {x}", f"0 to {size - 1}"
        )
        for x in beyond
    ]
    if problems:
        raise InputError(problems)
    found = _merged(mass, {x: p for x, p in truth.items() if p})
    good = (
        check_violation(found, mass, truth)
        if isinstance(found, BeliefViolation)
        else check_allocation(found, mass, truth)
    )
    if not good:
        raise Defect("the transport of Definition 7 gave an answer that does not hold")
    return found


def check_allocation(proof: Allocation, mass: Mass, truth: Shares) -> bool:
    """Whether shares are >= 0, go from focal sets to members, and add up to the masses
    and to the probability.
    """
    given: dict[Subset, Fraction] = defaultdict(Fraction)
    taken: dict[int, Fraction] = defaultdict(Fraction)
    held: dict[Subset, list[int]] = defaultdict(list)
    for (b, x), share in proof.shares.items():
        given[b] += share
        taken[x] += share
        held[b].append(x)
    if min(proof.shares.values()) < 0 or not all(
        within(bits(some), b) for b, some in held.items()
    ):
        return False
    pairs = (given, mass.focal), (taken, truth)
    return all(
        one.get(key, 0) == two.get(key, 0) for one, two in pairs for key in {*one, *two}
    )


def check_violation(witness: BeliefViolation, mass: Mass, truth: Shares) -> bool:
    """Whether P(C) and Bel(C) are as told, and P(C) < Bel(C)."""
    return (
        witness == violation(mass, truth, witness.subset)
        and witness.probability < witness.belief
    )


def violation(mass: Mass, truth: Shares, subset: Subset) -> BeliefViolation:
    """A set with its probability and its belief; whether it is a witness is for
    ``check_violation`` to say.
    """
    return BeliefViolation(subset, probability(truth, subset), belief(mass, subset))


def _merged(mass: Mass, truth: Shares) -> Allocation | BeliefViolation:
    """The transport over sets that agree on the support of P, and atoms of these
    sets.
    """
    support = bits(truth)
    alike: dict[Subset, list[Subset]] = defaultdict(list)
    for b in mass.focal:
        alike[b & support].append(b)
    atoms = [support]
    for b in alike:
        atoms = [part for atom in atoms for part in (atom & b, atom & ~b) if part]
    sizes = [sum((mass.focal[b] for b in group), ZERO) for group in alike.values()]
    wants = [probability(truth, atom) for atom in atoms]
    scale = common_denominator([*sizes, *wants])
    edges = [[j for j, atom in enumerate(atoms) if within(atom, b)] for b in alike]
    sent, stuck = transport(
        [int(m * scale) for m in sizes], [int(p * scale) for p in wants], edges
    )
    if stuck:
        groups = list(alike.values())
        return violation(
            mass, truth, reduce(or_, chain.from_iterable(groups[i] for i in stuck))
        )
    shares = {}
    for group, size, sinks in zip(alike.values(), sizes, sent, strict=True):
        for j, units in sinks.items():
            each = Fraction(units, scale) / (size * wants[j])
            records = list(members(atoms[j]))
            shares.update(
                {
                    (b, x): each * mass.focal[b] * truth[x]
                    for b in group
                    for x in records
                    if units
                }
            )
    return Allocation(shares)
