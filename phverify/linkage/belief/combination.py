"""Combining belief functions, and the combination of Definition 27 that stays
compatible with the truth.

``acceptable`` is for the auditor, who knows the true probability P.  With allocations
f1, f2 of the two masses (Definition 7) it couples them through P: the pair of focal
sets A, B gets, by way of record x, the mass f1(A, x) f2(B, x) / P(x), and hands it to
their intersection.

* The intersection contains x, so that nothing falls on the empty set, and each x still
  receives sum over A, B of f1(A, x) f2(B, x) / P(x) = P(x): the result is compatible
  with P.
* The first member of the pair has distribution m1 and the second m2, and the
  intersection is no larger than either: N(result) <= min(N1, N2).

Dempster's rule promises neither: two halves ``m({a}) = m({a, b}) = 1/2`` are both
compatible with P(a) = P(b) = 1/2, their Dempster combination believes a with 3/4 > 1/2
(``tests/test_evidence_combination.py``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import and_, or_

from phverify.errors import InputError, refusal
from phverify.exact import ZERO
from phverify.linkage.belief.compatible import BeliefViolation, compatible
from phverify.linkage.belief.mass import Mass, Masses, Shares, categorical
from phverify.linkage.belief.mass_frame import Subset

Received = dict[int, list[tuple[Subset, Fraction]]]
"""What each record receives, set by set."""


@dataclass(frozen=True)
class Conjunction:
    """The unnormalized conjunctive combination: masses of the intersections, and the
    mass of empty ones apart.
    """

    focal: Mapping[Subset, Fraction]
    conflict: Fraction


def _combined(
    one: Mass, two: Mass, operation: Callable[[Subset, Subset], Subset]
) -> Masses:
    """The sum of m1(A) m2(B) over the pairs A and B that the operation makes each set
    of.
    """
    _same_frame(one, two)
    masses: dict[Subset, Fraction] = defaultdict(Fraction)
    for a, p in one.focal.items():
        for b, q in two.focal.items():
            masses[operation(a, b)] += p * q

    return masses


def conjunctive(one: Mass, two: Mass) -> Conjunction:
    """m(C) = sum of m1(A) m2(B) over A and B with intersection C: two sources that are
    both right and independent.
    """
    masses = _combined(one, two, and_)
    # two sets that do not meet leave their product on the empty set, 0
    conflict = masses.pop(0, ZERO)
    focal = dict(masses)
    return Conjunction(focal, conflict)


def disjunctive(one: Mass, two: Mass) -> Mass:
    """m(C) = sum of m1(A) m2(B) over A and B with union C: one of the two sources is
    right.
    """
    masses = _combined(one, two, or_)
    return Mass(one.frame, masses)


def dempster(one: Mass, two: Mass) -> Mass:
    """Dempster's rule: the conjunctive combination, divided by 1 - conflict.

    Raises InputError when the conflict is total: no focal sets meet.
    """
    conjunction = conjunctive(one, two)
    agreed = 1 - conjunction.conflict
    if not agreed:
        what = "no focal set of the one meets one of the other: total conflict"
        raise refusal("combination", what)

    # what falls on the empty set is shared out in proportion
    masses: Masses = {}
    for subset, mass in conjunction.focal.items():
        masses[subset] = mass / agreed
    return Mass(one.frame, masses)


def condition(mass: Mass, subset: Subset) -> Mass:
    """Dempster's conditioning: it is known that the record is in the set.  Raises
    InputError when Pl(subset) = 0.
    """
    certain = categorical(mass.frame, subset)
    return dempster(mass, certain)


def acceptable(one: Mass, two: Mass, truth: Shares) -> Mass:
    """An acceptable combination (Definition 27): compatible with ``truth``, and N no
    larger than that of either.

    Raises InputError when one of the two is not compatible with ``truth``, and names
    the set that violates it.
    """
    _same_frame(one, two)
    first = _by_record(one, truth, "first")
    second = _by_record(two, truth, "second")
    masses: dict[Subset, Fraction] = defaultdict(Fraction)
    for x, shares in first.items():
        for a, p in shares:
            for b, q in second[x]:
                # both hold x, and so does their intersection: nothing falls on the
                # empty set
                masses[a & b] += p * q / truth[x]

    return Mass(one.frame, masses)


def fold(masses: Iterable[Mass], truth: Shares) -> Mass:
    """Definition 28: acceptable combination from the first to the last.  Raises
    InputError for no mass at all.

    The paper writes ``Bel_i`` for the last argument in its formula 7; it is ``Bel_r``.
    """
    masses = list(masses)
    if not masses:
        hint = "give at least one belief function"
        raise refusal("combination", "there is nothing to combine", hint)
    return reduce(lambda one, two: acceptable(one, two, truth), masses)


def _by_record(mass: Mass, truth: Shares, which: str) -> Received:
    """What each record receives from which focal set."""
    answer = compatible(mass, truth)
    if isinstance(answer, BeliefViolation):
        raise _incompatible(mass, answer, which)

    by_record: Received = defaultdict(list)
    for (focal, record), share in answer.shares.items():
        received = focal, share
        by_record[record].append(received)
    return by_record


def _incompatible(mass: Mass, witness: BeliefViolation, which: str) -> InputError:
    """The error for a mass that believes a set with more than its probability."""
    subset = mass.frame.shown(witness.subset)
    what = f"the {which} belief function is not compatible with the truth"
    hint = (
        f"{subset} is believed with {witness.belief}, and has probability"
        f" {witness.probability}"
    )
    return refusal("combination", what, hint, private=True)


def _same_frame(one: Mass, two: Mass) -> None:
    if one.frame != two.frame:
        raise refusal(
            "combination", "the two belief functions are about different records"
        )
