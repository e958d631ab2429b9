"""Combination: Dempster's rule against Definition 27 through the coupling, Definition
28, Proposition 29.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate, pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.evidence_oracle import (
    allocated,
    compatible_by_subsets,
    masses,
    probable,
    random_masses,
    subsets,
    uniform,
)

from phverify.errors import InputError
from phverify.linkage.belief.combination import (
    acceptable,
    condition,
    conjunctive,
    dempster,
    disjunctive,
    fold,
)
from phverify.linkage.belief.compatible import BeliefViolation, compatible
from phverify.linkage.belief.mass import Mass, categorical, from_probability, vacuous
from phverify.linkage.belief.mass_frame import MassFrame
from phverify.linkage.belief.transforms import (
    belief,
    belief_table,
    commonality_table,
    plausibility,
)
from phverify.linkage.belief.uncertainty import nonspecificity
from phverify.spec.bitset import members

F = Fraction

Case = tuple[Mass, dict[int, F]]


@st.composite
def pairs(draw: st.DrawFn, n: int, many: int = 2) -> tuple[list[Mass], dict[int, F]]:
    """Several masses that are compatible with one truth: each record's share goes to
    sets that contain it.
    """
    _, truth = draw(allocated(n))
    found = []
    for _ in range(many):
        focal: dict[int, F] = {}
        for x, p in truth.items():
            for b in draw(
                st.lists(st.integers(0, (1 << n) - 1), min_size=2, max_size=2)
            ):
                focal[b | 1 << x] = focal.get(b | 1 << x, F(0)) + p / 2
        found.append(Mass(MassFrame.numbered(n), focal))
    return found, truth


@given(pairs(4))
def test_definition_27(case: tuple[list[Mass], dict[int, F]]) -> None:
    (one, two), truth = case
    found = acceptable(one, two, truth)
    assert compatible_by_subsets(found, truth)
    assert nonspecificity(found) <= nonspecificity(one) and nonspecificity(
        found
    ) <= nonspecificity(two)
    assert all(
        belief(found, a) >= belief(one, a) and belief(found, a) >= belief(two, a)
        for a in subsets(4)
    )


@given(pairs(4, many=4))
def test_definition_28_and_proposition_29(
    case: tuple[list[Mass], dict[int, F]],
) -> None:
    """Compatible at each step, N never grows, and a probability on the way is the truth
    and stays.
    """
    items, truth = case
    steps = list(accumulate(items, lambda one, two: acceptable(one, two, truth)))
    assert fold(items, truth) == steps[-1] and fold(items[:1], truth) == items[0]
    for before, after in pairwise(steps):
        assert compatible_by_subsets(after, truth) and nonspecificity(
            after
        ) <= nonspecificity(before)
        if all(b.bit_count() == 1 for b in before.focal):
            assert before == after == from_probability(before.frame, truth)


def test_a_probability_is_where_it_ends() -> None:
    truth = uniform(0, 1)
    sure = from_probability(MassFrame.numbered(3), truth)
    items = [vacuous(MassFrame.numbered(3)), sure, masses(3, _012="1/2", _01="1/2")]
    assert fold(items, truth) == sure


def test_nothing_new_leaves_all_as_it_was() -> None:
    mass, truth = masses(3, _01="1/2", _12="1/2"), uniform(0, 1, 2)
    assert acceptable(mass, vacuous(mass.frame), truth) == mass
    assert acceptable(categorical(mass.frame, 0b111), mass, truth) == mass


def test_dempsters_rule_loses_compatibility() -> None:
    """Two compatible halves: Dempster's rule believes record 0 with 3/4, and it is true
    with 1/2 only.
    """
    half, truth = masses(2, _0="1/2", _01="1/2"), uniform(0, 1)
    assert not isinstance(compatible(half, truth), BeliefViolation)
    assert dempster(half, half) == masses(2, _0="3/4", _01="1/4")
    assert compatible(dempster(half, half), truth) == BeliefViolation(
        0b01, F(1, 2), F(3, 4)
    )
    assert acceptable(half, half, truth) == half


def test_normalization_loses_compatibility_too() -> None:
    """With conflict: each of the two says one thing of a half, and is right; the rest
    is divided by what is left.
    """
    one, two = masses(3, _0="1/2", _12="1/2"), masses(3, _01="2/3", _2="1/3")
    truth = {0: F(1, 2), 1: F(1, 6), 2: F(1, 3)}
    assert conjunctive(one, two).conflict == F(1, 6)
    assert isinstance(compatible(dempster(one, two), truth), BeliefViolation)
    assert compatible_by_subsets(acceptable(one, two, truth), truth)


def test_incompatible_parts_are_named() -> None:
    one, truth = masses(3, _0="1"), uniform(0, 1)
    with pytest.raises(
        InputError, match="the first belief function is not compatible"
    ) as error:
        acceptable(one, vacuous(one.frame), truth)
    assert "{0} is believed with 1, and has probability 1/2" in str(error.value)
    with pytest.raises(InputError, match="the second"):
        acceptable(vacuous(one.frame), one, truth)
    with pytest.raises(InputError, match="different records"):
        acceptable(one, vacuous(MassFrame.numbered(4)), truth)
    with pytest.raises(InputError, match="nothing to combine"):
        fold([], truth)
    with pytest.raises(InputError, match="total conflict"):
        dempster(one, masses(3, _12="1"))


@given(random_masses(4), random_masses(4))
def test_conjunction_and_disjunction(one: Mass, two: Mass) -> None:
    """Commonalities multiply in the one, beliefs in the other."""
    found = conjunctive(one, two)
    assert found.conflict + sum(found.focal.values()) == 1
    table = [
        q1 * q2
        for q1, q2 in zip(commonality_table(one), commonality_table(two), strict=True)
    ]
    for a in subsets(4):
        around = sum(
            (m for b, m in found.focal.items() if set(members(a)) <= set(members(b))),
            F(0),
        )
        assert table[a] == around + (found.conflict if a == 0 else 0)
    beliefs = zip(belief_table(one), belief_table(two), strict=True)
    assert belief_table(disjunctive(one, two)) == [b1 * b2 for b1, b2 in beliefs]


@given(random_masses(4), st.integers(1, 15))
def test_conditioning(mass: Mass, known: int) -> None:
    """Pl(A | B) = Pl(A and B) / Pl(B); conditioning on what is certain keeps
    compatibility.
    """
    assume(plausibility(mass, known))
    found = condition(mass, known)
    for a in subsets(4):
        assert plausibility(found, a) == plausibility(mass, a & known) / plausibility(
            mass, known
        )


@given(pairs(4), st.integers(1, 15))
def test_conditioning_on_a_certain_set_is_acceptable(
    case: tuple[list[Mass], dict[int, F]], known: int
) -> None:
    (mass, _), truth = case
    assume(probable(truth, known) == 1)
    found = acceptable(mass, categorical(mass.frame, known), truth)
    assert compatible_by_subsets(found, truth) and all(
        b & ~known == 0 for b in found.focal
    )
    assert found == condition(mass, known)
