"""Non-uniform entropy as what is to be least, by tuples."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.certificate_cases import sealed
from support.so_many import so_many
from support.tuples_oracle import partitions
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


Drawn = tuple[list[tuple[int, str]], int, Fraction]
"""Rows, the size of a class, and the share that may be withheld."""


@st.composite
def tables(draw: Any) -> Drawn:
    cells = st.tuples(st.sampled_from((20, 21, 25, 40)), st.sampled_from("FM"))
    rows = draw(st.lists(cells, min_size=2, max_size=8))
    share = draw(st.sampled_from(("1/8", "1/4", "1/2", "3/4")))
    return rows, draw(st.integers(2, 3)), Fraction(share)


def least_bits(rows: list[tuple[int, str]], k: int, share: Fraction) -> Fraction | None:
    """The least cost of all functions, whatever is withheld, by the definition."""
    counted = Counter(rows)
    costs = []
    for kept in subsets(list(counted)):
        records = sum(counted[one] for one in kept)
        if not kept or len(rows) - records > share * len(rows):
            continue
        for classes in partitions(kept):  # type: ignore[arg-type]
            if all(sum(counted[one] for one in part) >= k for part in classes):
                lost = sum(bits_lost(rows, part) for part in classes)
                costs.append(lost / (2 * len(rows)))
    return min(costs, default=None)


def bits_lost(rows: list[tuple[int, str]], part: Sequence[Any]) -> Fraction:
    """What the records of a class lose: in years a range, in sexes one or both."""
    low, high = min(part)[0], max(part)[0]
    sexes = {sex for _, sex in part}
    aged = log2_parts(sum(low <= age <= high for age, _ in rows))
    sexed = log2_parts(sum(sex in sexes for _, sex in rows))
    lost = Fraction(0)
    for age, sex in rows:
        if (age, sex) in part:
            lost += aged - log2_parts([one for one, _ in rows].count(age))
            lost += sexed - log2_parts([one for _, one in rows].count(sex))
    return lost


def subsets(items: list[Any]) -> Iterator[list[Any]]:
    for count in range(len(items) + 1):
        yield from map(list, combinations(items, count))


@so_many(20)
@given(tables())
def test_with_withheld_records_against_all_functions(drawn: Drawn) -> None:
    """The bound is never above the least cost; the checker finds it again."""
    rows, k, share = drawn
    table = pd.DataFrame(rows, columns=["age", "sex"])
    policy = ph.Policy.from_dict(
        {
            "columns": {"quasi": ["age", "sex"]},
            "types": {"age": "integer"},
            "rules": {"k": f"k_anonymity({k})"},
        }
    )
    found = ph.anonymize(
        table, policy=policy, objective="entropy", suppress=share, budget=0.3
    )
    least = least_bits(rows, k, share)
    if least is None:
        assert found.cost is None
        return
    assert found.bound <= least
    if found.cost is None:
        return
    assert found.cost >= least
    answer = ph.check(found.certificate, table=table, policy=policy)
    assert answer.accepted, answer


def test_a_withheld_record_is_paid_above_what_it_costs_as_it_is() -> None:
    """Twelve ages in classes of three, and of a quarter nothing is asked: the bound is
    reached, and no lower relief stands.
    """
    found = asked(objective="entropy", suppress="25%")
    assert found.cost == found.bound > 0
    table = pd.DataFrame({"age": AGES, "sex": list("FFFMMMFFMMFM")})
    policy = ph.Policy.from_dict(
        {
            "columns": {"quasi": ["age", "sex"]},
            "types": {"age": "integer"},
            "rules": {"k": "k_anonymity(3)"},
        }
    )
    found = ph.anonymize(
        table, policy=policy, objective="entropy", suppress="25%", budget=2.5
    )
    certificate = json.loads(json.dumps(found.certificate))
    bound = certificate["bound"]
    assert ph.check(certificate, table=table, policy=policy).accepted
    # Less relief for each record would prove more: its value is what the refusal says.
    bound["relief"] -= 1000
    refused = ph.check(sealed({**certificate}), table=table, policy=policy)
    value = re.search(r"the prices add up to (\S+), not to", str(refused))
    assert value is not None
    bound["value"] = value[1]
    refused = ph.check(sealed({**certificate}), table=table, policy=policy)
    assert "has a price above the relief of its records" in str(refused)


def test_what_is_refused() -> None:
    with pytest.raises(ph.InputError, match="loss, precision, entropy"):
        asked(objective="bits")
    with pytest.raises(Refused):
        side("n", ("1", "2"), None).price((0, 1), "precision")
