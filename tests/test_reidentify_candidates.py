"""Candidate sets and beliefs against all pairs of records; Examples 8, 9, 11, 15 and 21
from tables; bad releases.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from support.reidentify_oracle import Case, cases, policy, subsets
from support.so_many import so_many

from phverify import Policy
from phverify.errors import InputError
from phverify.linkage.belief.compatible import Allocation, BeliefViolation, compatible
from phverify.linkage.belief.mass import categorical
from phverify.linkage.belief.mass_frame import MassFrame
from phverify.linkage.belief.transforms import belief, pignistic
from phverify.linkage.candidates.pairs import linkage_of
from phverify.linkage.candidates.rounded_numbers import rounded
from phverify.linkage.candidates.sets import Candidates, Linkage
from phverify.microdata.dataframes import from_frame
from phverify.policy.masking import Masking
from phverify.spec import notation
from phverify.spec.notation import Interval

NAMES = ("zip", "age", "flu")


def link(original: Any, release: Any, rules: Policy) -> Linkage:
    frames = (pd.DataFrame(original, dtype=object), pd.DataFrame(release, dtype=object))
    tables = [
        from_frame(frame, where)
        for frame, where in zip(frames, ("original", "release"), strict=True)
    ]
    return linkage_of(tables[0], tables[1], rules)


def simple(quasi: list[str], **more: Any) -> Policy:
    return Policy.from_dict(
        {
            "rows": "same order",
            "columns": {"quasi": quasi},
            "rules": {"k": "k_anonymity(2)"},
            **more,
        }
    )


# All pairs


@so_many(75)
@given(cases())
def test_beliefs_are_those_of_all_pairs(case: Case) -> None:
    agree(link(case.original, case.release, case.policy), case)


def agree(linkage: Linkage, case: Case) -> None:
    for attributes in subsets(NAMES):
        found = Candidates(linkage, attributes)
        for y in range(len(case.release)):
            wanted = case.belief(attributes, y)
            assert found.rows(y).tolist() == sorted(wanted)
            assert found.sizes[y] == len(wanted)
            assert found.belief(y) == wanted
            same = sum(
                all(a[n] == b[n] for n in attributes)
                for a in [case.release[y]]
                for b in case.release
            )
            assert found.classes[y] == same


@so_many(30)
@given(cases())
def test_chances_are_those_of_all_pairs(case: Case) -> None:
    linkage = link(case.original, case.release, case.policy)
    for attributes in subsets(NAMES):
        found = Candidates(linkage, attributes)
        total, top, own = found.chances() if found.random else (None, None, None)
        for y in range(len(case.release) if found.random else 0):
            wanted, view = case.belief(attributes, y), int(found.tuples[1][y])
            assert Fraction(int(own[y]), int(total[view])) == wanted[y]
            assert Fraction(int(top[view]), int(total[view])) == max(wanted.values())


@so_many(15)
@given(cases(most=4))
def test_proposition_12_and_lemma_13(case: Case) -> None:
    """Beliefs from any attributes are compatible with the true probability; without a
    true candidate they are not.
    """
    linkage, frame = (
        link(case.original, case.release, case.policy),
        MassFrame.numbered(len(case.original)),
    )
    everything = Candidates(linkage, tuple(linkage.relations))
    for y in range(len(case.release)):
        truth = everything.belief(y)
        assert truth == case.belief(NAMES, y)
        for attributes in subsets(NAMES):
            rows = Candidates(linkage, attributes).rows(y).tolist()
            assert isinstance(
                compatible(categorical(frame, frame.subset(rows)), truth), Allocation
            )
            less = [row for row in rows if row != min(truth)]
            if less:
                assert isinstance(
                    compatible(categorical(frame, frame.subset(less)), truth),
                    BeliefViolation,
                )


def test_many_keys_do_not_overflow() -> None:
    """Twenty columns of ten values: a mixed-radix key would need 66 bits."""
    rng = np.random.default_rng(1)
    names = [f"c{k}" for k in range(20)]
    values = rng.integers(0, 10, (60, 20))
    values[30:] = values[:30]
    frame = pd.DataFrame(values.astype(str), columns=names)
    linkage = link(frame, frame, simple(names))
    assert Candidates(linkage, tuple(names)).sizes.tolist() == [2] * 60


def test_many_suppressed_records() -> None:
    """Within blocks: cells suppressed here and there, and each figure against a count
    by pandas.
    """
    rng = np.random.default_rng(1)
    n = 20_000
    original = pd.DataFrame(
        {
            "a": rng.integers(0, 40, n),
            "b": rng.integers(0, 50, n),
            "c": rng.integers(0, 9, n),
        }
    )
    original = original.astype(str).astype(object)
    release = original.mask(
        pd.DataFrame({"a": rng.random(n) < 0.3, "b": rng.random(n) < 0.2, "c": False}),
        "*",
    )
    found = Candidates(
        link(original, release, simple(["a", "b", "c"])), ("a", "b", "c")
    ).sizes
    for y in range(0, n, 997):
        shown = {name: value for name, value in release.iloc[y].items() if value != "*"}
        assert (
            found[y]
            == np.logical_and.reduce(
                [original[name] == value for name, value in shown.items()]
            ).sum()
        )


# What cells say


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("20-29", Interval(Fraction(20), Fraction(29))),
        ("20 – 29", Interval(Fraction(20), Fraction(29))),
        ("-5 to -1", Interval(Fraction(-5), Fraction(-1))),
        ("0.5..1.25", Interval(Fraction(1, 2), Fraction(5, 4))),
        ("[20-30]", Interval(Fraction(20), Fraction(30))),
        ("[20, 30)", Interval(Fraction(20), Fraction(30), True, False)),
        ("[20, 30[", Interval(Fraction(20), Fraction(30), True, False)),
        ("]20; 30]", Interval(Fraction(20), Fraction(30), False, True)),
        ("(20,30)", Interval(Fraction(20), Fraction(30), False, False)),
        (">=65", Interval(Fraction(65), None)),
        ("≥ 65", Interval(Fraction(65), None)),
        (">65", Interval(Fraction(65), None, False)),
        ("<18", Interval(None, Fraction(18), True, False)),
        ("<=17.5", Interval(None, Fraction(35, 2))),
        ("85+", Interval(Fraction(85), None)),
        (
            "1970-01-01 to 1970-01-03",
            Interval(Fraction(719163), Fraction(719165), dates=True),
        ),
        ("30-20", None),
        ("1956-03", None),
        ("03/56", None),
        ("abc", None),
        ("20", None),
    ],
)
def test_intervals(text: str, wanted: Interval | None) -> None:
    assert notation.interval(text) == wanted


def test_sets_and_rounding() -> None:
    assert notation.members('{a, "b, c",d}') == ["a", "b, c", "d"]
    assert notation.members("a") is None and notation.members("{}") == []
    ten = Fraction(10)
    assert rounded("20", Masking(ten)) == Interval(Fraction(15), Fraction(25))
    assert rounded("20", Masking(ten, "down")) == Interval(
        Fraction(20), Fraction(30), True, False
    )
    assert rounded("20", Masking(ten, "up")) == Interval(
        Fraction(10), Fraction(20), False, True
    )
    assert rounded("23", Masking(ten)) is None


def sizes(
    original: list[str | None], release: list[str | None], **more: Any
) -> list[int]:
    linkage = link({"v": original}, {"v": release}, simple(["v"], **more))
    found: list[int] = Candidates(linkage, ("v",)).sizes.tolist()
    return found


def test_a_value_comes_before_a_notation() -> None:
    """A text that is a value of the original means that value where it was kept."""
    original: list[str | None] = ["1-2", "1", "2"]
    assert sizes(original, ["1-2", "1", "2"]) == [1, 1, 1]
    declared = {"masking": {"v": {"intervals": True}}}
    assert sizes(original, ["1-2", "1", "2"], **declared) == [1, 1, 1]
    # Another value became it.
    for more in ({}, declared):
        assert sizes(original, ["1-2", "1-2", "2"], **more) == [3, 3, 1]
    assert sizes(
        ["1", "1", "2"], ["1-2", "1", "2"], masking={"v": {"intervals": True}}
    ) == [3, 2, 1]


def test_missing_cells() -> None:
    """Missing is a value where the original has it; otherwise, and where the policy
    says so, it is suppression.
    """
    assert sizes(["a", None, "b"], ["a", None, "b"]) == [1, 1, 1]
    assert sizes(["a", "a", "b"], ["a", None, "b"]) == [2, 3, 1]
    more = {"masking": {"v": {"suppressed": ["*", ""]}}}
    assert sizes(["a", None, "b"], [None, None, "*"], **more) == [3, 3, 3]
    with pytest.raises(InputError, match="missing = "):
        sizes(["a", "a"], ["a", None], missing="error")
    assert sizes(["a", "a"], ["a", None], missing="error", **more) == [2, 2]


def test_types_bring_spellings_together() -> None:
    assert sizes(["007", "7", "8"], ["7", "7", "08"], types={"v": "integer"}) == [
        2,
        2,
        1,
    ]
    assert sizes(
        ["1956-03-01", "1956-03-20"],
        ["1956-03-01", "1956-03-02 to 1956-04-01"],
        types={"v": "date"},
    ) == [
        1,
        1,
    ]


def test_a_random_table_with_suppressed_cells() -> None:
    """A mark of suppression says nothing: it leaves every original as probable as
    before.
    """
    how = {"table": {"a": {"a": "3/4", "b": "1/4"}}, "suppressed": ["*"]}
    linkage = link(
        {"v": ["a", "a", "b"]},
        {"v": ["*", "b", "b"]},
        simple(["v"], masking={"v": how}),
    )
    found = Candidates(linkage, ("v",))
    assert found.belief(0) == dict.fromkeys(range(3), Fraction(1, 3))
    assert found.belief(1) == {0: Fraction(1, 6), 1: Fraction(1, 6), 2: Fraction(2, 3)}


# The paper's examples from tables


AGES = ["18", "16", "19", "22", "24", "24"]


def test_section_2_2_intervals_make_three_and_three() -> None:
    shown: list[str | None] = ["[15,19]"] * 3 + ["[20,25]"] * 3
    assert sizes(list(AGES), shown) == [3] * 6


def example_8() -> Linkage:
    """Two attributes, each generalized by itself."""
    original = {"age": AGES, "zip": ["10", "11", "20", "21", "20", "21"]}
    release = {
        "age": ["15-19"] * 3 + ["20-25"] * 3,
        "zip": ["1*", "1*", "2*", "2*", "2*", "2*"],
    }
    return link(original, release, policy({}, ("zip", "age")))


def test_examples_8_and_9_candidates_shrink_with_knowledge() -> None:
    linkage = example_8()
    whole, age, zips = (
        Candidates(linkage, a) for a in (("age", "zip"), ("age",), ("zip",))
    )
    assert [whole.rows(y).tolist() for y in (0, 2, 3)] == [[0, 1], [2], [3, 4, 5]]
    for y in range(6):
        assert set(whole.rows(y)) == set(age.rows(y)) & set(zips.rows(y))
        for part in (age, zips):
            assert set(whole.rows(y)) <= set(part.rows(y))
            assert all(
                whole.belief(y)[x] >= part.belief(y)[x] for x in whole.rows(y).tolist()
            )


def test_examples_11_and_15_categorical_belief_and_its_pignistic_distribution() -> None:
    linkage, frame = example_8(), MassFrame.numbered(6)
    for attributes in (("age",), ("zip",), ("age", "zip")):
        found = Candidates(linkage, attributes)
        for y in range(6):
            subset = frame.subset(found.rows(y).tolist())
            mass = categorical(frame, subset)
            assert pignistic(mass) == found.belief(y)
            assert all(belief(mass, b) == (subset & ~b == 0) for b in range(64))


def test_example_21_a_random_masking() -> None:
    """x = y + alpha e_beta, as its figures need it: y = 000 has belief 1/2 on 000 and
    1/6 on each unit vector.

    The paper writes y = x + alpha e_beta, with which y = 000 could come from 000 alone,
    and says that alpha = 0 makes 000 impossible, which alpha = 1 does.  The posterior
    is Proposition 19's pignistic distribution with k = 3.
    """
    third = "1/6"
    table = {
        "000": {"000": "1/2", "-00": third, "0-0": third, "00-": third},
        "100": {"100": "1/2", "000": third, "1-0": third, "10-": third},
        "010": {"010": "1/2", "000": third, "-10": third, "01-": third},
        "001": {"001": "1/2", "000": third, "-01": third, "0-1": third},
    }
    records = {"v": ["000", "100", "010", "001"]}
    linkage = link(
        records,
        {"v": ["000", "000", "010", "0-1"]},
        simple(["v"], masking={"v": {"table": table}}),
    )
    found = Candidates(linkage, ("v",))
    sixth = Fraction(1, 6)
    assert found.belief(0) == {0: Fraction(1, 2), 1: sixth, 2: sixth, 3: sixth}
    assert found.belief(2) == {2: Fraction(1)} and found.belief(3) == {3: Fraction(1)}
    known = {
        value: {"0-1" if value == "001" else "000": 1}
        for value in records["v"]
        if value != "000"
    }
    alpha = simple(["v"], masking={"v": {"table": {**known, "000": {"-00": 1}}}})
    certain = Candidates(
        link(records, {"v": ["-00", "000", "000", "0-1"]}, alpha), ("v",)
    )
    assert not certain.random and certain.rows(1).tolist() == [
        1,
        2,
    ]  # alpha = 1: 000 is impossible


# Bad releases


def test_a_record_in_no_candidate_set_is_named() -> None:
    with pytest.raises(InputError) as caught:
        link({"v": ["3", "5", "7"]}, {"v": ["3-5", "7+", "{3, 7}"]}, simple(["v"]))
    text = str(caught.value)
    assert "no masking of the original" in text
    assert (
        "release, record 2, v: '7+' cannot come from '5', the value of original"
        " record 2" in text
    )
    assert "could have become '3-5'" in text


def test_a_label_that_no_original_lies_below() -> None:
    with pytest.raises(InputError, match="record 1, zip: '2\\*' cannot come from '10'"):
        link({"zip": ["10", "11"]}, {"zip": ["2*", "11"]}, policy({}, ("zip",)))


def test_cells_that_say_nothing_are_named_with_the_nearest() -> None:
    """No function of the values explains them, either: 10 and 3 became two things
    each.
    """
    original = {"zip": ["10", "10"], "age": ["3", "3"]}
    with pytest.raises(InputError) as caught:
        link(
            original,
            {"zip": ["1**", "10"], "age": ["3", "many"]},
            policy({}, ("zip", "age")),
        )
    first, second = caught.value.problems[:2]
    assert (
        first.where == "release, record 1, zip"
        and "'1*'" in first.hint
        and first.private
    )
    assert second.where == "release, record 2, age" and "no interval" in second.what


@pytest.mark.parametrize(
    ("how", "released", "says"),
    [
        ({"rounding": 10}, "13", "no multiple of 10"),
        ({"table": {"5": {"5": 1}}}, "6", "nothing that the table"),
    ],
)
def test_cells_that_no_masking_makes(
    how: dict[str, Any], released: str, says: str
) -> None:
    with pytest.raises(InputError, match=says):
        sizes(["5"], [released], masking={"v": how})


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"rounding": 0}, "rounding: 0 is no number above 0"),
        ({"rounding": 5, "intervals": True}, "says rounding and intervals"),
        ({"direction": "down"}, "a direction belongs to rounding"),
        ({"rounding": 5, "direction": "dawn"}, "did you mean 'down'"),
        ({"intervals": "yes"}, "intervals is true or false"),
        ({"suppressed": "*"}, "suppressed is a list of texts"),
        ({"round": 5}, "unknown key 'round'\n    did you mean 'rounding'"),
        ({"table": {"a": {"a": "3/4", "b": "1/5"}}}, "sums to 19/20, not to exactly 1"),
        (
            {"table": {"a": {"a": "5/4", "b": "-1/4"}}},
            "-1/4' for 'b' is no probability",
        ),
        ({"table": {"a": "b"}}, "is a table of probabilities"),
        ("rounding", "is a table that says how the column was masked"),
    ],
)
def test_maskings_that_a_policy_cannot_say(how: Any, says: str) -> None:
    with pytest.raises(InputError) as caught:
        simple(["v"], masking={"v": how})
    assert says in str(caught.value) and "policy, masking.v" in str(caught.value)


def test_maskings_are_of_columns_with_a_role() -> None:
    with pytest.raises(InputError, match="no role names the column 'w'"):
        simple(["v"], masking={"w": {"rounding": 5}})


def test_columns_that_are_not_there() -> None:
    with pytest.raises(InputError, match="no column 'age'"):
        link(
            {"zip": ["1"], "age": ["2"]},
            {"zip": ["1"], "aga": ["2"]},
            simple(["zip", "age"]),
        )
