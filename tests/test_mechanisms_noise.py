"""Mechanisms of audit: continuous noise, and what is too close to decide."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.mechanisms_cases import F

from phverify.errors import InputError
from phverify.mechanisms import continuous, expsum, privacy
from phverify.mechanisms.continuous import DensityAnswer, gauss_noise, laplace_noise
from phverify.mechanisms.enclosure import bounds, to_digits
from phverify.mechanisms.mechanism import (
    exponential_mechanism,
    gauss,
    laplace,
    randomized_response,
    table,
)
from phverify.mechanisms.privacy import (
    local_privacy,
    private,
)

whole = st.integers(0, 6).map(F)


def log_ratio(
    x: Fraction,
    one: Fraction,
    other: Fraction,
    spread: Fraction,
    gaussian: bool,
    ends: tuple[Fraction, Fraction] | None,
) -> float:
    """ln(p(x) / p'(x)) in floats, from textbook normalisers."""

    def mass(value: Fraction) -> float:
        if ends is None:
            return 1.0
        a, b = float(value - ends[0]), float(ends[1] - value)
        if gaussian:
            root = math.sqrt(2 * float(spread))
            return math.erf(a / root) + math.erf(b / root)
        return 2 - math.exp(-a / float(spread)) - math.exp(-b / float(spread))

    def exponent(value: Fraction) -> float:
        gap = float(x - value)
        return (
            -gap * gap / (2 * float(spread)) if gaussian else -abs(gap) / float(spread)
        )

    return exponent(one) - exponent(other) + math.log(mass(other) / mass(one))


@given(
    whole,
    whole,
    st.fractions(F(1, 2), 6, max_denominator=3),
    st.booleans(),
    st.booleans(),
    st.integers(0, 40),
)
def test_continuous_noise(
    one: F, other: F, spread: F, gaussian: bool, bounded: bool, tenths: int
) -> None:
    """PROVED means that no output on a fine grid is in breach, REFUTED that the stated
    output is.
    """
    ends = (F(0), F(6)) if bounded else None
    eps = F(tenths, 10)
    answer = (gauss_noise if gaussian else laplace_noise)(one, other, spread, eps, ends)
    if (
        answer.output is not None
        and answer.first is not None
        and answer.second is not None
    ):
        assert answer.verdict == "refuted"
        assert (
            log_ratio(
                answer.output, answer.first, answer.second, spread, gaussian, ends
            )
            > float(eps) - 1e-9
        )
    else:
        assert answer.verdict == "proved"
        assert all(
            log_ratio(F(k, 10), one, other, spread, gaussian, ends) < float(eps) + 1e-9
            for k in range(61)
        )


def test_continuous_ties() -> None:
    assert laplace_noise(F(0), F(3), F(2), F(3, 2)).verdict == "proved"
    assert laplace_noise(F(0), F(3), F(2), F(3, 2) - F(1, 10**50)) == DensityAnswer(
        "refuted", F(0), F(0), F(3)
    )
    assert (
        laplace_noise(F(0), F(6), F(2), 3, (F(0), F(6))).verdict == "proved"
    )  # equal normalisers
    assert laplace_noise(F(0), F(3), F(2), F(3, 2), (F(0), F(6))).verdict == "refuted"
    assert (
        gauss_noise(F(1), F(5), F(2), 6, (F(0), F(6))).verdict == "proved"
    )  # mirror images: 3 * 4 / 2
    assert (
        gauss_noise(F(1), F(5), F(2), 6 - F(1, 10**50), (F(0), F(6))).verdict
        == "refuted"
    )
    assert gauss_noise(F(1), F(1), F(2), 0).verdict == "proved"
    assert gauss_noise(F(1), F(2), F(2), "100 ln(2)").verdict == "refuted"


def test_bounded_gauss_can_be_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    """An eps within 10^-50 of the threshold, of which no test says whether it is the
    threshold.

    The greatest log-ratio is that of 3 over 1 at the output 6: (25 - 9) / 4 + ln(mass
    of 1 / mass of 3).
    """
    ends, variance = (F(0), F(6)), F(2)
    share = continuous._share
    shares = to_digits(
        70, lambda: (share(F(1), variance, ends) / share(F(3), variance, ends)).log()
    )
    threshold = 4 + bounds(shares, 60)[0]
    monkeypatch.setattr(continuous, "DIGITS", 40)
    answer = gauss_noise(F(1), F(3), variance, threshold, ends)
    assert (
        answer.verdict == "undecided" and "40 digits do not separate" in answer.reason
    )
    assert (
        gauss_noise(F(1), F(3), variance, threshold + F(1, 10**20), ends).verdict
        == "proved"
    )
    assert gauss_noise(
        F(1), F(3), variance, threshold - F(1, 10**20), ends
    ) == DensityAnswer("refuted", F(6), F(3), F(1))
    assert gauss_noise(F(0), F(1000), F(1), 1, (F(0), F(1001))).verdict == "refuted"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: table({"a": {"x": F(1, 2)}}), "the sum is 1/2, not 1"),
        (
            lambda: table({"a": {"x": F(3, 2), "y": F(-1, 2)}}),
            "the weight -1/2 is negative",
        ),
        (lambda: table({}), "no inputs"),
        (lambda: randomized_response((0,), F(1, 2)), "at least two values"),
        (lambda: randomized_response((0, 0), F(1, 2)), "the input 0 occurs twice"),
        (lambda: laplace((0, 1), (0, 1), 0), "the scale is 0"),
        (lambda: gauss((0.5, 1), (0, 1), 1), "0.5 is no exact number"),
        (
            lambda: randomized_response("ab", F(1, 2)).probability("c", "a"),
            "'c' is no input",
        ),
        (
            lambda: local_privacy(randomized_response("ab", F(1, 2)), -1),
            "-1 is negative",
        ),
        (lambda: gauss_noise(F(0), F(1), F(0), 1), "the scale or variance is 0"),
        (
            lambda: laplace_noise(F(0), F(9), F(1), 1, (F(0), F(6))),
            "0 and 9 do not both lie in the interval",
        ),
        (
            lambda: private(randomized_response("ab", F(1, 2)), 1, lambda x, y: -1),
            "the distance of 'a' and 'b' is -1",
        ),
        (
            lambda: private(randomized_response("ab", F(1, 2)), 1, privacy.hamming),
            "not tuples of records",
        ),
    ],
)
def test_bad_mechanisms_are_told(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(InputError, match=message):
        make()


def test_too_close_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expsum, "LIMIT", 50)
    near = bounds(to_digits(80, lambda: expsum.logarithms(((F(1), F(3)),))), 80)[0]
    response = randomized_response((0, 1), F(3, 4))
    answer = local_privacy(response, near)
    assert (
        answer.verdict == "undecided" and "50 digits do not separate" in answer.reason
    )
    assert answer.breach is None


def test_entries_too_close_to_order_do_not_matter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Which of two inputs is likelier cannot be told in 50 digits; that eps = 1
    suffices can, and eps = 0 cannot.
    """
    monkeypatch.setattr(expsum, "LIMIT", 50)
    m = exponential_mechanism(
        (0, 1), ("a", "b"), lambda x, y: F(int(str(x)), 10**70) if y == "a" else 0, 1
    )
    assert (
        local_privacy(m, 1).verdict == "proved" == private(m, 1, lambda x, y: 1).verdict
    )
    assert (
        local_privacy(m, 0).verdict
        == "undecided"
        == private(m, 0, lambda x, y: 1).verdict
    )
    monkeypatch.undo()
    assert local_privacy(m, 0).verdict == "refuted"
