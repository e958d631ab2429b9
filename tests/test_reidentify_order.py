"""Rows in another order than the original's, a release of some of the people, and names
that look like row numbers.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.so_many import so_many

import phverify as ph
from phverify.cli.main import main
from phverify.errors import InputError
from phverify.linkage.methods.baselines import rank_swapping_candidates
from phverify.linkage.methods.record_names import RecordNames
from phverify.linkage.risk.assess import assess
from phverify.spec.notation import interval

BEFORE = pd.DataFrame(
    {
        "zip": ["100", "100", "101", "101", "200", "200"],
        "age": ["23", "25", "31", "32", "40", "41"],
        "ill": ["flu", "flu", "cold", "cough", "flu", "flu"],
    }
)
AFTER = pd.DataFrame(
    {
        "zip": ["200", "200", "10*", "10*", "10*", "10*"],
        "age": ["40-49", "40-49", "20-29", "20-29", "30-39", "30-39"],
        "ill": ["flu", "flu", "flu", "flu", "cough", "cold"],
    }
)
RULES = {
    "columns": {"quasi": ["zip", "age"], "sensitive": ["ill"], "identifier": "id"},
    "hierarchies": {"zip": {"prefixes": [2]}},
    "rules": {"k": "k_anonymity(2)"},
}
POLICY = ph.Policy.from_dict(RULES)
POLICY_OF_TWO = ph.Policy.from_dict(
    {"columns": {"quasi": ["zip", "age"], "identifier": "id"}, "rules": RULES["rules"]}
)


def said(*lines: tuple[str, str, str]) -> pd.DataFrame:
    return pd.DataFrame(
        lines, columns=["record", "original", "probability"], dtype=object
    )


def judged(links: pd.DataFrame, **options: Any) -> Any:
    return ph.reidentify(BEFORE, AFTER, POLICY, method=links, **options)


def test_rows_are_paired_by_what_the_originals_become() -> None:
    """Labels and intervals explain the order that no search for mappings would find."""
    found = assess(BEFORE, AFTER, POLICY)
    assert found.linkage.truth.by == "matching"
    assert [
        set(BEFORE.iloc[found.linkage.truth.rows[k]]) & set(AFTER.iloc[k])
        for k in (4, 5)
    ] == [{"cough"}, {"cold"}]
    assert found.attackers[0].outcomes.expected == 3


def test_who_is_behind_records_that_became_alike_is_not_known() -> None:
    """The answer that favours either is judged alike, and by default without a guess
    who it is.
    """
    for one, other in (("i5", "i6"), ("i6", "i5")):
        links = said(
            ("d1", one, "3/5"),
            ("d1", other, "2/5"),
            ("d2", one, "3/5"),
            ("d2", other, "2/5"),
        )
        found = judged(links)
        assert (found.truth, found.verdict) == ("possible", "sound")
        assert (found.method.correct, found.method.first) == (1, 1)
    with pytest.raises(InputError, match="which record comes from which is not known"):
        judged(links, truth="record")
    assert "(from" not in str(ph.reidentify(BEFORE, AFTER, POLICY))


def test_what_is_expected_goes_by_the_true_probability() -> None:
    links = said(("d1", "i5", "1"), ("d5", "i4", "2/3"), ("d5", "i3", "1/3"))
    found = judged(links).method
    assert (found.correct, found.first) == (
        Fraction(1, 2) + Fraction(2, 3),
        Fraction(1, 2) + 1,
    )
    assert [item.record for item in found.unsound] == [0]


def test_a_release_that_fits_in_no_order() -> None:
    wrong = AFTER.assign(age=["50-59", *AFTER["age"][1:]])
    with pytest.raises(InputError) as error:
        assess(BEFORE, wrong, POLICY)
    assert "record 1, age: '50-59' cannot come from '23'" in str(error.value)
    assert "add the identifier column to both" in str(error.value)


@so_many(30)
@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), min_size=1, max_size=7
    ),
    st.data(),
)
def test_minimal_combinations_where_originals_outnumber_the_records(
    rows: list[tuple[str, str]], data: Any
) -> None:
    kept = data.draw(
        st.lists(
            st.integers(0, len(rows) - 1), min_size=1, max_size=len(rows), unique=True
        )
    )
    before = pd.DataFrame(rows, columns=["zip", "age"], dtype=object).assign(
        id=[f"p{k}" for k in range(len(rows))]
    )
    found = assess(before, before.iloc[kept], POLICY_OF_TWO).uniques

    def alone(row: int, names: tuple[str, ...]) -> bool:
        return (
            sum(
                all(before[n][k] == before[n][row] for n in names)
                for k in range(len(rows))
            )
            == 1
        )

    for place, row in enumerate(kept):
        wanted: list[tuple[str, ...]] = []
        for names in ((), ("zip",), ("age",), ("zip", "age")):
            if alone(row, names) and not any(
                set(less) <= set(names) for less in wanted
            ):
                wanted.append(names)
        assert list(found.of_record(place)) == wanted


def test_identifiers_like_row_numbers_are_no_row_numbers() -> None:
    """A misspelt identifier is told, and not taken for the number of a row."""
    names = RecordNames("i", 3, ("i10", "i20", "i30"))
    assert [names.find(text) for text in ("i10", "i30", "i2", "2")] == [
        0,
        2,
        None,
        None,
    ]
    assert [
        RecordNames("i", 3, ("Ann", "Bob", "Cem")).find(text)
        for text in ("i2", "2", "Bob")
    ] == [1, None, 1]
    assert [RecordNames("i", 3).find(text) for text in ("i2", "2", "4", "02")] == [
        1,
        1,
        None,
        None,
    ]


def test_a_method_takes_no_part_of_a_risk_report_nor_the_other_way_round() -> None:
    links = said(("d1", "i5", "1"))
    with pytest.raises(InputError) as error:
        judged(
            links, attackers=["zip"], thresholds=[Fraction(1, 10)], population=BEFORE
        )
    assert [problem.where for problem in error.value.problems] == [
        "--attacker",
        "--threshold",
        "--population",
    ]
    with pytest.raises(InputError, match="budget: belongs to a method"):
        ph.reidentify(BEFORE, AFTER, POLICY, budget=3)


def test_thresholds_are_the_numbers_that_are_written() -> None:
    """Ten records alike have a probability of exactly 0.1, which the float 0.1
    exceeds.
    """
    frame = pd.DataFrame({"zip": ["1"] * 10, "age": ["2"] * 10})
    for bound in (0.1, "0.1", "1/10", Fraction(1, 10)):
        found = assess(frame, frame, POLICY_OF_TWO, thresholds=[bound])
        assert (
            found.thresholds == (Fraction(1, 10),)
            and found.attackers[0].shares[0].records == 10
        )
    for wrong in ("high", 2, float("nan"), -0.1):
        with pytest.raises(InputError, match="is a probability from 0 to 1"):
            assess(frame, frame, POLICY_OF_TWO, thresholds=[wrong])


def test_one_attacker_as_a_text() -> None:
    found = assess(BEFORE, AFTER, POLICY, "age,zip")
    assert [risk.agent.knows for risk in found.attackers] == [("age", "zip")]


def test_rank_swapping_by_a_percentage() -> None:
    frame = pd.DataFrame({"age": [1, 2, 3, 4]})
    assert rank_swapping_candidates(frame, frame, ["age"], 25)[
        "original_rows"
    ].tolist()[:2] == ["{1 2}", "{1 2 3}"]
    for wrong in (-25, "x", 101):
        with pytest.raises(InputError, match="is a percentage"):
            rank_swapping_candidates(frame, frame, ["age"], wrong)


def test_a_number_says_nothing_of_a_date() -> None:
    """Dates are counted in days from the year 1: every one of them is above 1990."""
    assert interval("1990-01-01 to 1995") is None and interval("٣+") is None
    days = pd.DataFrame(
        {"zip": ["1"] * 3, "age": ["1980-01-02", "1995-03-04", "1996-05-06"]}
    )
    said = days.assign(age=["<1990-01-01", ">=1990-01-01", ">=1990-01-01"])
    assert assess(days, said, POLICY_OF_TWO).attackers[0].outcomes.expected == 2
    for cell in (">=1990", "1-800000", "1990+"):
        with pytest.raises(InputError):
            assess(
                days,
                said.assign(age=["<1990-01-01", cell, ">=1990-01-01"]),
                POLICY_OF_TWO,
            )


@pytest.mark.parametrize(
    "option",
    [["--json", "x.json"], ["--redact"], ["--truth", "record"], ["--budget", "1"]],
)
def test_the_demo_ignores_no_option(
    option: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["reidentify", "--demo", *option]) == 2
    assert "and no other option" in capsys.readouterr().err
