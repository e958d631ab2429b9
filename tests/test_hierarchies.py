"""Hierarchies that a policy describes: the labels of every builder, their nesting, and
every mistake.
"""

from __future__ import annotations

import csv
import datetime
import tempfile
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.hierarchies_cases import (
    TEXTS,
    built,
    of,
    paths,
    widths,
)
from support.so_many import so_many

from phverify.microdata.hierarchy import absent, read_hierarchy
from phverify.spec.builders import UNITS

LABELS: dict[str, tuple[Mapping[str, Any], list[str]]] = {
    "intervals": (
        {"intervals": [5, 10, 20]},
        ["9 | 5-9 | 0-9 | 0-19 | *", "20 | 20-24 | 20-29 | 20-39 | *", "37 | 35-39 | 30-39 | 20-39 | *"],
    ),
    "intervals from a start": (
        {"intervals": [5, 10], "start": 18},
        ["17 | 13-17 | 8-17 | *", "18 | 18-22 | 18-27 | *", "23 | 23-27 | 18-27 | *"],
    ),
    "intervals below 0": (
        {"intervals": [5, 10]},
        ["-6 | -10 to -6 | -10 to -1 | *", "-5 | -5 to -1 | -10 to -1 | *", "0 | 0-4 | 0-9 | *"],
    ),
    "intervals across 0": (
        {"intervals": [5], "start": -3},
        ["-3 | -3 to 1 | *", "1 | -3 to 1 | *", "2 | 2-6 | *"],
    ),
    "intervals of width 1": ({"intervals": [1, 2]}, ["07 | 7 | 6-7 | *", "7 | 7 | 6-7 | *", "8 | 8 | 8-9 | *"]),
    "intervals of decimals": (
        {"intervals": [Fraction(1, 2), 2]},
        ["-0.1 | [-0.5, 0) | [-2, 0) | *", "0.5 | [0.5, 1) | [0, 2) | *", "0.99 | [0.5, 1) | [0, 2) | *"],
    ),
    "intervals of thirds": (
        {"intervals": ["1/3", 1]},
        ["0.3 | [0, 1/3) | [0, 1) | *", "1/3 | [1/3, 2/3) | [0, 1) | *", "1 | [1, 4/3) | [1, 2) | *"],
    ),
    "wide intervals among one decimal": ({"intervals": [10]}, ["2 | [0, 10) | *", "12.5 | [10, 20) | *"]),
    "ranges": (
        {"ranges": [[18, 30, 65], [18, 65], [65]]},
        [
            "17 | <18 | <18 | <65 | *",
            "18 | 18-29 | 18-64 | <65 | *",
            "64 | 30-64 | 18-64 | <65 | *",
            "65 | >=65 | >=65 | >=65 | *",
        ],
    ),
    "ranges below 0": ({"ranges": [[-10, -5, 5]]}, ["-11 | <-10 | *", "-6 | -10 to -6 | *", "4 | -5 to 4 | *"]),
    "ranges of one number": ({"ranges": [[18, 19]]}, ["17 | <18 | *", "18 | 18 | *", "19 | >=19 | *"]),
    "ranges of decimals": (
        {"ranges": [["18.5", 25, 30], [25]]},
        ["18.4 | <18.5 | <25 | *", "18.5 | [18.5, 25) | <25 | *", "29 | [25, 30) | >=25 | *", "30 | >=30 | >=25 | *"],
    ),
    "prefixes": (
        {"prefixes": [3, 2]},
        ["10427 | 104** | 10*** | *", "24126 | 241** | 24*** | *", "24129 | 241** | 24*** | *"],
    ),
    "prefixes of unequal length": (
        {"prefixes": [3, 1]},
        ["2 | 2**** | 2**** | *", "241 | 241** | 2**** | *", "24126 | 241** | 2**** | *", "31 | 31*** | 3**** | *"],
    ),
    "dates": (
        {"dates": ["month", "quarter", "year", "decade"]},
        [
            "1956-03-23 | 1956-03 | 1956-Q1 | 1956 | 1950s | *",
            "1959-12-31 | 1959-12 | 1959-Q4 | 1959 | 1950s | *",
            "1960-01-01 | 1960-01 | 1960-Q1 | 1960 | 1960s | *",
        ],
    ),
    "some units of dates": ({"dates": ["year"]}, ["0099-07-01 | 0099 | *", "1956-07-01 | 1956 | *"]),
    "masking": (
        {"masking": "right"},
        ["Al | Al** | Al** | A*** | *", "Anna | Ann* | An** | A*** | *", "Bob | Bob* | Bo** | B*** | *"],
    ),
    "masking from the left": (
        {"masking": "left"},
        ["12 | *12 | **2 | *", "345 | *45 | **5 | *"],
    ),
    "masking of one character": ({"masking": "right"}, ["f | *", "m | *"]),
    "groups": (
        {"groups": [{"low": ["A", "B"], "high": ["C"]}]},
        ["A | low | *", "B | low | *", "C | high | *"],
    ),
    "groups of groups": (
        {"groups": [{"cold": ["C", "W"], "hot": ["H"], "none": ["?"]}, {"known": ["hot", "cold"], "none": ["none"]}]},
        ["C | cold | known | *", "W | cold | known | *", "H | hot | known | *", "? | none | none | *"],
    ),
    "groups that end in one": (
        {"groups": [{"a": ["A"], "b": ["B"]}, {"any": ["a", "b"]}]},
        ["A | a | any | *", "B | b | any | *"],
    ),
    "intervals that end in one": ({"intervals": [5, 50]}, ["1 | 0-4 | 0-49 | *", "12 | 10-14 | 0-49 | *"]),
}  # fmt: skip


@pytest.mark.parametrize("case", LABELS)
def test_labels(case: str) -> None:
    spec, lines = LABELS[case]
    values = [line.split(" | ")[0] for line in lines]
    assert paths(spec, *values) == lines
    backwards = paths(spec, *values[::-1])
    assert sorted(backwards) == sorted(lines)
    assert backwards == lines or case.startswith("groups")


def test_the_same_numbers_in_several_spellings_lie_together() -> None:
    assert paths({"intervals": [5]}, "7", "007", "+7", " 7", "7.0", "70e-1", "12") == [
        *(
            f"{text} | 5-9 | *"
            for text in sorted(("7", "007", "+7", " 7", "7.0", "70e-1"))
        ),
        "12 | 10-14 | *",
    ]


def test_groups_hold_values_that_do_not_occur() -> None:
    assert list(
        built({"groups": [{"low": ["A", "B"], "high": ["C"]}]}, ["C"]).paths
    ) == ["A", "B", "C"]
    assert built({"groups": [{"low": ["A", ""], "high": ["C"]}]}, []).paths[""] == (
        "",
        "low",
        "*",
    )


def test_a_value_twice_is_one_line() -> None:
    assert paths({"prefixes": [1]}, "ab", "ab", "cd") == ["ab | a* | *", "cd | c* | *"]


def test_absent_labels() -> None:
    hierarchy = built({"prefixes": [1]}, ["ab", "cd"])
    assert absent(hierarchy, ["ab", None, "x", "cd", "a*", "x"]) == ["x", "a*"]


def test_the_order_of_numbers_and_dates_is_that_of_the_hierarchy() -> None:
    assert list(built({"intervals": [5]}, ["10", "9", "-1", "100"]).paths) == [
        "-1",
        "9",
        "10",
        "100",
    ]
    assert list(built({"dates": ["year"]}, ["1956-12-01", "1955-01-01"]).paths) == [
        "1955-01-01",
        "1956-12-01",
    ]


MASKED = st.text("ab*", min_size=1, max_size=4)


INTEGERS = st.integers(-60, 60).map(str)


DECIMALS = (
    st.decimals(-20, 20, places=2).map(str)
    | st.fractions(-3, 3, max_denominator=7).map(str)
    | INTEGERS
)


DATES = st.dates(datetime.date(1, 1, 1), datetime.date(9999, 12, 31)).map(str)


@st.composite
def cut_points(draw: st.DrawFn) -> list[list[Fraction]]:
    point = st.integers(-40, 40).map(Fraction) | st.fractions(
        -40, 40, max_denominator=4
    )
    levels = [sorted(draw(st.sets(point, min_size=1, max_size=6)))]
    while len(levels[-1]) > 1 and draw(st.booleans()):
        levels.append(
            sorted(
                draw(st.permutations(levels[-1]))[
                    : draw(st.integers(1, len(levels[-1]) - 1))
                ]
            )
        )
    return levels


@st.composite
def groupings(draw: st.DrawFn) -> tuple[Mapping[str, Any], list[str]]:
    values = draw(st.lists(TEXTS.map("v".__add__), min_size=1, max_size=8, unique=True))
    levels, names = [], values
    for k in range(draw(st.integers(1, 3))):
        table: dict[str, list[str]] = {}
        for name in names:
            table.setdefault(f"g{k}{draw(st.integers(0, 2))}", []).append(name)
        levels.append(table)
        names = list(table)
    return {"groups": levels}, draw(
        st.lists(st.sampled_from(values), min_size=1, unique=True)
    )


CASES = st.one_of(
    of("intervals", widths(), INTEGERS),
    of("intervals", widths(), DECIMALS),
    of("ranges", cut_points(), INTEGERS),
    of("ranges", cut_points(), DECIMALS),
    of("prefixes", st.sets(st.integers(1, 8), min_size=1).map(lambda s: sorted(s, reverse=True)), TEXTS | MASKED),
    of("masking", st.sampled_from(["left", "right"]), TEXTS | MASKED),
    of(
        "dates",
        st.sets(st.integers(0, 3), min_size=1).map(lambda chosen: [UNITS[k] for k in sorted(chosen)]),
        DATES,
    ),
    groupings(),
)  # fmt: skip


@so_many(200, fuzz=1600)
@given(CASES)
def test_builders_nest(case: tuple[Mapping[str, Any], list[str]]) -> None:
    spec, values = case
    found = built(spec, values)
    assert set(values) <= set(found.paths)
    assert "groups" in spec or set(values) == set(found.paths)
    assert found.rooted()
    assert found.levels >= 1
    rows = list(found.paths.values())
    assert all(path[0] == value for value, path in found.paths.items())
    assert {len(row) for row in rows} == {found.levels + 1}
    for one in rows:
        for other in rows:
            equal = [a == b for a, b in zip(one, other, strict=True)][1:]
            assert equal == sorted(equal), "what is together stays together"


@so_many(200, fuzz=1600)
@given(CASES)
def test_a_label_stands_for_one_thing(
    case: tuple[Mapping[str, Any], list[str]],
) -> None:
    """Nodes with one label lie on one path, so that a released label tells which values
    it covers.
    """
    rows = list(built(*case).paths.values())
    for level in range(len(rows[0])):
        tops = {row[level] for row in rows}
        assert all(
            row[level] == label
            for row in rows
            for label in row[:level]
            if label in tops
        )


@so_many(100, fuzz=1000)
@given(CASES)
def test_hierarchies_written_and_read_are_the_same(
    case: tuple[Mapping[str, Any], list[str]],
) -> None:
    found = built(*case)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "h.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter=";").writerows(found.paths.values())
        again = read_hierarchy(path)
    assert dict(again.paths) == dict(found.paths)
    assert list(again.paths) == list(found.paths)


@so_many(150, fuzz=1200)
@given(
    st.lists(DECIMALS | INTEGERS, min_size=1, max_size=10, unique=True),
    widths(),
    st.integers(-5, 5),
)
def test_numbers_lie_inside_their_intervals(
    values: list[str], width: list[Fraction], start: int
) -> None:
    for value, path in built(
        {"intervals": width, "start": start}, values
    ).paths.items():
        for size, label in zip(width, path[1:], strict=False):
            low, high = bounds(label)
            assert low <= Fraction(value) < high
            assert high - low == size
            assert (low - start) % size == 0


def bounds(label: str) -> tuple[Fraction, Fraction]:
    """What an interval's label says, read as a person would."""
    if label.startswith("["):
        low, high = label.strip("[)").split(", ")
        return Fraction(low), Fraction(high)
    first, _, last = (
        label.partition(" to ") if " to " in label else label.partition("-")
    )
    if label.startswith("-") and " to " not in label:
        first, last = label, ""
    return Fraction(first), Fraction(last or first) + 1


@given(
    st.lists(st.text("ab", min_size=1, max_size=6), min_size=1, max_size=9),
    st.sampled_from(["left", "right"]),
)
def test_masked_labels_do_not_tell_the_length(values: list[str], side: str) -> None:
    longest = max(map(len, values))
    for path in built({"masking": side}, values).paths.values():
        for masked, label in enumerate(path[1:-1], 1):
            assert len(label) == longest
            assert (
                label.endswith("*" * masked)
                if side == "right"
                else label.startswith("*" * masked)
            )
