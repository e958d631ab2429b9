"""Top and bottom coding, and rounding, as levels of a hierarchy."""

from __future__ import annotations

import datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders_oracle import stands_for
from support.hierarchies_cases import WHERE, built, paths
from support.so_many import so_many

import phverify as ph
from phverify.errors import InputError
from phverify.policy.hierarchies import read_builder
from phverify.spec.builders import BOUNDS, READ, builder
from phverify.spec.notation import interval
from phverify.spec.rounding import nearest_multiple, rounded_from


def test_coding_alone() -> None:
    assert paths({"at_least": 18, "at_most": 90}, "93", "17", "23", "90", "18") == [
        "17 | <18 | *",
        "18 | 18 | *",
        "23 | 23 | *",
        "90 | >=90 | *",
        "93 | >=90 | *",
    ]


def test_coding_before_ranges_cuts_them_off() -> None:
    spec = {"at_least": 18, "at_most": 90, "intervals": [5, 20]}
    assert paths(spec, "17", "18", "23", "85", "93") == [
        "17 | <18 | <18 | <18 | *",
        "18 | 18 | 18-19 | 18-19 | *",
        "23 | 23 | 20-24 | 20-39 | *",
        "85 | 85 | 85-89 | 80-89 | *",
        "93 | >=90 | >=90 | >=90 | *",
    ]


def test_coding_before_dates() -> None:
    spec = {"at_most": datetime.date(2000, 6, 15), "dates": ["year"]}
    assert paths(spec, "2000-06-14", "2000-06-15", "1999-12-31") == [
        "1999-12-31 | 1999-12-31 | 1999 | *",
        "2000-06-14 | 2000-06-14 | 2000 | *",
        "2000-06-15 | >=2000-06-15 | >=2000-06-15 | *",
    ]


def test_values_may_be_coded_already() -> None:
    spec = {"at_least": 18, "at_most": 90}
    assert paths(spec, "90+", ">=95", "91", "<18", "<=17", "20") == [
        "<=17 | <18 | *",
        "<18 | <18 | *",
        "20 | 20 | *",
        "90+ | >=90 | *",
        "91 | >=90 | *",
        ">=95 | >=90 | *",
    ]


def test_rounding_says_what_a_number_stands_for() -> None:
    assert paths({"round": [5, 10]}, "12", "13", "22", "23", "-3") == [
        "-3 | -5 (-7 to -3) | 0 (-7 to 2) | *",
        "12 | 10 (8-12) | 10 (3-12) | *",
        "13 | 15 (13-17) | 20 (13-22) | *",
        "22 | 20 (18-22) | 20 (13-22) | *",
        "23 | 25 (23-27) | 30 (23-32) | *",
    ]
    # a half goes up, below 0 too
    assert paths({"round": ["0.5"]}, "0.25", "-0.25", "0.2") == [
        "-0.25 | 0 [-0.25, 0.25) | *",
        "0.2 | 0 [-0.25, 0.25) | *",
        "0.25 | 0.5 [0.25, 0.75) | *",
    ]


def test_rounding_between_bounds() -> None:
    spec = {"round": [5], "at_least": 21, "at_most": 90}
    assert paths(spec, "20", "21", "30", "89", "90") == [
        "20 | <21 | <21 | *",
        "21 | 21 | 20 (21-22) | *",
        "30 | 30 | 30 (28-32) | *",
        "89 | 89 | 90 (88-89) | *",
        "90 | >=90 | >=90 | *",
    ]


@so_many(60)
@given(
    st.lists(st.sampled_from([2, 3, 5]), max_size=3),
    st.fractions(Fraction(1, 4), 3, max_denominator=4),
    st.fractions(-60, 60, max_denominator=8),
)
def test_how_far_a_rounded_number_reaches(
    factors: list[int], step: Fraction, number: Fraction
) -> None:
    steps = [step]
    for factor in factors:
        steps.append(steps[-1] * factor)
    rounded = number
    for k, (one, below) in enumerate(zip(steps, rounded_from(steps), strict=True)):
        rounded = nearest_multiple(rounded, one)
        low, high = stands_for(rounded, steps[: k + 1])
        assert (rounded - below, rounded - below + one) == (low, high)
        assert low <= number < high


@st.composite
def coding(draw: st.DrawFn) -> dict[str, Any]:
    """Bounds, and perhaps levels."""
    low, high = sorted(draw(st.sets(st.integers(0, 30), min_size=2, max_size=2)))
    bounds = draw(
        st.sampled_from(
            [{"at_least": low}, {"at_most": high}, {"at_least": low, "at_most": high}]
        )
    )
    levels: dict[str, Any] = draw(
        st.sampled_from([{}, {"intervals": [3, 12]}, {"round": [2, 6]}])
    )
    return {**bounds, **levels}


@so_many(100)
@given(coding(), st.lists(st.integers(-5, 40).map(str), min_size=1))
def test_labels_of_ranges_hold_what_they_are_made_of(
    spec: dict[str, Any], values: list[str]
) -> None:
    """What a label says is so of each value below it, and of no other."""
    made = built(spec, values)
    for level in range(1, made.levels):
        nodes = {path[level] for path in made.paths.values()}
        for node in nodes:
            # behind a rounded number its range
            said = node.partition("(")[2].rstrip(")") or node
            meant = interval(said)
            if meant is None:
                assert said == node or said.lstrip("-").isdigit()
                continue
            for value, path in made.paths.items():
                assert (path[level] == node) == meant.holds(Fraction(value))


WRONG: dict[str, tuple[dict[str, Any], list[str]]] = {
    "turned": ({"at_least": 90, "at_most": 18}, ["at_least = 90 is not below at_most = 18", "exchange them"]),
    "empty": ({"at_least": 18, "at_most": 18}, ["no value would be kept", "leave one"]),
    "true": ({"at_most": True}, ["at_most: True is no number, and no date"]),
    "a text": ({"at_least": "old"}, ["'old' is no number, and no date", "1956-03-23"]),
    "a time": ({"at_most": datetime.datetime(2000, 1, 1)}, ["is no number, and no date"]),
    "huge": ({"at_most": 10**400}, ["more than 300 digits"]),
    "of texts": ({"masking": "left", "at_most": 3}, ["masking takes texts", "round"]),
    "mixed": ({"at_least": 3, "at_most": "2000-01-01"}, ["one is a date, the other a number"]),
    "number beside dates": ({"dates": ["year"], "at_most": 3}, ["3 is no date", "at_most = 1956-03-23"]),
    "date beside numbers": ({"round": [5], "at_most": "2000-01-01"}, ["at_most is a date, and round reads numbers"]),
    "cut points beyond": ({"ranges": [[1, 50]], "at_most": 40, "at_least": 2}, ["cut point 50 lies beyond at_most = 40", "cut point 1"]),
    "a start": ({"at_most": 3, "start": 1}, ["start belongs to intervals"]),
    "misspelt": ({"at_mots": 3}, ["unknown builder 'at_mots'", "did you mean 'at_most'"]),
    "a step of 0": ({"round": [0]}, ["round: the step 0 is not above 0"]),
    "steps that do not nest": ({"round": [5, 12]}, ["step 12 is no larger multiple of 5", "10 or 15"]),
    "no steps": ({"round": 5}, ["round is a list, not 5", "round = [5, 10]"]),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_coding_that_is_wrong(case: str) -> None:
    spec, expected = WRONG[case]
    with pytest.raises(InputError) as caught:
        read_builder(spec, WHERE)
    for part in expected:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "value", "expected"),
    [
        ({"at_most": 90}, "85+", ["not all beyond at_most = 90", "top coded"]),
        ({"at_least": 18}, "<=18", ["not all beyond at_least = 18", "bottom coded"]),
        ({"intervals": [5]}, "85+", ["'85+' is no number", "at_most"]),
        ({"at_most": 90}, "20-24", ["not all beyond", "in a file"]),
        ({"at_most": 90}, ">=2000-01-01", ["is no number"]),
        ({"at_most": "2000-01-01"}, "1999/03/23", ["did you mean '1999-03-23'"]),
        ({"at_most": "2000-01-01"}, "1999", ["'1999' is no date", "1956-03-23"]),
        ({"round": [5]}, "old", ["'old' is no number", "prefixes"]),
    ],
)
def test_values_that_are_not_coded(
    spec: dict[str, Any], value: str, expected: list[str]
) -> None:
    with pytest.raises(InputError) as caught:
        built(spec, [value])
    for part in expected:
        assert part in str(caught.value)


@so_many(150, fuzz=1000)
@given(
    st.dictionaries(
        st.sampled_from([*READ, *BOUNDS, "start"]),
        st.sampled_from(
            [5, 0, -1, "x", "1/2", "2000-01-01", True, None, [5], [5, 10], [[5]], ["year"]]
        ),
        max_size=3,
    ),
    st.lists(st.sampled_from(["1", "7", "90+", "<1", "2000-01-01", "x"]), max_size=3),
)  # fmt: skip
def test_the_checker_builds_what_the_policy_takes(
    spec: dict[str, Any], values: list[str]
) -> None:
    try:
        asked = read_builder(spec, WHERE)
    except InputError:
        return
    assert asked == builder(spec)
    try:
        assert built(spec, values).rooted()
    except InputError as error:
        assert error.problems


POLICY = """
rows = "same order"
[columns]
quasi = ["age", "pay"]
sensitive = ["ill"]
[hierarchies]
age = {at_least = 18, at_most = 90, intervals = [10]}
pay = {round = [1000]}
[rules]
k = "k_anonymity(2)"
"""


@pytest.mark.parametrize("space", ["levels", "subtrees"])
def test_releases_that_are_coded(space: str, tmp_path: Path) -> None:
    """Searched, checked, linked and verified, the labels mean one thing."""
    policy = tmp_path / "policy.toml"
    policy.write_text(POLICY)
    table = pd.DataFrame(
        {
            "age": ["17", "9", "93", "90+", "35", "35", "35", "31"],
            "pay": ["3600", "3500", "100", "499", "2000", "1500", "1600", "2499"],
            "ill": list("abababab"),
        }
    )
    found = ph.search(table, policy, space=space)
    assert found.verdict == "optimal"
    released = found.release
    assert released is not None
    ages = ["<18", "<18", ">=90", ">=90", "30-39", "30-39", "30-39", "30-39"]
    pays = ["4000 (3500-4499)"] * 2 + ["0 (-500 to 499)"] * 2
    pays += ["2000 (1500-2499)"] * 4
    assert list(released["age"]) == ages
    assert list(released["pay"]) == pays
    assert ph.check(found.certificate, table, policy).accepted
    assert ph.verify(released, policy, original=table).verdict == "proved"
    risk = ph.reidentify(table, released, policy).to_dict()
    assert risk["attackers"][0]["fewest_candidates"] == 2
