"""Cuts over three tuples: against all sets, all partitions; forged ones are refused."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.certificate_cases import sealed
from support.so_many import so_many
from test_tuples_lower import Case, cases, flat, ints

import phverify as ph
from phverify.budget import Deadline
from phverify.recoding import cut_rounds
from phverify.recoding.prices import bounds
from phverify.recoding.separation import broken_cuts, paid_cuts
from phverify.recoding.walker import NO_END
from phverify.spec.cuts import MOST_ITEMS, require_cuts
from phverify.spec.data import Refused
from phverify.spec.recoding import tuple_space
from phverify.spec.sides import side

Cut = list[int]


@st.composite
def cuts_over(draw: st.DrawFn, tuples: int, high: int) -> list[Cut]:
    """Some cuts in ascending order, with multipliers."""
    triples = list(combinations(range(tuples), 3))
    if not triples:
        return []
    chosen = draw(st.lists(st.sampled_from(triples), max_size=6, unique=True))
    return [[*one, draw(st.integers(0, high))] for one in sorted(chosen)]


@so_many(40, fuzz=1000)
@given(cases(), st.data())
def test_the_walk_and_its_twin_pay_for_cuts_as_all_sets_do(
    case: Case, data: st.DataObject
) -> None:
    # About what boxes cost: some sets break their price by less than cuts take off.
    unit = case.grid.unit
    high = data.draw(st.sampled_from([10, unit // 3, unit]))
    cuts = data.draw(cuts_over(len(case.held), high))
    prices = [data.draw(st.integers(0, high)) * count for count in case.space.counts]
    held = case.walker
    paying = case.paying(cuts)
    broken = case.broken(prices, cuts)
    assert held.feasible(ints(prices), paying) is not broken
    lowered, found = held.lowered(ints(prices), NO_END, 100, paying)
    assert lowered is not None
    assert (lowered <= prices).all()
    assert not case.broken(lowered.tolist(), cuts)
    assert held.feasible(lowered, paying)
    case.plain(lowered.tolist(), None, cuts)
    assert bool(found.sets) is broken
    if broken:
        with pytest.raises(Refused, match="more than they cost"):
            case.plain(prices, None, cuts)
    else:
        case.plain(prices, None, cuts)
        assert lowered.tolist() == prices
    for one in found.sets:
        assert len(set(one.tolist())) == len(one)
        assert case.space.records(one.tolist()) >= case.least


@st.composite
def on_the_edge(draw: st.DrawFn) -> tuple[Case, list[int], list[Cut]]:
    """Prices that some set breaks or nearly does, once it has paid for cuts."""
    case = draw(cases().filter(lambda case: len(case.held) > 2))
    unit = case.grid.unit
    step = draw(st.sampled_from([6, unit // 6, unit]))
    cuts = draw(cuts_over(len(case.held), 2).filter(bool))
    cuts = [[*triple, times * step] for *triple, times in cuts]
    high = [2 * unit * count for count in case.space.counts]
    lowered, _ = case.walker.lowered(ints(high), NO_END)
    assert lowered is not None
    prices = lowered.tolist()
    for *triple, multiplier in cuts:
        for number in triple:
            prices[number] += multiplier * draw(st.integers(1, 6)) // 6
    if draw(st.booleans()):
        tight, _ = case.walker.lowered(ints(prices), NO_END, 0, case.paying(cuts))
        assert tight is not None
        prices = tight.tolist()
    chosen = draw(st.integers(0, len(prices) - 1))
    prices[chosen] += draw(st.sampled_from([0, 1, step // 2, step]))
    return case, prices, cuts


@so_many(75, fuzz=1200, more=1500)
@given(on_the_edge())
def test_what_a_set_pays_for_cuts_is_counted_once_and_exactly(
    drawn: tuple[Case, list[int], list[Cut]],
) -> None:
    case, prices, cuts = drawn
    broken = case.broken(prices, cuts)
    assert case.walker.feasible(ints(prices), case.paying(cuts)) is not broken
    if broken:
        with pytest.raises(Refused, match="more than they cost"):
            case.plain(prices, None, cuts)
    else:
        case.plain(prices, None, cuts)


def all_cuts(
    sets: list[np.ndarray], shares: np.ndarray, tuples: int
) -> tuple[np.ndarray, np.ndarray]:
    """All triples, in place of those that are broken."""
    triples = np.array([*combinations(range(tuples), 3)], np.int64).reshape(-1, 3)
    return triples, np.full(len(triples), 2.0)


@so_many(25, fuzz=1000)
@given(cases())
def test_no_bound_with_all_cuts_is_above_the_optimum(case: Case) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cut_rounds, "broken_cuts", all_cuts)
        patch.setattr(cut_rounds, "OFTEN", 100)
        patch.setattr(cut_rounds, "SMALL", 0.0)
        search = bounds(case.grid, case.least, Deadline(), case.distinct, case.budget)
        last = list(search)[-1]
    cuts = last.cuts.tolist()
    prices = last.prices.tolist()
    require_cuts(cuts, len(prices))
    units = sum(prices) - last.relief * case.budget - sum(cut[3] for cut in cuts)
    assert last.value == Fraction(units, last.unit * case.grid.rows)
    assert not case.broken(prices, cuts)
    case.plain(prices, last.relief, cuts)
    best = case.optimum()
    if best is not None:
        assert case.space.no_less(last.value) <= best


def corners(counts: Sequence[int] = (1, 1, 1), least: int = 2) -> Case:
    """Three tuples: two of them are alike in one of three columns, all in none."""
    sides = []
    for a in range(3):
        sides.append(side(f"q{a}", tuple("ab"), {v: (v, "*") for v in "ab"}))
    codes = [("a", "a", "b"), ("a", "b", "a"), ("b", "a", "a")]
    rows = []
    for code, count in zip(codes, counts, strict=True):
        rows += [code] * count
    columns = {f"q{a}": [row[a] for row in rows] for a in range(3)}
    weights = {f"q{a}": Fraction(1) for a in range(3)}
    space = tuple_space(tuple(sides), columns, weights, "loss")
    return Case(space, [{0}] * 3, least, 1, 0)


def test_a_cut_proves_what_half_a_class_of_each_pair_does_not() -> None:
    case = corners()
    found = list(bounds(case.grid, 2, Deadline()))
    without = [bound.value for bound in found if not len(bound.cuts)]
    assert max(without) <= Fraction(2, 3)
    assert case.optimum() == 1
    assert case.space.no_less(found[-1].value) == 1
    assert found[-1].cuts[:, :3].tolist() == [[0, 1, 2]]


@so_many(50, fuzz=1000)
@given(st.data())
def test_broken_cuts_and_who_pays_for_them(data: st.DataObject) -> None:
    tuples = data.draw(st.integers(3, 7))
    numbers = st.sets(st.integers(0, tuples - 1), min_size=1)
    drawn = data.draw(st.lists(numbers, min_size=1, max_size=8))
    shares = np.array([data.draw(st.sampled_from([0, 0.25, 0.5, 1])) for _ in drawn])
    # Classes are a cover: with fewer, only triples that share in pairs are broken.
    sets = [np.array(sorted(one), np.int32) for one in drawn]
    triples, worth = broken_cuts(sets, shares, tuples)
    expected = {}
    for triple in combinations(range(tuples), 3):
        having = [len(one.intersection(triple)) >= 2 for one in drawn]
        expected[triple] = float(shares[np.array(having)].sum())
    said = dict(zip(map(tuple, triples.tolist()), worth.tolist(), strict=True))
    # Of each triple the first tuple shares classes with the two others.
    for triple, total in expected.items():
        pairs = [
            sum(s for s, one in zip(shares, drawn, strict=True) if {*pair} <= one)
            for pair in combinations(triple, 2)
        ]
        met = pairs[0] > 0 and pairs[1] > 0
        assert said.get(triple) == (total if total > 1.02 and met else None)
    every = np.array([*combinations(range(tuples), 3)], np.int64)
    starts = np.concatenate([[0], np.cumsum([len(one) for one in sets])])
    cuts, paying = paid_cuts(every, np.concatenate(sets), starts, tuples)
    pairs_said = set(zip(cuts.tolist(), paying.tolist(), strict=True))
    assert len(pairs_said) == len(cuts)
    for number, triple in enumerate(combinations(range(tuples), 3)):
        for place, one in enumerate(drawn):
            pays = len(one.intersection(triple)) >= 2
            assert ((number, place) in pairs_said) is pays


@pytest.mark.parametrize(
    ("cut", "why"),
    [
        ([[0, 1, 2]], "three tuples and a multiplier"),
        ([[0, 1, 1, 5]], "three tuples once, in ascending order"),
        ([[1, 0, 2, 5]], "three tuples once, in ascending order"),
        ([[-1, 0, 2, 5]], "three tuples once, in ascending order"),
        ([[0, 1, 3, 5]], "three tuples once, in ascending order"),
        ([[0, 1, 2, -5]], "a multiplier is below 0"),
        ([[0, 1, 2, 5], [0, 1, 2, 5]], "ascending order, each once"),
        ([[0, 1, 2, 5], [0, 1, 2, 6]], "ascending order, each once"),
    ],
)
def test_a_cut_has_three_tuples_and_occurs_once(cut: list[Cut], why: str) -> None:
    with pytest.raises(Refused, match=why):
        corners().plain([0, 0, 0], None, cut)


def crowd(tuples: int) -> tuple[Case, list[int], list[Cut]]:
    """Tuples of one box, each paid too much; each pair pays more for a cut of its own.

    So no class is paid too much, and that is hard to see.
    """
    case = flat([1] * tuples, 2)
    gain = case.grid.unit // 100
    triples = set()
    for one, other in combinations(range(tuples), 2):
        third = -(one + other) % tuples
        while third in (one, other):
            third = (third + 1) % tuples
        triples.add(tuple(sorted([one, other, third])))
    cuts = [[*triple, 3 * gain] for triple in sorted(triples)]
    return case, [case.grid.unit + gain] * tuples, cuts


def test_a_box_that_is_too_hard_is_refused_and_lowered() -> None:
    case = flat([1] * (MOST_ITEMS + 1), 2)
    cost = case.grid.unit
    prices, cuts = [cost + 1] * len(case.held), [[0, 1, 2, cost]]
    with pytest.raises(Refused, match="too many tuples of a box"):
        case.plain(prices, None, cuts)
    paying = case.paying(cuts)
    assert not case.walker.feasible(ints(prices), paying)
    lowered, _ = case.walker.lowered(ints(prices), NO_END, 0, paying)
    assert lowered is not None
    case.plain(lowered.tolist(), None, cuts)


def test_too_many_branches_are_refused_and_lowered() -> None:
    few, prices, cuts = crowd(6)
    assert not few.broken(prices, cuts)
    few.plain(prices, None, cuts)
    assert few.walker.feasible(ints(prices), few.paying(cuts))
    case, prices, cuts = crowd(40)
    with pytest.raises(Refused, match="too many branches"):
        case.plain(prices, None, cuts)
    paying = case.paying(cuts)
    assert not case.walker.feasible(ints(prices), paying)
    lowered, _ = case.walker.lowered(ints(prices), NO_END, 0, paying)
    assert lowered is not None
    assert case.walker.feasible(lowered, paying)
    case.plain(lowered.tolist(), None, cuts)


def test_a_walk_may_take_only_so_many_steps_for_cuts() -> None:
    case = corners()
    *_, last = bounds(case.grid, 2, Deadline())
    paying = case.paying(last.cuts.tolist())
    assert case.walker.feasible(last.prices, paying)
    assert not case.walker.feasible(last.prices, paying, 1)


# Certificates

ROWS = pd.DataFrame({"a": [*"aab"], "b": [*"aba"], "c": [*"baa"], "f": [*"xyz"]})
POLICY = ph.Policy.from_dict(
    {
        "columns": {"quasi": ["a", "b", "c"], "sensitive": ["f"]},
        "rules": {"k": "k_anonymity(2)"},
    }
)


@pytest.fixture(scope="module")
def certificate() -> dict[str, Any]:
    """Of a release that only cuts prove to be the best."""
    found = ph.anonymize(ROWS, policy=POLICY, budget=30)
    assert found.cost == found.bound == 1
    return dict(json.loads(json.dumps(found.certificate)))


def answer(claimed: dict[str, Any]) -> str:
    """What the check of a sealed certificate says."""
    return str(ph.check(sealed(claimed), table=ROWS, policy=POLICY))


def test_a_certificate_with_cuts_is_accepted(certificate: dict[str, Any]) -> None:
    said = answer(certificate)
    assert "no box is paid too much, 1 cut paid" in said
    assert said.endswith("ACCEPTED")


def with_cuts(
    certificate: dict[str, Any], cuts: list[Cut] | None, added_up: bool = True
) -> dict[str, Any]:
    """The certificate with other cuts, and with the value that follows."""
    mutant = copy.deepcopy(certificate)
    bound = mutant["bound"]
    bound["cuts"] = cuts
    if cuts is None:
        del bound["cuts"]
    if added_up:
        units = sum(bound["prices"]) - sum(cut[3] for cut in cuts or [])
        # Costs of three records in three columns are whole ninths.
        whole = Fraction(units, bound["unit"] * 3) * 9
        bound["value"] = str(Fraction(-(-whole // 1), 9))
    return mutant


def test_other_cuts_are_refused(certificate: dict[str, Any]) -> None:
    ((*triple, multiplier),) = certificate["bound"]["cuts"]
    assert triple == [0, 1, 2]
    assert "ACCEPTED" in answer(with_cuts(certificate, [[0, 1, 2, multiplier]]))
    higher = [[0, 1, 2, 2 * multiplier]]
    assert "add up to" in answer(with_cuts(certificate, higher, added_up=False))
    less = multiplier - certificate["bound"]["unit"] // 100
    refused = {
        "paid": [[0, 1, 2, less]],
        "a box is no class": None,
        "three tuples once": [[0, 1, 1, multiplier]],
        "is below 0": [[0, 1, 2, -multiplier]],
        "each once": [[0, 1, 2, 0], [0, 1, 2, multiplier]],
    }
    for why, cuts in refused.items():
        said = answer(with_cuts(certificate, cuts))
        assert "REFUSED" in said
        assert why in said or "are paid" in said
    assert "REFUSED" in answer(with_cuts(certificate, [[0, 1, 2]], added_up=False))


def test_certificates_without_cuts_need_no_field_for_them() -> None:
    frame = pd.DataFrame(
        {"a": [*"aabb"], "b": [*"aabb"], "c": [*"aabb"], "f": [*"xyxy"]}
    )
    found = ph.anonymize(frame, policy=POLICY, budget=3)
    claimed = dict(json.loads(json.dumps(found.certificate)))
    assert "cuts" not in claimed["bound"]
    assert ph.check(claimed, table=frame, policy=POLICY).accepted
    empty = sealed({**claimed, "bound": {**claimed["bound"], "cuts": []}})
    assert ph.check(empty, table=frame, policy=POLICY).accepted
    loose = sealed({**claimed, "bound": {**claimed["bound"], "cuts": [[0, 1, 2]]}})
    assert not ph.check(loose, table=frame, policy=POLICY).accepted
