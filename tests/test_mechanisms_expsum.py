"""Sums of exponentials and levels of privacy: exact signs against high-precision
decimals, ties, texts.
"""

from __future__ import annotations

import decimal
import math
import sys
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phverify.errors import InputError
from phverify.exact import ln
from phverify.mechanisms import expsum
from phverify.mechanisms.enclosure import ball, bounds, flint, to_digits
from phverify.mechanisms.epsilon import Epsilon, epsilon
from phverify.mechanisms.expsum import ExpSum, compare, constant, exponential, sign
from phverify.spec.logarithms import coprime_base, is_power

pytest.importorskip("flint")
from support.mechanisms_expsum_cases import (
    CONTEXT,
    DIGITS_APART,
    F,
    approximate,
    judged,
    levels,
    number,
    positive,
    power,
    tiny,
)

sums = st.lists(st.tuples(tiny, tiny), max_size=4).map(ExpSum.of)


@given(levels, levels)
def test_levels_are_ordered_as_their_powers(one: Epsilon, other: Epsilon) -> None:
    assert (one - other).sign() == judged(CONTEXT.subtract(power(one), power(other)))


@given(sums, sums, levels)
def test_compare_against_decimals(left: ExpSum, right: ExpSum, level: Epsilon) -> None:
    scaled = CONTEXT.multiply(power(level), approximate(right))
    assert compare(left, right, level) == judged(
        CONTEXT.subtract(approximate(left), scaled)
    )


@given(sums, levels)
def test_ties_are_exact(value: ExpSum, level: Epsilon) -> None:
    """R = the product of all r^b, written out where the b are whole: e^level times the
    sum is a tie.
    """
    whole = Epsilon(level.plain, tuple((F(b.numerator), r) for b, r in level.logs))
    scaled = value.shifted(level.plain)
    for b, r in whole.logs:
        scaled = scaled * constant(r**b.numerator)
    assert compare(scaled, value, whole) == 0
    nudged = scaled + constant(F(1, 10**200))
    assert compare(nudged, value, whole) == 1


@given(sums, sums)
def test_arithmetic(left: ExpSum, right: ExpSum) -> None:
    close = (
        CONTEXT.subtract(
            approximate(left * right),
            CONTEXT.multiply(approximate(left), approximate(right)),
        ),
        CONTEXT.subtract(
            approximate(left + right),
            CONTEXT.add(approximate(left), approximate(right)),
        ),
    )
    assert all(abs(difference) < DIGITS_APART for difference in close)
    assert sign(left + left * constant(-1)) == 0


@given(sums, st.integers(3, 40))
def test_enclosures_enclose(value: ExpSum, digits: int) -> None:
    low, high = bounds(to_digits(digits, lambda: expsum.plain(value)), digits)
    slack = F(1, 10**90)
    assert low - slack <= F(approximate(value)) <= high + slack
    assert high - low < F(1, 10 ** (digits - 3))


@given(st.fractions(-400, 0, max_denominator=9), st.integers(3, 40))
def test_exponentials_are_enclosed(exponent: Fraction, digits: int) -> None:
    low, high = bounds(to_digits(digits, lambda: ball(exponent).exp()), digits)
    assert low <= F(CONTEXT.exp(number(exponent))) <= high and high - low <= F(
        3, 10**digits
    )


@given(st.fractions(-50, 50, max_denominator=9), st.integers(0, 30))
def test_bounds_are_multiples_that_enclose(value: Fraction, digits: int) -> None:
    low, high = bounds(to_digits(digits, lambda: ball(value)), digits)
    assert (
        low <= value <= high
        and (low * 10**digits).denominator == 1 == (high * 10**digits).denominator
    )
    assert high - low <= F(3, 10**digits)
    with pytest.raises(ArithmeticError):
        bounds(to_digits(digits, lambda: ball(-1).log()), digits)


def test_bounds_of_a_wide_ball() -> None:
    wide = flint().arb(1, 0.25)
    for digits in (0, 1, 2, 9):
        low, high = bounds(wide, digits)
        assert (
            low <= F(3, 4)
            and F(5, 4) <= high
            and high - low <= F(1, 2) + F(3, 10**digits)
        )


def test_without_the_library_it_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ties need no enclosure; other signs do."""
    monkeypatch.setitem(sys.modules, "flint", None)
    assert compare(constant(3), constant(1), ln(3)) == 0
    with pytest.raises(InputError, match=r"pip install 'phverify\[audit\]'"):
        compare(constant(3), constant(1), ln(2))


def test_large_exponents_cost_nothing() -> None:
    huge = F(10**15)
    assert compare(exponential(huge), exponential(-huge) + exponential(huge - 1)) == 1
    assert sign(exponential(-huge) + constant(-1)) == -1
    assert (
        compare(
            constant(1),
            constant(1),
            Epsilon(F(0), ((F(10**12, 7), F(3)), (F(-(10**12), 7), F(3)))),
        )
        == 0
    )


def test_close_numbers_are_told_apart() -> None:
    """ln 3 to 60 digits, from below and above, is not ln 3."""
    with decimal.localcontext(decimal.Context(prec=60)):
        digits = F(decimal.Decimal(3).ln())
    assert compare(constant(3), constant(1), Epsilon(digits - F(1, 10**58))) == 1
    assert compare(constant(3), constant(1), Epsilon(digits + F(1, 10**58))) == -1
    assert compare(constant(3), constant(1), ln(3)) == 0


@given(st.lists(st.integers(1, 500), max_size=5))
def test_coprime_base(numbers: list[int]) -> None:
    base = coprime_base(numbers)
    assert all(b > 1 for b in base)
    assert all(math.gcd(a, b) == 1 for i, a in enumerate(base) for b in base[:i])
    for n in numbers:
        for b in base:
            while n % b == 0:
                n //= b
        assert n == 1


@given(positive, st.lists(st.tuples(st.integers(-3, 3), positive), max_size=3))
def test_powers_against_written_out(
    value: Fraction, logs: list[tuple[int, Fraction]]
) -> None:
    written = F(1)
    for b, r in logs:
        written *= r**b
    assert is_power(value, tuple((F(b), r) for b, r in logs)) == (value == written)
    assert is_power(written, tuple((F(b, 2), r * r) for b, r in logs))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1/2", Epsilon(F(1, 2))),
        ("0.1", Epsilon(F(1, 10))),
        ("ln(3)", ln(3)),
        ("20/39 ln(3/2)", ln(F(3, 2)).times(F(20, 39))),
        ("0.1 + ln(2)/2", ln(2).times(F(1, 2)) + Epsilon(F(1, 10))),
        ("(1/2)*ln(3/2) - 1", ln(F(3, 2)).times(F(1, 2)) - Epsilon(F(1))),
        ("ln(1)", Epsilon(F(0))),
        ("-2", Epsilon(F(-2))),
    ],
)
def test_epsilon_from_text(text: str, value: Epsilon) -> None:
    assert epsilon(text) == value
    assert epsilon(str(value)) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "1 2",
        "ln",
        "ln(0)",
        "3 *",
        "1/0",
        "ln(2)*3",
        "1 + ",
        "ln(-1)",
        "ln(1/0)",
    ],
)
def test_bad_epsilon(text: str) -> None:
    with pytest.raises(InputError):
        epsilon(text)


def test_one_number_in_two_texts() -> None:
    assert epsilon("ln(4)") == epsilon("2 ln(2)") and str(epsilon("ln(4)")) != str(
        epsilon("2 ln(2)")
    )
    assert epsilon("ln(3)") != epsilon("1.0986122886681098")
    assert epsilon("ln(3)") < epsilon(
        "1.0986122886681098"
    )  # ln 3 = 1.0986122886681096914..
    assert epsilon("ln(6)") == epsilon("ln(2) + ln(3)")
