"""Terms, their SMT-LIB text and Z3 agree; budgets are kept; exact arithmetic is
exact.
"""

from __future__ import annotations

import itertools
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.so_many import sampled, so_many

from phverify.budget import Deadline
from phverify.constraints import terms as t
from phverify.constraints.smtlib import script
from phverify.constraints.solver import least, solve
from phverify.spec.logarithms import compare_minus_log, compare_power2, largest_at_most
from phverify.spec.source import rational

NAMES = ("x", "y", "z", "odd name")


def grow(inner: st.SearchStrategy[t.Term]) -> st.SearchStrategy[t.Term]:
    parts = st.lists(inner, max_size=3)
    sums = st.builds(
        t.count,
        st.lists(st.tuples(st.integers(-3, 3), inner), max_size=3),
        st.integers(-3, 3),
    )
    with_abs = st.builds(
        lambda a, k, b: a + k * t.magnitude(b), sums, st.integers(-2, 2), sums
    )
    return st.one_of(
        st.builds(t.neg, inner),
        st.builds(t.conj, parts),
        st.builds(t.disj, parts),
        st.builds(t.iff, inner, inner),
        st.builds(t.at_least, sums, st.integers(-3, 3)),
        st.builds(t.at_least, with_abs, st.integers(-3, 3)),
    )


terms = st.recursive(
    st.one_of(
        st.builds(t.Unknown, st.sampled_from(NAMES)), st.sampled_from((t.TRUE, t.FALSE))
    ),
    grow,
    max_leaves=8,
)


@so_many(150)
@given(st.lists(terms, min_size=1, max_size=2))
def test_z3_agrees_with_enumeration(constraints: list[t.Term]) -> None:
    assignments = [
        dict(zip(NAMES, bits, strict=True))
        for bits in itertools.product((0, 1), repeat=len(NAMES))
    ]
    possible = any(
        all(t.evaluate(c, values) for c in constraints) for values in assignments
    )
    answer = solve(script(constraints, "a title\nof two lines"))
    assert answer.status == ("sat" if possible else "unsat")
    if possible:
        assert all(t.evaluate(c, answer.values) for c in constraints)


def test_a_budget_is_kept_and_no_answer_is_guessed() -> None:
    """A pigeonhole of products, which Z3 does not settle in a moment."""
    n = 12
    hole = {(p, h): t.Unknown(f"p{p}_{h}") for p in range(n + 1) for h in range(n)}
    each = [t.disj(hole[p, h] for h in range(n)) for p in range(n + 1)]
    apart = [
        t.neg(t.conj((hole[a, h], hole[b, h])))
        for h in range(n)
        for a in range(n + 1)
        for b in range(a)
    ]
    answer = solve(script([*each, *apart]), Deadline(0.3))
    assert answer.status == "unknown"
    assert answer.reason
    assert solve(script([t.TRUE]), Deadline(1e-9)).status == "unknown"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1", "1/10"),
        ("2/3", "2/3"),
        ("1e-3", "1/1000"),
        ("50%", "1/2"),
        ("-1.5", "-3/2"),
        (".5", "1/2"),
        ("1.1", "11/10"),
    ],
)
def test_numbers_are_read_exactly(text: str, value: str) -> None:
    assert rational(text) == Fraction(value)


@pytest.mark.parametrize(
    "text", ["", "x", "1/0", "0x10", "1,5", "nan", "inf", "1 2", "--1", "1e99999"]
)
def test_texts_that_are_no_numbers(text: str) -> None:
    with pytest.raises(ValueError):
        rational(text)


@so_many(150)
@given(
    st.fractions(Fraction(1, 50), 50, max_denominator=50),
    st.fractions(-6, 6, max_denominator=9),
)
def test_powers_of_two_compare_exactly(value: Fraction, exponent: Fraction) -> None:
    left, right = value**exponent.denominator, Fraction(2) ** exponent.numerator
    assert compare_power2(value, exponent) == (left > right) - (left < right)


@pytest.mark.parametrize(
    "exponent", ["0.693147", "1e12", "-1e12", "3.14159265358979", "1000000.5"]
)
def test_odd_exponents_are_quick(exponent: str) -> None:
    value = largest_at_most(
        lambda x: x == 0 or compare_power2(x, rational(exponent)) < 0, 10**9, 1000
    )
    assert 0 <= value <= 1000


@so_many(150)
@given(
    st.fractions(Fraction(1, 99), 1, max_denominator=99).filter(bool),
    st.fractions(0, 6, max_denominator=40),
)
def test_logarithms_compare_as_with_many_digits(p: Fraction, value: Fraction) -> None:
    with localcontext() as context:
        context.prec = 80
        log = (
            Fraction(-(Decimal(p.numerator) / Decimal(p.denominator)).ln())
            if p < 1
            else Fraction(0)
        )
    assert compare_minus_log(value, p) == (value > log) - (value < log)


@so_many(150)
@given(st.integers(1, 40), st.fractions(0, 5, max_denominator=60))
def test_largest_fraction_below_a_bound(denominator: int, bound: Fraction) -> None:
    found = largest_at_most(lambda x: x <= bound, denominator, 3)
    every = [
        Fraction(p, q) for q in range(1, denominator + 1) for p in range(3 * q + 1)
    ]
    assert found == max(x for x in every if x <= bound)


@pytest.mark.parametrize("seconds", [0.0011, 0.0105, 0.0209, 0.0999, 0.25])
def test_a_budget_that_is_over_is_no_ctrl_c(seconds: float) -> None:
    """Z3 says the same of both: an early end is Ctrl-C, any other one is the time."""
    cubes = "".join(f"(declare-const {v} Int)(assert (> {v} 1))" for v in "xyz")
    cubes += "(assert (= (+ (* x x x) (* y y y)) (* z z z)))(check-sat)"
    for _ in sampled(range(3), 3):
        over = solve(cubes, Deadline(seconds))
        assert over.status == "unknown"
        assert over.reason == f"the budget of {seconds:g} s ran out"
        assert solve(cubes, Deadline(seconds), tactics=True).status == "unknown"
        assert least(cubes, Deadline(seconds)).status == "unknown"
