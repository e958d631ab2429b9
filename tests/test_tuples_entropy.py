"""Non-uniform entropy as what is to be least, by tuples."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.certificate_cases import sealed
from support.tuples_truth import log2_parts

import phverify as ph
from phverify.spec.data import Refused
from phverify.spec.entropy import bits, fewest
from phverify.spec.recoding import TupleRecoding, tuple_space
from phverify.spec.sides import RangeSide, side


@pytest.mark.parametrize("count", range(1, 9))
def test_bits_are_log2_rounded_up(count: int) -> None:
    assert bits(count) == log2_parts(count)


@given(st.integers(1, 10**12))
def test_bits_grow(count: int) -> None:
    assert bits(count) <= bits(count + 1)
    assert (
        0
        <= bits(2 * count) - bits(count) - 1 + Fraction(1, 2**20)
        <= Fraction(2, 2**20)
    )


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8), st.integers(1, 9))
def test_the_fewest_neighbours(records: list[int], width: int) -> None:
    width = min(width, len(records))
    runs = [records[k : k + width] for k in range(len(records) - width + 1)]
    assert fewest(records, width) == min(map(sum, runs))


@given(st.lists(st.integers(1, 9), min_size=1, max_size=24), st.booleans())
def test_every_range_lies_in_a_group_no_dearer(
    counts: list[int], missing: bool
) -> None:
    """What Theorem 2 needs of the layers."""
    values: tuple[str | None, ...] = tuple(f"{k:02}" for k in range(len(counts)))
    if missing:
        values = (*values[:-1], None)
    one = RangeSide("n", values, records=tuple(counts))
    layers = list(one.layers("entropy"))
    for first in range(len(values)):
        for last in range(first, len(values)):
            run = one.node(first, last)
            price = one.price(run, "entropy")
            assert any(
                layer.group[run[0]] == layer.group[run[1]]
                and layer.price[layer.group[run[0]]] <= price
                for layer in layers
            )


def test_what_a_release_loses() -> None:
    """By hand: of 8 records 4 have a, 2 b, 2 c; b and c together leave one bit open."""
    paths = {"a": ("a", "a", "*"), "b": ("b", "bc", "*"), "c": ("c", "bc", "*")}
    rows = list("aaaabbcc")
    one = side("q", ("a", "b", "c"), paths)
    space = tuple_space((one,), {"q": rows}, {"q": Fraction(1)}, "entropy")
    assert TupleRecoding(space, ((0,), (1, 2))).cost == Fraction(4, 8)
    assert TupleRecoding(space, ((0,), (1,), (2,))).cost == 0
    # one bit for each a, two for all others
    assert TupleRecoding(space, ((0, 1, 2),)).cost == Fraction(4 + 8, 8)
    # who is withheld loses nothing
    assert TupleRecoding(space, ((1, 2),)).cost == Fraction(4, 8)


AGES = [20, 20, 21, 23, 25, 25, 26, 30, 31, 31, 40, 41]


def asked(**more: Any) -> Any:
    table = pd.DataFrame({"age": AGES, "sex": list("FFFMMMFFMMFM")})
    return ph.anonymize(table, quasi=["age", "sex"], k=3, budget=2.5, **more)


def test_the_least_entropy_is_one_function() -> None:
    """What is shown of every result is what is least of this one."""
    least = asked(objective="entropy")
    assert least.cost == least.measures.entropy
    assert 0 < least.bound <= least.cost
    for objective in ("loss", "class-size", "discernibility"):
        other = asked(objective=objective)
        assert other.measures.entropy >= least.bound
    assert "bits that a cell leaves open" in str(least)
    assert least.to_dict()["measures"]["entropy"] == str(least.cost)
    for earlier, later in pairwise(least.history):
        assert earlier.bound <= later.bound


def test_its_certificate(tmp_path: Path) -> None:
    table, rules = tmp_path / "table.csv", tmp_path / "policy.toml"
    pd.DataFrame({"age": AGES, "sex": list("FFFMMMFFMMFM")}).to_csv(table, index=False)
    rules.write_text(
        '[columns]\nquasi = ["age", "sex"]\n[types]\nage = "integer"\n'
        '[rules]\nk = "k_anonymity(3)"\n',
        encoding="utf-8",
    )
    found = ph.anonymize(table, policy=rules, objective="entropy", budget=2)
    certificate = found.certificate
    files = {"table": table, "policy": rules}
    answer = ph.check(certificate, **files)
    assert answer.accepted, answer
    assert f"entropy is {found.cost}" in str(answer)
    cheaper = Fraction(certificate["cost"]) - Fraction(1, 2**20)
    value = str(Fraction(certificate["bound"]["value"]) + Fraction(1, 24 * 2**20))
    prices = list(certificate["bound"]["prices"])
    prices[0] += certificate["bound"]["unit"] * 3
    for change in (
        {"cost": str(cheaper)},
        {"bound": {**certificate["bound"], "value": value}},
        {"bound": {**certificate["bound"], "prices": prices}},
        {"objective": "loss"},
    ):
        assert not ph.check(sealed({**certificate, **change}), **files).accepted


def test_what_is_refused() -> None:
    with pytest.raises(ph.InputError, match="none is withheld"):
        asked(objective="entropy", suppress="10%")
    with pytest.raises(ph.InputError, match="loss, precision, entropy"):
        asked(objective="bits")
    with pytest.raises(Refused):
        side("n", ("1", "2"), None).price((0, 1), "precision")
