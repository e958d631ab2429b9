"""Maskings that mix or move values (noise, microaggregation, swapping, pseudonyms),
declared and not.
"""

from __future__ import annotations

import random
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.so_many import so_many

import phverify as ph
from phverify.errors import InputError
from phverify.linkage.candidates.sets import Candidates
from phverify.linkage.methods.baselines import rank_swapping_candidates
from phverify.linkage.risk.assess import RiskReport, assess

F = Fraction


def rules(masking: Any = None, **more: Any) -> ph.Policy:
    said = {} if masking is None else {"masking": {"age": masking}}
    found = {
        "rows": "same order",
        "columns": {"quasi": ["age"]},
        "rules": {"k": "k_anonymity(2)"},
    }
    return ph.Policy.from_dict({**found, **said, **more})


def ages(cells: Any) -> pd.DataFrame:
    return pd.DataFrame({"age": [str(cell) for cell in cells]}, dtype=object)


def risk(before: Any, after: Any, masking: Any = None, **more: Any) -> RiskReport:
    return assess(ages(before), ages(after), rules(masking, **more))


def candidates(before: Any, after: Any, masking: Any) -> list[set[int]]:
    found = Candidates(risk(before, after, masking).linkage, ("age",))
    return [set(found.rows(y).tolist()) for y in range(len(after))]


def problem(before: Any, after: Any, masking: Any) -> str:
    with pytest.raises(InputError) as error:
        risk(before, after, masking)
    return str(error.value)


# --- noise
# -----------------------------------------------------------------------------------------------


def test_noise_with_bounds() -> None:
    before, after = [20, 22, 25, 30], [21, 20, 27, 30]
    assert candidates(before, after, {"noise": 2}) == [{0, 1}, {0, 1}, {2}, {3}]
    assert candidates(before, after, {"noise": [-2, 5]}) == [
        {0, 1},
        {0, 1},
        {1, 2},
        {2, 3},
    ]
    assert candidates(["1.5", "2"], ["1.75", "2"], {"noise": "1/4"}) == [{0, 1}, {1}]
    days = ["2020-01-30", "2020-02-02", "2020-03-01"]
    assert candidates(
        days, ["2020-01-31", "2020-01-31", "2020-03-01"], {"noise": 2}
    ) == [{0, 1}, {0, 1}, {2}]


def test_noise_with_a_distribution() -> None:
    """Bayes: 21 is 20 + 1 (1/4) or 22 - 1 (1/2)."""
    noise = {"noise": {"-1": "1/2", "0": "1/4", "1": "1/4"}}
    found = risk([20, 22], [21, 21], noise)
    assert Candidates(found.linkage, ("age",)).belief(0) == {0: F(1, 3), 1: F(2, 3)}
    assert found.attackers[0].outcomes.expected == 1
    assert "random masking of age" in found.notes[1]
    certain = risk([20, 22], [21, 23], {"noise": {"1": 1}})
    assert certain.attackers[0].outcomes.expected == 2
    assert not certain.linkage.relations["age"].random


def test_noise_that_cannot_be() -> None:
    assert "'27' cannot come from '20', the value of original record 1" in problem(
        [20, 26], [27, 26], {"noise": 5}
    )
    assert "is no number, and noise is added to numbers" in problem(
        [20, 26], ["old", 26], {"noise": 5}
    )


# --- microaggregation
# ------------------------------------------------------------------------------------


def written(mean: Fraction) -> str:
    """As a program writes it: with four digits where it needs more."""
    return str(Decimal(round(mean * 10**4)) / 10**4)


@so_many(40)
@given(
    st.lists(st.integers(0, 12), min_size=2, max_size=11),
    st.integers(2, 3),
    st.randoms(use_true_random=False),
)
def test_means_come_from_neighbours(
    values: list[int], least: int, rng: random.Random
) -> None:
    """All groups of neighbours by brute force, exactly where the means are exact, else
    to the digits written.
    """
    if len(values) < least:
        return
    order = sorted(range(len(values)), key=lambda k: values[k])
    means, rest = {}, order
    while rest:
        sizes = [
            n
            for n in range(least, 2 * least)
            if len(rest) - n == 0 or len(rest) - n >= least
        ]
        group, rest = rest[: (size := rng.choice(sizes))], rest[size:]
        means.update(dict.fromkeys(group, F(sum(values[k] for k in group), size)))
    cells = [written(means[k]) for k in range(len(values))]
    exact = all(F(cell) == means[k] for k, cell in enumerate(cells)) or every_mean(
        values, least, set(cells)
    )
    slack = (
        F(0)
        if exact
        else F(1, 2 * 10 ** max(len(cell.partition(".")[2]) for cell in cells))
    )
    found = candidates(values, cells, {"microaggregation": least})
    for y, cell in enumerate(cells):
        assert y in found[y]
        wanted: set[int] = set()
        for group in groups(values, least):
            inside = sorted(values)[group[0] : group[1]]
            if abs(F(sum(inside), len(inside)) - F(cell)) <= slack:
                wanted |= {
                    k
                    for k, value in enumerate(values)
                    if inside[0] <= value <= inside[-1]
                }
        assert found[y] == wanted


def groups(values: list[int], least: int) -> list[tuple[int, int]]:
    sizes = range(least, 2 * least)
    return [
        (start, start + size)
        for size in sizes
        for start in range(len(values) - size + 1)
    ]


def every_mean(values: list[int], least: int, cells: set[str]) -> bool:
    found = {F(sum(sorted(values)[a:b]), b - a) for a, b in groups(values, least)}
    return all(F(cell) in found for cell in cells)


def test_means_are_rounded_only_where_some_cannot_be_exact() -> None:
    """3/2 is no mean of the first release's groups; 1.3 and 4.3 are 4/3 and 13/3."""
    assert candidates([1, 1, 2, 2], [1, 1, 2, 2], {"microaggregation": 2}) == [
        {0, 1},
        {0, 1},
        {2, 3},
        {2, 3},
    ]
    assert candidates(
        [1, 1, 2, 4, 4, 5], ["1.3"] * 3 + ["4.3"] * 3, {"microaggregation": 3}
    ) == [
        *[{0, 1, 2}] * 3,
        *[{3, 4, 5}] * 3,
    ]
    assert candidates([1, 2, 3, 3], [2, 2, 2, 3], {"microaggregation": 2}) == [
        {0, 1, 2, 3}
    ] * 3 + [{2, 3}]


def test_a_mean_of_no_neighbours_is_told() -> None:
    said = problem([10, 20, 90, 100], [50, 60, 50, 60], {"microaggregation": 2})
    assert (
        "'50' is the mean of no group of 2 to 3 neighbours in this column of the"
        " original" in said
    )
    assert "bounds hold for them: {noise = 10}" in said


def test_neighbours_among_others_are_not_guessed() -> None:
    people = pd.DataFrame({"id": [*"abcd"], "age": ["1", "2", "3", "4"]})
    shown = pd.DataFrame({"id": [*"ab"], "age": ["1.5", "1.5"]})
    for how in ({"microaggregation": 2}, {"swapping": "25%"}):
        with pytest.raises(InputError, match="formed among 2 released records, not 4"):
            assess(
                people,
                shown,
                rules(how, columns={"quasi": ["age"], "identifier": "id"}),
            )


# --- swapping and pseudonyms
# -----------------------------------------------------------------------------


@so_many(30)
@given(
    st.lists(st.integers(0, 9), min_size=2, max_size=12),
    st.integers(1, 100),
    st.randoms(use_true_random=False),
)
def test_ranks_of_swapped_values(
    values: list[int], percent: int, rng: random.Random
) -> None:
    """The baseline's attack, which counts in another way; swaps that are declared
    always leave the true record.
    """
    order, cells = sorted(range(len(values)), key=lambda k: values[k]), list(values)
    reach, free = percent * len(values) // 100, list(range(len(values)))
    while free:
        near = [b for b in free[1:] if b - free[0] <= reach]
        if near and rng.random() < 0.8:
            one, other = order[free[0]], order[(b := rng.choice(near))]
            cells[one], cells[other] = cells[other], cells[one]
            free.remove(b)
        free.pop(0)
    found = candidates(values, cells, {"swapping": f"{percent}%"})
    frames = [pd.DataFrame({"age": column}) for column in (values, cells)]
    sets = rank_swapping_candidates(*frames, ["age"], percent)["original_rows"]
    assert found == [{int(k) - 1 for k in said[1:-1].split()} for said in sets]
    assert all(y in found[y] for y in range(len(values)))


def test_swapping_among_all_and_pseudonyms() -> None:
    assert (
        candidates(["a", "b", "b"], ["b", "a", "b"], {"swapping": True})
        == [{0, 1, 2}] * 3
    )
    assert "'c' is no value of the original" in problem(
        ["a", "b"], ["c", "a"], {"swapping": True}
    )
    assert "'9' is no number or date of the original" in problem(
        [1, 2], [9, 1], {"swapping": "50%"}
    )
    assert (
        candidates(["a", "b", "b"], ["x", "y", "y"], {"pseudonyms": True})
        == [{0, 1, 2}] * 3
    )


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"noise": 0}, "noise: 0 is no bound above 0"),
        ({"noise": [5, 2]}, "noise: [5, 2] is no bound above 0, no two bounds"),
        ({"noise": [1, "x"]}, "is no bound above 0, no two bounds"),
        (
            {"noise": {}},
            "is no bound above 0, no two bounds, no table of probabilities",
        ),
        ({"noise": {"1": "1/2"}}, "sums to 1/2, not to exactly 1"),
        ({"noise": {"much": 1}}, "noise: 'much' is no number"),
        ({"noise": {"1": "1/2", "1.0": "1/2"}}, "noise: '1.0' is there twice"),
        ({"microaggregation": 1}, "microaggregation: 1 is no size of groups"),
        ({"microaggregation": "5/2"}, "microaggregation: '5/2' is no size of groups"),
        ({"swapping": 5}, "swapping: 5 is neither true nor a share of the records"),
        ({"swapping": False}, "swapping: false is neither true nor a share"),
        ({"pseudonyms": "yes"}, "pseudonyms is true or false"),
        ({"noise": 2, "swapping": True}, "says noise and swapping"),
    ],
)
def test_maskings_that_a_policy_cannot_say(how: Any, says: str) -> None:
    with pytest.raises(InputError) as error:
        rules(how)
    assert says in str(error.value)


# --- what nobody declared
# --------------------------------------------------------------------------------


def noisy(seed: int = 1) -> tuple[list[str], list[str]]:
    rng = random.Random(seed)
    before = rng.sample(range(20, 90), 50)
    return [str(age) for age in before], [
        f"{age + rng.randint(-3000, 3000) / 1000}" for age in before
    ]


def test_undeclared_noise_is_read_by_its_mapping_and_says_so() -> None:
    """50 of 50 are linked by who knows what became of each age: that is told, and what
    declares it.
    """
    before, after = noisy()
    found = ph.reidentify(ages(before), ages(after), rules())
    lines = str(found).splitlines()
    assert (
        "Whoever knows age, and what became of each age, can expect to link 50 of 50"
        " records correctly (100%)." in lines
    )
    assert any(
        line.startswith("  WARNING: who attacks is taken to know this mapping.")
        for line in lines
    )
    assert any(
        "(of age by the mapping above), but nothing else" in line for line in lines
    )
    assert found.to_dict()["undeclared"] == ["age"]


def test_declared_noise_needs_no_mapping() -> None:
    before, after = noisy()
    found = ph.reidentify(ages(before), ages(after), rules({"noise": 3}))
    text = str(found)
    assert "WARNING" not in text
    assert "by the mapping" not in text
    assert found.to_dict()["undeclared"] == []
    assert found.risk is not None
    assert found.risk.attackers[0].outcomes.expected == sum(
        F(1, sum(abs(F(x) - F(y)) <= 3 for x in before)) for y in after
    )
    assert found.risk.attackers[0].outcomes.expected < 20


def test_a_method_judged_by_an_undeclared_mapping_says_so() -> None:
    links = pd.DataFrame({"record": ["1"], "original": ["1"], "probability": ["1"]})
    for truth, warned in (("possible", True), ("record", False)):
        found = ph.reidentify(
            ages(["1", "2"]), ages(["x", "y"]), rules(), method=links, truth=truth
        )
        assert ("WARNING" in str(found)) == warned
        assert found.to_dict()["undeclared"] == ["age"]
