"""Whether an answer of a linkage method is sound; figures over many answers."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support.reidentify_methods_cases import F, distribution
from support.so_many import so_many

from phverify.linkage.belief.pignistic_compatible import Plan, sound
from phverify.linkage.methods.links import Links
from phverify.linkage.methods.soundness import certain, judge
from phverify.linkage.methods.unsound import (
    Excluded,
    Outweighed,
    Overbelieved,
    Overpriced,
    Witness,
)


def answer(*shares: Any, sets: bool = False) -> Links:
    """One released record; shares of the original records in order, or pairs of a set
    and its mass.
    """
    pairs = shares if sets else [((k,), share) for k, share in enumerate(shares)]
    return Links(
        "test",
        {0: tuple((tuple(members), F(share)) for members, share in pairs if F(share))},
        sets,
    )


def witness(found: Links, truth: Mapping[int, Fraction]) -> Witness | None:
    judged = judge(found, lambda record: truth, [0])
    assert judged.verdict == ("unsound" if judged.unsound else "sound")
    return judged.unsound[0].witness if judged.unsound else None


def test_the_true_record_must_not_be_outweighed() -> None:
    assert witness(answer("1/10", "3/10", "3/10", "3/10"), {0: F(1)}) == Outweighed(
        0, F(1, 10), 1, F(3, 10)
    )
    assert witness(answer("0", "1"), {0: F(1)}) == Outweighed(0, F(0), 1, F(1))
    assert witness(answer("1/4", "1/4", "1/4", "1/4"), {3: F(1)}) is None


def test_the_support_must_be_covered() -> None:
    """Proposition 16."""
    assert witness(
        answer("1/2", "1/2"), {0: F(1, 3), 1: F(1, 3), 2: F(1, 3)}
    ) == Excluded(2, F(1, 3))


def test_a_record_outside_the_support_may_be_the_most_probable() -> None:
    """Proposition 19 and Corollary 20."""
    third = {k: F(1, 3) for k in range(3)}
    assert witness(answer("1/6", "1/6", "1/6", "1/2"), third) is None
    found = witness(answer("1/9", "1/9", "1/9", "2/3"), third)
    assert isinstance(found, Overpriced)
    assert found.claimed > found.most


def test_prices_name_the_records_that_they_are_of() -> None:
    """The records of a pattern are renamed back: 4 is outside the support and has two
    thirds.
    """
    truth = {1: F(1, 2), 2: F(1, 2)}
    found = witness(answer("0", "1/6", "1/6", "0", "2/3"), truth)
    assert isinstance(found, Overpriced)
    prices = dict(found.prices)
    given = {1: F(1, 6), 2: F(1, 6), 4: F(2, 3)}
    assert (
        sum(prices.get(x, 0) * share for x, share in given.items())
        == found.claimed
        > found.most
    )
    assert prices.get(4, F(0)) > prices.get(1, F(0))


def test_sets_must_hold_the_truth() -> None:
    """Lemma 13 and Lemma 17."""
    assert (
        witness(answer(((0, 1), "1/2"), ((1, 2), "1/2"), sets=True), {1: F(1)}) is None
    )
    found = witness(
        answer(((0, 1), "1/2"), ((2, 3), "1/4"), ((3,), "1/4"), sets=True), {1: F(1)}
    )
    assert found == Overbelieved((2, 3), F(0), F(1, 2))
    thirds = {k: F(1, 3) for k in range(3)}
    assert witness(answer(((0, 1, 2, 3), 1), sets=True), thirds) is None
    missing = witness(answer(((0, 1, 3), 1), sets=True), thirds)
    assert missing == Overbelieved(missing.set, F(2, 3), F(1))  # type: ignore[union-attr]
    assert {0, 1, 3} >= set(missing.set)  # type: ignore[union-attr]


def test_figures() -> None:
    said = {
        0: (((0,), F(1, 2)), ((1,), F(1, 2))),
        1: (((1,), F(1)),),
        3: (((0,), F(1, 4)), ((1,), F(3, 4))),
    }
    true = [0, 1, 2, 0]
    found = judge(Links("m", said, False, 1), certain(true), true)
    assert (found.judged, found.silent, found.normalized, found.patterns) == (
        3,
        1,
        1,
        0,
    )
    assert (found.correct, found.first) == (F(7, 4), F(3, 2))
    assert [item.record for item in found.unsound] == [3]


def test_equal_patterns_are_decided_once() -> None:
    """Ten records whose numbers are the same up to names, and one that differs."""
    said = {
        r: (((r,), F(1, 2)), ((r + 1,), F(1, 4)), ((r + 2,), F(1, 4)))
        for r in range(10)
    }
    said[10] = (((0,), F(1, 3)), ((1,), F(1, 3)), ((2,), F(1, 3)))

    def truth(record: int) -> Mapping[int, Fraction]:
        first = record % 10
        return {first: F(1, 2), first + 1: F(1, 2)}

    assert judge(Links("m", said, False), truth, range(11)).patterns == 2


def test_equal_sets_with_other_truths_are_other_questions() -> None:
    said = {r: (((0, 1), F(1)),) for r in range(2)}
    truths = ({0: F(1, 2), 1: F(1, 2)}, {0: F(1, 2), 2: F(1, 2)})
    found = judge(Links("m", said, True), truths.__getitem__, [0, 0])
    assert [item.record for item in found.unsound] == [1]
    assert found.patterns == 2


shares = st.lists(st.integers(0, 4), min_size=2, max_size=4).filter(any)


def subsets(n: int) -> list[tuple[int, ...]]:
    return [c for size in range(1, n + 1) for c in combinations(range(n), size)]


@so_many(75)
@given(shares, st.integers(0, 3), st.integers(0, 2**30))
def test_a_certain_truth_needs_no_program(
    weights: list[int], true: int, seed: int
) -> None:
    """What is decided by a comparison is what the linear program decides."""
    given_, truth = distribution(weights), {true: F(1)}
    program = isinstance(sound(given_, truth), Plan)
    assert (
        witness(answer(*(given_.get(k, 0) for k in range(4))), truth) is None
    ) == program


@so_many(75)
@given(st.lists(st.integers(0, 3), min_size=15, max_size=15).filter(any), shares)
def test_sets_by_all_subsets(masses: list[int], weights: list[int]) -> None:
    """Definition 7 literally."""
    focal = [
        (s, F(m, sum(masses))) for s, m in zip(subsets(4), masses, strict=True) if m
    ]
    truth = distribution(weights)
    worst = max(
        sum((m for s, m in focal if set(s) <= set(c)), F(0))
        - sum((truth.get(x, F(0)) for x in c), F(0))
        for c in subsets(4)
    )
    found = witness(answer(*focal, sets=True), truth)
    assert (found is None) == (worst <= 0)
    if isinstance(found, Overbelieved):
        inside = set(found.set)
        assert found.belief == sum((m for s, m in focal if set(s) <= inside), F(0))
        assert (
            found.probability
            == sum((truth.get(x, F(0)) for x in inside), F(0))
            < found.belief
        )


@so_many(40)
@given(st.lists(st.integers(0, 3), min_size=15, max_size=15).filter(any), shares)
def test_a_compatible_belief_has_a_sound_pignistic_distribution(
    masses: list[int], weights: list[int]
) -> None:
    """Definition 14 by Definition 7, in the direction that needs no search."""
    focal = [
        (s, F(m, sum(masses))) for s, m in zip(subsets(4), masses, strict=True) if m
    ]
    belief, truth = answer(*focal, sets=True), distribution(weights)
    if witness(belief, truth) is None:
        given_ = belief.probability(0)
        assert witness(answer(*(given_.get(k, 0) for k in range(4))), truth) is None
