"""Entropy, nonspecificity and conflict: Definitions 22 and 25, Examples 23 and 24,
Proposition 26.
"""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction
from math import log

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.evidence_oracle import masses, random_masses, random_shares

from phverify.errors import InputError
from phverify.exact import LogSum, ln
from phverify.linkage.belief.mass import Mass, categorical, from_probability, vacuous
from phverify.linkage.belief.mass_frame import MassFrame
from phverify.linkage.belief.transforms import pignistic
from phverify.linkage.belief.uncertainty import (
    conflict,
    entropy,
    nonspecificity,
    shannon,
)
from phverify.spec.logarithms import log_sign

F = Fraction


def transferred(mass: Mass, small: int, large: int, amount: F) -> Mass:
    """Mass moved from the larger set to the smaller one."""
    focal = dict(mass.focal)
    focal[large] -= amount
    focal[small] = focal.get(small, F(0)) + amount
    return Mass(mass.frame, focal)


def majorizes(one: dict[int, F], two: dict[int, F]) -> bool:
    left, right = sorted(one.values(), reverse=True), sorted(two.values(), reverse=True)
    size = max(len(left), len(right))
    return all(sum(left[:k]) >= sum(right[:k]) for k in range(size + 1))


def test_example_23() -> None:
    """The printed decimals are 1/13 and 1/26.  For x1, x2 the paper prints 0.15384617;
    the masses give 0.26923..
    """
    before = masses(8, _01234="5/13", _01234567="8/13")
    after = transferred(before, 0b11, 0xFF, F(4, 13))
    assert after == masses(8, _01="4/13", _01234="5/13", _01234567="4/13")
    assert pignistic(before) == {x: F(2, 13) if x < 5 else F(1, 13) for x in range(8)}
    share = pignistic(after)
    assert (
        share[0] == share[1] == F(7, 26) == F(4, 26) + F(3, 26)
    )  # printed is 4/26 alone, from {x1, x2}
    assert share[2] == F(3, 26) and share[5] == F(1, 26)
    assert float(entropy(before)) == pytest.approx(
        2.0317593, abs=5e-7
    )  # the paper computed with 0.07692307
    assert float(entropy(after)) == pytest.approx(1.8300099, abs=5e-7)
    assert entropy(after) < entropy(before)
    printed = {**share, 0: F(4, 26), 1: F(4, 26)}
    assert sum(printed.values()) == F(
        10, 13
    )  # no distribution; nor has it the printed entropy
    assert float(shannon(printed)) != pytest.approx(1.8300099, abs=1e-2)


def test_example_24() -> None:
    before = masses(10, _0123456789="10/12", _01="2/12")
    after = transferred(before, 0b1111111100, 0b1111111111, F(10, 12))
    assert pignistic(before) == {x: F(1, 6) if x < 2 else F(1, 12) for x in range(10)}
    assert pignistic(after) == {x: F(1, 12) if x < 2 else F(10, 96) for x in range(10)}
    assert float(entropy(before)) == pytest.approx(2.2538579, abs=5e-7)
    assert float(entropy(after)) == pytest.approx(2.2989538, abs=5e-7)
    assert entropy(after) > entropy(before) and nonspecificity(after) < nonspecificity(
        before
    )


def test_the_explanation_after_example_24_has_its_roles_swapped() -> None:
    """Entropy is Schur-concave: who majorizes has the *smaller* entropy."""
    before = masses(8, _01234="5/13", _01234567="8/13")
    after = transferred(before, 0b11, 0xFF, F(4, 13))
    assert majorizes(pignistic(after), pignistic(before)) and not majorizes(
        pignistic(before), pignistic(after)
    )
    before = masses(10, _0123456789="10/12", _01="2/12")
    after = transferred(before, 0b1111111100, 0b1111111111, F(10, 12))
    assert majorizes(pignistic(before), pignistic(after)) and not majorizes(
        pignistic(after), pignistic(before)
    )


def test_formula_4_needs_a_minus() -> None:
    """As printed, the entropy of a fair coin would be -ln 2; the figures of the
    examples have the minus.
    """
    coin = from_probability(MassFrame.numbered(2), {0: F(1, 2), 1: F(1, 2)})
    assert entropy(coin) == ln(2) and entropy(coin) != ln(F(1, 2))


@given(random_masses(4), st.data())
def test_proposition_26(mass: Mass, data: st.DataObject) -> None:
    """N falls by amount * (ln |C2| - ln |C1|): in the first line of its proof Bel'
    stands where Bel must, and back.
    """
    large = data.draw(st.sampled_from(sorted(mass.focal)))
    small = data.draw(st.integers(1, 15).map(lambda b: b & large).filter(bool))
    amount = mass.focal[large] * data.draw(st.sampled_from([F(1, 3), F(1)]))
    after = transferred(mass, small, large, amount)
    assert nonspecificity(after) <= nonspecificity(mass)
    assert nonspecificity(mass) - nonspecificity(after) == ln(
        F(large.bit_count(), small.bit_count())
    ).times(amount)


@given(random_masses(4))
def test_bounds_of_nonspecificity(mass: Mass) -> None:
    """0 for probabilities alone, ln |X| for ignorance alone."""
    n = nonspecificity(mass)
    assert LogSum() <= n <= ln(4)
    assert (n == LogSum()) == all(b.bit_count() == 1 for b in mass.focal)
    assert (n == ln(4)) == (mass == vacuous(mass.frame))


@given(random_shares(4))
def test_entropy_and_conflict_of_a_probability_are_shannons(
    shares: dict[int, F],
) -> None:
    mass = from_probability(MassFrame.numbered(4), shares)
    assert entropy(mass) == conflict(mass) == shannon(shares) <= ln(4)
    assert float(entropy(mass)) == pytest.approx(
        -sum(float(p) * log(p) for p in shares.values() if p), abs=1e-12
    )


def test_a_categorical_belief_has_no_conflict() -> None:
    assert conflict(categorical(MassFrame.numbered(5), 0b10110)) == LogSum()
    assert conflict(masses(4, _01="1/2", _23="1/2")) == ln(2)


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(1, 12)), max_size=5))
def test_signs_are_exact(pairs: list[tuple[int, int]]) -> None:
    """The sign of sum b ln r is that of (product of r^b) - 1."""
    product = F(1)
    for b, r in pairs:
        product *= F(r) ** b
    value = LogSum.of((F(b), F(r)) for b, r in pairs)
    assert value.sign() == (product > 1) - (product < 1)
    assert log_sign((F(b, 2), F(r)) for b, r in pairs) == value.sign()
    assert (value < LogSum()) == (product < 1) and (value >= LogSum()) == (product >= 1)


@given(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(1, 12)), max_size=5),
    st.fractions(-3, 3, max_denominator=9),
)
@example([(1, 4), (-2, 2)], F(1, 9))
@example([(1, 4), (-2, 2)], F(-1, 9))
@example([(1, 3)], F(-10986, 10**4))
def test_signs_with_a_rational_part_are_exact(
    pairs: list[tuple[int, int]], plain: F
) -> None:
    """Against logarithms of 60 digits; where these cancel, the rational part has the
    sign.
    """
    context = Context(prec=60)
    about = plain + sum(b * F(context.ln(Decimal(r))) for b, r in pairs)
    wanted = 0 if abs(about) < F(1, 10**50) else 1 if about > 0 else -1
    value = LogSum.of(((F(b), F(r)) for b, r in pairs), plain)
    assert (
        value.sign() == wanted
        and (value - LogSum(plain) + LogSum(plain)).times(F(-2)).sign() == -wanted
    )
    assert float(value) == pytest.approx(float(about), abs=1e-12)


def test_a_near_tie_and_a_tie() -> None:
    """ln 4 = 2 ln 2 exactly; 10^30 ln(1 + 10^-30) is just below 1/ln 3 * ln 3."""
    assert ln(4) == ln(2).times(F(2)) and ln(4) != ln(
        F(4_000_000_000_000_000_000_001, 10**21)
    )
    assert ln(F(10**30 + 1, 10**30)).times(F(2)) > ln(F(10**30 + 2, 10**30))
    assert str(ln(4) - ln(3)) == "ln(4) - ln(3)"
    with pytest.raises(InputError, match="positive"):
        ln(0)
