"""Mechanisms of audit: exact decisions against high-precision decimals, ties on the
threshold, the paper's numbers.
"""

from __future__ import annotations

import decimal
import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.mechanisms_cases import F
from support.mechanisms_expsum_cases import CONTEXT, approximate, judged, levels, power

from phverify.disclosure.facts.distances import Columns, Nominal
from phverify.errors import InputError
from phverify.exact import ln
from phverify.mechanisms.epsilon import Epsilon, epsilon
from phverify.mechanisms.expsum import constant, exponential
from phverify.mechanisms.least import Least, least
from phverify.mechanisms.mechanism import (
    Mechanism,
    exponential_mechanism,
    gauss,
    laplace,
    randomized_response,
    table,
    weighted,
)
from phverify.mechanisms.privacy import (
    hamming,
    local_privacy,
    locally_indistinguishable,
    neighbours,
    outputs_indistinguishable,
    private,
)


def exact_table(m: Mechanism) -> list[list[decimal.Decimal]]:
    return [
        [
            CONTEXT.divide(approximate(p.over), approximate(p.under))
            for p in row.values()
        ]
        for row in m.entries.values()
    ]


def brute(m: Mechanism, level: Epsilon) -> bool:
    """eps-LDP by all pairs, outputs and decimals."""
    rows, factor = exact_table(m), power(level)
    every = product(range(len(rows)), range(len(rows)), range(len(m.outputs)))
    return all(
        judged(CONTEXT.subtract(rows[i][j], CONTEXT.multiply(factor, rows[k][j]))) <= 0
        for i, k, j in every
    )


@st.composite
def mechanisms(draw: st.DrawFn) -> Mechanism:
    kind = draw(
        st.sampled_from(["table", "laplace", "gauss", "exponential", "response"])
    )
    inputs = draw(st.lists(st.integers(0, 4), min_size=2, max_size=3, unique=True))
    size = F(draw(st.integers(1, 6)), draw(st.integers(1, 2)))
    if kind == "table":
        rows = [
            draw(st.lists(st.integers(0, 3), min_size=3, max_size=3).filter(any))
            for _ in inputs
        ]
        return table(
            {
                x: {j: F(w, sum(row)) for j, w in enumerate(row)}
                for x, row in zip(inputs, rows, strict=True)
            }
        )
    if kind == "response":
        return randomized_response(inputs, 1 / (size + 1))
    if kind == "exponential":
        return exponential_mechanism(
            inputs, range(3), lambda x, y: (int(str(x)) + int(str(y))) % 3, size
        )
    return (laplace if kind == "laplace" else gauss)(inputs, range(3), size)


@given(mechanisms(), levels)
def test_local_privacy_against_decimals(m: Mechanism, level: Epsilon) -> None:
    if level.sign() >= 0:
        assert (local_privacy(m, level).verdict == "proved") == brute(m, level)
        by_pairs = private(m, level, lambda x, y: 1)
        assert by_pairs.verdict == local_privacy(m, level).verdict


@given(mechanisms())
def test_breaches_are_real(m: Mechanism) -> None:
    answer = local_privacy(m, "ln(5/4)")
    if answer.breach is not None:
        b = answer.breach
        larger, smaller = (
            m.probability(b.first, b.output),
            m.probability(b.second, b.other),
        )
        assert (larger, smaller) == (b.larger, b.smaller)
        low, high = larger.enclosure(30)[1], smaller.enclosure(30)[0]
        assert low > F(5, 4) * high
        assert str(b.first) in str(b)


@given(mechanisms())
def test_the_least_epsilon(m: Mechanism) -> None:
    """PROVED at the upper bound and at the closed form, REFUTED at the lower bound when
    that is smaller.
    """
    found = least(m, digits=12)
    if found.low is None or found.high is None:
        assert local_privacy(m, 50).verdict == "refuted"
        return
    assert found.high - found.low <= F(1, 10**12)
    assert local_privacy(m, found.high).verdict == "proved"
    if found.exact is not None:
        assert local_privacy(m, found.exact).verdict == "proved"
        assert Epsilon(found.low) <= found.exact <= Epsilon(found.high)
        if found.exact.sign() > 0:
            assert (
                local_privacy(m, found.exact.times(F(999, 1000))).verdict == "refuted"
            )
    if found.low > F(1, 10**9):
        assert local_privacy(m, found.low - F(1, 10**11)).verdict == "refuted"


def test_randomized_response_is_exactly_ln_3() -> None:
    """Example 3 (ii): 3/4 against 1/4; the tie is a proof, anything less is refuted."""
    response = randomized_response((0, 1), F(3, 4))
    found = least(response)
    assert (
        found.exact is not None
        and found.exact == ln(3)
        and str(found) == "ln(3) in [1.0986122886, 1.0986122887]"
    )
    assert local_privacy(response, "ln(3)").verdict == "proved"
    answer = local_privacy(response, "ln(2.999999999999)")
    assert answer.verdict == "refuted" and answer.breach is not None
    assert (answer.breach.larger.rational(), answer.breach.smaller.rational()) == (
        F(3, 4),
        F(1, 4),
    )


def test_example_3_hospital() -> None:
    """(2/3) / (1/3): lines 4 and 5 are ln(2)-locally indistinguishable with respect to
    Viral-Infection.
    """
    lines = table(
        {
            "l4": {"Viral": F(1, 3), "other": F(2, 3)},
            "l5": {"Viral": F(2, 3), "other": F(1, 3)},
        }
    )
    assert (
        locally_indistinguishable(lines, "l4", "l5", "Viral", "ln(2)").verdict
        == "proved"
    )
    assert (
        locally_indistinguishable(
            lines, "l4", "l5", "Viral", "ln(2) - 1/1000000"
        ).verdict
        == "refuted"
    )


def test_example_4() -> None:
    """2/5 against 3/5: (20/39) ln(3/2) with rho = 39/20, (1/2) ln(3/2) with two
    differing cells.
    """
    answers = table({"men": {"l2": 0, "l4": F(2, 5), "l5": F(3, 5)}})
    by_rho, by_hamming = epsilon("20/39 ln(3/2)"), epsilon("1/2 ln(3/2)")
    assert by_hamming < by_rho

    def ask(eps: Epsilon, distance: Fraction | int) -> str:
        return outputs_indistinguishable(
            answers, "men", "l4", "l5", eps, distance
        ).verdict

    assert (
        ask(by_rho, F(39, 20)) == "proved" and ask(by_hamming, F(39, 20)) == "refuted"
    )
    assert (
        ask(by_hamming, 2) == "proved"
        and ask(by_hamming.times(F(99, 100)), 2) == "refuted"
    )
    assert (
        ask(by_hamming, 1) == "refuted"
    )  # slip: one differing *record* would give ln(3/2)
    assert ask(epsilon("ln(3/2)"), 1) == "proved"
    for eps in (0, 1, 1000):  # l2 has probability 0
        assert (
            outputs_indistinguishable(answers, "men", "l2", "l4", eps).verdict
            == "refuted"
        )


def test_the_papers_wording_of_local_privacy_is_weaker() -> None:
    """Slip: pairs without a common output are never compared, so publishing the input
    passes with eps = 0.
    """
    publish = table({x: {x: 1} for x in "abc"})
    assert local_privacy(publish, 0, literal=True).verdict == "proved"
    answer = local_privacy(publish, 1000)
    assert answer.verdict == "refuted" and answer.breach is not None
    assert (answer.breach.larger.rational(), answer.breach.smaller.rational()) == (1, 0)
    assert not least(publish).finite and str(least(publish)) == "no finite eps"


@given(mechanisms(), levels)
def test_the_standard_notion_implies_the_papers_wording(
    m: Mechanism, level: Epsilon
) -> None:
    if level.sign() >= 0 and local_privacy(m, level).verdict == "proved":
        assert local_privacy(m, level, literal=True).verdict == "proved"


def test_ties_of_the_exponential_mechanism() -> None:
    """The same utilities in another order: the normalisers cancel and eps is exactly
    the spread of utilities.
    """
    m = exponential_mechanism(
        range(3), range(3), lambda x, y: (int(str(x)) + int(str(y))) % 3, "1/2"
    )
    found = least(m)
    assert found.exact == Epsilon(F(1)) and found.low == found.high == 1
    assert local_privacy(m, 1).verdict == "proved"
    assert local_privacy(m, 1 - F(1, 10**60)).verdict == "refuted"
    powers = exponential_mechanism(
        range(3), range(3), lambda x, y: -abs(int(str(x)) - int(str(y))), "ln(4)"
    )
    assert powers.probability(0, 0).rational() == F(16, 21)
    with pytest.raises(InputError, match=r"the weight \(3\)\^\(1/2\) is not rational"):
        exponential_mechanism((0, 1), (0, 1), lambda x, y: int(x == y), "1/2 ln(3)")


def test_densities_on_the_grid() -> None:
    """e^(-|x - y| / scale) and e^(-(x - y)^2 / (2 variance)), each divided by the sum
    over the grid.
    """
    for m, exponents in (
        (laplace((1,), range(4), 2), ("-1/2", "0", "-1/2", "-1")),
        (gauss((1,), range(4), 2), ("-1/4", "0", "-1/4", "-1")),
    ):
        assert [p.over for p in m.entries[1].values()] == [
            exponential(F(q)) for q in exponents
        ]
        total = sum(math.exp(F(q)) for q in exponents)
        low, high = m.probability(1, 3).enclosure(12)
        assert float(low) - 1e-12 < math.exp(-1) / total < float(high) + 1e-12


def test_bounded_laplace_needs_more_than_laplace() -> None:
    """Inputs 0 and 1 with scale 1 would be 1-private unbounded; renormalised on 0..2
    they are not.
    """
    m = laplace((0, 1), range(3), 1)
    assert local_privacy(m, 1).verdict == "refuted"
    found = least(m)
    assert found.low is not None and 1 < found.low < F(3, 2)
    assert found.exact is None
    symmetric = laplace((0, 2), range(3), 1)  # equal normalisers
    assert least(symmetric).exact == Epsilon(F(2))
    assert symmetric.probability(0, 0).rational() is None
    assert "e^(-1)" in str(symmetric.probability(0, 0))


def test_differential_privacy_of_databases() -> None:
    """Each record through randomized response: ln(3) for neighbours, the same per
    record under Hamming.
    """
    bits = list(product((0, 1), repeat=2))
    chance = {True: F(3, 4), False: F(1, 4)}
    m = table(
        {
            d: {o: chance[d[0] == o[0]] * chance[d[1] == o[1]] for o in bits}
            for d in bits
        }
    )
    for adjacency in (neighbours, hamming):
        assert private(m, "ln(3)", adjacency).verdict == "proved"
        answer = private(m, "ln(2.9)", adjacency)
        assert answer.verdict == "refuted" and answer.breach is not None
        found = least(m, adjacency)
        assert found.exact is not None and found.exact == ln(3)
        assert found.low is not None and found.high is not None
        assert Epsilon(found.low) < ln(3) < Epsilon(found.high)
        assert found.high - found.low <= F(1, 10**10)
    assert (
        local_privacy(m, "ln(3)").verdict == "refuted"
        and local_privacy(m, "2 ln(3)").verdict == "proved"
    )
    assert hamming((1,), (1, 2)) is None and neighbours((0, 0), (1, 1)) is None


@pytest.mark.parametrize(("nudge", "exact_later"), [(-1, False), (1, True)])
def test_the_closed_form_is_that_of_the_greatest(nudge: int, exact_later: bool) -> None:
    """x against y gives ln((1 + e) / 2), which has none; z against w gives ln(r) with r
    within 10^-39 of it.
    """
    e = F(CONTEXT.exp(decimal.Decimal(1)))
    r = F(round((1 + e) / 2 * 10**40) + nudge * 10, 10**40)
    rows = {
        "x": (constant(1), exponential(-1)),
        "y": (constant(1), constant(1)),
        "z": (constant(r / 4), constant(1 - r / 4)),
        "w": (constant(F(1, 4)), constant(F(3, 4))),
    }
    m = weighted(tuple(rows), (0, 1), lambda x, y: rows[str(x)][int(str(y))])

    def pairs(first: object, second: object) -> int | None:
        return 1 if {first, second} in ({"x", "y"}, {"z", "w"}) else None

    assert least(m, pairs, digits=12).exact is None
    later = least(m, pairs, digits=60)
    assert later.exact == (ln(r) if exact_later else None)
    assert private(m, ln(r), pairs).verdict == ("proved" if exact_later else "refuted")


def test_literal_rho_privacy_holds_only_for_constants() -> None:
    """Slip: all databases with two rows over three values; any two are linked through
    shared tuples, at rho = 0.
    """
    columns = Columns({"x": Nominal()})
    databases = [(a, b) for a in "abc" for b in "abc" if a < b]

    def rows(database: object) -> list[dict[str, str]]:
        assert isinstance(database, tuple)
        return [{"x": value} for value in database]

    def rho(d: object, e: object) -> Fraction | None:
        return columns.rho(rows(d), rows(e))

    def matched(d: object, e: object) -> Fraction:
        return columns.matched(rows(d), rows(e))

    noisy = table(
        {
            d: {
                "yes": F(500 + "a".count(d[0]), 1001),
                "no": F(501 - "a".count(d[0]), 1001),
            }
            for d in databases
        }
    )
    assert (
        private(noisy, 1000, rho).verdict == "refuted" and not least(noisy, rho).finite
    )
    assert private(noisy, 1, matched).verdict == "proved"
    constant_one = table({d: {"yes": F(1, 3), "no": F(2, 3)} for d in databases})
    assert private(constant_one, 0, rho).verdict == "proved"
    assert least(constant_one, rho) == Least(F(0), F(0), Epsilon(F(0)))
