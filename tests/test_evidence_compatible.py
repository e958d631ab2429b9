"""Definition 7 by transport: Examples 8, 9 and 11, Proposition 12, Lemma 13, and
enumeration of subsets.
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.evidence_oracle import (
    allocated,
    compatible_by_subsets,
    masses,
    random_masses,
    random_shares,
    subsets,
    uniform,
)

from phverify.errors import InputError
from phverify.linkage.belief.compatible import (
    Allocation,
    BeliefViolation,
    check_allocation,
    check_violation,
    compatible,
)
from phverify.linkage.belief.mass import (
    Mass,
    categorical,
    from_counts,
    from_probability,
    vacuous,
)
from phverify.linkage.belief.mass_frame import MassFrame, Subset
from phverify.linkage.belief.transforms import belief, pignistic
from phverify.spec.bitset import bits, members, within

F = Fraction

# Section 2.2: ages 18, 16, 19, 22, 24, 24 in the intervals [15, 19] and [20, 25]; a
# second attribute of our own.
AGES = [(15, 19), (15, 19), (15, 19), (20, 25), (20, 25), (20, 25)]
TOWNS = ["north", "north", "south", "south", "south", "north"]
ORIGINAL = list(zip(AGES, TOWNS, strict=True))
SIX = MassFrame.numbered(6)


def candidates(protected: tuple[object, ...], attributes: set[int]) -> Subset:
    """The records that agree with the protected one on these attributes after
    generalization.
    """
    return bits(
        x
        for x, row in enumerate(ORIGINAL)
        if all(row[a] == protected[a] for a in attributes)
    )


def truth_of(protected: tuple[object, ...]) -> dict[int, F]:
    """Example 8: all candidates alike."""
    return uniform(*members(candidates(protected, {0, 1})))


@pytest.mark.parametrize("protected", ORIGINAL)
@pytest.mark.parametrize("attributes", [{0}, {1}, {0, 1}])
def test_examples_8_9_11_and_proposition_12(
    protected: tuple[object, ...], attributes: set[int]
) -> None:
    """Candidates of fewer attributes are more (Example 9), and believing in them is
    compatible (Proposition 12).

    Example 9 adds "and therefore P(x | y) >= r(y, a)[i] for all x"; that holds for the
    true candidates only, as Example 15 has it.
    """
    true, chosen = truth_of(protected), candidates(protected, attributes)
    assert within(candidates(protected, {0, 1}), chosen)
    mass = categorical(SIX, chosen)
    assert isinstance(compatible(mass, true), Allocation)
    assert all((belief(mass, b) == 1) == within(chosen, b) for b in subsets(6))
    guess = pignistic(mass)
    for x in range(6):
        assert (guess.get(x, 0) <= true[x]) if x in true else (guess.get(x, 0) >= 0)


def test_example_9_claims_too_much() -> None:
    guess = pignistic(categorical(SIX, candidates(ORIGINAL[0], {0})))
    assert 2 not in truth_of(ORIGINAL[0]) and guess[2] == F(1, 3) > 0


@pytest.mark.parametrize("protected", ORIGINAL)
def test_lemma_13(protected: tuple[object, ...]) -> None:
    """A set that misses one candidate is not compatible: C_0 is the witness."""
    true = truth_of(protected)
    for left_out in true:
        for b in subsets(6):
            c0 = (b | bits(true)) & ~(1 << left_out)
            if c0:
                found = compatible(categorical(SIX, c0), true)
                assert found == BeliefViolation(c0, 1 - F(1, len(true)), F(1))


def test_ignorance_is_always_compatible_and_a_probability_only_with_itself() -> None:
    truth = {0: F(1, 2), 3: F(1, 3), 5: F(1, 6)}
    assert isinstance(compatible(vacuous(SIX), truth), Allocation)
    assert isinstance(compatible(from_probability(SIX, truth), truth), Allocation)
    assert isinstance(
        compatible(from_probability(SIX, uniform(0, 3, 5)), truth), BeliefViolation
    )


@given(random_masses(6, most=8), random_shares(6))
def test_transport_and_subsets_agree(mass: Mass, truth: dict[int, F]) -> None:
    found = compatible(mass, truth)
    assert isinstance(found, Allocation) == compatible_by_subsets(mass, truth)
    if isinstance(found, BeliefViolation):
        assert belief(mass, found.subset) > sum(
            truth.get(x, F(0)) for x in members(found.subset)
        )


@given(random_masses(8, most=12), random_shares(8))
def test_transport_and_subsets_agree_on_eight(mass: Mass, truth: dict[int, F]) -> None:
    assert isinstance(compatible(mass, truth), Allocation) == compatible_by_subsets(
        mass, truth
    )


@given(allocated(7))
def test_what_was_allocated_is_compatible(case: tuple[Mass, dict[int, F]]) -> None:
    mass, truth = case
    found = compatible(mass, truth)
    assert isinstance(found, Allocation) and check_allocation(found, mass, truth)


def test_a_large_frame() -> None:
    """30,000 records in two sets and all: 4 atoms, one allocation."""
    frame = MassFrame.numbered(30_000)
    low, odd = bits(range(20_000)), bits(range(1, 30_000, 2))
    truth = {x: F(1, 30_000) for x in range(30_000)}
    mass = from_counts(frame, {low: 1, odd: 1, frame.full: 1})
    assert isinstance(compatible(mass, truth), Allocation)
    found = compatible(from_counts(frame, {low & odd: 2, odd: 1}), truth)
    assert found == BeliefViolation(odd, F(1, 2), F(1)) or found == BeliefViolation(
        low & odd, F(1, 3), F(2, 3)
    )


def test_bad_truths_are_told() -> None:
    with pytest.raises(InputError, match="sum to 1/2, not 1"):
        compatible(vacuous(SIX), {0: F(1, 2)})
    with pytest.raises(InputError, match="there is no record number 6"):
        compatible(vacuous(SIX), {6: F(1)})
    with pytest.raises(InputError, match="negative"):
        compatible(vacuous(SIX), {0: F(2), 1: F(-1)})


@given(st.data())
def test_changed_proofs_are_refused(data: st.DataObject) -> None:
    """Every share of an allocation matters: more, less, negative, or to a record
    outside the set.
    """
    mass, truth = data.draw(allocated(4))
    found = compatible(mass, truth)
    assert isinstance(found, Allocation)
    place = data.draw(st.sampled_from(sorted(found.shares)))
    changed = dict(found.shares)
    changed[place] += data.draw(
        st.sampled_from([F(1, 7), F(-1, 7), -2 * changed[place]])
    )
    assert not check_allocation(Allocation(changed), mass, truth)
    b, x = place
    outside = [y for y in range(4) if not b >> y & 1]
    if outside:
        moved = dict(found.shares)
        moved[b, outside[0]] = moved.pop(place)
        assert not check_allocation(
            Allocation(moved), mass, {**truth, x: F(0), outside[0]: F(1)}
        )
        assert not check_allocation(Allocation(moved), mass, truth)


def test_sums_and_signs_all_count() -> None:
    """Shares that are right but for one thing: a negative one, the masses, or the
    truth.
    """
    a, b = 0b011, 0b111
    mass, truth = Mass(MassFrame.numbered(3), {a: F(1, 2), b: F(1, 2)}), uniform(0, 1)

    def checked(*shares: int) -> bool:
        places = [(a, 0), (a, 1), (b, 0), (b, 1)]
        return check_allocation(
            Allocation(dict(zip(places, (F(s, 4) for s in shares), strict=True))),
            mass,
            truth,
        )

    assert checked(1, 1, 1, 1) and checked(2, 0, 0, 2)
    assert not checked(3, -1, -1, 3)
    assert not checked(2, 2, 0, 0)
    assert not checked(2, 0, 2, 0)


def test_changed_witnesses_are_refused() -> None:
    mass, truth = masses(3, _01="1"), uniform(0, 2)
    assert compatible(mass, truth) == BeliefViolation(0b011, F(1, 2), F(1))
    for wrong in (
        BeliefViolation(0b001, F(1, 2), F(0)),
        BeliefViolation(0b011, F(1, 3), F(1)),
        BeliefViolation(0b111, F(1), F(1)),
    ):
        assert not check_violation(wrong, mass, truth)
