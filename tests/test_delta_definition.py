"""Delta-disclosure by its definition: no share is 2^delta times the other one."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from phverify.spec.criteria.delta_disclosure import DeltaDisclosure


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
