"""Match probabilities of pairs, match thresholds, answers that leave something open,
and the figures of links.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations
from typing import Any

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.evidence_oracle import random_shares, uniform
from support.reidentify_pairwise_cases import NAMES, F, links
from support.so_many import so_many

from phverify.constraints.solver import solve
from phverify.errors import InputError
from phverify.linkage.belief.plans import Farkas, Plan, check_farkas
from phverify.linkage.methods.answers import LinkReading, MethodAnswer, reading
from phverify.linkage.methods.links import Links, read_links
from phverify.linkage.methods.soundness import certain, judge
from phverify.linkage.methods.uncommitted import sound_with_rest
from phverify.linkage.methods.unsound import Outweighed, Overpriced


def answer(*numbers: Any, **how: Any) -> MethodAnswer | None:
    return LinkReading(**how).answer(
        {(k,): F(number) for k, number in enumerate(numbers)}
    )


def shares(*numbers: Any) -> dict[tuple[int, ...], Fraction]:
    return {(k,): F(number) for k, number in enumerate(numbers) if F(number)}


def by_worlds(numbers: list[Fraction]) -> dict[int | None, Fraction]:
    """The pairs are matches independently of one another, under the condition that one
    of them is at most.
    """
    weights: dict[int | None, Fraction] = {}
    for one in (None, *range(len(numbers))):
        weights[one] = math.prod(
            (p if k == one else 1 - p for k, p in enumerate(numbers)), start=F(1)
        )
    return {one: weight / sum(weights.values()) for one, weight in weights.items()}


@so_many(100)
@given(
    st.lists(st.fractions(0, F(39, 40), max_denominator=40), min_size=1, max_size=5),
    st.booleans(),
)
def test_pairwise_is_the_probability_under_one_match_at_most(
    numbers: list[Fraction], sure: bool
) -> None:
    numbers = [*numbers, F(1)] if sure else numbers
    found, wanted = answer(*numbers, pairwise=True), by_worlds(numbers)
    assert found is not None
    assert found.rest == wanted.pop(None)
    assert found.masses == {(k,): share for k, share in wanted.items() if share}


def test_certain_pairs_share_everything() -> None:
    assert answer("1", pairwise=True) == MethodAnswer(shares(1))
    assert answer("1", "0.999", "1", pairwise=True) == MethodAnswer(
        shares("1/2", 0, "1/2")
    )
    near = answer(
        *["0.9999999"] * 2, "0.999", pairwise=True
    )  # the limit, as both go to 1 alike
    assert near is not None
    assert all(abs(near.masses[(k,)] - F(1, 2)) < F(1, 1000) for k in (0, 1))


@pytest.mark.parametrize(
    ("numbers", "how", "wanted"),
    [
        (("1/2",), {"pairwise": True}, MethodAnswer(shares("1/2"), F(1, 2))),
        (
            ("1/2", "1/2"),
            {"pairwise": True},
            MethodAnswer(shares("1/3", "1/3"), F(1, 3)),
        ),
        (("0",), {"pairwise": True}, MethodAnswer({}, F(1))),
        (
            ("1/2", "3/4"),
            {"pairwise": True, "match_threshold": F(3, 4)},
            MethodAnswer(shares(0, "3/4"), F(1, 4)),
        ),
        (
            ("1/2",),
            {"pairwise": True, "match_threshold": F(3, 4)},
            MethodAnswer({}, F(1)),
        ),
        (("3", "1"), {"normalize": True}, MethodAnswer(shares("3/4", "1/4"))),
        (
            ("3", "1"),
            {"normalize": True, "match_threshold": F(2)},
            MethodAnswer(shares(1)),
        ),
        (
            ("3", "1"),
            {"normalize": True, "match_threshold": F(4)},
            MethodAnswer({}, F(1)),
        ),
        (("0",), {"normalize": True, "match_threshold": F(4)}, MethodAnswer({}, F(1))),
        (("0",), {"normalize": True}, None),
        (("0",), {"normalize": True, "match_threshold": F(0)}, None),
        (
            ("2/3", "1/3"),
            {"match_threshold": F(1, 2)},
            MethodAnswer(shares("2/3"), F(1, 3)),
        ),
        (("2/3", "1/2"), {"match_threshold": F(2, 3)}, None),
        (("1/2",), {}, None),
    ],
)
def test_readings(
    numbers: tuple[str, ...], how: dict[str, Any], wanted: MethodAnswer | None
) -> None:
    assert answer(*numbers, **how) == wanted


def test_a_record_without_a_link_is_no_match() -> None:
    found = links(
        ("1", "1", "0.9"), ("2", "1", "0.4"), pairwise=True, match_threshold=F(1, 2)
    )
    assert (found.said, found.rest) == (
        {0: (((0,), F(9, 10)),), 1: ()},
        {0: F(1, 10), 1: F(1)},
    )
    assert (found.unmatched, found.pairs[1]) == (1, {0: F(2, 5)})


@pytest.mark.parametrize(
    ("how", "problem"),
    [
        ((True, True, None), "or match probabilities of pairs, not both"),
        ((False, True, "often"), "is a probability from 0 to 1, not often"),
        ((False, False, F(3, 2)), "is a probability from 0 to 1, not 3/2"),
        ((False, False, -1), "is a probability from 0 to 1, not -1"),
    ],
)
def test_readings_that_contradict_themselves(
    how: tuple[bool, bool, Any], problem: str
) -> None:
    with pytest.raises(InputError) as error:
        reading(*how)
    assert problem in str(error.value)
    assert reading(True, False, "3/2").match_threshold == F(3, 2)  # of scores


def test_numbers_that_are_no_match_probabilities() -> None:
    with pytest.raises(
        InputError,
        match=r"1\.5 is no match probability of a pair\n.*--normalize is for scores",
    ):
        links(("1", "1", "1.5"), pairwise=True)
    with pytest.raises(
        InputError, match="the masses of sets are no match probabilities"
    ):
        read_links(
            pd.DataFrame({"record": ["1"], "set": ["{1 2}"]}),
            *NAMES,
            how=LinkReading(pairwise=True),
        )
    with pytest.raises(
        InputError, match="--pairwise takes each number as the probability"
    ):
        links(("1", "1", "0.9"))
    with pytest.raises(InputError, match=r"sum to about 1E-9 more than 1, not to 1"):
        links(("1", "1", "1"), ("1", "2", "0.000000001"))


def open_by_subsets(
    masses: Mapping[int, Fraction], truth: Mapping[int, Fraction], n: int
) -> bool:
    """Some belief function compatible with the truth has a pignistic distribution with
    these masses at least.
    """
    every = [c for size in range(1, n + 1) for c in combinations(range(n), size)]
    flow = {(b, x): f"f_{'_'.join(map(str, b))}_to_{x}" for b in every for x in b}
    lines = [
        f"(declare-const {name} Real)(assert (>= {name} 0.0))" for name in flow.values()
    ]
    for x in range(n):
        taken = " ".join(name for (_, y), name in flow.items() if y == x)
        spread = " ".join(
            f"(* (/ 1.0 {len(b)}.0) {name})" for (b, _), name in flow.items() if x in b
        )
        for relation, terms, share in (
            ("=", taken, truth.get(x, F(0))),
            (">=", spread, masses.get(x, F(0))),
        ):
            lines.append(
                f"(assert ({relation} (+ 0.0 {terms}) (/ {share.numerator}.0"
                f" {share.denominator}.0)))"
            )
    return solve("\n".join(lines)).status == "sat"


@so_many(50)
@example(
    {1: F(5, 7), 2: F(2, 7)}, {0: F(1, 2), 2: F(1, 2)}, F(3, 10)
)  # only a program finds where the rest belongs
@given(
    random_shares(4),
    random_shares(4),
    st.fractions(F(1, 20), F(19, 20), max_denominator=20),
)
def test_what_is_left_open_by_all_belief_functions(
    given_: dict[int, Fraction], truth: dict[int, Fraction], rest: Fraction
) -> None:
    masses = {x: share * (1 - rest) for x, share in given_.items() if share}
    true = {x: share for x, share in truth.items() if share}
    found = sound_with_rest(masses, true)
    assert isinstance(found, Plan) == open_by_subsets(masses, true, 4)
    if isinstance(found, Farkas):
        assert check_farkas(found, masses, true)
        assert min(found.prices.values()) >= 0
    judged = judge(open_links(masses, rest), lambda record: true, [None])
    assert (judged.verdict == "sound") == isinstance(found, Plan)


def open_links(masses: Mapping[int, Fraction], rest: Fraction) -> Links:
    return Links(
        "test",
        {0: tuple(((x,), share) for x, share in masses.items())},
        False,
        rest={0: rest},
    )


def test_a_rejected_link_is_no_claim() -> None:
    """A false pair with 3.6e-5, the only one of its record: nearly everything is on
    none of them.
    """
    lines = ("1", "2", "3.6e-5"), ("1", "3", "1e-6")
    loud = judge(links(*lines, normalize=True), certain([0]), [0])
    assert isinstance(loud.unsound[0].witness, Outweighed)
    assert loud.unsound[0].witness.given_other > F(9, 10)
    quiet = judge(links(*lines, pairwise=True), certain([0]), [0])
    assert quiet.verdict == "sound"
    assert quiet.correct == quiet.first == 0


@pytest.mark.parametrize(
    ("false", "true", "sound"),
    [
        ("0.5", "0", True),
        ("0.51", "0", False),
        ("0.8", "3/4", True),
        ("0.9", "0.8", False),
        ("1", "0.99", False),
        ("1", "1", True),
    ],
)
def test_a_false_link_counts_where_it_outweighs_the_true_one_and_none(
    false: str, true: str, sound: bool
) -> None:
    found = judge(
        links(("1", "2", false), ("1", "1", true), pairwise=True), certain([0]), [0]
    )
    assert (found.verdict == "sound") == sound
    odds = [F(p) / (1 - F(p)) for p in (false, true) if F(p) < 1]
    if len(odds) == 2:
        assert sound == (odds[0] <= 1 + odds[1])


def test_prices_of_what_is_left_open() -> None:
    """The truth is even over two records, and a third has 7/10: with at most 3/10 for
    the two, none can be sound.
    """
    found = judge(
        open_links({2: F(7, 10)}, F(3, 10)), lambda record: uniform(0, 1), [None]
    )
    witness = found.unsound[0].witness
    assert isinstance(witness, Overpriced)
    assert witness.claimed > witness.most
    assert (
        judge(
            open_links({2: F(1, 2)}, F(1, 2)), lambda record: uniform(0, 1), [None]
        ).verdict
        == "sound"
    )
    assert (
        judge(open_links({}, F(1)), lambda record: uniform(0, 1), [None]).verdict
        == "sound"
    )
