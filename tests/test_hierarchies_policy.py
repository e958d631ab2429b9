"""Hierarchies that a policy describes: what is refused, and what data they need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.hierarchies_cases import (
    SPECS,
    TEXTS,
    WHERE,
    built,
    found,
    frame,
    paths,
    policy,
)
from support.so_many import so_many

from phverify import Policy
from phverify.errors import Defect, InputError
from phverify.microdata.hierarchy import build
from phverify.policy.complaints import written
from phverify.policy.hierarchies import read_builder
from phverify.spec import builders
from phverify.spec.builders import READ, UNITS, Builder, Labels
from phverify.verbs.verify import verify

WRONG: dict[str, tuple[Any, list[str]]] = {
    "a number": (5, ["the path of a file or a builder, not 5", "{prefixes = [3, 2]}"]),
    "a list": ([5, Fraction(1, 2)], ["the path of a file or a builder, not [5, 0.5]"]),
    "a truth value": (True, ["not true"]),
    "nothing": ({}, ["names no builder", "prefixes"]),
    "a start only": ({"start": 3}, ["names no builder"]),
    "an unknown builder": ({"interval": [5]}, ["unknown builder 'interval'", "did you mean 'intervals'"]),
    "another unknown builder": ({"weeks": 3}, ["unknown builder 'weeks'", *READ]),
    "a further key": ({"intervals": [5], "strat": 3}, ["unknown builder 'strat'", "'start'"]),
    "a key that is no text": ({5: [5]}, ["unknown builder 5"]),
    "two builders": ({"intervals": [5], "prefixes": [3]}, ["several builders: intervals and prefixes", "has one"]),
    "a start of prefixes": ({"prefixes": [3], "start": 3}, ["start belongs to intervals", "start = 0"]),
    "no list of widths": ({"intervals": 5}, ["intervals is a list, not 5", "intervals = [5, 10, 20]"]),
    "no widths": ({"intervals": []}, ["intervals is an empty list", "intervals = [5, 10, 20]"]),
    "widths that are no numbers": ({"intervals": [5, "ten", True]}, ["intervals: 'ten' is no number", "true is no"]),
    "a width of 0": ({"intervals": [0, 5]}, ["the width 0 is not above 0"]),
    "a negative width": ({"intervals": [Fraction(-5, 2)]}, ["the width -2.5 is not above 0"]),
    "a width that is not nested": ({"intervals": [4, 10]}, ["width 10 is no larger multiple of 4", "8 or 12"]),
    "a width slightly larger": ({"intervals": [4, 5]}, ["the width 5", "8 or 12"]),
    "widths that fall": ({"intervals": [10, 5]}, ["the width 5", "10", "20 or 30"]),
    "a width twice": ({"intervals": [5, 5]}, ["the width 5 is no larger multiple of 5", "10 or 15"]),
    "decimal widths": ({"intervals": ["0.2", "0.5"]}, ["the width 0.5 is no larger multiple of 0.2", "0.4 or 0.6"]),
    "a start that is no number": ({"intervals": [5], "start": "a"}, ["start: 'a' is no number"]),
    "a huge width": ({"intervals": [Fraction(10**5000)]}, ["more than 300 digits"]),
    "infinity": ({"intervals": [float("inf")]}, ["intervals: inf is no number"]),
    "flat ranges": ({"ranges": [18, 30]}, ["ranges is a list of lists", "write ranges = [[18, 30]]"]),
    "no ranges": ({"ranges": []}, ["ranges is an empty list"]),
    "an empty level of ranges": ({"ranges": [[18], []]}, ["level 2 of ranges is an empty list", "*, comes by itself"]),
    "a level that is none": ({"ranges": [[18], 5]}, ["level 2 of ranges is a list, not 5"]),
    "cut points that are no numbers": ({"ranges": [["x"]]}, ["level 1 of ranges: 'x' is no number"]),
    "cut points that fall": ({"ranges": [[30, 18, 30]]}, ["[30, 18, 30] do not increase", "write [18, 30]"]),
    "a cut point that is new": (
        {"ranges": [[18, 30, 65], [20, 65]]},
        ["cut point 20 of level 2 is none of level 1", "nearest one there is 18"],
    ),
    "ranges twice": ({"ranges": [[18, 30], [18, 30]]}, ["levels 1 and 2 have the same cut points", "leave one"]),
    "no prefixes": ({"prefixes": ()}, ["prefixes is an empty list", "prefixes = [3, 2]"]),
    "prefixes without list": ({"prefixes": 3}, ["prefixes is a list, not 3"]),
    "a prefix of 0": ({"prefixes": [3, 0]}, ["prefixes: 0 is no number of characters", "*, comes by itself"]),
    "half a character": ({"prefixes": [Fraction(5, 2)]}, ["prefixes: 2.5 is no number of characters"]),
    "prefixes that grow": ({"prefixes": [2, 3]}, ["[2, 3] does not decrease", "write prefixes = [3, 2]"]),
    "prefixes twice": ({"prefixes": [3, 3]}, ["[3, 3] does not decrease", "write prefixes = [3]"]),
    "no dates": ({"dates": []}, ["dates is an empty list", '"year"']),
    "one date": ({"dates": "year"}, ["dates is a list, not 'year'"]),
    "weeks": ({"dates": ["week", "year"]}, ["unknown unit 'week'", "weeks do not lie in one month", "'month'"]),
    "an unknown unit": ({"dates": ["quater"]}, ["unknown unit 'quater'", "did you mean 'quarter'"]),
    "a unit that is a number": ({"dates": [5, ["year"]]}, ["unknown unit 5", "unknown unit ['year']"]),
    "units from coarse to fine": ({"dates": ["year", "month"]}, ["fine to coarse", "write dates = ['month', 'year']"]),
    "a unit twice": ({"dates": ["year", "year"]}, ["fine to coarse", "write dates = ['year']"]),
    "an unknown side": ({"masking": "rigth"}, ["unknown side 'rigth'", "did you mean 'right'"]),
    "no side": ({"masking": []}, ["unknown side []", "'left'"]),
    "groups without levels": ({"groups": {"low": ["A"]}}, ["groups is a list of tables", "write groups = [{..}]"]),
    "no groups": ({"groups": []}, ["groups is an empty list"]),
    "an empty level of groups": ({"groups": [{}]}, ["level 1 of groups is a table of groups, not {}"]),
    "a level of groups that is none": ({"groups": [["A"]]}, ["level 1 of groups is a table of groups, not ['A']"]),
    "an empty group": ({"groups": [{"low": []}]}, ["level 1 of groups: 'low' is a list of values, not []"]),
    "a group without list": ({"groups": [{"low": "A"}]}, ["'low' is a list of values, not 'A'"]),
    "values without quotes": ({"groups": [{"low": [1]}]}, ["1 in 'low' is no text", 'in quotes: "1"']),
    "a value in two groups": (
        {"groups": [{"low": ["A", "B"], "high": ["B"]}]},
        ["level 1 of groups: 'B' stands in 'low' and in 'high'", "one group"],
    ),
    "a value twice in a group": ({"groups": [{"low": ["A", "A"]}]}, ["'A' stands twice in 'low'"]),
    "a group of no group": (
        {"groups": [{"low": ["A"], "high": ["B"]}, {"any": ["low", "hihg"]}]},
        ["level 2 of groups: 'hihg' is no group of level 1", "'high'", "leaves out 'high'"],
    ),
    "a group left out": (
        {"groups": [{"low": ["A"], "high": ["B"]}, {"any": ["low"]}]},
        ["level 2 of groups leaves out 'high', a group of level 1"],
    ),
    "a group in two groups": (
        {"groups": [{"low": ["A"]}, {"a": ["low"], "b": ["low"]}]},
        ["level 2 of groups: 'low' stands in 'a' and in 'b'"],
    ),
    "a group without a name": ({"groups": [{"": ["A"]}]}, ["cannot be called ''", "missing"]),
    "a group called *": ({"groups": [{"*": ["A"], "b": ["B"]}]}, ["cannot be called '*'", "comes by itself"]),
    "a group called as another's value": (
        {"groups": [{"A": ["B"], "low": ["A"]}]},
        ["a group is called 'A' and does not hold 'A'", "rename"],
    ),
    "several mistakes": (
        {"intervals": [4, 10, -1], "start": "x", "steps": 3},
        ["unknown builder 'steps'", "width 10", "width -1", "start: 'x'"],
    ),
}  # fmt: skip


def refused(spec: Any) -> InputError:
    with pytest.raises(InputError) as caught:
        read_builder(spec, WHERE)
    assert all(problem.where == WHERE for problem in caught.value.problems)
    assert "Fraction" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize("case", WRONG)
def test_specifications_that_are_wrong(case: str) -> None:
    spec, expected = WRONG[case]
    said = str(refused(spec))
    for part in expected:
        assert part in said, said


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.fractions()
    | st.text(max_size=3)
    | st.sampled_from(UNITS),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from("ab*"), inner, max_size=3)
    ),
    max_leaves=8,
)


@so_many(250, fuzz=2000)
@given(
    st.dictionaries(st.sampled_from([*READ, "start", "x"]), ANYTHING, max_size=2),
    st.lists(TEXTS, max_size=4),
)
def test_any_specification_and_any_values_are_taken_or_refused(
    spec: dict[str, Any], values: list[str]
) -> None:
    try:
        assert built(spec, values).rooted()
    except InputError as error:
        assert error.problems


def test_a_group_may_be_called_as_a_value_that_it_holds() -> None:
    spec = {"groups": [{"A": ["A", "B"], "C": ["C"]}, {"A": ["A"], "C": ["C"]}]}
    assert paths(spec, "A") == ["A | A | A | *", "B | A | A | *", "C | C | C | *"]
    assert paths({"groups": [{"*": ["A", "B"]}]}, "A") == ["A | *", "B | *"]


def test_values_as_toml_writes_them() -> None:
    found = {"a": [1, Fraction(1, 2), True, "x"], "b": {"c": Fraction(10**400)}}
    assert (
        written(found)
        == "{a = [1, 0.5, true, 'x'], b = {c = a number of more than 300 digits}}"
    )


SECTION = """
[columns]
quasi = ["zip", "age", "birth"]
sensitive = ["grade"]
[hierarchies]
zip = {prefixes = [2, 3]}
age = {intervals = [4, 10]}
birth = {dates = ["week"]}
grade = {groups = [{low = ["A", "A"]}]}
garde = {masking = "middle"}
[rules]
small = "k_anonimity(2)"
"""


def test_a_policy_tells_all_mistakes_at_once(tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_text(SECTION)
    with pytest.raises(InputError) as caught:
        Policy.load(tmp_path / "policy.toml")
    said = str(caught.value)
    for column, part in {
        "zip": "[3, 2]",
        "age": "8 or 12",
        "birth": "'week'",
        "grade": "twice",
        "garde": "'middle'",
    }.items():
        assert any(f"hierarchies.{column}: " in line for line in said.splitlines())
        assert part in said
    assert "'garde'" in said
    assert "k_anonimity" in said


@pytest.mark.parametrize("number", ["1e9999", "1e-9999"])
def test_numbers_of_toml_that_nobody_could_write_out(
    tmp_path: Path, number: str
) -> None:
    (tmp_path / "policy.toml").write_text(SECTION.replace("[4, 10]", f"[{number}]"))
    with pytest.raises(InputError, match=f"{number} has more than 300 digits"):
        Policy.load(tmp_path / "policy.toml")


NUMBERS: Mapping[str, Any] = {"intervals": [5]}


CUTS: Mapping[str, Any] = {"ranges": [[5]]}


YEARS: Mapping[str, Any] = {"dates": ["year"]}


UNFIT: dict[str, tuple[Mapping[str, Any], list[str], list[str]]] = {
    "text": (NUMBERS, ["1", "old"], ["the value 'old' is no number", "12, -0.5 or 2/3"]),
    "a range": (CUTS, ["20-24"], ["the value '20-24' is no number"]),
    "a comma": (NUMBERS, ["1,5"], ["the value '1,5' is no number", "did you mean '1.5'"]),
    "a number divided by 0": (NUMBERS, ["1/0"], ["the value '1/0' divides by zero"]),
    "a huge number": (CUTS, ["1e9999"], ["'1e9999' has more than 300 digits"]),
    "not a number": (NUMBERS, ["nan"], ["'nan' is no number"]),
    "several texts": (NUMBERS, ["a", "1", "b"], ["'a' is no number", "'b' is no number"]),
    "a German date": (YEARS, ["24.09.1956"], ["the value '24.09.1956' is no date", "1956-03-23"]),
    "slashes": (YEARS, ["1956/09/24"], ["'1956/09/24' is no date", "did you mean '1956-09-24'"]),
    "a time": (YEARS, ["1956-09-24 12:00"], ["is no date", "did you mean '1956-09-24'"]),
    "the 30th of February": (YEARS, ["1956-02-30"], ["the value '1956-02-30' is no date"]),
    "a year": (YEARS, ["1956"], ["the value '1956' is no date"]),
    "a value in no group": (
        {"groups": [{"low": ["A", "Bad"], "high": ["C"]}]},
        ["A", "bad", "X"],
        ["the value 'bad' is in no group", "did you mean 'Bad'", "the value 'X' is in no group", "'A', 'Bad', 'C'"],
    ),
    "a long text": ({"masking": "left"}, ["x" * 65], ["the longest value has 65", "{prefixes = [3, 2, 1]}"]),
    "no numbers": (NUMBERS, [], ["no cell has a value that intervals could generalize"]),
    "no texts": ({"masking": "left"}, [], ["no cell has a value"]),
    "no words": ({"prefixes": [3]}, [], ["no cell has a value"]),
}  # fmt: skip


@pytest.mark.parametrize("case", UNFIT)
def test_values_that_do_not_fit(case: str) -> None:
    spec, values, expected = UNFIT[case]
    with pytest.raises(InputError) as caught:
        built(spec, values)
    assert all(problem.where == WHERE for problem in caught.value.problems)
    for part in expected:
        assert part in str(caught.value)
    for problem in caught.value.problems:
        assert not any(repr(value) in problem.text(redact=True) for value in values)


def test_many_values_that_do_not_fit_are_not_all_listed() -> None:
    with pytest.raises(InputError) as caught:
        built(NUMBERS, [f"x{k}" for k in range(100)])
    assert len(caught.value.problems) == 5


def forked(values: Sequence[str], kept: Sequence[int]) -> Labels:
    """A builder with a defect: the node ``u`` has two parents."""
    return {value: ("u", value) for value in values}


def ragged(values: Sequence[str], kept: Sequence[int]) -> Labels:
    """A builder with a defect: paths of unequal length."""
    return {value: (value,) * (k + 1) for k, value in enumerate(values)}


@pytest.mark.parametrize(
    ("wrong", "said"), [(forked, "'u' at level 1"), (ragged, "has 4 entries")]
)
def test_defects_of_builders_are_found(
    monkeypatch: pytest.MonkeyPatch, wrong: Any, said: str
) -> None:
    monkeypatch.setitem(builders.MADE, "prefixes", wrong)
    with pytest.raises(Defect, match=said):
        build(Builder("prefixes", (1,)), ["a", "b"], WHERE)


ORIGINAL = [
    ("24126", "31", "1956-09-24", "A", "10"),
    ("24129", "34", "1956-07-06", "B", "12"),
    ("10427", "20", "1955-03-23", "C", "25"),
    ("10431", "24", "1955-01-18", "D", "31"),
]


RELEASE = [
    ("24***", "30-34", "1956-Q3", "A", "10"),
    ("24***", "30-34", "1956-Q3", "B", "12"),
    ("10***", "20-24", "1955-Q1", "C", "25"),
    ("10***", "20-24", "1955-Q1", "D", "31"),
]


def test_hierarchical_t_closeness_with_a_builder() -> None:
    """Distances by hand: each class holds one half of the two groups, so both levels
    differ by 1/2.
    """
    rules = {
        "near": "t_closeness(grade, 1/2, hierarchical)",
        "nearer": "t_closeness(grade, 0.49, hierarchical)",
    }
    report = verify(frame(RELEASE), policy(**rules))
    assert [rule.verdict for rule in report.rules] == ["proved", "refuted"]
    rules = {
        "near": "t_closeness(pay, 1/2, hierarchical)",
        "nearer": "t_closeness(pay, 0.49, hierarchical)",
    }
    assert [rule.verdict for rule in verify(frame(RELEASE), policy(**rules)).rules] == [
        "proved",
        "refuted",
    ]


def test_the_same_as_with_a_file(tmp_path: Path) -> None:
    (tmp_path / "grade.csv").write_text("A;low;*\nB;low;*\nC;high;*\nD;high;*\n")
    mixed = [
        (*row[:3], grade, row[4]) for row, grade in zip(RELEASE, "ACBD", strict=True)
    ]
    for t in ("0.2", "1/4", "0.3", "1/2"):
        rule = f"t_closeness(grade, {t}, distance=hierarchical)"
        found = {
            verify(frame(mixed), policy({"grade": spec}, rule=rule)).rules[0].verdict
            for spec in (SPECS["grade"], str(tmp_path / "grade.csv"))
        }
        assert len(found) == 1


def test_builders_with_an_original() -> None:
    """In another order, the hierarchies of the original say which mappings are
    generalizations.
    """
    report = verify(frame(RELEASE[::-1]), policy(), original=frame(ORIGINAL))
    assert report.sanitized is not None
    assert not report.sanitized.same_order
    assert report.sanitized.mappings["zip"]["24126"] == "24***"
    assert report.sanitized.mappings["birth"]["1955-03-23"] == "1955-Q1"
    with pytest.raises(
        InputError, match="without the hierarchies there are such mappings"
    ):
        verify(
            frame(RELEASE[::-1]),
            policy(SPECS | {"zip": {"masking": "left"}}),
            original=frame(ORIGINAL),
        )


def test_a_file_of_toml_with_builders(tmp_path: Path) -> None:
    for name, rows in (("release", RELEASE), ("original", ORIGINAL)):
        frame(rows).to_csv(tmp_path / f"{name}.csv", index=False)
    (tmp_path / "policy.toml").write_text(
        '[columns]\nquasi = ["zip", "age", "birth"]\nsensitive = ["grade",'
        ' "pay"]\n[hierarchies]\nzip = {prefixes = [3, 2]}\nage = {intervals = [5, 10],'
        ' start = 0}\nbirth = {dates = ["quarter"]}\npay = {ranges = [[20, 30],'
        ' [20]]}\n[[hierarchies.grade.groups]]\nlow = ["A", "B"]\nhigh = ["C",'
        ' "D"]\n[rules]\nk = "k_anonymity(2)"\nt = "t_closeness(grade, 0.5,'
        ' hierarchical)"\n'
    )
    report = verify(
        tmp_path / "release.csv",
        tmp_path / "policy.toml",
        original=tmp_path / "original.csv",
    )
    assert [rule.verdict for rule in report.rules] == ["proved", "proved"]


def test_builders_are_built_from_the_original() -> None:
    result, problems = found(SPECS, RELEASE, ORIGINAL)
    assert not problems
    assert {name: list(h.paths) for name, h in result.items()} == {
        "zip": ["10427", "10431", "24126", "24129"],
        "age": ["20", "24", "31", "34"],
        "birth": ["1955-01-18", "1955-03-23", "1956-07-06", "1956-09-24"],
        "grade": ["A", "B", "C", "D"],
        "pay": ["10", "12", "25", "31"],
    }
    assert result["age"].source == "policy, hierarchies.age on original.csv"


def test_a_release_that_is_generalized_already_leaves_builders_out() -> None:
    result, problems = found(SPECS, RELEASE)
    assert not problems
    assert set(result) == {"zip", "grade", "pay"}
    assert set(found(SPECS, ORIGINAL)[0]) == set(SPECS)


def test_values_that_do_not_fit_are_told_where_they_matter() -> None:
    result, problems = found(
        SPECS
        | {
            "pay": {"dates": ["year"]},
            "grade": {"groups": [{"x": ["A", "B", "C"]}]},
        },
        RELEASE,
    )
    assert set(result) == {"zip"}
    assert [problem.where for problem in problems] == [
        "policy, hierarchies.grade on release.csv",
        *["policy, hierarchies.pay on release.csv"] * 4,
    ]
    assert problems[0].what == "the value 'D' is in no group"
    spoiled = [(*ORIGINAL[0][:1], "old", *ORIGINAL[0][2:]), *ORIGINAL[1:]]
    result, problems = found(SPECS, RELEASE, spoiled)
    assert "age" not in result
    assert [problem.what for problem in problems] == ["the value 'old' is no number"]
    with pytest.raises(
        InputError, match=r"hierarchies\.age on original: the value 'old' is no number"
    ):
        verify(frame(RELEASE), policy(), original=frame(spoiled))


def test_typed_columns_are_built_from_their_canonical_texts() -> None:
    rows = [
        (*row[:4], pay)
        for row, pay in zip(RELEASE, ("1.50", "01.5", "20", "20.0"), strict=True)
    ]
    result, problems = found({"pay": {"intervals": [1]}}, rows, pay="decimal")
    assert not problems
    assert dict(result["pay"].paths) == {
        "1.5": ("1.5", "[1, 2)", "*"),
        "20": ("20", "[20, 21)", "*"),
    }
    result, problems = found(
        {"pay": {"intervals": [1]}}, [(*row[:4], "x") for row in RELEASE], pay="integer"
    )
    assert not result
    assert "no integer value" in problems[0].what


def test_missing_cells_have_no_line() -> None:
    rows = [(None, *RELEASE[0][1:4], ""), *RELEASE[1:]]
    result, problems = found(SPECS, rows)
    assert not problems
    assert set(result["zip"].paths) == {"24***", "10***"}
    assert set(result["pay"].paths) == {"12", "25", "31"}


def test_columns_that_are_not_there_are_told_once() -> None:
    table = frame(RELEASE).drop(columns="grade")
    with pytest.raises(InputError) as caught:
        verify(table, policy())
    assert str(caught.value).count("grade") == 1


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({"dates": ["week"]}, "'week' is none of month, quarter, year, decade"),
        ({"masking": "top"}, "'top' is none of right, left"),
    ],
)
def test_the_checker_says_which_words_a_builder_takes(
    line: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        builders.builder(line)
