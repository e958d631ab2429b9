"""Fractions as decimals: short ones exactly, and no decimal on the wrong side."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import hypothesis.strategies as st
import pandas as pd
import pytest
from hypothesis import given

import phverify as ph
from phverify.measurement.result import AskedThreshold
from phverify.measurement.threshold import Threshold
from phverify.mechanisms.written import as_decimals, has_long
from phverify.report.leak_story import in_words
from phverify.report.search_text import amount, at_least
from phverify.report.thresholds import threshold_text
from phverify.rounded import (
    LONG,
    below,
    figure,
    in_places,
    rounded,
    significant,
)

POSITIVE = st.fractions(min_value=Fraction(1, 10**9), max_value=10**6)
NEAR = st.tuples(
    st.fractions(0, 1, max_denominator=1000), st.integers(10**6, 10**9)
).map(lambda one: one[0] + Fraction(1, one[1]))
"""Numbers close to fractions that are written as they are."""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("is 2/3 > 1/2", "is 2/3 > 1/2"),
        ("is 1/100 > 1/99", "is 1/100 (~0.01) > 1/99"),
        ("is 137/1250 > 1/10", "is 137/1250 (~0.1096) > 1/10"),
        ("is 123456789/987654321 > 0", "is ~0.125 > 0"),
        ("s = '137/1250' = 1/1000", "s = '137/1250' = 1/1000 (~0.001)"),
        ("10/12/1952 and a/1250 and 0.5/1250", "10/12/1952 and a/1250 and 0.5/1250"),
        ("1/0000", "1/0000"),
        # Four digits would say 1/10 > 1/10.
        ("is 1000001/10000000 > 1/10", "is ~0.1000001 > 1/10"),
        ("is 2000001/10000000 > 0.2", "is ~0.2000001 > 0.2"),
        ("is 1999999/10000000 <= 0.2", "is ~0.1999999 <= 0.2"),
        # What is not certain is not shown as that.
        ("is 9999999/10000000", "is ~0.9999999"),
        ("is 99999/100000", "is 99999/100000 (~0.99999)"),
        ("1000001/10000000 < 1000002/10000000", "~0.1000001 < ~0.1000002"),
        # What is negative stays that.
        ("is -1/7 <= -1/1000", "is -1/7 <= -1/1000 (~-0.001)"),
        ("-123456789/987654321 < 1 - 1/1000", "~-0.125 < 1 - 1/1000 (~0.001)"),
        ("-1000002/10000000 < -1000001/10000000", "~-0.1000002 < ~-0.1000001"),
        # Long because of what is above the line.
        ("is 12345678901234/7 > 0.25", "is ~1763668414462 > 0.25"),
    ],
)
def test_sentences(text: str, shown: str) -> None:
    assert rounded(text) == shown


@given(st.integers(0, 10**20), st.integers(0, 20), st.fractions())
def test_decimals_in_formulas_are_exact(top: int, places: int, other: Fraction) -> None:
    decimal = Fraction(top, 10**places)
    for value in (decimal, abs(other)):
        shown = as_decimals(f"1/2 ln({value})")
        inside = shown.removeprefix("1/2 ln(").removesuffix(")")
        assert Fraction(inside) == value
        # Only what is long and ends is written otherwise.
        if len(str(value)) <= LONG:
            assert inside == str(value)
    assert not has_long(as_decimals(str(decimal)))


def number(shown: str) -> Fraction:
    """What a reader takes a number for: the last one that is written for it."""
    return Fraction(re.findall(r"[-\d./]+", shown)[-1])


@given(NEAR, NEAR | st.fractions(0, 2, max_denominator=50), st.sampled_from([1, -1]))
def test_decimals_stand_as_their_fractions_do(
    one: Fraction, other: Fraction, sign: int
) -> None:
    one, other = sign * one, sign * other
    left, right = rounded(f"{one} against {other}").split(" against ")
    assert (number(left) > number(right)) == (one > other)
    assert (number(left) == number(right)) == (one == other)
    for value, shown in ((one, left), (other, right)):
        assert (number(shown) in (0, 1)) == (value in (0, 1))
        if len(str(value)) > LONG:
            assert "/" not in shown and shown[0] == "~"


@given(POSITIVE)
def test_four_significant_digits(value: Fraction) -> None:
    error = abs(Fraction(significant(value)) - value)
    assert error <= value / 1000
    assert Fraction(significant(value, to=math.floor)) <= value
    assert Fraction(significant(value, to=math.ceil)) >= value
    assert significant(-value) == f"-{significant(value)}"


@given(POSITIVE)
def test_bounds_stay_bounds(value: Fraction) -> None:
    assert value - Fraction(1, 10**6) < Fraction(below(value)) <= value
    assert Fraction(at_least(value)) <= value
    whole = Fraction(in_places(value)).denominator == 1
    assert whole == (value.denominator == 1)


@pytest.mark.parametrize(
    ("cost", "shown"),
    [
        (Fraction(9, 14), "0.642857 (exactly 9/14)"),
        (Fraction(3), "3"),
        (Fraction(118423123, 151092000), "~0.783782"),
        # One record of fifty millions is not none.
        (Fraction(1, 50_000_000), "0.00000002 (exactly 1/50000000)"),
        (Fraction(123456789, 10**10), "~0.012346"),
    ],
)
def test_costs(cost: Fraction, shown: str) -> None:
    assert amount(cost) == shown


def test_figures_with_all_their_digits_are_not_marked() -> None:
    value = Fraction(1234567, 10**7)
    assert figure(value, "0.1234567") == "0.1234567"
    assert figure(value, significant(value)) == "~0.1235"


def test_thresholds_are_rounded_to_where_the_criterion_holds() -> None:
    value = Fraction(1555555, 9999999)
    smallest = Threshold("t", value, cls=None, most=False)
    largest = Threshold("x", value, cls=None, most=True)
    assert threshold_text(smallest) == "smallest t = 0.1556 (rounded up)"
    assert threshold_text(largest) == "largest x = 0.1555 (rounded down)"


def test_a_measured_number_may_be_asked_for() -> None:
    sick = ["x"] * 313 + ["y"] * 684 + ["x"] * 100 + ["y"] * 8_902
    raw = pd.DataFrame({"q": ["a"] * 997 + ["b"] * 9_002, "s": sick})
    policy = {"columns": {"quasi": ["q"], "sensitive": ["s"]}}
    measured = ph.measure(raw, policy)
    lines = str(measured).splitlines()
    [line] = [one for one in lines if one.startswith("beta_likeness")]
    found = re.fullmatch(r".*smallest beta = ([\d.]+) \(rounded up\)", line)
    assert found, line
    asked = {**policy, "rules": {"beta": f"beta_likeness(s, {found[1]})"}}
    assert ph.verify(raw, asked).verdict == "proved"


@pytest.mark.parametrize(
    ("most", "asked", "shown"),
    [
        # True is 0.155555515..: rounded up to 0.1556 it would be beyond these.
        (False, "0.15556", "0.15556 (rounded up)"),
        (False, "0.155555516", "0.155555516 (rounded up)"),
        (False, "0.1555", "0.1556 (rounded up)"),
        (False, "1555555/9999999", "1555555/9999999"),
        (True, "0.1555", "0.1555 (rounded down)"),
        (True, "0.15552", "0.15555 (rounded down)"),
        (True, "", "0.1555 (rounded down)"),
    ],
)
def test_thresholds_stay_on_their_side_of_what_rules_ask(
    most: bool, asked: str, shown: str
) -> None:
    threshold = Threshold("t", Fraction(1555555, 9999999), cls=None, most=most)
    beside = [AskedThreshold("r", asked, kept=True)]
    _, _, number = threshold_text(threshold, beside).partition(" = ")
    assert number == shown


def test_long_numbers_of_rules_are_decimals_where_they_have_one() -> None:
    asked = AskedThreshold("r", "337406812/1000000000000001", kept=True)
    assert asked.wanted("t") == "t = 337406812/1000000000000001"
    asked = AskedThreshold("r", "7736131/10000000", kept=True, beside="k = 5")
    assert asked.wanted("t") == "t = 0.7736131 with k = 5"


def test_formulas_of_a_story_stay_formulas() -> None:
    """``~`` means *not* there."""
    formula = "l_a1(s = 'x') <= 24999999999997/30000000000000"
    words, own = in_words(formula).split(" In the policy's language: ")
    assert own == formula
    assert "at most ~0.8333" in words
