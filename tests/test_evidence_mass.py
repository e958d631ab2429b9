"""Frames, masses and their transforms: Definitions 1, 2 and 4, Proposition 3 of Torra
and Stokes.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.evidence_oracle import (
    believed,
    masses,
    probable,
    random_masses,
    subsets,
    uniform,
)

from phverify.errors import InputError
from phverify.linkage.belief.mass import (
    Mass,
    categorical,
    from_counts,
    from_probability,
    vacuous,
)
from phverify.linkage.belief.mass_frame import MassFrame
from phverify.linkage.belief.transforms import (
    belief,
    belief_table,
    commonality,
    commonality_table,
    differences_around,
    differences_within,
    from_belief,
    from_commonality,
    pignistic,
    plausibility,
    plausibility_table,
    summed_around,
    summed_within,
)
from phverify.spec.bitset import bits, members, within

F = Fraction

ABC = MassFrame.of("abc")


def test_frame_numbers_records_and_sets() -> None:
    assert (len(ABC), ABC.full, ABC.number("c")) == (3, 0b111, 2)
    assert ABC.subset("ca") == 0b101 and ABC.members(0b101) == ("a", "c")
    assert (
        ABC.shown(0b110) == "{b, c}"
        and MassFrame.numbered(20).shown((1 << 20) - 1, 2) == "{0, 1 and 18 more}"
    )
    assert within(0b001, 0b101) and not within(0b011, 0b101)


@given(st.sets(st.integers(0, 300)))
def test_masks_of_any_size(numbers: set[int]) -> None:
    assert set(members(bits(numbers))) == numbers and bits(numbers) == sum(
        1 << k for k in numbers
    )


def test_a_large_frame() -> None:
    frame = MassFrame.numbered(100_000)
    odd = bits(range(1, 100_000, 2))
    mass = Mass(frame, {frame.full: F(1, 2), odd: F(1, 2)})
    assert pignistic(mass)[7] == F(3, 200_000) and belief(mass, odd) == F(1, 2)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: MassFrame(()), "no records"),
        (lambda: MassFrame.of("aba"), "'a' is given twice"),
        (lambda: ABC.subset(["a", "d", "e"]), "unknown record 'd'"),
        (lambda: ABC.subset(["a", "d", "e"]), "unknown record 'e'"),
        (lambda: ABC.number("d"), "unknown record 'd'"),
        (lambda: Mass(ABC, {1: F(3, 2), 2: F(-1, 2)}), "mass of {b}: -1/2 is negative"),
        (lambda: Mass(ABC, {1: F(1, 2)}), "the masses sum to 1/2, not 1"),
        (
            lambda: Mass(ABC, {1: F(33333, 100000), 2: F(66666, 100000)}),
            "give fractions, or from_counts",
        ),
        (lambda: Mass(ABC, {0: F(1, 2), 1: F(1, 2)}), "the empty set has mass 1/2"),
        (lambda: Mass(ABC, {8: F(1)}), "no set of the frame's 3 records"),
        (lambda: Mass(ABC, {1: 1.0}), "no exact number"),  # type: ignore[dict-item]
        (lambda: Mass(ABC, {}), "the masses sum to 0"),
        (lambda: from_counts(ABC, {}), "they sum to 0"),
        (lambda: from_counts(ABC, {1: 3, 2: -1}), "mass of {b}: -1/2 is negative"),
    ],
)
def test_bad_input_is_told(make: object, told: str) -> None:
    with pytest.raises(InputError) as error:
        make()  # type: ignore[operator]
    assert told in str(error.value)


def test_all_problems_are_told_at_once() -> None:
    with pytest.raises(InputError) as error:
        Mass(ABC, {1: F(-1), 0: F(1, 2), 9: F(1)})
    assert len(error.value.problems) == 4


def test_constructors() -> None:
    assert vacuous(ABC) == categorical(ABC, 0b111)
    coin = from_probability(ABC, {0: F(1, 2), 1: F(1, 2)})
    assert (
        coin
        == from_counts(ABC, {1: 7, 2: 7})
        == from_probability(ABC, {0: F(1, 2), 1: F(1, 2), 2: F(0)})
    )
    assert coin.focal == {0b01: F(1, 2), 0b10: F(1, 2)}
    assert hash(coin) == hash(from_counts(ABC, {1: 1, 2: 1})) and coin != vacuous(ABC)


@given(random_masses(4))
def test_belief_plausibility_commonality(mass: Mass) -> None:
    full = mass.frame.full
    for a in subsets(4):
        assert belief(mass, a) == believed(mass, a) == belief_table(mass)[a]
        assert (
            plausibility(mass, a)
            == 1 - believed(mass, full & ~a)
            == plausibility_table(mass)[a]
        )
        around = sum(
            (m for b, m in mass.focal.items() if set(members(a)) <= set(members(b))),
            F(0),
        )
        assert commonality(mass, a) == around == commonality_table(mass)[a]
        assert belief(mass, a) <= plausibility(mass, a)


@given(random_masses(4), st.lists(st.integers(0, 15), min_size=3, max_size=3))
def test_definition_1(mass: Mass, sets: list[int]) -> None:
    """Boundary conditions, monotony, and formula 1 for three sets."""
    assert belief(mass, 0) == 0 and belief(mass, mass.frame.full) == 1
    a, b, c = sets
    assert belief(mass, a & b) <= belief(mass, a)
    singles = sum(belief(mass, s) for s in sets)
    pairs = sum(belief(mass, s & t) for s, t in combinations(sets, 2))
    assert belief(mass, a | b | c) >= singles - pairs + belief(mass, a & b & c)


@given(random_masses(4))
def test_proposition_3(mass: Mass) -> None:
    """Mass and belief determine each other: formula 2, as it is printed, and formula
    3.
    """
    table = belief_table(mass)
    assert from_belief(mass.frame, table) == mass
    assert from_commonality(mass.frame, commonality_table(mass)) == mass
    for a in subsets(4):
        moebius = sum(
            (-1) ** (a.bit_count() - b.bit_count()) * table[b]
            for b in subsets(4)
            if within(b, a)
        )
        assert moebius == mass.focal.get(a, 0)


@given(st.lists(st.integers(-5, 5), min_size=16, max_size=16))
def test_moebius_both_ways(values: list[int]) -> None:
    table = [F(v) for v in values]
    assert (
        differences_within(summed_within(table))
        == table
        == summed_within(differences_within(table))
    )
    assert (
        differences_around(summed_around(table))
        == table
        == summed_around(differences_around(table))
    )


def test_no_belief_function_is_told() -> None:
    with pytest.raises(InputError, match=r"mass of \{0, 1\}: -1 is negative"):
        from_belief(MassFrame.numbered(2), [F(0), F(1), F(1), F(1)])
    with pytest.raises(InputError, match="3 values for the 4 subsets"):
        from_belief(MassFrame.numbered(2), [F(0), F(1), F(1)])
    with pytest.raises(InputError, match="tables stop at 20"):
        belief_table(vacuous(MassFrame.numbered(21)))


@given(random_masses(5))
def test_definition_4(mass: Mass) -> None:
    """The pignistic distribution is a probability between Bel and Pl."""
    share = pignistic(mass)
    assert sum(share.values()) == 1
    for a in subsets(5):
        assert belief(mass, a) <= probable(share, a) <= plausibility(mass, a)


def test_probabilities_are_belief_functions() -> None:
    """Section 2.1: P(A) = Bel(A) when only single records have mass; ignorance is not
    the uniform distribution.
    """
    even = from_probability(MassFrame.numbered(3), uniform(0, 1, 2))
    assert all(
        belief(even, a) == probable(uniform(0, 1, 2), a) == plausibility(even, a)
        for a in subsets(3)
    )
    ignorance = vacuous(MassFrame.numbered(3))
    assert pignistic(ignorance) == pignistic(even) and belief(
        ignorance, 1
    ) == 0 != belief(even, 1)
    assert pignistic(masses(4, _13="1/2", _0="1/2")) == {
        0: F(1, 2),
        1: F(1, 4),
        3: F(1, 4),
    }
