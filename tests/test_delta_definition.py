"""Delta-disclosure by its definition: no share is 2^delta times the other one."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from phverify.spec.criteria.delta_disclosure import (
    DeltaDisclosure,
    _largest_ratio,
    _rounded_up,
)
from phverify.spec.logarithms import compare_power2


def violated(inside: dict[str, int], whole: dict[str, int], factor: int) -> bool:
    for value, count in whole.items():
        p = Fraction(count, sum(whole.values()))
        q = Fraction(inside[value], sum(inside.values()))
        if q >= factor * p or p >= factor * q:
            return True
    return False


@pytest.mark.parametrize("delta", [1, 2])
def test_too_rare_is_as_bad_as_too_frequent(delta: int) -> None:
    criterion = DeltaDisclosure("f", Fraction(delta))
    verdicts = set()
    for a, b, others in product(range(5), range(5), range(1, 9)):
        if a + b == 0:
            continue
        inside = {"a": a, "b": b}
        whole = {"a": a + others, "b": b + 1}
        expected = not violated(inside, whole, 2**delta)
        assert criterion.holds(inside, whole) == expected
        verdicts.add(expected)
    assert verdicts == {True, False}


@pytest.mark.parametrize("delta", ["1/3", "1", "3/2"])
def test_the_ratio_of_a_larger_table_does_for_a_smaller_one(delta: str) -> None:
    """Shares of a table of so many rows are on the same side of it as of 2^delta."""
    criterion = DeltaDisclosure("f", Fraction(delta))
    for rows in (1, 7, 16, 17, 19, 33):
        larger = _rounded_up(rows)
        assert rows <= larger <= rows + rows // 8
        ratio = _largest_ratio(criterion.delta, larger)
        shares = [Fraction(a, b) for b in range(1, rows + 1) for a in range(1, b + 1)]
        for p in {*shares[-rows:], Fraction(1, rows)}:
            for q in shares:
                below = compare_power2(q / p, criterion.delta) < 0
                assert (q / p <= ratio) == below
